"""The commands that show where a prediction goes wrong, and what to mend first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from clustermark.cli import NAME, options, values
from clustermark.cli.helpful import Command
from clustermark.cli.output import (
    check_ending,
    deliver,
    deliver_labels,
    format_of,
    is_terminal,
    refuse_overwriting,
    tell_notices,
)
from clustermark.cli.plugins import plugins
from clustermark.cli.progress import show_progress
from clustermark.cli.terminal import say

if TYPE_CHECKING:
    from clustermark.diagnosis import Side


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  clustermark errors data.csv --true label --pred cluster -k 5
  clustermark errors data.csv --true label --pred cluster --clusters -o clusters.csv
  clustermark errors data.csv --true label --pred cluster --points --side true --format json
  clustermark errors data.csv --true label --pred cluster --confusions
  clustermark errors truth.csv pred.csv --on id -k 3 --records people.csv --show name,city""",
)
@options.compared
@options.shown
@plugins
@options.option(
    "-k",
    type=click.IntRange(min=1),
    metavar="N",
    help="How many at most.  [default: 10 splits and 10 merges, else all]",
)
@options.option("--clusters", "what", flag_value="clusters", help="Every predicted cluster and its best match instead.")
@options.option("--classes", "what", flag_value="classes", help="Every true cluster and its best match instead.")
@options.option(
    "--confusions",
    "what",
    flag_value="confusions",
    help="The pairs of true clusters that are put together most often instead, 10 at most unless -k says so.",
)
@options.option(
    "--points",
    "what",
    flag_value="points",
    help="Every point outside the best match of its cluster instead, by the number of its row, or by its id.",
)
@options.option(
    "--side",
    type=click.Choice(["pred", "true"]),
    help="With --points: whether the best match is that of the predicted or of the true cluster.  [default: pred; true "
    "if that lists no point]",
)
@options.formats("table", "json", "csv")
@options.option(
    "--safe/--no-safe",
    default=None,
    help="Keep spreadsheets from running labels of a CSV file as formulas, by an apostrophe before them.  "
    "[default: in a file, but not on standard output, which programs read]",
)
def errors(
    sources: tuple[str, ...],
    k: int | None,
    what: str | None,
    side: Side | None,
    shape: str | None,
    output: str | None,
    force: bool,
    safe: bool | None,
    **how: Any,
) -> None:
    """The true clusters that are split worst, and the predicted clusters that merge most."""
    from clustermark.cli.errors import mistakes_as
    from clustermark.cli.input import evaluate_files

    if side and what != "points":
        raise click.UsageError("--side says which points --points lists; give both, or neither")
    refuse_overwriting(output, force)
    shape = format_of(shape, output)
    beside = options.take_records(how)
    if beside and what in ("clusters", "classes"):
        raise click.UsageError(f"records are shown of splits and merges, and of --points; leave out --{what}")
    evaluation = evaluate_files(sources, [], **how)
    safe = output not in (None, "-") if safe is None else safe
    to_terminal = is_terminal(output)
    text = mistakes_as(shape, evaluation, what, side, k, safe=safe, to_terminal=to_terminal, beside=beside)
    deliver(text, output, shape)
    tell_notices(evaluation, quiet=how["quiet"] or (output is None and shape != "csv"))


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  clustermark repairs truth.csv predicted.csv --on id
  clustermark repairs truth.csv predicted.csv --on id -k 100 --by b_cubed_f -o repairs.csv
  clustermark repairs truth.csv predicted.csv --on id -k 15 --mended mended.csv
  clustermark repairs truth.csv predicted.csv --on id -k 5 --records people.csv --show name""",
)
@options.compared
@options.shown
@plugins
@options.option("-k", type=click.IntRange(min=1), default=20, show_default=True, metavar="N", help="How many at most.")
@options.option("--all", "everything", is_flag=True, help="All repairs, until nothing is wrong.")
@options.option(
    "--by",
    default="wrong_pairs",
    show_default=True,
    metavar="NAME",
    shell_complete=values.complete_index,
    help="The index that each repair is to raise most; wrong_pairs counts missing and false pairs together.",
)
@options.option(
    "--mended",
    metavar="FILE",
    type=click.Path(dir_okay=False),
    help="Also write the predicted labels after the repairs to this file, as CSV.",
)
@options.formats("table", "json", "csv")
@options.safe
def repairs(
    sources: tuple[str, ...],
    k: int,
    everything: bool,
    by: str,
    mended: str | None,
    shape: str | None,
    output: str | None,
    force: bool,
    safe: bool,
    **how: Any,
) -> None:
    """What to mend first: the merges, moves and splits that mend most, each after those before it."""
    from clustermark.cli.input import evaluate_files
    from clustermark.cli.repairs import mended_labels, repairs_as

    if safe and mended is None:
        raise click.UsageError("--safe is about the labels that --mended writes; give both, or neither")
    for file in (output, mended):
        refuse_overwriting(file, force)
    check_ending(mended, (".csv",))
    shape = format_of(shape, output)
    beside = options.take_records(how)
    evaluation = evaluate_files(sources, [], **how)
    with show_progress("looking for repairs", how["quiet"]):
        found = evaluation.repairs(None if everything else k, by=by, **beside)
    to_file = output not in (None, "-")
    deliver(repairs_as(shape, evaluation, found, safe=to_file, to_terminal=is_terminal(output)), output, shape)
    if mended is not None:
        deliver_labels(mended_labels(found), mended, safe=safe, quiet=how["quiet"])
        if not how["quiet"]:
            say(f"{NAME}: wrote {mended}: the predicted labels after these repairs")
    tell_notices(evaluation, quiet=how["quiet"] or (output is None and shape != "csv"))
