"""Sums over a whole table, estimated from a sample of the truth: true clusters or records.

All records of every predicted cluster are known, so a sum over predicted clusters is divided among the records of each.
The contribution of a sampled true cluster is the part of its records, and contributions add up to the sum. As with
other units, each sum is an array: first for the whole sample, then without one unit of each class.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, cast

import numpy as np

from clustermark._kernel import ABSENT, LONE
from clustermark.errors import InputError, Mention
from clustermark.labels.alignment import SomeIds, check_matches
from clustermark.statistics.units import NoClosedFormError, Units
from clustermark.uncertainty.entries import add_by

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clustermark.labels.labeling import Names
    from clustermark.statistics.units import Numbers, OfCell, OfCluster, OfSize
    from clustermark.tables.contingency import Contingency

_NAMED = 3
"""Number of predicted clusters without a sampled record that are named."""
Design: TypeAlias = Literal["clusters", "clusters_by_record", "records"]
LONE_CLASS = object()
"""Stands for the label of true clusters of one record that have none, such as noise made singletons."""


class SampledCells(NamedTuple):
    """The cells of the records that were labelled, and the predicted clusters of all records.

    The lone points of the truth in a cell are one class, with each point as a unit.
    """

    n: NDArray[np.float64]
    """Number of records of each cell."""
    b: NDArray[np.float64]
    """Size of its predicted cluster, including records without a true label."""
    times: NDArray[np.float64]
    """Number of such cells in one true cluster."""
    column: NDArray[np.int64]
    """The predicted cluster of each cell; one more than the last for lone points."""
    of: NDArray[np.int64]
    """The class of true clusters of each cell."""
    multiplicity: NDArray[np.int64]
    """Number of true clusters of each class."""
    sizes: NDArray[np.float64]
    """Size of each predicted cluster, without lone points."""
    lone: int
    """Number of lone points of the prediction."""
    names: Names
    """The labels of the predicted clusters."""
    true_labels: list[Any]
    """The label of the true clusters of each class; of lone points `LONE_CLASS`."""

    @property
    def a(self) -> NDArray[np.float64]:
        """Size of the true clusters of each class."""
        return np.asarray(add_by(self.of, self.n * self.times, len(self.multiplicity)))

    @property
    def population(self) -> int:
        """Number of all records."""
        return int(self.sizes.sum()) + self.lone

    @property
    def labelled(self) -> int:
        """Number of records with a true label."""
        return int((self.a * self.multiplicity).sum())

    @property
    def all_exact(self) -> bool:
        """Whether every sampled true cluster is a predicted cluster."""
        return bool(((self.n == self.a[self.of]) & (self.n == self.b)).all())


def read_drawn(table: Contingency, missing: str, unmatched: str) -> SampledCells:
    """Return the cells of a table that was made with the policies unmatched="keep" and missing="cluster".

    missing, unmatched: the policies for labelled records without a predicted label, and for those that the prediction
    lacks; records without a true label are those that were not drawn.
    """
    memory = table.to_memory()
    if memory.weights is not None or memory.unscored_columns is not None:
        raise InputError("estimate: weights and unscored noise are not for samples of the truth; leave them out")
    rows, columns, counts = (np.array(column, np.int64) for column in memory.cells)
    unknown = np.append(memory.true_names.are_missing(), [False, False])[rows]
    unlabelled = np.append(memory.pred_names.are_missing(), [False, False])[columns]
    rows = np.where(unknown, ABSENT, rows)
    keep = np.ones(len(rows), np.bool_)
    lacking = columns == ABSENT
    if lacking.any():
        _check_ids(*(int(counts[which].sum()) for which in ((rows != ABSENT) & ~lacking, lacking)))
    for which, policy, option, what in (
        (lacking, unmatched, "unmatched", "occur in the truth and not in the prediction"),
        (unlabelled, missing, "missing", "have no predicted label"),
    ):
        if policy in ("error", "keep") and which.any():
            raise InputError(f"{counts[which].sum():,} records {what}; choose ", Mention(option, "singletons", "drop"))
        columns = np.where(which & (policy == "singletons"), LONE, columns)
        keep &= ~(which & (policy == "drop"))
    rows, columns, counts = rows[keep], columns[keep], counts[keep]
    known = rows != ABSENT
    if not known.any():
        raise InputError("estimate: no record of the prediction has a true label; give a truth sample of its records")
    sizes = add_by(columns[columns >= 0], counts[columns >= 0], memory.kernel_cells.n_columns).astype(np.float64)
    lone = int(counts[columns == LONE].sum())
    cells = rows[known], columns[known], counts[known].astype(np.float64)
    return _classify(*cells, sizes, lone, memory.pred_names, memory.true_names)


def _check_ids(matched: int, lacking: int) -> None:
    """Refuse a truth sample without a record of the prediction, and warn if it has few."""
    nothing = SomeIds("the truth sample", ()), SomeIds("the prediction", ())
    check_matches(matched, matched + lacking, matched + lacking, lambda: nothing)


def _classify(
    rows: NDArray[np.int64],
    columns: NDArray[np.int64],
    counts: NDArray[np.float64],
    sizes: NDArray[np.float64],
    lone: int,
    names: Names,
    true_names: Names,
) -> SampledCells:
    alone, of_one = rows == LONE, columns == LONE
    labels = np.where(alone, rows.max(initial=0) + 1 + np.arange(len(rows)), rows)
    classes, places = np.unique(labels, return_inverse=True)
    of = places.astype(np.int64)
    multiplicity = np.ones(int(of.max()) + 1, np.int64)
    multiplicity[of[alone]] = counts[alone]
    n = np.where(alone | of_one, 1.0, counts)
    times = np.where(of_one & ~alone, counts, 1.0)
    column = np.where(of_one, len(sizes), columns)
    labelled = classes[classes <= rows.max(initial=0)]
    true_labels = true_names.take(labelled).to_list() + [LONE_CLASS] * (len(classes) - len(labelled))
    b = np.append(sizes, 1.0)[column]
    return SampledCells(n, b, times, column, of, multiplicity, sizes, lone, names, true_labels)


class _OneSide:
    """A sum over true clusters (0) or over predicted ones (1), if the sum over the others is not available."""

    def __init__(self, side: int, known: Numbers, reason: str) -> None:
        self._side, self._known, self._reason = side, known, reason

    def __getitem__(self, side: int) -> Numbers:
        if side != self._side:
            raise NoClosedFormError(self._reason)
        return self._known


def _one_side(side: int, known: Numbers, reason: str) -> tuple[Numbers, Numbers]:
    return cast("tuple[Numbers, Numbers]", _OneSide(side, known, reason))  # callers only index it, like a pair


ALL_CLUSTERS = "needs every true cluster that meets a predicted one"
ALL_SIZES = "needs the sizes of all true clusters"
ONLY_PAIRS = "needs whole true clusters; records drawn one by one show pairs of records only"


def reach(a: NDArray[np.float64], multiplicity: NDArray[np.int64], n: float) -> tuple[NDArray[np.float64], float]:
    """Return the probabilities that records drawn of n reach clusters of these sizes, and a cluster of one record.

    The number of drawn records is not known, because several may have reached one cluster. It is chosen such that the
    sizes of the clusters, each divided by its probability, add up to n.
    """

    def chance(draws: float, size: Numbers) -> Numbers:
        return -np.expm1(draws * np.log1p(-np.minimum(size / n, 1 - 1e-15)))

    few, many = 0.0, 50.0 * n  # this many draws reach every record
    for _ in range(100):
        draws = (few + many) / 2
        few, many = (draws, many) if (a * multiplicity / chance(draws, a)).sum() > n else (few, draws)
    return chance(many, a), float(chance(many, 1.0))


class SampledClusters(Units):
    """A sample of true clusters; each sum over the table is estimated from their contributions."""

    reason = ALL_SIZES

    unit = "cluster"

    def __init__(self, drawn: SampledCells, *, by_record: bool = False, population: float | None = None) -> None:
        """Weight the clusters of a sample.

        by_record: whether clusters were reached through random records, so that large clusters are more likely.
        population: the number of all records; by default that of the prediction. Only if it is given, clusters are
        weighted by their exact probability: often it is not known whether a prediction has all records that could be
        drawn.
        """
        self.drawn = drawn
        self.multiplicity = np.append([0], drawn.multiplicity)
        """Number of units of each class; 0 for the first class, which is the whole sample and leaves out no unit."""
        self._a = drawn.a
        n = float(drawn.population) if population is None else population
        self.reached: NDArray[np.float64] | None = None
        """Probability that random records reach each cluster; None if it was not computed."""
        self._share = self._a if by_record else np.ones(len(self._a))
        """Probability of each cluster, relative to that of a cluster of one record."""
        if by_record and population is not None:
            self.reached, single = reach(self._a, drawn.multiplicity, n)
            self._share = self.reached / single
        self._factor: Numbers = 1.0
        with np.errstate(divide="ignore"):  # nothing is left without the only cluster
            self._factor = n / self._estimate(self._a)
        self.points = self._estimate(self._a)  # rounded like other sums, so that differences are exactly 0

    def _estimate(self, parts: Numbers) -> Numbers:
        """Return the sum of the contributions of all true clusters: of the whole sample, and without one unit."""
        each = parts / self._share
        total = (each * self.drawn.multiplicity).sum()
        left = total - np.append([0.0], each)
        whole = np.rint(left)  # such as sums of 1/3; otherwise rounding would hide that a score is 0/0
        with np.errstate(invalid="ignore"):
            return np.where(np.abs(left - whole) <= 1e-13 * total, whole, left) * self._factor

    def _by_class(self, values: Numbers) -> Numbers:
        return add_by(self.drawn.of, values * self.drawn.times, len(self._a))

    def _over_records(self, values: Numbers) -> Numbers:
        """Return Σ over predicted clusters of a value, divided among the records of each."""
        return self._by_class(values * self.drawn.n / self.drawn.b)

    @property
    def k_true(self) -> Numbers:
        """Number of true clusters."""
        return self._estimate(np.ones(len(self._a)))

    @property
    def k_pred(self) -> Numbers:
        """Number of predicted clusters, estimated although it is known, so that errors of quotients partly cancel."""
        return self._estimate(self._over_records(np.ones(len(self.drawn.n))))

    @property
    def cells(self) -> Numbers:
        """Number of cells."""
        return self._estimate(self._by_class(np.ones(len(self.drawn.n))))

    def sum_counts(self, of: OfSize) -> Numbers:
        """Return Σ over cells of a function of their size."""
        return self._estimate(self._by_class(of(self.drawn.n)))

    def sum_sizes(self, of: OfSize) -> tuple[Numbers, Numbers]:
        """Return Σ over true clusters, and over predicted ones, of a function of their size."""
        return self._estimate(of(self._a)), self._estimate(self._over_records(of(self.drawn.b)))

    def sum_clusters(self, of: OfCluster) -> tuple[Numbers, Numbers]:
        """Return Σ over true clusters, and over predicted ones, of a function of their size and Σn² over their cells.

        Σn² of a predicted cluster is not known, but every function that statistics use is linear in it.
        """
        n, b = self.drawn.n, self.drawn.b
        squares = self._by_class(n * n)
        nothing = of(np.zeros(len(n)), b)
        pred = self._over_records(nothing) + self._by_class(of(n * n, b) - nothing)
        return self._estimate(of(squares, self._a)), self._estimate(pred)

    def sum_cells(self, of: OfCell) -> Numbers:
        """Return Σ over cells of a function of their size and of the sizes of their clusters."""
        return self._estimate(self._by_class(of(self.drawn.n, self._a[self.drawn.of], self.drawn.b)))

    def sum_best(self, of: OfCell, *, sized: bool = False) -> tuple[Numbers, Numbers]:
        """Return Σ over true clusters of the largest value of their cells, times size if `sized`."""
        best = np.zeros(len(self._a))
        np.maximum.at(best, self.drawn.of, of(self.drawn.n, self._a[self.drawn.of], self.drawn.b))
        return _one_side(0, self._estimate(best * self._a if sized else best), ALL_CLUSTERS)

    @property
    def seen_pairs(self) -> float:
        """The estimated number of pairs of records of one predicted cluster, by their known number; NaN without any."""
        sizes = self.drawn.sizes
        known = float((sizes * (sizes - 1)).sum())
        return float(self.sum_sizes(np.square)[1][0] - self.points[0]) / known if known else float("nan")

    def unmet(self) -> tuple[list[Any], float]:
        """Return the labels of the largest predicted clusters that no sampled cluster meets, and their share of pairs.

        The share is that of all unmet clusters among the pairs of records of one predicted cluster.
        """
        sizes = self.drawn.sizes
        met = np.zeros(len(sizes) + 1, np.bool_)
        met[self.drawn.column] = True
        pairs = np.where(met[:-1], 0.0, sizes * (sizes - 1))
        largest = np.argsort(-pairs, kind="stable")[:_NAMED]
        names = self.drawn.names.take(largest[pairs[largest] > 0]).to_list()
        return names, float(pairs.sum() / (sizes * (sizes - 1)).sum())

    @property
    def largest_share(self) -> float:
        """The weighted share of all sampled records that are in the largest true cluster."""
        weighted = self._a / self._share
        return float(weighted.max() / (weighted * self.drawn.multiplicity).sum())


class SampledRecords(Units):
    """A random sample of records: every pair of records is equally likely to be in it."""

    reason = ONLY_PAIRS

    unit = "record"
    largest_share = 0.0

    def __init__(self, drawn: SampledCells) -> None:
        """Make the classes: the whole sample, without one record of each cell, without one pair of each kind, no pairs.

        The kinds of pairs are those within each cell, those of a true cluster only, of a predicted one only, others.
        """
        self.drawn = drawn
        self._records = drawn.n * drawn.times * drawn.multiplicity[drawn.of]
        self._of_pred = add_by(drawn.column, self._records, len(drawn.sizes) + 1)[:-1]  # records that were drawn
        cells, n = len(drawn.n), float(self._records.sum())
        both, true, pred = (size * (size - 1) / 2 for size in (drawn.n, drawn.a, self._of_pred))
        only = (true.sum() - both.sum(), pred.sum() - both.sum())
        others = n * (n - 1) / 2 - both.sum() - sum(only)
        self.multiplicity = np.concatenate([[0], self._records, np.zeros(cells + 4)]).astype(np.int64)
        """Number of records of each class."""
        self.pairs = np.concatenate([np.zeros(1 + cells), both, [*only, others, 0.0]])
        """Number of pairs of records of each class."""
        total = float(drawn.population)
        left = np.repeat([n * (n - 1), (n - 1) * (n - 2), n * (n - 1) - 2, n * (n - 1)], [1, cells, cells + 3, 1])
        with np.errstate(divide="ignore"):
            self._factor = total * (total - 1) / left
        self.points = np.full(len(self.multiplicity), total)

    def _estimate(self, together: Numbers, others: Numbers, pairs: tuple[Numbers, int, int]) -> Numbers:
        """Return ordered pairs among all records, estimated from the sample, and without one record or one pair.

        together: the number of ordered pairs in the sample; others: the number of pairs with a record of each cell;
        pairs: the value of a pair within each cell, of a pair of a true cluster only, and of a predicted cluster only.
        """
        lost = np.concatenate([[0.0], others, pairs[0], [*pairs[1:], 0.0, together / 2]])
        with np.errstate(invalid="ignore"):
            return (together - 2 * lost) * self._factor

    def split_variance(self, values: Numbers, variance: float, unseen: float) -> tuple[float, float]:
        """Return the parts of the variance of an estimate that come from single records and from pairs.

        variance: that of leaving out records. Two records may be a pair, and its contribution is lost with either of
        them, so leaving out records counts it twice. Leaving out pairs measures that contribution. For a finite
        population, the part of single records is multiplied by the share that was not drawn (`unseen`), and the part
        of pairs by its square.
        """
        n = self.pairs.sum()
        mean = (values * self.pairs).sum() / n
        of_pairs = float(((values - mean) ** 2 * self.pairs).sum() * (n - 1) / n)
        of_records = max(variance - 2 * unseen * of_pairs, 0.0)
        return unseen * of_records, unseen**2 * of_pairs

    @property
    def k_pred(self) -> Numbers:
        """Number of predicted clusters, which is known."""
        return np.full(len(self.multiplicity), float(len(self.drawn.sizes) + self.drawn.lone))

    def sum_counts(self, of: OfSize) -> Numbers:
        """Return Σn² over cells: the number of records plus the number of ordered pairs."""
        _only_squares(of)
        n = self.drawn.n
        return self.points + self._estimate((n * (n - 1)).sum(), n - 1, (np.ones(len(n)), 0, 0))

    def sum_sizes(self, of: OfSize) -> tuple[Numbers, Numbers]:
        """Return Σ over true clusters, and over predicted ones, of their squared sizes."""
        _only_squares(of)
        drawn, within = self.drawn, np.ones(len(self.drawn.n))
        a, b = drawn.a, self._of_pred
        true = self._estimate((a * (a - 1)).sum(), a[drawn.of] - 1, (within, 1, 0))
        pred = self._estimate((b * (b - 1)).sum(), np.append(b, 1.0)[drawn.column] - 1, (within, 0, 1))
        return self.points + true, self.points + pred

    def sum_clusters(self, of: OfCluster) -> tuple[Numbers, Numbers]:
        """Return Σ over predicted clusters of a function of their size that is linear in Σn² over their cells."""
        drawn = self.drawn
        sizes = np.append(drawn.sizes, np.ones(1))
        known = np.append(np.ones(len(drawn.sizes)), [float(drawn.lone)])
        apart = float((of(sizes, sizes) * known).sum())  # as if no two records were together in the truth
        slope = of(np.ones(len(drawn.n)), drawn.b) - of(np.zeros(len(drawn.n)), drawn.b)
        pred = apart + self._estimate((drawn.n * (drawn.n - 1) * slope).sum(), (drawn.n - 1) * slope, (slope, 0, 0))
        return _one_side(1, pred, ONLY_PAIRS)


def _only_squares(of: OfSize) -> None:
    if of is not np.square:
        raise NoClosedFormError(ONLY_PAIRS)
