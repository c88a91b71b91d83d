"""The table with its cells in memory, which calls the kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from clustermark import _kernel
from clustermark._kernel import ABSENT, LONE
from clustermark.errors import InputError, Mention
from clustermark.labels.labeling import Names, merge_names
from clustermark.tables.contingency import IN_MEMORY, Account, Contingency, Origin, Side
from clustermark.tables.policies import Entries, in_order
from clustermark.tables.sums import Squares, exact_sum

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from clustermark._kernel import Worth
    from clustermark.tables.parts import Census, EditableCells, OpenMatching, Selection
    from clustermark.tables.sums import Best, CellTally, Joint, Profile


class CellTable(Contingency):
    """A table with its cells in memory, and the names of its clusters."""

    __slots__ = ("_kernel_cells", "_pred_names", "_true_names", "_unscored_columns")

    cells_per_edit: ClassVar[int] = 16
    """A table with more cells than this for each requested edit or cluster is searched for the relevant cells."""

    def __init__(
        self,
        cells: _kernel.Cells,
        true_names: Names | None,
        pred_names: Names | None,
        account: Account,
        unscored: NDArray[np.bool_] | None = None,
        origin: Origin = IN_MEMORY,
    ) -> None:
        """Store the cells; names that are None are read from the kernel when needed, which is rare."""
        # not by super().__init__: each call of an index on labels creates a table
        self.plain = unscored is None and not account.one_sided and cells.weights is None
        self._account = account
        self._origin = origin
        self._made = {}
        self._kernel_cells = cells
        self._true_names = true_names
        self._pred_names = pred_names
        self._unscored_columns = unscored

    def to_memory(self) -> CellTable:
        """Return the table itself."""
        return self

    @property
    def kernel_cells(self) -> _kernel.Cells:
        """The cells, for the kernel."""
        return self._kernel_cells

    @property
    def true_names(self) -> Names:
        """The names of the rows."""
        if self._true_names is None:
            cells = self._kernel_cells
            self._true_names = Names(None, lambda: cells.row_values)
        return self._true_names

    @property
    def pred_names(self) -> Names:
        """The names of the columns."""
        if self._pred_names is None:
            cells = self._kernel_cells
            self._pred_names = Names(None, lambda: cells.column_values)
        return self._pred_names

    @property
    def unscored_columns(self) -> NDArray[np.bool_] | None:
        """Mask of the columns that are noise with the policy "unscored"; None if none is."""
        return self._unscored_columns

    @property
    def unscored(self) -> list[Any]:
        """Predicted labels with the noise policy "unscored"."""
        if self._unscored_columns is None:
            return []
        return list(self.pred_names.take(np.flatnonzero(self._unscored_columns)).to_list())

    @property
    def n_unscored(self) -> int:
        """Number of points with such a predicted label."""
        if self._unscored_columns is None:
            return 0
        cells = self._kernel_cells  # two extra places, for points without a cluster
        return exact_sum(cells.counts[np.append(self._unscored_columns, [False, False])[cells.columns]])

    def count_labels(self, side: Side, labels: Collection[Any]) -> dict[Any, int]:
        """Return the number of points of the table with each of these labels."""
        cells = self._kernel_cells
        numbers = cells.rows if side == "true" else cells.columns
        found = (self.true_names if side == "true" else self.pred_names).find(labels)
        return {label: exact_sum(cells.counts[numbers == place]) for place, label in found}

    @property
    def weights(self) -> NDArray[np.float64] | None:
        """The weight of each cell, or None for a table of plain points."""
        return self._kernel_cells.weights

    @property
    def n_cells(self) -> int:
        """Number of non-empty cells; points with a cluster of their own are a cell each."""
        rows, columns, counts = self.cells
        lone = (rows == LONE) & (columns != ABSENT) | (columns == LONE) & (rows != ABSENT)
        return int(np.count_nonzero((rows >= 0) & (columns >= 0))) + exact_sum(counts[lone])

    @property
    def n_true_clusters(self) -> int:
        """Number of true clusters, points with a cluster of their own included."""
        return self._kernel_cells.n_rows + self._count_lone(self._kernel_cells.rows)

    @property
    def n_pred_clusters(self) -> int:
        """Number of predicted clusters, points with a cluster of their own included."""
        return self._kernel_cells.n_columns + self._count_lone(self._kernel_cells.columns)

    def _count_lone(self, clusters: NDArray[np.int32]) -> int:
        """Return the number of points with a cluster of their own on the side with these clusters."""
        lone = clusters == LONE
        return exact_sum(self._kernel_cells.counts[lone]) if lone.any() else 0

    @property
    def squares(self) -> Squares:
        """N and the sums of squares over cells, true and predicted clusters; exact integers."""
        return super().squares if self._account.one_sided else Squares._make(self._kernel_cells.squares())

    @property
    def profile(self) -> Profile:
        """The three small integer tables from which most indices are computed; not for weighted tables."""
        if self.weights is not None:
            raise InputError("a table with real weights has no profile; leave out ", Mention("weights"))
        return self.once("profile", _profile)

    def joint(self) -> Joint:
        """Return sums over all cells that need the sizes of both their clusters."""
        return self.once("joint", lambda table: _kernel.joint(table.kernel_cells))

    def sized_cells(self) -> CellTally:
        """Return all cells one by one; those of points with a cluster of their own are counted."""
        from clustermark.tables.sums import CellTally

        cells = self._kernel_cells
        if not ((cells.rows < 0) | (cells.columns < 0)).any():
            sizes, others = _kernel.margins(cells)
            counts = cells.counts
            return CellTally(counts, sizes[cells.rows], others[cells.columns], np.ones_like(counts))
        both = (cells.rows != ABSENT) & (cells.columns != ABSENT)
        rows, columns, counts = cells.rows[both], cells.columns[both], cells.counts[both]
        lone = (rows == LONE) | (columns == LONE)
        true, pred = (np.append(sizes, 1) for sizes in _kernel.margins(cells))  # LONE indexes the last place
        return CellTally(np.where(lone, 1, counts), true[rows], pred[columns], np.where(lone, counts, 1))

    def best(self) -> tuple[Best, Best]:
        """Return, for true and for predicted clusters, the sums over the best cell of each cluster."""
        return _kernel.best(self._kernel_cells)

    def overlaps(self) -> _kernel.Overlaps:
        """Return the predicted clusters with their best true clusters, one by one."""
        if self.one_sided:
            raise InputError("best matches are not defined for unmatched items; choose ", Mention("unmatched", "drop"))
        return _kernel.overlaps(self._kernel_cells, None, self._unscored_columns)

    def part(self, which: Selection) -> CellTable:  # noqa: ARG002 - all cells are in memory
        """Return the table itself."""
        return self

    def census(self, side: Side) -> Census:
        """Return counts of the labelled clusters of one side."""
        from clustermark.tables.parts import census_of

        return census_of(self, side)

    def matching(self, worth: Worth) -> OpenMatching:  # noqa: ARG002
        """Return all cells: the kernel matches the certain ones together with the rest."""
        from clustermark.tables.parts import OpenMatching
        from clustermark.tables.sums import NO_CELLS

        return OpenMatching(self, NO_CELLS, all_cells=True)

    def edits(self, n: int | None) -> EditableCells:
        """Return all cells; of a large table the cells of the n edits of each kind that repair most wrong pairs."""
        from clustermark.tables.parts import choose_editable

        return choose_editable(self, n)

    def transpose(self) -> CellTable:
        """Return the table with truth and prediction exchanged."""
        from clustermark.tables.clusters import transpose_cells

        if self._unscored_columns is not None:
            raise InputError('a prediction with "unscored" noise cannot become the truth; choose another noise policy')
        policies, account = self.policies, self._account
        swapped = account._replace(
            policies=policies._replace(noise_true=policies.noise_pred, noise_pred=policies.noise_true),
            noise_true=account.noise_pred,
            noise_pred=account.noise_true,
            n_without_true=account.n_without_pred,
            n_without_pred=account.n_without_true,
            only_true=account.only_pred,
            only_pred=account.only_true,
        )
        return CellTable(transpose_cells(self._kernel_cells), self.pred_names, self.true_names, swapped)

    def merge(self, other: CellTable) -> CellTable:
        """Return the table of the points of both; labels may be new in either."""
        if self.policies != other.policies:
            raise InputError(
                "tables made under different policies (noise, missing, unmatched) cannot be added; use the same"
            )
        if self.n_given + other.n_given >= 2**63:
            raise InputError("the counts of the two tables add up to 2**63 or more; divide them by a common factor")
        true_names, rows = merge_names(self.true_names, other.true_names)
        pred_names, columns = merge_names(self.pred_names, other.pred_names)
        weighted = self.weights is not None or other.weights is not None
        mine = entries_of(self._kernel_cells, weighted=weighted)
        theirs = _renumber(entries_of(other._kernel_cells, weighted=weighted), rows, columns)
        both = Entries(*(None if a is None else np.concatenate([a, b]) for a, b in zip(mine, theirs, strict=True)))  # type: ignore[arg-type]
        unscored = _merge_unscored(self._unscored_columns, other._unscored_columns, columns, len(pred_names))
        account = Account(
            self.n_given + other.n_given,
            self.n_dropped + other.n_dropped,
            self.n_noise + other.n_noise,
            self.n_unmatched + other.n_unmatched,
            self.one_sided or other.one_sided,
            self.policies,
            self._account.noise_true.merge(other._account.noise_true),
            self._account.noise_pred.merge(other._account.noise_pred),
            self._account.n_without_true + other._account.n_without_true,
            self._account.n_without_pred + other._account.n_without_pred,
            self._account.only_true + other._account.only_true,
            self._account.only_pred + other._account.only_pred,
        )
        cells = _kernel.Cells(*both, len(true_names), len(pred_names))
        return CellTable(cells, true_names, pred_names, account, unscored)

    def equals(self, other: CellTable) -> bool:
        """Return whether the same clusters share the same points, whatever the order of rows and columns."""
        true_names, rows = merge_names(self.true_names, other.true_names)
        pred_names, columns = merge_names(self.pred_names, other.pred_names)
        if not len(self.true_names) == len(other.true_names) == len(true_names):
            return False
        if not len(self.pred_names) == len(other.pred_names) == len(pred_names):
            return False
        if self._account[:4] != other._account[:4] or set(self.unscored) != set(other.unscored):
            return False
        mine = in_order(entries_of(self._kernel_cells))
        theirs = in_order(_renumber(entries_of(other._kernel_cells), rows, columns))
        return all(
            one is other or (one is not None and other is not None and np.array_equal(one, other))
            for one, other in zip(mine, theirs, strict=True)
        )

    def reduce(self) -> tuple[Any, ...]:
        """Return the function and arguments that restore the table, for pickling."""
        arrays = tuple(None if array is None else np.array(array) for array in entries_of(self._kernel_cells))
        names = self.true_names.to_list(), self.pred_names.to_list()
        return _restore, (arrays, *names, tuple(self._account), self._unscored_columns)


def _restore(
    arrays: tuple[Any, ...], true: list[Any], pred: list[Any], account: tuple[Any, ...], unscored: Any
) -> CellTable:
    rows, columns, counts, weights, pairs = arrays
    cells = _kernel.Cells(rows, columns, counts, weights, pairs, len(true), len(pred))
    return CellTable(cells, Names.of(true), Names.of(pred), Account(*account), unscored)


def _profile(table: CellTable) -> Profile:
    from clustermark.tables.sums import Profile, SizeRow

    cell_sizes, *sides = _kernel.profile(table.kernel_cells)
    true, pred = (tuple(SizeRow(*row) for row in rows) for rows in sides)
    return Profile(tuple(cell_sizes), true, pred)


def entries_of(cells: _kernel.Cells, *, weighted: bool = False) -> Entries:
    """Return the cells as entries of another table; if `weighted`, cells without weights get weights of 1."""
    weights, pairs = cells.weights, cells.pairs
    if weighted and weights is None:
        weights = cells.counts.astype(np.float64)
        pairs = weights * (weights - 1) / 2
        pairs[(cells.rows < 0) | (cells.columns < 0)] = 0.0
    return Entries(cells.rows, cells.columns, cells.counts, weights, pairs)


def _renumber(entries: Entries, rows: NDArray[np.int32], columns: NDArray[np.int32]) -> Entries:
    """Return the entries with new numbers for rows and columns; LONE and ABSENT stay."""
    # the two negative markers index the two places appended at the end
    markers = np.array([ABSENT, LONE], np.int32)
    return entries._replace(
        rows=np.append(rows, markers)[entries.rows], columns=np.append(columns, markers)[entries.columns]
    )


def _merge_unscored(
    mine: NDArray[np.bool_] | None, theirs: NDArray[np.bool_] | None, columns: NDArray[np.int32], n: int
) -> NDArray[np.bool_] | None:
    if mine is None and theirs is None:
        return None
    unscored = np.zeros(n, np.bool_)
    if mine is not None:
        unscored[: len(mine)] = mine
    if theirs is not None:
        unscored[columns[theirs]] = True
    return unscored
