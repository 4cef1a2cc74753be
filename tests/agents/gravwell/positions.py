"""Positions of Gravwell from a few words, and what an agent answers to them."""

from __future__ import annotations

import numpy as np

from ludus import agent, load
from ludus.agent import Agent
from ludus.rng import match_words

GAME = load("gravwell")
AHEAD = {"A": 10, "B": 7, "C": 12, "D": 0}  # A is drawn forward, to C
BEHIND = {"A": 10, "B": 9, "C": 20, "D": 0}  # A is drawn backward, to B
STUCK = {"A": 30, "B": 27, "C": 33, "D": 0}


def drafting(hand: str, table: str) -> np.ndarray:
    """A picks next, of two players; as many cards are in hand as have been picked."""
    held = len(hand.split())
    rows = ["Round 2, turn 1: draft", f"A tile 10 stops 1 hand {hand}", f"B tile 20 stops 1 hand {'? ' * held}"]
    rows += ["hulks 36", f"draft A B, {held} taken", "table " + " ".join(f"{card}/?" for card in table.split())]
    return GAME.parse_state("\n".join(rows), 2)


def choosing(tiles: dict[str, int], hand: str, round_no: int = 2, stops: int = 1) -> np.ndarray:
    """All choose a card; A has the given ones."""
    held = len(hand.split())
    rows = [f"Round {round_no}, turn {7 - held}: choose", "hulks 26 36"]
    rows.append(f"A tile {tiles['A']} stops {stops} hand {hand}")
    rows += [f"{name} tile {tiles[name]} stops 1 hand {'? ' * held}" for name in "BCD"]
    return GAME.parse_state("\n".join(rows), 4)


def stopping(tiles: dict[str, int], card: str, round_no: int = 2) -> np.ndarray:
    """A's last card is about to resolve."""
    rows = [f"Round {round_no}, turn 6: stop", "hulks 26 36", f"A tile {tiles['A']} stops 1 plays {card} hand"]
    rows += [f"{name} tile {tiles[name]} stops 1 hand" for name in "BCD"]
    return GAME.parse_state("\n".join(rows), 4)


def answers(spec: str | Agent, states: np.ndarray, tries: int = 40) -> str:
    """All that A answers, with different luck, in alphabetical order."""
    views = np.repeat(GAME.masked(states, np.zeros(1, np.int64)), tries)
    words = match_words(1, np.arange(tries), 0, 1)[:, 1:].copy()
    found = agent(spec, GAME).act_many(views, np.zeros(tries, np.int64), words)
    texts = {GAME.action_text(states[0], 0, int(action)) for action in found}
    return " ".join(sorted(text.split()[-1] for text in texts))  # the card, without "take" or "play"
