"""What a table hands over of its cells: all, those that lose most, and those that are worth mending."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from clustermark.tables.cells import CellTable


class CellArrays(NamedTuple):
    """The non-empty cells as three read-only arrays of equal length.

    A row or column of -1: each of the points has a cluster of its own on that side;
    of -2: the points do not occur on that side.
    """

    rows: NDArray[np.int32]
    columns: NDArray[np.int32]
    counts: NDArray[np.int64]


class Excerpt(NamedTuple):
    """Some clusters of one side of a table, all their cells with them; and how many there are in all."""

    table: CellTable
    """Clusters of the other side keep their size: what is not in the excerpt counts as items of one side only."""
    clusters: int
    """Labelled clusters of that side in the whole table, unscored ones apart."""
    losing: int
    """Those that lose pairs."""
    kinds: dict[str, int]
    """How many of them are exact, inside a cluster of the other side, made of whole ones, or mixed."""


Edits: TypeAlias = Literal["splits", "gathers", "lone"]
"""Predicted clusters that are split, true ones that are gathered, points with a true cluster of their own that are."""


class Mendable(NamedTuple):
    """The clusters whose edits mend most wrong pairs, all their cells with them."""

    table: CellTable
    """Other clusters keep their size: what is not in here counts as items of one side only."""
    lasts: dict[Edits, Any]
    """The label of the last of each kind, where others follow it, which mend no more; of lone points the predicted."""
