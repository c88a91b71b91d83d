"""The command that describes one clustering, without a truth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from clustermark.cli import options
from clustermark.cli.formats import render
from clustermark.cli.helpful import Command
from clustermark.cli.output import deliver, format_of, refuse_overwriting
from clustermark.cli.terminal import suit_output

if TYPE_CHECKING:
    from clustermark.evaluation.description import Description


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  clustermark describe records.csv --labels cluster
  clustermark describe data.csv --labels cluster --column label
  clustermark describe points.csv --labels cluster --noise -1=singletons --format json""",
)
@options.described_records
@options.formats("table", "json", "csv")
def describe(file: str, shape: str | None, output: str | None, force: bool, **how: Any) -> None:
    """How large the clusters of FILE are, and where the values of a column differ within them or recur across them."""
    refuse_overwriting(output, force)
    shape = format_of(shape, output)
    deliver(_description_as(shape, _describe_file(file, **how), safe=output not in (None, "-")), output, shape)


def _describe_file(file: str, *, labels: str, columns: tuple[str, ...], quiet: bool, **given: Any) -> Description:
    from clustermark.cli.input import open_files
    from clustermark.cli.progress import show_progress
    from clustermark.evaluation.description import describe as describe_records

    chosen = options.sweep_options(given)
    source = open_files([file], chosen["reading"])[0]
    with show_progress(f"describing {file}", quiet):
        return describe_records(labels, source, list(columns) or None, **chosen)


def _description_as(shape: str, found: Description, *, safe: bool) -> str:
    return suit_output(repr(found), letters=True) if shape == "table" else render(shape, found, safe=safe)
