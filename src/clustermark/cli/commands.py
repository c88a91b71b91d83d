"""The commands: each reads its arguments, has the work done elsewhere, and delivers one result."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import click

from clustermark import __version__
from clustermark.cli import FINE, INTERRUPTED, MISTAKE, options
from clustermark.cli.output import deliver, format_of, refuse_overwriting
from clustermark.cli.plugins import plugins
from clustermark.options import ENGINE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clustermark.cli.options import Threshold
    from clustermark.evaluation import Evaluation

NAME = "clustermark"
FAILED = 1
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
    except click.ClickException as mistake:
        mistake.show()
        return MISTAKE


class InOrder(click.Group):
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
  clustermark compare runs.csv --true label --pred kmeans --pred ward
  clustermark indices adjusted_rand

Exit codes: 0 fine; 1 a --fail-under or --fail-over was not met; 2 a mistake in what was asked or given.""",
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
    It can be CSV, TSV, JSON Lines, Parquet or Arrow, also compressed, a quoted pattern, or - for standard input.
    """
    from clustermark.cli.input import evaluate_files, explain_files
    from clustermark.cli.scores import scores_as

    refuse_overwriting(output, force)
    if explain:
        deliver(explain_files(sources, **how), output)
        return FINE
    evaluation = evaluate_files(sources, indices, **how)
    deliver(scores_as(format_of(shape, output), evaluation, to_terminal=_is_terminal(output)), output)
    return _judge(evaluation, [*fail_under, *fail_over])


def _judge(evaluation: Evaluation, thresholds: Sequence[Threshold]) -> int:
    failures = [threshold.failure(threshold.wanted.of(evaluation.table)) for threshold in thresholds]
    for failure in filter(None, failures):
        click.echo(f"{NAME}: {failure}", err=True)
    return FAILED if any(failures) else FINE


def _is_terminal(output: str | None) -> bool:
    return output is None and sys.stdout.isatty()


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
def report(
    sources: tuple[str, ...], indices: Any, output: str | None, force: bool, title: str | None, **how: Any
) -> None:
    """One HTML page that shows the scores and where the clustering goes wrong; report.html by default."""
    from clustermark.cli.input import evaluate_files

    output = output or "report.html"
    refuse_overwriting(output, force)
    evaluation = evaluate_files(sources, indices, **how)
    deliver(evaluation.report(title), output)
    if not how["quiet"]:
        click.echo(f"{NAME}: wrote {output}", err=True)


@program.command(
    short_help="Where it goes wrong: the worst splits and merges.",
    epilog="""\b
Examples:
  clustermark errors data.csv --true label --pred cluster -k 5
  clustermark errors data.csv --true label --pred cluster --clusters -o clusters.csv
  clustermark errors data.csv --true label --pred cluster --points --format json""",
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
    help="Every point outside the best match of its predicted cluster instead, by the number of its row, or by its id.",
)
@options.formats("table", "json", "csv")
@options.written
def errors(
    sources: tuple[str, ...],
    k: int | None,
    what: str | None,
    shape: str | None,
    output: str | None,
    force: bool,
    **how: Any,
) -> None:
    """The true clusters that are split worst, and the predicted clusters that merge most."""
    from clustermark.cli.errors import mistakes_as
    from clustermark.cli.input import evaluate_files

    refuse_overwriting(output, force)
    evaluation = evaluate_files(sources, [], with_labels=what == "points", **how)
    deliver(mistakes_as(format_of(shape, output), evaluation, what, k, to_terminal=_is_terminal(output)), output)


@program.command(
    short_help="Which of several predictions is best, and whether that is sure.",
    epilog="""\b
Examples:
  clustermark compare runs.csv --true label --pred kmeans --pred ward
  clustermark compare runs.parquet --true label --pred a --pred b -i b_cubed_f --unit component
  clustermark compare runs.csv --true label --pred kmeans --pred ward --format latex -o table.tex""",
)
@options.compared_columns
@plugins
@options.chosen_indices
@options.option(
    "--unit",
    type=click.Choice(["point", "component"]),
    help="What was sampled: points, or clusters with all that they share points with.  [default: point]",
)
@options.option(
    "--level", type=float, default=0.95, show_default=True, metavar="X", help="The level of intervals and tests."
)
@options.option("--differences", is_flag=True, help="The difference of each two predictions, too.")
@options.formats("table", "json", "csv", "latex")
@options.written
def compare(
    file: str, indices: Any, differences: bool, shape: str | None, output: str | None, force: bool, **how: Any
) -> None:
    """Rank several predictions of the same rows: which is best, by how much, and whether that is sure.

    FILE has a column with the truth and one for each prediction. The first index decides on the order.
    """
    from clustermark.cli.several import compare_columns, comparison_as

    refuse_overwriting(output, force)
    if indices == "all":
        raise click.UsageError("-i all is too much for a ranking; name the index that decides, and a few more")
    comparison = compare_columns(file, indices, **how)
    text = comparison_as(format_of(shape, output), comparison)
    if differences and format_of(shape, output) == "table":
        text = "\n".join([text, *(f"\n{comparison.differences(index)}" for index in comparison.indices)])
    deliver(text, output)


@program.command(
    short_help="How alike several labelings are, each against each.",
    epilog="""\b
Examples:
  clustermark matrix runs.csv --pred kmeans --pred ward --pred dbscan
  clustermark matrix runs.csv --pred kmeans --pred ward -i variation_of_information --format csv""",
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
@options.formats("table", "csv")
@options.written
def matrix(file: str, index: str, shape: str | None, output: str | None, force: bool, **how: Any) -> None:
    """Score several columns of labels of FILE against each other, and name the one in the middle."""
    from clustermark.cli.several import matrix_as, relate_columns
    from clustermark.registry import parse

    refuse_overwriting(output, force)
    deliver(matrix_as(format_of(shape, output), relate_columns(file, parse(index), **how)), output)


@program.command(
    short_help="All indices, or one of them explained.",
    epilog="""\b
Examples:
  clustermark indices
  clustermark indices --panel --format markdown
  clustermark indices 'f_measure(beta=2)'
  clustermark indices mclust:adjustedRandIndex""",
)
@click.argument("name", required=False, shell_complete=options.complete_index)
@plugins
@options.option("--panel", is_flag=True, help="Only those that are shown by default.")
@options.formats("table", "json", "csv", "markdown")
@options.written
def indices(name: str | None, panel: bool, shape: str | None, output: str | None, force: bool) -> None:
    """All indices, or one of them explained; any of its names will do, also its name in another tool."""
    from clustermark.cli.indices import catalogue_as, index_as

    refuse_overwriting(output, force)
    shape = format_of(shape, output)
    seen = _is_terminal(output)
    deliver(index_as(shape, name, to_terminal=seen) if name else catalogue_as(shape, panel, to_terminal=seen), output)


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
    evaluation = digits(algorithm)
    click.echo(show(evaluation, algorithm, to_terminal=_is_terminal(None)), nl=False)
    if output:
        deliver(evaluation.report(f"Handwritten digits, clustered by {algorithm}"), output)
        click.echo(f"{NAME}: wrote {output}", err=True)


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
        click.echo(complete(program, {}, NAME, "_CLUSTERMARK_COMPLETE").source())


@program.command(
    short_help="The JSON Schema of what --format json writes.",
    epilog="""\b
Examples:
  clustermark schema > clustermark.schema.json""",
)
def schema() -> None:
    """Print the JSON Schema (draft 2020-12) of what `score` and `errors` write with --format json."""
    import json

    from clustermark.report.record import json_schema

    click.echo(json.dumps(json_schema(), indent=2))
