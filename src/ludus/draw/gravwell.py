"""Gravwell: the track winds out of the Singularity to the Warp Gate; below it lie the ships' rows, and below these what
the viewer can do: stacks to pick, cards to play, or the question whether to stop."""

from __future__ import annotations

import math
from functools import cache

from ludus.draw.canvas import Picture, Point, seat_name
from ludus.game import View
from ludus.games._gravwell_text import (
    CARDS,
    CHOOSE,
    DRAFT,
    GO,
    HALT,
    MOVE,
    OVER,
    PICKS,
    PULL,
    REARMOST,
    STOP,
    SYMBOLS,
    TURNS,
    UNKNOWN,
    cards_in,
)

WIDTH, SKY_TOP, SKY_HEIGHT = 400, 42, 356
CENTRE = (203.0, SKY_TOP + 186.0)
INNER, OUTER, FLATTENED = 50.0, 178.0, 0.9
"""How far from the centre the track begins and ends, and its height as a share of its width."""
ROWS, ROW_HEIGHT = SKY_TOP + SKY_HEIGHT + 24, 40
CARD, CARD_STEP, CARD_HEIGHT = 58, 63, 78
MINI, MINI_STEP, MINI_HEIGHT = 35, 37, 33


def draw(view: View, before: View | None) -> Picture:
    n = int(view.state.players)
    tray = ROWS + ROW_HEIGHT * n + 10
    made = Picture(WIDTH, tray + (142 if n == 2 else 176), f"Gravwell, round {view.state.round_no + 1}")
    made.rect(0, 0, WIDTH, made.height, "paper edge backdrop", round=10)
    draw_header(made, view)
    draw_sky(made, view, before)
    made.fold(SKY_TOP + SKY_HEIGHT + 4)
    draw_rows(made, view, before)
    if view.state.phase == DRAFT:
        draw_stacks(made, view, tray)
        return made
    if decides(view) == view.player:
        draw_question(made, view, tray)
    elif view.player >= 0:
        draw_hand(made, view, tray)
    draw_spent(made, view, tray + (0 if view.player < 0 else CARD_HEIGHT + 10))
    return made


def clicks(view: View, action: int) -> tuple[str, ...]:
    if action >= GO:
        return ("stop",) if action == HALT else ("go",)
    return (f"{'stack' if action >= CARDS else 'card'}-{SYMBOLS[action % CARDS]}",)


# ------------------------------------------------------------------------------------------------ what is going on


def decides(view: View) -> int:
    """The player who picks, or whose card is about to resolve; -2 if it is nobody or everybody."""
    state, n = view.state, int(view.state.players)
    if state.phase == DRAFT:
        return int(state.order[state.picks % n])
    waiting = {int(state.played[seat]): seat for seat in range(n) if state.played[seat]}
    return waiting[min(waiting)] if state.phase == STOP else -2


def headline(view: View) -> str:
    state, player = view.state, decides(view)
    mine = player == view.player
    if state.phase == OVER:
        return outcome(view)
    if state.phase == CHOOSE:
        return "all players choose a card" if view.player < 0 else "choose a card"
    if state.phase == DRAFT:
        return "pick a stack" if mine else f"{seat_name(player)} picks a stack"
    card = card_name(int(state.played[player]) - 1)
    return f"your {card} comes next: stop?" if mine else f"{seat_name(player)}'s {card} comes next"


def outcome(view: View) -> str:
    state, winner = view.state, int(view.state.winner) - 1
    who = "you win" if winner == view.player else f"{seat_name(winner)} wins"
    if state.tile[winner] == state.params.gate:
        return f"{who}: through the Warp Gate"
    if state.tile[: state.players].tolist().count(state.tile[winner]) > 1:
        return f"{who} by lot"
    return f"{who}: {'rearmost' if state.params.limit_winner == REARMOST else 'nearest to the gate'}"


def worth(card: int) -> str:
    if PULL[card]:
        return f"pull {PULL[card]}"
    return f"+{MOVE[card]}" if MOVE[card] > 0 else f"−{-MOVE[card]}"


def card_name(card: int) -> str:
    return f"{SYMBOLS[card]} {worth(card)}"


def just_resolved(view: View, before: View | None) -> dict[int, int]:
    """Cards that have resolved since `before`, by player, as far as the records tell whose they were."""
    if before is None:
        return {}
    old, new, n = before.state, view.state, int(view.state.players)
    cards = {int(played) - 1 for played in old.played if played} | set(cards_in(new.gone & ~old.gone))
    cards -= {int(played) - 1 for played in new.played}
    owners = {
        seat: card for seat in range(n) for card in cards if old.played[seat] == 1 + card or old.hand[seat] >> card & 1
    }
    others = [seat for seat in range(n) if seat not in owners and not new.played[seat]]
    unclaimed = cards - set(owners.values())
    return owners | dict(zip(others, unclaimed, strict=True)) if len(others) == len(unclaimed) == 1 else owners


# ------------------------------------------------------------------------------------------------ the track


@cache
def track(gate: int) -> tuple[float, list[Point]]:
    """The distance from tile to tile, and where each lies: on a spiral whose windings are as far apart as its tiles."""
    step = min(44.0, math.sqrt((OUTER**2 - INNER**2) * math.pi / gate))
    reach = [math.sqrt(INNER**2 + tile * step**2 / math.pi) for tile in range(gate + 1)]
    places = [CENTRE]
    for tile in range(1, gate + 1):
        # The gate lies to the upper right, where the frame's corner leaves room.
        angle = 2 * math.pi * (reach[tile] - reach[gate]) / step - math.pi / 4
        out = reach[tile] + 10 * (tile == gate)  # the gate is larger than a tile
        places.append((CENTRE[0] + out * math.cos(angle), CENTRE[1] + FLATTENED * out * math.sin(angle)))
    return step, places


def draw_sky(made: Picture, view: View, before: View | None) -> None:
    made.rect(8, SKY_TOP, WIDTH - 16, SKY_HEIGHT, "night", round=10)
    for k in range(1, 60):  # stars, anywhere
        made.circle(14 + 97 * k % (WIDTH - 28), SKY_TOP + 6 + 61 * k * k % (SKY_HEIGHT - 12), 1, "sky soft faint")
    tiles = view.state.tile[: view.state.ships].tolist()
    old = tiles if before is None else before.state.tile[: view.state.ships].tolist()
    draw_track(made, int(view.state.params.gate), tiles, old)
    for ship in range(len(tiles)):
        draw_ship(made, view, tiles, ship, "none sky last" if tiles[ship] != old[ship] else "none")


def draw_track(made: Picture, gate: int, tiles: list[int], old: list[int]) -> None:
    """The tiles, and beneath them the ways that ships have come."""
    step, places = track(gate)
    made.path(line_through(places[1:]), "none sky edge")
    for low, high in map(sorted, zip(tiles, old, strict=True)):
        if low < high:
            made.path(line_through(places[low : high + 1]), "none sky last")
    for tile, (x, y) in enumerate(places):
        if 0 < tile < gate:
            made.circle(x, y, 0.38 * step, "night sky edge")
        else:
            made.circle(x, y, 21 if tile else 32, "star")
            made.circle(x, y, 18 if tile else 29, "night")
        if tile and tile not in tiles:
            look = "middle sky bold" if tile % 10 == 0 or tile == gate else "middle sky soft"
            made.text(x, y + 4.5, str(tile) if tile < gate else "gate", look, 12)


def line_through(places: list[Point]) -> str:
    return "M" + " L".join(f"{x:.1f} {y:.1f}" for x, y in places)


def draw_ship(made: Picture, view: View, tiles: list[int], ship: int, look: str) -> None:
    step, places = track(int(view.state.params.gate))
    (x, y), radius = places[tiles[ship]], 0.4 * step
    together = [other for other in range(len(tiles)) if tiles[other] == tiles[ship]]
    if len(together) > 1:  # in the Singularity, or by some rules in the gate
        turn = 2 * math.pi * together.index(ship) / len(together)
        x, y, radius = x + 17 * math.sin(turn), y - 17 * math.cos(turn), 9.5
    if ship < view.state.players:
        made.token(x, y, radius, ship, "sky")
    else:
        draw_hulk(made, x, y, radius)
    made.circle(x, y, radius + 2, look)


def draw_hulk(made: Picture, x: float, y: float, radius: float) -> None:
    """A ragged wreck."""
    spikes = [(radius * (1.1 if k % 2 else 0.8), math.pi * k / 7) for k in range(14)]
    made.polygon([(x + r * math.sin(turn), y + r * math.cos(turn)) for r, turn in spikes], "neutral sky")
    made.text(x, y + 4, "hulk" if radius > 14 else "h", "middle bold on-seat sky", 11)


# ------------------------------------------------------------------------------------------------ the players


def draw_header(made: Picture, view: View) -> None:
    state = view.state
    made.text(14, 27, headline(view), "bold", 14)
    stage = {DRAFT: " · draft", OVER: ""}.get(int(state.phase), f" · turn {state.turn_no + 1}/{TURNS}")
    made.text(WIDTH - 14, 27, f"round {state.round_no + 1}/{state.params.rounds}{stage}", "end soft", 12)


def draw_rows(made: Picture, view: View, before: View | None) -> None:
    y = ROWS - 6
    for x, words in ((50, "tile"), (82, "stops"), (360, "pick" if view.state.phase == DRAFT else "played")):
        made.text(x, y, words, "middle soft", 11)
    made.text(106, y, "hand" if view.player < 0 else "hand (a dot: all have seen it)", "soft", 11)
    for seat in range(view.state.players):
        y = ROWS + ROW_HEIGHT * seat
        if seat == view.player:
            made.rect(6, y, WIDTH - 12, ROW_HEIGHT, "none edge", round=8)
        made.token(22, y + 20, 10.5, seat)
        made.text(50, y + 25, str(view.state.tile[seat]), "middle bold", 15)
        draw_stops(made, 82, y + 20, int(view.state.stops[seat]))
        draw_row_hand(made, view, before, seat, y + 4)
        draw_row_end(made, view, before, seat, y + 4)


def draw_stops(made: Picture, x: float, y: float, stops: int) -> None:
    eighths = [math.pi * (2 * k + 1) / 8 for k in range(8)]
    corners = [(x + 12 * math.cos(turn), y + 12 * math.sin(turn)) for turn in eighths]
    made.polygon(corners, "board rim" if stops else "none edge dashed")
    made.text(x, y + 4.5, str(stops), "middle bold" if stops else "middle soft", 13)


def cards_of(view: View, seat: int) -> list[int]:
    """A hand, with UNKNOWN for every card that the viewer has not seen."""
    known: list[int] = cards_in(view.state.hand[seat])
    return known + [UNKNOWN] * (view.state.held[seat] - len(known))


def draw_row_hand(made: Picture, view: View, before: View | None, seat: int, y: float) -> None:
    cards = cards_of(view, seat)
    old = list(cards) if before is None else cards_of(before, seat)
    for k, card in enumerate(cards):
        x, look = 106 + MINI_STEP * k, "edge" if card in old else "last"
        if card in old:
            old.remove(card)
        draw_mini(made, x, y, card, look)
        if seat == view.player and view.state.shown >> card & 1:
            made.circle(x + MINI - 5, y + 5, 2.5, "ink")


def draw_mini(made: Picture, x: float, y: float, card: int, look: str) -> None:
    made.rect(x, y, MINI, MINI_HEIGHT, f"{'board2' if card == UNKNOWN else 'board'} {look}", round=5)
    if card == UNKNOWN:
        made.text(x + MINI / 2, y + 22, "?", "middle soft", 15)
    else:
        made.text(x + MINI / 2, y + 14, SYMBOLS[card], "middle bold", 12)
        made.text(x + MINI / 2, y + 28, worth(card), "middle", 11)


def draw_row_end(made: Picture, view: View, before: View | None, seat: int, y: float) -> None:
    """The turn to pick, the card that is to resolve, or the one that has."""
    state, n = view.state, int(view.state.players)
    if state.phase == DRAFT:
        turns = [(list(state.order[:n]).index(seat) - state.picks) % n + n * k for k in range(PICKS)]
        left = [turn for turn in turns if turn < PICKS * n - state.picks]
        words = "done" if not left else f"in {left[0]}" if left[0] else "now"
        made.text(360, y + 21, words, "middle bold" if words == "now" else "middle soft", 13)
    elif state.played[seat]:
        new = before is not None and not before.state.played[seat]
        draw_mini(
            made, 343, y, int(state.played[seat]) - 1, "last" if new else "rim" if seat == decides(view) else "edge"
        )
    elif (resolved := just_resolved(view, before).get(seat)) is not None:
        draw_mini(made, 343, y, resolved, "last")


# ------------------------------------------------------------------------------------------------ the viewer's cards


def place(k: int, top: float) -> Point:
    """Six cards a row."""
    return 13 + CARD_STEP * (k % 6), top + (CARD_HEIGHT + 8) * (k // 6)


def draw_stacks(made: Picture, view: View, top: float) -> None:
    """In the places where they were dealt, as far as the record still tells."""
    state = view.state
    for k, card in enumerate(cards_in(state.shown if state.params.secrets else state.face_up)):
        x, y = place(k, top)
        if not state.face_up >> card & 1:
            made.rect(x, y, CARD, CARD_HEIGHT, "none edge dashed faint", round=7)
            continue
        under = int(state.under[card]) - 1 if state.under[card] > 0 else UNKNOWN
        beneath = "an unknown card" if under == UNKNOWN else card_name(under)
        with made.part(f"stack-{SYMBOLS[card]}", f"pick {card_name(card)} and {beneath}"):
            if under == UNKNOWN:
                made.rect(x + 5, y + 6, CARD - 5, CARD_HEIGHT - 6, "board2 edge", round=7)
                draw_card(made, x, y, card, CARD - 6, CARD_HEIGHT - 8)
            else:
                draw_half(made, x, y, card)
                draw_half(made, x, y + CARD_HEIGHT / 2, under)
            made.rect(x - 1, y - 1, CARD + 2, CARD_HEIGHT + 2, "halo", round=8)


def draw_hand(made: Picture, view: View, top: float) -> None:
    for k, card in enumerate(cards_in(view.state.hand[view.player])):
        x, y = place(k, top)
        with made.part(f"card-{SYMBOLS[card]}", f"play {card_name(card)}"):
            draw_card(made, x, y, card, CARD, CARD_HEIGHT)
            made.rect(x, y, CARD, CARD_HEIGHT, "halo", round=7)


def draw_card(made: Picture, x: float, y: float, card: int, width: float, height: float) -> None:
    made.rect(x, y, width, height, "board edge", round=7)
    made.text(x + width / 2, y + 22, SYMBOLS[card], "middle bold", 18)
    made.text(x + width / 2, y + 46, worth(card), "middle", 16)
    kind = "tractor" if PULL[card] else "repulsor" if MOVE[card] < 0 else "normal"
    made.text(x + width / 2, y + height - 7, kind, "middle soft", 11)


def draw_half(made: Picture, x: float, y: float, card: int) -> None:
    made.rect(x, y, CARD, CARD_HEIGHT / 2, "board edge", round=7)
    made.text(x + CARD / 2, y + 17, SYMBOLS[card], "middle bold", 15)
    made.text(x + CARD / 2, y + 33, worth(card), "middle", 13)


def draw_question(made: Picture, view: View, top: float) -> None:
    made.button("go", 13, top + 20, 182, "let it resolve")
    made.button("stop", 205, top + 20, 182, "emergency stop")


def draw_spent(made: Picture, view: View, top: float) -> None:
    """The cards played this round: nobody will see them again before the next."""
    cards = [card for card in cards_in(view.state.gone) if 1 + card not in view.state.played]
    if cards:
        made.text(14, top + 12, "spent this round", "soft", 11)
    for k, card in enumerate(cards):
        x, y = 14 + 31 * (k % 12), top + 18 + 25 * (k // 12)
        made.rect(x, y, 28, 22, "board edge faint", round=5)
        made.text(x + 14, y + 16, SYMBOLS[card], "middle soft", 12)
