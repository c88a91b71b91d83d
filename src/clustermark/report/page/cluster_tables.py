"""The clusters of one side as an HTML table, and all of them as a file to download."""

from __future__ import annotations

import re
from base64 import b64encode
from html import escape
from typing import TYPE_CHECKING, Any

from clustermark.report.captions import count_text, label_text, plain, score_text, share_text
from clustermark.tables.columnar import csv_text

if TYPE_CHECKING:
    from clustermark.diagnosis import ClusterRow, ClusterTable

ROWS_SHOWN = 500
_ROWS_PRINTED = 40  # as the style sheet has it
_ROWS_CARRIED = 20_000
_BYTES_CARRIED = 1_000_000

_COLUMNS = (
    # heading, kind, explanation
    ("cluster", "label", "its label"),
    ("verdict", "", "exact, split, merged or mixed"),
    ("size", "number", "points in it"),
    ("best match", "label", "the cluster of the other side of largest Jaccard"),
    ("its size", "number", "points in the best match"),
    ("shared", "number", "points in both"),
    ("precision", "number", "share of the predicted cluster that is shared"),
    ("recall", "number", "share of the true cluster that is shared"),
    ("Jaccard", "number", "points in both, of the points in either"),
    ("JCI", "number", "Jaccard-Concentration Index of the cluster"),
    ("meets", "number", "clusters of the other side that it meets"),
    ("pairs lost", "number", "its pairs of points that are apart on the other side"),
)


_SORTED = ' aria-sort="descending"'


def cluster_section(table: ClusterTable, heading: str, name: str, other: str) -> str:
    """A heading, the verdicts in all, the worst clusters as a table, and a link to the rest."""
    worst, verdicts = table.sorted_by("pairs_lost", k=ROWS_SHOWN), table.verdicts
    rows = "\n".join(_row(row) for row in worst)
    return f"""<div class="table" id="{name}">
<h3>{heading}</h3>
{_verdicts(verdicts)}
<p class="note">{_extent(len(worst), table.total)} The best match is the {other} cluster of largest Jaccard.
{_download(table, name)}</p>
<div class="tools" hidden><label>Find <input type="search" placeholder="label" autocomplete="off"></label>
<label>Verdict <select><option value="">all</option>{_options(verdicts)}</select></label><output></output></div>
<div class="scroll clusters" tabindex="0" role="region" aria-label="{heading}"><table>
<thead><tr>{_head()}</tr></thead>
<tbody>
{rows}
</tbody></table></div></div>"""


def _extent(shown: int, total: int) -> str:
    printed = f' <span class="paper">On paper the first {_ROWS_PRINTED}.</span>' if shown > _ROWS_PRINTED else ""
    if shown == total:
        return ("All of them, worst first." if total != 1 else "There is one.") + printed
    return f"The {shown:,} that lose the most pairs, of {total:,}.{printed}"


def _verdicts(verdicts: dict[str, int]) -> str:
    total = sum(verdicts.values())
    if not total:
        return ""
    there = {verdict: count for verdict, count in verdicts.items() if count}
    bars = "".join(f'<i class="{verdict}" style="width:{100 * n / total:.3f}%"></i>' for verdict, n in there.items())
    items = "".join(
        f'<li class="is {verdict}">{verdict} <span data-v="{n}">{n:,}</span> ({share_text(n / total)})</li>'
        for verdict, n in there.items()
    )
    return f'<div class="verdicts" aria-hidden="true">{bars}</div><ul class="legend">{items}</ul>'


def _options(verdicts: dict[str, int]) -> str:
    return "".join(f"<option>{verdict}</option>" for verdict, count in verdicts.items() if count)


def _head() -> str:
    return "".join(
        f'<th scope="col" class="{kind}" title="{says}"{_SORTED if heading == "pairs lost" else ""}>'
        f'<button type="button" disabled>{heading}</button></th>'
        for heading, kind, says in _COLUMNS
    )


def _row(row: ClusterRow) -> str:
    counts = (row.best_match_size, row.overlap)
    scores = (row.precision, row.recall, row.jaccard, row.jci)
    cells = [
        f'<th scope="row" class="label">{label_html(row.cluster)}</th>',
        f'<td><span class="is {row.verdict}">{row.verdict}</span></td>',
        _number(row.size),
        f'<td class="label">{_match(row.best_match)}</td>',
        *map(_number, counts),
        *map(_score, scores),
        _number(row.counterparts),
        _number(row.pairs_lost),
    ]
    return f'<tr data-verdict="{row.verdict}">{"".join(cells)}</tr>'


def label_html(label: Any, width: int = 120) -> str:
    """A label that cannot disturb the page, nor the direction of the text around it."""
    return f"<bdi>{escape(label_text(label, width))}</bdi>"


def _match(label: Any) -> str:
    """The label of a best match; None is a point with a cluster of its own, or the missing labels."""
    return "<em>no label</em>" if label is None else label_html(label)


def _number(count: float) -> str:
    return f'<td class="number" data-v="{count!r}">{count_text(count)}</td>'


def _score(score: float) -> str:
    return f'<td class="number" data-v="{score!r}">{score_text(score)}</td>'


def _download(table: ClusterTable, name: str) -> str:
    data = table_csv(table) if table.total <= _ROWS_CARRIED else None
    if data is None or len(data) > _BYTES_CARRIED:
        attribute = "clusters" if name == "predicted-clusters" else "classes"
        return f'For all of them: <code>evaluation.{attribute}.write_csv("{name}.csv")</code>.'
    link = f"data:text/csv;charset=utf-8;base64,{b64encode(data).decode()}"
    return f'<a class="download" download="{name}.csv" href="{link}">Download all as CSV</a>'


_NUMBER = re.compile(r"[-+]?\d+([.,]\d+)*")


def table_csv(table: ClusterTable) -> bytes:
    """All clusters as CSV. A label that a spreadsheet would take for a formula begins with an apostrophe."""
    columns = {name: [_cell(value) for value in values] for name, values in table.to_dict().items()}
    return csv_text(columns).encode("utf-8", "replace")


def _cell(value: Any) -> Any:
    if value is None or isinstance(value, int | float):
        return value
    text = str(value)
    return "'" + text if text[:1] in ("=", "+", "-", "@", "\t", "\r") and not _NUMBER.fullmatch(text) else text


def plain_html(text: object) -> str:
    """Any text, escaped."""
    return escape(plain(text))
