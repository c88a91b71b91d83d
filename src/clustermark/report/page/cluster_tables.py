"""The clusters of both sides as tables, all that the page carries of them as data, and all of them to download."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from clustermark.diagnosis.cluster_table import VERDICTS
from clustermark.report.captions import count_text, label_text, score_text, share_text
from clustermark.report.costs import NEARLY
from clustermark.report.page.elements import label_html, link_csv, table_csv
from clustermark.tables.clusters import other

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clustermark.diagnosis import ClusterRow, ClusterTable, Side
    from clustermark.report.page.elements import ClusterLinks

ROWS_SHOWN = 500
ROWS_CARRIED = 20_000
_ROWS_PRINTED = 40  # as the style sheet has it
_BYTES_OF_CSV = 1_000_000
_BYTES_OF_ROWS = 600_000
_EXACT_INTEGERS = 2**53
"""JavaScript has no larger ones; larger numbers are handed over as text."""

SHOWN_VERDICTS = (VERDICTS[0], "nearly exact", *VERDICTS[1:])

_COLUMNS = (
    # heading, kind, explanation
    ("cluster", "label", "its label"),
    ("verdict", "", "exact, nearly exact, split, merged or mixed"),
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
    ("wrong pairs", "number", "pairs lost, and pairs of its points and strangers, together on the other side only"),
)
_VERDICTS_SAID = {
    "pred": "split is a piece of a true cluster, merged is made of several whole ones, mixed is made of pieces",
    "true": "split is made of several whole predicted clusters, merged lies with others in one, mixed is both",
}
_SORTED = ' aria-sort="descending"'


def shown_verdict(row: ClusterRow, nearly: float = NEARLY) -> str:
    """What the page calls a cluster: a cluster of 176 of 178 points is not just mixed."""
    return "nearly exact" if row.verdict != "exact" and row.jaccard >= nearly else row.verdict


def count_verdicts(table: ClusterTable, nearly: float = NEARLY) -> dict[str, int]:
    """How many clusters the page calls what; of those that an engine kept none counts as nearly exact."""
    found, close = table.verdicts, table.nearly_exact(nearly)
    return {
        name: sum(close.values()) if name == "nearly exact" else found[name] - close.get(name, 0)
        for name in SHOWN_VERDICTS
    }


def worst_clusters(table: ClusterTable, k: int) -> ClusterTable:
    """The k clusters in most wrong pairs; of equals those first that are least like their best match."""
    return table.sorted_by("jaccard", descending=False).sorted_by("pairs_wrong", k)


def cluster_section(
    table: ClusterTable, heading: str, name: str, across: str, links: ClusterLinks, nearly: float = NEARLY
) -> str:
    """A heading, the verdicts in all, the worst clusters as a table, and a link to the rest."""
    worst, verdicts = worst_clusters(table, ROWS_SHOWN), count_verdicts(table, nearly)
    rows = "\n".join(_row(row, wrong, table.side, links, nearly) for row, wrong in _with_wrong_pairs(worst))
    close = f", nearly exact has a Jaccard of {nearly:g} or more" if verdicts["nearly exact"] else ""
    said = f"Exact is the same on both sides{close}, {_VERDICTS_SAID[table.side]}."
    return f"""<div class="table" id="{name}" data-side="{table.side}" data-total="{table.total}">
<h3>{heading}</h3>
{_verdicts(verdicts, heading.lower())}
<p class="note">{said} The best match is the {across} cluster of largest Jaccard.
<span class="extent">{_extent(len(worst), table.total)}</span> {_download(table, name)}</p>
{_explain()}
<p class="note found" role="status"></p>
<div class="scroll clusters" tabindex="0" role="region" aria-label="{heading}"><table>
<thead><tr>{_head()}</tr></thead>
<tbody>
{rows}
</tbody></table></div></div>"""


def carry_rows(table: ClusterTable, nearly: float = NEARLY) -> list[str]:
    """The worst clusters as JSON, each a list, as many as there is room for: what can be searched, sorted, filtered."""
    lines: list[str] = []
    room = _BYTES_OF_ROWS
    for row, wrong in _with_wrong_pairs(worst_clusters(table, ROWS_CARRIED)):
        match = None if row.best_match is None else label_text(row.best_match)
        numbers = (row.size, row.best_match_size, row.overlap, row.jci, row.counterparts, row.pairs_lost, wrong)
        verdict = SHOWN_VERDICTS.index(shown_verdict(row, nearly))
        line = json.dumps([label_text(row.cluster), verdict, match, *map(for_script, numbers)], separators=(",", ":"))
        room -= len(line) + 1
        if room < 0 and len(lines) >= ROWS_SHOWN:
            break
        lines.append(line.replace("<", "\\u003c"))
    return lines


def _with_wrong_pairs(table: ClusterTable) -> Iterable[tuple[ClusterRow, float]]:
    return zip(table, table.column("pairs_wrong").tolist(), strict=True)


def for_script(number: float) -> float | str:
    """A number as JSON hands it to the script."""
    return str(number) if isinstance(number, int) and number >= _EXACT_INTEGERS else number


def _extent(shown: int, total: int) -> str:
    printed = f' <span class="paper">On paper the first {_ROWS_PRINTED}.</span>' if shown > _ROWS_PRINTED else ""
    if shown == total:
        return ("All of them, worst first." if total != 1 else "There is one.") + printed
    return f"The {shown:,} that are in most wrong pairs, of {total:,}.{printed}"


def _verdicts(verdicts: dict[str, int], what: str) -> str:
    """The verdicts in all; each a button that shows its clusters, for those who have the script."""
    total = sum(verdicts.values())
    if not total:
        return ""
    there = {verdict: count for verdict, count in verdicts.items() if count}
    bars = "".join(f'<i class="{_class(v)}" style="width:{100 * n / total:.3f}%"></i>' for v, n in there.items())
    items = "".join(
        f'<li><button type="button" class="is {_class(verdict)}" data-filter="{verdict}" aria-pressed="false" disabled>'
        f'{verdict} <span data-v="{n}">{n:,}</span> ({share_text(n / total)})</button></li>'
        for verdict, n in there.items()
    )
    of = f'<p class="note of">Of {total:,} {what if total != 1 else what.removesuffix("s")}:</p>'
    return f'{of}<div class="verdicts" aria-hidden="true">{bars}</div><ul class="legend">{items}</ul>'


def _class(verdict: str) -> str:
    return verdict.partition(" ")[0]


def _head() -> str:
    return "".join(
        f'<th scope="col" class="{kind}"{_SORTED if heading == "wrong pairs" else ""}>'
        f'<button type="button" title="{says}" disabled>{heading}</button>'
        f'<span class="on-paper" aria-hidden="true">{heading}</span></th>'  # browsers do not print buttons twice
        for heading, kind, says in _COLUMNS
    )


def _explain() -> str:
    """What the headings mean, for those who cannot hover over them."""
    items = "; ".join(f"<strong>{heading}</strong>: {says}" for heading, _, says in _COLUMNS)
    return f'<details open class="fold"><summary>What the columns mean</summary><p class="note">{items}.</p></details>'


def _row(row: ClusterRow, wrong: float, side: Side, links: ClusterLinks, nearly: float) -> str:
    counts = (row.best_match_size, row.overlap)
    scores = (row.precision, row.recall, row.jaccard, row.jci)
    verdict = shown_verdict(row, nearly)
    cells = [
        f'<th scope="row" class="label">{_name(row.cluster, side, links)}</th>',
        f'<td><span class="is {_class(verdict)}">{verdict}</span></td>',
        _number(row.size),
        f'<td class="label">{_match(row.best_match, other(side), links)}</td>',
        *map(_number, counts),
        *(_score(score, bar=place == 2) for place, score in enumerate(scores)),
        _number(row.counterparts),
        _number(row.pairs_lost),
        _number(wrong),
    ]
    return f'<tr data-verdict="{verdict}">{"".join(cells)}</tr>'


def _match(label: Any, side: Side, links: ClusterLinks) -> str:
    """The label of a best match; None is a point with a cluster of its own, or the missing labels."""
    return "<em>no label</em>" if label is None else _name(label, side, links)


def _name(label: Any, side: Side, links: ClusterLinks) -> str:
    """A label, as a link to the records of its cluster if the page holds them."""
    drawer = links.drawers.get((side, label))
    return f'<a class="to" href="#{drawer}">{label_html(label)}</a>' if drawer else label_html(label)


def _number(count: float) -> str:
    return f'<td class="number" data-v="{count!r}">{count_text(count)}</td>'


def _score(score: float, *, bar: bool) -> str:
    shown = f' style="--share:{100 * score:.1f}%"' if bar else ""
    return f'<td class="number{" share" * bar}" data-v="{score!r}"{shown}>{score_text(score)}</td>'


def _download(table: ClusterTable, name: str) -> str:
    data = table_csv(table) if table.total <= ROWS_CARRIED else None
    if data is None or len(data) > _BYTES_OF_CSV:
        attribute = "clusters" if name == "predicted-clusters" else "classes"
        return f'For all of them: <code>evaluation.{attribute}.write_csv("{name}.csv")</code>.'
    return link_csv(name, "Download all as CSV", data)
