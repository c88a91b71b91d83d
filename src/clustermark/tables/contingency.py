"""The contingency: two labelings of the same points, cross-tabulated into non-empty cells."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark import _kernel
from clustermark._kernel import ABSENT, LONE
from clustermark.errors import InputError
from clustermark.labels.names import Names, united
from clustermark.tables import conversions as matrices
from clustermark.tables.policies import (
    PLAIN,
    MissingPolicy,
    Noise,
    Policies,
    UnmatchedPolicy,
    in_order,
    read_policies,
)
from clustermark.tables.profile import Profile, SizeRow, Squares
from clustermark.tables.tabulation import Tabulation, entries_of, exact_sum, merged, moved, tabulate, tabulate_codes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from clustermark.labels.kinds import Labels


class CellArrays(NamedTuple):
    """The non-empty cells as three read-only arrays of equal length.

    A row or column of -1: each of the points has a cluster of its own on that side;
    of -2: the points do not occur on that side.
    """

    rows: NDArray[np.int32]
    columns: NDArray[np.int32]
    counts: NDArray[np.int64]


class Origin(NamedTuple):
    """Where a table comes from, if an engine made it: how it was asked for, and the statements that ran."""

    settings: Mapping[str, Any]
    statements: tuple[str, ...]


_IN_MEMORY = Origin({}, ())
_NO_POLICIES: dict[str, Any] = {"noise_true": None, "noise_pred": None, "missing": "error", "unmatched": "error"}


class Contingency:
    """The sparse table of two labelings, truth first. Immutable; made by `crosstab`.

    >>> table = crosstab(["a", "a", "b", "b", "c"], [1, 1, 1, 2, 2])
    >>> table.n_used, table.n_true_clusters, table.n_pred_clusters, table.n_cells
    (5, 3, 2, 4)
    >>> table.true_labels, table.pred_labels
    (['a', 'b', 'c'], [1, 2])
    """

    __slots__ = ("_origin", "_plain", "_tabulation", "_views")

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, tabulation: Tabulation) -> None:
        if not isinstance(tabulation, Tabulation):
            raise InputError(
                "make a table by crosstab(y_true, y_pred), Contingency.from_counts or Contingency.from_matrix"
            )
        self._tabulation = tabulation
        self._views: dict[Any, Any] = {}
        self._origin: Origin = _IN_MEMORY
        self._plain = tabulation.unscored is None and not tabulation.one_sided and tabulation.cells.weights is None

    def made_by(self, settings: Mapping[str, Any], statements: Sequence[str]) -> Contingency:
        """Note where the table comes from; returns the table itself."""
        self._origin = Origin(dict(settings), tuple(statements))
        return self

    @property
    def settings(self) -> dict[str, Any]:
        """How the table was made: its source and columns, if an engine read them, and its policies."""
        policies = self.policies._asdict()
        return {**self._origin.settings, **{what: policy for what, policy in policies.items() if policy}}

    @property
    def sql(self) -> str:
        """The statements that an engine ran to make the table; empty for labels in memory."""
        return ";\n".join(self._origin.statements)

    @property
    def plain(self) -> bool:
        """Whether this is a table of ordinary points: no weights, no unscored noise, no items of one side only."""
        return self._plain

    @property
    def n_given(self) -> int:
        """Points given, dropped ones included."""
        return self._tabulation.n_given

    @property
    def n_used(self) -> int:
        """Points in the table."""
        return self._tabulation.n_given - self._tabulation.n_dropped

    @property
    def n_noise(self) -> int:
        """Points with a label named as noise on either side, whatever its policy."""
        return self._tabulation.n_noise

    @property
    def n_dropped(self) -> int:
        """Points left out: missing, noise or unmatched under the policy "drop", and points of weight 0."""
        return self._tabulation.n_dropped

    @property
    def n_unmatched(self) -> int:
        """Items that occur on one side only, whatever the policy."""
        return self._tabulation.n_unmatched

    @property
    def policies(self) -> Policies:
        """How the table treats noise, missing labels and unmatched items."""
        return self._tabulation.policies

    @property
    def names_noise(self) -> bool:
        """Whether a policy for noise was given, also where no point has such a label."""
        return bool(self.policies.noise_true or self.policies.noise_pred)

    @property
    def tallies(self) -> Any:
        """Cells and clusters that are alike, counted, where an engine holds the cells; None in memory."""
        return None

    def unsettled(self, worth: str) -> Any:  # noqa: ARG002
        """The cells whose matching is in doubt, where an engine holds the cells; None in memory."""
        return None

    def worst(self, side: str, k: int | None) -> Excerpt | None:  # noqa: ARG002
        """The clusters of a side that lose most pairs, where an engine holds the cells; None in memory."""
        return None

    def largest(self, k: int) -> Contingency | None:  # noqa: ARG002
        """The cells between the largest clusters of both sides, where an engine holds the cells; None in memory."""
        return None

    @property
    def one_sided(self) -> bool:
        """Whether items that occur on one side only are kept in the table."""
        return self._tabulation.one_sided

    @property
    def true_labels(self) -> list[Any]:
        """The label of each row: integers ascending where they lie close together, else by first appearance."""
        return list(self._tabulation.true_names.listed())

    @property
    def pred_labels(self) -> list[Any]:
        """The label of each column."""
        return list(self._tabulation.pred_names.listed())

    @property
    def unscored(self) -> list[Any]:
        """Predicted labels with the noise policy "unscored"."""
        if self._tabulation.unscored is None:
            return []
        labels = self._tabulation.pred_names.listed()
        return [labels[column] for column in np.flatnonzero(self._tabulation.unscored)]

    @property
    def cells(self) -> CellArrays:
        """The non-empty cells: row, column and number of points."""
        cells = self._tabulation.cells
        return CellArrays(cells.rows, cells.columns, cells.counts)

    @property
    def weights(self) -> NDArray[np.float64] | None:
        """The weight of each cell, or None for a table of plain points."""
        return self._tabulation.cells.weights

    @property
    def n_cells(self) -> int:
        """Non-empty cells; points with a cluster of their own are a cell each."""
        rows, columns, counts = self.cells
        lone = (rows == LONE) & (columns != ABSENT) | (columns == LONE) & (rows != ABSENT)
        return int(np.count_nonzero((rows >= 0) & (columns >= 0))) + exact_sum(counts[lone])

    @property
    def n_true_clusters(self) -> int:
        """True clusters, points with a cluster of their own included."""
        cells = self._tabulation.cells
        return cells.n_rows + exact_sum(cells.counts[cells.rows == LONE])

    @property
    def n_pred_clusters(self) -> int:
        """Predicted clusters, points with a cluster of their own included."""
        cells = self._tabulation.cells
        return cells.n_columns + exact_sum(cells.counts[cells.columns == LONE])

    @property
    def squares(self) -> Squares:
        """N and the sums of squares over cells, true and predicted clusters; exact integers."""
        if self.one_sided:
            return self.profile.squares
        return Squares(*self._tabulation.cells.squares())

    @property
    def profile(self) -> Profile:
        """The three small integer tables from which most indices are made; not for weighted tables."""
        if self.weights is not None:
            raise InputError("a table with real weights has no profile; cross-tabulate without weights= to get one")
        if Profile not in self._views:
            cell_sizes, true_sizes, pred_sizes = _kernel.profile(self._tabulation.cells)
            self._views[Profile] = Profile(tuple(cell_sizes), _size_rows(true_sizes), _size_rows(pred_sizes))
        profile: Profile = self._views[Profile]
        return profile

    def are_identical(self) -> bool:
        """Whether the two partitions are the same: as many cells as clusters on both sides."""
        return self.n_cells == self.n_true_clusters == self.n_pred_clusters and not self.one_sided

    @property
    def T(self) -> Contingency:
        """The table with truth and prediction exchanged."""
        table = self._tabulation
        if table.unscored is not None:
            raise InputError('a prediction with "unscored" noise cannot become the truth; choose another noise policy')
        rows, columns, counts, weights, pairs = entries_of(table.cells)
        policies = table.policies
        return Contingency(
            table._replace(
                cells=_kernel.Cells(columns, rows, counts, weights, pairs, table.cells.n_columns, table.cells.n_rows),
                true_names=table.pred_names,
                pred_names=table.true_names,
                policies=policies._replace(noise_true=policies.noise_pred, noise_pred=policies.noise_true),
            )
        )

    def __add__(self, other: Contingency) -> Contingency:
        """The table of the points of both; labels may be new in either."""
        if not isinstance(other, Contingency):
            return NotImplemented
        return Contingency(merged(self._tabulation, other._tabulation))

    def __radd__(self, zero: object) -> Contingency:
        """Let `sum(tables)` begin with 0."""
        return self if zero == 0 else NotImplemented

    def update(
        self,
        y_true: Labels,
        y_pred: Labels,
        *,
        counts: Any = None,
        weights: Any = None,
        threads: int | None = None,
    ) -> Contingency:
        """A new table with more points added, under the policies of this one, which itself does not change.

        It costs as much as the table has cells, so a stream should come in batches of many points.

        >>> table = crosstab(["a", "a"], [1, 2]).update(["a", "b"], [1, 3])
        >>> table.n_used, table.pred_labels
        (4, [1, 2, 3])
        """
        policies = self._tabulation.policies
        more = tabulate(y_true, y_pred, counts, weights, policies, threads, may_be_empty=True)
        return Contingency(merged(self._tabulation, more))

    @classmethod
    def from_batches(cls, batches: Iterable[Any], *, threads: int | None = None, **policies: Any) -> Contingency:
        """The table of a stream of batches, which need not fit into memory together: only cells are kept.

        batches: pairs (y_true, y_pred), or triples with counts; each batch of whatever `crosstab` takes.
        policies: noise_true, noise_pred, missing and unmatched, as in `crosstab`.

        Tables of equal rank are added, so a cell is added up a number of times that grows with the logarithm of the
        number of batches only.

        >>> Contingency.from_batches([(["a", "a"], [1, 2]), (["a", "b"], [1, 3])]).n_used
        4
        """
        chosen = read_policies(**(_NO_POLICIES | policies))
        ranks: list[Tabulation | None] = []
        for number, batch in enumerate(batches):
            if not isinstance(batch, tuple | list) or len(batch) not in (2, 3):
                raise InputError(f"batches: batch {number} must be a pair (y_true, y_pred), or a triple with counts")
            y_true, y_pred, counts = batch if len(batch) == 3 else (*batch, None)
            if all(hasattr(labels, "__len__") and not len(labels) for labels in (y_true, y_pred)):
                continue
            carried = tabulate(y_true, y_pred, counts, None, chosen, threads, may_be_empty=True)
            rank = 0
            while rank < len(ranks) and (other := ranks[rank]) is not None:
                carried, ranks[rank] = merged(other, carried), None
                rank += 1
            ranks[rank:] = [carried, *ranks[rank + 1 :]]
        tables = [table for table in reversed(ranks) if table is not None]
        if not tables or not any(table.n_given - table.n_dropped for table in tables):
            raise InputError("batches: they hold no points; there is nothing to compare")
        return cls(reduce(merged, tables))

    def __eq__(self, other: object) -> bool:
        """Equal where the same clusters share the same points, whatever the order of rows and columns."""
        if not isinstance(other, Contingency):
            return NotImplemented
        mine, theirs = self._tabulation, other._tabulation
        true_names, rows = united(mine.true_names, theirs.true_names)
        pred_names, columns = united(mine.pred_names, theirs.pred_names)
        if not len(mine.true_names) == len(theirs.true_names) == len(true_names):
            return False
        if not len(mine.pred_names) == len(theirs.pred_names) == len(pred_names):
            return False
        if mine[3:7] != theirs[3:7] or set(self.unscored) != set(other.unscored):
            return False
        my_entries = in_order(entries_of(mine.cells))
        their_entries = in_order(moved(entries_of(theirs.cells), rows, columns))
        return all(
            one is other or (one is not None and other is not None and np.array_equal(one, other))
            for one, other in zip(my_entries, their_entries, strict=True)
        )

    def __reduce__(self) -> tuple[Any, ...]:
        table = self._tabulation
        arrays = tuple(None if array is None else np.array(array) for array in entries_of(table.cells))
        return _restored, (arrays, table.true_names.listed(), table.pred_names.listed(), tuple(table[3:]))

    @classmethod
    def from_counts(cls, true: Labels, pred: Labels, n: Any, **options: Any) -> Contingency:
        """The table of somebody's GROUP BY: each row stands for `n` points; a cell named twice is added up.

        The options are those of `crosstab`.

        >>> Contingency.from_counts(["a", "a", "b"], [1, 2, 2], [10**12, 5, 7]).n_used
        1000000000012
        """
        return crosstab(true, pred, counts=n, **options)

    @classmethod
    def from_matrix(
        cls, matrix: Any, true_labels: Sequence[Any] | None = None, pred_labels: Sequence[Any] | None = None
    ) -> Contingency:
        """The table of a matrix of counts, truth in the rows: dense, or a SciPy sparse matrix or array.

        >>> Contingency.from_matrix([[5, 1, 0], [1, 4, 1], [0, 2, 3]]).n_used
        17
        """
        true, pred, counts = matrices.read_matrix(matrix, true_labels, pred_labels)
        return cls(tabulate_codes(true, pred, counts, None, PLAIN, None))

    def to_scipy(self) -> Any:
        """The table as a SciPy sparse array of counts, or of weights where it has them; rows as in `true_labels`."""
        return matrices.to_scipy(self._tabulation)

    def to_dict(self) -> dict[str, list[Any]]:
        """The cells as columns: `true`, `pred`, `n`, and `weight` where there are weights.

        Where points have a cluster of their own or occur on one side only, `true_is` and `pred_is` say so.

        >>> crosstab(["a", "a", "b"], [1, 1, 1]).to_dict()
        {'true': ['a', 'b'], 'pred': [1, 1], 'n': [2, 1]}
        """
        return matrices.to_columns(self._tabulation)

    def to_pandas(self) -> Any:
        """The cells as a pandas DataFrame, one row a cell."""
        return matrices.optional("pandas", "to_pandas").DataFrame(self.to_dict())

    def to_polars(self) -> Any:
        """The cells as a polars DataFrame, one row a cell; labels that it cannot hold are written as text."""
        pl = matrices.optional("polars", "to_polars")
        return pl.DataFrame({name: matrices.column_of(values, pl.Series) for name, values in self.to_dict().items()})

    def to_arrow(self) -> Any:
        """The cells as a pyarrow Table, one row a cell; labels that it cannot hold are written as text."""
        pa = matrices.optional("pyarrow", "to_arrow")
        return pa.table({name: matrices.column_of(values, pa.array) for name, values in self.to_dict().items()})

    def __repr__(self) -> str:
        headline = (
            f"Contingency: {self.n_used:,} points, {self.n_true_clusters:,} true × "
            f"{self.n_pred_clusters:,} predicted clusters, {self.n_cells:,} cells"
        )
        notes = {
            "noise": self.n_noise,
            "dropped": self.n_dropped,
            "unmatched": self.n_unmatched,
        }
        said = [f"{count:,} {what}" for what, count in notes.items() if count or (what == "noise" and self.names_noise)]
        if self.weights is not None:
            said.append("weighted")
        if said:
            headline += f" ({', '.join(said)})"
        return headline + matrices.grid(self._tabulation)


class Excerpt(NamedTuple):
    """Some clusters of one side of a table, all their cells with them."""

    table: Contingency
    """Clusters of the other side keep their size: what is not in the excerpt counts as items of one side only."""
    clusters: int
    """Labelled clusters of that side in the whole table, unscored ones apart."""
    losing: int
    """Those that lose pairs."""
    verdicts: dict[str, int]
    """How many of them are whole, inside a cluster of the other side, made of whole ones, or mixed."""


def crosstab(
    y_true: Labels,
    y_pred: Labels,
    *,
    counts: Any = None,
    weights: Any = None,
    noise_true: Noise | None = None,
    noise_pred: Noise | None = None,
    missing: MissingPolicy = "error",
    unmatched: UnmatchedPolicy = "error",
    threads: int | None = None,
) -> Contingency:
    """Cross-tabulate two labelings in memory; the public `crosstab` says what the options mean."""
    if noise_true is None and noise_pred is None and missing == "error" and unmatched == "error":
        policies = PLAIN
    else:
        policies = read_policies(noise_true, noise_pred, missing, unmatched)
    return Contingency(tabulate(y_true, y_pred, counts, weights, policies, threads))


def _size_rows(rows: list[tuple[int, int, int, int, int]]) -> tuple[SizeRow, ...]:
    return tuple(SizeRow(*row) for row in rows)


def _restored(arrays: tuple[Any, ...], true: list[Any], pred: list[Any], rest: tuple[Any, ...]) -> Contingency:
    rows, columns, counts, weights, pairs = arrays
    cells = _kernel.Cells(rows, columns, counts, weights, pairs, len(true), len(pred))
    return Contingency(Tabulation(cells, Names.of(true), Names.of(pred), *rest))
