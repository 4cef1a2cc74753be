"""`ludus tournament`: many agents, mirrored blocks, ratings; killed at any moment, it goes on where it was."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ludus.cli import options

if TYPE_CHECKING:
    import numpy as np
    from rich.progress import Progress

    from ludus.arena.hosts import Safety
    from ludus.arena.ratings import Ratings
    from ludus.arena.schedule import Schedule
    from ludus.arena.standings import Standings
    from ludus.arena.statistics import GsprtResult, Interval
    from ludus.arena.tournament import Tournament
    from ludus.workers import Workers

EXAMPLE = "Example: ludus tournament connect_four random greedy mcts:sims=100 mcts:sims=400 --games 40"


Specs = Annotated[list[str], typer.Argument(help="The agents that take part.", metavar="SPEC…")]
Format = Annotated[str, typer.Option(help="round-robin, gauntlet (the first against all), or until-sure.")]
StoreFile = Annotated[Path, typer.Option(help="Where matches are kept; the same store and name go on.")]


def command(
    game: options.GameName,
    specs: Specs,
    format: Format = "round-robin",
    games: Annotated[int, options.games("Matches of each lineup, in whole blocks; for until-sure at most.")] = 100,
    players: Annotated[int, typer.Option(help="Number of players; 0 takes the fewest.", min=0)] = 0,
    preset: options.Preset = "default",
    rule: options.Rules = [],  # noqa: B006 (typer reads it, nobody changes it)
    maps: options.Maps = None,
    seconds: options.Seconds = 0.0,
    elo: Annotated[float, options.number("until-sure: how much better counts, in normalised Elo.")] = 50.0,
    store: StoreFile = Path("ludus.sqlite"),
    name: Annotated[str, typer.Option(help="Name of this tournament in the store; the game's, if none is given.")] = "",
    records: Annotated[Path | None, options.target("Also write every match to this file as JSON lines.")] = None,
    trust: options.Trust = [],  # noqa: B006
    sandbox: options.Sandbox = False,
    debug: options.Debug = False,
    jobs: options.Jobs = 0,
    on: options.On = "threads",
    seed: options.Seed = 0,
    json: options.Json = False,
) -> None:
    """Play a tournament and rate the agents. A finished match is never lost or played twice.

    The same command goes on where it was; with more games or more agents the tournament grows. Where a rule or an agent
    was edited, a fresh series begins beside the old one.
    """
    from ludus.arena.schedule import make_schedule

    schedule = make_schedule(
        game, specs, preset, options.read_rules(rule), players,
        format=format, seed=seed, move_seconds=seconds, elo1=elo, blocks=1,
    )  # fmt: skip
    schedule, start = _fill(schedule, maps, games)
    safety = options.safety(trust, sandbox, debug)
    standings = _play(schedule, start, store, name or Path(game).stem, options.places(on, jobs), safety, records)
    if json:
        options.print_json(standings.to_dict())
    else:
        _show(standings, specs, store, options.trust_note(specs, safety))


def _fill(schedule: Schedule, maps: Path | None, games: int) -> tuple[Schedule, np.ndarray | None]:
    """As many blocks as the matches, or the maps, ask for."""
    from ludus.catalogue import load

    game = load(schedule.game)
    options.note_other_rules(schedule.agents, game, schedule.rules)
    start = options.read_maps(game, maps, schedule.players, schedule.rules) if maps else None
    return replace(schedule, blocks=-(-games // schedule.players) if start is None else len(start)), start


def _play(
    schedule: Schedule,
    start: np.ndarray | None,
    store: Path,
    name: str,
    places: Workers,
    safety: Safety,
    records: Path | None,
) -> Standings:
    from ludus.arena.tournament import Tournament
    from ludus.records import Store, write_records

    with Store(store) as kept:
        tournament = Tournament(schedule, kept, name, places, safety, start)
        if tournament.said:
            options.say(tournament.said)
        with options.progress_bar() as bar:
            standings = tournament.run(_Watch(bar, tournament))
        if records:
            write_records(records, (record for _, record in kept.matches(standings.name)))
    return standings


class _Watch:
    """Moves the bar; where two agents play, with the first one's score so far."""

    def __init__(self, bar: Progress, tournament: Tournament):
        self.bar, self.tournament = bar, tournament
        self.title = f"{tournament.series.name}: {tournament.game.name}"
        self.task = bar.add_task(self.title, total=tournament.total)

    def __call__(self, played: int) -> None:
        from ludus.arena.statistics import confidence_sequence

        self.bar.advance(self.task, played)
        sums = self.tournament.first_scores()
        if sums and sums.blocks and not self.bar.disable:
            score = confidence_sequence(sums.total, sums.blocks)
            rate = f"{100 * score.value:.1f} % [{100 * score.low:.1f}, {100 * score.high:.1f}]"
            self.bar.update(self.task, description=f"{self.title}, {self.tournament.schedule.agents[0]} {rate}")


def _show(standings: Standings, specs: list[str], store: Path, trusted: str) -> None:
    title = f"{standings.name}: {Path(standings.game).stem}, {standings.played:,} matches"
    if standings.ratings:
        _show_ratings(title, standings, standings.ratings)
    else:
        print(f"{title}; no block is whole yet, so there is nothing to rate")
    for fault in standings.faults:
        print(f"{fault.text} (replay {'.'.join([standings.name, *map(str, fault.key)])})")
    if standings.faults:
        print(f"to see a replay: ludus serve --store {store}")
    if standings.test:
        _show_test(specs, standings.test)
    if len(standings.agents) > 2:
        _show_pairs(standings)
    if trusted:
        print(trusted)


def _show_ratings(title: str, standings: Standings, ratings: Ratings) -> None:
    failed = {fault.agent: 0 for fault in standings.faults}
    for fault in standings.faults:
        failed[fault.agent] += fault.count
    lasting = standings.lasting
    rows = [
        (row.name, f"{row.elo.value:+.0f}", f"[{row.elo.low:+.0f}, {row.elo.high:+.0f}]", f"{100 * row.score:.1f} %",
         row.elo.n, failed.get(row.name, 0), *([f"{100 * lasting[row.name]:.1f} %"] if lasting else []))
        for row in ratings.rows
    ]  # fmt: skip
    columns = ("agent", "Elo", "95 %", "score", "matches", "faults", *(["α-rank"] if lasting else []))
    anchor = f"{ratings.anchor} = 0" if ratings.anchor else "mean = 0"
    seats = "; ".join(f"seat {k} {x.value:+.0f} [{x.low:+.0f}, {x.high:+.0f}]" for k, x in enumerate(ratings.seats, 1))
    note = f"95 % intervals by bootstrap over blocks, {anchor}; advantage of {seats}"
    if standings.circles is not None:
        note += f"\n{100 * standings.circles:.1f} % of the cross-table are circles or noise, which no rating explains"
    options.print_table(title, columns, rows, f"{note}\n{ratings.note}".strip())


def _show_pairs(standings: Standings) -> None:
    names = [row.name for row in standings.ratings.rows] if standings.ratings else standings.agents
    rows = []
    for k, a in enumerate(names, 1):
        scores = [standings.pairs.get((a, b)) for b in names]
        rows.append((k, a, *(_cell(score) if score and score.n else "-" for score in scores)))
    columns = ("", "agent", *(str(k) for k in range(1, len(names) + 1)))
    many = "" if standings.players == 2 else "; the share of the point in matches where both sat"
    options.print_table(f"Score in % against, with 95 % intervals{many}", columns, rows)


def _cell(score: Interval) -> str:
    return f"{100 * score.value:.0f} [{100 * score.low:.0f}, {100 * score.high:.0f}]"


def _show_test(specs: list[str], test: GsprtResult) -> None:
    a, b = specs
    words = {
        "accept H1": f"{a} is better than {b}",
        "accept H0": f"{a} is not better than {b}",
        "continue": "not sure yet; allow more --games",
    }
    ratio = f"log-likelihood ratio {test.llr:+.2f} (decides at {test.lower:.2f} and {test.upper:.2f})"
    print(f"{words[test.state]}: score {100 * test.score:.1f} % over {test.blocks} blocks, {ratio}")
