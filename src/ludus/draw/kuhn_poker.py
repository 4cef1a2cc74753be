"""Kuhn poker: two cards, two stakes, and what everybody has said so far."""

from __future__ import annotations

from ludus.draw.canvas import Picture, seat_name
from ludus.game import View
from ludus.games.kuhn_poker import BET, CARDS, PASS

WIDTH, HEIGHT = 400, 312
COLUMN = (88, 312)
"""Where the players sit."""
NAMES = ("", "jack", "queen", "king")


def draw(view: View, before: View | None) -> Picture:
    made = Picture(WIDTH, HEIGHT, "a hand of Kuhn poker")
    made.rect(0, 0, WIDTH, HEIGHT, "paper edge", round=10)
    made.text(16, 28, headline(view), "bold", 15)
    made.text(WIDTH - 16, 28, f"pot {sum(stakes(view))}", "end soft", 14)
    made.rect(12, 42, WIDTH - 24, 212, "board edge", round=10)
    for seat in range(2):
        draw_seat(made, view, seat)
    draw_talk(made, view, before)
    if waits_for(view, view.player):
        made.button("pass", 12, 264, 182, "pass (fold)" if faces_bet(view) else "pass (check)")
        made.button("bet", 206, 264, 182, "bet (call)" if faces_bet(view) else "bet 1 chip")
    else:
        made.text(WIDTH / 2, 288, footnote(view), "middle soft", 13)
    return made


def clicks(view: View, action: int) -> tuple[str, ...]:
    return ("bet",) if PASS + action == BET else ("pass",)


# ------------------------------------------------------------------------------------------------ what is going on


def waits_for(view: View, seat: int) -> bool:
    return seat >= 0 and bool(view.game.waiting(view.states)[0] >> seat & 1)


def moves(view: View) -> list[int]:
    return [int(move) for move in view.state.moves[: view.state.plies]]


def faces_bet(view: View) -> bool:
    return moves(view)[-1:] == [BET]


def stakes(view: View) -> list[int]:
    """The ante of each player, and the bets on top."""
    return [1 + moves(view)[seat::2].count(BET) for seat in range(2)]


def headline(view: View) -> str:
    for seat in range(2):
        if waits_for(view, seat):
            return "your turn" if seat == view.player else f"{seat_name(seat)}'s turn"
    gains = view.game.payoffs(view.states)[0]
    winner = int(gains[1] > 0)
    chips = round(2 * gains[winner])
    who = "you win" if winner == view.player else f"{seat_name(winner)} wins"
    return f"{who} {chips} chip{'s' * (chips > 1)}"


def footnote(view: View) -> str:
    if waits_for(view, 0) or waits_for(view, 1):
        return "jack < queen < king; one of the three is out of play"
    return "showdown: the higher card wins" if view.state.cards.all() else "no showdown: somebody gave up"


# ------------------------------------------------------------------------------------------------ shapes


def draw_seat(made: Picture, view: View, seat: int) -> None:
    x, name = COLUMN[seat], "you" if seat == view.player else seat_name(seat)
    made.token(x - 34, 64, 11, seat)
    made.text(x - 18, 69, name, "bold", 14)
    draw_card(made, x - 42, 82, int(view.state.cards[seat]))
    for chip in range(stakes(view)[seat]):
        made.token(WIDTH / 2 + 22 * (2 * seat - 1), 190 - 32 * chip, 13, seat)


def draw_card(made: Picture, x: float, y: float, card: int) -> None:
    """84 by 116; a card that the viewer does not know shows its back."""
    made.rect(x, y, 84, 116, "paper rim", round=8)
    if card:
        made.text(x + 42, y + 72, CARDS[card], "middle bold", 54)
        made.text(x + 42, y + 100, NAMES[card], "middle soft", 14)
    else:
        made.rect(x + 7, y + 7, 70, 102, "board2 edge", round=5)
        for k in range(1, 7):
            made.line((x + 7, y + 7 + 102 * k / 7), (x + 7 + 70 * k / 7, y + 7), "edge")
            made.line((x + 7 + 70 * k / 7, y + 109), (x + 77, y + 7 + 102 * k / 7), "edge")


def draw_talk(made: Picture, view: View, before: View | None) -> None:
    """Each player's moves under the card, the newest outlined."""
    for ply, move in enumerate(moves(view)):
        seat, again = ply % 2, ply // 2
        answers = ply > 0 and view.state.moves[ply - 1] == BET
        words = ("fold" if answers else "check") if move == PASS else ("call" if answers else "bet")
        alone = seat == 1 or view.state.plies < 3
        x = COLUMN[seat] + (0 if alone else 68 * again - 34)
        newest = before is not None and ply >= before.state.plies
        made.rect(x - 31, 210, 62, 30, f"paper {'last' if newest else 'edge'}", round=15)
        made.text(x, 230, words, "middle bold", 14)
