"""Play by the dictionary of positions that `ludus train dictionary` has filled."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ludus.agent import Agent
from ludus.agents._dictionary import FREE, Dictionary, greedy_action, key_of, positions_of, slot_of
from ludus.compile import template
from ludus.errors import BadInput
from ludus.game import Game
from ludus.rng import below
from ludus.rules import MAX_ACTIONS, legal
from ludus.runs import load_run
from ludus.settings import setting

FILE = "dictionary.npz"


@template
def choose_by_dictionary(views, players, words, book, stored_only, out):
    menu = np.empty(MAX_ACTIONS, np.int32)
    for i in range(views.shape[0]):
        count = legal(views[i], players[i], menu)
        key = key_of(views[i], players[i])
        slot = slot_of(book, key)
        if count == 1:
            out[i] = menu[0]
        elif book.keys[slot] == FREE:
            out[i] = menu[below(words[i], count)]
        else:
            out[i] = greedy_action(book, slot, menu, count, stored_only, words[i])


def read_dictionary(content: bytes) -> Dictionary:
    with np.load(io.BytesIO(content)) as saved:
        book = Dictionary(*(saved[name] for name in Dictionary._fields))
    slots, pairs = len(book.keys), book.used[1]
    if slots & (slots - 1) or len(book.heads) != slots or max(book.heads.max(), book.following.max()) >= pairs:
        raise ValueError("its parts do not fit together")
    return book


@dataclass
class ByDictionary(Agent):
    """The best stored action in positions that training has met, a random one elsewhere."""

    name: ClassVar[str] = "dictionary"
    compiled: ClassVar[bool] = True
    accepts: ClassVar[str] = "the game that the run was trained for"

    run: str = setting("", "the run folder, or the name of a run that comes with Ludus")

    def prepare(self, game: Game) -> None:
        super().prepare(game)
        run = load_run(self.run, "dictionary", game)
        book = run.load(FILE, read_dictionary)
        if book is None:
            raise BadInput(f"{self.run} holds no positions yet; go on training it")
        made = run.settings["settings"]
        self._book, self._stored_only = book, made["reading"] == "published"
        self._choose = positions_of(game, made["key"]).kernel(choose_by_dictionary, game, self._stored_only)

    def act_many(self, views: np.ndarray, players: np.ndarray, words: np.ndarray) -> np.ndarray:
        out = np.empty(len(views), np.int32)
        self._choose(views, players, words, self._book, self._stored_only, out)
        return out
