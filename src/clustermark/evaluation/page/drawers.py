"""Drawers: foldable tables with the records of clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from clustermark.diagnosis.captions import cluster_name
from clustermark.diagnosis.costs import join_names
from clustermark.diagnosis.members import cut
from clustermark.diagnosis.record_differences import Marked, list_columns, mark_all, mark_pair
from clustermark.evaluation.page.elements import fold, heads_html, joined, note, row_address, scrolling
from clustermark.evaluation.verdict import word_cause
from clustermark.results.html import Html, each, fragment, h
from clustermark.results.values import count_text, label_text, label_texts, quantity
from clustermark.tables.clusters import other

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from clustermark.diagnosis import ErrorList, OverlapMap, Side
    from clustermark.diagnosis.members import Member, Members, RecordPair
    from clustermark.diagnosis.record_columns import RecordFinder
    from clustermark.diagnosis.record_differences import Cause
    from clustermark.diagnosis.repairs import Repairs
    from clustermark.evaluation.page.elements import ClusterLinks

    Key = tuple[Side, Any]

_MOST, _OPEN = 300, 8
_BYTES = 1_500_000
_WIDTH = 120
_PAIRS = 3
_PRINTED = 5
_COLOURS = 6
"""Number of colours that distinguish parts, in addition to letters; further parts reuse them."""


_NOTHING, _EMPTY = h("bdi"), h("span", "(empty)", class_="unit")


class Drawers(NamedTuple):
    """The records that a page contains, by cluster, in the order of the drawers."""

    members: dict[Key, Members]
    repairs: Mapping[Key, Sequence[int]]
    """Numbers of the repairs that name each cluster."""
    called: str
    """Source of the records."""
    note: str
    printed: frozenset[Key]
    """Clusters with printed records: those of the first repairs."""

    @classmethod
    def of(cls, finder: RecordFinder, repairs: Repairs | str, keys: Iterable[Key]) -> Drawers:
        """Make drawers up to a size limit: first of the clusters that repairs name, then of the others."""
        named = _name_repairs(repairs)
        wanted = list(dict.fromkeys([*named, *keys]))[:_MOST]
        sides: tuple[Side, Side] = ("true", "pred")
        found = finder.list_clusters({side: [label for own, label in wanted if own == side] for side in sides})
        members, room = {}, _BYTES
        for key in wanted:
            if key in found and (room := room - _size_of(found[key])) > 0:
                members[key] = found[key]
        printed = () if isinstance(repairs, str) else repairs[:_PRINTED]
        own: frozenset[Key] = frozenset((one.side, one.cluster) for one in printed)
        return cls(members, named, finder.called, finder.note, own)

    @property
    def addresses(self) -> dict[Key, str]:
        """Id of each drawer."""
        return {key: f"records-{place}" for place, key in enumerate(self.members, 1)}

    @property
    def headline(self) -> Html:
        """Notice at the top of the page on the records that it contains."""
        points = {id(member) for members in self.members.values() for member in members.shown}
        names = list_columns([one.record for members in self.members.values() for one in members.shown])
        what = f"{join_names(names)} of " if names else ""
        return h(
            "p",
            h("strong", "This page holds ", what, quantity(len(points), "record")),
            f" of {self.called}. Consider who may see them; ",
            h("a", "how to make a page without them", href="#without-records"),
            f".{f' There is {self.note}.' if self.note else ''}",
            class_="holds",
            role="note",
        )


def causes_html(causes: Sequence[Cause]) -> Html:
    """Return the common causes of wrong pairs, found in the records on the page."""
    text = " ".join(f"{word_cause(cause)}." for cause in causes)
    counted = (
        "Only pairs with both records on this page are counted, so there are more in all; values are alike if they are "
        "spelt the same or nearly so."
    )
    return h("p", text, " ", h("span", counted, class_="unit"), class_="causes") if text else Html()


def choose_clusters(
    errors: Iterable[ErrorList], maps: Iterable[OverlapMap], tables: Mapping[Side, Sequence[Any]]
) -> list[Key]:
    """Return the clusters to show records of: worst errors with their counterparts, then maps, then tables."""
    keys: list[Key] = []
    for rows in errors:
        for row in rows:
            keys += _on_side(rows.side, [row.cluster])
            keys += _on_side(other(rows.side), [part.cluster for part in row.parts if not part.lone])
    for one in maps:
        keys += [*_on_side("true", one.true_labels), *_on_side("pred", one.pred_labels)]
    for true, pred in zip(tables["true"], tables["pred"], strict=False):
        keys += [*_on_side("true", [true]), *_on_side("pred", [pred])]
    return keys


def _on_side(side: Side, labels: Iterable[Any]) -> list[Key]:
    return [(side, label) for label in labels]


def _name_repairs(repairs: Repairs | str) -> dict[Key, list[int]]:
    """Return the clusters that repairs name, each with the numbers of these repairs."""
    named: dict[Key, list[int]] = {}
    for place, one in enumerate(() if isinstance(repairs, str) else repairs, 1):
        pieces: list[Key] = [(other(one.side), piece.cluster) for piece in one.pieces if not piece.lone]
        own: list[Key] = [] if one.cluster is None else [(one.side, one.cluster)]
        for key in [*own, *pieces]:
            named.setdefault(key, []).append(place)
    return named


def _size_of(members: Members) -> int:
    """Estimate the number of bytes of a drawer."""
    records = [one.record or {} for one in members.shown]
    records += [one.record or {} for pair in members.pairs[:_PAIRS] for one in pair[1:]]
    return 800 + sum(90 + sum(50 + min(6 * len(value or ""), 6 * _WIDTH) for value in one.values()) for one in records)


def drawers_html(drawers: Drawers, links: ClusterLinks) -> Html:
    """Return all drawers, the first ones visible and the others folded."""
    made = [_drawer(place, key, drawers, links) for place, key in enumerate(drawers.members, 1)]
    rest = fold(quantity(len(made) - _OPEN, "more cluster"), *made[_OPEN:], class_="fold long")
    paper = h("p", "Records of the first five repairs only; the others are on the page itself.", class_="paper")
    return fragment(made[:_OPEN], rest if len(made) > _OPEN else None, paper)


def _drawer(place: int, key: Key, drawers: Drawers, links: ClusterLinks) -> Html:
    side, label = key
    members = drawers.members[key]
    name = cluster_name(label, side, links.clash)
    back = [h("a", f"repair {one}", class_="back", href=f"#repair-{one}") for one in drawers.repairs.get(key, ())[:3]]
    back.append(h("a", "its row in the table", class_="back", href=row_address(label, side)))
    names = list_columns([one.record for one in members.shown])
    heads = heads_html((f"{'true' if side == 'pred' else 'predicted'} cluster", "record", *names))
    table = h("table", heads, h("tbody", _rows(members, names, side, links)), class_="records")
    return h(
        "details",
        _summary(side, name, members),
        note(joined(" · ", back)),
        scrolling(table, f"Records of {name}", role="group"),
        _pairs(members, names),
        open=True,
        class_=f"fold long drawer{' printed' if key in drawers.printed else ''}",
        id=f"records-{place}",
        data_side=side,
        data_label=label_text(label),
    )


def _summary(side: Side, name: str, members: Members) -> Html:
    few = len(members.shown) < members.total
    shown = f"{len(members.shown):,} of " * few + quantity(members.total, "record")
    wrong = [f"{count_text(n)} {kind} pair{'' if n == 1 else 's'}" for kind, n in members.n_pairs.items() if n]
    kind = "Predicted" if side == "pred" else "True"
    return h("summary", kind, " cluster ", h("strong", h("bdi", name)), ": ", ", ".join([shown, *wrong]))


def _rows(members: Members, names: Sequence[str], side: Side, links: ClusterLinks) -> list[Html]:
    """Return the points of a cluster; the first point of each part names its cluster of the other side."""
    rows, seen = [], set[int]()
    across = other(side)
    marked = mark_all([one.record for one in members.shown], members.entities(side))
    letters = each("b", [letter_of(part) if part >= 0 else "–" for part in members.parts])
    lines = _lines(members.shown, marked, names)
    for one, part, letter, line in zip(members.shown, members.parts, letters, lines, strict=True):
        remark: Sequence[str] = () if part >= 0 else (" unmatched",)
        if part >= 0 and part not in seen:
            seen.add(part)
            label = getattr(one, across)
            remark = (" ", "alone" if label is None else links.to(label, across, width=40))
        colour = part % _COLOURS if part >= 0 else "none"
        rows.append((h("th", letter, remark, scope="row", class_=f"part p{colour}"), line))
    return each("tr", rows)


def letter_of(part: int) -> str:
    """Return the letter of a part.

    >>> [letter_of(part) for part in (0, 25, 26)]
    ['A', 'Z', 'AA']
    """
    return (letter_of(part // 26 - 1) if part >= 26 else "") + chr(ord("A") + part % 26)


def _pairs(members: Members, names: Sequence[str]) -> Html:
    """Return some wrong pairs, one record below the other, with their differences marked."""
    tables = []
    for kind, n in members.n_pairs.items():
        shown = [pair for pair in members.pairs if pair.kind == kind][:_PAIRS]
        if not shown:
            continue
        of = "" if len(shown) == n else f", {len(shown):,} of {count_text(n)}"
        table = h("table", heads_html(("record", *names)), _pair_bodies(shown, names), class_="records pairs")
        tables.append(note(f"{kind.capitalize()} pair{'' if n == 1 else 's'}{of}:"))
        tables.append(scrolling(table, f"{kind} pairs", role="group"))
    return fragment(tables)


def _pair_bodies(pairs: Sequence[RecordPair], names: Sequence[str]) -> list[Html]:
    points = [one for pair in pairs for one in pair[1:]]
    marked = [values for pair in pairs for values in mark_pair(pair.left.record or {}, pair.right.record or {})]
    rows = each("tr", _lines(points, marked, names))
    return each("tbody", zip(rows[::2], rows[1::2], strict=True))


def _lines(
    points: Sequence[Member], marked: Sequence[Mapping[str, Marked | None]], names: Sequence[str]
) -> list[list[Html]]:
    """Return the cells of each point: its id, and the values of its record with their differences marked."""
    ids = each("td", each("bdi", label_texts([one.point for one in points], 60)))
    values = each("td", values_html([record.get(name) for record in marked for name in names]))
    lines = [[own, *values[place * len(names) : (place + 1) * len(names)]] for place, own in enumerate(ids)]
    for place, one in enumerate(points):
        if one.record is None:
            lines[place][1:] = [h("td", "no record", colspan=max(1, len(names)), class_="unit")]
    return lines


def values_html(values: Sequence[Marked | None]) -> list[str]:
    """Return values with their differences marked.

    >>> values_html([Marked(("Maier <", "Eng.", "")), None])
    ['<bdi>Maier &lt;<mark>Eng.</mark></bdi>', '–']
    """
    short = [value if value is None or sum(map(len, value)) <= _WIDTH else cut(value, _WIDTH) for value in values]
    marks = iter(each("mark", [part for value in short for part in (value or ())[1::2]]))
    parts = [[next(marks) if n % 2 else part for n, part in enumerate(value or ())] for value in short]
    shown = each("bdi", parts)
    return [
        "–" if value is None else _EMPTY if one == _NOTHING else one for value, one in zip(short, shown, strict=True)
    ]
