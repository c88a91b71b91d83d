"""The catalogue of indices, and one index explained."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import TYPE_CHECKING, Any

from clustermark.cli.layout import Column, paragraph, table
from clustermark.cli.scores import LOWER_IS_BETTER, mark
from clustermark.cli.terminal import suit_output
from clustermark.registry import catalogue, parse
from clustermark.registry.facts import interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clustermark.registry import Index


_BETTER = {True: "higher", False: "lower", None: "–"}


def catalogue_as(shape: str, panel: bool, comparison: str = "partitions", *, to_terminal: bool) -> str:
    """All indices of a kind of comparison, or those of the panel."""
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
    index = parse(name)
    if shape == "json":
        return _json(_facts(index))
    if shape == "csv":
        return _csv([_facts(index)])
    return _explain(index, to_terminal) if shape == "table" else _markdown([index])


def _family(name: str, indices: Sequence[Index[...]], to_terminal: bool) -> str:
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
