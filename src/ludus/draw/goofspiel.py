"""Goofspiel: the prize on the table, what is still to come, everybody's hand, and one's own cards to bid with."""

from __future__ import annotations

import numpy as np

from ludus.draw.canvas import Picture, seat_name
from ludus.game import View
from ludus.games.goofspiel import HIDDEN

WIDTH = 400
TABLE, PRIZES, SEATS = 42, 172, 216
"""Where the strips begin: the prize and the last round, the prizes to come, the players."""
SEAT_HEIGHT = 36
PER_ROW, CARD_WIDTH, CARD_HEIGHT = 7, 48, 62


def draw(view: View, before: View | None) -> Picture:
    state = view.state
    hand_top = SEATS + SEAT_HEIGHT * int(state.players) + 12
    rows = -(-int(state.params.cards) // PER_ROW) if view.player >= 0 else 0
    height = hand_top + (CARD_HEIGHT + 8) * rows
    made = Picture(WIDTH, height, f"round {min(state.turn + 1, state.params.cards)} of Goofspiel")
    made.rect(0, 0, WIDTH, height, "paper edge", round=10)
    made.text(16, 28, headline(view), "bold", 15)
    made.text(WIDTH - 16, 28, f"{state.turn} of {state.params.cards} rounds played", "end soft", 13)
    made.rect(12, TABLE, WIDTH - 24, 122, "board edge", round=10)
    draw_prize(made, view)
    draw_last_round(made, view, before)
    draw_prizes_to_come(made, view)
    for seat in range(state.players):
        draw_seat(made, view, seat, SEATS + SEAT_HEIGHT * seat)
    if view.player >= 0:
        draw_own_hand(made, view, hand_top)
    return made


def clicks(view: View, action: int) -> tuple[str, ...]:
    return (f"card-{action + 1}",)


# ------------------------------------------------------------------------------------------------ what is going on


def is_over(view: View) -> bool:
    return view.state.turn >= view.state.params.cards


def holds(cards: int, card: int) -> bool:
    """Whether a set of cards has this one."""
    return bool(int(cards) >> (card - 1) & 1)


def headline(view: View) -> str:
    if not is_over(view):
        return "all players bid" if view.player < 0 else "your bid"
    points = view.state.points[: view.state.players]
    best = [seat for seat in range(len(points)) if points[seat] == points.max()]
    if len(best) > 1:
        return f"players {' and '.join(str(seat + 1) for seat in best)} share the win"
    return "you win" if best[0] == view.player else f"{seat_name(best[0])} wins"


def last_round(view: View, before: View | None) -> tuple[int, list[int], int] | None:
    """Its prize, the bids by seat with 0 for an unknown one, and 1 + the winner or 0. Open bids leave no trace in the
    record, but they are what the hands have lost since `before`."""
    state, n = view.state, int(view.state.players)
    if state.params.bids == HIDDEN:
        turn = int(state.turn) - 1
        bids = [int(bid) for bid in state.bids[turn, :n]]
        return (int(state.past[turn]), bids, int(state.winners[turn])) if turn >= 0 else None
    if before is None or before.state.turn >= state.turn:
        return None
    old = before.state
    gained = state.points[:n] - old.points[:n]
    prize = int(old.prize) or int(old.prizes ^ state.prizes).bit_length()
    bids = [int(old.hands[seat] ^ state.hands[seat]).bit_length() for seat in range(n)]
    return prize, bids, 1 + int(np.argmax(gained)) if gained.any() else 0


# ------------------------------------------------------------------------------------------------ shapes


def draw_prize(made: Picture, view: View) -> None:
    prize = int(view.state.prize)
    made.rect(28, TABLE + 12, 72, 98, "paper rim" if not is_over(view) else "none edge dashed", round=8)
    made.text(64, TABLE + 34, "over" if is_over(view) else "prize", "middle soft", 13)
    if not is_over(view):
        made.text(64, TABLE + 80, str(prize or "?"), "middle bold", 42)


def draw_last_round(made: Picture, view: View, before: View | None) -> None:
    happened = last_round(view, before)
    if happened is None:
        words = "the highest bid takes the prize" if view.state.turn == 0 else "the bids are in"
        made.text(246, TABLE + 66, words, "middle soft", 13)
        return
    prize, bids, winner = happened
    taker = "nobody" if not winner else "you" if winner - 1 == view.player else seat_name(winner - 1)
    made.text(246, TABLE + 28, f"last round: {taker} took {prize}", "middle", 13)
    for seat, bid in enumerate(bids):
        x = 246 + 62 * (seat - (len(bids) - 1) / 2)
        decided = winner == 1 + seat if winner else bid == max(bids)
        made.rect(x - 21, TABLE + 40, 42, 44, f"paper {'last' if decided else 'edge'}", round=6)
        made.text(x, TABLE + 70, str(bid or "?"), "middle bold", 22)
        made.token(x, TABLE + 101, 10, seat)


def draw_prizes_to_come(made: Picture, view: View) -> None:
    made.text(16, PRIZES + 23, "prizes", "soft", 12)
    for prize in range(1, view.state.params.cards + 1):
        look = "star" if prize == view.state.prize else "board2" if holds(view.state.prizes, prize) else ""
        draw_small_card(made, PRIZES + 8, prize, look)


def draw_small_card(made: Picture, y: float, card: int, look: str) -> None:
    """One of a row of up to 13; without a look its place is empty."""
    x = 65 + 25 * (card - 1)
    made.rect(x, y, 22, 24, f"{look or 'none'} edge{'' if look else ' faint'}", round=4)
    if look:
        made.text(x + 11, y + 17, str(card), f"middle bold{' night' * (look == 'star')}", 12)


def draw_seat(made: Picture, view: View, seat: int, y: float) -> None:
    state = view.state
    if seat == view.player:
        made.rect(4, y + 1, WIDTH - 8, 34, "none edge", round=8)
    made.token(22, y + 18, 10, seat)
    made.text(48, y + 23, str(state.points[seat]), "middle bold", 15)
    if not state.hands[seat] and not is_over(view):
        won = [str(prize) for prize, winner in zip(state.past, state.winners, strict=True) if winner == 1 + seat]
        made.text(66, y + 23, f"hand unseen; took {', '.join(won) or 'nothing yet'}", "soft", 12)
        return
    for card in range(1, state.params.cards + 1):
        draw_small_card(made, y + 6, card, "board" if holds(state.hands[seat], card) else "")


def draw_own_hand(made: Picture, view: View, top: float) -> None:
    """Every card has its own place, so that nothing moves when others are spent."""
    cards = int(view.state.params.cards)
    left = (WIDTH - 54 * min(cards, PER_ROW) + 6) / 2
    for card in range(1, cards + 1):
        row, column = divmod(card - 1, PER_ROW)
        x, y = left + 54 * column, top + (CARD_HEIGHT + 8) * row
        if not holds(view.state.hands[view.player], card):
            made.rect(x, y, CARD_WIDTH, CARD_HEIGHT, "none edge faint dashed", round=7)
            continue
        with made.part(f"card-{card}", f"bid {card}"):
            made.rect(x, y, CARD_WIDTH, CARD_HEIGHT, "board edge", round=7)
            made.text(x + CARD_WIDTH / 2, y + 40, str(card), "middle bold", 24)
            made.rect(x, y, CARD_WIDTH, CARD_HEIGHT, "halo", round=7)
