"""The claims of the paper on Thrones, each judged by our numbers; what must hold of the rivals; aims of our own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ludus.arena.statistics import wilson
from ludus.papers.claims import (
    Claim,
    Finding,
    Found,
    Judgement,
    Measure,
    Verdict,
    at_least,
    at_most,
    exactly,
    judged,
    larger,
    rate_of,
)
from ludus.papers.experiments import Measured
from ludus.papers.tables import Cell, summed
from ludus.papers.thrones.duels import BOTH, FAVOURED, LARGE, RULES, SEATS, SMALL, both_seats, rate
from ludus.papers.thrones.lineups import (
    BOTS,
    KNOWN,
    KNOWN_GAMES,
    PUBLISHED,
    PUBLISHED_GAMES,
    READINGS,
    RIVALS,
    SEARCHERS,
    SEEDS,
    SEVEN,
    is_mirrored,
    known,
)

AS_CLAIM = {Verdict.REACHED: Verdict.REPRODUCED, Verdict.NOT_REACHED: Verdict.NOT_REPRODUCED}
"""Of what the paper claims, in the place of an aim."""
KILLS = ("head", "trail", "enclosed", "blunder")


def all_groups(results: Measured) -> dict[str, list[Finding]]:
    """Every finding, in the groups that the page shows."""
    return {
        "table": [table(results, bot, preset) for bot in BOTS for preset in BOTH],
        "claims": claims(results),
        "seats": [seats(results), heads(results), caught(results)],
        "evolution": [curve(results), *evolved(results)],
        "ladder": [ladder(results, preset) for preset in BOTH],
        "readings": readings(results),
        "champion": champion(results),
        "costs": costs(results),
    }


def key_of(bot: str, preset: str, rival: str) -> str:
    return f"{bot.replace(' ', '')}-{preset}-{rival}"


# ------------------------------------------------------------------------------------------------ tables


def published_cells(results: Measured, bot: str, preset: str) -> dict[str, dict[str, Cell]]:
    """One half of a bot's table: both seats against the five rivals."""
    return {
        f"{bot}, {SEATS[seat]}": {
            name: Cell(
                rate(results, key_of(bot, preset, rival), seat, name, preset),
                rate_of(PUBLISHED[bot, preset][seat][k] * PUBLISHED_GAMES / 100, PUBLISHED_GAMES),
            )
            for k, (rival, name) in enumerate(RIVALS.items())
        }
        for seat in (0, 1)
    }


def known_cells(results: Measured, preset: str) -> dict[str, dict[str, Cell]]:
    """How the rivals do against each other, beside an independent program."""
    return {
        f"{RIVALS[spec]}, {SEATS[seat]}": {
            name: Cell(
                ladder_rate(results, preset, spec, rival, seat),
                rate_of(*known(preset, spec, rival, seat)),
            )
            for rival, name in RIVALS.items()
        }
        for spec in KNOWN[preset] for seat in (0, 1)
    }  # fmt: skip


def ladder_rate(results: Measured, preset: str, spec: str, rival: str, seat: int) -> Measure:
    """Where that program turned the rival's match round, we do as well."""
    if not is_mirrored(spec, rival):
        return rate(results, f"ladder-{preset}-{spec}-{rival}", seat, RIVALS[rival], preset)
    one = rate(results, f"ladder-{preset}-{rival}-{spec}", 1 - seat, RIVALS[rival], preset)
    return replace(one, value=1 - one.value, low=1 - one.high, high=1 - one.low)


def table(results: Measured, bot: str, preset: str) -> Finding:
    def found() -> Found:
        means = [mean(results, bot, preset, seat) for seat in (0, 1)]
        return means, summed(published_cells(results, bot, preset))

    published = sum(map(sum, PUBLISHED[bot, preset])) / 10
    text = f"{bot.capitalize()} wins so often in the {RULES[preset]}."
    return judged(Claim(f"table-{key_of(bot, preset, '')[:-1]}", "Results", text, f"{published:.0f} %"), found)


def mean(results: Measured, bot: str, preset: str, seat: int) -> Measure:
    """Over the five rivals."""
    rates = [results[key_of(bot, preset, rival)]["seats"][seat] for rival in RIVALS]
    share = wilson(sum(one["wins"] for one in rates), sum(one["games"] for one in rates))
    return Measure(SEATS[seat], share.value, share.low, share.high, share.n, rules=RULES[preset])


def ladder(results: Measured, preset: str) -> Finding:
    def found() -> Found:
        cells = known_cells(results, preset)
        verdict, why = summed(cells)
        odd = [f"{row} against {name}" for row, columns in cells.items() for name, cell in columns.items()
               if cell.judgement[0] is Verdict.NOT_REPRODUCED]  # fmt: skip
        return [], (verdict, why + (f" (not {', '.join(odd)})" if odd else ""))

    text = f"The five rivals do against each other as in an independent program, {RULES[preset]}."
    games = f"{KNOWN_GAMES[preset][1]} or {KNOWN_GAMES[preset][0]} games a cell"
    return judged(Claim(f"ladder-{preset}", "Rivals", text, games), found)


# ------------------------------------------------------------------------------------------------ claims


def claims(results: Measured) -> list[Finding]:
    return [
        judged(Claim("bot1-weak-rivals", "Results", "Bot 1 always beats Rand, Attack and Safe.", "100 %"),
               lambda: weak_rivals(results)),
        judged(Claim("bot1-ahead", "Results", "In the large room bot 1 is far ahead of bot 2.", "100 % against 62 %"),
               lambda: ahead(results, RIVALS)),
        judged(Claim("driven-by-ta2", "Results", "There TA2 makes the difference.", "100 % against 0 %"),
               lambda: ahead(results, ("ta2",))),
        judged(Claim("timid", "Discussion", "Bot 2 is timid in the large room: it takes less land.",
                     "said, not measured"), lambda: timid(results)),
        judged(Claim("small-kills", "Discussion", "In the small room kills decide, in the large one land and walkers.",
                     "said, not measured"), lambda: deciding(results)),
        judged(Claim("ta1-hardest", "Results", "In the small room TA1 is bot 1's hardest rival.",
                     "50 %, the others 70 to 100 %"), lambda: hardest(results)),
        judged(Claim("again", "Aim", "The same seed gives the same tables.", ""), lambda: again(results)),
    ]  # fmt: skip


def weak_rivals(results: Measured) -> Found:
    measures = [
        rate(results, key_of("bot 1", preset, rival), seat, f"{RIVALS[rival]}, {SEATS[seat]}", preset)
        for preset in BOTH for rival in ("rand", "attack", "safe") for seat in (0, 1)
    ]  # fmt: skip
    worst = min(measures, key=lambda one: one.value)
    verdict, why = at_least(worst, 0.9)
    return measures, (AS_CLAIM[verdict], f"the worst cell is {worst.label}, {worst.rules}: {why}")


def pooled(results: Measured, bot: str, preset: str, rivals: Sequence[str] | dict[str, str]) -> Measure:
    found = [seat for rival in rivals for seat in results[key_of(bot, preset, rival)]["seats"]]
    share = wilson(sum(one["wins"] + one["draws"] / 2 for one in found), sum(one["games"] for one in found))
    return Measure(bot, share.value, share.low, share.high, share.n, rules=RULES[preset])


def ahead(results: Measured, rivals: Sequence[str] | dict[str, str]) -> Found:
    one, two = (pooled(results, bot, LARGE, rivals) for bot in BOTS)
    return [one, two], larger(one.minus(two))


def land(results: Measured, bot: str, preset: str, rounds: int) -> Measure:
    """Mean share of the winning area that a bot holds after some rounds against TA2."""
    found = results[f"territory-{preset}-{bot.replace(' ', '')}-{rounds}"]["seats"]
    games = sum(one["games"] for one in found)
    value = sum(one["area"] for one in found) / games / (522 if preset == LARGE else 61)
    half = 1.96 * (value * max(0.0, 1 - value) / games) ** 0.5  # a share of a room spreads no more than a coin does
    return Measure(f"{bot} after {rounds} rounds", value, value - half, value + half, games, rules=RULES[preset])


def timid(results: Measured) -> Found:
    shown = [land(results, bot, preset, 100) for preset in BOTH for bot in BOTS]
    return shown, larger(shown[0].minus(shown[1]))


def endings(results: Measured, preset: str) -> dict[str, int]:
    """How the matches of both published bots ended."""
    counts: dict[str, int] = {}
    for bot in BOTS:
        for rival in RIVALS:
            for seat in results[key_of(bot, preset, rival)]["seats"]:
                for how, number in [*seat["won"].items(), *seat["lost"].items()]:
                    counts[how] = counts.get(how, 0) + number
    return counts


def deciding(results: Measured) -> Found:
    shares = []
    for preset in BOTH:
        counts = endings(results, preset)
        share = wilson(sum(counts.get(how, 0) for how in KILLS), sum(counts.values()))
        shares.append(Measure("by a kill", share.value, share.low, share.high, share.n, rules=RULES[preset]))
    large, small = shares
    if small.low > 0.5 > large.high:
        return shares, (Verdict.REPRODUCED, "kills decide most matches in the small room and few in the large")
    return shares, (Verdict.NOT_REPRODUCED, f"kills decide {small.text} in the small room, {large.text} in the large")


def hardest(results: Measured) -> Found:
    measures = [both_seats(results, key_of("bot 1", SMALL, rival), name, SMALL) for rival, name in RIVALS.items()]
    worst = min(measures, key=lambda one: one.value)
    verdict = Verdict.REPRODUCED if worst.label == RIVALS["ta1"] else Verdict.NOT_REPRODUCED
    return measures, (verdict, f"the hardest is {worst.label}")


def again(results: Measured) -> Found:
    found = results["again"]
    same = found["once"] == found["twice"]
    return [], (Verdict.REACHED if same else Verdict.NOT_REACHED, "played twice, compared number by number")


# ------------------------------------------------------------------------------------------------ seats


def seats(results: Measured) -> Finding:
    def found() -> Found:
        shown, differences = [], []
        for preset in BOTH:
            good, bad = (rate(results, f"ladder-{preset}-ta2-ta2", seat, SEATS[seat], preset)
                         for seat in (FAVOURED[preset], 1 - FAVOURED[preset]))  # fmt: skip
            shown += [good, bad]
            differences.append(good.minus(bad))
        weakest = min(differences, key=lambda one: one.low)
        return shown, larger(weakest)

    text = "A seat decides between equals: TA2 against itself wins from the seat that can take heads."
    return judged(Claim("seat-effect", "Ours", text, "no numbers"), found)


def heads(results: Measured) -> Finding:
    def found() -> Found:
        wrong = right = 0
        for name, result in results.found.items():
            for preset in BOTH:
                if preset in name and "seats" in result:
                    for seat in (0, 1):
                        own, rival = (result["seats"][seat][key].get("head", 0) for key in ("won", "lost"))
                        favoured = seat == FAVOURED[preset]
                        right, wrong = right + (own if favoured else rival), wrong + (rival if favoured else own)
        measures = [Measure("by the seat that parity favours", right, right, right, 0, ""),
                    Measure("by the other", wrong, wrong, wrong, 0, "")]  # fmt: skip
        return measures, exactly([wrong], [0])

    text = "Parity: in the small room only the second player ever takes a head, in the large one only the first."
    return judged(Claim("parity", "Ours", text, "0 by the other seat"), found)


def caught(results: Measured) -> Finding:
    def found() -> Found:
        known = results["flights"]
        measures = [
            Measure(label, known[key], known[key], known[key], 0, "")
            for key, label in {"start": "steps from the start", "longest": "steps from anywhere"}.items()
        ]
        if known["longest"] < known["limit"]:
            return measures, (Verdict.REPRODUCED, "looked up to the end, from every place of both")
        return measures, (Verdict.NOT_REPRODUCED, "somebody may run for ever")

    text = "Nobody escapes: in the small room the second player catches the first by force, who can only run so far."
    return judged(Claim("caught", "Ours", text, "no numbers"), found)


# ------------------------------------------------------------------------------------------------ evolution


def curve(results: Measured) -> Finding:
    def found() -> Found:
        rows = [results[f"evolution-{k}"]["rows"] for k in range(SEEDS)]
        gains = [max(row["best"] for row in one) - one[0]["best"] for one in rows]
        measures = [
            Measure(f"seed {k + 1}: first and best", one[0]["best"], one[0]["best"], one[0]["best"] + gain, 0, "")
            for k, (one, gain) in enumerate(zip(rows, gains))
        ]
        better = sum(gain > 0 for gain in gains)
        return measures, (
            Verdict.REPRODUCED if better == len(gains) else Verdict.NOT_REPRODUCED,
            f"the best reward rises in {better} of {len(gains)} trainings",
        )

    return judged(Claim("evolution", "Evolution", "The best reward rises over the generations.", "a curve"), found)


def evolved(results: Measured) -> list[Finding]:
    def found() -> Found:
        ours, theirs = pooled(results, "evolved", LARGE, RIVALS), pooled(results, "bot 1", LARGE, RIVALS)
        verdict = Verdict.REACHED if ours.value >= theirs.value else Verdict.NOT_REACHED
        return [ours, theirs], (verdict, f"{ours.text} beside {theirs.text} of bot 1")

    return [judged(Claim("evolved", "Aim", "Our evolved network is as good as bot 1 in the large room.", ""), found)]


# ------------------------------------------------------------------------------------------------ readings


def readings(results: Measured) -> list[Finding]:
    def found(change: str) -> Found:
        seen = [seat for rival in RIVALS for seat in results[f"reading-{change}-{rival}"]["seats"]]
        share = wilson(sum(one["wins"] for one in seen), sum(one["games"] for one in seen))
        ours = Measure("bot 1, read so", share.value, share.low, share.high, share.n, rules=RULES[LARGE])
        usual = pooled(results, "bot 1", LARGE, RIVALS)
        difference = ours.minus(usual)
        matters = "no difference beyond noise" if difference.low <= 0 <= difference.high else "it matters"
        return [ours, usual], (Verdict.ANSWERED, matters)

    return [
        judged(Claim(f"reading-{change}", "Open", f"{words[0].upper()}{words[1:]}.", "can be read both ways"),
               lambda change=change: found(change))
        for change, words in READINGS.items()
    ]  # fmt: skip


# ------------------------------------------------------------------------------------------------ the champion


def champion(results: Measured) -> list[Finding]:
    return [
        judged(Claim("champion-favoured", "Aim", "The champion wins from the seat that parity favours.", ""),
               lambda: worst_of(results, lambda name: 0.95, favoured=True)),
        judged(Claim("champion-other", "Aim", "From the other seat it wins or is level in land.", ""),
               lambda: worst_of(results, lambda name: 0.6 if name.startswith("TA") else 0.9, favoured=False)),
        judged(Claim("champion-head", "Aim", "There it never loses its head.", ""), lambda: beheaded(results)),
        judged(Claim("champion-search", "Aim", "It beats general searchers that take ten times its time.", ""),
               lambda: searchers(results)),
    ]  # fmt: skip


def worst_of(results: Measured, bar: Callable[[str], float], favoured: bool) -> Found:
    """The cell that falls farthest below its bar speaks for all."""
    measures = [
        rate(results, f"champion-{preset}-{name}", FAVOURED[preset] if favoured else 1 - FAVOURED[preset], name, preset)
        for preset in BOTH for name in SEVEN
    ]  # fmt: skip
    worst = min(measures, key=lambda one: one.value - bar(one.label))
    verdict, why = at_least(worst, bar(worst.label))
    reached = sum(one.value >= bar(one.label) for one in measures)
    return measures, (verdict, f"{reached} of {len(measures)} cells; {worst.label}, {worst.rules}: {why}")


def beheaded(results: Measured) -> Found:
    """Matches lost by the head from the seat that cannot take one."""
    measures = []
    for preset in BOTH:
        seats = [results[f"champion-{preset}-{name}"]["seats"][1 - FAVOURED[preset]] for name in SEVEN]
        share = wilson(sum(one["lost"].get("head", 0) for one in seats), sum(one["games"] for one in seats))
        measures.append(Measure("lost by the head", share.value, share.low, share.high, share.n, rules=RULES[preset]))
    if not any(one.value for one in measures):
        return measures, (Verdict.REACHED, "no head was lost")
    return measures, (
        Verdict.NOT_REACHED,
        "in a room without walkers nobody can promise it: a good hunter always catches",
    )


def searchers(results: Measured) -> Found:
    """Each over all seats that were played: the worst of them speaks for all."""
    rooms = [preset for preset in BOTH if f"champion-{preset}-mcts" in results.found] or list(BOTH)
    measures = [rate(results, f"champion-{preset}-{name}", seat, f"{name}, champion {SEATS[seat]}", preset)
                for name in SEARCHERS.values() for preset in rooms for seat in (0, 1)]  # fmt: skip
    totals = [total(results, name, rooms) for name in SEARCHERS.values()]
    worst = min(totals, key=lambda one: one.value)
    verdict, why = at_least(worst, 0.8)
    return measures, (verdict, f"{worst.label} in {' and '.join(RULES[preset] for preset in rooms)}: {why}")


def total(results: Measured, name: str, rooms: Sequence[str]) -> Measure:
    """The champion's share against a rival over rooms and seats."""
    found = [seat for preset in rooms for seat in results[f"champion-{preset}-{name}"]["seats"]]
    share = wilson(sum(one["wins"] + one["draws"] / 2 for one in found), sum(one["games"] for one in found))
    return Measure(name, share.value, share.low, share.high, share.n)


# ------------------------------------------------------------------------------------------------ costs


def costs(results: Measured) -> list[Finding]:
    def of(who: str, limit: float) -> Found:
        found = results["cost"]["ms"]
        measures = [Measure(who, found[who][preset], found[who][preset], found[who][preset], 0, "ms", RULES[preset])
                    for preset in BOTH]  # fmt: skip
        verdict, why = at_most(max(measures, key=lambda one: one.value), limit)
        return measures, (verdict if who == "champion" else AS_CLAIM[verdict], why)

    def generations() -> Found:
        rate = results["cost"]["generations"]
        shown: Judgement = Verdict.ANSWERED, "sixteen children, two rivals, both seats, on one core"
        return [Measure("generations a minute", rate, rate, rate, 0, "")], shown

    slow = "Bot 1 looks four plies deep in less than a second a move."
    return [
        judged(Claim("speed", "Section 2.1", slow, "1 s"), lambda: of("bot 1", 1000), timed=True),
        judged(Claim("champion-time", "Aim", "Against Rand the champion takes 50 ms of CPU a move at most.", ""),
               lambda: of("champion", 50), timed=True),
        judged(Claim("generations", "Evolution", "Generations a minute.", "not given"), generations, timed=True),
    ]  # fmt: skip
