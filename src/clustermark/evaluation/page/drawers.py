"""Drawers: foldable tables with the records of clusters."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

from clustermark.diagnosis.captions import cluster_name
from clustermark.diagnosis.costs import join_names
from clustermark.diagnosis.members import cut
from clustermark.diagnosis.record_differences import Marked, list_columns, mark_all, mark_pair
from clustermark.evaluation.page.elements import label_html, plain_html, row_address
from clustermark.evaluation.verdict import word_cause
from clustermark.results.values import count_text, label_text, plain, quantity
from clustermark.tables.clusters import other

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from clustermark.diagnosis import ErrorList, OverlapMap, Side
    from clustermark.diagnosis.members import Member, Members
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


class Drawers(NamedTuple):
    """The records that a page contains, by cluster, in the order of the drawers."""

    members: dict[Key, Members]
    repairs: Mapping[Key, Sequence[int]]
    """Numbers of the repairs that name each cluster."""
    said: str
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
        return cls(members, named, finder.said, finder.note, own)

    @property
    def addresses(self) -> dict[Key, str]:
        """Id of each drawer."""
        return {key: f"records-{place}" for place, key in enumerate(self.members, 1)}

    @property
    def headline(self) -> str:
        """Notice at the top of the page on the records that it contains."""
        points = {id(member) for members in self.members.values() for member in members.shown}
        names = list_columns([one.record for members in self.members.values() for one in members.shown])
        what = f"{plain_html(join_names(names))} of " if names else ""
        lacking = f" There is {plain_html(self.note)}." if self.note else ""
        return (
            f'<p class="holds" role="note"><strong>This page holds {what}{quantity(len(points), "record")}</strong> of '
            f'{plain_html(self.said)}. Consider who may see them; <a href="#without-records">how to make a page '
            f"without them</a>.{lacking}</p>"
        )


def render_causes(causes: Sequence[Cause]) -> str:
    """Render the common causes of wrong pairs, found in the records on the page."""
    said = [f"{plain_html(word_cause(cause))}." for cause in causes]
    note = (
        "Only pairs with both records on this page are counted, so there are more in all; values are alike if they are "
        "spelt the same or nearly so."
    )
    return f'<p class="causes">{" ".join(said)} <span class="unit">{note}</span></p>' if said else ""


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


def render_drawers(drawers: Drawers, links: ClusterLinks) -> str:
    """Render all drawers, the first ones visible and the others folded."""
    made = [_drawer(place, key, drawers, links) for place, key in enumerate(drawers.members, 1)]
    rest = (
        f'<details open class="fold long"><summary>{quantity(len(made) - _OPEN, "more cluster")}</summary>'
        f"{''.join(made[_OPEN:])}</details>"
    )
    paper = '<p class="paper">Records of the first five repairs only; the others are on the page itself.</p>'
    return f"{''.join(made[:_OPEN])}{rest if len(made) > _OPEN else ''}{paper}"


def _drawer(place: int, key: Key, drawers: Drawers, links: ClusterLinks) -> str:
    side, label = key
    members, across = drawers.members[key], other(side)
    name = cluster_name(label, side, links.clash)
    few = len(members.shown) < members.total
    printed = " printed" if key in drawers.printed else ""
    shown = f"{len(members.shown):,} of " * few + quantity(members.total, "record")
    wrong = [f"{count_text(n)} {kind} pair{'' if n == 1 else 's'}" for kind, n in members.n_pairs.items() if n]
    back = [f'<a class="back" href="#repair-{one}">repair {one}</a>' for one in drawers.repairs.get(key, ())[:3]]
    back.append(f'<a class="back" href="{row_address(label, side)}">its row in the table</a>')
    names = list_columns([one.record for one in members.shown])
    heads = _heads([f"{'true' if across == 'true' else 'predicted'} cluster", "record", *names])
    table = f'<table class="records">{heads}<tbody>{_rows(members, names, across, links)}</tbody></table>'
    return (
        f'<details open class="fold long drawer{printed}" id="records-{place}" data-side="{side}" '
        f'data-label="{escape(label_text(label))}">'
        f"<summary>{'Predicted' if side == 'pred' else 'True'} cluster <strong><bdi>{escape(name)}</bdi></strong>: "
        f"{', '.join([shown, *wrong])}</summary>"
        f'<p class="note">{" · ".join(back)}</p>'
        f'<div class="scroll" tabindex="0" role="group" aria-label="Records of {escape(name)}">{table}</div>'
        f"{_pairs(members, names)}</details>"
    )


def _heads(names: Iterable[str]) -> str:
    cells = "".join(f"<th scope=col>{plain_html(name)}</th>" for name in names)
    return f"<thead><tr>{cells}</tr></thead>"


def _rows(members: Members, names: Sequence[str], across: Side, links: ClusterLinks) -> str:
    """Render the points of a cluster; the first point of each part names its cluster of the other side."""
    rows, seen = [], set[int]()
    marked = mark_all([one.record for one in members.shown], members.entities(other(across)))
    for one, part, values in zip(members.shown, members.parts, marked, strict=True):
        first = part not in seen
        seen.add(part)
        label = getattr(one, across)
        said = f" {'alone' if label is None else links.to(label, across, width=40)}" if first else ""
        letter = f"<b>{letter_of(part)}</b>{said}" if part >= 0 else "<b>–</b> unmatched"
        colour = part % _COLOURS if part >= 0 else "none"
        rows.append(f'<tr><th scope=row class="part p{colour}">{letter}</th>{_cells(one, values, names)}</tr>')
    return "".join(rows)


def letter_of(part: int) -> str:
    """Return the letter of a part.

    >>> [letter_of(part) for part in (0, 25, 26)]
    ['A', 'Z', 'AA']
    """
    return (letter_of(part // 26 - 1) if part >= 26 else "") + chr(ord("A") + part % 26)


def _pairs(members: Members, names: Sequence[str]) -> str:
    """Render some wrong pairs, one record below the other, with their differences marked."""
    tables = []
    for kind, n in members.n_pairs.items():
        shown = [pair for pair in members.pairs if pair.kind == kind][:_PAIRS]
        bodies = []
        for pair in shown:
            marked = mark_pair(*(member.record or {} for member in pair[1:]))
            lines = (f"<tr>{_cells(*one, names)}</tr>" for one in zip(pair[1:], marked, strict=True))
            bodies.append(f"<tbody>{''.join(lines)}</tbody>")
        of = "" if len(shown) == n else f", {len(shown):,} of {count_text(n)}"
        if shown:
            tables.append(
                f'<p class="note">{kind.capitalize()} pair{"" if n == 1 else "s"}{of}:</p>'
                f'<div class="scroll" tabindex="0" role="group" aria-label="{kind} pairs">'
                f'<table class="records pairs">{_heads(["record", *names])}{"".join(bodies)}</table></div>'
            )
    return "".join(tables)


def _cells(one: Member, values: Mapping[str, Marked | None], names: Collection[str]) -> str:
    point = f"<td>{label_html(one.point, 60)}</td>"
    if one.record is None:
        return f'{point}<td colspan="{max(1, len(names))}" class="unit">no record</td>'
    return point + "".join(f"<td>{value_html(values.get(name))}</td>" for name in names)


def value_html(value: Marked | None) -> str:
    """Return a value as HTML with its differences marked.

    >>> value_html(Marked(("Maier <", "Eng.", ""))), value_html(None)
    ('<bdi>Maier &lt;<mark>Eng.</mark></bdi>', '–')
    """
    if value is None:
        return "–"
    parts = [escape(plain(part)) for part in cut(value, _WIDTH)]
    if not any(parts):
        return '<span class="unit">(empty)</span>'
    return f"<bdi>{''.join(f'<mark>{part}</mark>' if n % 2 else part for n, part in enumerate(parts))}</bdi>"
