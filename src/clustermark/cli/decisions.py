"""The commands that decide: which is best, where to cut, how good beyond a sample of the truth, how alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from clustermark.cli import NAME, options, values
from clustermark.cli.formats import render
from clustermark.cli.helpful import Command
from clustermark.cli.output import deliver, deliver_labels, format_of, is_terminal, refuse_overwriting
from clustermark.cli.plugins import plugins
from clustermark.cli.terminal import say
from clustermark.errors import InputError
from clustermark.options import COMPARED

if TYPE_CHECKING:
    from clustermark.uncertainty.sampled_truth import Design


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  clustermark estimate truth_sample.csv records.csv --on id --design clusters
  clustermark estimate truth_sample.csv records.csv --on id --design clusters_by_record -i pair_precision
  clustermark estimate truth_sample.csv records.csv --on id --design clusters --half-width 0.02
  clustermark estimate truth_sample.csv records.csv --on id --design clusters -o estimates.html""",
)
@options.compared
@options.option(
    "--design",
    required=True,
    type=click.Choice(["clusters", "clusters_by_record", "records"]),
    help="What was drawn at random, and labelled: whole true clusters; records, with the whole true clusters of these; "
    "or records alone.",
)
@options.option(
    "--population",
    type=click.IntRange(min=1),
    metavar="N",
    help="How many there are in all of what was drawn: true clusters, or for --design clusters_by_record records.  "
    "[default: clusters as the sample suggests; so many records that few were drawn]",
)
@options.option(
    "--level",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="How often such intervals hold the score of all records.",
)
@options.option(
    "--half-width",
    type=click.FloatRange(min=0, min_open=True),
    metavar="X",
    help="Say how many must be labelled for an interval of this half width, too.",
)
@options.chosen_indices
@options.formats("table", "json", "csv", "latex", "html")
def estimate(
    sources: tuple[str, ...],
    design: Design,
    population: int | None,
    level: float,
    half_width: float | None,
    indices: Any,
    shape: str | None,
    output: str | None,
    force: bool,
    **how: Any,
) -> None:
    """The scores of a prediction of all records, estimated from a truth that is known for a sample of them.

    FILE holds the true labels of the sample, PRED the predicted ones of all records, joined by --on; or FILE holds
    both, and the true label is empty where it is unknown.
    """
    from clustermark.cli.estimates import estimates_as
    from clustermark.cli.input import estimate_files

    refuse_overwriting(output, force)
    shape = format_of(shape, output)
    if half_width is not None and shape != "table":
        raise click.UsageError("--half-width adds a sentence to the table; leave out --format")
    found = estimate_files(sources, indices, design, population, level, **how)
    deliver(estimates_as(shape, found, half_width, to_terminal=is_terminal(output)), output, shape)


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  clustermark sweep truth.csv scored.csv --on id
  clustermark sweep truth.csv scored.csv --on id --score probability -i b_cubed_f -i dice --interval
  clustermark sweep truth.csv scored.csv --on id --precision 0.95 --cost 5:1
  clustermark sweep truth.csv scored.csv --on id -o thresholds.html
  clustermark sweep truth.csv scored.csv --on id --cut dice -o found.csv""",
)
@options.swept
@options.option("--score", metavar="COL", group=COMPARED, help="The column with the scores.")
@options.option("--left", metavar="COL", group=COMPARED, help="The column with the first id of a pair.")
@options.option("--right", metavar="COL", group=COMPARED, help="The column with the second id of a pair.")
@options.option(
    "--max-pairs", type=click.IntRange(min=1), metavar="N", group=COMPARED, help="Refuse more pairs than so many."
)
@options.option("--distance", is_flag=True, group=COMPARED, help="The scores are distances: low ones mean the same.")
@options.option(
    "--link-only",
    is_flag=True,
    group=COMPARED,
    help="Only pairs across sources count; ids have two parts, as Splink writes them.",
)
@options.chosen_indices
@options.option("--at", type=float, metavar="X", help="Also the scores at this threshold.")
@options.option(
    "--precision",
    type=click.FloatRange(0, 1),
    metavar="P",
    help="Also the most pair recall at a pair precision of at least P.",
)
@options.option(
    "--cost",
    metavar="M:S",
    callback=values.read_costs,
    help="Also the cheapest threshold, if a false pair costs M and a lost one S.",
)
@options.option(
    "--interval",
    is_flag=True,
    help="Also how good the best threshold is beyond these data, by the first index, or dice.",
)
@options.option("--seed", type=int, default=0, show_default=True, help="Of the draws for --interval.")
@options.option(
    "--cut",
    metavar="NAME|X",
    shell_complete=values.complete_index,
    help="The clusters at the best threshold by this index, or at this threshold, instead: id, cluster.",
)
@options.formats("table", "json", "csv", "latex", "html")
@options.safe
def sweep(
    sources: tuple[str, ...],
    indices: Any,
    at: float | None,
    precision: float | None,
    cost: tuple[float, float] | None,
    interval: bool,
    seed: int,
    cut: str | None,
    shape: str | None,
    output: str | None,
    force: bool,
    safe: bool,
    **how: Any,
) -> None:
    """Where to cut a list of scored pairs: the scores at every threshold, and the best one by each index.

    TRUTH holds an id and a true label in each row, PAIRS two ids and a score. At a threshold, whatever is connected by
    pairs of at least that score is one cluster.
    """
    from clustermark.cli.input import sweep_files
    from clustermark.cli.sweeps import Wanted, cluster_columns, clusters_as, cut_clusters, sweep_as

    refuse_overwriting(output, force)
    if isinstance(indices, str):
        raise InputError("-i all is not for sweeps; name the indices, or leave it out")
    if cut is not None and (indices or interval or at is not None or precision is not None or cost is not None):
        raise click.UsageError("--cut writes clusters alone; leave out -i, --at, --interval, --precision and --cost")
    shape = format_of(shape, output)
    if safe and (cut is None or shape != "csv"):
        raise click.UsageError("--safe is about the ids that --cut writes as csv; leave it out")
    found = sweep_files(sources, indices=indices, **how)
    if cut is not None:
        if shape in ("latex", "html"):
            raise click.UsageError("--cut writes clusters, as a table, csv or json")
        labels, said = cut_clusters(found, cut)
        on = str(found.partitions.origin.records.settings["on"])
        if shape == "csv":
            deliver_labels(cluster_columns(labels, on), output, safe=safe, quiet=how["quiet"])
        else:
            deliver(clusters_as(shape, labels, on, to_terminal=is_terminal(output)), output, shape)
        if not how["quiet"]:
            say(f"{NAME}: {said}")
        return
    if shape not in ("table", "json") and (at, precision, cost, interval) != (None, None, None, False):
        raise click.UsageError(
            "--at, --precision, --cost and --interval add to the table and to json; leave out --format"
        )
    wanted = Wanted(indices[0] if indices else "dice", at, precision, cost, interval, seed)
    deliver(sweep_as(shape, found, wanted, to_terminal=is_terminal(output)), output, shape)


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  clustermark compare runs.csv --true label --pred kmeans --pred ward
  clustermark compare runs.parquet --true label --pred a --pred b -i b_cubed_f --unit component
  clustermark compare truth.csv kmeans.csv ward.csv --on id
  clustermark compare runs.csv --true label --pred kmeans --pred ward --format latex -o table.tex""",
)
@options.compared_columns
@options.chosen_indices
@options.sampled
@options.option("--differences", is_flag=True, help="The difference of each two predictions, too.")
@options.option(
    "--margin",
    type=click.FloatRange(min=0, min_open=True),
    metavar="X",
    help="The same, and whether the second is shown to be worse by less than X.",
)
@options.formats("table", "json", "csv", "latex", "html")
def compare(
    sources: tuple[str, ...],
    indices: Any,
    differences: bool,
    margin: float | None,
    shape: str | None,
    output: str | None,
    force: bool,
    **how: Any,
) -> None:
    """Rank several predictions of the same rows: which is best, by how much, and whether that is sure.

    FILE has a column with the truth and one for each prediction, named by --pred. Or it has the truth, and each PRED a
    prediction, joined by --on and called as its file; one PRED may have several, named by --pred. The first index
    decides on the order.
    """
    from clustermark.cli.several import compare_files

    refuse_overwriting(output, force)
    if indices == "all":
        raise click.UsageError("-i all is too much for a ranking; name the index that decides, and a few more")
    shape = format_of(shape, output)
    differences = differences or margin is not None
    if differences and shape != "table":
        raise click.UsageError("--differences and --margin add lines to the table; leave out --format")
    comparison = compare_files(sources, indices, **how)
    text = render(shape, comparison)
    if differences:
        text = "\n".join([text, *(f"\n{comparison.differences(index, margin)}" for index in comparison.indices)])
    deliver(text, output, shape)


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  clustermark matrix runs.csv --pred kmeans --pred ward --pred dbscan
  clustermark matrix runs.csv --pred kmeans --pred ward -i variation_of_information --format csv
  clustermark matrix runs.csv --pred kmeans --pred ward --pred dbscan -o matrix.html""",
)
@options.related_columns
@plugins
@options.option(
    "-i",
    "--index",
    metavar="NAME",
    default="adjusted_rand",
    show_default=True,
    shell_complete=values.complete_index,
    help="The index.",
)
@options.formats("table", "json", "csv", "latex", "html")
def matrix(file: str, index: str, shape: str | None, output: str | None, force: bool, **how: Any) -> None:
    """Score several columns of labels of FILE against each other, and name the one in the middle."""
    from clustermark.cli.several import relate_columns
    from clustermark.registry import parse

    refuse_overwriting(output, force)
    shape = format_of(shape, output)
    deliver(render(shape, relate_columns(file, parse(index), **how)), output, shape)
