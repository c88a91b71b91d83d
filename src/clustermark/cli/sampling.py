"""The commands on a truth that is known for a sample: which records to label, and the scores of all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from clustermark.cli import FAILED, FINE
from clustermark.cli import shared_options as options
from clustermark.cli.run import EVERY_FORMAT, Outcome, command
from clustermark.errors import InputError
from clustermark.options import COMPARED

if TYPE_CHECKING:
    from clustermark.cli.parsing import Threshold
    from clustermark.cli.run import Run
    from clustermark.uncertainty.sampled_truth import Design


@command(
    "csv",  # by default, because people fill it in, and `estimate` reads it
    *(one for one in EVERY_FORMAT if one != "csv"),
    examples="""
clustermark draw records.csv --on id -n 20 --seed 7 -o to_label.csv
clustermark draw records.csv --on id -n 20 --unit cluster -f table
clustermark draw records.csv --on id -n 20 --sizes 1,3 -f table""",
)
@click.argument("file", metavar="FILE")
@options.option("--pred", metavar="COL", group=COMPARED, help="The column with the clusters.")
@options.offer_all(only=("on", "reading", "engine"))
@options.option("-n", type=click.IntRange(min=1), required=True, metavar="N", help="How many to draw.")
@options.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="The same seed draws the same records."
)
@options.option(
    "--unit",
    type=click.Choice(["record", "cluster"]),
    default="record",
    show_default=True,
    help="What is drawn: records, or whole predicted clusters.",
)
@options.option(
    "--sizes",
    metavar="N,N",
    help="The smallest size of clusters of each stratum, such as 1,2,10,100.  [default: each twice the one before]",
)
@options.safe
def draw(run: Run, file: str, sizes: str | None, safe: bool, **how: Any) -> Any:
    """Draw records of FILE to label, more of large clusters, which contain most information on a prediction.

    Label the whole true cluster of each drawn record: all records of its entity. Then `clustermark estimate` takes
    these labels as the truth, and the written file as --drawn.
    """
    from clustermark.cli.input import open_files
    from clustermark.releases.sample_drawing import draw_sample

    if safe and run.shape != "csv":
        raise click.UsageError("--safe is about CSV; leave it out")
    run.safe = safe
    chosen = options.sweep_options(how)
    (source,) = open_files([file], chosen["reading"], most=1)
    with run.progress(f"drawing from {file}"):
        found = draw_sample(source, sizes=None if sizes is None else _read_sizes(sizes), **chosen)
    remarks = (f"{found.headline}{f'; wrote {run.output}' if run.to_file else ''}",) if run.shape == "csv" else ()
    return Outcome(found, remarks=() if run.quiet else remarks)


def _read_sizes(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise InputError(f"--sizes {text}: name the smallest size of each stratum, such as 1,2,10,100") from None


@command(
    *EVERY_FORMAT,
    examples="""
clustermark estimate truth_sample.csv records.csv --on id --design clusters
clustermark estimate truth_sample.csv records.csv --on id --design clusters_by_record -i pair_precision
clustermark estimate truth_sample.csv records.csv --on id --design clusters --half-width 0.02
clustermark estimate truth_sample.csv records.csv --on id --design clusters --fail-under pair_precision=0.3
clustermark estimate truth_sample.csv records.csv --on id --design clusters -o estimates.html
clustermark estimate labelled.csv records.csv --on id --drawn drawn.csv""",
)
@options.compared
@options.option(
    "--design",
    type=click.Choice(["clusters", "clusters_by_record", "records"]),
    help="What was drawn at random, and labelled: whole true clusters; records, with the whole true clusters of these; "
    "or records alone.  [required without --drawn]",
)
@options.option("--drawn", metavar="FILE", help="The records that `clustermark draw` drew; it replaces --design.")
@options.option(
    "--probability",
    metavar="COL",
    help="The column of the truth with the probability with which each true cluster was drawn.",
)
@options.option(
    "--sampling-weights", metavar="COL", help="The same as weights, in proportion to one over the probability."
)
@options.option("--strata", metavar="COL", help="The column of the truth with the stratum of each true cluster.")
@options.option(
    "--population",
    type=click.IntRange(min=1),
    metavar="N",
    help="The total number of the drawn units: true clusters, or records for --design clusters_by_record.  "
    "[default: clusters as the sample suggests; records without limit, as if few of them were drawn]",
)
@options.level_option("The level of intervals: how often they contain the score of all records.")
@options.option(
    "--half-width",
    type=options.POSITIVE,
    metavar="X",
    help="Also say how many must be labelled for an interval of this half width.",
)
@options.option(
    "--assurance",
    type=options.SHARE,
    metavar="P",
    help="The probability that --half-width is reached.  [default: 0.8]",
)
@options.chosen_indices
@options.shown_thresholds
def estimate(
    run: Run,
    sources: tuple[str, ...],
    design: Design | None,
    drawn: str | None,
    probability: str | None,
    sampling_weights: str | None,
    strata: str | None,
    population: int | None,
    level: float,
    half_width: float | None,
    assurance: float | None,
    indices: Any,
    fail_under: list[Threshold],
    fail_over: list[Threshold],
    **given: Any,
) -> Any:
    """Estimate the scores of a prediction of all records from a truth that is known for a sample of them.

    FILE holds the true labels of the sample, PRED the predicted ones of all records, joined by --on; or FILE holds
    both, and the true label is empty where it is unknown.
    """
    from clustermark.cli.input import read_sources, tabulate
    from clustermark.releases.estimation import estimate_table, sample_options, treatment
    from clustermark.releases.sample_requests import SampleRequest

    if design is None and drawn is None:
        raise click.UsageError("Missing option '--design', or '--drawn' with the records of `clustermark draw`")
    if assurance is not None and half_width is None:
        raise click.UsageError("--assurance is the probability of reaching --half-width; name that too")
    if half_width is not None and run.shape != "table":
        raise click.UsageError("--half-width adds a sentence to the table; leave out --format")
    chosen = treatment(given)
    read, request = read_sources(sources, given, sample_options)
    table = tabulate(run, read, request)
    if table.n_used == table.n_unmatched:  # nothing matches: the error of this policy shows ids of both sides
        tabulate(run, read, request._replace(policies=request.policies._replace(unmatched="drop")))
    asked = SampleRequest(design, population, level, drawn, probability, sampling_weights, strata)
    units = asked.units(read[0], request.options)
    found = estimate_table(table, indices, asked, units, **chosen)
    limits = [*fail_under, *fail_over]
    checked = estimate_table(table, [one.wanted for one in limits], asked, units, **chosen)
    failed = tuple(filter(None, [one.failure_of(checked[one.wanted]) for one in limits]))
    below: tuple[Any, ...] = ()
    if half_width is not None:
        from clustermark.releases.planning import plan as plan_units

        below = (plan_units(found, half_width, assurance=assurance or 0.8),)
    return Outcome(found, FAILED if failed else FINE, failed, below)


@command(
    *EVERY_FORMAT,
    examples="""
clustermark plan runs.csv --true label --pred kmeans --half-width 0.05
clustermark plan runs.csv --true label --pred kmeans --pred ward --difference 0.1 --assurance 0.9
clustermark plan --standard-error 0.02 --units 400 --unit document --difference 0.05""",
)
@click.argument("sources", nargs=-1, metavar="[FILE [PRED]...]", type=click.Path())
@options.planned_columns
@options.chosen_indices
@options.option("--half-width", type=options.POSITIVE, metavar="X", help="The half width of the interval.")
@options.option(
    "--difference",
    type=options.POSITIVE,
    metavar="X",
    help="Instead: the true difference that is to be shown.",
)
@options.option(
    "--assurance",
    type=options.SHARE,
    default=0.8,
    show_default=True,
    metavar="P",
    help="The probability of reaching that; for a difference the power.",
)
@options.option(
    "--standard-error",
    type=options.POSITIVE,
    metavar="X",
    help="Without files: a guess of the standard error with --units units.",
)
@options.option("--units", type=click.IntRange(min=1), metavar="N", help="The number of units of this guess.")
@options.option("--unit", metavar="NAME", help="point or component, as for compare; with a guess any word.")
@options.option("--groups", metavar="COL", help="What is sampled: the groups of rows in this column.")
@options.level_option("The level of the interval.")
def plan(
    run: Run,
    sources: tuple[str, ...],
    indices: Any,
    half_width: float | None,
    difference: float | None,
    assurance: float,
    standard_error: float | None,
    units: int | None,
    **how: Any,
) -> Any:
    """Say how many points, components or groups an interval of ± X needs, or a difference of X that is to be shown.

    The files are a pilot, read as by `clustermark compare`: with one prediction the plan is for its score, with two for
    their difference, by the first index. How many to label, questions included, say `estimate --half-width` and
    `judge --plan`.
    """
    from clustermark.releases.planning import plan as plan_units

    goal: dict[str, Any] = {"half_width": half_width, "difference": difference, "assurance": assurance}
    if standard_error is not None or units is not None:
        from clustermark.releases.pilots import Guess

        if standard_error is None or units is None or sources:
            raise click.UsageError("a guess is --standard-error with --units, and without files")
        guess = Guess(standard_error, units, how["unit"] or "unit")
        return plan_units(guess, level=how["level"], **goal)
    if not sources:
        raise click.UsageError("name the files of a pilot, or guess --standard-error and --units")
    if how["unit"] not in (None, "point", "component"):
        raise click.UsageError("--unit is point or component; name a column of groups by --groups")
    from clustermark.cli.deciding import compare_files

    return plan_units(compare_files(run, sources, None if indices == "all" else indices, **how), **goal)
