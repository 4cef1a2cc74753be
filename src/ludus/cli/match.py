"""`ludus match`: some agents, many mirrored matches, one table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ludus.cli import options
from ludus.errors import BadInput

if TYPE_CHECKING:
    from ludus.game import Game
    from ludus.records import MatchRecord

EXAMPLE = "Example: ludus match connect_four mcts:sims=400 random --games 200"


def command(
    game: options.GameName,
    specs: Annotated[list[str], typer.Argument(help="An agent for each player, like mcts:sims=400.", metavar="SPEC…")],
    games: Annotated[int, typer.Option(help="Matches, rounded up to whole blocks of all seatings.", min=1)] = 100,
    preset: options.Preset = "default",
    rule: options.Rules = [],  # noqa: B006 (typer reads it, nobody changes it)
    start: options.Start = None,
    seconds: Annotated[float, typer.Option(help="Thinking time a move; overrunning it loses. 0: no limit.")] = 0.0,
    records: Annotated[Path | None, typer.Option(help="Write every match to this file as JSON lines.")] = None,
    svg: Annotated[Path | None, typer.Option(help="Draw the end of the first match into this file.")] = None,
    ply: Annotated[int | None, typer.Option(help="With --svg: draw the position after so many plies.", min=0)] = None,
    jobs: options.Jobs = 1,
    seed: options.Seed = 0,
    json: options.Json = False,
) -> None:
    """Play a lineup of agents in blocks: every agent in every seat, with the same luck."""
    from ludus.arena.contest import contest
    from ludus.arena.hosts import Clock
    from ludus.catalogue import load
    from ludus.records import write_records

    rulebook = load(game)
    rules = options.read_rules(rule)
    if len(specs) < 2 and rulebook.facts.players[0] > 1:
        raise BadInput(f"{rulebook.name} needs {rulebook.facts.players[0]} agents, not {len(specs)}")
    opening = options.read_start(rulebook, start, len(specs), rulebook.rule_values(preset, rules))
    _check_svg(svg, ply)
    kept: list[MatchRecord] = []
    with options.progress_bar() as bar:
        task = bar.add_task(f"{rulebook.name}", total=-(-games // len(specs)) * len(specs))
        result = contest(
            game, specs, games=games, seed=seed, preset=preset, rules=rules, start=opening,
            clock=Clock(seconds) if seconds else None, jobs=options.thread_count(jobs),
            watch=lambda done: bar.advance(task, done), keep=kept.append if records or svg else None,
        )  # fmt: skip
    if records:
        write_records(records, kept)
    drawn = _draw(rulebook, _first(kept), ply, svg) if svg else ""
    if json:
        options.print_json(result.to_dict() | ({"svg": str(svg)} if svg else {}))
        return
    rows = [
        (one.spec, one.wins, one.draws, result.games - one.wins - one.draws,
         f"{100 * one.score:.1f} %", f"[{100 * one.low:.1f}, {100 * one.high:.1f}]")
        for one in result.agents
    ]  # fmt: skip
    faults = "".join(f"; {count} ended by {fault}" for fault, count in result.faults.items())
    note = f"{result.games:,} matches, {result.mean_plies:.1f} plies on average, seed {seed}{faults}{drawn}"
    options.print_table(
        rulebook.facts.title, ("agent", "wins", "draws", "losses", "score", "95 % interval"), rows, note
    )


def _check_svg(svg: Path | None, ply: int | None) -> None:
    """Before the first match: nobody wants to hear of it after the last."""
    if ply is not None and svg is None:
        raise BadInput("--ply says which position --svg draws; give --svg FILE too")
    if svg is not None and not svg.parent.is_dir():
        raise BadInput(f"there is no folder {svg.parent}")


def _first(records: list[MatchRecord]) -> MatchRecord:
    """Threads may finish matches in any order."""
    return min(records, key=lambda record: (record.block, record.rotation))


def _draw(game: Game, record: MatchRecord, ply: int | None, svg: Path) -> str:
    """Write the picture that somebody who only watches may see; gives back a note of where it is."""
    from ludus.arena.match import replay
    from ludus.draw import picture
    from ludus.game import View

    ply = record.plies if ply is None else ply
    if ply > record.plies:
        raise BadInput(f"the first match took {record.plies} plies, so --ply cannot be {ply}")
    now, before = (replay(record, steps, game).states for steps in (ply, max(0, ply - 1)))
    try:
        svg.write_text(picture(View.public(game, now), View.public(game, before)), encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{svg} cannot be written: {error.strerror}") from None
    return f"\nthe first match at ply {ply} is drawn in {svg}"
