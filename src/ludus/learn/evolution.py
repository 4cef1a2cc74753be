"""Neuro-evolution as the Gravitas paper did it, to see why it failed. For what works, see `ludus.learn.neat`.

Programs of sums, differences and products (`ludus.agents.gravwell.evolution`) are changed by one mutation a child.
Eight parents have five children each; all 48 play the same few matches, named by one seed a generation, against three
random players; the best eight become parents. The score is wins + (tiles reached in won matches / runs) / gate, where a
win is the ship that got farthest, whatever the rules say. When the best wins half of its runs, there are two more from
then on.

The paper's text says that the opponents never use the emergency stop; its program has two class names exchanged, so
they did. `opponents=published` is the program, `opponents=corrected` the text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ludus.agents.gravwell.evolution import (
    CARD_INPUTS,
    ENCODINGS,
    INPUTS,
    OPERATIONS,
    SLOTS,
    Operation,
    Program,
    pack,
    program_action,
)
from ludus.agents.gravwell.trees import NEVER, UNIFORM, tree_action
from ludus.compile import template
from ludus.errors import BadInput, Mismatch
from ludus.game import Game
from ludus.rng import match_words, word
from ludus.rules import SEATS, hide, step, to_act
from ludus.runs import RunFolder
from ludus.settings import setting

OPPONENTS = {"published": UNIFORM, "corrected": NEVER}
"""When the random opponents use their emergency stop."""
DELETIONS = ("program", "text")
"""What takes the place of a deleted output: one of its own arguments, as in the program, or a random input."""


@dataclass
class Settings:
    """What decides a training; the defaults are the last configuration that was published."""

    generations: int = setting(100, "generations to breed", low=1)
    population: int = setting(8, "parents", low=1)
    children: int = setting(5, "children of each parent", low=1)
    runs: int = setting(34, "matches of each candidate at first", low=1)
    growth: int = setting(2, "matches to add when the best wins half of its own", low=0)
    opponents: str = setting("published", "published (they use emergency stops) or corrected (they never do)")
    encoding: str = setting("program", "numbers of cards as in the published program, or as in the paper's text")
    deletion: str = setting("program", "what replaces a deleted output: as in the program, or as in the text")
    players: int = setting(4, "players in a match", low=2)
    audit: int = setting(2000, "fresh matches by which each generation's best is measured; they decide nothing", low=0)


def TOTAL(settings: Settings) -> int:
    return settings.generations


# ------------------------------------------------------------------------------------------------ mutation


def first_program(rng: np.random.Generator) -> Program:
    """Every output is a different input."""
    return Program(rng.choice(INPUTS, SLOTS, replace=False).tolist(), [])


def mutant(parent: Program, deletion: str, rng: np.random.Generator) -> Program:
    """A child with exactly one mutation of one output."""
    child = Program(list(parent.outputs), list(parent.operations))
    slot = int(rng.integers(SLOTS))
    if rng.random() < 0.5:
        add_operation(child, slot, rng)
    else:
        delete_from(child, slot, deletion, rng)
    return pruned(child)


def add_operation(program: Program, slot: int, rng: np.random.Generator) -> None:
    """Put an operation on top of an output; its second argument is any place of a lower layer."""
    old = program.outputs[slot]
    layer = program.layer(old) + 1
    lower = [place for place in range(INPUTS + len(program.operations)) if program.layer(place) < layer]
    kind = int(rng.choice(OPERATIONS))
    program.operations.append(Operation(layer, kind, old, lower[rng.integers(len(lower))]))
    program.outputs[slot] = INPUTS + len(program.operations) - 1


def delete_from(program: Program, slot: int, deletion: str, rng: np.random.Generator) -> None:
    """Delete a random place of what an output is calculated from."""
    top = program.outputs[slot]
    tree = sorted(places_below(program, [top]))
    place = tree[rng.integers(len(tree))]
    if top < INPUTS:
        program.outputs[slot] = int(rng.integers(INPUTS))
    elif place < INPUTS:
        replace_input(program, place, tree, rng)
    else:
        node = program.operations[place - INPUTS]
        heir = node.left if rng.random() < 0.5 else node.right
        if place == top and deletion == "text":
            heir = int(rng.integers(INPUTS))
        # Other outputs that were this node dangle; the published program gives them a random input.
        outputs = [int(rng.integers(INPUTS)) if output == place else output for output in program.outputs]
        outputs[slot] = heir if place == top else program.outputs[slot]
        program.outputs[:] = outputs
        program.operations[:] = [_redirected(user, place, heir) for user in program.operations]


def _redirected(user: Operation, place: int, heir: int) -> Operation:
    left, right = (heir if argument == place else argument for argument in (user.left, user.right))
    return user._replace(left=left, right=right)


def replace_input(program: Program, place: int, tree: Sequence[int], rng: np.random.Generator) -> None:
    """Operations of the tree that use an input get random ones instead."""
    for k in tree:
        if k >= INPUTS:
            user = program.operations[k - INPUTS]
            arguments = [int(rng.integers(INPUTS)) if old == place else old for old in (user.left, user.right)]
            program.operations[k - INPUTS] = user._replace(left=arguments[0], right=arguments[1])


def places_below(program: Program, places: Sequence[int]) -> set[int]:
    """The places and all that they are calculated from."""
    found: set[int] = set()
    waiting = list(places)
    while waiting:
        place = waiting.pop()
        if place not in found:
            found.add(place)
            if place >= INPUTS:
                waiting += program.operations[place - INPUTS][2:]
    return found


def pruned(program: Program) -> Program:
    """Without operations that no output needs."""
    used = sorted(place for place in places_below(program, program.outputs) if place >= INPUTS)
    new = {place: place for place in range(INPUTS)} | {place: INPUTS + k for k, place in enumerate(used)}
    nodes = [program.operations[place - INPUTS] for place in used]
    operations = [node._replace(left=new[node.left], right=new[node.right]) for node in nodes]
    return Program([new[output] for output in program.outputs], operations)


# ------------------------------------------------------------------------------------------------ matches


@template
def play_programs(programs, starts, words, stops, card_inputs, states, hand, values, wins, tiles):
    """Every program plays every match in seat 0; whether its ship got farthest, and how far."""
    actions = np.empty(SEATS, np.int32)
    row = np.empty(words.shape[1], np.uint64)
    for g in range(wins.shape[0]):
        for m in range(starts.shape[0]):
            states[0] = starts[m]
            row[:] = words[m]
            state = states[0]
            mask = to_act(state)
            while mask != 0:
                for player in range(SEATS):
                    actions[player] = -1
                    rng = row[1 + player : 2 + player]
                    if mask >> player & 1 and player > 0:
                        actions[player] = tree_action(state, player, UNIFORM, UNIFORM, stops, rng)
                    elif mask >> player & 1:
                        states[1] = state
                        hide(states[1], 0)
                        actions[0] = program_action(states[1], 0, programs, g, card_inputs, rng, hand, values)
                step(state, actions, row[:1])
                mask = to_act(state)
            tiles[g, m] = state.tile[0]
            wins[g, m] = state.tile[0] > state.tile[1 : state.players].max()


class Results(NamedTuple):
    """One row a program, one column a match that all of them played."""

    wins: np.ndarray
    tiles: np.ndarray

    def scores(self, gate: float) -> np.ndarray:
        """wins + (tiles reached in won matches / runs) / gate"""
        return self.wins.sum(1) + (self.wins * self.tiles).mean(1) / gate


def judge(
    game: Game, values: Mapping[str, object], settings: Settings, programs: Sequence[Program], runs: int, seed: int
) -> Results:
    """All programs on the same matches, which `seed` names."""
    packed = pack(programs)
    words = match_words(seed, np.arange(runs), 0, settings.players)
    starts = game.start(words, settings.players, values)
    results = Results(np.zeros((len(programs), runs), np.bool_), np.zeros((len(programs), runs), np.int64))
    states = np.zeros(2, game.state_type)
    hand = np.zeros(game.facts.max_actions, np.int32)
    room = np.zeros(INPUTS + packed.operations.shape[1], np.int64)
    card_inputs = CARD_INPUTS[ENCODINGS.index(settings.encoding)]
    stops = OPPONENTS[settings.opponents]
    game.kernel(play_programs)(packed, starts, words, stops, card_inputs, states, hand, room, *results)
    return results


def check(game: Game, settings: Settings) -> None:
    """Refuse a game or settings that this method cannot work with."""
    if game.name != "gravwell":
        raise Mismatch(
            f"evolution cannot learn {game.name}: its 30 inputs are the cards and ships of gravwell; try neat"
        )
    for name, known in (("opponents", OPPONENTS), ("encoding", ENCODINGS), ("deletion", DELETIONS)):
        if getattr(settings, name) not in known:
            raise BadInput(f"evolution: {name} is one of {', '.join(known)}, not {getattr(settings, name)!r}")


# ------------------------------------------------------------------------------------------------ the generations

AUDIT = -1  # names the matches of audits, as others are named by their generation alone


def train(
    game: Game, values: Mapping[str, object], settings: Settings, run: RunFolder, seed: int
) -> Iterator[dict[str, object]]:
    """Breed; one row a generation."""
    check(game, settings)
    saved = run.read("checkpoint.json")
    state = json.loads(saved) if saved else {"generation": 0, "runs": settings.runs, "parents": None}
    run.cut_log(state["generation"])
    while state["generation"] < settings.generations:
        row, state = _generation(game, values, settings, state, run, seed)
        run.log(row)
        run.write("checkpoint.json", json.dumps(state).encode())
        yield row


def _generation(
    game: Game, values: Mapping[str, object], settings: Settings, state: dict[str, Any], run: RunFolder, seed: int
) -> tuple[dict[str, object], dict[str, Any]]:
    """Children, matches, selection; what to log, and what the next generation starts from."""
    generation, runs = state["generation"], state["runs"]
    rng = np.random.default_rng([seed, generation])
    parents = [Program.from_json(parent) for parent in state["parents"] or ()]
    parents = parents or [first_program(rng) for _ in range(settings.population)]
    children = [mutant(parent, settings.deletion, rng) for parent in parents for _ in range(settings.children)]
    candidates = [*parents, *children]
    results = judge(game, values, settings, candidates, runs, word(seed, generation))
    scores = results.scores(float(str(values["gate"])))
    ranked = np.argsort(-scores, kind="stable")
    best = ranked[0]
    run.write("best.json", json.dumps(candidates[best].to_json()).encode())
    row: dict[str, object] = {
        "generation": generation,
        "runs": runs,
        "best": round(float(scores[best]), 4),
        "mean": round(float(scores.mean()), 4),
        "share": round(float(results.wins[best].mean()), 4),
        "size": len(candidates[best].operations),
    }
    if settings.audit:
        audit = judge(game, values, settings, [candidates[best]], settings.audit, word(seed, generation, AUDIT))
        row["audit"] = round(float(audit.wins.mean()), 4)
    following = {
        "generation": generation + 1,
        "runs": runs + settings.growth * int(results.wins[best].mean() >= 0.5),
        "parents": [candidates[k].to_json() for k in ranked[: settings.population]],
    }
    return row, following


# ------------------------------------------------------------------------------------------------ why it fails


@dataclass(frozen=True)
class Diagnosis:
    """Luck and merit in one generation's selection; all in wins of a candidate's runs. ± are standard errors."""

    runs: int
    candidates: int
    matches: int
    """How many matches each program's true strength rests on."""
    mean_wins: float
    luck: float
    """Standard deviation of one program's wins, from one set of matches to another."""
    luck_by_formula: float
    """The same for independent matches: √(runs · p · (1 - p))."""
    luck_of_best: float
    """By how much the apparently best of the candidates overstates itself."""
    merit: float
    """Standard deviation of the true strength among the candidates."""
    mutation: float
    """Standard deviation of the true effect of one mutation."""
    mutation_mean: float
    mutation_error: float
    """Standard error of the effect of a single mutation, as measured here; taken out of `mutation`."""
    best_mutation: float
    """The largest effect that was measured, luck of the measurement included."""
    progress: float
    """True gain of the kept eight over all candidates."""
    runs_needed: int
    """Independent matches after which luck would be as small as the effect of a mutation."""


def diagnose(
    game: Game,
    values: Mapping[str, object],
    settings: Settings,
    seed: int,
    *,
    parents: Sequence[Program] = (),
    batches: int = 300,
) -> Diagnosis:
    """Measure what selection sees against what is true, over `batches` generations' worth of matches.

    Candidates are what a generation has: parents (fresh ones, if none are given) and their children.
    """
    check(game, settings)
    rng = np.random.default_rng([seed, 0])
    parents = parents or [first_program(rng) for _ in range(settings.population)]
    children = [mutant(parent, settings.deletion, rng) for parent in parents for _ in range(settings.children)]
    runs, programs = settings.runs, [*parents, *children]
    wins = judge(game, values, settings, programs, runs * batches, word(seed, AUDIT)).wins.astype(np.float64)
    seen = wins.reshape(len(programs), batches, runs).sum(2)  # what selection would see in each batch
    true = runs * wins.mean(1)
    effects = wins[len(parents) :] - np.repeat(wins[: len(parents)], settings.children, axis=0)
    effect = runs * effects.mean(1)
    effect_error = runs * np.sqrt(effects.var(1).mean() / wins.shape[1])
    mutation = _beyond(effect.std(), effect_error)
    luck = float(np.sqrt(seen.var(1).mean()))
    p = true.mean() / runs
    ranked = np.argsort(-seen, axis=0, kind="stable")
    return Diagnosis(
        runs=runs,
        candidates=len(programs),
        matches=runs * batches,
        mean_wins=float(true.mean()),
        luck=luck,
        luck_by_formula=float(np.sqrt(runs * p * (1 - p))),
        luck_of_best=float((seen.max(0) - true[ranked[0]]).mean()),
        merit=_beyond(true.std(), luck / np.sqrt(batches)),
        mutation=mutation,
        mutation_mean=float(effect.mean()),
        mutation_error=float(effect_error),
        best_mutation=float(effect.max()),
        progress=float((true[ranked[: settings.population]].mean(0) - true.mean()).mean()),
        runs_needed=int(np.ceil(p * (1 - p) * (runs / max(mutation, 1e-9)) ** 2)),
    )


def _beyond(spread: float, error: float) -> float:
    """A standard deviation with that of its measurement taken out."""
    return float(np.sqrt(max(spread**2 - error**2, 0.0)))
