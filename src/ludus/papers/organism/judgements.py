"""The claims of the paper on Organism, each judged by our numbers, and aims of our own."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

from ludus.papers.claims import (
    Claim,
    Finding,
    Found,
    Judgement,
    Measure,
    Verdict,
    at_least,
    judged,
    larger,
    near,
    rate_of,
)
from ludus.papers.experiments import Measured, Unmeasured
from ludus.papers.matches import share
from ludus.papers.organism.lineups import (
    BOTH,
    FIFTH,
    OUR_STRENGTHS,
    PAPER,
    PROGRAM,
    RULES,
    STRENGTHS,
    WIDTH,
    first_share,
    trained,
    training_rows,
)

SEVENTY, EVEN, OFTEN = 0.7, 0.5, 0.25
SECONDS, TURNS = 30.0, 16.0
GATE = 0.6


def all_groups(results: Measured) -> dict[str, list[Finding]]:
    """Every finding, in the groups that the page shows."""
    return {
        "learning": learning(results),
        "style": style(results),
        "fairness": fairness(results),
        "plateau": [plateau(results)],
        "pace": [*pace(results), length(results)],
        "ours": ours(results),
    }


# ------------------------------------------------------------------------------------------------ what is learnt


def pooled(rows: Sequence[dict[str, float]], column: str, label: str, rules: str) -> Measure:
    """A share of all matches in some rows of logs."""
    games = sum(int(row["matches"]) for row in rows)
    return rate_of(sum(row[column] * row["matches"] for row in rows), games, label, rules)


def above(measure: Measure, level: float) -> Judgement:
    """Reproduced if a share is certainly more than this."""
    if measure.low > level:
        return Verdict.REPRODUCED, f"certainly more than {100 * level:.0f} %"
    return Verdict.NOT_REPRODUCED, f"not certainly more than {100 * level:.0f} %"


def at(results: Measured, preset: str, iteration: int) -> list[dict[str, float]]:
    """The row of each training whose self-play was by the network after so many iterations."""
    found = [rows[iteration] for rows in training_rows(results, preset) if len(rows) > iteration]
    if not found:
        raise Unmeasured(f"no training played with the network after {iteration} iterations")
    return found


def after(results: Measured, column: str, iteration: int, preset: str = PAPER) -> Measure:
    """A share of the matches that the network after so many iterations played."""
    label = f"after {iteration}" if iteration else "untrained"
    return pooled(at(results, preset, iteration), column, label, RULES[preset])


def learning(results: Measured) -> list[Finding]:
    def suicides() -> Found:
        untrained = after(results, "suicides", 0)
        return [untrained], above(untrained, OFTEN)

    def fewer() -> Found:
        measures = [after(results, "suicides", k) for k in (0, 1)]
        return measures, larger(measures[0].minus(measures[1]))

    def longer() -> Found:
        measures, logs = [turns(results, k) for k in (0, 1)], training_rows(results, PAPER)
        rises = sum(rows[1]["turns"] > rows[0]["turns"] for rows in logs)
        verdict = Verdict.REPRODUCED if rises == len(logs) else Verdict.NOT_REPRODUCED
        return measures, (verdict, f"longer in {rises} of {len(logs)} trainings")

    return [
        judged(Claim("suicides", "Results", "Untrained agents lose by destroying themselves.", "said"), suicides),
        judged(Claim("fewer-suicides", "Results", "The first iteration learns not to.", "said"), fewer),
        judged(Claim("longer", "Results", "Its matches are longer.", "said"), longer),
    ]


def turns(results: Measured, iteration: int) -> Measure:
    """The mean length of self-play over the trainings, and its range."""
    found = [row["turns"] for row in at(results, PAPER, iteration)]
    label = f"after {iteration}" if iteration else "untrained"
    return Measure(label, sum(found) / len(found), min(found), max(found), 0, "turns", RULES[PAPER])


def style(results: Measured) -> list[Finding]:
    def opening() -> Found:
        grown = after(results, "grows", FIFTH)
        return [grown], above(grown, EVEN)

    def centre() -> Found:
        measures = [after(results, "centre", k) for k in (0, FIFTH)]
        return measures, larger(measures[1].minus(measures[0]))

    return [
        judged(Claim("grow", "Results", "Most matches then open with growth.", "most"), opening),
        judged(Claim("centre", "Results", "An M walks to the centre.", "said"), centre),
    ]


# ------------------------------------------------------------------------------------------------ whom the rules favour


def fairness(results: Measured) -> list[Finding]:
    def seventy() -> Found:
        found = [after(results, "first", FIFTH, preset) for preset in trained(results)]
        verdict, why = near(found[0], SEVENTY, 0.0)
        return found, (verdict, f"{why}; {needed_games()}")

    def searches() -> Found:
        found = curve_of(results, BOTH, STRENGTHS)
        return found, spread(found)

    def networks() -> Found:
        found = curve_of(results, [PAPER], OUR_STRENGTHS)
        return found, spread(found)

    text = "The first player wins about 70 % of the matches of the fifth iteration's agent."
    aim = "Whom the rules favour, as a curve over strength: searches against themselves."
    return [
        judged(Claim("first-player", "Results", text, "70 %, of how many is not said"), seventy),
        judged(Claim("first-player-curve", "Open", aim, "not done"), searches),
        judged(Claim("first-player-ours", "Open", "The same for our network, by simulations.", "not done"), networks),
    ]


def curve_of(results: Measured, presets: Sequence[str], strengths: Iterable[str]) -> list[Measure]:
    """The first player's share at each strength that was measured."""
    wanted = [(f"fairness-{preset}-{name}", name, preset) for preset in presets for name in strengths]
    found = [first_share(results[key], name, preset) for key, name, preset in wanted if key in results.found]
    return found or [first_share(results[wanted[0][0]], *wanted[0][1:])]


def needed_games(true: float = 0.55) -> str:
    """How many matches it takes to tell 70 % from a fairer game."""
    games = math.ceil((1.96 * 0.5 + 0.84 * (true * (1 - true)) ** 0.5) ** 2 / (SEVENTY - true) ** 2)
    noise = 196 * (SEVENTY * (1 - SEVENTY) / 40) ** 0.5
    return f"to tell 70 % from {100 * true:.0f} % takes some {games} matches, and 40 leave ±{noise:.0f} points"


def spread(found: Sequence[Measure]) -> Judgement:
    low, high = min(found, key=lambda one: one.value), max(found, key=lambda one: one.value)
    told = f"from {100 * low.value:.0f} % ({low.label}) to {100 * high.value:.0f} % ({high.label})"
    if all(one.high < SEVENTY for one in found):
        return Verdict.ANSWERED, f"{told}; 70 % is excluded at every strength"
    return Verdict.ANSWERED, told


def plateau(results: Measured) -> Finding:
    def found() -> Found:
        later = results["plateau"]["later"]
        if not later:
            rows = [row for one in training_rows(results, PAPER) for row in one[FIFTH:]]
            why = f"none of {len(rows)} later networks passed its gate"
            return [], (Verdict.REPRODUCED, why)
        measures = [_later(number, one) for number, one in later.items()]
        best = max(measures, key=lambda one: one.value)
        reached = best.value >= GATE
        verdict = Verdict.NOT_REPRODUCED if reached else Verdict.REPRODUCED
        return measures, (verdict, f"the best of them takes {100 * best.value:.0f} %")

    text = "No later agent reached 60 % against that of the fifth iteration."
    return judged(Claim("plateau", "Results", text, "none"), found)


def _later(number: str, result: dict) -> Measure:
    one = result["shares"][0]
    return Measure(f"after {number}", one["value"], one["low"], one["high"], result["games"], rules=RULES[PAPER])


# ------------------------------------------------------------------------------------------------ pace, and ours


def pace(results: Measured) -> list[Finding]:
    def found() -> Found:
        seconds, width = results["pace"]["seconds"], results["pace"]["width"]
        words = {"trained": f"trained, {width} channels", "untrained": f"untrained, {WIDTH}", "ours": "a turn of ours"}
        measures = [Measure(words[key], seconds[key], seconds[key], seconds[key], 0, "s") for key in words]
        times = {key: SECONDS / seconds[key] for key in words}
        verdict = Verdict.REACHED if min(times["trained"], times["untrained"]) >= 1000 else Verdict.NOT_REACHED
        text = f"{times['trained']:,.0f} times faster on one core; untrained at the published size"
        return measures, (verdict, f"{text} {times['untrained']:,.0f}, and there are fewer turns to choose from")

    def amortised() -> Found:
        log = results[f"training-{PAPER}-0"]
        turns = sum(row["matches"] * row["turns"] for row in log["rows"])
        seconds = sum(row["playing"] for row in log["rows"]) / turns
        verdict = Verdict.REACHED if SECONDS / seconds >= 1000 else Verdict.NOT_REACHED
        where = "a GPU" if log["device"] == "cuda" else "a processor"
        return [Measure("", seconds, seconds, seconds, 0, "s")], (
            verdict,
            f"{SECONDS / seconds:,.0f} times, on {where}",
        )

    text = "A move of 25 roll-outs, a thousand times faster on one core."
    whole = "The same over all matches of self-play."
    return [
        judged(Claim("pace", "Aim", text, "about 30 s"), found, timed=True),
        judged(Claim("pace-amortised", "Aim", whole, "about 30 s"), amortised, timed=True),
    ]


def length(results: Measured) -> Finding:
    def found() -> Found:
        ours = turns(results, FIFTH)
        verdict = Verdict.REPRODUCED if ours.low <= TURNS <= ours.high else Verdict.NOT_REPRODUCED
        return [ours], (verdict, f"trainings range from {ours.low:.0f} to {ours.high:.0f} turns of organisms")

    return judged(Claim("length", "Results", "Matches take about 8 moves a player.", "16 turns"), found)


def ours(results: Measured) -> list[Finding]:
    def against(name: str, label: str, aim: float, rules: str = RULES[PAPER]) -> Callable[[], Found]:
        def found() -> Found:
            measure = share(results, name, label, rules=rules)
            return [measure], at_least(measure, aim)

        return found

    theirs = "Our network beats that of the fifth iteration, with less time a turn than one of the published size."
    search = "It beats search at equal time."
    unseen = "A network that learnt on three and four rings beats search on five at equal time."
    sizes = "One that learnt on three, four and five beats search there by far."
    first_sight = against("unseen-5", "ours, five rings unseen", 0.5, RULES[PROGRAM])
    five = against("search-5", "ours, five rings", 0.8, RULES[PROGRAM])
    return [
        judged(Claim("ours-theirs", "Aim", theirs, "no such agent"), against("theirs", "ours", 0.95)),
        judged(Claim("ours-search", "Aim", search, "no such agent"), against("search", "ours", 0.9), timed=True),
        judged(Claim("ours-unseen", "Aim", unseen, "no such agent"), first_sight, timed=True),
        judged(Claim("ours-five", "Aim", sizes, "no such agent"), five, timed=True),
    ]
