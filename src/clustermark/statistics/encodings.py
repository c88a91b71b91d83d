"""What it costs to write down a labeling, with and without another one."""

from __future__ import annotations

from collections import Counter
from math import fsum, lgamma, log, log1p
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from clustermark.statistics.information import clusters_of, histogram, refuse_one_sided
from clustermark.statistics.statistic import Takes

if TYPE_CHECKING:
    from clustermark.statistics.information import Histogram
    from clustermark.tables.contingency import Contingency

Estimate: TypeAlias = Literal["effective_columns", "diaconis_efron"]
"""Two ways to estimate how many tables have given cluster sizes."""


class Encodings:
    """What writing down all points' clusters takes, in nats."""

    n: int
    k_true: int
    k_pred: int
    gain: float
    """ln N! Πn! / (Πa! Πb!): what knowing one labeling and the table saves in writing down the other."""

    def __init__(self, table: Contingency) -> None:
        refuse_one_sided(table)
        profile = table.profile
        self.n = profile.n_points
        self._true, self._pred = histogram(profile.true_sizes), histogram(profile.pred_sizes)
        self.k_true, self.k_pred = clusters_of(self._true), clusters_of(self._pred)
        self.gain = _gain(self.n, profile.cell_sizes, self._true, self._pred)

    @classmethod
    def takes(cls) -> Takes:
        """Ordinary points only."""
        return Takes()

    @classmethod
    def of(cls, table: Contingency) -> Encodings:
        """The encodings of a table."""
        return table.once(cls, cls)

    @classmethod
    def exact(cls, table: Contingency) -> Encodings:
        """The same: logarithms are no fractions."""
        return cls.of(table)

    @property
    def tables(self) -> float:
        """ln Ω: what writing down the table takes, one of Ω with these cluster sizes."""
        return _log_tables(self.n, self._true, self._pred, "effective_columns")

    def saved(self, estimate: Estimate) -> float:
        """What the other labeling saves, the table paid."""
        return self.gain - _log_tables(self.n, self._true, self._pred, estimate)

    def saved_by_itself(self, estimate: Estimate) -> float:
        """What a copy of itself saves in writing down a labeling; the mean of both labelings."""
        true, pred = (
            _gain(self.n, side, side, side) - _log_tables(self.n, side, side, estimate)
            for side in (self._true, self._pred)
        )
        return (true + pred) / 2


def _gain(n: int, cells: Histogram, true: Histogram, pred: Histogram) -> float:
    factorials = Counter({n: 1})
    factorials.update(dict(cells))
    factorials.subtract(dict(true))
    factorials.subtract(dict(pred))
    return _log_factorials(factorials)


def _log_factorials(times: Counter[int]) -> float:
    return fsum(count * lgamma(size + 1.0) for size, count in times.items())


def _log_tables(n: int, true: Histogram, pred: Histogram, estimate: Estimate) -> float:
    """Logarithm of the number of tables with these cluster sizes; exact where a side is trivial, else estimated."""
    rows, columns = clusters_of(true), clusters_of(pred)
    if rows == 1 or columns == 1:
        return 0.0
    if n in (rows, columns):  # singletons are dealt out to the clusters of the other side
        clusters = Counter({n: 1})
        clusters.subtract(dict(pred if rows == n else true))
        return _log_factorials(clusters)
    if estimate == "diaconis_efron":
        return _diaconis_efron(n, (rows, true), (columns, pred))
    return _effective_columns(n, (rows, true), (columns, pred))


def _effective_columns(n: int, true: tuple[int, Histogram], pred: tuple[int, Histogram]) -> float:
    """The estimate of Jerdee, Kirkley and Newman (2022); the mean of both ways to take the table is symmetric."""
    (_, rows), (_, columns) = true, pred
    factorials = Counter({n: 1})
    factorials.subtract(dict(rows))
    factorials.subtract(dict(columns))
    ways = _by_columns(n, true, pred), _by_columns(n, pred, true)
    return fsum([_log_factorials(factorials), *(way / 2 for way in ways)])


def _by_columns(n: int, rows: tuple[int, Histogram], columns: tuple[int, Histogram]) -> float:
    """What the estimate has beside ln N! / (Πa! Πb!), with as many columns of equal size as are like ours."""
    (k, row_sizes), (_, column_sizes) = rows, columns
    squares = sum(size * size * times for size, times in column_sizes)
    alike = (k * n * (n - 1) + n * n - squares) / (k * (squares - n))
    terms = [times * _rising(size, alike) for size, times in row_sizes]
    terms += [times * _rising(size, k) for size, times in column_sizes]
    return fsum([*terms, -_rising(n, k * alike)])


def _rising(x: int, start: float) -> float:
    """ln Γ(start + x) / (Γ(start) start^x); by Stirling's series where the two Γ would cancel."""
    if start < 100:
        return fsum((lgamma(start + x), -lgamma(start), -x * log(start)))
    end = start + x
    return fsum(((end - 0.5) * log1p(x / start), -x, _stirling(end), -_stirling(start)))


def _stirling(z: float) -> float:
    return 1 / (12 * z) - 1 / (360 * z**3)  # the next term is below 1e-13 from 100 on


class _Side(NamedTuple):
    """Cluster sizes of one side as shares, moved a little towards equal ones."""

    clusters: int
    logs: float
    """Sum of the logarithms of the shares."""
    spread: float
    """Parameter of the Dirichlet distribution that the estimate puts on the clusters of the other side."""


def _diaconis_efron(n: int, true: tuple[int, Histogram], pred: tuple[int, Histogram]) -> float:
    """The estimate of Diaconis and Efron (1985); the mean of both ways to take the table is symmetric."""
    (rows, true_sizes), (columns, pred_sizes) = true, pred
    smooth = n + rows * columns / 2
    of_rows = _smooth(true_sizes, rows, columns, smooth)
    of_columns = _smooth(pred_sizes, columns, rows, smooth)
    ways = _one_way(of_rows, of_columns), _one_way(of_columns, of_rows)
    return fsum([(rows - 1) * (columns - 1) * log(smooth), *(way / 2 for way in ways)])


def _smooth(sizes: Histogram, clusters: int, others: int, smooth: float) -> _Side:
    shares = [(times, (size + others / 2) / smooth) for size, times in sizes]
    squares = fsum(times * share * share for times, share in shares)
    logs = fsum(times * log(share) for times, share in shares)
    return _Side(clusters, logs, ((others + 1) / squares - 1) / others)


def _one_way(one: _Side, other: _Side) -> float:
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
