"""`ludus reproduce`: measure the claims of a published system again; killed at any moment, it goes on where it was."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ludus.cli import options
from ludus.errors import BadInput

if TYPE_CHECKING:
    from ludus.papers.claims import Finding
    from ludus.papers.reproduction import Reproduction

EXAMPLE = "Example: ludus reproduce gravitas --quick"


def command(
    paper: Annotated[str, typer.Argument(help="Which paper: a folder of ludus.papers.", metavar="PAPER")],
    quick: Annotated[bool, typer.Option("--quick", help="Few games, minutes; the default.")] = False,
    full: Annotated[bool, typer.Option("--full", help="Many games, hours.")] = False,
    out: Annotated[Path | None, options.folder("Folder of the page; what it holds is not measured again.")] = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = 0,
    on: options.On = "threads",
    json: options.Json = False,
) -> None:
    """Measure a paper's claims again and write a page: what was published, what we find, and a verdict on each."""
    from ludus.papers.experiments import FULL, QUICK
    from ludus.papers.reproduction import reproduce
    from ludus.workers import workers

    if quick and full:
        raise BadInput("either --quick or --full, not both")
    scale = FULL if full else QUICK
    folder = out or Path("reproduced") / f"{paper}-{scale.name}-{seed}"
    with options.progress_bar() as bar:
        task = bar.add_task(paper, total=None)

        def watch(experiment: str, done: int, total: int) -> None:
            bar.update(task, description=experiment, total=total, advance=done)

        report = reproduce(paper, scale, seed, folder, workers(on, jobs), watch)
    page = folder / f"{paper}.html"
    if json:
        rows = [finding.to_dict() for finding in report.findings]
        options.print_json({"page": str(page), "numbers": str(folder / f"{paper}.json"), "claims": rows})
    else:
        _show(report, page)


def _show(report: Reproduction, page: Path) -> None:
    rows = [(one.claim.key, one.claim.published, _first(one), one.verdict) for one in report.findings]
    options.print_table(report.page.title, ("claim", "published", "ours", "verdict"), rows)
    print(f"why, under which rules, and the charts: {page}")


def _first(finding: Finding) -> str:
    return finding.measures[0].text if finding.measures else "-"
