"""The claims of the paper on Pivit, each judged by our numbers; what an independent program found; aims of our own."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

from ludus.papers.claims import (
    Claim,
    Finding,
    Found,
    Judgement,
    Measure,
    Verdict,
    agrees,
    at_least,
    at_most,
    judged,
    no_difference,
    rate_of,
)
from ludus.papers.experiments import Measured
from ludus.papers.matches import share
from ludus.papers.pivit.learners import (
    PROMOTING,
    SARSA,
    Learner,
    Q,
    decided,
    found_at_all,
    found_by_ply,
    outcome,
    sizes,
    trainings,
)
from ludus.papers.pivit.lineups import CROWDS, DEPTHS, HEAD_TO_HEAD, KNOWN, KNOWN_GAMES, RIVALS
from ludus.papers.pivit.plays import SIDES, length_of, part_of
from ludus.papers.tables import Cell, summed

THEIRS, IN_CELLS = "independent program", "known"
"""Whose numbers stand beside ours; a cell has little room."""
CPU_SECONDS = 10.0
BAND = 0.06
"""How far the mean reward of a thousand episodes may lie from 0. Of a single training noise alone takes some of its
twenty points farther in every other case, so the mean of several trainings is judged."""
STATES = {Q.name: 2.20e6, SARSA.name: 2.23e6}
NAMES = {"random-paper": "as the program ran, 500 plies", "random-training": "… 440 plies",
         "random-official": "official rules", "random-tie": "official, ties drawn"}  # fmt: skip
STEPS = ("random", "greedy", "Q-learning", "DQN", "TD", "champion")
"""The ladder that was hoped for."""
BESIDE = (("greedy", "DQN"), ("DQN", "kinds"), ("kinds", "TD"))
"""The one that holds goes from greedy to TD this way."""
LONGER = {("greedy", "DQN"): "dqn-greedy"}
"""Who has met in more matches than those of the ladder."""


def all_groups(results: Measured) -> dict[str, list[Finding]]:
    """Every finding, in the groups that the page shows."""
    return {
        "published": [time_taken(results), win_rates(results), curves(results), as_published(results), loaded(results)],
        "rules": [random_rules(results), official(results)],
        "learners": [*learners(results), difference(results), states(results), promoting(results)],
        "diagnosis": [diagnosis(results)],
        "really": [*really(results), kinds(results)],
        "depths": [depths(results), speed(results)],
        "champion": [*champion(results), *crowds(results)],
        "ladder": rungs(results),
    }


# ------------------------------------------------------------------------------------------------ experiments A to D


def time_taken(results: Measured) -> Finding:
    def found() -> Found:
        seconds = results["cost"]["seconds"]
        measures = [Measure(name, float(value), float(value), float(value), 0, "s of CPU") for name, value in
                    seconds.items()]  # fmt: skip
        slowest = max(measures, key=lambda one: one.value)
        verdict, why = at_most(slowest, CPU_SECONDS)
        ratio = seconds[SARSA.name] / seconds[Q.name]
        return measures, (verdict, f"{why}; SARSA takes {ratio:.2f} times as long as Q-learning, published 1.04")

    claim = Claim("A-time", "A", "20,000 episodes of training take about as long for both learners.",
                  "3,229 s and 3,369 s")  # fmt: skip
    return judged(claim, found, timed=True)


def win_rates(results: Measured) -> Finding:
    def found() -> Found:
        measures = [decided(results, learner, learner.name) for learner in (Q, SARSA)]
        return measures, no_difference([measures[0].minus(measures[1], "Q-learning less SARSA")])

    text = "In training Q-learning wins a little more of the decided matches than SARSA."
    return judged(Claim("B-wins", "B", text, "50.36 % and 50.02 %"), found)


def curves(results: Measured) -> Finding:
    def found() -> Found:
        measures = [extremes(results, learner) for learner in (Q, SARSA)]
        widest = max(abs(edge) for one in measures for edge in (one.low, one.high))
        single = [max(abs(row["mean_reward"]) for row in rows)
                  for learner in (Q, SARSA) for rows in trainings(results, learner)]  # fmt: skip
        inside = sum(one <= BAND for one in single)
        verdict = Verdict.REPRODUCED if widest <= BAND else Verdict.NOT_REPRODUCED
        told = f"the mean of the trainings is never farther than {widest:.3f} from 0, {BAND} allowed"
        return measures, (verdict, f"{told}; of {len(single)} single trainings {inside} stay so near, as noise has it")

    text = "The mean reward of each thousand episodes stays flat around 0: nothing is learnt."
    return judged(Claim("C-curve", "C", text, "-0.045 to 0.045; SARSA -0.17 once"), found)


def extremes(results: Measured, learner: Learner) -> Measure:
    """The mean reward over all episodes, and its lowest and highest thousand, over all trainings together."""
    curves = trainings(results, learner)
    rewards = [sum(rows[k]["mean_reward"] for rows in curves) / len(curves) for k in range(len(curves[0]))]
    games = int(curves[0][-1]["games"])
    mean = sum(reward * size for reward, size in zip(rewards, sizes(curves[0]))) / games
    label = f"{learner.name}, lowest and highest"
    return Measure(label, mean, min(rewards), max(rewards), games * len(curves), "")


def as_published(results: Measured) -> Finding:
    def found() -> Found:
        ours = [part_of(results, "random-paper", side, side) for side in SIDES]
        cells = {"D": {side: Cell(one, rate_of(count, 1000)) for side, one, count in zip(SIDES, ours, HEAD_TO_HEAD)}}
        verdict, why = summed(cells)
        return ours, (verdict, f"{why}; the tables were never loaded, so this is random against random")

    text = "Head to head, as it was played: 1,000 matches, Q-learning always first."
    return judged(Claim("D-published", "D", text, "429 : 414, 157 drawn"), found)


def loaded(results: Measured) -> Finding:
    def found() -> Found:
        ours = share(results, "head-to-head", "Q-learning, tables loaded, seats swapped")
        fair = Measure("even", 0.5, 0.5, 0.5, 0)
        return [ours], no_difference([ours.minus(fair, "from even")])

    text = "Head to head with the tables loaded and seats swapped, it is as even as it was without them."
    return judged(Claim("D-loaded", "D", text, "a slight advantage of Q-learning"), found)


# ------------------------------------------------------------------------------------------------ rules and learners


def known_cells(results: Measured) -> dict[str, dict[str, Cell]]:
    return {
        NAMES[name]: {
            side: Cell(part_of(results, name, side, side), rate_of(known[k] * KNOWN_GAMES, KNOWN_GAMES, IN_CELLS))
            for k, side in enumerate(SIDES)
        }
        for name, known in KNOWN.items()
    }


def random_rules(results: Measured) -> Finding:
    def found() -> Found:
        shown = [length_of(results, name, NAMES[name]) for name in KNOWN]
        return shown, summed(known_cells(results))

    text = "Random against random ends as in an independent program, under four readings of the rules."
    return judged(Claim("random", "Ours", text, "289 plies as the program ran, 208 official"), found)


def official(results: Measured) -> Finding:
    def found() -> Found:
        keys = ("drawn", "tie_break", "elimination")
        ours = [part_of(results, "random-official", key, key.replace("_", "-")) for key in keys]
        branching = results["random-official"]["branching"]
        ours.append(Measure("mean menu", branching, branching, branching, 0, ""))
        cells = {"official": {one.label: Cell(one, rate_of(known * KNOWN_GAMES, KNOWN_GAMES, IN_CELLS))
                              for one, known in zip(ours, (0.0, 0.32, 0.42))}}  # fmt: skip
        return ours, summed(cells)

    text = "Official rules know no draw between random players; a third ends by the tie-break."
    return judged(Claim("official", "Ours", text, "0 %, 32 %, 42 % by elimination; 14.8 entries"), found)


def learners(results: Measured) -> list[Finding]:
    def found(learner: Learner, known: tuple[int, int]) -> Found:
        ours = decided(results, learner, learner.name)
        won, lost, drawn = outcome(results, learner)
        verdict, why = agrees(ours, rate_of(known[0], sum(known), THEIRS))
        inside = verdict if 0.48 <= ours.value <= 0.52 else Verdict.NOT_REPRODUCED
        return [ours], (inside, f"{won:,} won, {lost:,} lost, {drawn:,} drawn; {why}")

    return [
        judged(Claim(f"learner-{learner.name}", "Ours", f"{words} wins half of what is decided.", published),
               lambda learner=learner, known=known: found(learner, known))
        for learner, words, published, known in (
            (Q, "Q-learning as published", "8,054 : 8,199, 3,747 drawn", (8054, 8199)),
            (SARSA, "SARSA as published", "8,026 : 8,220, 3,754 drawn", (8026, 8220)),
        )
    ]  # fmt: skip


def difference(results: Measured) -> Finding:
    def found() -> Found:
        one, two = (decided(results, learner, learner.name) for learner in (Q, SARSA))
        gap = one.minus(two, "difference")
        spread = math.hypot(*((x.value * (1 - x.value) / x.games) ** 0.5 for x in (one, two)))
        chance = math.erfc(abs(gap.value) / spread / 2**0.5)
        verdict, why = no_difference([gap])
        return [gap], (verdict, f"{why}; p = {chance:.2f}")

    return judged(
        Claim("no-difference", "Ours", "There is no difference between the two learners.", "p = 0.6 in D"), found
    )


def states(results: Measured) -> Finding:
    def found() -> Found:
        stored = {learner.name: int(results[learner.name]["rows"][-1]["positions"]) for learner in (Q, SARSA)}
        measures = [Measure(name, count, count, count, 0, "states") for name, count in stored.items()]
        gaps = [abs(stored[name] / known - 1) for name, known in STATES.items()]
        verdict = Verdict.REPRODUCED if max(gaps) <= 0.03 else Verdict.NOT_REPRODUCED
        return measures, (verdict, f"within {100 * max(gaps):.1f} % of the independent program; 3 % allowed")

    return judged(Claim("states", "Ours", "So many states are stored.", "2.20 and 2.23 million"), found)


def promoting(results: Measured) -> Finding:
    def found() -> Found:
        ours, rewards = decided(results, PROMOTING, "of decided matches"), extremes(results, PROMOTING)
        low = rewards.high < -0.15
        verdict = Verdict.REPRODUCED if low else Verdict.NOT_REPRODUCED
        return [ours, rewards], (verdict, "the published curve is near 0, so the program cannot have promoted")

    text = "Had the program promoted, ties would have cost the learner 1 and its curve would lie far below 0."
    return judged(Claim("promoting", "Ours", text, "50.2 %; reward -0.35 to -0.24"), found)


def diagnosis(results: Measured) -> Finding:
    def found() -> Found:
        first, late = found_by_ply(results, Q, 1)[1], found_by_ply(results, Q, 20)[21]
        named = {"first move": first, "moves 21 to 40": late, "all moves": found_at_all(results, Q)}
        shown = [replace(one, label=f"{name}, {one.games:,} decisions", games=0) for name, one in named.items()]
        falls = first.low > 0.9 and late.high < 0.25
        why = "the positions after the opening were never seen before, so there is nothing to choose by"
        return shown, (Verdict.REPRODUCED if falls else Verdict.NOT_REPRODUCED, why)

    text = "A greedy choice finds a stored state on the first moves, and none from then on until late endings."
    return judged(Claim("diagnosis", "Ours", text, "21 % over all moves"), found)


# ------------------------------------------------------------------------------------------------ players that do


def really(results: Measured) -> list[Finding]:
    def found(name: str) -> Found:
        ours = share(results, f"{name}-random", "against random")
        rows = [ours] if name == "greedy" else [ours, share(results, f"{name}-greedy", "against one ply")]
        return rows, at_least(ours, 0.95)

    words = {"greedy": "One ply of thought", "dqn": "Deep Q-learning", "td": "One ply by TD's weights"}
    return [
        judged(Claim(f"learns-{name}", "Aim", f"{text} beats random play under official rules.", ""),
               lambda name=name: found(name))
        for name, text in words.items()
    ]  # fmt: skip


def kinds(results: Measured) -> Finding:
    def found() -> Found:
        ours = share(results, "kinds", f"against one ply, {results['kinds']['trainings']} trainings")
        ours = replace(ours, high=min(ours.high, 1.0))  # Student's interval knows no end of shares
        verdict = Verdict.REACHED if ours.low > 0.5 else Verdict.NOT_REACHED
        return [ours], (verdict, "20,000 episodes as published, but 15,552 cells that are met again and again")

    text = "A table of kinds of moves learns what a table of positions cannot, and beats one ply of thought."
    return judged(Claim("learns-kinds", "Aim", text, ""), found)


def depth_cells(results: Measured) -> dict[str, dict[str, Cell]]:
    cells: dict[str, dict[str, Cell]] = {}
    for (one, two), (known, games) in DEPTHS.items():
        name = two if two == "random" else f"depth {two}"
        ours = share(results, f"depth-{one}-{two}", name)
        cells.setdefault(f"depth {one}", {})[name] = Cell(ours, rate_of(known * games, games, IN_CELLS))
    return cells


def depths(results: Measured) -> Finding:
    text = "Each ply of depth beats the ply below it, as in an independent program."
    return judged(Claim("depths", "Ours", text, "100, 100, 98, 100, 85, 97 %"),
                  lambda: ([], summed(depth_cells(results))))  # fmt: skip


def speed(results: Measured) -> Finding:
    def found() -> Found:
        searches = results["speed"]["searches"]
        measures = []
        for name, one in searches.items():
            depths = sorted(one["depths"])
            middle = float(depths[len(depths) // 2])
            measures.append(Measure(f"{name}: depth", middle, float(depths[0]), float(depths[-1]), 0, "plies"))
            rate = float(one["a_second"])
            measures.append(Measure(f"{name}: positions", rate, rate, rate, 0, "a CPU-second"))
        return measures, (Verdict.ANSWERED, "the middle, the least and the most of the positions that were searched")

    return judged(Claim("speed", "Open", "How deep does 0.1 s go, and how fast?", "8 plies are realistic"), found, True)


def champion(results: Measured) -> list[Finding]:
    def found(number: int, aim: float) -> Found:
        ours = share(results, f"champion-{number}", "0.1 s a move")
        return [ours], unless_unsure(at_least(ours, aim), ours, aim)

    return [
        judged(Claim(f"champion-{number}", "Aim", f"The champion beats {name}.", f"≥ {100 * aim:.0f} %"),
               lambda number=number, aim=aim: found(number, aim), True)
        for number, (name, (_, aim)) in enumerate(RIVALS.items())
    ]  # fmt: skip


def crowds(results: Measured) -> list[Finding]:
    def found(players: int, name: str) -> Found:
        label = f"among {players - 1} of {name}, 20 ms a move"
        ours, chance = share(results, f"players-{players}-{name.split()[0]}", label), 1 / players
        verdict = Verdict.REACHED if ours.low > chance else Verdict.NOT_REACHED
        return [ours], unless_unsure((verdict, f"an equal share is {100 * chance:.0f} %"), ours, chance)

    text = "With {} players it gets more than its share among copies of {}."
    return [
        judged(Claim(f"players-{players}-{name.split()[0]}", "Aim", text.format(players, name), ""),
               lambda players=players, name=name: found(players, name), True)
        for players, name in CROWDS
    ]  # fmt: skip


def unless_unsure(judged: Judgement, ours: Measure, aim: float) -> Judgement:
    """A verdict only where the whole interval is on one side of what is wanted: few games decide nothing."""
    if ours.low <= aim <= ours.high:
        return Verdict.NOT_MEASURED, f"{ours.games:,} games are too few to tell it from {100 * aim:.0f} %"
    return judged


def rungs(results: Measured) -> list[Finding]:
    """Each rung by what the two got against each other: far above random a rating only says that it is far above."""

    def found(one: str, two: str) -> Found:
        longer = LONGER.get((one, two))
        ours = share(results, longer, f"against {one}") if longer else met(results, two, one)
        if ours.low > 0.5:
            return [ours], (Verdict.REACHED, f"{two} is above {one}")
        return [ours], unless_unsure((Verdict.NOT_REACHED, f"{two} is below {one}"), ours, 0.5)

    return [
        judged(Claim(f"rung-{one}-{two}".lower(), "Aim", f"{two} is stronger than {one}.", ""),
               lambda one=one, two=two: found(one, two), True)
        for one, two in [*pairwise(STEPS), *BESIDE]
    ]  # fmt: skip


def met(results: Measured, name: str, rival: str) -> Measure:
    """What somebody got against a rival in the ladder."""
    one = next(one for one in results["ladder"]["met"] if {*one["lineup"]} == {name, rival})
    value, low, high = one["value"], one["low"], one["high"]
    if one["lineup"][0] != name:
        value, low, high = 1 - value, 1 - high, 1 - low
    return Measure(f"against {rival}", value, low, high, one["games"])
