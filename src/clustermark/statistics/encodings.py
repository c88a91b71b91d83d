"""Lengths of codes of a labeling, with and without knowledge of another one."""

from __future__ import annotations

from collections import Counter
from math import ceil, exp, fsum, lgamma, log, log1p, sqrt
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from clustermark.statistics.information import clusters_of, histogram, refuse_one_sided
from clustermark.statistics.statistic import Takes

if TYPE_CHECKING:
    from collections.abc import Callable

    from clustermark.statistics.information import Histogram
    from clustermark.tables.contingency import Contingency, Side

Estimate: TypeAlias = Literal["effective_columns", "diaconis_efron"]
"""Estimates of the number of tables with given cluster sizes."""
Code: TypeAlias = Literal["effective_columns", "diaconis_efron", "dirichlet_multinomial"]
"""Code of the table: one of equally likely tables, whose number is estimated, or a Dirichlet-multinomial code."""


class Encodings:
    """Lengths of the encoding of the clusters of all points, in nats."""

    n: int
    k_true: int
    k_pred: int
    gain: float
    """ln N! Πn! / (Πa! Πb!): the length that knowing one labeling and the table saves in encoding the other."""

    def __init__(self, table: Contingency) -> None:
        refuse_one_sided(table)
        profile = table.profile
        self.n = profile.n_points
        self._true, self._pred = histogram(profile.true_sizes), histogram(profile.pred_sizes)
        self.k_true, self.k_pred = clusters_of(self._true), clusters_of(self._pred)
        self._cells = profile.cell_sizes
        self.gain = _gain(self.n, self._cells, self._true, self._pred)

    @classmethod
    def takes(cls) -> Takes:
        """Accept ordinary points only."""
        return Takes()

    @classmethod
    def of(cls, table: Contingency) -> Encodings:
        """Return the encodings of a table."""
        return table.once(cls, cls)

    @property
    def tables(self) -> float:
        """ln Ω: the length of the code of the table, one of Ω tables with these cluster sizes."""
        return _log_tables(self.n, self._true, self._pred, "effective_columns")

    def saving(self, code: Code, side: Side) -> float:
        """Return the nats that the other labeling saves in encoding this side, less the length of the table."""
        if code != "dirichlet_multinomial":
            return self.gain - _log_tables(self.n, self._true, self._pred, code)
        written, known = (self._true, self._pred) if side == "true" else (self._pred, self._true)
        return _urn_saving(self.n, written, known, self._cells)

    def own_saving(self, code: Code, side: Side) -> float:
        """Return the nats that a copy of the labeling of this side saves in encoding it."""
        sizes = self._true if side == "true" else self._pred
        if code != "dirichlet_multinomial":
            return _gain(self.n, sizes, sizes, sizes) - _log_tables(self.n, sizes, sizes, code)
        return _urn_saving(self.n, sizes, sizes, sizes)


def _gain(n: int, cells: Histogram, true: Histogram, pred: Histogram) -> float:
    factorials = Counter({n: 1})
    factorials.update(dict(cells))
    factorials.subtract(dict(true))
    factorials.subtract(dict(pred))
    return _log_factorials(factorials)


def _log_factorials(times: Counter[int]) -> float:
    return fsum(count * lgamma(size + 1.0) for size, count in times.items())


def _log_tables(n: int, true: Histogram, pred: Histogram, estimate: Estimate) -> float:
    """Return the logarithm of the number of tables with these cluster sizes; estimated unless a side is trivial."""
    rows, columns = clusters_of(true), clusters_of(pred)
    if rows == 1 or columns == 1:
        return 0.0
    if n in (rows, columns):  # each table assigns the singletons to the clusters of the other side
        clusters = Counter({n: 1})
        clusters.subtract(dict(pred if rows == n else true))
        return _log_factorials(clusters)
    if estimate == "diaconis_efron":
        return _diaconis_efron(n, (rows, true), (columns, pred))
    return _effective_columns(n, (rows, true), (columns, pred))


def _effective_columns(n: int, true: tuple[int, Histogram], pred: tuple[int, Histogram]) -> float:
    """Return the estimate of Jerdee, Kirkley and Newman (2022), averaged over the table and its transpose."""
    (_, rows), (_, columns) = true, pred
    factorials = Counter({n: 1})
    factorials.subtract(dict(rows))
    factorials.subtract(dict(columns))
    ways = _by_columns(n, true, pred), _by_columns(n, pred, true)
    return fsum([_log_factorials(factorials), *(way / 2 for way in ways)])


def _by_columns(n: int, rows: tuple[int, Histogram], columns: tuple[int, Histogram]) -> float:
    """Return the correction term of the estimate, with the effective number of columns of equal size."""
    (k, row_sizes), (_, column_sizes) = rows, columns
    squares = sum(size * size * times for size, times in column_sizes)
    alike = (k * n * (n - 1) + n * n - squares) / (k * (squares - n))
    terms = [times * _rising(size, alike) for size, times in row_sizes]
    terms += [times * _rising(size, k) for size, times in column_sizes]
    return fsum([*terms, -_rising(n, k * alike)])


def _rising(x: int, start: float) -> float:
    """Return ln Γ(start + x) / (Γ(start) start^x); by Stirling's series where the two Γ would cancel."""
    if start < 100:
        return fsum((lgamma(start + x), -lgamma(start), -x * log(start)))
    end = start + x
    return fsum(((end - 0.5) * log1p(x / start), -x, _stirling(end), -_stirling(start)))


def _stirling(z: float) -> float:
    return 1 / (12 * z) - 1 / (360 * z**3)  # the next term is below 1e-13 from 100 on


class _SideShares(NamedTuple):
    """Cluster sizes of one side as shares, smoothed towards equal ones."""

    clusters: int
    logs: float
    """Sum of the logarithms of the shares."""
    spread: float
    """Parameter of the Dirichlet distribution that the estimate assumes for the clusters of the other side."""


def _diaconis_efron(n: int, true: tuple[int, Histogram], pred: tuple[int, Histogram]) -> float:
    """Return the estimate of Diaconis and Efron (1985), averaged over the table and its transpose."""
    (rows, true_sizes), (columns, pred_sizes) = true, pred
    smooth = n + rows * columns / 2
    of_rows = _smooth(true_sizes, rows, columns, smooth)
    of_columns = _smooth(pred_sizes, columns, rows, smooth)
    ways = _one_way(of_rows, of_columns), _one_way(of_columns, of_rows)
    return fsum([(rows - 1) * (columns - 1) * log(smooth), *(way / 2 for way in ways)])


def _smooth(sizes: Histogram, clusters: int, others: int, smooth: float) -> _SideShares:
    shares = [(times, (size + others / 2) / smooth) for size, times in sizes]
    squares = fsum(times * share * share for times, share in shares)
    logs = fsum(times * log(share) for times, share in shares)
    return _SideShares(clusters, logs, ((others + 1) / squares - 1) / others)


def _one_way(one: _SideShares, other: _SideShares) -> float:
    k, spread = other.clusters, one.spread
    return fsum(
        (
            (k - 1) * one.logs,
            (spread - 1) * other.logs,
            lgamma(k * spread),
            -k * lgamma(spread),
            -one.clusters * lgamma(k),
        )
    )


def _urn_saving(n: int, written: Histogram, known: Histogram, cells: Histogram) -> float:
    """Return the nats saved in encoding a labeling if another one is known, after Jerdee, Kirkley and Newman (2024).

    A Dirichlet-multinomial code of cluster sizes, and then of the labels with these sizes, is Pólya's urn: for each
    point, a cluster that has x points so far is drawn with odds of α + x. There is one urn for all points, or one for
    the points of each known cluster. α is chosen twice, for the shortest code without and with the known labeling.
    """
    k = clusters_of(written)
    return _shortest([(n, 1)], written, k) - _shortest(known, cells, k)


def _shortest(urns: Histogram, cells: Histogram, k: int) -> float:
    """Return the least length, over α, of the code by urns of k clusters, less n ln k.

    n ln k is the length for equally likely clusters. For large α the difference tends to 0, so the least is at most 0.
    """
    n, n_urns, n_cells = sum(size * times for size, times in urns), clusters_of(urns), clusters_of(cells)
    if n_cells == n_urns:  # each urn gives one cluster: the limit α → 0 leaves ln k for its first point
        return (n_urns - n) * log(k)
    if n_cells == n:  # no cluster is drawn twice from an urn: the limit α → ∞
        return 0.0

    def beyond(log_alpha: float) -> float:
        alpha = exp(log_alpha)
        terms = [times * _rising(size, k * alpha) for size, times in urns]
        return fsum([*terms, *(-times * _rising(size, alpha) for size, times in cells)])

    # below `low` the derivative is negative; above `high` its leading term in 1 / α decides
    low = log((n_cells - n_urns) / (n_urns * k * (1 + log(n))))
    pairs = k * sum(size * (size - 1) * times for size, times in cells) - sum(x * (x - 1) * times for x, times in urns)
    triples = k * sum(size**3 * times for size, times in cells)
    high = log(10 * max(n, triples / abs(pairs) if pairs else 0))
    # urns of different sizes can have several minima: search all, in steps within which the function is smooth
    points = [low + step for step in range(-1, ceil(high - low) + 2)]
    values = [beyond(point) for point in points]
    valleys = [i for i in range(1, len(points) - 1) if values[i - 1] >= values[i] <= values[i + 1]]
    return min([0.0, *(_minimum(beyond, points[i - 1], points[i + 1]) for i in valleys)])


def _minimum(function: Callable[[float], float], low: float, high: float) -> float:
    """Return the least value of a function with one minimum in between, by golden section."""
    golden = (sqrt(5) - 1) / 2
    left, right = high - golden * (high - low), low + golden * (high - low)
    at_left, at_right = function(left), function(right)
    while high - low > 1e-7:
        if at_left < at_right:
            high, right, at_right = right, left, at_left
            left = high - golden * (high - low)
            at_left = function(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + golden * (high - low)
            at_right = function(right)
    return min(at_left, at_right)
