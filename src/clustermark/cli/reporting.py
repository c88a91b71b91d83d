"""The command that makes a page of a prediction."""

from __future__ import annotations

from typing import Any

import click

from clustermark.cli import NAME, options, values
from clustermark.cli.helpful import Command
from clustermark.cli.output import (
    PAGES,
    check_ending,
    deliver,
    refuse_overwriting,
    tell_notices,
)
from clustermark.cli.progress import show_progress
from clustermark.cli.terminal import say
from clustermark.options import COMPARED


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  clustermark report data.csv --true label --pred cluster -o report.html
  clustermark report truth.csv pred.csv --on id --title 'Customers, run 7' -o run7.html
  clustermark report truth.csv pred.csv --on id --records people.csv --show name,city -o people.html
  clustermark report truth.csv pred.csv --on id --by city --records people.csv -o groups.html""",
)
@options.compared
@options.chosen_indices
@options.intervals
@options.written
@options.shown
@options.option(
    "--no-records", is_flag=True, group=COMPARED, help="Leave records out of the page, also if they are named."
)
@options.option("--title", metavar="TEXT", help="The title of the page.")
@options.option(
    "--nearly",
    type=click.FloatRange(0.5, 1, min_open=True),
    default=0.9,
    show_default=True,
    metavar="JACCARD",
    help="Call a cluster nearly exact from this Jaccard index with its best match on.",
)
@options.option(
    "--by",
    multiple=True,
    metavar="COL[,COL]",
    group=COMPARED,
    help="Also how good it is by this column of --records, or by several together; repeat it for more. Then the page "
    "holds records only if --show names what of them.",
)
@options.option("--open", "launch", is_flag=True, help="Open the page in the browser.")
def report(
    sources: tuple[str, ...],
    indices: Any,
    by: tuple[str, ...],
    no_records: bool,
    output: str | None,
    force: bool,
    title: str | None,
    nearly: float,
    launch: bool,
    **how: Any,
) -> None:
    """One HTML page that shows the scores and where the clustering goes wrong; report.html by default."""
    from clustermark.cli.input import evaluate_files

    output = output or "report.html"
    if launch and output == "-":
        raise click.UsageError("--open needs a file; leave out -o -")
    refuse_overwriting(output, force)
    check_ending(output, PAGES)
    records = options.take_records(how)
    evaluation = evaluate_files(sources, indices, **how)
    columns = [values.split_names([text]) for text in by]
    if no_records:  # where --by names columns of them, they are read and not shown
        records = {"records": records.get("records")} if columns else {}
    with show_progress("drawing the page", how["quiet"]):
        page = evaluation.report(title, nearly=nearly, by=columns, **records)
    deliver(page, output)
    tell_notices(evaluation, quiet=how["quiet"])
    if not how["quiet"]:
        say(f"{NAME}: wrote {output}")
    if launch:
        click.launch(output)
