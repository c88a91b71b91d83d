"""The commands: each reads its arguments, has the work done elsewhere, and delivers one result."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import click

from clustermark import __version__
from clustermark.cli import FAILED, FINE, INTERRUPTED, MISTAKE, options, releases
from clustermark.cli.output import PAGES, check_ending, deliver, format_of, refuse_overwriting
from clustermark.cli.plugins import plugins
from clustermark.cli.terminal import say, suit_output
from clustermark.errors import InputError
from clustermark.options import COMPARED, ENGINE, POLICIES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clustermark.cli.options import Threshold
    from clustermark.diagnosis import Side
    from clustermark.evaluation import Evaluation
    from clustermark.uncertainty.sampled_truth import Design

NAME = "clustermark"
_HELP = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


def run(arguments: list[str]) -> int:
    """Run one command and return its exit code; mistakes in the data are raised."""
    if (instruction := os.environ.get("_CLUSTERMARK_COMPLETE")) is not None:
        from click.shell_completion import shell_complete

        return shell_complete(program, {}, NAME, "_CLUSTERMARK_COMPLETE", instruction)
    try:
        with program.make_context(NAME, arguments) as context:
            return int(program.invoke(context) or FINE)
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.Abort:
        return INTERRUPTED
    except click.UsageError as mistake:
        usage = [mistake.ctx.get_usage(), f"Try '{mistake.ctx.command_path} -h' for help.", ""] if mistake.ctx else []
        say("\n".join([*usage, f"Error: {mistake.format_message()}"]))
        return MISTAKE
    except click.ClickException as mistake:
        say(f"Error: {mistake.format_message()}")
        return MISTAKE


class InOrder(options.Helpful, click.Group):
    """Commands are listed in the order in which they are wanted, not by the alphabet."""

    command_class = options.Command

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """As they were declared."""
        return list(self.commands)


@click.group(
    cls=InOrder,
    context_settings=_HELP,
    epilog="""\b
Examples:
  clustermark demo
  clustermark score data.csv --true label --pred cluster
  clustermark score truth.csv pred.parquet --on id -i jaccard --format json
  clustermark report data.csv --true label --pred cluster -o report.html
  clustermark errors data.csv --true label --pred cluster -k 5
  clustermark sweep truth.csv scored.csv --on id
  clustermark compare runs.csv --true label --pred kmeans --pred ward
  clustermark changes old.csv new.csv --on id
  clustermark questions old.csv new.csv --on id -o sheet.html
  clustermark indices adjusted_rand

Exit codes: 0 fine; 1 a --fail-under, --fail-over or --fail-on-worse was not met; 2 a mistake in what was asked.""",
)
@click.version_option(__version__, message="%(prog)s %(version)s")
@click.option("--traceback", is_flag=True, expose_value=False, help="Show the traceback of a bug in clustermark.")
def program() -> None:
    """How well does a clustering agree with the truth, and where does it go wrong?"""


@program.command(
    short_help="The scores of a prediction against the truth.",
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
@plugins
@options.chosen_indices
@options.intervals
@options.formats("table", "json", "csv", "markdown", "latex")
@options.written
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
    deliver(scores_as(shape, evaluation, to_terminal=_is_terminal(output)), output, shape)
    _tell_notices(evaluation, quiet=how["quiet"] or (output is None and shape != "csv"))
    return _judge(evaluation, [*fail_under, *fail_over])


def _judge(evaluation: Evaluation, thresholds: Sequence[Threshold]) -> int:
    failures = [threshold.failure(threshold.wanted.of(evaluation.table)) for threshold in thresholds]
    for failure in filter(None, failures):
        say(f"{NAME}: {failure}")
    return FAILED if any(failures) else FINE


def _tell_notices(evaluation: Evaluation, *, quiet: bool) -> None:
    """What to know before the result is believed, for those who do not see it there."""
    for notice in () if quiet else evaluation.notices:
        say(f"{NAME}: note: {notice.text}")


def _is_terminal(output: str | None) -> bool:
    return output is None and sys.stdout is not None and sys.stdout.isatty()


@program.command(
    short_help="One HTML page with scores, charts and errors.",
    epilog="""\b
Examples:
  clustermark report data.csv --true label --pred cluster -o report.html
  clustermark report truth.csv pred.csv --on id --title 'Customers, run 7' -o run7.html""",
)
@options.compared
@plugins
@options.chosen_indices
@options.intervals
@options.written
@options.option("--title", metavar="TEXT", help="The title of the page.")
@options.option("--open", "show", is_flag=True, help="Open the page in the browser.")
def report(
    sources: tuple[str, ...], indices: Any, output: str | None, force: bool, title: str | None, show: bool, **how: Any
) -> None:
    """One HTML page that shows the scores and where the clustering goes wrong; report.html by default."""
    from clustermark.cli.input import evaluate_files

    output = output or "report.html"
    if show and output == "-":
        raise click.UsageError("--open needs a file; leave out -o -")
    refuse_overwriting(output, force)
    check_ending(output, PAGES)
    evaluation = evaluate_files(sources, indices, **how)
    deliver(evaluation.report(title), output)
    _tell_notices(evaluation, quiet=how["quiet"])
    if not how["quiet"]:
        say(f"{NAME}: wrote {output}")
    if show:
        click.launch(output)


@program.command(
    short_help="The scores of all records, estimated from a sample of the truth.",
    epilog="""\b
Examples:
  clustermark estimate truth_sample.csv records.csv --on id --design clusters
  clustermark estimate truth_sample.csv records.csv --on id --design clusters_by_record -i pair_precision
  clustermark estimate truth_sample.csv records.csv --on id --design clusters --half-width 0.02
  clustermark estimate truth_sample.csv records.csv --on id --design clusters -o estimates.html""",
)
@options.compared
@plugins
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
@options.written
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
    deliver(estimates_as(shape, found, half_width, to_terminal=_is_terminal(output)), output, shape)


@program.command(
    short_help="Where it goes wrong: the worst splits and merges.",
    epilog="""\b
Examples:
  clustermark errors data.csv --true label --pred cluster -k 5
  clustermark errors data.csv --true label --pred cluster --clusters -o clusters.csv
  clustermark errors data.csv --true label --pred cluster --points --side true --format json""",
)
@options.compared
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
@options.written
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
    evaluation = evaluate_files(sources, [], **how)
    safe = output not in (None, "-") if safe is None else safe
    to_terminal = _is_terminal(output)
    deliver(mistakes_as(shape, evaluation, what, side, k, safe=safe, to_terminal=to_terminal), output, shape)
    _tell_notices(evaluation, quiet=how["quiet"] or (output is None and shape != "csv"))


@program.command(
    short_help="What to mend first: merges, moves and splits that mend most.",
    epilog="""\b
Examples:
  clustermark repairs truth.csv predicted.csv --on id
  clustermark repairs truth.csv predicted.csv --on id -k 100 --by b_cubed_f -o repairs.csv
  clustermark repairs truth.csv predicted.csv --on id -k 15 --mended mended.csv""",
)
@options.compared
@plugins
@options.option("-k", type=click.IntRange(min=1), default=20, show_default=True, metavar="N", help="How many at most.")
@options.option("--all", "everything", is_flag=True, help="All repairs, until nothing is wrong.")
@options.option(
    "--by",
    default="wrong_pairs",
    show_default=True,
    metavar="NAME",
    shell_complete=options.complete_index,
    help="The index that each repair is to raise most; wrong_pairs counts missing and false pairs together.",
)
@options.option(
    "--mended",
    metavar="FILE",
    type=click.Path(dir_okay=False),
    help="Also write the predicted labels after the repairs to this file, as CSV.",
)
@options.formats("table", "json", "csv")
@options.written
def repairs(
    sources: tuple[str, ...],
    k: int,
    everything: bool,
    by: str,
    mended: str | None,
    shape: str | None,
    output: str | None,
    force: bool,
    **how: Any,
) -> None:
    """What to mend first: the merges, moves and splits that mend most, each after those before it."""
    from clustermark.cli.input import evaluate_files
    from clustermark.cli.repairs import mended_csv, repairs_as

    for file in (output, mended):
        refuse_overwriting(file, force)
    check_ending(mended, (".csv",))
    shape = format_of(shape, output)
    evaluation = evaluate_files(sources, [], **how)
    found = evaluation.repairs(None if everything else k, by=by)
    to_file = output not in (None, "-")
    deliver(repairs_as(shape, evaluation, found, safe=to_file, to_terminal=_is_terminal(output)), output, shape)
    if mended is not None:
        deliver(mended_csv(found, safe=False), mended, "csv")
        if not how["quiet"]:
            say(f"{NAME}: wrote {mended}: the predicted labels after these repairs")
    _tell_notices(evaluation, quiet=how["quiet"] or (output is None and shape != "csv"))


@program.command(
    short_help="Where to cut a list of scored pairs.",
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
@plugins
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
    callback=options.read_costs,
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
    shell_complete=options.complete_index,
    help="The clusters at the best threshold by this index, or at this threshold, instead: id, cluster.",
)
@options.formats("table", "json", "csv", "latex", "html")
@options.written
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
    **how: Any,
) -> None:
    """Where to cut a list of scored pairs: the scores at every threshold, and the best one by each index.

    TRUTH holds an id and a true label in each row, PAIRS two ids and a score. At a threshold, whatever is connected by
    pairs of at least that score is one cluster.
    """
    from clustermark.cli.input import sweep_files
    from clustermark.cli.sweeps import Wanted, clusters_as, cut_clusters, sweep_as

    refuse_overwriting(output, force)
    if isinstance(indices, str):
        raise InputError("-i all is not for sweeps; name the indices, or leave it out")
    if cut is not None and (indices or interval or at is not None or precision is not None or cost is not None):
        raise click.UsageError("--cut writes clusters alone; leave out -i, --at, --interval, --precision and --cost")
    shape = format_of(shape, output)
    found = sweep_files(sources, indices=indices, **how)
    if cut is not None:
        if shape in ("latex", "html"):
            raise click.UsageError("--cut writes clusters, as a table, csv or json")
        labels, said = cut_clusters(found, cut)
        deliver(clusters_as(shape, labels, to_terminal=_is_terminal(output)), output, shape)
        if not how["quiet"]:
            say(f"{NAME}: {said}")
        return
    if shape not in ("table", "json") and (at, precision, cost, interval) != (None, None, None, False):
        raise click.UsageError(
            "--at, --precision, --cost and --interval add to the table and to json; leave out --format"
        )
    wanted = Wanted(indices[0] if indices else "dice", at, precision, cost, interval, seed)
    deliver(sweep_as(shape, found, wanted, to_terminal=_is_terminal(output)), output, shape)


@program.command(
    short_help="Which of several predictions is best, and whether that is sure.",
    epilog="""\b
Examples:
  clustermark compare runs.csv --true label --pred kmeans --pred ward
  clustermark compare runs.parquet --true label --pred a --pred b -i b_cubed_f --unit component
  clustermark compare truth.csv kmeans.csv ward.csv --on id
  clustermark compare runs.csv --true label --pred kmeans --pred ward --format latex -o table.tex""",
)
@options.compared_columns
@plugins
@options.chosen_indices
@options.sampled
@options.option("--differences", is_flag=True, help="The difference of each two predictions, too.")
@options.formats("table", "json", "csv", "latex", "html")
@options.written
def compare(
    sources: tuple[str, ...],
    indices: Any,
    differences: bool,
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
    from clustermark.cli.several import compare_files, comparison_as

    refuse_overwriting(output, force)
    if indices == "all":
        raise click.UsageError("-i all is too much for a ranking; name the index that decides, and a few more")
    shape = format_of(shape, output)
    if differences and shape != "table":
        raise click.UsageError("--differences adds lines to the table; leave out --format")
    comparison = compare_files(sources, indices, **how)
    text = comparison_as(shape, comparison)
    if differences:
        text = "\n".join([text, *(f"\n{comparison.differences(index)}" for index in comparison.indices)])
    deliver(text, output, shape)


@program.command(
    short_help="How alike several labelings are, each against each.",
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
    shell_complete=options.complete_index,
    help="The index.",
)
@options.formats("table", "json", "csv", "latex", "html")
@options.written
def matrix(file: str, index: str, shape: str | None, output: str | None, force: bool, **how: Any) -> None:
    """Score several columns of labels of FILE against each other, and name the one in the middle."""
    from clustermark.cli.several import matrix_as, relate_columns
    from clustermark.registry import parse

    refuse_overwriting(output, force)
    shape = format_of(shape, output)
    deliver(matrix_as(shape, relate_columns(file, parse(index), **how)), output, shape)


program.add_command(releases.changes)
program.add_command(releases.relabel)


@program.command(
    short_help="Old against new without a truth: pairs for people to judge.",
    epilog="""\b
Examples:
  clustermark questions old.csv new.csv --on id -n 300 --seed 7 -o sheet.html
  clustermark questions old.csv new.csv --on id --records people.csv --show name --show city -o people.html
  clustermark questions new.csv --on id --index pair_precision -o sheet.csv""",
)
@click.argument("sources", nargs=-1, required=True, metavar="OLD [NEW]", type=click.Path())
@options.option("--old", metavar="COL", group=COMPARED, help="The column with the clusters before.")
@options.option("--new", metavar="COL", group=COMPARED, help="The column with the clusters after.")
@options.offer_all(without=("true", "pred", "unmatched"))
@options.option(
    "--unmatched",
    type=click.Choice(["drop", "singletons", "error"]),
    group=POLICIES,
    help="What becomes of records that one side lacks.  [default: drop]",
)
@options.option("-q", "--quiet", is_flag=True, help="Say nothing on standard error but mistakes.")
@options.option("-n", type=click.IntRange(min=1), default=300, show_default=True, metavar="N", help="How many, about.")
@options.option(
    "--seed",
    type=int,
    default=0,
    show_default=True,
    help="The same seed asks the same pairs. Take a new one if answers to the last guided the change.",
)
@options.option(
    "--index",
    type=click.Choice(["b_cubed_precision", "pair_precision"]),
    default="b_cubed_precision",
    show_default=True,
    help="What is to be told; pair_precision also tells the ratio of recalls.",
)
@options.option(
    "--unit",
    type=click.Choice(["pair", "record"]),
    default="pair",
    show_default=True,
    help="What is drawn: pairs, or records with all that either clustering puts beside them.",
)
@options.option("--by", metavar="COL", group=COMPARED, help="A column of slices to be told apart.")
@options.option("--records", metavar="FILE", group=COMPARED, help="The file with the columns that judges see.")
@options.option(
    "--show", multiple=True, metavar="COL", group=COMPARED, help="A column that judges see; repeat it.  [default: all]"
)
@options.option(
    "--store",
    multiple=True,
    metavar="FILE",
    group=COMPARED,
    help="Answers of earlier rounds; repeat it for more files.",
)
@options.option("--key", metavar="FILE", help="Where the key is written.  [default: beside the sheet, as .key.json]")
@options.option("--title", metavar="TEXT", help="The title of the sheet.")
@options.written
def questions(
    sources: tuple[str, ...],
    n: int,
    seed: int,
    index: str,
    unit: str,
    by: str | None,
    records: str | None,
    show: tuple[str, ...],
    store: tuple[str, ...],
    key: str | None,
    title: str | None,
    output: str | None,
    force: bool,
    quiet: bool,
    **how: Any,
) -> None:
    """Draw pairs of records for people to judge: two clusterings are compared, or one is asked for its precision.

    OLD holds the clusters before and NEW those after, joined by --on; or OLD holds both, in the columns --old and
    --new; or one clustering only. In --pairs and --noise-…, true is OLD and pred is NEW. Ids that one side lacks are
    left out, unless --unmatched says otherwise. Two files are written: the sheet, .html or .csv, and its key. Judges
    get the sheet and not the key.
    """
    from clustermark.cli.judgements import ask_files, key_beside

    output = output or "sheet.html"
    key = key or key_beside(output)
    check_ending(output, (*PAGES, ".csv"))
    refuse_overwriting(output, force)
    refuse_overwriting(key, force, " by --key")
    asked = {"n": n, "seed": seed, "index": index, "unit": unit, "by": by, "records": records}
    asked |= {"show": list(show) or None, "store": list(store) or None}
    found = ask_files(sources, quiet=quiet, asked=asked, **how)
    if output.lower().endswith(".csv"):
        found.write_csv(output, key, overwrite=force)
    else:
        found.write_html(output, key, overwrite=force, title=title)
    if not quiet:
        for note in found.notes:
            say(f"{NAME}: note: {note}")
        say(f"{NAME}: {found.title}; wrote {output} for judges, and {key}, which they must not see")


@program.command(
    short_help="What the answers to questions say, and how sure that is.",
    epilog="""\b
Examples:
  clustermark judge key.json answers.csv
  clustermark judge key.json ada.csv bob.csv --gold expert.csv --format json
  clustermark judge key.json answers.csv --fail-on-worse b_cubed_precision --margin 0.03""",
)
@click.argument("key", metavar="KEY", type=click.Path())
@click.argument("answers", nargs=-1, required=True, metavar="ANSWERS...", type=click.Path())
@options.option("--gold", metavar="FILE", help="Right answers to some pairs, by which judges are measured.")
@options.option("--sensitivity", type=float, metavar="X", help="How often judges call same pairs same, if known.")
@options.option("--specificity", type=float, metavar="X", help="How often they call different pairs different.")
@options.option(
    "--unknown",
    type=click.Choice(["bounds", "drop"]),
    default="bounds",
    show_default=True,
    help="Unknown answers: the worse of both for each limit, or left out.",
)
@options.option(
    "--looks", type=click.IntRange(min=1), default=1, show_default=True, help="How often you look before you decide."
)
@options.option(
    "--level",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="How often such intervals hold what all pairs would tell.",
)
@options.option(
    "--fail-on-worse",
    metavar="INDEX",
    help="Exit with 1 unless it is sure that this index, which was judged, is not worse by more than the margin.",
)
@options.option(
    "--margin",
    type=click.FloatRange(min=0),
    default=0.0,
    metavar="X",
    help="So much worse is no worse in practice, such as 0.03 for three points.  [default: 0]",
)
@options.formats("table", "json", "csv")
@options.written
def judge(
    key: str,
    answers: tuple[str, ...],
    fail_on_worse: str | None,
    margin: float,
    shape: str | None,
    output: str | None,
    force: bool,
    **how: Any,
) -> int:
    """Tell from answers whether the new clustering is better.

    KEY was written beside the sheet; ANSWERS are the files that judges saved, of one judge or of several.
    """
    from clustermark.cli.judgements import decide, judgements_as
    from clustermark.judgements.judging import judge as judge_answers
    from clustermark.releases.truth import check_margin

    refuse_overwriting(output, force)
    shape = format_of(shape, output)
    if margin and fail_on_worse is None:
        raise click.UsageError("--margin belongs to --fail-on-worse; give both, or neither")
    check_margin(margin, (0.0, 1.0))
    found = judge_answers(key, list(answers), **how)
    passed, said = (True, "") if fail_on_worse is None else decide(found, fail_on_worse, margin)
    deliver(judgements_as(shape, found, to_terminal=_is_terminal(output)), output, shape)
    if said:
        say(f"{NAME}: {said}")
    return FINE if passed else FAILED


@program.command(
    short_help="How good a clustering is by its own points, without a truth.",
    epilog="""\b
Examples:
  clustermark internal points.parquet --labels cluster --features 'x*'
  clustermark internal points.csv --labels cluster --features x --features y -i silhouette -i dbcv --noise -1=drop
  clustermark internal points.parquet --labels cluster --features 'x*' --metric cosine --format json
  clustermark internal points.parquet --labels cluster --features 'x*' --sample 5000""",
)
@options.clustered_points
@options.option(
    "--metric",
    type=click.Choice(["euclidean", "sqeuclidean", "manhattan", "cosine", "correlation"]),
    default="euclidean",
    show_default=True,
    group=COMPARED,
    help="How far two points are apart.",
)
@options.option(
    "--sample",
    type=click.IntRange(min=2),
    metavar="N",
    group=COMPARED,
    help="Measure so many points against all others for the silhouette.",
)
@options.option("--seed", type=int, default=0, show_default=True, group=COMPARED, help="Of the points drawn.")
@plugins
@options.chosen_indices
@options.formats("table", "json", "csv")
@options.written
def internal(file: str, indices: Any, shape: str | None, output: str | None, force: bool, **how: Any) -> None:
    """Score the points of FILE and the cluster of each: how close clusters are in themselves, how far from others."""
    from clustermark.cli.internal import evaluate_points, evaluation_as

    refuse_overwriting(output, force)
    shape = format_of(shape, output)
    deliver(evaluation_as(shape, evaluate_points(file, indices, **how)), output, shape)


@program.command(
    short_help="All indices, or one of them explained.",
    epilog="""\b
Examples:
  clustermark indices
  clustermark indices --panel --format markdown
  clustermark indices --points
  clustermark indices 'f_measure(beta=2)'
  clustermark indices mclust:adjustedRandIndex""",
)
@click.argument("name", required=False, shell_complete=options.complete_index)
@plugins
@options.option("--panel", is_flag=True, help="Only those that are shown by default.")
@options.option("--points", is_flag=True, help="Those of points in space, which need no truth.")
@options.formats("table", "json", "csv", "markdown")
@options.written
def indices(name: str | None, panel: bool, points: bool, shape: str | None, output: str | None, force: bool) -> None:
    """All indices, or one of them explained; any of its names will do, also its name in another tool."""
    from clustermark.cli.indices import catalogue_as, index_as

    if name and panel:
        raise click.UsageError("--panel chooses from the list of all indices; leave it out to have one explained")
    refuse_overwriting(output, force)
    shape = format_of(shape, output)
    seen = _is_terminal(output)
    kind = "points" if points else "partitions"
    text = index_as(shape, name, to_terminal=seen) if name else catalogue_as(shape, panel, kind, to_terminal=seen)
    deliver(suit_output(text, letters=True) if shape == "table" else text, output, shape)


@program.command(
    short_help="All of it, on data that comes with clustermark.",
    epilog="""\b
Examples:
  clustermark demo
  clustermark demo -o report.html""",
)
@options.option(
    "--algorithm",
    type=click.Choice(["kmeans", "ward", "dbscan"]),
    default="kmeans",
    show_default=True,
    help="The algorithm that clustered the digits.",
)
@options.option(
    "-o", "--output", type=click.Path(dir_okay=False), metavar="FILE", help="Write the report to this file, too."
)
@options.option("--force", is_flag=True, help="Overwrite the report if it exists.")
def demo(algorithm: str, output: str | None, force: bool) -> None:
    """Judge a clustering of 1,797 handwritten digits, which comes with clustermark."""
    from clustermark.cli.demo import digits, show

    refuse_overwriting(output, force)
    check_ending(output, PAGES)
    evaluation = digits(algorithm)
    deliver(show(evaluation, algorithm, to_terminal=_is_terminal(None)), None)
    if output:
        deliver(evaluation.report(f"Handwritten digits, clustered by {algorithm}"), output)
        say(f"{NAME}: wrote {output}")


@program.command(
    short_help="Let a shell complete commands and names.",
    epilog="""\b
Examples:
  clustermark completion bash >> ~/.bashrc
  clustermark completion zsh >> ~/.zshrc
  clustermark completion fish > ~/.config/fish/completions/clustermark.fish""",
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the script that lets a shell complete commands, options and the names of indices."""
    from click.shell_completion import get_completion_class

    complete = get_completion_class(shell)
    if complete is not None:
        deliver(complete(program, {}, NAME, "_CLUSTERMARK_COMPLETE").source(), None)


@program.command(
    short_help="The JSON Schema of what --format json writes.",
    epilog="""\b
Examples:
  clustermark schema > clustermark.schema.json""",
)
def schema() -> None:
    """Print the JSON Schema (draft 2020-12) of all that is written with --format json."""
    import json

    from clustermark.report.record import json_schema

    deliver(json.dumps(json_schema(), indent=2), None, "json")
