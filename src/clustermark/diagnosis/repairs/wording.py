"""An edit in words: merge, move, give a cluster of its own, split."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from clustermark.results.data import Column
from clustermark.tables.columnar import label_text, short_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from clustermark.results.data import Columns
    from clustermark.tables.contingency import Side

    Name = Callable[[Any, Side], str]

Action = Literal["merge", "move", "extract", "split"]

_MOST_NAMED = 4


PIECE: Columns = {
    "cluster": Column("label"),
    "records": Column("count"),
    "size": Column("count", doc="records of that cluster"),
    "lone": Column("flag", doc="whether it is a point with a cluster of its own"),
    "cut": Column("flag", doc="whether an edit before this one had split it off that cluster"),
}


class Piece(NamedTuple):
    """Records that an edit takes together, and the cluster that they are in before it."""

    cluster: Any
    """Of a gather, the predicted cluster; of a split, the true one. None for a point with a cluster of its own."""
    records: int
    size: int
    """Records of that cluster: of a gather, at the time of the edit."""
    lone: bool = False
    """Whether it is a point with a cluster of its own, such as noise or an unmatched point may be."""
    cut: bool = False
    """Whether an edit before this one had split it off that cluster."""

    @property
    def whole(self) -> bool:
        """Whether the cluster has no other records."""
        return self.records == self.size


class Parts(NamedTuple):
    """The pieces of an edit: some of the largest, and how many there are."""

    whole: tuple[Piece, ...]
    """Whole clusters, the largest first."""
    others: tuple[Piece, ...]
    """Parts of clusters, the largest first."""
    n_whole: int
    n_others: int

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """Those that are here, the largest first."""
        return tuple(sorted((*self.whole, *self.others), key=lambda piece: -piece.records))


def name_action(kind: str, parts: Parts) -> Action:
    """What a person does who carries out an edit."""
    if kind == "split":
        return "split"
    if not parts.n_others:
        return "merge"
    return "move" if parts.n_whole else "extract"


def _plain_name(cluster: Any, side: Side) -> str:  # noqa: ARG001  # a page links to the cluster of that side
    return label_text(cluster)


def describe(action: Action, cluster: Any, parts: Parts, name: Name = _plain_name, thing: str = "record") -> str:
    """An edit in words; clusters are called what `name` says, and a point what `thing` says.

    >>> describe("merge", "Acme", Parts((Piece("r12", 3, 3), Piece("r77", 1, 1)), (), 2, 0))
    'merge clusters r12 and r77'
    >>> describe("merge", "Acme", Parts((Piece("r12", 3, 3), Piece("r77", 1, 1, cut=True)), (), 2, 0))
    'merge cluster r12 and the part split off cluster r77'
    >>> describe("move", "Acme", Parts((Piece("r12", 3, 3),), (Piece("r174", 1, 9),), 1, 1))
    'move 1 record from cluster r174 to cluster r12'
    >>> describe("extract", "Acme", Parts((), (Piece("r55", 4, 8), Piece("r342", 1, 4)), 0, 2))
    'make a new cluster for Acme: take 4 of the 8 records of cluster r55 and 1 of the 4 of cluster r342'
    >>> describe("split", "r5", Parts((Piece("Ajax", 1, 1),), (Piece("Acme", 4, 9),), 1, 1))
    'split cluster r5: 4 records of Acme, 1 of Ajax'
    """
    n = parts.n_whole + parts.n_others
    if action == "split":
        shares = [_share(place, piece, name, thing) for place, piece in enumerate(parts.pieces)]
        return f"split cluster {name(cluster, 'pred')}: {_list(shares, n)}"
    if action == "extract":
        taken = [_taken(place, piece, name, thing) for place, piece in enumerate(parts.others)]
        owner = f"one {thing}" if cluster is None else name(cluster, "true")
        return f"make a new cluster for {owner}: take {_join(taken, n)}"
    if action == "merge":
        return f"merge {_homes(parts, name, thing)}"
    taken_text = _join(
        [f"{_records(one.records, thing)} from {_home(one, name, thing)}" for one in parts.others], parts.n_others
    )
    homes = _homes(parts, name, thing)
    return f"move {taken_text} to {homes}" if parts.n_whole == 1 else f"merge {homes}, and move {taken_text} there"


def _homes(parts: Parts, name: Name, thing: str) -> str:
    if parts.n_whole > 1 and not any(piece.lone or piece.cut for piece in parts.whole):
        return f"clusters {_join([name(piece.cluster, 'pred') for piece in parts.whole], parts.n_whole)}"
    return _join([_home(piece, name, thing) for piece in parts.whole], parts.n_whole)


def _home(piece: Piece, name: Name, thing: str) -> str:
    if piece.lone:
        return f"a lone {thing}"
    return f"{'the part split off ' if piece.cut else ''}cluster {name(piece.cluster, 'pred')}"


def _share(place: int, piece: Piece, name: Name, thing: str) -> str:
    if piece.lone:
        return f"a lone {thing}"
    return f"{short_text(piece.records) if place else _records(piece.records, thing)} of {name(piece.cluster, 'true')}"


def _taken(place: int, piece: Piece, name: Name, thing: str) -> str:
    records = "" if place else f" {thing}s"
    return f"{short_text(piece.records)} of the {short_text(piece.size)}{records} of {_home(piece, name, thing)}"


def _records(n: int, thing: str) -> str:
    return f"{n:,} {thing}{'' if n == 1 else 's'}"


def _list(texts: Sequence[str], n: int) -> str:
    shown = texts[:_MOST_NAMED]
    return ", ".join([*shown, *([f"and {n - len(shown):,} more"] if n > len(shown) else [])])


def _join(texts: Sequence[str], n: int) -> str:
    if n > _MOST_NAMED:
        shown = texts[: _MOST_NAMED - 1]
        return f"{', '.join(shown)} and {n - len(shown):,} more"
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)
