"""`ludus tournament`: many agents, mirrored blocks, ratings; killed at any moment, it goes on where it was."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ludus.cli import options

if TYPE_CHECKING:
    from ludus.arena.tournament import Outcome

EXAMPLE = "Example: ludus tournament connect_four random greedy mcts:sims=100 mcts:sims=400 --games 40"


def command(
    game: options.GameName,
    specs: Annotated[list[str], typer.Argument(help="The agents that take part.", metavar="SPEC…")],
    format: Annotated[
        str, typer.Option(help="round-robin, gauntlet (the first against all), or until-sure.")
    ] = "round-robin",
    games: Annotated[
        int, typer.Option(help="Matches of each lineup, in whole blocks; for until-sure at most.", min=1)
    ] = 100,
    players: Annotated[int, typer.Option(help="Number of players; 0 takes the fewest.")] = 0,
    preset: options.Preset = "default",
    rule: options.Rules = [],  # noqa: B006 (typer reads it, nobody changes it)
    seconds: Annotated[float, typer.Option(help="Thinking time a move; overrunning it loses. 0: no limit.")] = 0.0,
    elo: Annotated[float, typer.Option(help="until-sure: how much better counts, in normalised Elo.")] = 50.0,
    store: Annotated[Path, typer.Option(help="Where matches are kept; the same store and name resume.")] = Path(
        "ludus.sqlite"
    ),
    name: Annotated[str, typer.Option(help="Name of this tournament in the store.")] = "tournament",
    records: Annotated[Path | None, typer.Option(help="Also write every match to this file as JSON lines.")] = None,
    jobs: options.Jobs = 0,
    seed: options.Seed = 0,
    json: options.Json = False,
) -> None:
    """Play a tournament and rate the agents. A finished match is never lost or played twice."""
    from ludus.arena.tournament import Tournament, make_plan
    from ludus.records import Store, write_records

    plan = make_plan(
        game, specs, preset, options.read_rules(rule), players,
        format=format, seed=seed, move_seconds=seconds, elo1=elo, blocks=1,
    )  # fmt: skip
    plan = type(plan)(**{**vars(plan), "blocks": -(-games // plan.players)})
    with Store(store) as kept:
        contest = Tournament(plan, kept, name, options.thread_count(jobs))
        with options.progress_bar() as bar:
            task = bar.add_task(f"{name}: {game}", total=contest.total)
            outcome = contest.run(lambda played: bar.advance(task, played))
        if records:
            write_records(records, (record for _, record in kept.matches(name)))
    if json:
        options.print_json(outcome.to_dict())
    else:
        _show(outcome)


def _show(outcome: Outcome) -> None:
    ratings = outcome.ratings
    assert ratings is not None
    faults = outcome.faults
    rows = [
        (row.name, f"{row.rating:+.0f}", f"[{row.low:+.0f}, {row.high:+.0f}]", f"{100 * row.score:.1f} %", row.games,
         ", ".join(f"{n} {fault}" for fault, n in faults.get(row.name, {}).items()) or "-")
        for row in ratings.rows
    ]  # fmt: skip
    anchor = f"{ratings.anchor} = 0" if ratings.anchor else "mean = 0"
    title = f"{outcome.plan.game}: {outcome.plan.format}, {outcome.played:,} matches"
    seats = "; ".join(f"seat {k} {x.value:+.0f} [{x.low:+.0f}, {x.high:+.0f}]" for k, x in enumerate(ratings.seats, 1))
    note = f"95 % intervals by bootstrap over blocks, {anchor}; advantage of {seats}"
    options.print_table(title, ("agent", "Elo", "95 %", "score", "matches", "faults"), rows, note)
    if ratings.note:
        print(ratings.note)
    if outcome.verdict:
        _show_verdict(outcome)
    elif len(outcome.plan.agents) > 2:
        _show_pairs(outcome)


def _show_pairs(outcome: Outcome) -> None:
    names = [row.name for row in outcome.ratings.rows] if outcome.ratings else []
    rows = []
    for a in names:
        scores = [outcome.pairs.get((a, b)) for b in names]
        rows.append((a, *(f"{100 * score.value:.0f}" if score and score.n else "-" for score in scores)))
    options.print_table("Score in % against", ("agent", *(str(k) for k in range(1, len(names) + 1))), rows)


def _show_verdict(outcome: Outcome) -> None:
    verdict = outcome.verdict
    assert verdict is not None
    a, b = outcome.plan.agents
    words = {
        "accept H1": f"{a} is better than {b}",
        "accept H0": f"{a} is not better than {b}",
        "continue": "not sure yet; allow more --games",
    }
    ratio = f"log-likelihood ratio {verdict.llr:+.2f} (decides at {verdict.lower:.2f} and {verdict.upper:.2f})"
    print(f"{words[verdict.state]}: score {100 * verdict.score:.1f} % over {verdict.blocks} blocks, {ratio}")
