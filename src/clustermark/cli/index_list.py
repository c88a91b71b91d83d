"""The commands on the library itself: its indices, a demonstration, and the schema of its JSON."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import clustermark
from clustermark.cli import options, spell, values
from clustermark.cli.layout import Column, paragraph, table
from clustermark.cli.run import PAGES, Outcome, check_ending, command, deliver, is_terminal
from clustermark.cli.terminal import suit_output
from clustermark.cli.values import plugins

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clustermark.cli.run import Run
    from clustermark.evaluation.partitions import PartitionEvaluation
    from clustermark.options import Noise
    from clustermark.registry import Index

DIGITS = Path(clustermark.__file__).parent / "data" / "digits.csv"
_BETTER = {True: "higher", False: "lower", None: "–"}


@command(
    "table",
    "json",
    "csv",
    "markdown",
    examples="""
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
def indices(run: Run, name: str | None, panel: bool, kind: str | None) -> str:
    """All indices, or one of them explained; any of its names will do, also its name in another tool."""
    if name and panel:
        raise click.UsageError("--panel chooses from the list of all indices; leave it out to have one explained")
    if name:
        text = index_as(run.shape, name, to_terminal=run.to_terminal)
    else:
        text = _catalogue_as(run.shape, panel, kind or "partitions", to_terminal=run.to_terminal)
    return suit_output(text, letters=True) if run.shape == "table" else text


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
    check_ending(run.output, PAGES)
    evaluation = _digits(algorithm)
    deliver(_show(evaluation, algorithm, to_terminal=is_terminal()), None)
    if run.output is None:
        return Outcome(None)
    page = evaluation.report(f"Handwritten digits, clustered by {algorithm}")
    return Outcome(page, said=(f"wrote {run.output}",))


@command(examples="clustermark schema > clustermark.schema.json", written=False)
def schema(run: Run) -> str:
    """Print the JSON Schema (draft 2020-12) of all that is written with --format json."""
    from clustermark.results.schema import json_schema

    run.shape = "json"
    return json.dumps(json_schema(), indent=2)


def _catalogue_as(shape: str, panel: bool, comparison: str = "partitions", *, to_terminal: bool) -> str:
    """All indices of a kind of comparison, or those of the panel."""
    from clustermark.cli.scores import LOWER_IS_BETTER, mark
    from clustermark.registry import catalogue

    chosen = [index for index in catalogue(comparison) if not panel or _is_shown(index, comparison)]
    if shape == "json":
        return _json([_facts(index) for index in chosen])
    if shape == "csv":
        return _csv([_facts(index) for index in chosen])
    if shape == "markdown":
        return _markdown(chosen)
    families = dict.fromkeys(index.facts.family for index in chosen)
    below = [suit_output(LOWER_IS_BETTER)] if any(mark(index.facts.higher_is_better) for index in chosen) else []
    return "\n".join([*(_family(name, chosen, to_terminal) for name in families), *below, ""])


def _is_shown(index: Index[...], comparison: str) -> bool:
    return any(use.facts.panel for use in index.uses if use.comparison.name == comparison)


def index_as(shape: str, name: str, *, to_terminal: bool) -> str:
    """One index explained."""
    from clustermark.registry import parse

    index = parse(name)
    if shape == "json":
        return _json(_facts(index))
    if shape == "csv":
        return _csv([_facts(index)])
    return _explain(index, to_terminal) if shape == "table" else _markdown([index])


def _family(name: str, indices: Sequence[Index[...]], to_terminal: bool) -> str:
    from clustermark.cli.scores import mark
    from clustermark.registry.facts import interval

    columns = [
        Column("name", style="cyan"),
        Column("short"),
        Column("range", style="dim"),
        Column("", style="dim"),
        Column("what it is", folds=True),
    ]
    rows = [
        (
            index.name,
            index.facts.abbreviation,
            interval(index.facts.bounds),
            mark(index.facts.higher_is_better),
            index.facts.title,
        )
        for index in indices
        if index.facts.family == name
    ]
    title = next(index.family_title for index in indices if index.family == name)
    return f"{title.upper()}\n{table(columns, rows, to_terminal=to_terminal)}"


def _facts(index: Index[...]) -> dict[str, Any]:
    facts = index.facts
    return {
        "name": index.name,
        "title": facts.title,
        "abbreviation": facts.abbreviation,
        "family": facts.family,
        "panel": facts.panel,
        "formula": facts.formula,
        "low": _finite(facts.bounds[0]),
        "high": _finite(facts.bounds[1]),
        "higher_is_better": facts.higher_is_better,
        "symmetric": facts.symmetric,
        "metric": facts.metric,
        "chance_model": facts.chance_model,
        "undefined_when": facts.undefined_when,
        "weights": facts.weights,
        "aliases": list(facts.aliases),
        "peers": {tool: list(names) for tool, names in facts.peers.items()},
        "reference": str(facts.citation),
        "summary": index.summary,
    }


def _finite(bound: float) -> float | str:
    """Infinity as text, which JSON has no number for."""
    return bound if abs(bound) != float("inf") else str(bound)


def _explain(index: Index[...], to_terminal: bool) -> str:
    """What the index is and when to use it, then what is declared of it, line by line."""
    signature = str(index.__signature__).partition(" ->")[0]
    lines = [
        index.heading,
        "",
        f"{index.name}{signature}",
        f"= {index.formula}",
        "",
        *_paragraphs(index.text),
        "",
        f"Family: {index.family_title.lower()}.",
        *index.sentences,
        *(f"In {tool}: {', '.join(names)}" for tool, names in index.peers.items()),
    ]
    return "\n".join(paragraph(line, to_terminal=to_terminal) for line in lines)


def _paragraphs(text: str) -> list[str]:
    """The lines of a docstring, put together where they go on: not in examples, nor where an option begins."""
    parts = text.strip().split("\n\n")
    joined = (part if part.startswith(">>>") else re.sub(r"\n(?!\w+(, \w+)*: )", " ", part) for part in parts)
    return "\n\n".join(joined).splitlines()


def _markdown(indices: Sequence[Index[...]]) -> str:
    from clustermark.registry.facts import interval

    rows = ["| index | also | range | better | formula |", "|---|---|---|---|---|"]
    rows += [
        f"| `{i.name}` | {i.facts.abbreviation} | {interval(i.facts.bounds)} | {_BETTER[i.facts.higher_is_better]} "
        f"| `{i.facts.formula}` |"
        for i in indices
    ]
    return "\n".join(rows)


def _csv(rows: Sequence[dict[str, Any]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _cell(value) for name, value in row.items()} for row in rows)
    return text.getvalue()


def _cell(value: object) -> object:
    if isinstance(value, list):
        return "; ".join(map(str, value))
    if isinstance(value, dict):
        return "; ".join(f"{tool}: {', '.join(names)}" for tool, names in value.items())
    return value


def _json(content: object) -> str:
    return json.dumps(content, ensure_ascii=False, indent=2)


def _digits(algorithm: str) -> PartitionEvaluation:
    """The clusters that an algorithm made of handwritten digits, against the digits that they are."""
    with DIGITS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    # dbscan calls -1 what it cannot place: such points are alone
    noise: Noise | None = {"-1": "singletons"} if algorithm == "dbscan" else None
    return clustermark.evaluate([row["digit"] for row in rows], [row[algorithm] for row in rows], noise_pred=noise)


def _show(evaluation: PartitionEvaluation, algorithm: str, *, to_terminal: bool) -> str:
    """The scores, the worst errors, and how to go on."""
    from clustermark.cli.layout import document_text
    from clustermark.cli.scores import scores_table

    worst = evaluation.splits(3), evaluation.merges(3)
    return "\n".join(
        [
            f"Handwritten digits, clustered by {algorithm}, judged against the true digits.\n",
            scores_table(evaluation, to_terminal=to_terminal),
            *(f"{document_text(found.document(), spell, to_terminal=to_terminal)}\n" for found in worst),
            "The same as a page with charts: clustermark demo -o report.html",
            "Your own data: clustermark score data.csv --true label --pred cluster\n",
        ]
    )
