"""A row for each cluster of one side: its best counterpart, their similarity, and the kind of error."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, overload

import numpy as np

from clustermark._kernel import ABSENT, LONE
from clustermark.errors import InputError, Mention
from clustermark.results.data import Column, Table
from clustermark.results.document import Cell, Grid, Head, Name
from clustermark.results.rows import Rows
from clustermark.tables.clusters import ClusterCounts, check_side, counts_of, listed_clusters, ranks_of
from clustermark.tables.parts import Worst
from clustermark.tables.sums import concentrations

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from clustermark.results.data import Columns
    from clustermark.tables.contingency import Contingency, Side

VERDICTS = ("exact", "split", "merged", "mixed")
_SHOWN_ROWS = 20
_DETAIL = ("overlap", "precision", "recall", "counterparts")
"""Columns that are left out in a narrow terminal and in LaTeX."""
_NOT_SHOWN = ("share", "best_match_size", "concentration", "jci", "bcubed")


class ClusterRow(NamedTuple):
    """One cluster beside its best counterpart. With weights, numbers of points are sums of weights."""

    cluster: Any
    size: float
    share: float
    """Size as a share of all points."""
    best_match: Any
    """Counterpart of largest Jaccard, ties by sorted order; None for a point without a label."""
    overlap: float
    """Points shared with the best match."""
    best_match_size: float
    precision: float
    """Overlap as a share of the predicted cluster."""
    recall: float
    """Overlap as a share of the true cluster."""
    jaccard: float
    concentration: float
    """Degree to which its overlaps are concentrated on few clusters of the other side."""
    jci: float
    """Square root of Jaccard times concentration."""
    counterparts: int
    """Number of clusters of the other side that share points with it."""
    pairs_lost: float
    """Pairs of its points that are apart on the other side: an exact integer, or a sum of products of weights."""
    bcubed: float
    """Mean over its points of B-cubed precision (predicted clusters) or recall (true clusters)."""
    verdict: str
    """exact; split (a true cluster in pieces, or such a piece); merged (whole true clusters put together); mixed."""


class ClusterTable(Rows[ClusterRow]):
    """The clusters of one side as a table of columns, and a sequence of rows in sorted order of labels.

    A predicted cluster is "exact" if it is a true cluster, "split" if it is a piece of one, "merged" if it is made of
    several whole true clusters, else "mixed". A true cluster is "exact" if it is a predicted one, "split" if it is made
    of several whole predicted clusters, "merged" if it is a piece of one, else "mixed". Points with a cluster of their
    own count as counterparts, and have no row. Items of one side count in sizes only, and in no pair.

    >>> from clustermark import crosstab
    >>> ClusterTable.of(crosstab(["a", "a", "b", "b", "c", "c"], [0, 0, 1, 1, 1, 2]), "pred")
    3 predicted clusters: 1 exact, 1 split, 1 mixed
    cluster  size  best match  overlap  precision  recall  jaccard  counterparts  pairs lost  verdict
    0           2  a                 2      1.000   1.000    1.000             1           0  exact
    1           3  b                 2      0.667   1.000    0.667             2           2  mixed
    2           1  c                 1      1.000   0.500    0.500             1           0  split
    """

    __slots__ = ("_chosen", "_counts", "_n_others", "_of_all", "_points", "side", "total")

    FETCHED: ClassVar[int] = 100_000
    """Clusters that are fetched from an engine if the cells stay there: those that lose most pairs."""
    KIND = "clusters"
    TITLE = "Clusters"
    FACTS: ClassVar[Columns] = {
        "side": Column("name", choices=("true", "pred")),
        "total": Column("count", doc="labelled clusters in all"),
        "verdicts": Column("count", within=("map",), doc="how many clusters have each verdict"),
    }
    COLUMNS: ClassVar[Columns] = {
        "cluster": Column("label"),
        "size": Column("amount"),
        "share": Column("share", doc="its size as a share of all points"),
        "best_match": Column("label"),
        "overlap": Column("amount"),
        "best_match_size": Column("amount"),
        "precision": Column("score"),
        "recall": Column("score"),
        "jaccard": Column("score"),
        "concentration": Column("score"),
        "jci": Column("score"),
        "counterparts": Column("count"),
        "pairs_lost": Column("amount"),
        "bcubed": Column("score"),
        "verdict": Column("name", choices=VERDICTS),
    }

    def __init__(
        self,
        counts: ClusterCounts,
        side: Side,
        points: float,
        n_others: int,
        chosen: NDArray[np.int64] | None = None,
        total: int | None = None,
        verdicts: dict[str, int] | None = None,
    ) -> None:
        """Make the table from counts.

        points: the number of points of which `share` is a share.
        n_others: clusters of the other side, points with a cluster of their own included.
        chosen: positions in `counts` of the rows, in their order; by default all.
        total, verdicts: number of all clusters, and of those with each verdict, if the rows are only some of them.
        """
        check_side(side)
        self._counts = counts
        self.side: Side = side
        self._points = points
        self._n_others = n_others
        self._chosen = np.arange(len(counts.sizes)) if chosen is None else chosen
        self._of_all = verdicts
        self.total = len(self._chosen) if total is None else total
        """Number of labelled clusters, some of which this table may leave out."""

    @classmethod
    def of(cls, table: Contingency, side: Side) -> ClusterTable:
        """Return the clusters of one side of a table, without predicted ones with the policy "unscored"."""
        check_side(side)
        n_others = table.n_true_clusters if side == "pred" else table.n_pred_clusters
        part, census = table.part(Worst(side, cls.FETCHED)), table.census(side)
        counts, chosen = counts_of(part, side, filled=not table.one_sided), listed_clusters(part, side)
        verdicts = _name_verdicts(census.kinds, side)
        return cls(counts, side, points_of(table, side), n_others, chosen, census.clusters, verdicts)

    @property
    def verdicts(self) -> dict[str, int]:
        """The number of clusters with each verdict, also of those that stayed in an engine."""
        if self._of_all is not None:
            return dict(self._of_all)
        found = np.bincount(self._verdicts(self._chosen), minlength=len(VERDICTS)).tolist()
        return dict(zip(VERDICTS, found, strict=True))

    def nearly_exact(self, least: float = 0.9) -> dict[str, int]:
        """Count the clusters that are not exact and have a Jaccard index of `least` or more, by verdict."""
        close = self._chosen[self.column("jaccard") >= least]
        found = np.bincount(self._verdicts(close), minlength=len(VERDICTS)).tolist()
        return {verdict: count for verdict, count in zip(VERDICTS, found, strict=True) if verdict != "exact"}

    def __len__(self) -> int:
        return len(self._chosen)

    @overload
    def __getitem__(self, place: int) -> ClusterRow: ...
    @overload
    def __getitem__(self, place: slice) -> ClusterTable: ...
    def __getitem__(self, place: int | slice) -> ClusterRow | ClusterTable:
        if isinstance(place, slice):
            return self._select(self._chosen[place])
        place = range(len(self))[place]  # also refuses places out of range
        return next(iter(self._select(self._chosen[place : place + 1])))

    def find(self, label: Any) -> ClusterRow:
        """Return the row of the cluster with a label; an integer in brackets is the place of a row instead.

        >>> from clustermark import evaluate
        >>> evaluate([0, 0, 1, 1], [5, 5, 5, 6]).clusters.find(6).size
        1
        """
        for place, known in enumerate(self.to_dict()["cluster"]):
            if known == label and isinstance(known, str) == isinstance(label, str):
                return self[place]
        kept = "" if self.total == len(self) else f" among the {len(self):,} of {self.total:,} listed here"
        raise InputError(Mention("label", label), f" is no {self.side} cluster{kept}")

    def __iter__(self) -> Iterator[ClusterRow]:
        return map(ClusterRow._make, zip(*self.to_dict().values(), strict=True))

    def sorted_by(self, column: str, k: int | None = None, *, descending: bool = True) -> ClusterTable:
        """Return the first k clusters by descending (or ascending) values of a column."""
        values = self.column(column)
        order = np.argsort(-values if descending else values, kind="stable")
        return self._select(self._chosen[order[: how_many(k)]])

    def column(self, name: str) -> NDArray[Any]:
        """Return one column of numbers as an array; labels and verdicts are in `to_dict`.

        "pairs_wrong", which is in no row, adds to the pairs lost the pairs of one of its points and a point of another
        cluster of its side that are together on the other side. So it measures both merges and splits.
        """
        if name not in _COLUMNS:
            raise InputError(f"{name!r} is not a column of numbers; choose one of {', '.join(_COLUMNS)}")
        return np.asarray(_COLUMNS[name](self, self._chosen))

    def best_places(self) -> list[int]:
        """Return the place of each best match among the sorted labels of the other side; -1 if it has no label."""
        ranks = np.append(ranks_of(self._counts.others), np.int32(LONE))
        return list(ranks[self._counts.best[self._chosen]].tolist())

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the columns as lists of plain Python values."""
        chosen, counts = self._chosen, self._counts
        best = counts.best[chosen]
        met = iter(counts.others.take(best[best >= 0].astype(np.int64)).to_list())
        texts: dict[str, list[Any]] = {
            "cluster": list(counts.labels.take(chosen).to_list()),
            "best_match": [next(met) if known else None for known in (best >= 0).tolist()],
            "verdict": [VERDICTS[number] for number in self._verdicts(chosen).tolist()],
        }
        return {name: texts[name] if name in texts else self.column(name).tolist() for name in ClusterRow._fields}

    def facts(self) -> dict[str, Any]:
        """Return the side, the number of clusters, and the verdicts."""
        return {"side": self.side, "total": self.total, "verdicts": self.verdicts}

    def tables(self) -> dict[str, Table]:
        """Return the one table, "rows"."""
        return {"rows": Table(self.COLUMNS, list(self), self.total)}

    @property
    def headline(self) -> str:
        """The number of clusters by verdict."""
        what = "predicted" if self.side == "pred" else "true"
        verdicts = ", ".join(f"{count:,} {verdict}" for verdict, count in self.verdicts.items() if count)
        head = f"{len(self):,} {what} cluster{'' if len(self) == 1 else 's'}"
        head += f" of {self.total:,}" if len(self) < self.total else ""
        return f"{head}: {verdicts}" if verdicts else head

    def grid(self) -> Grid:
        """Return the first clusters beside their best matches."""
        names = [name for name in ClusterRow._fields if name not in _NOT_SHOWN]
        heads = [
            Head(name.replace("_", " "), self.COLUMNS[name].kind, level="detail" if name in _DETAIL else "summary")
            for name in names
        ]
        rows = [[self._cell(name, getattr(row, name)) for name in names] for row in self[:_SHOWN_ROWS]]
        return Grid(heads, rows, self.TITLE, total=len(self))

    def _cell(self, name: str, value: Any) -> Any:
        if name == "cluster":
            return Name(value, self.side)
        if name == "best_match":
            return Name(value, "true" if self.side == "pred" else "pred")
        return Cell(value, bar=value) if name in ("precision", "recall", "jaccard") else value

    def _select(self, chosen: NDArray[np.int64]) -> ClusterTable:
        return ClusterTable(self._counts, self.side, self._points, self._n_others, chosen, self.total)

    def _verdicts(self, chosen: NDArray[np.int64]) -> NDArray[np.int64]:
        kinds = self._counts.kinds(chosen)
        return kinds if self.side == "pred" else np.array([0, 2, 1, 3])[kinds]

    def _share_of_own(self, chosen: NDArray[np.int64]) -> NDArray[np.float64]:
        return _divide(self._counts.overlap[chosen], self._counts.sizes[chosen])

    def _share_of_best(self, chosen: NDArray[np.int64]) -> NDArray[np.float64]:
        return _divide(self._counts.overlap[chosen], self._counts.best_size[chosen])

    def _precision(self, chosen: NDArray[np.int64]) -> NDArray[np.float64]:
        return self._share_of_own(chosen) if self.side == "pred" else self._share_of_best(chosen)

    def _recall(self, chosen: NDArray[np.int64]) -> NDArray[np.float64]:
        return self._share_of_best(chosen) if self.side == "pred" else self._share_of_own(chosen)

    def _jaccard(self, chosen: NDArray[np.int64]) -> NDArray[np.float64]:
        counts = self._counts
        overlap = counts.overlap[chosen]
        return _divide(overlap, counts.best_size[chosen] - overlap + counts.sizes[chosen])

    def _concentration(self, chosen: NDArray[np.int64]) -> NDArray[np.float64]:
        counts = self._counts
        if counts.concentration is not None:
            return counts.concentration[chosen]
        return concentrations(counts.squares[chosen], counts.met[chosen], counts.counterparts[chosen], self._n_others)

    def _jci(self, chosen: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.sqrt(self._jaccard(chosen) * self._concentration(chosen))

    def _pairs_lost(self, chosen: NDArray[np.int64]) -> NDArray[Any]:
        return self._counts.lost_pairs(chosen)

    def _pairs_wrong(self, chosen: NDArray[np.int64]) -> NDArray[Any]:
        return np.asarray(self._counts.lost_pairs(chosen) + self._counts.strangers[chosen])

    def _bcubed(self, chosen: NDArray[np.int64]) -> NDArray[np.float64]:
        squares = self._counts.squares[chosen]
        sizes = self._counts.sizes[chosen].astype(squares.dtype)
        return _divide(squares, sizes * sizes)


_COLUMNS = {
    "size": lambda table, chosen: table._counts.sizes[chosen],
    "share": lambda table, chosen: table._counts.sizes[chosen] / table._points,
    "overlap": lambda table, chosen: table._counts.overlap[chosen],
    "best_match_size": lambda table, chosen: table._counts.best_size[chosen],
    "counterparts": lambda table, chosen: table._counts.counterparts[chosen],
    "precision": ClusterTable._precision,
    "recall": ClusterTable._recall,
    "jaccard": ClusterTable._jaccard,
    "concentration": ClusterTable._concentration,
    "jci": ClusterTable._jci,
    "pairs_lost": ClusterTable._pairs_lost,
    "pairs_wrong": ClusterTable._pairs_wrong,
    "bcubed": ClusterTable._bcubed,
}


def _name_verdicts(kinds: dict[str, int], side: Side) -> dict[str, int]:
    """Name verdicts: a cluster inside one of the other side is split if it is predicted, and merged if it is true."""
    inside, whole = ("split", "merged") if side == "pred" else ("merged", "split")
    names = {"exact": "exact", "inside": inside, "whole": whole, "mixed": "mixed"}
    found = {names[kind]: count for kind, count in kinds.items()}
    return {verdict: found[verdict] for verdict in VERDICTS}


def how_many(k: int | None) -> int | None:
    """Check how many rows are wanted."""
    if k is not None and (not isinstance(k, int | np.integer) or isinstance(k, bool) or k < 0):
        raise InputError(Mention("k", k), " must be a number of rows, 0 or more, or None for all")
    return k


def points_of(table: Contingency, side: Side) -> float:
    """Return the points (or weight) of one side, without those that the side lacks or leaves unscored."""
    if table.weights is None:
        rows = table.profile.pred_sizes if side == "pred" else table.profile.true_sizes
        return sum(row.size * row.clusters for row in rows) - (table.n_unscored if side == "pred" else 0)
    memory = table.to_memory()
    cells, unscored = memory.kernel_cells, memory.unscored_columns
    mine = cells.columns if side == "pred" else cells.rows
    kept = mine != ABSENT
    if side == "pred" and unscored is not None:
        kept &= ~np.append(unscored, [False, False])[mine]
    return float(memory.weights[kept].sum()) if memory.weights is not None else 0.0


def _divide(parts: NDArray[Any], wholes: NDArray[Any]) -> NDArray[np.float64]:
    """Divide; 0 if the part is 0, so that a cluster without a counterpart scores 0."""
    quotients = np.zeros(len(parts))
    some = np.asarray(parts != 0)
    quotients[some] = (parts[some] / wholes[some]).astype(np.float64)
    return quotients
