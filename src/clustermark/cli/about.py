"""The commands on the library itself: its indices, a demonstration, and the schema of its JSON."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import clustermark
from clustermark.cli import NAME, parsing
from clustermark.cli import shared_options as options
from clustermark.cli.parsing import plugins
from clustermark.cli.run import EVERY_FORMAT, PAGES, Outcome, Run, check_ending, command
from clustermark.cli.terminal import suit_output

if TYPE_CHECKING:
    from clustermark.evaluation.partitions import PartitionEvaluation
    from clustermark.options import Noise
    from clustermark.registry import Index

DIGITS = Path(clustermark.__file__).parent / "data" / "digits.csv"


@command(
    *EVERY_FORMAT,
    examples="""
clustermark indices
clustermark indices --panel --format markdown
clustermark indices --points
clustermark indices --covers
clustermark indices --trees
clustermark indices 'f_measure(beta=2)'
clustermark indices mclust:adjustedRandIndex""",
)
@click.argument("name", required=False, shell_complete=parsing.complete_index)
@plugins
@options.option("--panel", is_flag=True, help="Only those that are shown by default.")
@options.option("--points", "kind", flag_value="points", help="Those of points in space, which need no truth.")
@options.option("--covers", "kind", flag_value="covers", help="Those of clusterings whose clusters overlap.")
@options.option("--trees", "kind", flag_value="trees", help="Those of hierarchies.")
@options.option("--soft", "kind", flag_value="soft", help="Those of soft clusterings.")
def indices(run: Run, name: str | None, panel: bool, kind: str | None) -> Any:
    """List all indices, or explain one of them, given by any of its names, also its name in another tool."""
    from clustermark.registry import catalogue, parse
    from clustermark.registry.index_tables import IndexExplanation, IndexTable

    if name and panel:
        raise click.UsageError("--panel chooses from the list of all indices; leave it out to have one explained")
    subject = kind or "partitions"
    shown = [one for one in catalogue(subject) if not panel or _is_shown(one, subject)] if name is None else []
    outcome = Outcome(IndexTable(shown) if name is None else IndexExplanation([parse(name)]))
    return suit_output(run.render(outcome), letters=True) if run.shape == "table" else outcome


@command(
    examples="""
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
def demo(run: Run, algorithm: str) -> Outcome:
    """Evaluate a clustering of 1,797 handwritten digits, which comes with clustermark."""
    from clustermark.evaluation.diagnoses import ErrorDiagnosis

    check_ending(run.output, PAGES)
    evaluation = _digits(algorithm)
    worst = ErrorDiagnosis(evaluation, {"splits": evaluation.splits(3), "merges": evaluation.merges(3)})
    shown = Run(None, run.force, run.quiet, "table", run.asked)
    shown.deliver(
        Outcome(
            f"Handwritten digits, clustered by {algorithm}, compared with the true digits.",
            below=(
                evaluation,
                worst,
                "The same as a page with charts: clustermark demo -o report.html\n"
                "Your own data: clustermark score data.csv --true label --pred cluster",
            ),
        )
    )
    if run.output is None:
        return Outcome(None)
    run.shape = "html"
    return Outcome(evaluation, how={"html": {"title": f"Handwritten digits, clustered by {algorithm}"}})


@command(examples="clustermark schema > clustermark.schema.json", written=False)
def schema(run: Run) -> str:
    """Print the JSON Schema (draft 2020-12) of all that is written with --format json."""
    from clustermark.results.schema import json_schema

    run.shape = "json"
    return json.dumps(json_schema(), indent=2)


def _is_shown(index: Index[...], comparison: str) -> bool:
    return any(use.facts.panel for use in index.uses if use.comparison.name == comparison)


def _digits(algorithm: str) -> PartitionEvaluation:
    """Return the evaluation of the clusters of an algorithm against the digits that were written."""
    with DIGITS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    # the label -1 of dbscan marks points without a cluster
    noise: Noise | None = {"-1": "singletons"} if algorithm == "dbscan" else None
    return clustermark.evaluate([row["digit"] for row in rows], [row[algorithm] for row in rows], noise_pred=noise)


@command(
    examples="""
clustermark completion bash >> ~/.bashrc
clustermark completion zsh >> ~/.zshrc
clustermark completion fish > ~/.config/fish/completions/clustermark.fish""",
    written=False,
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(run: Run, shell: str) -> str:  # noqa: ARG001
    """Print the script that lets a shell complete commands, options and the names of indices."""
    from click.shell_completion import get_completion_class

    from clustermark.cli.commands import COMPLETION, program

    complete = get_completion_class(shell)
    assert complete is not None
    return complete(program, {}, NAME, COMPLETION).source()
