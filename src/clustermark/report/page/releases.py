"""The page of a change: how much changed, what happened to which clusters, and with a truth whether it was right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clustermark.report.captions import score_text
from clustermark.report.charts.releases import draw_events, draw_scores_apart, draw_slices
from clustermark.report.page.elements import figure, label_html, list_facts, plain_html, rows_html
from clustermark.report.page.render import fill_page
from clustermark.report.releases import changes_document
from clustermark.results.json import current_version
from clustermark.results.values import count_text, settings_text, share_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clustermark.releases.before_after import Changes

_ROWS = 50
_SLICES = 30
_LABELS = 5


def html(changes: Changes, title: str | None) -> str:
    """The page of a change; the same change always gives the same text."""
    first, *others = changes.summary()
    sections = [
        (
            "scores",
            "What changed",
            "Means over records: the share of a record's company that left it (splits), that is new to it (merges), "
            "and the Jaccard distance of its clusters before and after.",
            _impact(changes, others),
        )
    ]
    if changes.truth is not None:
        lead = "Scores against the truth before and after on the same records, and true clusters found and lost."
        sections.append(("truth", "Was it right?", lead, _truth(changes)))
    if changes.event_counts is not None:
        lead = "Clusters before and after that hang together by shared records; every record is in exactly one event."
        sections.append(("events", "Events", lead, _events(changes)))
    lead = "The clusters that changed most, by the sum of their records' distances."
    sections.append(("clusters", "Clusters", lead, _clusters(changes)))
    if changes.slices is not None:
        lead = "Means over the records of each slice, with all their partners counted, also those of other slices."
        sections.append(("slices", "Slices", lead, _slices(changes)))
    sections.append(("made", "How this was made", "Under which rules it was compared.", _made(changes)))
    return fill_page(
        title or _title(changes),
        current_version(),
        first,
        _key_numbers(changes),
        sections,
        changes_document(changes, _ROWS),
    )


def _title(changes: Changes) -> str:
    settings = changes.table.settings
    if "prediction" in settings:
        return f"From {settings['truth']} to {settings['prediction']}"
    return str(settings.get("source", "What changed between two clusterings"))


def _key_numbers(changes: Changes) -> list[tuple[str, str, str]]:
    records, table = changes.records, changes.table
    return [
        ("records", f"{records['compared']:,}", "weighted" if changes.weighted else ""),
        ("affected", share_text(changes.affected_share), f"{changes.affected:,} records"),
        ("clusters", f"{table.n_true_clusters:,} → {table.n_pred_clusters:,}", "before and after"),
        ("split rate", score_text(changes.split_rate), ""),
        ("merge rate", score_text(changes.merge_rate), ""),
    ]


def _impact(changes: Changes, sentences: Sequence[str]) -> str:
    items = "".join(f"<li>{plain_html(line)}</li>" for line in sentences)
    kinds = ("unchanged", "split", "merged", "regrouped")
    before, after = changes.kinds["before"], changes.kinds["after"]
    rows = [[kind, *(f"{side[kind].number:,}" for side in (before, after))] for kind in kinds]
    table = rows_html(["Clusters", "Before", "After"], rows, "Kinds of clusters")
    chart = ""
    if (counts := changes.event_counts) is not None:
        chart = figure("event-kinds", (6.4, 2.6), lambda ax: draw_events(ax, counts))
    return f"<ul>{items}</ul>{chart}{table}"


def _truth(changes: Changes) -> str:
    truth = changes.truth
    assert truth is not None
    heads, *lines = truth.score_table()
    table = rows_html(map(plain_html, heads), [[plain_html(cell) for cell in line] for line in lines], "Scores")
    notes = "".join(f"<li>{plain_html(note)}</li>" for note in truth.notes())
    chart = figure(
        "score-changes",
        (6.4, 1.4 + 0.4 * len(truth.scores)),
        lambda ax: draw_scores_apart(ax, truth.scores, truth.comparison.level),
    )
    found = truth.clusters(_ROWS)
    rows = [[label_html(row.cluster), _word(row.fate), *(count_text(value) for value in row[2:])] for row in found]
    names = ["True cluster", "Fate", "Size", "Distance before", "After", "Pairs gained", "Lost"]
    listed = rows_html(names, rows, "True clusters")
    return (
        f'{table}<ul class="note">{notes}</ul>{chart}<h3>True clusters</h3>{_extent(len(found), found.total)}{listed}'
    )


def _extent(shown: int, total: int) -> str:
    if not total:
        return '<p class="note">None.</p>'
    said = f"The first {shown:,} of {total:,}." if shown < total else f"All {total:,}."
    return f'<p class="note">{said}</p>'


def _word(word: str) -> str:
    """A word that is not broken."""
    return f'<span class="word">{word}</span>'


def _names(labels: Sequence[Any], number: int) -> str:
    shown = [label_html(label, 40) for label in labels[:_LABELS]]
    left = number - len(shown)
    return ", ".join([*shown, *([f"{left:,} {'more' if shown else 'alone'}"] if left else [])])


def _events(changes: Changes) -> str:
    found = changes.events(_ROWS)
    rows = [
        [_word(row.kind), f"{row.records:,}", count_text(row.impact), _names(row.before, row.n_before),
         _names(row.after, row.n_after)]
        for row in found
    ]  # fmt: skip
    heads = ["Event", "Records", "Impact", "Before", "After"]
    return _extent(len(found), found.total) + (rows_html(heads, rows, "Events", (0, 3, 4)) if rows else "")


def _clusters(changes: Changes) -> str:
    parts = []
    for side, heading, across in (("before", "Before", "Became"), ("after", "After", "Came from")):
        found = changes.clusters("before" if side == "before" else "after", _ROWS)
        rows = []
        for row in found:
            pieces = [
                f"{'alone' if part.lone else label_html(part.cluster, 40)} "
                f"({count_text(part.overlap)} of {count_text(part.size)})"
                for part in row.parts[:_LABELS]
            ]
            left = row.counterparts - len(pieces)
            pieces += [f"{left:,} more"] if left > 0 else []
            numbers = [count_text(row.size), count_text(row.impact)]
            rows.append([label_html(row.cluster), _word(row.kind), *numbers, ", ".join(pieces)])
        heads = ["Cluster", "Kind", "Size", "Impact", across]
        table = rows_html(heads, rows, f"Clusters {side}", (0, 4)) if rows else ""
        parts.append(f"<h3>{heading}</h3>{_extent(len(found), found.total)}{table}")
    return "".join(parts)


def _slices(changes: Changes) -> str:
    slices = changes.slices
    assert slices is not None
    rows = [
        [label_html(row.slice), f"{row.records:,}", share_text(row.affected_share), *map(score_text, row[5:8])]
        for row in slices[:_ROWS]
    ]
    some = slices[:_SLICES]
    chart = figure("slice-rates", (6.4, 1.2 + 0.3 * len(some)), lambda ax: draw_slices(ax, some))
    heads = ["Slice", "Records", "Affected", "Split rate", "Merge rate", "Distance"]
    return f"{_extent(len(rows), len(slices))}{rows_html(heads, rows, 'Slices')}{chart}"


def _made(changes: Changes) -> str:
    document = changes_document(changes, 0)
    counts = list_facts("Records", {name: f"{count:,}" for name, count in document["records"].items()}, "number")
    facts = {name: settings_text(value) for name, value in document["settings"].items()}
    return f'<div class="facts">{counts}{list_facts("Settings", facts, "")}</div>'
