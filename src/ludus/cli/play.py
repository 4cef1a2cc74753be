"""`ludus play`: a game in the terminal, against any agent."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

import typer

from ludus.cli import options
from ludus.errors import BadInput, BadNotation, LudusError

if TYPE_CHECKING:
    from ludus.agent import Agent
    from ludus.arena.match import Match

EXAMPLE = "Example: ludus play connect_four --against mcts:sims=1000 --seat 1"
HELP = "Write an action, or: moves (what you may play), hint, undo, board, resign, quit."
HINT = "mcts:ms=700"


@dataclass
class Table:
    """One match between a person and agents."""

    match: Match
    seat: int
    rivals: dict[int, Agent]
    decisions: list[int] = field(default_factory=list)
    """The plies at which the person chose; undo goes back to the last."""


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
    seed: options.Seed = 0,
    json: options.Json = False,
) -> None:
    """Play in the terminal: the board as text, moves in the game's notation, with undo and hints."""
    from ludus.arena.match import Match
    from ludus.catalogue import agent, load

    rulebook = load(game)
    values = rulebook.rule_values(preset, options.read_rules(rule))
    n = players or max(1 + len(against), rulebook.facts.players[0])
    rulebook.check_setting(n, values)
    if seat > n:
        raise BadInput(f"there is no seat {seat} with {n} players")
    opening = options.read_start(rulebook, start, n, values)
    table = Table(Match(rulebook, n, values, seed=seed, start=opening), seat - 1, {})
    others = [player for player in range(n) if player != table.seat]
    table.rivals = {player: agent(against[min(k, len(against) - 1)], rulebook) for k, player in enumerate(others)}
    print(f"{rulebook.facts.title}. You are player {table.seat + 1} of {n}. {HELP}\n")
    _play(table)
    seats = ["person" if player == table.seat else table.rivals[player].spec for player in range(n)]
    if json:
        print(table.match.record(seats).to_json())


def _play(table: Table) -> None:
    match = table.match
    while not match.over:
        waiting = match.waiting()
        for player in sorted(waiting, key=lambda player: player == table.seat):
            if player != table.seat:
                _let_rival_act(table, player, waiting[player], len(waiting) > 1)
        if table.seat in waiting and not _ask_person(table, waiting[table.seat]):
            return
        match = table.match
    print(match.view(table.seat).text)
    result = match.returns[table.seat]
    word = "You win" if result == max(match.returns) and result > 0 else "A draw" if result == 0 else "You lose"
    print(f"\n{word}: {match.outcome_text()}.")


def _let_rival_act(table: Table, player: int, view, at_once: bool) -> None:
    rival = table.rivals[player]
    action = rival.act(view, table.match.stream(player))
    # What is chosen at the same time stays secret until all have chosen.
    if not at_once:
        print(f"player {player + 1} ({rival.spec}): {_seen_by(table, player, action)}")
    table.match.submit(player, action)


def _seen_by(table: Table, player: int, action: int) -> str:
    """The rival's action in words, unless the game hides what rivals do."""
    facts = table.match.game.facts
    if facts.secret_actions:
        return "has decided"
    return table.match.game.action_text(table.match.states[0], player, action)


def _ask_person(table: Table, view) -> bool:
    """One decision of the person; false if the match is left."""
    print(f"\n{view.text}\n")
    while True:
        try:
            text = input("your move> ").strip()
        except EOFError:
            text = "quit"
        word = text.lower()
        if word in ("quit", "exit"):
            print("Left.")
            return False
        if word == "resign":
            table.match.forfeit(table.seat, "resigned")
            return True
        if word == "undo":
            if _undo(table):
                return True
            print("There is nothing to take back.")
        elif word == "moves":
            print("  ".join(view.action_text(int(action)) for action in view.legal))
        elif word == "board":
            print(f"\n{view.text}\n")
        elif word == "hint":
            _hint(view)
        elif word in ("help", "?", ""):
            print(HELP)
        else:
            try:
                action = view.parse(text)
            except BadNotation as error:
                print(f"{error}")
                continue
            table.decisions.append(table.match.plies)
            table.match.submit(table.seat, action)
            return True


def _undo(table: Table) -> bool:
    """Go back to the person's last decision."""
    from ludus.arena.match import replay

    if not table.decisions:
        return False
    ply = table.decisions.pop()
    table.match = replay(table.match.record([]), steps=ply, game=table.match.game)
    return True


def _hint(view) -> None:
    from ludus.catalogue import agent
    from ludus.rng import stream

    try:
        adviser = agent(HINT, view.game)
        action = adviser.act(view, stream(1))
    except LudusError as error:
        print(f"no hint: {error}")
        return
    thoughts = adviser.thoughts
    assert thoughts is not None
    ranked = zip(thoughts.actions[:4], thoughts.values, thoughts.visits)
    lines = [f"  {view.action_text(a):12} expects {value:+.2f}, {visits:,} visits" for a, value, visits in ranked]
    print(f"hint: {view.action_text(action)}\n" + "\n".join(lines))
