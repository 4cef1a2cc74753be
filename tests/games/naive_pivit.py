"""A slow second Pivit: a dictionary of pieces, written from the rule book and not from the compiled rules."""

from __future__ import annotations

from dataclasses import dataclass, replace

START = {
    # (side, players): colours along the top and bottom row, colours down the left and right column
    (8, 2): ("BRBBRB", "RBRRBR"),
    (6, 2): ("RBRB", "BRBR"),
    (8, 3): ("RBGRBG", "GBRGBR"),
    (8, 4): ("RBGYRB", "GYRBGY"),
}


@dataclass(frozen=True)
class Piece:
    owner: int
    axis: str
    master: bool = False


class NaivePivit:
    def __init__(self, state) -> None:
        """The rules of a compiled state, and an empty board."""
        self.players = int(state.players)
        self.side = 6 if state.params.board == 1 else 8
        self.promotion = state.params.promotion == 1
        self.ties_are_draws = state.params.tie == 1
        self.stuck_loses = state.params.stuck == 1
        self.cap = int(state.params.cap)
        self.quiet_limit = int(state.params.quiet)
        self.pieces: dict[tuple[int, int], Piece] = {}
        self.first_promotions: list[int] = []
        self.turn = self.plies = self.quiet = 0
        self.winners: list[int] | None = None

    @classmethod
    def fresh(cls, state) -> NaivePivit:
        self = cls(state)
        across, down = START[self.side, self.players]
        for k, colour in enumerate(across, 1):
            for row in (0, self.side - 1):
                self.pieces[row, k] = Piece("RBGY".index(colour), "v")
        for k, colour in enumerate(down, 1):
            for column in (0, self.side - 1):
                self.pieces[k, column] = Piece("RBGY".index(colour), "h")
        assert not self.differs(state), f"the start: {self.differs(state)}"
        return self

    @classmethod
    def at(cls, state) -> NaivePivit:
        """The same position as a compiled state that is not over."""
        self = cls(state)
        self.pieces = pieces_of(state)
        self.first_promotions = promotions_of(state)
        self.turn, self.plies, self.quiet = int(state.turn), int(state.plies), int(state.quiet_plies)
        return self

    # -------------------------------------------------------------------------------------------- the rules

    def to_act(self) -> set[int]:
        return set() if self.winners is not None else {self.turn}

    def legal(self, player: int) -> set[int]:
        codes = set()
        for (row, column), piece in self.pieces.items():
            if piece.owner == player:
                for to_row, to_column in self.targets(row, column, piece):
                    codes.add(64 * (8 * row + column) + (8 * to_row + to_column))
        return codes

    def targets(self, row: int, column: int, piece: Piece) -> list[tuple[int, int]]:
        found = []
        for sense in (+1, -1):
            place = (row, column)
            while True:
                place = (place[0] + sense, column) if piece.axis == "v" else (row, place[1] + sense)
                if not (0 <= place[0] < self.side and 0 <= place[1] < self.side):
                    break
                other = self.pieces.get(place)
                if other and other.owner == piece.owner:
                    break
                same_colour = (place[0] + place[1]) % 2 == (row + column) % 2
                if piece.master or not same_colour:
                    found.append(place)
                if other:
                    break
        return found

    def step(self, actions: dict[int, int], after=None) -> None:
        origin, target = (divmod(number, 8) for number in divmod(actions[self.turn], 64))
        piece = self.pieces.pop(origin)
        captured = self.pieces.pop(target, None)
        corner = target[0] in (0, self.side - 1) and target[1] in (0, self.side - 1)
        promoted = self.promotion and corner and not piece.master
        if promoted:
            piece = replace(piece, master=True)
            if piece.owner not in self.first_promotions:
                self.first_promotions.append(piece.owner)
        self.pieces[target] = replace(piece, axis={"v": "h", "h": "v"}[piece.axis])
        self.plies += 1
        self.quiet = 0 if captured or promoted else self.quiet + 1
        self.judge()

    def judge(self) -> None:
        """End the game or pass the turn."""
        present = sorted({piece.owner for piece in self.pieces.values()})
        stuck = [player for player in present if not self.legal(player)]
        following = [(self.turn + k) % self.players for k in range(1, self.players + 1)]
        able = [player for player in following if player in present and player not in stuck]
        too_quiet = 0 < self.quiet_limit <= self.quiet
        if len(present) == 1:
            self.winners = present
        elif self.stuck_loses and stuck:
            self.winners = [player for player in present if player != max(stuck)]
        elif all(piece.master for piece in self.pieces.values()) or too_quiet or not able:
            self.winners = self.most_masters(present)
        elif self.plies >= self.cap:
            self.winners = present
        else:
            self.turn = able[0]

    def most_masters(self, present: list[int]) -> list[int]:
        count = {p: sum(piece.master for piece in self.pieces.values() if piece.owner == p) for p in present}
        best = [player for player in present if count[player] == max(count.values())]
        if len(best) > 1 and not self.ties_are_draws:
            for player in self.first_promotions:
                if player in best:
                    return [player]
        return best

    def returns(self) -> list[float]:
        assert self.winners is not None
        shares = [1 / len(self.winners) if player in self.winners else 0.0 for player in range(self.players)]
        return [(self.players * share - 1) / (self.players - 1) for share in shares]

    # -------------------------------------------------------------------------------------------- comparison

    def differs(self, state) -> str:
        if pieces_of(state) != self.pieces:
            return f"pieces {sorted(pieces_of(state).items(), key=str)} against {sorted(self.pieces.items(), key=str)}"
        winners = [player for player in range(4) if int(state.winners) >> player & 1]
        if winners != (self.winners or []):
            return f"winners {winners} against {self.winners}"
        if self.winners is None and state.turn != self.turn:
            return f"turn of {state.turn} against {self.turn}"
        if state.plies != self.plies or (self.quiet_limit and state.quiet_plies != self.quiet):
            return f"clocks {state.plies}, {state.quiet_plies} against {self.plies}, {self.quiet}"
        if not self.ties_are_draws and promotions_of(state) != self.first_promotions:
            return f"promotions {promotions_of(state)} against {self.first_promotions}"
        return ""


def pieces_of(state) -> dict[tuple[int, int], Piece]:
    numbers = enumerate(state.board.tolist())
    return {
        divmod(cell, 8): Piece(number // 4 - 1, "vh"[number % 2], number // 2 % 2 == 1)
        for cell, number in numbers
        if number
    }


def promotions_of(state) -> list[int]:
    ranks = state.promoted.tolist()
    return sorted((player for player in range(4) if ranks[player]), key=ranks.__getitem__)
