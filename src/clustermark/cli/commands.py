"""All commands, each loaded on demand: a command reads its arguments, calls the library and delivers the result."""

from __future__ import annotations

import os
from importlib import import_module

import click

from clustermark import __version__
from clustermark.cli import FINE, INTERRUPTED, MISTAKE, NAME
from clustermark.cli.run import Command, Helpful
from clustermark.cli.terminal import say

COMPLETION = "_CLUSTERMARK_COMPLETE"
"""The variable by which a shell requests completions of a line."""
_HELP = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


def run(arguments: list[str]) -> int:
    """Run one command and return its exit code; errors in the data are raised."""
    if (instruction := os.environ.get(COMPLETION)) is not None:
        from click.shell_completion import shell_complete

        return shell_complete(program, {}, NAME, COMPLETION, instruction)
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
    "score": ("evaluating", "The scores of a prediction against the truth."),
    "report": ("evaluating", "One HTML page with scores, charts and errors."),
    "draw": ("sampling", "Which records to label, where the truth is not known."),
    "estimate": ("sampling", "The scores of all records, estimated from a sample of the truth."),
    "coverage": ("checking", "How often the intervals of the scores would hold."),
    "plan": ("sampling", "How many units an interval or a decision needs."),
    "errors": ("evaluating", "Where a prediction goes wrong: the worst splits and merges."),
    "repairs": ("evaluating", "The merges, moves and splits that repair most."),
    "groups": ("evaluating", "The quality for groups: small clusters, a city, a year."),
    "sweep": ("deciding", "Where to cut a list of scored pairs."),
    "compare": ("deciding", "Which of several predictions is best, and whether that is sure."),
    "matrix": ("deciding", "The similarity of several labelings, each against each."),
    "changes": ("releases", "What changed from one clustering to another."),
    "relabel": ("releases", "Let new clusters keep the ids of old ones."),
    "questions": ("judging", "Pairs for people to judge: old against new, without a truth."),
    "judge": ("judging", "The result of the answers to questions, and how sure it is."),
    "monitor": ("judging", "A series of releases, with limits that hold at every look."),
    "describe": ("subjects", "One clustering described, without a truth: sizes, and where columns disagree."),
    "internal": ("subjects", "How good a clustering is by its own points, without a truth."),
    "covers": ("subjects", "How well two clusterings with overlapping clusters agree."),
    "trees": ("subjects", "How well two hierarchies agree."),
    "soft": ("subjects", "How well two soft clusterings agree."),
    "indices": ("about", "All indices, or one of them explained."),
    "demo": ("about", "A demonstration, on data that comes with clustermark."),
    "completion": ("about", "Let a shell complete commands and names."),
    "schema": ("about", "The JSON Schema of what --format json writes."),
}
"""The commands, in the order of the help: the module of each, and its description."""


class Program(Helpful, click.Group):
    """All commands; each is loaded on demand, as most runs need only one."""

    command_class = Command

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names in the order of the help, not alphabetically."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Return the command of a name, None if there is none."""
        if cmd_name not in _COMMANDS:
            return None
        room, does = _COMMANDS[cmd_name]
        command = self.commands.get(cmd_name) or getattr(import_module(f"clustermark.cli.{room}"), cmd_name)
        command.short_help = does
        self.add_command(command)
        return command

    def load_commands(self) -> list[click.Command]:
        """Return all commands."""
        context = click.Context(self)
        return [command for name in _COMMANDS if (command := self.get_command(context, name)) is not None]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the description of each command, without loading any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, does) for name, (_, does) in _COMMANDS.items()])


@click.group(
    cls=Program,
    help="How well does a clustering agree with the truth, and where does it go wrong?",
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

Exit codes: 0 fine; 1 a --fail-… option was not met; 2 a mistake in what was asked.""",
)
@click.version_option(__version__, message="%(prog)s %(version)s")
@click.option("--traceback", is_flag=True, expose_value=False, help="Show the traceback of a bug in clustermark.")
def program() -> None:
    """Run a command."""
