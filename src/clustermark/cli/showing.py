"""The commands without a truth and a prediction: points in space, what indices there are, the demo, the schema."""

from __future__ import annotations

from typing import Any

import click

from clustermark.cli import NAME, options, values
from clustermark.cli.formats import render
from clustermark.cli.helpful import Command
from clustermark.cli.output import (
    PAGES,
    check_ending,
    deliver,
    format_of,
    is_terminal,
    refuse_overwriting,
)
from clustermark.cli.plugins import plugins
from clustermark.cli.terminal import say, suit_output
from clustermark.options import COMPARED


@click.command(
    cls=Command,
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
@options.chosen_indices
@options.formats("table", "json", "csv", "html")
def internal(file: str, indices: Any, shape: str | None, output: str | None, force: bool, **how: Any) -> None:
    """Score the points of FILE and the cluster of each: how close clusters are in themselves, how far from others."""
    from clustermark.cli.internal import evaluate_points

    refuse_overwriting(output, force)
    shape = format_of(shape, output)
    found = evaluate_points(file, indices, **how)
    deliver(render(shape, found), output, shape)


@click.command(
    cls=Command,
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
@click.argument("name", required=False, shell_complete=values.complete_index)
@plugins
@options.option("--panel", is_flag=True, help="Only those that are shown by default.")
@options.option("--points", "kind", flag_value="points", help="Those of points in space, which need no truth.")
@options.option("--covers", "kind", flag_value="covers", help="Those of clusterings whose clusters overlap.")
@options.option("--trees", "kind", flag_value="trees", help="Those of hierarchies.")
@options.option("--soft", "kind", flag_value="soft", help="Those of soft clusterings.")
@options.formats("table", "json", "csv", "markdown")
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


@click.command(
    cls=Command,
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


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  clustermark schema > clustermark.schema.json""",
)
def schema() -> None:
    """Print the JSON Schema (draft 2020-12) of all that is written with --format json."""
    import json

    from clustermark.results.schema import json_schema

    deliver(json.dumps(json_schema(), indent=2), None, "json")
