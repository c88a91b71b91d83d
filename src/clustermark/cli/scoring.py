"""The command that scores a prediction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from clustermark.cli import FAILED, FINE, NAME, options
from clustermark.cli.helpful import Command
from clustermark.cli.output import (
    deliver,
    format_of,
    is_terminal,
    refuse_overwriting,
    tell_notices,
)
from clustermark.cli.terminal import say
from clustermark.options import ENGINE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clustermark.cli.values import Threshold
    from clustermark.evaluation.partitions import Evaluation


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  clustermark score data.csv --true label --pred cluster
  clustermark score 'data/*.parquet' --true label --pred cluster -i jaccard -i 'f_measure(beta=2)'
  clustermark score truth.csv pred.parquet --on id --true label --pred cluster --unmatched singletons
  clustermark score data.csv --true label --pred cluster --noise-pred -1=singletons --format json
  clustermark score truth.csv matches.csv --on id --true label --pairs pred --unmatched singletons
  clustermark score data.csv --true label --pred cluster --intervals
  zcat data.csv.gz | clustermark score - --true label --pred cluster --fail-under adjusted_rand=0.9""",
)
@options.compared
@options.chosen_indices
@options.intervals
@options.formats("table", "json", "csv", "markdown", "latex")
@options.thresholds
@options.option(
    "--explain",
    is_flag=True,
    group=ENGINE,
    help="Print the statements that the engine would run, without running them.",
)
def score(
    sources: tuple[str, ...],
    indices: Any,
    explain: bool,
    shape: str | None,
    output: str | None,
    force: bool,
    fail_under: list[Threshold],
    fail_over: list[Threshold],
    **how: Any,
) -> int:
    """The scores of a prediction against the truth.

    FILE holds both labels of every row, or the true labels only; then PRED holds the predicted ones, joined by --on.
    It can be CSV, TSV, JSON Lines, Parquet or Arrow, also compressed; a folder or a quoted pattern; a pipe, such as
    <(…); or - for standard input.
    """
    from clustermark.cli.input import evaluate_files, explain_files
    from clustermark.cli.scores import scores_as

    refuse_overwriting(output, force)
    if explain:
        if shape or fail_under or fail_over or options.interval_options(how):
            raise click.UsageError(
                "--explain makes no scores; leave out --format, --fail-under, --fail-over and intervals"
            )
        deliver(explain_files(sources, **how), output)
        return FINE
    shape = format_of(shape, output)
    evaluation = evaluate_files(sources, indices, **how)
    deliver(scores_as(shape, evaluation, to_terminal=is_terminal(output)), output, shape)
    tell_notices(evaluation, quiet=how["quiet"] or (output is None and shape != "csv"))
    return _judge(evaluation, [*fail_under, *fail_over])


def _judge(evaluation: Evaluation, thresholds: Sequence[Threshold]) -> int:
    failures = [threshold.failure(threshold.wanted.of(evaluation.table)) for threshold in thresholds]
    for failure in filter(None, failures):
        say(f"{NAME}: {failure}")
    return FAILED if any(failures) else FINE
