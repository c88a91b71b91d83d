"""The command that checks how often intervals hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from clustermark.cli import shared_options as options
from clustermark.cli.run import EVERY_FORMAT, command

if TYPE_CHECKING:
    from clustermark.cli.run import Run
    from clustermark.uncertainty.checked_intervals import CoverageCheck


@command(
    *EVERY_FORMAT,
    examples="""
clustermark coverage data.csv --true label --pred cluster -i b_cubed_f
clustermark coverage truth.csv pred.csv --on id --unit component --draws 500
clustermark coverage data.csv --true label --pred cluster -i jaccard --target population -o coverage.json""",
)
@options.compared
@options.chosen_indices
@options.sampled
@options.interval_kind
@options.option(
    "--draws",
    type=click.IntRange(min=50),
    group="How sure",
    metavar="N",
    help="The number of simulated samples.  [default: 200 to 1,000, which takes seconds]",
)
@options.option(
    "--seed",
    type=click.IntRange(min=0),
    group="How sure",
    default=0,
    show_default=True,
    metavar="N",
    help="The seed of the simulated samples.",
)
def coverage(
    run: Run, sources: tuple[str, ...], indices: Any, draws: int | None, seed: int, **how: Any
) -> CoverageCheck:
    """Check how often intervals of these scores would hold, in samples drawn from this table.

    The intervals are those of score --intervals with the same options. Points are drawn from the cells of the table,
    some from its empty cells; components and groups with replacement.
    """
    from clustermark.cli.input import evaluate_files

    asked = options.sampling_options(how)
    asked |= {name: value for name in ("target", "method") if (value := how.pop(name)) is not None}
    evaluation = evaluate_files(run, sources, indices, **how)
    with run.progress("simulating samples") as tell:
        return evaluation.coverage_check(draws=draws, seed=seed, progress=tell, **asked)
