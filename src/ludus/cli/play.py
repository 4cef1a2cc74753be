"""`ludus play`: a game in the terminal, against any agent."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

import typer

from ludus.cli import options
from ludus.errors import AgentFault, BadInput, LudusError

if TYPE_CHECKING:
    from ludus.arena.hosts import Host, Safety
    from ludus.arena.live import LiveMatch, Question
    from ludus.game import Game, View

EXAMPLE = "Example: ludus play connect_four --against mcts:sims=1000 --seat 1"
HELP = "Write an action, or: moves (what you may play), hint, undo, board, resign, quit."


def command(
    game: options.GameName,
    against: Annotated[
        list[str], typer.Option(help="A rival; repeat it for more than two players.", metavar="SPEC")
    ] = ["mcts:sims=1000"],  # noqa: B006 (typer reads it, nobody changes it)
    seat: Annotated[int, typer.Option(help="Your seat; 1 begins in most games.", min=1)] = 1,
    players: Annotated[int, typer.Option(help="Number of players; 0: you and the rivals named.")] = 0,
    preset: options.Preset = "default",
    rule: options.Rules = [],  # noqa: B006 (typer reads it, nobody changes it)
    start: options.Start = None,
    trust: options.Trust = [],  # noqa: B006
    sandbox: options.Sandbox = False,
    debug: options.Debug = False,
    seed: options.Seed = 0,
    json: options.Json = False,
) -> None:
    """Play in the terminal: the board as text, moves in the game's notation, with undo and hints."""
    from ludus.arena.live import HUMAN, LiveMatch, Seat
    from ludus.arena.match import Match
    from ludus.catalogue import load

    rulebook = load(game)
    values = rulebook.rule_values(preset, options.read_rules(rule))
    n = players or max(1 + len(against), rulebook.facts.players[0])
    rulebook.check_setting(n, values)
    opening = options.read_start(rulebook, start, n, values)
    rivals = [against[min(k, len(against) - 1)] for k in range(n - 1)]
    if seat > n:
        raise BadInput(f"there is no seat {seat} with {n} players")
    hosts, salt = _start(rivals, rulebook, values, options.safety(trust, sandbox, debug))
    seats = [Seat(spec, one) for spec, one in zip(rivals, hosts)]
    seats.insert(seat - 1, Seat(HUMAN))
    person = Terminal(LiveMatch(Match(rulebook, n, values, seed=seed, start=opening, salt=salt), seats), seat - 1)
    print(f"{rulebook.facts.title}. You are player {seat} of {n}. {HELP}\n")
    try:
        person.play()
    finally:
        _close(hosts)
    if json:
        print(person.live.record().to_json())


def _start(specs: list[str], game: Game, values: dict, safety: Safety) -> tuple[list[Host], str]:
    """The rivals, and a secret salt where one of them is somebody's own program."""
    from ludus.arena.hosts import Here, host
    from ludus.arena.match import fresh_salt

    options.note_other_rules(specs, game, values)
    hosts = [host(spec, game, safety=safety) for spec in specs]
    for one in hosts:
        one.start()
    return hosts, "" if all(isinstance(one, Here) for one in hosts) else fresh_salt()


def _close(hosts: list[Host]) -> None:
    for one in hosts:
        one.close()


class Terminal:
    """One person at a keyboard, in a live match against agents."""

    def __init__(self, live: LiveMatch, seat: int):
        self.live, self.seat = live, seat
        self._told = 0
        """Moves that were printed."""

    def play(self) -> None:
        while not self.live.over:
            self._let_rivals_act()
            if self.seat in self.live.match.acting and not self._ask():
                return
            self._tell_moves()
        print(self.live.view(self.seat).text)
        print(f"\n{self._verdict()}: {self.live.match.outcome_text()}.")

    def _let_rivals_act(self) -> None:
        for question in self.live.owed():
            self._ask_rival(question)
        self.live.release()
        if (failed := self.live.failed) is not None:
            print(f"player {failed + 1} ({self.live.seats[failed].spec}) has failed: {self.live.seats[failed].fault}")
            self.live.give_up_on(failed)
        self._tell_moves()

    def _ask_rival(self, question: Question) -> None:
        from ludus.arena.hosts import USERS_CLOCK, Here

        host, started = self.live.seats[question.player].host, time.perf_counter()
        assert host is not None
        try:
            # What is ours may be asked to think for minutes.
            seconds = float("inf") if isinstance(host, Here) else USERS_CLOCK.move
            answer = host.ask(question.view, question.rng, seconds)
        except AgentFault as fault:
            answer = fault
        self.live.take_answer(question, answer, time.perf_counter() - started)

    def _tell_moves(self) -> None:
        """What rivals did, as far as this seat may know it."""
        moves = self.live.moves(self.seat)
        for _, player, words in moves[self._told :]:
            if player != self.seat:
                print(f"player {player + 1} ({self.live.seats[player].spec}): {words or 'has decided'}")
        self._told = len(moves)

    def _verdict(self) -> str:
        returns = self.live.match.returns
        own = returns[self.seat]
        return "You win" if own == max(returns) and own > 0 else "A draw" if own == 0 else "You lose"

    # -------------------------------------------------------------------------------------------- the person

    def _ask(self) -> bool:
        """One decision of the person; false if the match is left."""
        ply = self.live.match.plies
        view = self.live.view(self.seat)
        print(f"\n{view.text}\n")
        while self.seat in self.live.match.acting and self.live.match.plies == ply:
            try:
                text = input("your move> ").strip()
            except EOFError:
                text = "quit"
            if text.lower() in ("quit", "exit"):
                print("Left.")
                return False
            try:
                if self._obey(text, view):
                    break
            except BadInput as error:
                print(f"{error}")
        return True

    def _obey(self, text: str, view: View) -> bool:
        """Do what was typed; true if the position changed."""
        match text.lower():
            case "resign":
                self.live.resign(self.seat)
            case "undo":
                self.live.undo(self.seat)
                self._told = len(self.live.moves(self.seat))
            case "moves":
                print("  ".join(view.action_text(int(action)) for action in view.legal))
                return False
            case "board":
                print(f"\n{view.text}\n")
                return False
            case "hint":
                _hint(view)
                return False
            case "help" | "?" | "":
                print(HELP)
                return False
            case _:
                self.live.say(self.seat, text, self.live.match.plies)
        return True


def _hint(view: View) -> None:
    from ludus.arena.live import advise

    try:
        action, thoughts = advise(view)
    except LudusError as error:
        print(f"no hint: {error}")
        return
    assert thoughts is not None
    ranked = zip(thoughts.actions[:4], thoughts.values, thoughts.visits)
    lines = [f"  {view.action_text(a):12} expects {value:+.2f}, {visits:,} visits" for a, value, visits in ranked]
    print(f"hint: {view.action_text(action)}\n" + "\n".join(lines))
