"""Neuro-evolution as the Gravitas paper did it, to see why it failed; what works is `neat`.

Formulas of sums, differences and products (`ludus.agents.gravwell.formulas`) are changed by one mutation a child.
Eight parents have five children each; all 48 play the same few matches, named by one seed a generation, against three
random players; the best eight become parents. The score is wins + (tiles reached in won matches / runs) / gate, where a
win is the ship that got farthest, whatever the rules say. When the best wins half of its runs, there are two more from
then on.

The paper's text says that the opponents never use the emergency stop; its program has two class names exchanged, so
they did. `rivals=published` is the program, `rivals=corrected` the text.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ludus.agents.gravwell._rivals import without_stops
from ludus.agents.gravwell.formulas import (
    CARD_INPUTS,
    ENCODINGS,
    INPUTS,
    OPERATIONS,
    SLOTS,
    Formulas,
    Operation,
    formulas_action,
    pack,
)
from ludus.agents.gravwell.trees import UNIFORM, tree_action
from ludus.compile import bind, rule, template
from ludus.errors import BadInput, Mismatch
from ludus.game import Game
from ludus.learn._matches import Matches, judge, play_candidates
from ludus.rng import match_words, word
from ludus.runs import RunFolder
from ludus.settings import setting
from ludus.workers import Workers

DELETIONS = ("program", "text")
"""What takes the place of a deleted output: one of its own arguments, as in the program, or a random input."""


@dataclass
class Settings:
    """What decides a training; the defaults are the last configuration that was published."""

    generations: int = setting(100, "generations to breed", 1, 10**9)
    population: int = setting(8, "parents", 1, 10**5)
    children: int = setting(5, "children of each parent", 1, 10**5)
    runs: int = setting(34, "matches of each candidate at first", 1, 10**7)
    growth: int = setting(2, "matches to add when the best wins half of its own", 0, 10**6)
    rivals: str = setting("published", "random players: published (they use emergency stops) or corrected (never)")
    encoding: str = setting("program", "numbers of cards as in the published program, or as in the paper's text")
    deletion: str = setting("program", "what replaces a deleted output: as in the program, or as in the text")
    players: int = setting(4, "players in a match", low=2)
    audit: int = setting(
        2000, "fresh matches by which each generation's best is measured; they decide nothing", 0, 10**8
    )


CURVE = {"share": "the best of a generation, as selection sees it", "audit": "the same on fresh matches"}


def TOTAL(settings: Settings) -> int:
    return settings.generations


# ------------------------------------------------------------------------------------------------ mutation


def first_formulas(rng: np.random.Generator) -> Formulas:
    """Every output is a different input."""
    return Formulas(rng.choice(INPUTS, SLOTS, replace=False).tolist(), [])


def mutant(parent: Formulas, deletion: str, rng: np.random.Generator) -> Formulas:
    """A child with exactly one mutation of one output."""
    child = Formulas(list(parent.outputs), list(parent.operations))
    slot = int(rng.integers(SLOTS))
    if rng.random() < 0.5:
        add_operation(child, slot, rng)
    else:
        delete_from(child, slot, deletion, rng)
    return pruned(child)


def add_operation(formulas: Formulas, slot: int, rng: np.random.Generator) -> None:
    """Put an operation on top of an output; its second argument is any place of a lower layer."""
    old = formulas.outputs[slot]
    layer = formulas.layer(old) + 1
    lower = [place for place in range(INPUTS + len(formulas.operations)) if formulas.layer(place) < layer]
    kind = int(rng.choice(OPERATIONS))
    formulas.operations.append(Operation(layer, kind, old, lower[rng.integers(len(lower))]))
    formulas.outputs[slot] = INPUTS + len(formulas.operations) - 1


def delete_from(formulas: Formulas, slot: int, deletion: str, rng: np.random.Generator) -> None:
    """Delete a random place of what an output is calculated from."""
    top = formulas.outputs[slot]
    tree = sorted(places_below(formulas, [top]))
    place = tree[rng.integers(len(tree))]
    if top < INPUTS:
        formulas.outputs[slot] = int(rng.integers(INPUTS))
    elif place < INPUTS:
        replace_input(formulas, place, tree, rng)
    else:
        node = formulas.operations[place - INPUTS]
        heir = node.left if rng.random() < 0.5 else node.right
        if place == top and deletion == "text":
            heir = int(rng.integers(INPUTS))
        # Other outputs that were this node dangle; the published program gives them a random input.
        outputs = [int(rng.integers(INPUTS)) if output == place else output for output in formulas.outputs]
        outputs[slot] = heir if place == top else formulas.outputs[slot]
        formulas.outputs[:] = outputs
        formulas.operations[:] = [_redirected(user, place, heir) for user in formulas.operations]


def _redirected(user: Operation, place: int, heir: int) -> Operation:
    left, right = (heir if argument == place else argument for argument in (user.left, user.right))
    return user._replace(left=left, right=right)


def replace_input(formulas: Formulas, place: int, tree: Sequence[int], rng: np.random.Generator) -> None:
    """Operations of the tree that use an input get random ones instead."""
    for k in tree:
        if k >= INPUTS:
            user = formulas.operations[k - INPUTS]
            arguments = [int(rng.integers(INPUTS)) if old == place else old for old in (user.left, user.right)]
            formulas.operations[k - INPUTS] = user._replace(left=arguments[0], right=arguments[1])


def places_below(formulas: Formulas, places: Sequence[int]) -> set[int]:
    """The places and all that they are calculated from."""
    found: set[int] = set()
    waiting = list(places)
    while waiting:
        place = waiting.pop()
        if place not in found:
            found.add(place)
            if place >= INPUTS:
                waiting += formulas.operations[place - INPUTS][2:]
    return found


def pruned(formulas: Formulas) -> Formulas:
    """Without operations that no output needs."""
    used = sorted(place for place in places_below(formulas, formulas.outputs) if place >= INPUTS)
    new = {place: place for place in range(INPUTS)} | {place: INPUTS + k for k, place in enumerate(used)}
    nodes = [formulas.operations[place - INPUTS] for place in used]
    operations = [node._replace(left=new[node.left], right=new[node.right]) for node in nodes]
    return Formulas([new[output] for output in formulas.outputs], operations)


# ------------------------------------------------------------------------------------------------ matches


@template
def formula_choice(view, player, rng, mind):
    candidate, (packed, card_inputs, hand, values) = mind
    return formulas_action(view, player, packed, candidate, card_inputs, rng, hand, values)


@rule
def random_stops(view, player, rng):
    return tree_action(view, player, UNIFORM, UNIFORM, UNIFORM, rng)


@template
def foremost(state, seat, payoffs, out):
    """Whether the ship got farthest, whatever the rules say, and how far."""
    out[0] = state.tile[seat] > state.tile[1 : state.players].max()
    out[1] = state.tile[seat]


class Scores(NamedTuple):
    """One row a candidate, one column a match that all of them played."""

    wins: np.ndarray
    tiles: np.ndarray

    def fitness(self, gate: float) -> np.ndarray:
        """wins + (tiles reached in won matches / runs) / gate"""
        return self.wins.sum(1) + (self.wins * self.tiles).mean(1) / gate


RIVALS = {"published": random_stops, "corrected": without_stops}
"""As in the program, where random players do use their emergency stop, or as in the text."""


@cache
def _kernel(game: Game, rivals: str) -> Callable:
    bound = {"learner_choice": formula_choice, "rival_choice": RIVALS[rivals], "merit": foremost}
    return bind(play_candidates, game.names | bound, game.name)


def judged(
    game: Game, values: Mapping[str, object], settings: Settings, candidates: Sequence[Formulas], runs: int, seed: int,
    workers: Workers,
) -> Scores:  # fmt: skip
    """All candidates in seat 0 on the same matches, which `seed` names."""
    packed = pack(candidates)
    words = match_words(seed, np.arange(runs), 0, settings.players)
    matches = Matches(game.start(words, settings.players, values), words, np.zeros(runs, np.int64))

    def room() -> tuple:
        hand = np.zeros(game.facts.max_actions, np.int32)
        numbers = np.zeros(INPUTS + packed.operations.shape[1], np.int64)
        return np.zeros(2, game.state_type), (packed, CARD_INPUTS[ENCODINGS.index(settings.encoding)], hand, numbers)

    wins, tiles = np.moveaxis(judge(_kernel(game, settings.rivals), len(candidates), matches, room, workers), 2, 0)
    return Scores(wins.astype(bool), tiles.astype(np.int64))


def check(game: Game, settings: Settings) -> None:
    """Refuse a game or settings that this method cannot work with."""
    if game.name != "gravwell":
        raise Mismatch(
            f"formulas cannot learn {game.name}: its 30 inputs are the cards and ships of gravwell; try neat"
        )
    for name, known in (("rivals", RIVALS), ("encoding", ENCODINGS), ("deletion", DELETIONS)):
        if getattr(settings, name) not in known:
            raise BadInput(f"formulas: {name} is one of {', '.join(known)}, not {getattr(settings, name)!r}")


# ------------------------------------------------------------------------------------------------ the generations


@dataclass(frozen=True)
class State:
    """What the next generation starts from."""

    generation: int
    runs: int
    parents: list[Formulas]

    def to_bytes(self) -> bytes:
        parents = [parent.to_json() for parent in self.parents]
        return json.dumps({"generation": self.generation, "runs": self.runs, "parents": parents}).encode()

    @classmethod
    def from_bytes(cls, content: bytes) -> State:
        value = json.loads(content)
        return cls(value["generation"], value["runs"], [Formulas.from_json(one) for one in value["parents"]])

    def after(self, parents: list[Formulas], share: float, settings: Settings) -> State:
        """The next generation's; there are more runs once the best wins half of its own."""
        return State(self.generation + 1, self.runs + settings.growth * int(share >= 0.5), parents)


def children_of(parents: Sequence[Formulas], settings: Settings, rng: np.random.Generator) -> list[Formulas]:
    """The candidates of a generation: parents, fresh ones if there are none yet, and their children."""
    parents = parents or [first_formulas(rng) for _ in range(settings.population)]
    return [*parents, *(mutant(parent, settings.deletion, rng) for parent in parents for _ in range(settings.children))]


AUDIT = -1  # names the matches of audits, as others are named by their generation alone


def train(
    game: Game, values: Mapping[str, object], settings: Settings, run: RunFolder, seed: int, workers: Workers
) -> Iterator[dict[str, object]]:
    """Breed; one row a generation."""
    check(game, settings)
    state = run.load("checkpoint.json", State.from_bytes) or State(0, settings.runs, [])
    run.cut_log(state.generation)

    def measure(candidates: Sequence[Formulas], runs: int, *keys: int) -> Scores:
        return judged(game, values, settings, candidates, runs, word(seed, *keys), workers)

    while state.generation < settings.generations:
        rng = np.random.default_rng([seed, state.generation])
        candidates = children_of(state.parents, settings, rng)
        scores = measure(candidates, state.runs, state.generation)
        fitness = scores.fitness(float(str(values["gate"])))
        ranked = np.argsort(-fitness, kind="stable")
        best, share = candidates[ranked[0]], float(scores.wins[ranked[0]].mean())
        row: dict[str, object] = {**_row(state, scores, fitness), "size": len(best.operations)}
        if settings.audit:
            audit = measure([best], settings.audit, state.generation, AUDIT)
            row["audit"] = round(float(audit.wins.mean()), 4)
        state = state.after([candidates[k] for k in ranked[: settings.population]], share, settings)
        run.write("best.json", json.dumps(best.to_json()).encode())
        run.log(row)
        run.write("checkpoint.json", state.to_bytes())
        yield row


def _row(state: State, scores: Scores, fitness: np.ndarray) -> dict[str, Any]:
    best = int(np.argmax(fitness))
    return {
        "generation": state.generation,
        "runs": state.runs,
        "best": round(float(fitness[best]), 4),
        "mean": round(float(fitness.mean()), 4),
        "share": round(float(scores.wins[best].mean()), 4),
    }
