"""The words of Gravwell: its cards, phases and actions, and how actions and positions are written."""

import re

import numpy as np

from ludus.errors import BadNotation

# ------------------------------------------------------------------------------------------------ cards and numbers

# normal +, repulsor -, tractor =
DECK = re.findall(
    r"(\w+)([-+=])(\d+)",
    "Ar+1 B+2 C+3 Dy+5 Es+2 F+6 Ga+5 H+4 Ir+6 Jo=2 Kr-2 Li+4 Mg+10 "
    "Ne-6 O+7 Pu+5 Qt=3 Ra+9 Si+9 Th+2 U-5 V+7 W+8 Xe-3 Y+8 Zr+7",
)
SYMBOLS = [symbol for symbol, _, _ in DECK]
MOVE = np.array([0 if kind == "=" else int(kind + value) for _, kind, value in DECK], np.int32)
PULL = np.array([int(value) if kind == "=" else 0 for _, kind, value in DECK], np.int32)

CARDS, HAND = 26, 6
TURNS = HAND
PICKS = HAND // 2  # stacks that a player takes in a draft

DRAFT, CHOOSE, STOP, OVER = range(4)
PICK, GO, HALT = CARDS, 2 * CARDS, 2 * CARDS + 1
UNKNOWN = -1
REARMOST = 1  # a value of the rule limit_winner

PHASES = ["draft", "choose", "stop", "over"]
SEAT_NAMES = "ABCD"

# ------------------------------------------------------------------------------------------------ actions


def action_text(state, player, action):
    """The same card is one thing in a draft and another when it is played."""
    if action >= GO:
        return "stop" if action == HALT else "go"
    return f"{'take' if action >= PICK else 'play'} {SYMBOLS[action % CARDS]}"


action_kind = action_text


def parse_action(state, player, text):
    text = text.strip().lower()
    if state.phase == STOP:
        if text in ("go", "g", "stop", "s"):
            return GO if text[0] == "g" else HALT
        raise BadNotation(f"{text!r} is no answer; {name_of(state.played[player])} is about to resolve: go or stop?")
    verb = "take" if state.phase == DRAFT else "play"
    return card_named(text.removeprefix(verb).strip()) + (PICK if state.phase == DRAFT else 0)


def name_of(number):
    """The symbol of a card that is stored as 1 + its number."""
    return SYMBOLS[number - 1] if number > 0 else "?"


def card_named(text):
    """A card by its symbol or the symbol's first letter."""
    for card, symbol in enumerate(SYMBOLS):
        if text.lower() in (symbol.lower(), symbol[0].lower()):
            return card
    raise BadNotation(f"{text!r} is no card; write a symbol such as Ar or Qt, or its first letter")


# ------------------------------------------------------------------------------------------------ writing positions


def state_text(state):
    n = state.players
    winner = f", {SEAT_NAMES[state.winner - 1]} wins" if state.winner else ""
    lines = [f"Round {state.round_no + 1}, turn {state.turn_no + 1}: {PHASES[state.phase]}{winner}", *track_text(state)]
    lines += [row_text(state, seat) for seat in range(n)]
    lines.append(" ".join(["hulks", *map(str, state.tile[n : state.ships])]))
    if state.phase == DRAFT:
        lines.append(f"draft {' '.join(SEAT_NAMES[seat] for seat in state.order[:n])}, {state.picks} taken")
    if state.face_up:
        lines.append(
            " ".join(["table", *(f"{SYMBOLS[top]}/{name_of(state.under[top])}" for top in cards_in(state.face_up))])
        )
    resolved = [SYMBOLS[card] for card in cards_in(state.gone) if 1 + card not in state.played]
    return "\n".join([*lines, " ".join(["gone", *resolved])] if resolved else lines)


def row_text(state, seat):
    """One player; a star marks a card in hand that all have seen, a question mark one that the viewer has not."""
    hand = [SYMBOLS[card] + "*" * (int(state.shown) >> card & 1) for card in cards_in(state.hand[seat])]
    hand += ["?"] * (state.held[seat] - len(hand))
    plays = [f"plays {name_of(state.played[seat])}"] if state.played[seat] else []
    start = [SEAT_NAMES[seat], f"tile {state.tile[seat]}", f"stops {state.stops[seat]}", *plays]
    return "  ".join([*start, " ".join(["hand", *hand])])


def track_text(state):
    """The track as a picture: players by letter, hulks as o, several ships on one tile as @."""
    signs = ["."] * (state.params.gate + 1)
    for ship in range(state.ships):
        tile, sign = state.tile[ship], SEAT_NAMES[ship] if ship < state.players else "o"
        signs[tile] = sign if signs[tile] == "." else "@"
    ruler = "".join(f"{tile:<10}" for tile in range(0, state.params.gate + 1, 10))
    return [f"|{ruler.rstrip()}", f"|{''.join(signs)}|"]


def cards_in(cards):
    return [card for card in range(CARDS) if int(cards) >> card & 1]


def outcome_text(state):
    name, tile = SEAT_NAMES[state.winner - 1], state.tile[state.winner - 1]
    if tile == state.params.gate:
        return f"{name} wins: through the Warp Gate in round {state.round_no + 1}"
    if list(state.tile[: state.players]).count(tile) > 1:
        return f"{name} wins by lot: several ships are equally far, on tile {tile}"
    how = "rearmost outside the Singularity" if state.params.limit_winner == REARMOST else "nearest to the gate"
    return f"{name} wins: {how} after round {state.round_no + 1}, on tile {tile}"


# ------------------------------------------------------------------------------------------------ reading positions

HEAD = re.compile(r"round (\d+), turn (\d+): (\w+)(?:, ([a-d]) wins)?", re.IGNORECASE)
ROW = re.compile(r"([a-d])\s+tile (\d+)\s+stops (\d+)\s+(?:plays (\w+)\s+)?hand(.*)", re.IGNORECASE)
QUEUE = re.compile(r"draft((?: [a-d])+), (\d+) taken", re.IGNORECASE)


def parse_state(text, state):
    """Read what `state_text` writes, of a true state or of a view."""
    state.phase = UNKNOWN
    seats = []
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if line and not line.startswith("|"):
            try:
                seats += parse_line(line, state)
            except BadNotation as error:
                raise BadNotation(f"line {number}: {error}") from None
    if state.phase == UNKNOWN:
        raise BadNotation("the position lacks its first line, such as 'Round 1, turn 1: choose'")
    if sorted(seats) != list(range(state.players)):
        raise BadNotation(f"the position must have one row for each of {state.players} players")
    check_position(state)


def parse_line(line, state):
    """Fill in what one line says; gives back the seats that have had their row."""
    word, *rest = line.split()
    if match := HEAD.fullmatch(line):
        parse_head(match, state)
    elif match := ROW.fullmatch(line):
        return [parse_row(match, state)]
    elif match := QUEUE.fullmatch(line):
        parse_queue(match, state)
    elif word == "hulks":
        parse_hulks(rest, state)
    elif word == "table":
        for stack in rest:
            parse_stack(stack, state)
    elif word == "gone":
        for name in rest:
            lay_open(state, new_card(state, name))
    else:
        raise BadNotation(f"{line!r} is no line of a position")
    return []


def parse_head(match, state):
    if match[3].lower() not in PHASES:
        raise BadNotation(f"{match[3]!r} is no phase; it is one of {', '.join(PHASES)}")
    state.phase = PHASES.index(match[3].lower())
    state.round_no = number_upto(match[1], state.params.rounds, "round", least=1) - 1
    state.turn_no = number_upto(match[2], TURNS, "turn", least=1) - 1
    state.winner = 1 + seat_named(match[4], state) if match[4] else 0
    if (state.phase == OVER) != (state.winner > 0):
        raise BadNotation("a match has a winner when it is over, and only then")


def parse_row(match, state):
    seat = seat_named(match[1], state)
    state.tile[seat] = number_upto(match[2], state.params.gate, "tile")
    state.stops[seat] = number_upto(match[3], state.params.stops, "number of stops")
    if match[4]:
        card = new_card(state, match[4])
        lay_open(state, card)
        state.played[seat] = 1 + card
    for word in match[5].split():
        state.held[seat] += 1
        if word != "?":
            card = new_card(state, word.rstrip("*"))
            state.hand[seat] |= 1 << card
            state.shown |= word.endswith("*") << card
    return seat


def parse_queue(match, state):
    queue = [seat_named(letter, state) for letter in match[1].split()]
    if sorted(queue) != list(range(state.players)):
        raise BadNotation(f"the order of the draft must name each player once, not{match[1]}")
    state.order[: len(queue)] = queue
    state.picks = number_upto(match[2], PICKS * len(queue) - 1, "number of picks")


def parse_hulks(words, state):
    expected = 2 if state.players > 2 and state.params.second_hulk else 1
    if len(words) != expected:
        raise BadNotation(f"{expected} belong here, not {len(words)}: write the tile of each hulk")
    state.ships = state.players + expected
    state.tile[state.players : state.ships] = sorted(number_upto(word, state.params.gate - 1, "tile") for word in words)


def parse_stack(stack, state):
    top_name, slash, under_name = stack.partition("/")
    if not slash:
        raise BadNotation(f"{stack!r} is no stack; write its two cards as in Ar/Qt or Ar/?")
    top = new_card(state, top_name)
    state.face_up |= 1 << top
    state.shown |= 1 << top
    state.under[top] = UNKNOWN if under_name == "?" else 1 + new_card(state, under_name)
    if state.under[top] > 0 and not state.params.secrets:
        state.shown |= 1 << state.under[top] - 1


def lay_open(state, card):
    state.gone |= 1 << card
    state.shown |= 1 << card


def new_card(state, name):
    """The card of that name, which must not have been put anywhere yet."""
    card = card_named(name)
    placed = [*cards_in(state.face_up | state.gone), *(under - 1 for under in state.under)]
    if card in placed or any(int(hand) >> card & 1 for hand in state.hand):
        raise BadNotation(f"{SYMBOLS[card]} lies in two places; there is only one")
    return card


def seat_named(letter, state):
    seat = SEAT_NAMES.index(letter.upper())
    if seat >= state.players:
        raise BadNotation(f"there is no player {letter} among {state.players}")
    return seat


def number_upto(word, most, what, least=0):
    if not word.isdecimal() or not least <= int(word) <= most:
        raise BadNotation(f"{word!r} is no {what} from {least} to {most}")
    return int(word)


def check_position(state):
    """What no single line can tell."""
    n, gate = state.players, state.params.gate
    if state.ships == 0:
        raise BadNotation("the position lacks its line of hulks")
    tiles = [tile for tile in state.tile[: state.ships] if 0 < tile < gate]
    if len(set(tiles)) < len(tiles):
        raise BadNotation("two ships share a tile; only the Singularity holds several")
    stacks = PICKS * n - state.picks if state.phase == DRAFT else 0
    if len(cards_in(state.face_up)) != stacks:
        raise BadNotation(f"the table must have {stacks} stacks, not {len(cards_in(state.face_up))}")
    if state.phase == DRAFT and not state.order.any():
        raise BadNotation("a draft needs its order, such as 'draft B A, 0 taken'")
    if state.phase == STOP and not any(state.played):
        raise BadNotation("somebody must be about to play a card when the phase is stop")
    if state.phase == STOP and not state.stops[min(range(n), key=lambda seat: state.played[seat] or CARDS + 1)]:
        raise BadNotation("the player whose card is about to resolve has no stop left")
    for seat in range(n):
        if state.phase != OVER and state.held[seat] != due(state, seat):
            raise BadNotation(f"{SEAT_NAMES[seat]} must have {due(state, seat)} cards in hand, not {state.held[seat]}")


def due(state, seat):
    """How many cards a player holds at this point of a round."""
    if state.phase == DRAFT:
        place = list(state.order[: state.players]).index(seat)
        return 2 * len(range(place, state.picks, state.players))
    return HAND - state.turn_no - (state.phase == STOP)
