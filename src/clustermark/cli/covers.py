"""The command on two clusterings whose clusters overlap."""

from __future__ import annotations

from typing import Any

import click

from clustermark.cli import NAME, options
from clustermark.cli.formats import render
from clustermark.cli.helpful import Command
from clustermark.cli.output import deliver, format_of, refuse_overwriting
from clustermark.cli.progress import show_progress
from clustermark.cli.terminal import say
from clustermark.options import COMPARED

_COLUMN: dict[str, Any] = {"multiple": True, "metavar": "COL", "group": COMPARED}


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  clustermark covers topics.csv found_topics.csv
  clustermark covers topics.csv found_topics.csv -i omega -i 'onmi(average="min")' --unmatched drop
  clustermark covers topics.csv communities.parquet --item item --item node --cluster cluster --cluster community
  clustermark covers topics.csv found_topics.csv --format json -o scores.json""",
)
@click.argument("sources", nargs=2, required=True, metavar="TRUTH PRED")
@options.option("--item", **_COLUMN, help="The column of items; twice where PRED has another name.  [default: item]")
@options.option("--cluster", **_COLUMN, help="The column of clusters, in the same way.  [default: cluster]")
@options.option(
    "--unmatched",
    type=click.Choice(["keep", "drop", "error"]),
    default="keep",
    show_default=True,
    group=COMPARED,
    help="What becomes of items that only one file has: in no cluster of the other (keep), left out, or refused.",
)
@options.offer_all(only=("reading", "engine"))
@options.scored
def covers(
    sources: tuple[str, ...],
    indices: Any,
    item: tuple[str, ...],
    cluster: tuple[str, ...],
    quiet: bool,
    shape: str | None,
    output: str | None,
    force: bool,
    **how: Any,
) -> None:
    """Score clusterings whose clusters may overlap: files with a row for each item and each of its clusters.

    A row without a cluster has an item that is in none.
    """
    from clustermark.cli.input import open_files
    from clustermark.evaluation.covers import evaluate_covers

    refuse_overwriting(output, force)
    shape = format_of(shape, output)
    chosen = options.sweep_options(how)
    truth, prediction = open_files(sources, chosen["reading"])
    with show_progress(f"scoring {truth} and {prediction}", quiet) as tell:
        found = evaluate_covers(
            *(truth, prediction, indices),
            item=_names("item", item),
            cluster=_names("cluster", cluster),
            progress=tell,
            **chosen,
        )
    deliver(render(shape, found), output, shape)
    for note in () if quiet or (output is None and shape != "csv") else found.notes:
        say(f"{NAME}: note: {note}")


def _names(option: str, given: tuple[str, ...]) -> str | tuple[str, str]:
    if len(given) > 2:
        raise click.UsageError(f"--{option} was given {len(given)} times; give it once, or once for each file")
    return (given[0], given[1]) if len(given) == 2 else given[0] if given else option
