"""The command on two soft clusterings."""

from __future__ import annotations

from typing import Any

import click

from clustermark.cli import options
from clustermark.cli.formats import render
from clustermark.cli.helpful import Command
from clustermark.cli.output import deliver, format_of, refuse_overwriting
from clustermark.cli.progress import show_progress
from clustermark.options import COMPARED

_COLUMNS: dict[str, Any] = {"multiple": True, "metavar": "COL", "group": COMPARED}


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  clustermark soft memberships.csv --true 't*' --pred 'p*'
  clustermark soft memberships.csv --true label --pred 'p*' --format json
  clustermark soft soft_truth.csv soft_pred.csv --on id -i fuzzy_rand -i soft_nmi""",
)
@click.argument("sources", nargs=-1, required=True, metavar="FILE [PRED]", type=click.Path())
@options.option(
    "--true",
    **_COLUMNS,
    help="A column of the true memberships, or a pattern such as 't*'; repeat it for more. One column alone has "
    "labels.  [default: all of FILE, where there is PRED]",
)
@options.option("--pred", **_COLUMNS, help="The same of the prediction.")
@options.option("--on", metavar="COL", group=COMPARED, help="The id by which two files are joined.  [default: by row]")
@options.offer_all(only=("reading", "engine"))
@options.scored
def soft(
    sources: tuple[str, ...],
    indices: Any,
    true: tuple[str, ...],
    pred: tuple[str, ...],
    on: str | None,
    quiet: bool,
    shape: str | None,
    output: str | None,
    force: bool,
    **how: Any,
) -> None:
    """Score how much each item belongs to each cluster: a row for each item, a column for each cluster."""
    from clustermark.cli.input import open_files
    from clustermark.evaluation.soft.evaluation import evaluate_soft

    refuse_overwriting(output, force)
    shape = format_of(shape, output)
    chosen = options.sweep_options(how)
    opened = open_files(sources, chosen["reading"])
    with show_progress(f"scoring {' and '.join(map(str, opened))}", quiet) as tell:
        found = evaluate_soft(
            opened[0], opened[1] if len(opened) == 2 else None, indices,
            true=list(true) or None, pred=list(pred) or None, on=on, progress=tell, **chosen,
        )  # fmt: skip
    deliver(render(shape, found), output, shape)
