"""The evaluation that an agent was told to use: a run of `ludus train td`, or else the game's heuristic."""

from __future__ import annotations

import io

import numpy as np

from ludus.errors import Mismatch
from ludus.game import Game, other_rules
from ludus.runs import load_run
from ludus.search.evaluation import Evaluation, evaluation, fits, own_room
from ludus.search.patterns import Patterns, no_patterns, patterns_of

FILE, PATTERNS = "weights.txt", "patterns.npz"


def evaluation_text(game: Game, numbers: np.ndarray) -> bytes:
    """A number a line, below the fingerprint of the terms that they weigh."""
    return "\n".join([f"# {game.terms_fingerprint}", *(repr(float(number)) for number in numbers)]).encode()


def _read(content: bytes) -> tuple[np.ndarray, str]:
    lines = content.decode().splitlines()
    terms = lines[0][1:].strip() if lines and lines[0].startswith("#") else ""
    words = [word for line in lines if not line.startswith("#") for word in line.split()]
    return np.array(words, np.float64), terms


def patterns_bytes(patterns: Patterns) -> bytes:
    content = io.BytesIO()
    np.savez_compressed(
        content, spread=patterns.spread, keys=patterns.keys, cells=patterns.cells, tables=patterns.tables,
        board=len(patterns.symbols),
    )  # fmt: skip
    return content.getvalue()


def _read_patterns(game: Game, content: bytes) -> Patterns:
    with np.load(io.BytesIO(content)) as saved:
        spread, keys, cells, tables, board = (saved[key] for key in ("spread", "keys", "cells", "tables", "board"))
    return patterns_of(game, spread, keys, cells, tables, int(board))


def load_evaluation(game: Game, run: str) -> Evaluation:
    """What the run learnt; without a run, what the game itself says."""
    if not run:
        return evaluation(game)
    stored = load_run(run, "td", game)
    found = stored.load(FILE, _read)
    if found is None:
        raise Mismatch(f"{run} has learnt nothing yet: its first checkpoint is missing")
    weights, terms = found
    if terms and other_rules(terms, game.terms_fingerprint):
        now = game.terms_fingerprint or "none"
        raise Mismatch(
            f"{run} was trained over the terms {terms} of {game.name}, and now they are {now}; train it anew"
        )
    if not fits(game, len(weights)):
        raise Mismatch(f"{run} holds {len(weights)} weights; {game.name} has {game.names['TERMS']} terms now")
    patterns = stored.load(PATTERNS, lambda content: _read_patterns(game, content))
    return evaluation(game, weights)._replace(patterns=patterns or no_patterns())


def judging(game: Game, views: np.ndarray, evaluation: Evaluation) -> Evaluation:
    """The evaluation for these positions, with room of its own."""
    patterns, state = evaluation.patterns, views[0]
    if len(patterns.cells):
        shape = game.shapes_of(state)[0]
        if shape.cells != len(patterns.symbols):
            theirs = f"a board of {len(patterns.symbols)} cells, and this one has {shape.cells}"
            raise Mismatch(f"the run that is to judge positions was trained on {theirs}; train one for these rules")
        if state.players != patterns.seats:
            theirs = f"{patterns.seats} players, and here are {state.players}"
            raise Mismatch(f"the run that is to judge positions was trained for {theirs}; train one with players=…")
    return own_room(evaluation)
