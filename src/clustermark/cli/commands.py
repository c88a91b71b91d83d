"""The commands: each reads its arguments, has the work done elsewhere, and delivers one result."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from clustermark import __version__
from clustermark.cli import (
    FAILED,
    FINE,
    INTERRUPTED,
    MISTAKE,
    NAME,
    asking,
    covers,
    decisions,
    describe,
    groups,
    hierarchies,
    memberships,
    options,
    releases,
)
from clustermark.cli.output import (
    PAGES,
    check_ending,
    deliver,
    deliver_labels,
    format_of,
    is_terminal,
    refuse_overwriting,
)
from clustermark.cli.plugins import plugins
from clustermark.cli.progress import show_progress
from clustermark.cli.terminal import say, suit_output
from clustermark.options import COMPARED, ENGINE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clustermark.cli.options import Threshold
    from clustermark.diagnosis import Side
    from clustermark.evaluation import Evaluation

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
    deliver(scores_as(shape, evaluation, to_terminal=is_terminal(output)), output, shape)
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


@program.command(
    short_help="One HTML page with scores, charts and errors.",
    epilog="""\b
Examples:
  clustermark report data.csv --true label --pred cluster -o report.html
  clustermark report truth.csv pred.csv --on id --title 'Customers, run 7' -o run7.html
  clustermark report truth.csv pred.csv --on id --records people.csv --show name,city -o people.html""",
)
@options.compared
@plugins
@options.chosen_indices
@options.intervals
@options.written
@options.shown
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
    help="Call a cluster nearly exact from this Jaccard index with its best match on.",
)
@options.option("--open", "launch", is_flag=True, help="Open the page in the browser.")
def report(
    sources: tuple[str, ...],
    indices: Any,
    no_records: bool,
    output: str | None,
    force: bool,
    title: str | None,
    nearly: float,
    launch: bool,
    **how: Any,
) -> None:
    """One HTML page that shows the scores and where the clustering goes wrong; report.html by default."""
    from clustermark.cli.input import evaluate_files

    output = output or "report.html"
    if launch and output == "-":
        raise click.UsageError("--open needs a file; leave out -o -")
    refuse_overwriting(output, force)
    check_ending(output, PAGES)
    records = options.take_records(how)
    evaluation = evaluate_files(sources, indices, **how)
    with show_progress("drawing the page", how["quiet"]):
        page = evaluation.report(title, nearly=nearly, **({} if no_records else records))
    deliver(page, output)
    _tell_notices(evaluation, quiet=how["quiet"])
    if not how["quiet"]:
        say(f"{NAME}: wrote {output}")
    if launch:
        click.launch(output)


program.add_command(decisions.estimate)


@program.command(
    short_help="Where it goes wrong: the worst splits and merges.",
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
    beside = options.take_records(how)
    if beside and what in ("clusters", "classes"):
        raise click.UsageError(f"records are shown of splits and merges, and of --points; leave out --{what}")
    evaluation = evaluate_files(sources, [], **how)
    safe = output not in (None, "-") if safe is None else safe
    to_terminal = is_terminal(output)
    text = mistakes_as(shape, evaluation, what, side, k, safe=safe, to_terminal=to_terminal, beside=beside)
    deliver(text, output, shape)
    _tell_notices(evaluation, quiet=how["quiet"] or (output is None and shape != "csv"))


@program.command(
    short_help="What to mend first: merges, moves and splits that mend most.",
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
    _tell_notices(evaluation, quiet=how["quiet"] or (output is None and shape != "csv"))


program.add_command(groups.groups)


program.add_command(decisions.sweep)


program.add_command(decisions.compare)


program.add_command(decisions.matrix)


program.add_command(releases.changes)
program.add_command(releases.relabel)


program.add_command(asking.questions)


program.add_command(asking.judge)


program.add_command(describe.describe)


@program.command(
    short_help="How good a clustering is by its own points, without a truth.",
    epilog="""\b
Examples:
  clustermark internal points.parquet --labels cluster --features 'x*'
  clustermark internal points.csv --labels cluster --features x --features y -i silhouette -i dbcv --noise -1=drop
  clustermark internal points.parquet --labels cluster --features 'x*' --metric cosine --format json
  clustermark internal points.parquet --labels cluster --features 'x*' --sample 5000
  clustermark internal points.parquet --labels cluster --features 'x*' -o points.html""",
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
@options.option("--weights", metavar="COL", group=COMPARED, help="The column with the weight of each point.")
@options.option(
    "--batch",
    type=click.IntRange(min=1),
    metavar="N",
    group=COMPARED,
    help="Read so many points at a time and hold sums only.  [default: only if the file has more than 2^27 numbers]",
)
@plugins
@options.chosen_indices
@options.formats("table", "json", "csv", "html")
@options.written
def internal(file: str, indices: Any, shape: str | None, output: str | None, force: bool, **how: Any) -> None:
    """Score the points of FILE and the cluster of each: how close clusters are in themselves, how far from others."""
    from clustermark.cli.internal import evaluate_points, evaluation_as

    refuse_overwriting(output, force)
    shape = format_of(shape, output)
    found = evaluate_points(file, indices, **how)
    deliver(found.report() if shape == "html" else evaluation_as(shape, found), output, shape)


program.add_command(covers.covers)
program.add_command(hierarchies.trees)
program.add_command(memberships.soft)


@program.command(
    short_help="All indices, or one of them explained.",
    epilog="""\b
Examples:
  clustermark indices
  clustermark indices --panel --format markdown
  clustermark indices --points
  clustermark indices --covers
  clustermark indices --trees
  clustermark indices 'f_measure(beta=2)'
  clustermark indices mclust:adjustedRandIndex""",
)
@click.argument("name", required=False, shell_complete=options.complete_index)
@plugins
@options.option("--panel", is_flag=True, help="Only those that are shown by default.")
@options.option("--points", "kind", flag_value="points", help="Those of points in space, which need no truth.")
@options.option("--covers", "kind", flag_value="covers", help="Those of clusterings whose clusters overlap.")
@options.option("--trees", "kind", flag_value="trees", help="Those of hierarchies.")
@options.option("--soft", "kind", flag_value="soft", help="Those of soft clusterings.")
@options.formats("table", "json", "csv", "markdown")
@options.written
def indices(
    name: str | None, panel: bool, kind: str | None, shape: str | None, output: str | None, force: bool
) -> None:
    """All indices, or one of them explained; any of its names will do, also its name in another tool."""
    from clustermark.cli.indices import catalogue_as, index_as

    if name and panel:
        raise click.UsageError("--panel chooses from the list of all indices; leave it out to have one explained")
    refuse_overwriting(output, force)
    shape = format_of(shape, output)
    seen = is_terminal(output)
    if name:
        text = index_as(shape, name, to_terminal=seen)
    else:
        text = catalogue_as(shape, panel, kind or "partitions", to_terminal=seen)
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
    deliver(show(evaluation, algorithm, to_terminal=is_terminal(None)), None)
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
