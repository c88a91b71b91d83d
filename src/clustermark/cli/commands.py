"""The commands: each reads its arguments, has the work done elsewhere, and delivers one result."""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from clustermark import __version__
from clustermark.cli import (
    FAILED,
    FINE,
    INTERRUPTED,
    MISTAKE,
    NAME,
    options,
    values,
)
from clustermark.cli.output import (
    PAGES,
    check_ending,
    deliver,
    format_of,
    is_terminal,
    refuse_overwriting,
    tell_notices,
)
from clustermark.cli.progress import show_progress
from clustermark.cli.terminal import say
from clustermark.options import COMPARED, ENGINE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clustermark.cli.values import Threshold
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


_COMMANDS = {
    "score": ("commands", "The scores of a prediction against the truth."),
    "report": ("commands", "One HTML page with scores, charts and errors."),
    "estimate": ("decisions", "The scores of all records, estimated from a sample of the truth."),
    "errors": ("mending", "Where it goes wrong: the worst splits and merges."),
    "repairs": ("mending", "What to mend first: merges, moves and splits that mend most."),
    "groups": ("groups", "Who suffers: how good it is for small clusters, for a city, for a year."),
    "sweep": ("decisions", "Where to cut a list of scored pairs."),
    "compare": ("decisions", "Which of several predictions is best, and whether that is sure."),
    "matrix": ("decisions", "How alike several labelings are, each against each."),
    "changes": ("releases", "What changed from one clustering to another."),
    "relabel": ("releases", "Let new clusters keep the ids of old ones."),
    "questions": ("asking", "Old against new without a truth: pairs for people to judge."),
    "judge": ("asking", "What the answers to questions say, and how sure that is."),
    "describe": ("describe", "One clustering described, without a truth: sizes, and where columns disagree."),
    "internal": ("showing", "How good a clustering is by its own points, without a truth."),
    "covers": ("covers", "How well two clusterings agree whose clusters overlap."),
    "trees": ("hierarchies", "How well two hierarchies agree."),
    "soft": ("memberships", "How well two soft clusterings agree."),
    "indices": ("showing", "All indices, or one of them explained."),
    "demo": ("showing", "All of it, on data that comes with clustermark."),
    "completion": ("commands", "Let a shell complete commands and names."),
    "schema": ("showing", "The JSON Schema of what --format json writes."),
}
"""The commands, in the order in which they are wanted: where each is declared, and what it does."""


class Program(options.Helpful, click.Group):
    """All commands; each is loaded when it is asked for, which most runs do for one."""

    command_class = options.Command

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """In the order in which they are wanted, not by the alphabet."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command of a name, None if there is none."""
        if cmd_name not in _COMMANDS:
            return None
        room, does = _COMMANDS[cmd_name]
        command = self.commands.get(cmd_name) or getattr(import_module(f"clustermark.cli.{room}"), cmd_name)
        command.short_help = does
        self.add_command(command)
        return command

    def load_commands(self) -> list[click.Command]:
        """All of them."""
        context = click.Context(self)
        return [command for name in _COMMANDS if (command := self.get_command(context, name)) is not None]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """What each of them does, without loading any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, does) for name, (_, does) in _COMMANDS.items()])


@click.group(
    cls=Program,
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


@program.command(
    epilog="""\b
Examples:
  clustermark report data.csv --true label --pred cluster -o report.html
  clustermark report truth.csv pred.csv --on id --title 'Customers, run 7' -o run7.html
  clustermark report truth.csv pred.csv --on id --records people.csv --show name,city -o people.html
  clustermark report truth.csv pred.csv --on id --by city --records people.csv -o groups.html""",
)
@options.compared
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
@options.option(
    "--by",
    multiple=True,
    metavar="COL[,COL]",
    group=COMPARED,
    help="Also how good it is by this column of --records, or by several together; repeat it for more. Then the page "
    "holds records only if --show names what of them.",
)
@options.option("--open", "launch", is_flag=True, help="Open the page in the browser.")
def report(
    sources: tuple[str, ...],
    indices: Any,
    by: tuple[str, ...],
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
    columns = [values.split_names([text]) for text in by]
    if no_records:  # where --by names columns of them, they are read and not shown
        records = {"records": records.get("records")} if columns else {}
    with show_progress("drawing the page", how["quiet"]):
        page = evaluation.report(title, nearly=nearly, by=columns, **records)
    deliver(page, output)
    tell_notices(evaluation, quiet=how["quiet"])
    if not how["quiet"]:
        say(f"{NAME}: wrote {output}")
    if launch:
        click.launch(output)


@program.command(
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
