"""The commands on one prediction and the truth: scores, the page, errors, repairs and groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from clustermark.cli import FAILED, FINE, parsing
from clustermark.cli import shared_options as options
from clustermark.cli.parsing import plugins
from clustermark.cli.run import (
    EVERY_FORMAT,
    Outcome,
    check_ending,
    command,
    deliver,
    refuse_overwriting,
)
from clustermark.options import COMPARED, ENGINE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clustermark.cli.parsing import Threshold
    from clustermark.cli.run import Run
    from clustermark.diagnosis import Side
    from clustermark.diagnosis.members import ClusterLabels
    from clustermark.diagnosis.quality import GroupTable
    from clustermark.diagnosis.repairs import Repairs
    from clustermark.diagnosis.subgroups import Subgroups
    from clustermark.evaluation.diagnoses import ErrorDiagnosis, GroupDiagnosis, RepairDiagnosis
    from clustermark.evaluation.partitions import PartitionEvaluation
    from clustermark.uncertainty.checked_intervals import CoverageCheck

_COLUMN: dict[str, Any] = {"metavar": "COL", "group": COMPARED}


@command(
    *EVERY_FORMAT,
    examples="""
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
@options.thresholds
@options.option(
    "--explain",
    is_flag=True,
    group=ENGINE,
    help="Print the statements that the engine would run, without running them.",
)
def score(
    run: Run,
    sources: tuple[str, ...],
    indices: Any,
    explain: bool,
    fail_under: list[Threshold],
    fail_over: list[Threshold],
    **how: Any,
) -> Any:
    """Score a prediction against the truth.

    FILE holds both labels of every row, or the true labels only; then PRED holds the predicted ones, joined by --on.
    It can be CSV, TSV, JSON Lines, Parquet or Arrow, also compressed; a folder or a quoted pattern; a pipe, such as
    <(…); or - for standard input.
    """
    from clustermark.cli.input import evaluate_files, explain_files

    if explain:
        if run.shape != "table" or fail_under or fail_over or options.interval_options(how):
            raise click.UsageError(
                "--explain makes no scores; leave out --format, --fail-under, --fail-over and intervals"
            )
        return explain_files(sources, **how)
    evaluation = evaluate_files(run, sources, indices, **how)
    failures = [limit.failure(limit.wanted.of(evaluation.table)) for limit in (*fail_under, *fail_over)]
    failed = tuple(filter(None, failures))
    return Outcome(evaluation, FAILED if failed else FINE, failed)


@command(
    "html",
    examples="""
clustermark report data.csv --true label --pred cluster -o report.html
clustermark report truth.csv pred.csv --on id --title 'Customers, run 7' -o run7.html
clustermark report truth.csv pred.csv --on id --records people.csv --show name,city -o people.html
clustermark report truth.csv pred.csv --on id --by city --records people.csv -o groups.html""",
    default="report.html",
)
@options.compared
@options.chosen_indices
@options.intervals
@options.shown
@options.option(
    "--coverage-check",
    is_flag=True,
    group="How sure",
    help="Intervals, and how often they would hold in samples drawn from this table.",
)
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
    help="The Jaccard index with its best match from which a cluster is called nearly exact.",
)
@options.option(
    "--by",
    multiple=True,
    metavar="COL[,COL]",
    group=COMPARED,
    help="Also the quality by this column of --records, or by several together; repeat it for more. The page then "
    "contains records only if --show names their columns.",
)
@options.option("--open", "launch", is_flag=True, help="Open the page in the browser.")
def report(
    run: Run,
    sources: tuple[str, ...],
    indices: Any,
    by: tuple[str, ...],
    no_records: bool,
    coverage_check: bool,
    title: str | None,
    nearly: float,
    launch: bool,
    **how: Any,
) -> Outcome:
    """Write one HTML page that shows the scores and where the clustering goes wrong; report.html by default."""
    from clustermark.cli.input import evaluate_files

    if launch and not run.to_file:
        raise click.UsageError("--open needs a file; leave out -o -")
    records = options.take_records(how)
    how["intervals"] |= coverage_check
    asked = options.interval_options(dict(how))
    evaluation = evaluate_files(run, sources, indices, **how)
    columns = [parsing.split_names([text]) for text in by]
    if no_records:  # columns of records named by --by are read but not shown
        records = {"records": records.get("records")} if columns else {}
    run.launch = launch
    checked = {"coverage": _check_coverage(run, evaluation, asked)} if coverage_check else {}
    return Outcome(evaluation, how={"html": {"title": title, "nearly": nearly, "by": columns, **records, **checked}})


_NOT_CHECKED = ("draws", "seed", "simultaneous")
"""Options of intervals that a check does not have: it draws samples of its own."""


def _check_coverage(run: Run, evaluation: PartitionEvaluation, asked: dict[str, Any] | bool) -> CoverageCheck:
    """Return the check of the intervals with these options."""
    chosen = {} if isinstance(asked, bool) else {name: asked[name] for name in asked if name not in _NOT_CHECKED}
    with run.progress("simulating samples") as tell:
        return evaluation.coverage_check(progress=tell, **chosen)


@command(
    *EVERY_FORMAT,
    examples="""
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
@options.option(
    "--safe/--no-safe",
    default=None,
    help="Keep spreadsheets from running labels of a CSV file as formulas, by an apostrophe before them.  "
    "[default: in a file, but not on standard output, which programs read]",
)
def errors(
    run: Run,
    sources: tuple[str, ...],
    k: int | None,
    what: str | None,
    side: Side | None,
    safe: bool | None,
    **how: Any,
) -> ErrorDiagnosis:
    """List the true clusters that are split worst, and the predicted clusters that merge most."""
    from clustermark.cli.input import evaluate_files
    from clustermark.evaluation.diagnoses import ErrorDiagnosis

    if side and what != "points":
        raise click.UsageError("--side says which points --points lists; give both, or neither")
    beside = options.take_records(how)
    if beside and what in ("clusters", "classes"):
        raise click.UsageError(f"records are shown of splits and merges, and of --points; leave out --{what}")
    if safe is not None:
        run.safe = safe
    evaluation = evaluate_files(run, sources, [], **how)
    return ErrorDiagnosis(evaluation, _error_lists(evaluation, what, side, k, beside))


def _error_lists(
    evaluation: PartitionEvaluation, what: str | None, side: Side | None, k: int | None, beside: dict[str, Any]
) -> dict[str, Any]:
    """Return the worst splits and merges, or the list named by an option; `beside`: the records option of `splits`."""
    if what is None:
        return {"splits": evaluation.splits(k or 10, **beside), "merges": evaluation.merges(k or 10, **beside)}
    if what == "confusions":
        return {what: evaluation.confusions(k or 10)}
    if what == "points":
        points = evaluation.points(side=side or "pred", k=k, **beside)
        if not points and side is None:  # the points that splits separate from the rest of their cluster
            points = evaluation.points(side="true", k=k, **beside)
        return {what: points}
    clusters = evaluation.clusters if what == "clusters" else evaluation.classes
    return {what: clusters if k is None else clusters.sorted_by("pairs_lost", k)}


@command(
    *EVERY_FORMAT,
    examples="""
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
    shell_complete=parsing.complete_index,
    help="The index that each repair is to raise most; wrong_pairs counts missing and false pairs together.",
)
@options.option(
    "--mended",
    metavar="FILE",
    type=click.Path(dir_okay=False),
    help="Also write the predicted labels after the repairs to this file, as CSV.",
)
@options.safe
def repairs(
    run: Run,
    sources: tuple[str, ...],
    k: int,
    everything: bool,
    by: str,
    mended: str | None,
    safe: bool,
    **how: Any,
) -> RepairDiagnosis:
    """List the merges, moves and splits that repair most, each after those before it."""
    from clustermark.cli.input import evaluate_files
    from clustermark.evaluation.diagnoses import RepairDiagnosis

    if safe and mended is None:
        raise click.UsageError("--safe is about the labels that --mended writes; give both, or neither")
    refuse_overwriting(mended, run.force, " by --mended", [sources, how.get("records")])
    check_ending(mended, (".csv",))
    beside = options.take_records(how)
    evaluation = evaluate_files(run, sources, [], **how)
    with run.progress("looking for repairs"):
        found = evaluation.repairs(None if everything else k, by=by, **beside)
    if mended is not None:
        run.safe = safe
        labels = mended_labels(found, evaluation.record.settings)
        deliver(run.render_csv(labels, mended), mended, overwrite=run.force)
        run.safe = run.to_file
        run.note(f"wrote {mended}: the predicted labels after these repairs")
    return RepairDiagnosis(evaluation, {"repairs": found})


def mended_labels(repairs: Repairs, settings: Mapping[str, Any]) -> ClusterLabels:
    """Return the predicted labels after the repairs, in columns with the names that the prediction has for them."""
    from clustermark.diagnosis.members import ClusterLabels

    keys = [pair.rpartition("=")[2] for pair in str(settings.get("on", "")).split(", ")]
    return ClusterLabels.of(repairs.apply(), keys, str(settings.get("pred", "cluster")))


@command(
    *EVERY_FORMAT,
    examples="""
clustermark groups data.csv --true label --pred cluster
clustermark groups truth.csv pred.csv --on id --by city --records people.csv
clustermark groups truth.csv pred.csv --on id --by city --by name --records people.csv -o groups.csv
clustermark groups truth.csv pred.csv --on id --find --records people.csv --seed 7""",
)
@options.compared
@plugins
@options.option(
    "--by",
    multiple=True,
    **_COLUMN,
    help="A column of the records; repeat it for groups of several together.  [default: the size of the cluster]",
)
@options.option("--records", metavar="FILE", group=COMPARED, help="The file that has these columns, with the ids.")
@options.option("--records-id", **_COLUMN, help="The column of ids in that file.  [default: that of --on, or id]")
@options.option("--side", type=click.Choice(["true", "pred"]), help="The side whose sizes count.  [default: true]")
@options.option(
    "--find",
    is_flag=True,
    help="Find groups that suffer more than the rest on one half of the clusters, and confirm them on the other.",
)
@options.option(
    "-k",
    type=click.IntRange(min=1),
    default=None,
    metavar="N",
    help="With --find: the maximum number of groups.  [default: 5]",
)
@options.option(
    "--seed",
    type=click.IntRange(min=0),
    default=None,
    metavar="N",
    help="With --find: the seed of the halves.  [default: 0]",
)
@options.option(
    "--bins",
    type=click.IntRange(min=0, max=1000),
    default=5,
    show_default=True,
    metavar="N",
    help="The number of bins for numbers, if a column has more than 12 different ones; 0 for none.",
)
@options.level_option("The level of intervals and tests.")
@options.option("--simultaneous", is_flag=True, help="Intervals that hold for all groups at once at the level.")
def groups(
    run: Run,
    sources: tuple[str, ...],
    by: tuple[str, ...],
    records: str | None,
    records_id: str | None,
    side: Side | None,
    find: bool,
    k: int | None,
    seed: int | None,
    bins: int,
    level: float,
    simultaneous: bool,
    **how: Any,
) -> GroupDiagnosis:
    """Measure the quality of a prediction by the size of clusters, or by columns of the records.

    A point counts with all its partners, also those of other groups; precision and recall are those of its pairs, B³ F
    is the harmonic mean of B-cubed precision and recall.
    """
    from clustermark.cli.input import evaluate_files
    from clustermark.evaluation.diagnoses import GroupDiagnosis

    if side and (by or find):
        raise click.UsageError("--side says whose size makes the groups; leave it out, or --by and --find")
    if not find and (k, seed) != (None, None):
        raise click.UsageError("-k and --seed are for --find; leave them out, or give that")
    if find and simultaneous:
        raise click.UsageError("--simultaneous is for intervals of groups; the tests of --find hold together already")
    if not (by or find) and (records or records_id):
        raise click.UsageError("--records has columns; name them by --by, or look for groups by --find")
    evaluation = evaluate_files(run, sources, [], **how)
    asked: dict[str, Any] = {"records": records, "on": records_id, "bins": bins, "level": level}
    found: GroupTable | Subgroups
    if find:
        found = evaluation.subgroups(list(by) or None, k=k or 5, seed=seed or 0, **asked)
    elif by:
        found = evaluation.by(list(by), simultaneous=simultaneous, **asked)
    else:
        found = evaluation.by_size(side or "true", level=level, simultaneous=simultaneous)
    return GroupDiagnosis(evaluation, {"subgroups" if find else "groups": found})
