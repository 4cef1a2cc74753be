"""The one stepper: every real match, whoever drives it, goes through `Match`.

    match.waiting() -> {player: View}        who owes an action, and what each may know
    match.submit(player, action)             an answer; when all are in, the step is taken

An answer that is not allowed raises `AgentFault` and changes nothing; whoever drives the match decides whether the
player may try again (a person) or has lost (`forfeit`, for a program).
"""

from __future__ import annotations

import operator
import secrets
from collections.abc import Mapping, Sequence

import numpy as np

from ludus.agent import MOST_MEMORY
from ludus.catalogue import load
from ludus.errors import AgentFault, BadRecord, BadRules
from ludus.game import Game, View
from ludus.records import MatchRecord, no_action
from ludus.rng import match_words


class Match:
    """One playing of a game."""

    def __init__(
        self,
        game: Game,
        players: int,
        values: Mapping[str, object] | None = None,
        *,
        seed: int = 0,
        block: int = 0,
        rotation: int = 0,
        start: np.ndarray | None = None,
        salt: str = "",
    ):
        self.game = game
        self.players = players
        self.values = dict(game.params.values({}) if values is None else values)
        self.seed, self.block, self.rotation, self.salt = seed, block, rotation, salt
        self.words = match_words(seed, block, rotation, players, salt).reshape(1, -1)
        self._streams = np.zeros((players, 1 + MOST_MEMORY), np.uint64)
        self._streams[:, 0] = self.words[0, 1:]
        self.start = start
        game.check_setting(players, self.values)
        self.states = game.start(self.words, players, self.values) if start is None else start.copy()
        self.actions: list[int] = []
        self.plies = 0
        self.outcome, self.culprit, self.detail = "", -1, ""
        self.returns: list[float] = []
        self._answers: dict[int, int] = {}
        self._look_whether_over()

    @property
    def over(self) -> bool:
        return self.outcome != ""

    @property
    def acting(self) -> list[int]:
        """Players who still owe an action in this step."""
        if self.over:
            return []
        mask = int(self.game.waiting(self.states)[0])
        return [p for p in range(self.players) if mask >> p & 1 and p not in self._answers]

    def waiting(self) -> dict[int, View]:
        """A view for every player who owes an action."""
        return {player: View(self.game, self.states, player) for player in self.acting}

    def view(self, player: int) -> View:
        return View(self.game, self.states, player)

    def stream(self, player: int) -> np.ndarray:
        """The random stream of a seat, and behind its word what the agent there remembers. What is drawn from it
        stays drawn."""
        return self._streams[player]

    def submit(self, player: int, action: object) -> None:
        """Take a player's answer; refuse it with a reason if it is not a legal action of a player who owes one."""
        if player not in self.acting:
            raise AgentFault("illegal", f"player {player} owes no action now")
        number = whole_number(action)
        if not self.game.allows(self.states, player, number):
            raise AgentFault("illegal", self.game.refusal(self.states, player, number))
        self._answers[player] = number
        if not self.acting:
            self._step()

    def forfeit(self, player: int, outcome: str, detail: str = "") -> None:
        """End the match by a player's fault: it loses, the others share the point."""
        self.outcome, self.culprit, self.detail = outcome, player, detail
        others = max(self.players - 1, 1)
        self.returns = [-1 / others if seat == player else 1 / others**2 for seat in range(self.players)]

    def _step(self) -> None:
        joint = np.full((1, self.game.facts.players[1]), -1, np.int32)
        for player, action in sorted(self._answers.items()):
            joint[0, player] = action
            self.actions.append(action)
        self._answers = {}
        self.game.advance(self.states, joint, self.words)
        self.plies += 1
        self._look_whether_over()

    def _look_whether_over(self) -> None:
        mask = int(self.game.waiting(self.states)[0])
        if mask >> self.players:
            raise BadRules(f"{self.game.name}: to_act sets a bit that belongs to no player (mask {mask:b})")
        if mask == 0:
            self.outcome = "finished"
            self.returns = self.game.payoffs(self.states)[0, : self.players].tolist()
        elif self.plies >= self.game.facts.max_plies:
            self.outcome = "limit"
            self.returns = [0.0] * self.players
        elif (player := self.game.stuck(self.states)) >= 0:
            self.outcome, self.detail = "stuck", no_action(player)
            self.returns = [0.0] * self.players

    def outcome_text(self) -> str:
        """How the match ended, in a sentence."""
        if self.outcome == "finished":
            return self.game.outcome_text(self.states)
        if self.outcome == "stuck":
            return f"nobody can go on: at ply {self.plies} {self.detail}, a fault of the game"
        if self.culprit < 0:
            return f"a draw after {self.plies} plies, the most this game may take"
        return f"player {self.culprit + 1} loses: {self.outcome}" + (f" ({self.detail})" if self.detail else "")

    def record(self, agents: Sequence[str], seconds: Sequence[float] = (), printed: Sequence[str] = ()) -> MatchRecord:
        return MatchRecord(
            game=self.game.source,
            version=self.game.facts.version,
            rules=self.values,
            players=self.players,
            agents=list(agents),
            seed=self.seed,
            block=self.block,
            rotation=self.rotation,
            actions=self.actions,
            returns=self.returns,
            plies=self.plies,
            outcome=self.outcome,
            culprit=self.culprit,
            detail=self.detail,
            start=None if self.start is None else self.game.state_json(self.start[0]),
            seconds=[round(value, 4) for value in seconds],
            printed=list(printed),
            salt=self.salt,
        )


def fresh_salt() -> str:
    """A salt that nobody can guess, for a match in which somebody's own program plays.

    Each match has one of its own: what a record tells of a match that is over helps in no other.
    """
    return secrets.token_hex(16)


def whole_number(answer: object) -> int:
    """The action in an answer, whatever it is that somebody's code gave back."""
    try:
        number = operator.index(answer)  # pyright: ignore[reportArgumentType]
    except Exception:
        shown = repr(answer[:60]) if isinstance(answer, str) else f"a {type(answer).__name__}"
        raise AgentFault("illegal", f"an action is a whole number, not {shown}") from None
    if not -(1 << 31) <= number < 1 << 31:
        raise AgentFault("illegal", f"no action has so large a number: {number.bit_length():,} bits")
    return number


def replay(record: MatchRecord, steps: int | None = None, game: Game | None = None) -> Match:
    """The match of a record, played again up to a number of steps; refuses a record that the rules do not bear out."""
    game = load(record.game) if game is None else game
    if record.version != game.facts.version:
        raise BadRecord(f"the record is of {game.name} version {record.version}, this is version {game.facts.version}")
    start = None
    if record.start is not None:
        import json

        start = game.parse_state(json.dumps(record.start), record.players, record.rules)
    match = Match(
        game, record.players, game.params.values(record.rules),
        seed=record.seed, block=record.block, rotation=record.rotation, start=start, salt=record.salt,
    )  # fmt: skip
    answers = iter(record.actions)
    while not match.over and (steps is None or match.plies < steps):
        acting = match.acting
        given = [action for _, action in zip(acting, answers)]
        if len(given) < len(acting):
            break
        for player, action in zip(acting, given):
            try:
                match.submit(player, action)
            except AgentFault as error:
                raise BadRecord(f"at ply {match.plies}: {error}") from None
    if steps is None:
        _finish_as_recorded(match, record)
    return match


def _finish_as_recorded(match: Match, record: MatchRecord) -> None:
    if match.over:
        if match.outcome != record.outcome or not np.allclose(match.returns, record.returns):
            played = f"{match.outcome} {match.returns}"
            raise BadRecord(f"the record says {record.outcome} {record.returns}, the rules say {played}")
    elif record.culprit >= 0:
        match.forfeit(record.culprit, record.outcome, record.detail)
    else:
        raise BadRecord(f"the record stops at ply {match.plies} and does not say why")
