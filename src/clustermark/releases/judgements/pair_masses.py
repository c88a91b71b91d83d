"""The kinds of pairs of records, their mass in a change of precision, and how many to ask of each.

Pairs are drawn with a probability proportional to their mass. The share of drawn pairs that are different entities
then estimates the share of the mass, and the change of precision is a signed sum of four such shares.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum, sqrt
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from clustermark.errors import InputError, Mention, require_positive

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from clustermark.tables.sums import CellTally


Kind: TypeAlias = Literal["split", "merge", "shrunk", "grown", "kept"]
PairIndex: TypeAlias = Literal["b_cubed_precision", "pair_precision"]
B_CUBED: tuple[Kind, ...] = ("split", "merge", "shrunk", "grown")
PAIRS: tuple[Kind, ...] = ("split", "merge", "kept")
SIGNS: dict[str, int] = {"split": 1, "merge": -1, "shrunk": -1, "grown": 1, "kept": 1}
"""Sign of the change of precision due to pairs of different entities."""
SPREADS: dict[str, float] = {"split": 0.5, "merge": 0.5, "shrunk": 0.2, "grown": 0.2, "kept": 0.2}
"""Expected standard deviation of an answer: most pairs that both clusterings join are right."""


class ClusterSizes(NamedTuple):
    """Sizes of the cluster before (a), the cluster after (b) and their intersection (n) of each record.

    With weights, sizes are sums of weights.
    """

    n: NDArray[Any]
    a: NDArray[Any]
    b: NDArray[Any]

    def take(self, places: NDArray[Any]) -> ClusterSizes:
        """Return the sizes of the records at these positions."""
        return ClusterSizes(self.n[places], self.a[places], self.b[places])

    @property
    def affected(self) -> NDArray[np.bool_]:
        """Mask of the records whose cluster gained or lost a record."""
        return np.asarray((self.n < self.a) | (self.n < self.b))

    def hold(self, kind: str) -> NDArray[np.bool_]:
        """Return a mask of the records that can have pairs of a kind."""
        tests = {
            "split": self.n < self.a,
            "merge": self.n < self.b,
            "shrunk": self.b < self.a,
            "grown": self.b > self.a,
        }
        return np.asarray(tests.get(kind, self.n > 0))


class RecordGroups(NamedTuple):
    """Records grouped by the sizes of their clusters; with weights, each record is a group."""

    sizes: ClusterSizes
    records: NDArray[np.int64]
    weights: NDArray[np.float64] | None = None

    @classmethod
    def of(cls, cells: CellTally) -> RecordGroups:
        """Group equal cells, in a fixed order, so that sums have the same bits in all engines."""
        order = np.lexsort((cells.b, cells.a, cells.n))
        n, a, b = (np.asarray(side)[order].astype(np.int64) for side in (cells.n, cells.a, cells.b))
        times = np.asarray(cells.times)[order].astype(np.int64)
        if not len(n):
            return cls(ClusterSizes(n, a, b), times)
        first = np.flatnonzero(np.r_[True, (np.diff(n) != 0) | (np.diff(a) != 0) | (np.diff(b) != 0)])
        return cls(ClusterSizes(n[first], a[first], b[first]), np.add.reduceat(times, first) * n[first])

    @property
    def weight(self) -> float:
        """Total weight of the records."""
        return float(self.records.sum()) if self.weights is None else fsum(self.weights)

    def total(self, of_record: NDArray[np.float64]) -> float:
        """Return the sum over all records of a value given for one record of each group."""
        return fsum(of_record * self.records) if self.weights is None else fsum(of_record)

    def masses(self, kind: str, index: str) -> NDArray[np.float64]:
        """Return for one record of each group the mass of its pairs of a kind, times the total weight."""
        return record_masses(kind, index, self.sizes, self.weights)

    def mass(self, kind: str, index: str) -> float:
        """Return the mass of all pairs of a kind."""
        whole = self.weight if index == "b_cubed_precision" else 1.0
        return self.total(self.masses(kind, index)) / whole

    def pairs(self, kind: str, weighted: ClusterSizes | None = None) -> int:
        """Return the number of pairs of a kind; for groups without weights.

        weighted: sizes by weight, which decide whether clusters shrunk or grew.
        """
        n, a, b = (np.asarray(side).astype(object) for side in self.sizes)
        partners = {"split": a - n, "merge": b - n}.get(kind, n - 1)
        chosen = (weighted or self.sizes).hold(kind)
        return int((partners[chosen] * self.records[chosen]).sum()) // 2

    @property
    def affected(self) -> float:
        """Share of the records whose cluster gained or lost a record, by weight."""
        return self.total(_ones(self) * self.sizes.affected) / self.weight

    @property
    def distance(self) -> float:
        """Mean distance of the two clusters of a record: 1 − n / (a + b − n)."""
        n, a, b = self.sizes
        return self.total(_ones(self) * (1 - n / (a + b - n))) / self.weight


def _ones(groups: RecordGroups) -> NDArray[np.float64]:
    return np.ones(len(groups.records)) if groups.weights is None else groups.weights


def record_masses(kind: str, index: str, sizes: ClusterSizes, w: NDArray[np.float64] | None) -> NDArray[np.float64]:
    """Return for each record the mass of its pairs of a kind, times the total weight."""
    own: Any = 1 if w is None else w
    n, a, b = sizes
    if kind == "affected":
        return np.asarray(own * sizes.affected, np.float64)
    whole = a if kind == "split" else b  # "kept": for one clustering, a equals b
    partners = whole - n if kind in ("split", "merge") else (n - own) * sizes.hold(kind)
    masses = own * partners
    if index == "pair_precision":
        return np.asarray(masses, np.float64)
    if kind in ("split", "merge", "kept"):
        return np.asarray(masses / whole, np.float64)
    return np.asarray(masses * np.abs(a - b) / (a * np.asarray(b, np.float64)), np.float64)


def allocate(masses: dict[str, float], n: int, least: int = 10) -> dict[str, int]:
    """Divide n questions among kinds, by mass and expected standard deviation, with a minimum for each.

    >>> allocate({"split": 0.2, "merge": 0.1, "shrunk": 0.01, "grown": 0.0}, 100)
    {'split': 60, 'merge': 30, 'shrunk': 10}
    """
    wanted = {kind: mass * SPREADS[kind] for kind, mass in masses.items() if mass > 0}
    least = max(1, min(least, n // max(1, len(wanted))))
    chosen: dict[str, int] = {}
    for kind in sorted(wanted, key=lambda kind: wanted[kind]):  # the smallest first, which get the minimum
        left, weight = n - sum(chosen.values()), sum(wanted[other] for other in wanted if other not in chosen)
        chosen[kind] = max(least, round(left * wanted[kind] / weight))
    return {kind: chosen[kind] for kind in masses if kind in chosen}


@dataclass(frozen=True)
class PairKinds:
    """Mass and number of the pairs of each kind."""

    index: str
    masses: dict[str, float]
    pairs: dict[str, int]

    @property
    def importance(self) -> dict[str, float]:
        """Weight of a kind in all estimates, by which questions are divided."""
        if self.index != "pair_precision" or "split" not in self.masses:
            return self.masses
        split, merge, kept = (self.masses[kind] for kind in ("split", "merge", "kept"))
        return {
            "split": split / max(split + kept, 1),
            "merge": merge / max(merge + kept, 1),
            "kept": kept / max(min(split, merge) + kept, 1),
        }

    @property
    def weights(self) -> dict[str, float]:
        """Factor of the share of different pairs of a kind in the change, or in the precision of one clustering."""
        if self.index == "b_cubed_precision":
            return self.masses
        if "split" not in self.masses:
            return dict.fromkeys(self.masses, 1.0)
        split, merge, kept = (self.masses[kind] for kind in ("split", "merge", "kept"))
        before, after = split + kept, merge + kept
        return {"split": split / before, "merge": merge / after, "kept": abs(kept / before - kept / after)}


_SURE = 1.959964
_LEAST, _MOST = 40, 10_000_000
_ALONE = 0.4
"""Standard deviation of answers on one clustering with precision 0.8."""
_RESERVE = 1.15
"""Factor that compensates for the uncertainty of a pilot."""


def half_width_of(kinds: PairKinds, n: int, spreads: Mapping[str, float]) -> float:
    """Return half the width of the interval from n questions, given the standard deviation of answers on each kind."""
    weights, variance = kinds.weights, 0.0
    for kind, number in allocate(kinds.importance, n).items():
        if number < kinds.pairs[kind]:  # else all pairs are asked, without variance
            variance += (weights[kind] * spreads[kind]) ** 2 / number
    return _SURE * sqrt(variance)


def plan_questions(kinds: PairKinds, half_width: float, judged: Mapping[str, tuple[float, float]] | None = None) -> int:
    """Return the number of questions for an interval of about this half width, at least 40.

    judged: for each kind, how many judged pairs of a pilot are different, and how many were judged. Without a pilot the
        number is usually too large.
    """
    require_positive("half_width", half_width, 0.01)
    spreads = dict(SPREADS) if "split" in kinds.masses else {"kept": _ALONE}
    for kind, (different, number) in (judged or {}).items():
        share = (different + 0.5) / (number + 1)  # so that a few unanimous answers do not give a spread of 0
        spreads[kind] = sqrt(share * (1 - share))
    low, high = 0, _LEAST
    while half_width_of(kinds, high, spreads) > half_width:
        low, high = high, 2 * high
        if high > _MOST:
            raise InputError(
                Mention("half_width", half_width), f": this takes more than {_MOST:,} questions; ask for a wider one"
            )
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if half_width_of(kinds, middle, spreads) <= half_width else (middle, high)
    return max(_LEAST, round(high * (_RESERVE if judged else 1.0)))
