"""The clusters of both sides: tables, data for the script, and downloads."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from clustermark.diagnosis.captions import in_words, score_text
from clustermark.diagnosis.cluster_table import VERDICTS
from clustermark.diagnosis.costs import NEARLY
from clustermark.diagnosis.members import RecordTable
from clustermark.evaluation.page.elements import label_html, link_csv, table_csv
from clustermark.results.values import count_text, label_text, share_text
from clustermark.tables.clusters import other

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clustermark.diagnosis import ClusterRow, ClusterTable, Side
    from clustermark.evaluation.page.elements import ClusterLinks

    Columns = Sequence[tuple[str, str, str]]

ROWS_SHOWN = 500
ROWS_CARRIED = 20_000
_ROWS_PRINTED = 40  # same as in the style sheet
_BYTES_OF_CSV = 1_000_000
_BYTES_OF_ROWS = 600_000
_EXACT_INTEGERS = 2**53
"""Larger integers are not exact in JavaScript, so they are passed as text."""

SHOWN_VERDICTS = (VERDICTS[0], "nearly exact", *VERDICTS[1:])

_OWN_PAIRS: dict[Side, tuple[str, str]] = {
    "pred": ("false pairs", "pairs of its {things} that the truth keeps apart"),
    "true": ("missing pairs", "pairs of its {things} that the prediction keeps apart"),
}
"""Name and explanation of the pairs that a cluster loses on the other side."""
_WRONG: dict[Side, str] = {
    "pred": "its false pairs, and the missing pairs of its {things} with those of other predicted clusters",
    "true": "its missing pairs, and the false pairs of its {things} with those of other true clusters",
}
_VERDICTS_SAID: dict[Side, dict[str, str]] = {
    "pred": {
        "exact": "the same as a true cluster",
        "nearly exact": "a Jaccard of {nearly:g} or more with its best match",
        "split": "a piece of one true cluster",
        "merged": "several whole true clusters",
        "mixed": "parts of several true clusters, at least one of which is also in other clusters; mostly merged if "
        "more of its wrong pairs are false, mostly split if more are missing (these count half: another cluster shares "
        "them)",
    },
    "true": {
        "exact": "the same as a predicted cluster",
        "nearly exact": "a Jaccard of {nearly:g} or more with its best match",
        "split": "several whole predicted clusters",
        "merged": "whole in one predicted cluster, together with others",
        "mixed": "in several predicted clusters, at least one of which has other {things} too; mostly split if more of "
        "its wrong pairs are missing, mostly merged if more are false (these count half: another cluster shares them)",
    },
}


def _columns(side: Side) -> list[tuple[str, str, str]]:
    """Return the heading, kind and explanation of each column."""
    own, says = _OWN_PAIRS[side]
    columns = [
        ("cluster", "label", "its label"),
        ("verdict", "", "what happened to it, as explained above"),
        ("size", "number", "{things} in it"),
        ("best match", "label", "the cluster of the other side of largest Jaccard"),
        ("its size", "number", "{things} in the best match"),
        ("shared", "number", "{things} in both"),
        ("precision", "number score", "share of the predicted cluster that is shared"),
        ("recall", "number score", "share of the true cluster that is shared"),
        ("Jaccard", "number score", "{things} in both, of the {things} in either"),
        ("JCI", "number score", "Jaccard-Concentration Index: the square root of Jaccard times how much of the cluster "
         "lies in few clusters of the other side"),
        ("meets", "number", "clusters of the other side that it meets"),
        (own, "number", says),
        ("wrong pairs", "number", _WRONG[side]),
    ]  # fmt: skip
    return [(heading, kind, in_words(says)) for heading, kind, says in columns]


_SORTED = ' aria-sort="descending"'


def shown_verdict(row: ClusterRow, nearly: float = NEARLY) -> str:
    """Return the verdict that the page shows; a cluster that shares 176 of 178 points is not just mixed."""
    return "nearly exact" if row.verdict != "exact" and row.jaccard >= nearly else row.verdict


def count_verdicts(table: ClusterTable, nearly: float = NEARLY) -> dict[str, int]:
    """Count the clusters of each verdict; clusters that an engine kept never count as nearly exact."""
    found, close = table.verdicts, table.nearly_exact(nearly)
    return {
        name: sum(close.values()) if name == "nearly exact" else found[name] - close.get(name, 0)
        for name in SHOWN_VERDICTS
    }


def worst_clusters(table: ClusterTable, k: int) -> ClusterTable:
    """Return the k clusters in most wrong pairs; ties are ordered by ascending Jaccard with the best match."""
    return table.sorted_by("jaccard", descending=False).sorted_by("pairs_wrong", k)


def cluster_section(
    table: ClusterTable, heading: str, name: str, across: str, links: ClusterLinks, nearly: float = NEARLY
) -> str:
    """Render a heading, the counts of verdicts, a table of the worst clusters, and a link to the rest."""
    worst, verdicts = worst_clusters(table, ROWS_SHOWN), count_verdicts(table, nearly)
    rows = "\n".join(_row(row, wrong, table.side, links, nearly) for row, wrong in _with_wrong_pairs(worst))
    columns = _columns(table.side)
    return f"""<div class="table" id="{name}" data-side="{table.side}" data-total="{table.total}">
<h3>{heading}</h3>
{_verdicts(verdicts, heading.lower())}
<p class="note">{_explain_verdicts(table.side, verdicts, nearly)}
The best match is the {across} cluster of largest Jaccard.
<span class="extent">{_extent(len(worst), table.total)}</span> {_download(table, name, nearly)}</p>
{_explain(columns)}
<p class="note found" role="status"></p>
<div class="scroll clusters" tabindex="0" role="region" aria-label="{heading}"><table>
<thead><tr>{_head(columns)}</tr></thead>
<tbody>
{rows}
</tbody></table></div></div>"""


def carry_rows(table: ClusterTable, nearly: float = NEARLY) -> list[str]:
    """Return the worst clusters as JSON lists, up to a size limit; the script searches, sorts and filters them."""
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
    """Return a number as it is passed to the script in JSON."""
    return str(number) if isinstance(number, int) and number >= _EXACT_INTEGERS else number


def _extent(shown: int, total: int) -> str:
    printed = f' <span class="paper">On paper the first {_ROWS_PRINTED}.</span>' if shown > _ROWS_PRINTED else ""
    if shown == total:
        return ("All of them, worst first." if total != 1 else "There is one.") + printed
    return f"The {shown:,} that are in most wrong pairs, of {total:,}.{printed}"


def _verdicts(verdicts: dict[str, int], what: str) -> str:
    """Render the counts of verdicts; with the script, each is a button that filters the table."""
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


def _explain_verdicts(side: Side, verdicts: dict[str, int], nearly: float) -> str:
    """Explain the verdicts that occur."""
    said = (f"<strong>{name}</strong>: {_VERDICTS_SAID[side][name]}" for name, n in verdicts.items() if n)
    return f"{in_words('; '.join(said), nearly=nearly)}."


def _head(columns: Columns) -> str:
    return "".join(
        f'<th scope="col" class="{kind}"{_SORTED if heading == "wrong pairs" else ""}>'
        f'<button type="button" title="{says}" disabled>{heading}</button>'
        f'<span class="on-paper" aria-hidden="true">{heading}</span></th>'  # browsers do not print buttons twice
        for heading, kind, says in columns
    )


def _explain(columns: Columns) -> str:
    """Explain the headings for readers that cannot hover over them."""
    items = "; ".join(f"<strong>{heading}</strong>: {says}" for heading, _, says in columns)
    return f'<details open class="fold"><summary>What the columns mean</summary><p class="note">{items}.</p></details>'


def _row(row: ClusterRow, wrong: float, side: Side, links: ClusterLinks, nearly: float) -> str:
    counts = (row.best_match_size, row.overlap)
    scores = (row.precision, row.recall, row.jaccard, row.jci)
    verdict = shown_verdict(row, nearly)
    cells = [
        f'<th scope="row" class="label">{_name(row.cluster, side, links)}</th>',
        f'<td><span class="is {_class(verdict)}">{verdict}</span>{_lean_html(row, wrong, side, verdict)}</td>',
        _number(row.size),
        f'<td class="label">{_match(row.best_match, other(side), links)}</td>',
        *map(_number, counts),
        *(_score(score, bar=place == 2) for place, score in enumerate(scores)),
        _number(row.counterparts),
        _number(row.pairs_lost),
        _number(wrong),
    ]
    return f'<tr data-verdict="{verdict}">{"".join(cells)}</tr>'


def _lean_html(row: ClusterRow, wrong: float, side: Side, verdict: str) -> str:
    lean = leaning(row.pairs_lost, wrong, side) if verdict == "mixed" else ""
    return f"<small>{lean}</small>" if lean else ""


def leaning(lost: float, wrong: float, side: Side) -> str:
    """Return whether a mixed cluster is mostly merged or split; pairs that it shares with another cluster count half.

    >>> leaning(57, 61, "pred"), leaning(57, 61, "true"), leaning(2, 6, "pred"), leaning(1, 4, "pred")
    ('mostly merged', 'mostly split', '', 'mostly split')
    """
    if 3 * lost == wrong:
        return ""
    return "mostly merged" if (3 * lost > wrong) == (side == "pred") else "mostly split"


def _match(label: Any, side: Side, links: ClusterLinks) -> str:
    """Render the label of a best match; None stands for a point in a cluster of its own or for missing labels."""
    return "<em>no label</em>" if label is None else _name(label, side, links)


def _name(label: Any, side: Side, links: ClusterLinks) -> str:
    """Render a label, as a link to the records of its cluster if the page contains them."""
    drawer = links.drawers.get((side, label))
    return f'<a class="to" href="#{drawer}">{label_html(label)}</a>' if drawer else label_html(label)


def _number(count: float) -> str:
    return f'<td class="number" data-v="{count!r}">{count_text(count)}</td>'


def _score(score: float, *, bar: bool) -> str:
    shown = f' style="--share:{100 * score:.1f}%"' if bar else ""
    return f'<td class="number{" share" * bar}" data-v="{score!r}"{shown}>{score_text(score)}</td>'


def _download(table: ClusterTable, name: str, nearly: float) -> str:
    data = table_csv(_as_shown(table, nearly)) if table.total <= ROWS_CARRIED else None
    if data is None or len(data) > _BYTES_OF_CSV:
        attribute = "clusters" if name == "predicted-clusters" else "classes"
        return f'For all of them: <code>evaluation.{attribute}.write_csv("{name}.csv")</code>.'
    return link_csv(name, "Download all as CSV", data)


def _as_shown(table: ClusterTable, nearly: float) -> RecordTable:
    """Return all clusters with the columns and headings of the page."""
    values = [
        [row.cluster, shown_verdict(row, nearly), row.size, row.best_match, row.best_match_size, row.overlap,
         row.precision, row.recall, row.jaccard, row.jci, row.counterparts, row.pairs_lost, wrong]
        for row, wrong in _with_wrong_pairs(table)
    ]  # fmt: skip
    names = [heading for heading, *_ in _columns(table.side)]
    return RecordTable({name: [row[place] for row in values] for place, name in enumerate(names)})
