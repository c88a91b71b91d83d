"""The contingency: the interface of a table of two labelings, wherever its cells are stored.

`CellTable` (`cells.py`) has its cells in memory and calls the kernel; `EngineTable` leaves them in an engine.
Callers need not distinguish the two.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, TypeVar, Unpack

from clustermark.errors import InputError
from clustermark.results.frames import Columnar
from clustermark.tables import forms
from clustermark.tables.policies import NO_NOISE, PLAIN, Policies, SideNoise

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from typing import Self

    import numpy as np
    from numpy.typing import NDArray

    from clustermark._kernel import Worth
    from clustermark.labels.conversion import Labels
    from clustermark.options import PolicyOptions
    from clustermark.tables.cells import CellTable
    from clustermark.tables.parts import Census, EditableCells, OpenMatching, Selection
    from clustermark.tables.sums import Best, CellTally, Joint, Overlaps, Profile, Squares

T = TypeVar("T")


Side: TypeAlias = Literal["true", "pred"]


class Account(NamedTuple):
    """Numbers of the points that were given, used, dropped, noise or unmatched."""

    n_given: int
    n_dropped: int = 0
    n_noise: int = 0
    n_unmatched: int = 0
    one_sided: bool = False
    policies: Policies = PLAIN
    noise_true: SideNoise = NO_NOISE
    noise_pred: SideNoise = NO_NOISE
    n_without_true: int = 0
    """Points dropped because the truth lacks them, or their label."""
    n_without_pred: int = 0
    """Points dropped because the prediction lacks them, or their label."""
    only_true: int = 0
    """Items that only the truth has, whatever the policy."""
    only_pred: int = 0


class CellArrays(NamedTuple):
    """The non-empty cells as three read-only arrays of equal length.

    A row or column of -1: each of the points has a cluster of its own on that side;
    of -2: the points do not occur on that side.
    """

    rows: NDArray[np.int32]
    columns: NDArray[np.int32]
    counts: NDArray[np.int64]


class Origin(NamedTuple):
    """Origin of a table that an engine computed: the settings, and the statements that ran."""

    settings: Mapping[str, Any]
    statements: Sequence[str]


IN_MEMORY = Origin({}, ())


class Contingency(Columnar, ABC):
    """The sparse table of two labelings, truth first. Immutable; returned by `crosstab`.

    >>> from clustermark import crosstab
    >>> table = crosstab(["a", "a", "b", "b", "c"], [1, 1, 1, 2, 2])
    >>> table.n_used, table.n_true_clusters, table.n_pred_clusters, table.n_cells
    (5, 3, 2, 4)
    >>> table.true_labels, table.pred_labels
    (['a', 'b', 'c'], [1, 2])
    """

    # `plain` is a slot and not a property because every index reads it
    __slots__ = ("_account", "_made", "_origin", "plain")

    plain: bool
    """Whether this is a table of ordinary points: no weights, no unscored noise, no items of one side only."""

    __hash__ = None  # type: ignore[assignment]

    def __new__(cls, *_: Any, **__: Any) -> Self:
        """Raise an error for this abstract class that names the functions that return a table."""
        if cls is Contingency:
            raise InputError(
                "make a table with crosstab(y_true, y_pred), Contingency.from_counts or Contingency.from_matrix"
            )
        return object.__new__(cls)

    def __init__(self, account: Account, origin: Origin = IN_MEMORY, *, plain: bool = True) -> None:
        self._account = account
        self._origin = origin
        self.plain = plain
        self._made: dict[Any, Any] = {}

    @abstractmethod
    def to_memory(self) -> CellTable:
        """Return the table with its cells in memory: itself, if they are there already."""

    @property
    def in_memory(self) -> bool:
        """Whether the cells are in memory; from an engine, they are fetched only on request."""
        return True

    @property
    @abstractmethod
    def profile(self) -> Profile:
        """The three small integer tables from which most indices are computed; not for weighted tables."""

    @property
    @abstractmethod
    def unscored(self) -> list[Any]:
        """Predicted labels with the noise policy "unscored"."""

    @property
    @abstractmethod
    def n_unscored(self) -> int:
        """Number of points with such a predicted label."""

    @abstractmethod
    def count_labels(self, side: Side, labels: Collection[Any]) -> dict[Any, int]:
        """Return the number of points of the table with each of these labels; labels without points are omitted."""

    @abstractmethod
    def joint(self) -> Joint:
        """Return sums over all cells that need the sizes of both their clusters."""

    @abstractmethod
    def sized_cells(self) -> CellTally:
        """Return all cells with the sizes of both their clusters; not for weighted tables."""

    @abstractmethod
    def best(self) -> tuple[Best, Best]:
        """Return, for true and for predicted clusters, the sums over the best cell of each cluster."""

    @abstractmethod
    def overlaps(self) -> Overlaps:
        """Return the scored predicted clusters with their best true clusters; not with items of one side only."""

    @abstractmethod
    def part(self, which: Selection) -> CellTable:
        """Return the requested cells, in memory, or more of them; clusters keep their sizes."""

    @abstractmethod
    def census(self, side: Side) -> Census:
        """Return counts of the labelled clusters of one side: all, those that lose pairs, and those of each kind."""

    @abstractmethod
    def matching(self, worth: Worth) -> OpenMatching:
        """Return the cells that are still to be matched, in memory, and a tally of those that are matched already."""

    @abstractmethod
    def edits(self, n: int | None) -> EditableCells:
        """Return at least the cells of the n edits of each kind that repair most wrong pairs; all if n is None."""

    def once(self, key: object, make: Callable[[Self], T]) -> T:
        """Return the result of `make` for the table, which is computed once and stored under the key."""
        made: dict[object, T] = self._made
        try:
            return made[key]
        except KeyError:
            pass  # computed outside, so that its errors are not chained to this one
        return made.setdefault(key, make(self))

    @property
    def settings(self) -> dict[str, Any]:
        """The origin of the table: its source and columns, if an engine read them, and its policies."""
        policies = self.policies._asdict()
        return {**self._origin.settings, **{what: policy for what, policy in policies.items() if policy}}

    @property
    def sql(self) -> str:
        """The statements that an engine ran for the table so far; empty for labels in memory."""
        return ";\n".join(self._origin.statements)

    @property
    def account(self) -> Account:
        """Numbers of the points that were given, used, dropped, noise or unmatched."""
        return self._account

    @property
    def n_given(self) -> int:
        """Number of points given, dropped ones included."""
        return self._account.n_given

    @property
    def n_used(self) -> int:
        """Number of points in the table."""
        return self._account.n_given - self._account.n_dropped

    @property
    def n_noise(self) -> int:
        """Number of points with a label named as noise on either side, whatever its policy."""
        return self._account.n_noise

    @property
    def n_dropped(self) -> int:
        """Number of points left out: missing, noise or unmatched under the policy "drop", and points of weight 0."""
        return self._account.n_dropped

    @property
    def n_unmatched(self) -> int:
        """Number of items that occur on one side only, whatever the policy."""
        return self._account.n_unmatched

    @property
    def policies(self) -> Policies:
        """The policies of the table for noise, missing labels and unmatched items."""
        return self._account.policies

    @property
    def names_noise(self) -> bool:
        """Whether a policy for noise was given, also if no point has such a label."""
        return bool(self.policies.noise_true or self.policies.noise_pred)

    @property
    def one_sided(self) -> bool:
        """Whether items that occur on one side only are kept in the table."""
        return self._account.one_sided

    @property
    def squares(self) -> Squares:
        """N and the sums of squares over cells, true and predicted clusters; exact integers."""
        return self.profile.squares

    @property
    def n_cells(self) -> int:
        """Number of non-empty cells; points with a cluster of their own are a cell each."""
        return self.profile.n_cells

    @property
    def n_true_clusters(self) -> int:
        """Number of true clusters, points with a cluster of their own included."""
        return sum(row.clusters for row in self.profile.true_sizes)

    @property
    def n_pred_clusters(self) -> int:
        """Number of predicted clusters, points with a cluster of their own included."""
        return sum(row.clusters for row in self.profile.pred_sizes)

    @property
    def weights(self) -> NDArray[np.float64] | None:
        """The weight of each cell, or None for a table of plain points."""
        return None

    @property
    def true_labels(self) -> list[Any]:
        """The label of each row: integers ascending if they are in a dense range, otherwise by first appearance."""
        return list(self.to_memory().true_names.to_list())

    @property
    def pred_labels(self) -> list[Any]:
        """The label of each column."""
        return list(self.to_memory().pred_names.to_list())

    @property
    def cells(self) -> CellArrays:
        """The non-empty cells: row, column and number of points."""
        cells = self.to_memory().kernel_cells
        return CellArrays(cells.rows, cells.columns, cells.counts)

    def are_identical(self) -> bool:
        """Return whether the two partitions are the same: as many cells as clusters on both sides."""
        return self.n_cells == self.n_true_clusters == self.n_pred_clusters and not self.one_sided

    @property
    def T(self) -> Contingency:
        """The table with truth and prediction exchanged."""
        return self.to_memory().transpose()

    def __add__(self, other: Contingency) -> Contingency:
        """Return the table of the points of both; labels may be new in either."""
        if not isinstance(other, Contingency):
            return NotImplemented
        return self.to_memory().merge(other.to_memory())

    def __radd__(self, zero: object) -> Contingency:
        """Let `sum(tables)` begin with 0."""
        return self if zero == 0 else NotImplemented

    def __eq__(self, other: object) -> bool:
        """Return whether the same clusters share the same points, whatever the order of rows and columns."""
        if not isinstance(other, Contingency):
            return NotImplemented
        return self.to_memory().equals(other.to_memory())

    def __reduce__(self) -> tuple[Any, ...]:
        return self.to_memory().reduce()

    def update(
        self,
        y_true: Labels,
        y_pred: Labels,
        *,
        counts: Any = None,
        weights: Any = None,
        threads: int | None = None,
    ) -> Contingency:
        """Return a new table with more points, under the policies of this table, which is not changed.

        The cost is proportional to the number of cells, so a stream should be added in batches of many points.

        >>> from clustermark import crosstab
        >>> table = crosstab(["a", "a"], [1, 2]).update(["a", "b"], [1, 3])
        >>> table.n_used, table.pred_labels
        (4, [1, 2, 3])
        """
        from clustermark.tables.tabulation import tabulate

        more = tabulate(y_true, y_pred, counts, weights, self.policies, threads, may_be_empty=True)
        return self.to_memory().merge(more.to_memory())

    @staticmethod
    def from_batches(
        batches: Iterable[Any], *, threads: int | None = None, **policies: Unpack[PolicyOptions]
    ) -> Contingency:
        """Return the table of a stream of batches, which need not fit into memory together: only cells are kept.

        batches: pairs (y_true, y_pred), or triples with counts; each batch as accepted by `crosstab`.
        policies: noise_true, noise_pred, missing and unmatched, as in `crosstab`.

        Tables of equal rank are added, so the number of times a cell is added up grows only with the logarithm of the
        number of batches.

        >>> Contingency.from_batches([(["a", "a"], [1, 2]), (["a", "b"], [1, 3])]).n_used
        4
        """
        from clustermark.tables.tabulation import tabulate_batches

        return tabulate_batches(batches, threads, **policies)

    @staticmethod
    def from_counts(true: Labels, pred: Labels, n: Any, **options: Any) -> Contingency:
        """Return the table of the result of a GROUP BY: each row represents `n` points; repeated cells are added up.

        The options are those of `crosstab`.

        >>> Contingency.from_counts(["a", "a", "b"], [1, 2, 2], [10**12, 5, 7]).n_used
        1000000000012
        """
        from clustermark.tables.tabulation import crosstab

        return crosstab(true, pred, counts=n, **options)

    @staticmethod
    def from_matrix(
        matrix: Any, true_labels: Sequence[Any] | None = None, pred_labels: Sequence[Any] | None = None
    ) -> Contingency:
        """Return the table of a matrix of counts, truth in the rows: dense, or a SciPy sparse matrix or array.

        >>> Contingency.from_matrix([[5, 1, 0], [1, 4, 1], [0, 2, 3]]).n_used
        17
        """
        from clustermark.tables.tabulation import tabulate_codes

        true, pred, counts = forms.read_matrix(matrix, true_labels, pred_labels)
        return tabulate_codes(true, pred, counts, None, PLAIN, None)

    def to_scipy(self) -> Any:
        """Return the table as a SciPy sparse array of counts, or of weights if any; rows as in `true_labels`."""
        return forms.to_scipy(self.to_memory())

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the cells as columns: `true`, `pred`, `n`, and `weight` if there are weights.

        If points have a cluster of their own or occur on one side only, `true_is` and `pred_is` mark them.

        >>> from clustermark import crosstab
        >>> crosstab(["a", "a", "b"], [1, 1, 1]).to_dict()
        {'true': ['a', 'b'], 'pred': [1, 1], 'n': [2, 1]}
        """
        return forms.to_columns(self.to_memory())

    def _repr_html_(self) -> str:
        return forms.show_grid(self, self._headline)

    def __repr__(self) -> str:
        return self._headline + forms.draw_grid(self)

    @property
    def _headline(self) -> str:
        headline = (
            f"Contingency: {self.n_used:,} points, {self.n_true_clusters:,} true × "
            f"{self.n_pred_clusters:,} predicted clusters, {self.n_cells:,} cells"
        )
        notes = {
            "noise": self.n_noise,
            "dropped": self.n_dropped,
            "unmatched": self.n_unmatched,
        }
        parts = [
            f"{count:,} {what}" for what, count in notes.items() if count or (what == "noise" and self.names_noise)
        ]
        if self.weights is not None:
            parts.append("weighted")
        if parts:
            headline += f" ({', '.join(parts)})"
        return headline
