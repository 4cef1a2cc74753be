"""Draws the pictures on the lobby's cards anew: python -m tests.web.browser.make_portraits

They are files, because a fresh installation would else compile every game before its lobby is shown.
"""

from __future__ import annotations

from ludus.arena.match import Match, replay
from ludus.catalogue import agent, game_names, load
from ludus.draw import picture
from ludus.game import Game, View
from ludus.web.app import STATIC

FOLDER = STATIC / "games"
SWING = 40
"""Plies after which most boards look like their game; of a short match half."""
TRIES = 8


def portrait(game: Game) -> str:
    """A position in the middle of a random match; of several matches, since some are over too soon."""
    match = max((random_match(game, seed) for seed in range(TRIES)), key=lambda played: played.plies)
    position = replay(match.record([]), steps=match.plies // 2, game=game)
    return picture(View.public(game, position.states))


def random_match(game: Game, seed: int) -> Match:
    match, player = Match(game, game.facts.players[0], seed=seed), agent("random", game)
    while not match.over and match.plies < 2 * SWING:
        for seat, view in match.waiting().items():
            match.submit(seat, player.act(view, match.stream(seat)))
    return match


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name in game_names():
        (FOLDER / f"{name}.svg").write_text(portrait(load(name)), encoding="utf-8")
