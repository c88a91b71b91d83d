"""The clusters of both sides: tables, data for the script, and downloads."""

from __future__ import annotations

from json import JSONEncoder
from typing import TYPE_CHECKING, Any

from clustermark.diagnosis.captions import in_words, score_text
from clustermark.diagnosis.cluster_table import VERDICTS
from clustermark.diagnosis.costs import NEARLY
from clustermark.evaluation.page.elements import csv_bytes, fold, joined, label_html, link_csv, note, scrolling
from clustermark.results.html import Html, fragment, h
from clustermark.results.values import count_text, label_texts, share_text
from clustermark.tables.clusters import other

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clustermark.diagnosis import ClusterRow, ClusterTable, Side
    from clustermark.evaluation.page.elements import ClusterLinks

    Columns = Sequence[tuple[str, str, str]]

ROWS_WRITTEN = 50
"""Rows of each table that are written as HTML; the page carries the others as data."""
ROWS_DRAWN = 500  # same as in the script
ROWS_CARRIED = 20_000
_ROWS_PRINTED = 40  # same as in the style sheet
_BYTES_OF_CSV = 1_000_000
_BYTES_OF_ROWS = 600_000
_EXACT_INTEGERS = 2**53
"""Larger integers are not exact in JavaScript, so they are passed as text."""

_encode = JSONEncoder(separators=(",", ":")).encode

_HEADINGS: dict[Side, tuple[str, str, str]] = {
    "pred": ("Predicted clusters", "predicted-clusters", "true"),
    "true": ("True clusters", "true-clusters", "predicted"),
}
"""Heading and id of the table of a side, and the other side."""
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


def shown_verdict(verdict: str, jaccard: float, nearly: float = NEARLY) -> str:
    """Return the verdict that the page shows; a cluster that shares 176 of 178 points is not just mixed."""
    return "nearly exact" if verdict != "exact" and jaccard >= nearly else verdict


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


def cluster_table_html(table: ClusterTable, worst: ClusterTable, links: ClusterLinks, nearly: float = NEARLY) -> Html:
    """Return a heading, the counts of verdicts, the first rows of the worst clusters, and a link to the rest."""
    heading, name, across = _HEADINGS[table.side]
    written, verdicts, columns = worst[:ROWS_WRITTEN], count_verdicts(table, nearly), _columns(table.side)
    rows = [_row(row, wrong, table.side, links, nearly) for row, wrong in _with_wrong_pairs(written)]
    text = note(
        _explain_verdicts(table.side, verdicts, nearly),
        f". The best match is the {across} cluster of largest Jaccard. ",
        h("span", _extent(len(written), table.total), class_="extent"),
        " ",
        _download(table, name, nearly),
    )
    listed = h("table", h("thead", h("tr", map(_head, columns))), h("tbody", rows))
    return h(
        "div",
        h("h3", heading),
        _verdicts(verdicts, heading.lower()),
        text,
        _explain_columns(columns),
        note(class_="note found", role="status"),
        scrolling(listed, heading, class_="scroll clusters"),
        class_="table",
        id=name,
        data_side=table.side,
        data_total=table.total,
    )


def carry_rows(worst: ClusterTable, nearly: float = NEARLY) -> list[list[Any]]:
    """Return the rows after those that are written as HTML, up to a size limit, for the script that draws them."""
    rest = worst[ROWS_WRITTEN:]
    found = _shown_columns(rest, nearly)
    matches = [
        None if label is None else text
        for label, text in zip(found["best match"], label_texts(found["best match"]), strict=True)
    ]
    verdicts = list(map(SHOWN_VERDICTS.index, found["verdict"]))
    numbers = ("size", "its size", "shared", "JCI", "meets", _OWN_PAIRS[worst.side][0], "wrong pairs")
    columns = (label_texts(found["cluster"]), verdicts, matches, *(for_script(found[name]) for name in numbers))
    rows: list[list[Any]] = []
    room = _BYTES_OF_ROWS
    for row in zip(*columns, strict=True):
        room -= len(_encode(row)) + 1
        if room < 0 and len(rows) >= ROWS_DRAWN - ROWS_WRITTEN:
            break
        rows.append(list(row))
    return rows


def _with_wrong_pairs(table: ClusterTable) -> Iterable[tuple[ClusterRow, float]]:
    return zip(table, table.column("pairs_wrong").tolist(), strict=True)


def for_script(numbers: Iterable[float]) -> list[float | str]:
    """Return numbers as they are passed to the script in JSON."""
    return [str(n) if isinstance(n, int) and n >= _EXACT_INTEGERS else n for n in numbers]


def _extent(shown: int, total: int) -> Html:
    printed = f"On paper the first {_ROWS_PRINTED}."
    paper = fragment(" ", h("span", printed, class_="paper")) if shown > _ROWS_PRINTED else None
    if shown == total:
        return fragment("All of them, worst first." if total != 1 else "There is one.", paper)
    return fragment(f"The {shown:,} that are in most wrong pairs, of {total:,}.", paper)


def _verdicts(verdicts: dict[str, int], what: str) -> Html:
    """Return the counts of verdicts; with the script, each is a button that filters the table."""
    total = sum(verdicts.values())
    if not total:
        return Html()
    there = {verdict: count for verdict, count in verdicts.items() if count}
    bars = (h("i", class_=_class(verdict), style=f"width:{100 * n / total:.3f}%") for verdict, n in there.items())
    return fragment(
        h("p", f"Of {total:,} {what if total != 1 else what.removesuffix('s')}:", class_="note of"),
        h("div", bars, class_="verdicts", aria_hidden="true"),
        h("ul", (h("li", _chip(verdict, n, total)) for verdict, n in there.items()), class_="legend"),
    )


def _chip(verdict: str, n: int, total: int) -> Html:
    return h(
        "button", verdict, " ", h("span", f"{n:,}", data_v=n), f" ({share_text(n / total)})",
        type="button", class_=f"is {_class(verdict)}", data_filter=verdict, aria_pressed="false", disabled=True,
    )  # fmt: skip


def _class(verdict: str) -> str:
    return verdict.partition(" ")[0]


def _explain_verdicts(side: Side, verdicts: dict[str, int], nearly: float) -> list[Any]:
    """Explain the verdicts that occur."""
    there = (name for name, n in verdicts.items() if n)
    return joined(
        "; ", [(h("strong", name), f": {in_words(_VERDICTS_SAID[side][name], nearly=nearly)}") for name in there]
    )


def _head(column: tuple[str, str, str]) -> Html:
    heading, kind, says = column
    return h(
        "th",
        h("button", heading, type="button", title=says, disabled=True),
        h("span", heading, class_="on-paper", aria_hidden="true"),  # browsers do not print buttons twice
        scope="col",
        class_=kind or None,
        aria_sort="descending" if heading == "wrong pairs" else None,
    )


def _explain_columns(columns: Columns) -> Html:
    """Explain the headings for readers that cannot hover over them."""
    items = [(h("strong", heading), f": {says}") for heading, _, says in columns]
    return fold("What the columns mean", note(joined("; ", items), "."))


def _row(row: ClusterRow, wrong: float, side: Side, links: ClusterLinks, nearly: float) -> Html:
    verdict = shown_verdict(row.verdict, row.jaccard, nearly)
    lean = leaning(row.pairs_lost, wrong, side) if verdict == "mixed" else ""
    match = h("em", "no label") if row.best_match is None else _name(row.best_match, other(side), links)
    return h(
        "tr",
        h("th", _name(row.cluster, side, links), scope="row", class_="label"),
        h("td", h("span", verdict, class_=f"is {_class(verdict)}"), h("small", lean) if lean else None),
        _number(row.size),
        h("td", match, class_="label"),
        [_number(count) for count in (row.best_match_size, row.overlap)],
        [_score(score) for score in (row.precision, row.recall)],
        _score(row.jaccard, class_="number share", style=f"--share:{100 * row.jaccard:.1f}%"),
        _score(row.jci),
        [_number(count) for count in (row.counterparts, row.pairs_lost, wrong)],
        data_verdict=verdict,
    )


def leaning(lost: float, wrong: float, side: Side) -> str:
    """Return whether a mixed cluster is mostly merged or split; pairs that it shares with another cluster count half.

    >>> leaning(57, 61, "pred"), leaning(57, 61, "true"), leaning(2, 6, "pred"), leaning(1, 4, "pred")
    ('mostly merged', 'mostly split', '', 'mostly split')
    """
    if 3 * lost == wrong:
        return ""
    return "mostly merged" if (3 * lost > wrong) == (side == "pred") else "mostly split"


def _name(label: Any, side: Side, links: ClusterLinks) -> Html:
    """Return a label, as a link to the records of its cluster if the page contains them."""
    drawer = links.drawers.get((side, label))
    return h("a", label_html(label), class_="to", href=f"#{drawer}") if drawer else label_html(label)


def _number(count: float) -> Html:
    return h("td", count_text(count), class_="number", data_v=repr(count))


def _score(score: float, class_: str = "number", style: str | None = None) -> Html:
    return h("td", score_text(score), class_=class_, data_v=repr(score), style=style)


def _download(table: ClusterTable, name: str, nearly: float) -> Html:
    data = csv_bytes(_shown_columns(table, nearly)) if table.total <= ROWS_CARRIED else None
    if data is None or len(data) > _BYTES_OF_CSV:
        attribute = "clusters" if name == "predicted-clusters" else "classes"
        return fragment("For all of them: ", h("code", f'evaluation.{attribute}.write_csv("{name}.csv")'), ".")
    return link_csv(name, "Download all as CSV", data)


def _shown_columns(table: ClusterTable, nearly: float) -> dict[str, list[Any]]:
    """Return all clusters with the columns and headings of the page."""
    columns = table.to_dict()
    jaccard = columns["jaccard"]
    columns["verdict"] = [shown_verdict(*one, nearly) for one in zip(columns["verdict"], jaccard, strict=True)]
    columns["wrong"] = table.column("pairs_wrong").tolist()
    names = ("cluster", "verdict", "size", "best_match", "best_match_size", "overlap", "precision", "recall", "jaccard",
             "jci", "counterparts", "pairs_lost", "wrong")  # fmt: skip
    headings = (heading for heading, *_ in _columns(table.side))
    return {heading: columns[name] for heading, name in zip(headings, names, strict=True)}
