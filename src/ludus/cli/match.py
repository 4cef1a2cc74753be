"""`ludus match`: some agents, many mirrored matches, one table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ludus.cli import options
from ludus.errors import BadInput

if TYPE_CHECKING:
    import numpy as np
    from rich.progress import Progress

    from ludus.arena.contest import Contest
    from ludus.arena.kept import Kept
    from ludus.arena.statistics import Interval
    from ludus.game import Game
    from ludus.records import MatchRecord

EXAMPLE = "Example: ludus match connect_four mcts:sims=400 random --games 200"


Specs = Annotated[list[str], typer.Argument(help="An agent for each player, like mcts:sims=400.", metavar="SPEC…")]
RECORDS = "Add every match to this file as JSON lines; the same command goes on with it."


def command(
    game: options.GameName,
    specs: Specs,
    games: Annotated[int, options.games("Matches, rounded up to whole blocks of all seatings.")] = 100,
    preset: options.Preset = "default",
    rule: options.Rules = [],  # noqa: B006 (typer reads it, nobody changes it)
    start: options.Start = None,
    maps: options.Maps = None,
    seconds: options.Seconds = 0.0,
    records: Annotated[Path | None, options.target(RECORDS)] = None,
    svg: Annotated[Path | None, options.target("Draw the end of the first match into this file.")] = None,
    ply: Annotated[int | None, typer.Option(help="With --svg: draw the position after so many plies.", min=0)] = None,
    trust: options.Trust = [],  # noqa: B006
    sandbox: options.Sandbox = False,
    debug: options.Debug = False,
    jobs: options.Jobs = 1,
    on: options.On = "threads",
    seed: options.Seed = 0,
    json: options.Json = False,
) -> None:
    """Play a lineup of agents in blocks: every agent in every seat, with the same luck."""
    from ludus.arena.contest import contest
    from ludus.catalogue import load

    rulebook, rules = load(game), options.read_rules(rule)
    values = rulebook.rule_values(preset, rules)
    _check(rulebook, specs, values, svg, ply)
    opening, games = _opening(rulebook, start, maps, len(specs), values, games)
    safety = options.safety(trust, sandbox, debug)
    kept = _kept(records, rulebook, specs, values, seed, seconds, opening) if records else None
    play = partial(
        contest, game, specs, games=games, seed=seed, preset=preset, rules=rules, start=opening,
        clock=options.clock(seconds), workers=options.places(on, jobs), safety=safety,
    )  # fmt: skip
    result, first = _watched(play, f"{rulebook.name}: {specs[0]}", -(-games // len(specs)) * len(specs), kept, svg)
    drawn = _draw(rulebook, first, ply, svg) if svg and first else ""
    if json:
        options.print_json(result.to_dict() | ({"svg": str(svg)} if svg else {}))
    else:
        _show(rulebook, result, f"{options.trust_note(specs, safety)}\n{drawn}")


def _kept(path: Path, *lineup: Any) -> Kept:
    """The file of --records; says where it had to be begun anew."""
    from ludus.arena.kept import Kept

    kept = Kept(path, *lineup)
    if kept.said:
        options.say(kept.said)
    return kept


def _watched(
    play: Callable[..., Contest], title: str, total: int, kept: Kept | None, svg: Path | None
) -> tuple[Contest, MatchRecord | None]:
    """Play with a bar; the result, and the first record if anybody wants one."""
    with options.progress_bar() as bar:
        listener = _Listener(bar, title, total, kept)
        keep = listener.keep if kept or svg else None
        result = play(watch=listener.watch, live=listener.live, keep=keep, played=listener.played())
    return result, listener.first


def _opening(
    game: Game, start: Path | None, maps: Path | None, players: int, values: dict, games: int
) -> tuple[np.ndarray | None, int]:
    """Where the matches begin, if not where the rules say: at one position, or on each map once; and how many."""
    if maps is None:
        return options.read_start(game, start, players, values), games
    found = options.read_maps(game, maps, players, values)
    return found, len(found) * players


def _check(game: Game, specs: list[str], values: dict, svg: Path | None, ply: int | None) -> None:
    if len(specs) < 2 and game.facts.players[0] > 1:
        raise BadInput(f"{game.name} needs {game.facts.players[0]} agents, not {len(specs)}")
    if ply is not None and svg is None:
        raise BadInput("--ply says which position --svg draws; give --svg FILE too")
    options.note_other_rules(specs, game, values)


class _Listener:
    """Hears of every match: moves the bar, writes the file, and remembers the first match for its picture."""

    def __init__(self, bar: Progress, title: str, total: int, kept: Kept | None):
        self.bar, self.title, self.kept = bar, title, kept
        self.task = bar.add_task(title, total=total)
        self.first: MatchRecord | None = None

    def played(self) -> Iterator[MatchRecord]:
        for record in self.kept.file.read() if self.kept else ():
            self._look(record)
            yield record

    def keep(self, record: MatchRecord) -> None:
        self._look(record)
        if self.kept:
            self.kept.keep(record)

    def _look(self, record: MatchRecord) -> None:
        if record.block == record.rotation == 0:  # threads may finish matches in any order
            self.first = record

    def watch(self, done: int) -> None:
        if self.kept:
            self.kept.write()
        self.bar.advance(self.task, done)

    def live(self, score: Interval) -> None:
        """An interval that may be watched: it holds whenever one stops."""
        rate = f"{100 * score.value:.1f} % [{100 * score.low:.1f}, {100 * score.high:.1f}]"
        self.bar.update(self.task, description=f"{self.title} {rate}")


def _show(game: Game, result: Contest, notes: str) -> None:
    rows = [
        (one.spec, one.wins, one.draws, result.games - one.wins - one.draws,
         f"{100 * one.score:.1f} %", f"[{100 * one.low:.1f}, {100 * one.high:.1f}]")
        for one in result.agents
    ]  # fmt: skip
    limited = f"; {result.limited:,} reached the most plies" if result.limited else ""
    note = f"{result.games:,} matches, {result.mean_plies:.1f} plies on average, seed {result.seed}{limited}"
    columns = ("agent", "wins", "draws", "losses", "score", "95 % interval")
    options.print_table(game.facts.title, columns, rows, f"{note}\n{notes.strip()}".strip())
    for fault in result.faults:
        print(f"{fault.text} (first: block {fault.key[1]}, rotation {fault.key[2]})")


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
    return f"the first match at ply {ply} is drawn in {svg}"
