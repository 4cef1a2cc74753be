"""The claims of the Gravitas paper, each judged by our numbers, and aims of our own."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ludus.arena.statistics import wilson
from ludus.papers.claims import (
    Claim,
    Finding,
    Found,
    Measure,
    Verdict,
    all_likely,
    all_near,
    answered,
    at_least,
    at_most,
    count_text,
    exactly,
    in_order,
    judged,
    larger,
    near,
    no_difference,
    order_text,
    ranking,
    rate_of,
    unless_unseen,
)
from ludus.papers.experiments import Measured
from ludus.papers.gravitas import counts
from ludus.papers.gravitas.learning import VARIANTS
from ludus.papers.gravitas.lineups import (
    BOTH,
    CHAMPION_FINALISTS,
    CHANCE,
    CORRECT,
    FIG_15,
    FINALISTS,
    NEAT_FINALISTS,
    NEURAL,
    RIVALS,
    RULES,
    seats,
    share,
)
from ludus.papers.gravitas.run_counts import RUN_COUNTS


def all_groups(results: Measured) -> dict[str, list[Finding]]:
    """Every finding, in the groups that the page shows."""
    return {
        "random": random_players(results),
        "thinking": thinking_players(results),
        "question": open_question(results),
        "tables": q_tables(results),
        "evolution": evolution(results),
        "final": final(results),
        "new finals": new_finals(results),
        "runs": run_counts(results),
        "complexity": complexity(),
        "networks": better_networks(results),
        "champion": champion(results),
        "speed": speed(results),
    }


# ------------------------------------------------------------------------------------------------ figures 10 to 13


def random_players(results: Measured) -> list[Finding]:
    def equal() -> Found:
        names = [f"random {k}" for k in (1, 2, 3, 4)]
        found = [one for preset in BOTH for one in seats(results, "random", preset, names)]
        return found, all_near(found, [CHANCE] * len(found), 0.0075)

    def edge() -> Found:
        found = [share(results, "nostop", preset, "without stops") for preset in BOTH]
        return found, near(found[0], 0.267, 0.010)

    fig10 = Claim("fig-10", "Figure 10", "Four random players win equally often.", "25 / 25 / 25 / 25 % (30,000 games)")
    said = "A random player that never uses its emergency stop is slightly better than three that do."
    fig11 = Claim("fig-11", "Figure 11", said, "27 / 24 / 25 / 24 % (10,000 games)")
    return [judged(fig10, equal), judged(fig11, edge)]


def thinking_players(results: Measured) -> list[Finding]:
    def q() -> Found:
        found = [share(results, "q", preset, "Q-learning") for preset in BOTH]
        return found, near(found[0], 0.421, 0.02)

    def tree() -> Found:
        names = {"tree-published": "as the program played", "tree-intended": "as the text means it"}
        found = [share(results, name, preset, label) for name, label in names.items() for preset in BOTH]
        return found, near(found[0], 0.518, 0.015)

    published = "42 / 20 / 19 / 19 % (10,000 games)", "52 / 16 / 15 / 17 % (10,000 games)"
    fig12 = Claim("fig-12", "Figure 12", "Q-learning against three random players.", published[0])
    fig13 = Claim("fig-13", "Figure 13", "The decision tree against three random players.", published[1])
    return [judged(fig12, q), judged(fig13, tree)]


def open_question(results: Measured) -> list[Finding]:
    """Does the choice of cards matter? The test that the paper proposes, for both readings of its tree."""
    return [_without_card_choice(results, reading) for reading in ("published", "intended")]


def _without_card_choice(results: Measured, reading: str) -> Finding:
    def test() -> Found:
        names = {f"tree-{reading}": "its own cards", f"tree-{reading}-no-play": "random cards"}
        found = [share(results, name, preset, label) for preset in BOTH for name, label in names.items()]
        return found, answered(found[0].minus(found[1]))

    said = f"Perhaps the choice of cards hardly matters: give the {reading} tree random cards and see."
    return judged(Claim(f"open-question-{reading}", "Section 6.1", said, "proposed, not run"), test)


# ------------------------------------------------------------------------------------------------ tables 2 to 5

TABLE_GAMES = 2001  # what the rows of the published tables add up to
BASELINE_WINS = 818
TABLES = {
    "table-2": ("Learning from the whole round is no better than learning from each turn.", {"whole-round": 797}),
    "table-3": ("Knowing the turn does not help.", {"turn": 803}),
    "table-4": ("The factor γ on negative rewards (10, 5 or 1) hardly matters.", {"gamma-5": 802, "gamma-1": 798}),
    "table-5": ("Without emergency stop it is far weaker, and still better than random.", {"no-stop": 584}),
}


def q_tables(results: Measured) -> list[Finding]:
    found = []
    for key, (text, wins) in TABLES.items():
        said = " / ".join(map(str, (BASELINE_WINS, *wins.values()))) + " wins of 2,000"
        claim = Claim(key, key.replace("table-", "Table "), text, said)
        judge = _weakened if key == "table-5" else _unchanged
        found.append(judged(claim, lambda wins=wins, judge=judge: judge(results, wins)))
    return found


def _both_trained(results: Measured, variants: Sequence[str]) -> tuple[list[Measure], list[Measure]]:
    """The learner of table 1 and its variants, under the paper's and under the correct rules."""
    paper, correct = ([trained(results, one, preset) for one in ("baseline", *variants)] for preset in BOTH)
    return paper, correct


def _unchanged(results: Measured, published: dict[str, int]) -> Found:
    """Tables 2 to 4: the change makes no significant difference."""
    paper, correct = _both_trained(results, [*published])
    ours = [one.minus(paper[0], VARIANTS[variant][0]) for variant, one in zip(published, paper[1:])]
    baseline = rate_of(BASELINE_WINS, TABLE_GAMES)
    theirs = [rate_of(wins, TABLE_GAMES).minus(baseline) for wins in published.values()]
    return [*paper, *correct], unless_unseen(no_difference(ours, theirs), ours, theirs, "2,000 games a row")


def _weakened(results: Measured, published: dict[str, int]) -> Found:
    """Table 5: a large difference, and what is left is still better than chance."""
    paper, correct = _both_trained(results, [*published])
    verdict, why = larger(paper[0].minus(paper[1]), 0.05)
    above = paper[1].low > CHANCE
    left = f"without it {'still' if above else 'not certainly'} above chance"
    return [*paper, *correct], (verdict if above else Verdict.NOT_REPRODUCED, f"{why}; {left}")


def trained(results: Measured, variant: str, preset: str) -> Measure:
    """The mean over several trainings of one variant, each measured as in the paper."""
    name, words = f"learn-{variant}", VARIANTS[variant][0]
    return share(results, name, preset, f"{words}, {results[f'{name}-{preset}']['trainings']} trainings")


# ------------------------------------------------------------------------------------------------ section 4.2

PASSES = {
    "wins-320": "320 games are too few to see by wins that four random players are equal (leeway 10 %).",
    "tiles-60": "By mean end tile, 60 games are enough for two players (leeway 5 %).",
    "tiles-280": "By mean end tile, 280 games are enough for four players (leeway 5 %).",
    "tiles-1180": "By mean end tile, 1,180 games are enough for a leeway of 2.5 % (from the program's log).",
}
PLAUSIBLE = 0.05
"""A published series of 30 tests is believable if it has at least this probability."""


def run_counts(results: Measured) -> list[Finding]:
    found = []
    for name, text in PASSES.items():
        said = "some of 30 tests fail" if name.startswith("wins") else "30 of 30 tests pass"
        claim = Claim(f"runs-{name}", "Section 4.2", text, said)
        found.append(judged(claim, lambda name=name: _series(results, name)))
    return found


def _series(results: Measured, name: str) -> Found:
    """Whether 30 passes in a row, or a failure among them, is what one should expect."""
    found = [passing(results, name, preset) for preset in BOTH]
    all_pass = found[0].value ** 30
    believable = (1 - all_pass if name.startswith("wins") else all_pass) >= PLAUSIBLE
    verdict = Verdict.REPRODUCED if believable else Verdict.NOT_REPRODUCED
    shown = f"{100 * all_pass:.1f} %" if all_pass >= 0.001 else "less than 0.1 %"
    return found, (verdict, f"30 tests in a row all pass with probability {shown}")


def passing(results: Measured, name: str, preset: str) -> Measure:
    result = results[f"run-counts-{preset}"][name]
    rate = wilson(result["passed"], result["tests"])
    games = result["tests"] * RUN_COUNTS[name][1]
    return Measure("one test passes", rate.value, rate.low, rate.high, games, rules=RULES[preset])


# ------------------------------------------------------------------------------------------------ neuro-evolution


FIG_14_GAMES = 1_000
PUBLISHED_SECONDS = 12 * 3600
"""Of fifty mutations."""


def evolution(results: Measured) -> list[Finding]:
    def fig14() -> Found:
        found = [share(results, "evolved", preset, "evolved network") for preset in (NEURAL, *BOTH)]
        plain = share(results, "nostop", NEURAL, "random cards in its place")
        ours, noise = found[0].minus(plain), wilson(FIG_14_GAMES / 4, FIG_14_GAMES)
        theirs = Measure("", 0.0, noise.low - CHANCE, noise.high - CHANCE, FIG_14_GAMES)
        judgement = unless_unseen(no_difference([ours]), [ours], [theirs], f"{FIG_14_GAMES:,} games")
        return [found[0], plain, *found[1:]], judgement

    def noise() -> Found:
        found = results["selection"]
        one = found["best"]["34"]
        games, rules = found["games"], RULES[NEURAL]
        seen, true = (
            Measure(f"best of {found['candidates']} {words}", one[key], one[key], one[key], games, rules=rules)
            for key, words in (("seen", "by 34 games"), ("true", "in truth"))
        )
        spread = found["spread"]
        why = f"luck adds {100 * (seen.value - true.value):.1f} points, candidates differ by {100 * spread:.1f}"
        return [seen, true], (Verdict.ANSWERED if seen.value - true.value > spread else Verdict.NOT_MEASURED, why)

    def cost() -> Found:
        one = results["evolution-cost"]
        took = Measure(
            "50 candidates, 280 games each", one["seconds"], one["seconds"], one["seconds"], 0, "CPU-seconds"
        )
        rate = Measure("generations (48 candidates, 34 games)", one["rate"], one["rate"], one["rate"], 0, "a second")
        verdict, why = at_most(took, 60.0)
        return [took, rate], (verdict, f"{why}; {PUBLISHED_SECONDS / took.value:,.0f} times faster")

    said = "The evolved network plays no better than three random players without stops."
    claim = Claim("fig-14", "Figure 14", said, "slightly below the others (1,000 games)")
    guess = "Perhaps mutations had too little effect for so few games."
    claims = (
        Claim("selection-noise", "Section 6.1", guess, "given as a possible reason"),
        Claim("evolution-cost", "Section 4.2", "The cost of evolution.", "50 mutations take about 12 hours"),
    )
    return [judged(claim, fig14), judged(claims[0], noise), judged(claims[1], cost, timed=True)]


def final(results: Measured) -> list[Finding]:
    def levels() -> Found:
        found = seats(results, "final", NEURAL, FINALISTS)
        return found, all_likely(found, results[f"final-{NEURAL}"]["shares"], FIG_15)

    def order() -> Found:
        found = [seats(results, "final", preset, FINALISTS) for preset in (NEURAL, *BOTH)]
        verdicts = [in_order(one) for one in found[:2]]
        agreed = all(verdict is Verdict.REPRODUCED for verdict, _ in verdicts)
        why = f"neural preset: {order_text(found[0])}; paper preset: {order_text(found[1])}"
        return [*found[1], *found[2]], (Verdict.REPRODUCED if agreed else Verdict.NOT_REPRODUCED, why)

    def as_text() -> Found:
        paper, correct = (seats(results, "final-text", preset, FINALISTS) for preset in BOTH)
        return [*paper, *correct], in_order(paper)

    def slide() -> Found:
        one = share(results, "slide", NEURAL, "our evolved network")
        verdict, why = near(one, 0.27, 0.015)
        if verdict is Verdict.NOT_REPRODUCED:
            verdict, why = Verdict.CANNOT_BE, f"{why}; the network itself was never published"
        return [one], (verdict, why)

    who = "Tree, Q-learning, neuro-evolution and random No-ES"
    exchanged = "The same with a random player that really never stops, as the text says."
    claims = (
        Claim("fig-15", "Figure 15", f"{who} in one game: how often each wins.", "31 / 29 / 21 / 19 % (10,000 games)"),
        Claim("fig-15-order", "Figure 15", f"{who} finish in this order.", "31 > 29 > 21 > 19 %"),
        Claim("fig-15-text", "Figure 15", exchanged, "31 > 29 > 21 > 19 %"),
        Claim("slide", "Slides of the talk", "The evolved network against three Q-learners.", "27 / 24 / 24 / 25 %"),
    )
    return [judged(claim, measure) for claim, measure in zip(claims, (levels, order, as_text, slide))]


# ------------------------------------------------------------------------------------------------ section 2.2


def complexity() -> list[Finding]:
    t = counts.TURNS
    return [
        _counted("formula-1", "Board permutations.", counts.board_permutations, counts.count_boards),
        _counted(
            "formula-2", "Sequences of emergency stops in a round.",
            lambda n: counts.stop_sequences(t, n), lambda n: counts.count_stop_sequences(t, n),
        ),
        _counted(
            "formula-3", "Play sequences of a round, whoever played the cards.",
            lambda n: counts.play_sequences(t, n),
            lambda n: counts.count_plays(t, n) * counts.count_stop_sequences(t, n),
        ),
        _counted(
            "formula-4", "Play sequences of a round that tell the players apart.",
            lambda n: counts.distinct_play_sequences(t, n), lambda n: counts.count_distinct_plays(t, n),
        ),
    ]  # fmt: skip


def _counted(key: str, text: str, formula: Callable[[int], int], count: Callable[[int], int]) -> Finding:
    """A formula of the paper beside a count of the same thing in another way, for each number of players."""
    published, ours = ([way(n) for n in counts.PLAYER_COUNTS] for way in (formula, count))
    said = "2, 3, 4 players: " + "; ".join(map(count_text, published))
    claim = Claim(key, f"Section 2.2, {key.replace('-', ' ')}", text, said)
    names = [f"{n} players" for n in counts.PLAYER_COUNTS]
    measures = tuple(Measure(name, number, number, number, 0, "") for name, number in zip(names, ours))
    verdict, why = exactly(ours, published)
    if verdict is Verdict.NOT_REPRODUCED:
        why += counts.OBJECTIONS.get(key, "")
    return Finding(claim, measures, verdict, why)


# ------------------------------------------------------------------------------------------------ what we added


def better_networks(results: Measured) -> list[Finding]:
    def neat() -> Found:
        names = {"neat": "NEAT", "handicapped": "intended tree, same handicap"}
        found = [share(results, name, preset, label) for name, label in names.items() for preset in BOTH]
        verdict, why = at_least(found[0], 0.38)
        return found, (verdict, f"{why}; to the tree {larger(found[0].minus(found[2]))[1]}")

    cards = "A proper NEAT that only chooses cards (random draft, no stops) against three No-ES."
    return [judged(Claim("neat", "Ours", cards, "aim: at least 38 %"), neat)]


def new_finals(results: Measured) -> list[Finding]:
    """What becomes of the final when stronger players take seats in it."""
    return [_neat_in_final(results), _champion_in_final(results)]


def _neat_in_final(results: Measured) -> Finding:
    def measure() -> Found:
        paper, correct = (seats(results, "neat-final", preset, NEAT_FINALISTS) for preset in BOTH)
        first = ranking(paper)[0].label == "NEAT"
        why = f"paper preset: {order_text(paper)}; correct rules: {order_text(correct)}"
        return [*paper, *correct], (Verdict.REACHED if first else Verdict.NOT_REACHED, why)

    said = "The final with a proper NEAT in the seat of neuro-evolution."
    return judged(Claim("neat-final", "Ours", said, "aim: first in the paper preset"), measure)


def _champion_in_final(results: Measured) -> Finding:
    def measure() -> Found:
        paper, correct = (seats(results, "champion-final", preset, CHAMPION_FINALISTS) for preset in BOTH)
        best = ranking(correct[1:])[0]
        verdict, _ = larger(correct[0].minus(best))
        why = f"correct rules: {order_text(correct)}; paper preset: {order_text(paper)}"
        return [*paper, *correct], (Verdict.REACHED if verdict is Verdict.REPRODUCED else Verdict.NOT_REACHED, why)

    said = "The champion in the final, with the intended tree, the Q-learner and NEAT."
    return judged(Claim("champion-final", "Ours", said, "aim: first under correct rules"), measure)


def champion(results: Measured) -> list[Finding]:
    return [_champion_against(results, key) for key in RIVALS]


def _champion_against(results: Measured, key: str) -> Finding:
    aim = 0.65 if key in ("random", "intended") else CHANCE

    def measure() -> Found:
        one = share(results, f"champion-{key}", CORRECT, "champion")
        return [one], at_least(one, aim)

    said = f"aim: at least {100 * aim:.0f} %" if aim > CHANCE else "aim: above chance"
    return judged(Claim(f"champion-{key}", "Ours", f"The champion against {RIVALS[key]}.", said), measure)


def speed(results: Measured) -> list[Finding]:
    def learning() -> Found:
        taken = results["learning-speed"]["seconds"]
        one = Measure("2,000 games of training", taken, taken, taken, 0, "CPU-seconds")
        return [one], at_most(one, 60.0)

    claim = Claim("learning-speed", "Section 4.1", "Time of one Q-learning experiment of 2,000 games.", "not given")
    return [judged(claim, learning, timed=True)]
