"""What a playtest means to a designer: every number as a reading; those that decide have a light and a plain sentence.

Thresholds are rules of thumb, and stand here with their reasons. One function for each group of readings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from ludus import kernels
from ludus.arena.statistics import Interval
from ludus.catalogue import load
from ludus.errors import BadInput
from ludus.measure import metrics
from ludus.measure.evidence import Cell, Results
from ludus.measure.reading import (
    ELO,
    FINE,
    NUMBER,
    POINTS,
    SHARE,
    SIZE,
    UNSURE,
    Reading,
    Readings,
    Style,
    as_sentence,
    light,
)
from ludus.rng import match_words

RULES, SEATS, LENGTH, CHOICES, SKILL, TENSION, TABLE = (
    "Rules", "Seats", "Length", "Choices", "Skill and luck", "Tension", "At the table",
)  # fmt: skip
GROUPS = (RULES, SEATS, LENGTH, CHOICES, SKILL, TENSION, TABLE)

# Where a light turns amber, and where red.
CUT_OFF = 0.01, 0.05
"""Matches without an end: even one evening in twenty is a broken rule."""
DRAWS = 0.3, 0.6
"""Draws between equals. Strong chess has more, but a new game has no theory yet that makes draws interesting."""
EDGE = 0.05, 0.10
"""What a seat gets beyond its fair share. White has 5 points in chess, and people live with it; 10 they notice."""
UNEVEN = 2.0, 3.0
"""The longest match of twenty, measured by the usual one: evenings are planned by the usual one."""
SHORT = 4.0, 2.0
"""Decisions of a player in a match: with fewer nobody can have a plan."""
FORCED = 0.6, 0.3
"""Decisions that leave a choice: below, players mostly carry out what the rules want."""
OBVIOUS = 1.4, 1.1
"""Actions that a good player wavers between: at 1.1 there is hardly ever a second one."""
EMPTY = 0.01, 0.002
"""What one random action costs: a point of the result is felt after a hundred matches, less never."""
LUCK = 0.6, 0.9
"""What the deal decides of the results. A matter of taste, but a designer should have meant it."""
SAME = 2.0, 1.2
"""Openings between which strong players choose: with one, the first moves are a ritual."""
RUNAWAY = 0.85, 0.95
"""How often the leader at half-time wins: beyond, the second half is for the record."""
EARLY = 0.6, 0.4
"""The share of the match after which it is settled: what comes later is played without hope."""
LIFT = 0.01, 0.05
"""What an action brings beyond what its players get anyway; less than a point is nothing to act on."""
KINGS = 0.05, 0.15
"""Decisions that mean nothing to their player, and choose between rivals."""


WEAK = ("random", "greedy")
"""Agents whose choices say nothing of what good players would do."""

GRAVE = ("no-legal-action", "endless", "cannot-win")
"""Bugs that can spoil a match; the others only leave something useless in the box."""


def read(results: Results) -> Readings:
    """Every reading that the results allow."""
    groups = (_rules, _seats, _length, _choices, _skill, _tension, _table)
    found = [reading for group in groups for reading in group(results) if reading.n or not reading.text]
    return Readings(tuple(_beside_truth(found, getattr(load(results.game).module, "KNOWN", {}))))


def _beside_truth(found: list[Reading], known: Mapping[str, tuple[float, str]]) -> Iterator[Reading]:
    """A game may know the truth: `KNOWN = {key: (value, sentence)}` stands beside the first reading of the key."""
    truths = dict(known)
    for reading in found:
        if reading.key in truths:
            value, sentence = truths.pop(reading.key)
            holds = "inside" if reading.low <= value <= reading.high else "outside"
            reading = replace(reading, beside=f"{sentence} ({holds} this interval)")
        yield reading


def self_plays(results: Results) -> list[Cell]:
    """Self-play of every level that has some, the strongest first."""
    found = (results.self_play(level) for level in reversed(results.levels))
    return [cell for cell in found if cell is not None and cell.replays]


def both_ends(results: Results) -> list[Cell]:
    """Self-play of the strongest level and of the weakest: what lies between says little more."""
    cells = self_plays(results)
    return [*cells[:1], *cells[1:][-1:]]


def _made(
    key: str, group: str, name: str, found: Interval, style: Style = SHARE, /, *, level: str = "", evaluator: str = ""
) -> Reading:
    numbers = found.value, found.low, found.high, found.n
    return Reading(key, group, name, style.text(found), *numbers, level=level, evaluator=evaluator)


def _lit(reading: Reading, topic: str, found: Interval, limits: tuple[float, float], words: str) -> Reading:
    """With its light; amber for want of matches is told from amber for a reason."""
    colour = light(found, *limits)
    exact = light(Interval(found.value, found.value, found.value, found.n), *limits)
    return reading.judged(topic, colour, words if colour == exact or UNSURE in words else f"{words} {UNSURE}")


def _words(key: str, group: str, topic: str, colour: str, sentence: str) -> Reading:
    """A light without a number."""
    return Reading(key, group, topic, "", 0.0, 0.0, 0.0, 0, colour, topic, as_sentence(sentence))


# ------------------------------------------------------------------------------------------------ rules


def _rules(results: Results) -> Iterator[Reading]:
    for gate in results.gates:
        if not gate.is_open:
            yield _words("gates", RULES, f"Stopped after {gate.name} play", "red", gate.sentence)
    for bug in results.bugs:
        yield _words("bugs", RULES, bug.kind.replace("-", " ").capitalize(), _bug_light(bug.kind), bug.sentence)
    for sentence in results.faults:
        yield _words("faults", RULES, "An agent failed", "amber", sentence)
    if self_plays(results) and not results.bugs:
        yield _words("bugs", RULES, "Rules", "green", "No dead end, no endless match and no useless rule was found.")
    for k, cell in enumerate(both_ends(results)):
        yield from _endings(cell, is_judged=k == 0)
    yield from _cut_off(results)


def _bug_light(kind: str) -> str:
    return "red" if kind in GRAVE else "amber"


def _endings(cell: Cell, is_judged: bool) -> Iterator[Reading]:
    level, found = cell.specs[0], metrics.endings(cell.replays)
    draws = _made("endings", RULES, "Draws", found.draws, level=level)
    if is_judged:
        draws = _lit(draws, "Draws", found.draws, DRAWS, f"Between equals {draws.text} of matches are draws.")
    yield draws
    yield _made("endings", RULES, "Won by somebody", found.completion, level=level)
    yield _made("endings", RULES, "Cut off at the limit", found.limits, level=level)
    yield _made("endings", RULES, "Ended by an agent's fault", found.faults, level=level)


def _cut_off(results: Results) -> Iterator[Reading]:
    """Of the level that ends worst: rules that let a match go on for ever do so at some level."""
    cells = self_plays(results)
    if not cells:
        return
    worst = max((metrics.endings(cell.replays).limits for cell in cells), key=lambda limits: limits.value)
    if worst.value > 0:
        words = f"{SHARE.text(worst)} of matches never end by themselves and must be cut off."
        yield _words("endings", RULES, "Endings", light(worst, *CUT_OFF), words)
    else:
        matches = sum(len(cell.replays) for cell in cells)
        yield _words("endings", RULES, "Endings", "green", f"All {matches:,} matches came to an end by themselves.")


# ------------------------------------------------------------------------------------------------ seats


def _seats(results: Results) -> Iterator[Reading]:
    for k, cell in enumerate(self_plays(results)):
        level, found = cell.specs[0], metrics.seat_advantage(cell.replays)
        rows = [
            _made("seat_advantage", SEATS, f"Edge of player {seat + 1}", one, POINTS, level=level)
            for seat, one in enumerate(found.seats)
        ]
        worst = max(range(len(rows)), key=lambda seat: abs(rows[seat].value), default=-1)
        if k == 0 and rows:
            rows[worst] = _judged_edge(rows[worst], found.seats[worst], worst)
        yield from rows
        if found.elo is not None:
            yield _made("seat_advantage", SEATS, "Edge of player 1 in Elo", found.elo, ELO, level=level)
        p_value = Interval(found.p_value, found.p_value, found.p_value, len(cell.replays))
        yield _made("seat_advantage", SEATS, "Chance of such edges if seats are equal", p_value, level=level)
        yield _made("balance", SEATS, "Balance", metrics.balance(cell.replays), level=level)


def _judged_edge(reading: Reading, found: Interval, seat: int) -> Reading:
    size = _size(found)
    if size.value < EDGE[0]:
        words = f"Seats are about equal: the largest edge is {reading.text}, of player {seat + 1}."
    elif found.low <= 0 <= found.high:
        words = f"Seats may differ: the largest edge is {reading.text}, of player {seat + 1}. {UNSURE}"
    else:
        way = "more" if found.value > 0 else "less"
        words = f"Player {seat + 1} gets {SIZE.text(size)} {way} than a fair share when equals play."
    return _lit(reading, "Seats", size, EDGE, words)


# ------------------------------------------------------------------------------------------------ length


def _length(results: Results) -> Iterator[Reading]:
    for k, cell in enumerate(both_ends(results)):
        level, found = cell.specs[0], metrics.duration(cell.replays)
        usual, longest = found.plies.quantiles[2], found.plies.quantiles[4]
        plies = _made("duration", LENGTH, "Usual length in plies", usual, NUMBER, level=level)
        share = _times(longest, usual)
        spread = _made("duration", LENGTH, "Longest of twenty against the usual", share, FINE, level=level)
        own = _made("duration", LENGTH, "Decisions of each player", found.per_seat.mean, NUMBER, level=level)
        if k == 0:
            spread = _lit(spread, "Spread of lengths", share, UNEVEN, _spread_words(usual, longest))
            words = f"Each player decides {own.text} times in a match."
            own = _lit(own, "Room for plans", found.per_seat.mean, SHORT, words)
        yield from (plies, spread, own)
        for name, part in (("Mean length in plies", found.plies), ("Mean length in turns", found.turns)):
            yield _made("duration", LENGTH, name, part.mean, NUMBER, level=level)
        yield _made("duration", LENGTH, "Standard deviation in plies", found.plies.deviation, NUMBER, level=level)
        yield _made("repetition", LENGTH, "Positions seen before", metrics.repetition(cell.replays), level=level)


def _times(longest: Interval, usual: Interval) -> Interval:
    """How many times as long; less than one ply is no length."""
    value, low, high = (max(1.0, length) for length in (usual.value, usual.low, usual.high))
    return Interval(longest.value / value, longest.low / high, longest.high / low, usual.n)


def _spread_words(usual: Interval, longest: Interval) -> str:
    if longest.value == usual.value:
        return f"Nearly every match takes {NUMBER.text(usual)} plies."
    return f"A match usually takes {NUMBER.text(usual)} plies; one in twenty takes {NUMBER.text(longest)} or more."


# ------------------------------------------------------------------------------------------------ choices


def _choices(results: Results) -> Iterator[Reading]:
    cells = both_ends(results)
    for k, cell in enumerate(cells):
        level, found = cell.specs[0], metrics.branching(cell.replays)
        share = _made("branching", CHOICES, "Decisions with a choice", found.rate, level=level)
        if k == 0:
            share = _lit(share, "Freedom", found.rate, FORCED, f"{share.text} of decisions leave a choice.")
        yield share
        yield _made("branching", CHOICES, "Legal actions", found.menu, NUMBER, level=level)
        yield _made("branching", CHOICES, "Legal actions, if more than one", found.factor, NUMBER, level=level)
    if cells:
        yield from _kinds(results, cells[0])
        yield from _openings(cells[0])
        size, level = metrics.tree_size(cells[-1].replays), cells[-1].specs[0]
        yield _made("tree_size", CHOICES, "Lines of play, a power of ten", size.knuth, NUMBER, level=level)
        yield _made("tree_size", CHOICES, "The same as Ludii counts it", size.ludii, NUMBER, level=level)
        refinement = metrics.refinement(cells[0].replays)
        yield _made("refinement", CHOICES, "Game refinement", refinement, FINE, level=cells[0].specs[0])
    yield from _opened_choices(results)


def _kinds(results: Results, cell: Cell) -> Iterator[Reading]:
    rows = metrics.action_use(cell.replays, results.legal_kinds)
    found = {flag: [row for row in rows if row.flag == flag] for flag in ("dominant", "weak")}
    telling = {flag: [row for row in own if abs(row.lift.value) >= LIFT[0]] for flag, own in found.items()}
    at_random = results.self_play(results.levels[0])
    faded, crowding = (
        metric(cell.replays, at_random.replays) if at_random else () for metric in (metrics.faded, metrics.crowding)
    )
    if crowding:
        names = " and ".join(f"*{kind}*" for kind in crowding)
        yield _words(
            "action_use", CHOICES, "Crowding actions", "red", f"Strong players hardly do anything but {names}."
        )
    telling["dead"] = [row for row in rows if row.flag == "dead" or row.kind in faded]
    telling["weak"] = [row for row in telling["weak"] if row not in telling["dead"]]
    for flag, flagged in telling.items():
        if flagged:
            flagged.sort(key=lambda row: -abs(row.lift.value))
            colour = light(flagged[0].lift, *LIFT) if flag == "dominant" else "amber"
            topic = "Strong" if (flag, colour) == ("dominant", "amber") else flag.capitalize()
            yield _words("action_use", CHOICES, f"{topic} actions", colour, _kind_words(flag, flagged))
    if rows and not crowding and not any(telling.values()):
        words = f"No action of {len(rows)} is so strong that it must be played, or so weak that it never is."
        yield _words("action_use", CHOICES, "Actions", "green", words)
    coverage = metrics.coverage(cell.replays, results.legal_kinds)
    yield _made("coverage", CHOICES, "Kinds of action ever chosen", coverage, level=cell.specs[0])


def _kind_words(flag: str, rows: list[metrics.ActionUse]) -> str:
    names = ", ".join(f"*{row.kind}*" for row in rows[:4]) + (f" and {len(rows) - 4} more" if len(rows) > 4 else "")
    if flag == "dead":
        return f"Strong players hardly ever choose {names}, though the rules offer it."
    way = "more" if flag == "dominant" else "less"
    lift = SIZE.text(_size(rows[0].lift))
    return f"Who plays {names} wins {way} than others do: with {rows[0].kind} by {lift}."


def _size(found: Interval) -> Interval:
    return found if found.value >= 0 else Interval(-found.value, -found.high, -found.low, found.n)


def _openings(cell: Cell) -> Iterator[Reading]:
    level, found = cell.specs[0], metrics.openings(cell.replays)
    count = _made("openings", CHOICES, "Openings in use", found.effective, NUMBER, level=level)
    words = f"Strong players choose between {count.text} openings of three decisions."
    yield _lit(count, "Openings", found.effective, SAME, words)
    yield _made("openings", CHOICES, "Difference that the opening makes", found.spread, SIZE, level=level)


def _opened_choices(results: Results) -> Iterator[Reading]:
    """What needs decisions that were opened up into all their actions."""
    if results.traced is None or not results.traced.replays:
        return
    replays, about = results.traced.replays, _about(results.traced)
    choice, agency, cost = metrics.effective_choice(replays), metrics.agency(replays), metrics.blunder_cost(replays)
    made = _made("effective_choice", CHOICES, "Actions worth considering", choice, NUMBER, **about)
    stakes = _made("blunder_cost", CHOICES, "Cost of a random action", cost, SIZE, **about)
    if results.traced.specs[0].startswith(WEAK):  # who does not search does not know what is at stake
        yield from (made, stakes)
    else:
        words = f"Where there is a choice, a good player wavers between {made.text} actions."
        yield _lit(made, "Real choices", choice, OBVIOUS, words)
        yield _lit(stakes, "Stakes", cost, EMPTY, f"Choosing at random once costs {stakes.text} of the result.")
    yield _made("agency", CHOICES, "Choices that surely matter", agency.agency, **about)
    yield _made("agency", CHOICES, "Actions near the best one", agency.narrowness, **about)
    yield _made("agency", CHOICES, "Spread of what actions are worth", agency.spread, SIZE, **about)


def _about(cell: Cell) -> dict[str, str]:
    """Whose matches these are, and who looked at them."""
    evaluators = [replay.trace.evaluator for replay in cell.replays if replay.trace is not None]
    return {"level": cell.specs[0], "evaluator": evaluators[0] if evaluators else ""}


# ------------------------------------------------------------------------------------------------ skill and luck


def _skill(results: Results) -> Iterator[Reading]:
    if len(results.levels) > 1:
        yield from _ladder(results)
    yield from _luck(results)
    for cell in results.cells:
        if not cell.is_self_play and cell.replays and cell.specs[0] == results.levels[-1]:
            found, who = metrics.skill_share(cell.replays), " against ".join(dict.fromkeys(cell.specs))
            yield _made("skill_share", SKILL, "What skill decides", found, level=who)


def _ladder(results: Results) -> Iterator[Reading]:
    ladder = metrics.skill_ladder(results.levels, [cell.replays for cell in results.cells])
    pairs = zip(results.levels[1:], results.levels, ladder.scores)
    steps = [(strong, weak, one) for strong, weak, one in pairs if one.n]
    if steps:
        climb = _made("skill_ladder", SKILL, f"{results.levels[-1]} above {results.levels[0]}", ladder.elo, ELO)
        yield climb.judged("Skill", *_ladder_words(ladder, len(steps), climb.text))
    for strong, weak, one in reversed(steps):
        yield _made("skill_ladder", SKILL, f"{strong} against {weak}", one, level=strong)
    try:
        circles = metrics.non_transitivity(results.levels, [cell.replays for cell in results.cells])
        yield _made("non_transitivity", SKILL, "Circles of who beats whom", circles)
    except BadInput:  # fewer than three levels, or some never met
        pass


def _ladder_words(ladder: metrics.SkillLadder, steps: int, climb: str) -> tuple[str, str]:
    tops = [score for score in ladder.scores if score.n]
    if ladder.rungs == 0:
        is_flat = all(score.high < metrics.RUNG for score in tops)
        words = f"Thinking more hardly pays: from the weakest to the strongest level it is {climb}."
        return ("red" if is_flat else "amber"), words
    stops = " The last step pays no more." if tops[-1].high < metrics.RUNG else ""
    times = "once" if ladder.rungs == 1 else f"{ladder.rungs} times"
    return "green", f"On {steps + 1} levels one gets clearly better {times}; in all it is {climb}.{stops}"


def _dice_fall(results: Results) -> bool:
    """Whether chance has a say after the deal, under these rules."""
    game = load(results.game)
    start = game.start(match_words(results.seed, [0], [0], results.players), results.players, results.rules)
    certain = np.empty(1, np.bool_)
    game.kernel(kernels.certainties)(start, certain)
    return not certain[0]


def _luck(results: Results) -> Iterator[Reading]:
    chance = load(results.game).facts.chance
    for k, cell in enumerate(both_ends(results) if chance else ()):
        found = metrics.luck_share(cell.replays, chance)
        made = _made("luck_share", SKILL, "What the deal decides", found, level=cell.specs[0])
        if k == 0:
            words = f"Between equals, the luck of the deal decides {made.text} of the results."
            made = _lit(made, "Luck", found, LUCK, words)
        yield made
    if results.traced is not None and _dice_fall(results):
        found = metrics.luck_in_play(results.traced.replays)
        yield _made("luck_in_play", SKILL, "What chance decides, and not choices", found, **_about(results.traced))


# ------------------------------------------------------------------------------------------------ tension


def _tension(results: Results) -> Iterator[Reading]:
    if results.traced is None or not results.traced.replays:
        return
    replays, about = results.traced.replays, _about(results.traced)
    yield from _leads(results.traced)
    drama, doubt, surprise = metrics.drama(replays), metrics.uncertainty(replays), metrics.surprise(replays)
    killer = metrics.killer_moves(replays)
    rows = (
        ("drama", "Drama: how far behind winners were", drama.mean, SHARE),
        ("drama", "Drama at its peak", drama.peak, SHARE),
        ("drama", "Moments at which the winner trailed", drama.trailing, SHARE),
        ("uncertainty", "Uncertainty", doubt.whole, SHARE),
        ("uncertainty", "Uncertainty in the last quarter", doubt.late, SHARE),
        ("suspense", "Suspense: what the next move may change", metrics.suspense(replays), SIZE),
        ("surprise", "Surprise: what a ply changes, without noise", surprise.real, SIZE),
        ("permanence", "What is left of a gain a turn later", metrics.permanence(replays), SHARE),
        ("stability", "How much chances vary in a match", metrics.stability(replays), FINE),
    )
    for key, name, found, style in rows:
        yield _made(key, TENSION, name, found, style, **about)
    for key, name, noisy in (("surprise", "Surprise as seen", surprise.size), ("killer_moves", "Best move", killer)):
        noise = f"noise alone would give {SIZE.text(noisy.noise)}"
        yield replace(_made(key, TENSION, name, noisy.seen, SIZE, **about), beside=noise)


def _leads(cell: Cell) -> Iterator[Reading]:
    """Whether the end stays open."""
    about = _about(cell)
    early, half, late = metrics.runaway_leader(cell.replays)
    made = _made("runaway_leader", TENSION, "The leader at half-time wins", half, **about)
    yield _lit(made, "Runaway leader", half, RUNAWAY, f"Who leads at half-time wins {made.text} of the time.")
    yield _made("runaway_leader", TENSION, "The leader after a quarter wins", early, **about)
    yield _made("runaway_leader", TENSION, "The leader after three quarters wins", late, **about)
    over, comeback = metrics.decisiveness(cell.replays), metrics.comeback(cell.replays)
    dead = NUMBER.text(over.dead)
    made = _made("decisiveness", TENSION, "Settled after this share of the match", over.settled, **about)
    words = f"Matches are settled after {made.text} of their length; {dead} plies are played out."
    yield _lit(made, "Dead turns", over.settled, EARLY, words)
    yield _made("decisiveness", TENSION, "Winner stands best after", over.turned, **about)
    yield _made("decisiveness", TENSION, "Plies played out", over.dead, NUMBER, **about)
    yield _made("comeback", TENSION, "Winners who had been nearly lost", comeback, **about)
    changes = metrics.lead_changes(cell.replays)
    yield _made("lead_changes", TENSION, "Changes of the lead in a match", changes.count, FINE, **about)


# ------------------------------------------------------------------------------------------------ at the table


def _table(results: Results) -> Iterator[Reading]:
    for cell in self_plays(results)[:1]:
        level, found = cell.specs[0], metrics.downtime(cell.replays)
        yield _made("downtime", TABLE, "Decisions of others between two turns", found.wait, NUMBER, level=level)
        yield _made("downtime", TABLE, "The longest wait of a match", found.longest, NUMBER, level=level)
    if results.players > 2 and results.traced is not None and results.traced.replays:
        kings = metrics.kingmaking(results.traced.replays)
        made = _made("kingmaking", TABLE, "Kingmaking", kings, **_about(results.traced))
        words = f"{made.text} of decisions mean nothing to their player and choose between rivals."
        yield _lit(made, "Kingmaking", kings, KINGS, words)
