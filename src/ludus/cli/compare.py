"""`ludus compare`: two versions of the rules on the same seeds; killed at any moment, it goes on where it was."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ludus.cli import options
from ludus.errors import BadInput

if TYPE_CHECKING:
    from ludus.playtest.compare import Compared, Comparison, Pairs
    from ludus.playtest.differences import Difference

EXAMPLE = "Example: ludus compare connect_four --b rows=5 --agent random --agent mcts:sims=64"


def command(
    game: options.GameName,
    other: Annotated[
        str | None, typer.Argument(help="The game of version B, if it is another.", metavar="OTHER")
    ] = None,
    a: Annotated[list[str], typer.Option("--a", help="One rule of version A: --a NAME=VALUE. May be repeated.")] = [],  # noqa: B006 (typer reads it, nobody changes it)
    b: Annotated[list[str], typer.Option("--b", help="One rule of version B: --b NAME=VALUE. May be repeated.")] = [],  # noqa: B006
    a_preset: Annotated[str, typer.Option(help="A named set of rules for version A.")] = "default",
    b_preset: Annotated[str, typer.Option(help="A named set of rules for version B.")] = "default",
    agent: Annotated[
        list[str], typer.Option(help="Plays against itself; several are several levels of skill.", metavar="SPEC")
    ] = ["mcts:sims=64"],  # noqa: B006
    players: Annotated[int, typer.Option(help="Number of players; 0 takes the fewest.")] = 0,
    games: Annotated[int, options.games("Most pairs of matches; it stops when it knows enough.", low=2)] = 10_000,
    matters: Annotated[
        list[str], typer.Option(help="Smallest difference that matters: --matters turns=2. May be repeated.")
    ] = [],  # noqa: B006
    out: Annotated[Path | None, options.folder("Folder of matches and page; the same command resumes.")] = None,
    jobs: options.Jobs = 0,
    seed: options.Seed = 0,
    json: options.Json = False,
) -> None:
    """Compare two versions of a game: the same seeds under both, until the differences are clear. Write a page."""
    from ludus.playtest.compare import MOST_PAIRS, Version, compare
    from ludus.report.comparison import write

    if games > MOST_PAIRS:
        raise BadInput(f"a comparison has at most {MOST_PAIRS:,} pairs, not {games:,}")
    comparison = compare(
        Version.of(game, a_preset, options.read_rules(a)),
        Version.of(other or game, b_preset, options.read_rules(b)),
        agent, players, seed,
    )  # fmt: skip
    compared, folder = _kept(comparison, out, jobs, read_sizes(matters), games)
    page = write(compared, folder)
    if json:
        options.print_json({"page": str(page), **compared.to_dict()})
    else:
        _show(compared, page)


def _kept(
    comparison: Comparison, out: Path | None, jobs: int, sizes: dict[str, float], games: int
) -> tuple[Compared, Path]:
    """Play what is missing in the series of this content."""
    from ludus.playtest.compare import Pairs, quantities
    from ludus.playtest.series import series
    from ludus.records import Store
    from ludus.workers import Threads

    quantities(comparison, sizes)  # refuses a wrong name before a folder is made
    folder, note = series(out or Path("compared") / comparison.name, comparison.content)
    with Store(folder / "matches.sqlite") as store:
        return replace(_run(Pairs(comparison, store, Threads(jobs), sizes), games), note=note), folder


def read_sizes(items: list[str]) -> dict[str, float]:
    """The numbers in NAME=VALUE items."""
    sizes: dict[str, float] = {}
    for name, text in options.read_rules(items).items():
        try:
            sizes[name] = float(str(text))
        except ValueError:
            raise BadInput(f"the smallest difference that matters is a number, not {text!r}") from None
    return sizes


def _run(matches: Pairs, pairs: int) -> Compared:
    """Intervals hold whenever one stops, so one may stop it by hand, too."""
    with options.progress_bar() as bar:
        task = bar.add_task("pairs", total=2 * pairs * len(matches.comparison.agents))
        try:
            return matches.run(pairs, lambda played: bar.advance(task, played))
        except KeyboardInterrupt:
            compared = matches.compared(pairs)
            if not compared.levels:
                raise
            return compared


def _show(compared: Compared, page: Path) -> None:
    a, b = compared.comparison.texts
    print(f"A: {a}\nB: {b}\n")
    for sentence in [*compared.sentences, *compared.faults, *filter(None, [compared.note])]:
        print(sentence)
    for level in compared.levels:
        title = f"\n{level.agent} against itself, {level.pairs:,} pairs of matches"
        options.print_table(title, ("quantity", "A", "B", "B - A", "verdict"), [_row(one) for one in level.differences])
        for one in level.differences:
            if one.verdict == "not sure yet" and not one.quantity.is_headline:
                print(one.sentence)
    print(
        f"All {compared.looked_at} intervals of differences hold together with 95 % confidence, whenever one stops.\n"
        f"Charts, and intervals for A and B: {page}"
    )


def _row(one: Difference) -> tuple[str, ...]:
    digits, unit = one.digits, one.quantity.unit.replace("points", "%")
    name = one.quantity.name + ("" if unit in one.quantity.name else f", {unit}")
    value, low, high = (f"{x:+z.{digits}f}" for x in (one.difference.value, one.difference.low, one.difference.high))
    return name, f"{one.a.value:.{digits}f}", f"{one.b.value:.{digits}f}", f"{value} [{low}, {high}]", one.verdict
