"""An edit in words: merge, move, give a cluster of its own, split."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from clustermark.tables.columnar import label_text, short_text

if TYPE_CHECKING:
    from collections.abc import Sequence

Action = Literal["merge", "move", "extract", "split"]

_MOST_NAMED = 3


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

    @property
    def name(self) -> str:
        """What to call it."""
        if self.lone:
            return "a lone record"
        return f"the part of {label_text(self.cluster)}" if self.cut else label_text(self.cluster)


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


def describe(action: Action, cluster: Any, parts: Parts) -> str:
    """An edit in words.

    >>> describe("merge", "Acme", Parts((Piece("r12", 3, 3), Piece("r77", 1, 1)), (), 2, 0))
    'merge r12 and r77'
    >>> describe("move", "Acme", Parts((Piece("r12", 3, 3),), (Piece("r174", 1, 9),), 1, 1))
    'move 1 record from r174 to r12'
    >>> describe("extract", "Acme", Parts((), (Piece("r55", 4, 8), Piece("r342", 1, 4)), 0, 2))
    'give Acme a cluster of its own: 4 of 8 from r55, 1 of 4 from r342'
    >>> describe("split", "r5", Parts((Piece("Ajax", 1, 1),), (Piece("Acme", 4, 9),), 1, 1))
    'split r5: 4 of Acme, 1 of Ajax'
    """
    n = parts.n_whole + parts.n_others
    if action == "split":
        return f"split {label_text(cluster)}: {_list([_share(piece) for piece in parts.pieces], n)}"
    if action == "extract":
        taken = [f"{short_text(p.records)} of {short_text(p.size)} from {p.name}" for p in parts.others]
        return f"give {_owner(cluster)} a cluster of its own: {_list(taken, n)}"
    home = _join([piece.name for piece in parts.whole], parts.n_whole)
    if action == "merge":
        return f"merge {home}"
    taken_text = _join([f"{_records(piece.records)} from {piece.name}" for piece in parts.others], parts.n_others)
    return f"move {taken_text} to {home}" if parts.n_whole == 1 else f"merge {home}, and move {taken_text} there"


def _share(piece: Piece) -> str:
    return piece.name if piece.lone else f"{short_text(piece.records)} of {piece.name}"


def _owner(cluster: Any) -> str:
    return "one record" if cluster is None else label_text(cluster)


def _records(n: int) -> str:
    return f"{n:,} record{'' if n == 1 else 's'}"


def _list(texts: Sequence[str], n: int) -> str:
    shown = texts[:_MOST_NAMED]
    return ", ".join([*shown, *([f"and {n - len(shown):,} more"] if n > len(shown) else [])])


def _join(texts: Sequence[str], n: int) -> str:
    if n > _MOST_NAMED:
        shown = texts[: _MOST_NAMED - 1]
        return f"{', '.join(shown)} and {n - len(shown):,} more"
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)
