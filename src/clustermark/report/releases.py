"""What changed from one clustering to another as JSON, as Markdown for a pull request, and for a notebook."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from clustermark.report.captions import score_text
from clustermark.report.markup import in_markdown
from clustermark.results.json import SCHEMA, current_version, for_json
from clustermark.results.values import label_text, share_text
from clustermark.tables.columnar import short_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clustermark.releases.before_after import Changes

_WORDS = {"truth": "before", "prediction": "after", "true": "old", "pred": "new"}
"""What settings of the table mean here."""
_WIDTH = 40
_SLICES = 10


def changes_document(changes: Changes, k: int | None) -> dict[str, Any]:
    """Changes as JSON has them, with the first k of each list."""
    table, impact = changes.table, changes.impact
    fates = ("given", "used", "noise", "dropped", "unmatched")
    policies = table.policies._asdict()
    settings = {_WORDS.get(name, name): value for name, value in table.settings.items() if name not in policies}
    counts = changes.event_counts
    document = {
        "kind": "changes",
        "schema": SCHEMA,
        "version": current_version(),
        "points": {fate: getattr(table, f"n_{fate}") for fate in fates},
        "settings": settings | policies | {"weighted": changes.weighted},
        "summary": changes.summary(),
        "records": changes.records | {"affected": impact.affected},
        "unmatched": {"before": changes.before_only, "after": changes.after_only},
        "clusters_before": table.n_true_clusters,
        "clusters_after": table.n_pred_clusters,
        "impact": {
            "affected_share": impact.affected_share,
            "split_rate": impact.masses.split,
            "merge_rate": impact.masses.merge,
            "distance": impact.distance,
            "masses": impact.masses._asdict(),
        },
        "kinds": {side: _counts(kinds) for side, kinds in changes.kinds.items()},
        "events": None
        if counts is None
        else {"counts": _counts(counts), "total": changes.events(0).total, "rows": changes.events(k).rows()},
        "changed_clusters": {
            side: {"total": found.total, "rows": found.rows()}
            for side, found in (("before", changes.clusters("before", k)), ("after", changes.clusters("after", k)))
        },
        "slices": None if changes.slices is None else changes.slices.rows(),
        "truth": None if changes.truth is None else _truth(changes, k),
    }
    return dict(for_json(document))


def _counts(counts: Any) -> dict[str, Any]:
    return {kind: count._asdict() for kind, count in counts.items()}


def _truth(changes: Changes, k: int | None) -> dict[str, Any]:
    truth = changes.truth
    assert truth is not None
    found = truth.clusters(k)
    return {
        "records": truth.records,
        "level": truth.comparison.level,
        "unit": truth.comparison.unit,
        "scores": {row.label: {name: getattr(row, name) for name in row._fields[1:]} for row in truth.scores},
        "fates": _counts(truth.fates),
        "pairs": truth.pairs._asdict(),
        "clusters": {"total": found.total, "rows": found.rows()},
    }


def code(text: object) -> str:
    """A text as code in a table of Markdown: it is neither markup, nor a link, nor a mention of anybody."""
    shown = label_text(text, _WIDTH)
    fence = "`" * (1 + max((len(run) for run in _runs(shown)), default=0))
    space = " " if shown.startswith("`") or shown.endswith("`") or len(fence) > 1 else ""
    return f"{fence}{space}{shown}{space}{fence}".replace("|", "\\|")


def _runs(text: str) -> Iterable[str]:
    from re import findall

    runs: list[str] = findall("`+", text)
    return runs


def _name(labels: Sequence[Any], number: int, most: int = 3) -> str:
    shown = [code(label) for label in labels[:most]]
    left = number - len(shown)
    alone = f"{left:,} more" if shown else f"{left:,} alone"
    return ", ".join([*shown, *([alone] if left else [])])


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table whose first column is text and whose others are numbers; the cells are Markdown."""
    lines = [f"| {' | '.join(heads)} |", f"|---|{'---:|' * (len(heads) - 1)}"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def markdown(changes: Changes, k: int | None) -> str:
    """A comment for a pull request: what changed, in sentences and short tables."""
    parts = ["### Clusters: what changed", "\n".join(f"- {line}" for line in _sentences(changes))]
    if changes.truth is not None:
        heads, *rows = changes.truth.score_table()
        parts.append(_table(heads, ([code(row[0]), *row[1:]] for row in rows)))
        parts += [in_markdown(note) for note in changes.truth.notes()]
    if changes.event_counts is not None and (events := changes.events(k)):
        rows = [
            [row.kind, f"{row.records:,}", short_text(row.impact), _name(row.before, row.n_before),
             _name(row.after, row.n_after)]
            for row in events
        ]  # fmt: skip
        parts += [_first("changes", len(events), events.total)]
        parts += [_table(["event", "records", "impact", "before", "after"], rows)]
    if changes.slices is not None:
        some = changes.slices[:_SLICES]
        rows = [
            [code(row.slice), f"{row.records:,}", share_text(row.affected_share), *map(score_text, row[5:8])]
            for row in some
        ]
        parts += [_first("slices", len(some), len(changes.slices))]
        parts += [_table(["slice", "records", "affected", "split rate", "merge rate", "distance"], rows)]
    return "\n\n".join(parts) + "\n"


def _sentences(changes: Changes) -> list[str]:
    """The summary; the ids in it are code."""
    named = changes.describe_unmatched()
    return [changes.describe_unmatched(code) if line == named else in_markdown(line) for line in changes.summary()]


def _first(what: str, shown: int, total: int) -> str:
    if total == 1:
        return "One of the " + what + ":" if shown < total else f"The only one of the {what}:"
    return f"The {shown:,} largest of {total:,} {what}:" if shown < total else f"All {total:,} {what}:"


def html(changes: Changes) -> str:
    """A short table for notebooks."""
    head, *rest = changes.summary()
    rows = []
    for kind in ("unchanged", "split", "merged", "regrouped"):
        cells = [changes.kinds["before"][kind].number, changes.kinds["after"][kind].number]
        counts = changes.event_counts
        cells += [] if counts is None else [counts[kind].number, counts[kind].records or 0]
        rows.append([kind, *(f"{cell:,}" for cell in cells)])
    heads = ["", "clusters before", "after", *(["events", "records"] if changes.event_counts is not None else [])]
    tables = [_html_table(head, [heads, *rows])]
    if changes.truth is not None:
        tables.append(_html_table("scores before and after", changes.truth.score_table()))
    return tables[0] + "".join(f"<p>{escape(line)}</p>" for line in rest) + "".join(tables[1:])


def _html_table(caption: str, lines: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(text)}</th>" for text in lines[0])
    body = "".join(
        "<tr>"
        + "".join(
            f"<td style='text-align:right'>{escape(text)}</td>" if place else f"<th>{escape(text)}</th>"
            for place, text in enumerate(line)
        )
        + "</tr>"
        for line in lines[1:]
    )
    return f"<table><caption>{escape(caption)}</caption><tr>{head}</tr>{body}</table>"
