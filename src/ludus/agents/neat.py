"""Evolved networks: plays what `ludus train neat` has bred.

A network scores one action at a time, and the action with the highest score is played.

- Gravwell: the inputs are a position and one card of the hand; so one scorer serves all cards. Only cards are chosen:
  stacks are picked at random and emergency stops never used. What a card would do depends on what rivals play before
  it, so besides the present board the inputs tell what it does on average over some guesses of their cards.
- Every other game: the inputs are what `observe` shows of the position after the action, with what is hidden guessed
  and simultaneous rivals moving at random. A position at the end is worth its returns.

Networks of a population lie side by side in arrays, and templates that play with them are compiled against the game
and its manner of scoring; the trainer plays whole matches by the same `choose`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ludus.agent import Agent
from ludus.agents.gravwell.trees import NORMALS, REPULSORS, any_of, first_in
from ludus.compile import bind, rule, template
from ludus.errors import BadInput, Mismatch
from ludus.game import Game
from ludus.games._gravwell_text import CARDS, DRAFT, GO, MOVE, PICK, PULL, STOP, TURNS
from ludus.games.gravwell import (
    attraction,
    count,
    list_cards,
    move,
    next_to_resolve,
    settle,
    unseen_by,
)
from ludus.rng import below, draw
from ludus.rules import HIDDEN, SEATS, determinize, hide, legal, observe, returns, step, to_act
from ludus.runs import load_run
from ludus.settings import setting

# ------------------------------------------------------------------------------------------------ genomes

ACTIVATIONS = ("linear", "tanh", "relu", "gauss", "sine")
LINEAR, TANH, RELU, GAUSS, SINE = range(len(ACTIVATIONS))


@dataclass
class Link:
    """A connection gene; its innovation number is the key under which a genome keeps it."""

    source: int
    target: int
    weight: float
    enabled: bool = True


@dataclass
class Genome:
    """Nodes 0 … inputs-1 are the inputs, of which 0 is always one; node `inputs` is the output, the rest are hidden."""

    inputs: int
    links: dict[int, Link] = field(default_factory=dict)
    nodes: dict[int, int] = field(default_factory=dict)
    """The activation of each hidden node."""

    @property
    def size(self) -> int:
        return sum(link.enabled for link in self.links.values())

    def to_json(self) -> dict[str, Any]:
        links = [[key, link.source, link.target, link.weight, int(link.enabled)] for key, link in self.links.items()]
        return {"inputs": self.inputs, "links": links, "nodes": [list(node) for node in self.nodes.items()]}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Genome:
        links = {key: Link(source, target, weight, bool(on)) for key, source, target, weight, on in value["links"]}
        return cls(value["inputs"], links, dict(value["nodes"]))

    def incoming(self) -> dict[int, list[Link]]:
        """The enabled links of every computed node."""
        found: dict[int, list[Link]] = {node: [] for node in (self.inputs, *self.nodes)}
        for link in self.links.values():
            if link.enabled:
                found[link.target].append(link)
        return found

    def order(self, incoming: Mapping[int, Sequence[Link]]) -> list[int]:
        """The computed nodes that the output depends on, each behind its sources; the output is last."""
        ordered: list[int] = []
        seen: set[int] = set()

        def visit(node: int) -> None:
            if node >= self.inputs and node not in seen:
                seen.add(node)
                for link in incoming[node]:
                    visit(link.source)
                ordered.append(node)

        visit(self.inputs)
        return ordered


# ------------------------------------------------------------------------------------------------ networks


class Networks(NamedTuple):
    """The networks of a population; row g is genome g. Values are the inputs, then the nodes as they are computed."""

    inputs: int
    sizes: np.ndarray  # int64[g]: computed nodes
    kinds: np.ndarray  # int64[g, node]: activations
    ends: np.ndarray  # int64[g, node]: where the node's links end, and those of the next begin
    sources: np.ndarray  # int64[g, link]: places among the values
    weights: np.ndarray  # float64[g, link]


def pack(genomes: Sequence[Genome]) -> Networks:
    """Genomes as arrays, padded to the largest."""
    plans = [_plan(genome) for genome in genomes]
    nodes = max(len(kinds) for kinds, _, _ in plans)
    links = max(1, *(ends[-1] for _, ends, _ in plans))
    shape = len(genomes)
    kinds, ends = np.zeros((2, shape, nodes), np.int64)
    sources, weights = np.zeros((shape, links), np.int64), np.zeros((shape, links))
    for g, (kind, end, wires) in enumerate(plans):
        kinds[g, : len(kind)], ends[g, : len(end)] = kind, end
        if wires:
            sources[g, : len(wires)], weights[g, : len(wires)] = zip(*wires, strict=True)
    sizes = np.array([len(kind) for kind, _, _ in plans])
    return Networks(genomes[0].inputs, sizes, kinds, ends, sources, weights)


def _plan(genome: Genome) -> tuple[list[int], list[int], list[tuple[int, float]]]:
    """For the computed nodes in order: activations, where their links end, and the links (place of source, weight)."""
    incoming = genome.incoming()
    order = genome.order(incoming)
    place = {node: node for node in range(genome.inputs)} | {node: genome.inputs + k for k, node in enumerate(order)}
    ends: list[int] = []
    wires: list[tuple[int, float]] = []
    for node in order:
        wires += [(place[link.source], link.weight) for link in incoming[node]]
        ends.append(len(wires))
    return [genome.nodes.get(node, LINEAR) for node in order], ends, wires


@rule
def activate(kind, total):
    if kind == TANH:
        return np.tanh(total)
    if kind == RELU:
        return max(total, 0.0)
    if kind == GAUSS:
        return np.exp(-total * total)
    if kind == SINE:
        return np.sin(total)
    return total


@rule
def output_of(nets, g, values):
    """The answer of network g to the inputs at the head of `values`."""
    first, place = 0, nets.inputs
    for node in range(nets.sizes[g]):
        total = 0.0
        for k in range(first, nets.ends[g, node]):
            total += nets.weights[g, k] * values[nets.sources[g, k]]
        first = nets.ends[g, node]
        values[place] = activate(nets.kinds[g, node], total)
        place += 1
    return values[place - 1]


# ------------------------------------------------------------------------------------------------ room to think

TRUTH, VIEW, WORLD, TRIAL = range(4)
"""Rows of Desk.states: the match, what the player sees of it, a guess of what is hidden, a card tried in that world."""


class Desk(NamedTuple):
    """Arrays to work in; one for each thread."""

    states: np.ndarray
    menu: np.ndarray
    spare: np.ndarray
    actions: np.ndarray
    features: np.ndarray
    values: np.ndarray
    payoffs: np.ndarray
    outlook: np.ndarray  # float64[action, what]: see GAIN …
    probe: np.ndarray  # a stream for guesses, so that a seat's own stream moves on by one draw whatever is thought


GAIN, RISK, LEAD, DIRECTION, NEXT, ARRIVAL, OUTLOOKS = range(7)


def desk_for(game: Game, nets: Networks) -> Desk:
    facts = game.facts
    return Desk(
        states=np.zeros(4, game.state_type),
        menu=np.zeros(facts.max_actions, np.int32),
        spare=np.zeros(max(facts.max_actions, CARDS), np.int32),
        actions=np.zeros(facts.players[1], np.int32),
        features=np.zeros(game.names["FEATURES"], np.float32),
        values=np.zeros(nets.inputs + nets.kinds.shape[1]),
        payoffs=np.zeros(facts.players[1]),
        outlook=np.zeros((facts.max_actions, OUTLOOKS)),
        probe=np.zeros(1, np.uint64),
    )


# ------------------------------------------------------------------------------------------------ any game


@template
def afterstate_worth(player, action, nets, g, desk):
    """What the network thinks of one guessed world after the action; the return where the match is then over."""
    world = desk.states[WORLD]
    if HIDDEN:
        determinize(world, player, desk.probe)
    mask = to_act(world)
    for rival in range(SEATS):
        desk.actions[rival] = -1
        if rival != player and mask >> rival & 1:
            desk.actions[rival] = desk.spare[below(desk.probe, legal(world, rival, desk.spare))]
    desk.actions[player] = action
    step(world, desk.actions, desk.probe)
    if to_act(world) == 0:
        returns(world, desk.payoffs)
        return desk.payoffs[player]
    hide(world, player)
    observe(world, player, desk.features)
    desk.values[0] = 1.0
    for k in range(desk.features.shape[0]):
        desk.values[1 + k] = desk.features[k]
    return np.tanh(output_of(nets, g, desk.values))


@template
def choose_afterstate(player, nets, g, samples, rng, desk):
    """The action after which the view at hand looks best; every action is tried on the same guesses."""
    n = legal(desk.states[VIEW], player, desk.menu)
    if n == 1:
        return desk.menu[0]
    guess = draw(rng)
    best, best_worth = 0, -np.inf
    for k in range(n):
        worth = 0.0
        desk.probe[0] = guess
        for _ in range(samples):
            desk.states[WORLD] = desk.states[VIEW]
            worth += afterstate_worth(player, desk.menu[k], nets, g, desk)
        if worth > best_worth:
            best, best_worth = k, worth
    return desk.menu[best]


# ------------------------------------------------------------------------------------------------ Gravwell

FOR_POSITION, FOR_CARD = 13, 13
GRAVWELL_INPUTS = FOR_POSITION + FOR_CARD
FAR = 20  # a ship farther away than this, or none at all, counts as this far


@rule
def choose_card(player, nets, g, samples, rng, desk):
    """The card that the network likes best; random picks, no stops."""
    view = desk.states[VIEW]
    if view.phase == STOP:
        return GO
    if view.phase == DRAFT:
        return PICK + any_of(view.face_up, rng)
    n = list_cards(view.hand[player], 0, desk.menu)
    if n == 1:
        return desk.menu[0]
    desk.probe[0] = draw(rng)
    foresee(player, n, samples, desk)
    describe_position(view, player, desk.values)
    best, best_worth = 0, -np.inf
    for k in range(n):
        describe_card(desk.states, player, k, n, desk)
        worth = output_of(nets, g, desk.values)
        if worth > best_worth:
            best, best_worth = k, worth
    return desk.menu[best]


@rule
def foresee(player, n, samples, desk):
    """Fill the outlook of the first n cards on the menu: means over guesses of what rivals play before each."""
    view = desk.states[VIEW]
    desk.outlook[:n] = 0.0
    unseen = list_cards(unseen_by(view, player), 0, desk.spare)
    for _ in range(samples):
        desk.states[WORLD] = view
        world = desk.states[WORLD]
        guess_rivals(world, player, unseen, desk)
        k = 0
        while k < n and world.winner == 0:
            rival = next_to_resolve(world)
            limit = world.played[rival] - 1 if rival >= 0 else CARDS
            while k < n and desk.menu[k] < limit:  # the menu is in alphabetical order, as cards resolve
                try_card(world, player, k, 1.0 / samples, desk)
                k += 1
            if rival >= 0:
                settle(world, rival, False)


@rule
def guess_rivals(world, player, unseen, desk):
    """Each rival plays any of its cards; those that the player has not seen are drawn without replacement."""
    left = unseen
    for rival in range(world.players):
        if rival == player or world.held[rival] == 0:
            continue
        known = world.hand[rival]
        if below(desk.probe, world.held[rival]) < count(known):
            world.played[rival] = 1 + any_of(known, desk.probe)
        else:
            k = below(desk.probe, left)
            left -= 1
            card = desk.spare[k]
            desk.spare[k] = desk.spare[left]
            desk.spare[left] = card
            world.played[rival] = 1 + card


@rule
def try_card(world, player, k, weight, desk):
    """Play card k of the menu and the rest of the turn in this world; add to its outlook what that leads to."""
    view, outlook = desk.states[VIEW], desk.outlook[k]
    desk.states[TRIAL] = world
    trial = desk.states[TRIAL]
    trial.played[player] = 1 + desk.menu[k]
    mover = player
    while mover >= 0 and trial.winner == 0:
        settle(trial, mover, False)
        mover = next_to_resolve(trial)
    gain = trial.tile[player] - view.tile[player]
    direction = attraction(trial, player)
    outlook[GAIN] += weight * gain
    outlook[RISK] += weight * (gain < 0)
    outlook[LEAD] += weight * lead(trial, player)
    outlook[DIRECTION] += weight * direction
    outlook[NEXT] += weight * best_move(view.hand[player] & ~(1 << desk.menu[k]), direction)
    outlook[ARRIVAL] += weight * (trial.winner == 1 + player)


@rule
def best_move(hand, direction):
    """The most that a card of the hand moves a ship onward while it is drawn in this direction."""
    best = -10
    while hand != 0:
        best = max(best, direction * MOVE[first_in(hand)])
        hand &= hand - 1
    return best


@rule
def lead(state, player):
    """Tiles before the best rival."""
    best = 0
    for rival in range(state.players):
        if rival != player:
            best = max(best, state.tile[rival])
    return state.tile[player] - best


@rule
def describe_position(view, player, values):
    n, here = view.players, view.tile[player]
    ahead = behind = FAR
    for ship in range(view.ships):
        distance = view.tile[ship] - here
        if view.tile[ship] > 0 and distance > 0:
            ahead = min(ahead, distance)
        elif view.tile[ship] > 0 and distance < 0:
            behind = min(behind, -distance)
    passed = stops = 0
    for rival in range(n):
        if rival != player:
            passed += view.tile[rival] < here
            stops += view.stops[rival]
    hand = view.hand[player]
    values[0] = 1.0
    values[1] = attraction(view, player)
    values[2] = ahead / 10
    values[3] = behind / 10
    values[4] = abs(ahead - behind) / 10  # how much must move before the direction turns
    values[5] = here / view.params.gate
    values[6] = lead(view, player) / 10
    values[7] = passed / (n - 1)
    values[8] = view.round_no / view.params.rounds
    values[9] = view.turn_no / TURNS
    values[10] = stops / (n - 1)
    values[11] = count(hand & NORMALS) / TURNS
    values[12] = count(hand & REPULSORS) / TURNS


@rule
def describe_card(states, player, k, n, desk):
    """Inputs of card k among the n on the menu: what it is, what it does now, what it does on average."""
    card, values = desk.menu[k], desk.values[FOR_POSITION:]
    view = states[VIEW]
    here = view.tile[player]
    move(view, player, MOVE[card] * attraction(view, player))
    gain = view.tile[player] - here
    view.tile[player] = here
    stronger = 0
    for other in range(n):
        stronger += abs(MOVE[desk.menu[other]]) > abs(MOVE[card])
    outlook = desk.outlook[k]
    values[0] = abs(MOVE[card]) / 10
    values[1] = MOVE[card] > 0
    values[2] = MOVE[card] < 0
    values[3] = PULL[card] / 3
    values[4] = (1 + card) / CARDS
    values[5] = gain / 10
    values[6] = outlook[GAIN] / 10
    values[7] = outlook[RISK]
    values[8] = outlook[DIRECTION]
    values[9] = outlook[ARRIVAL]
    values[10] = stronger / (n - 1)
    values[11] = outlook[LEAD] / 10
    values[12] = outlook[NEXT] / 10


# ------------------------------------------------------------------------------------------------ binding


def inputs_for(game: Game) -> int:
    """How many inputs a network for this game has."""
    return GRAVWELL_INPUTS if game.name == "gravwell" else 1 + game.names["FEATURES"]


def samples_for(game: Game, samples: int) -> int:
    """Guesses of each action: one is enough where the position after an action is certain, and elsewhere one is
    needed; only Gravwell's networks can do without, for they see the present board too."""
    facts = game.facts
    if game.name == "gravwell":
        return samples
    return max(samples, 1) if facts.hidden or facts.chance or facts.simultaneous else 1


@template
def choose(player, nets, g, samples, rng, desk):
    """The action of network g in the view on the desk; bound to the game's manner of scoring."""
    return 0


@cache
def scoring_kernel(game: Game, function: Callable, **names: Callable) -> Callable:
    """A template that names `choose`, compiled against the game and its manner of scoring."""
    manner = choose_card if game.name == "gravwell" else choose_afterstate
    return bind(function, game.names | {"choose": manner} | names, game.name)


# ------------------------------------------------------------------------------------------------ the agent


@template
def choose_by_network(views, players, words, nets, samples, desk, out):
    for i in range(views.shape[0]):
        desk.states[VIEW] = views[i]
        out[i] = choose(players[i], nets, 0, samples, words[i], desk)


@dataclass
class Neat(Agent):
    """A network bred by `ludus train neat`."""

    name: ClassVar[str] = "neat"
    compiled: ClassVar[bool] = True

    run: str = setting("", "run folder, or the name of a run that comes with the package")
    samples: int = setting(0, "guesses of what is hidden, for each action; 0: as the finalists of the training", low=0)

    def prepare(self, game: Game) -> None:
        super().prepare(game)
        folder = load_run(self.run, "neat", game)
        content = folder.read("best.json")
        if content is None:
            raise BadInput(f"{self.run} holds no network yet: its training has not finished a generation")
        genome = Genome.from_json(json.loads(content)["genome"])
        if genome.inputs != inputs_for(game):
            raise Mismatch(
                f"the network in {self.run} has {genome.inputs} inputs, {game.name} gives {inputs_for(game)}"
            )
        self._nets = pack([genome])
        self._samples = samples_for(game, self.samples or folder.settings["settings"]["final_samples"])

    def act_many(self, views: np.ndarray, players: np.ndarray, words: np.ndarray) -> np.ndarray:
        out = np.empty(len(views), np.int32)
        desk = desk_for(self.game, self._nets)
        play = scoring_kernel(self.game, choose_by_network)
        play(views, players, words, self._nets, self._samples, desk, out)
        return out
