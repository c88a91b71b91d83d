"""How much each pair of records weighs in a change of precision, and the kinds into which pairs fall.

A pair is drawn with a chance that is proportional to its mass: then the share of drawn pairs that are different
entities estimates the share of the mass, and the change of precision is a signed sum of four such shares.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum, inf, sqrt
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from clustermark.errors import InputError, Mention

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from clustermark.tables.sums import CellTally


Kind: TypeAlias = Literal["split", "merge", "shrunk", "grown", "kept"]
PairIndex: TypeAlias = Literal["b_cubed_precision", "pair_precision"]
B_CUBED: tuple[Kind, ...] = ("split", "merge", "shrunk", "grown")
PAIRS: tuple[Kind, ...] = ("split", "merge", "kept")
SIGNS: dict[str, int] = {"split": 1, "merge": -1, "shrunk": -1, "grown": 1, "kept": 1}
"""Whether different entities of a kind make the clustering after better (1) or worse (-1)."""
SPREADS: dict[str, float] = {"split": 0.5, "merge": 0.5, "shrunk": 0.2, "grown": 0.2, "kept": 0.2}
"""The standard deviation of an answer that is expected of a kind: pairs that both clusterings join are mostly right."""


class ClusterSizes(NamedTuple):
    """Of records: how many their before cluster (a), their after cluster (b) and both together (n) hold.

    Where records have weights, sizes are weights.
    """

    n: NDArray[Any]
    a: NDArray[Any]
    b: NDArray[Any]

    def take(self, places: NDArray[Any]) -> ClusterSizes:
        """Those of some records."""
        return ClusterSizes(self.n[places], self.a[places], self.b[places])

    @property
    def affected(self) -> NDArray[np.bool_]:
        """Whether clusters gained or lost another record."""
        return np.asarray((self.n < self.a) | (self.n < self.b))

    def hold(self, kind: str) -> NDArray[np.bool_]:
        """Whether records can have pairs of a kind."""
        tests = {
            "split": self.n < self.a,
            "merge": self.n < self.b,
            "shrunk": self.b < self.a,
            "grown": self.b > self.a,
        }
        return np.asarray(tests.get(kind, self.n > 0))


class RecordGroups(NamedTuple):
    """So many records have clusters of the same sizes; where they have weights, each is a group of its own."""

    sizes: ClusterSizes
    records: NDArray[np.int64]
    weights: NDArray[np.float64] | None = None

    @classmethod
    def of(cls, cells: CellTally) -> RecordGroups:
        """Cells that are alike, in one order, so that sums of them have the same bits everywhere."""
        order = np.lexsort((cells.b, cells.a, cells.n))
        n, a, b = (np.asarray(side)[order].astype(np.int64) for side in (cells.n, cells.a, cells.b))
        times = np.asarray(cells.times)[order].astype(np.int64)
        if not len(n):
            return cls(ClusterSizes(n, a, b), times)
        first = np.flatnonzero(np.r_[True, (np.diff(n) != 0) | (np.diff(a) != 0) | (np.diff(b) != 0)])
        return cls(ClusterSizes(n[first], a[first], b[first]), np.add.reduceat(times, first) * n[first])

    @property
    def weight(self) -> float:
        """The weight of all records."""
        return float(self.records.sum()) if self.weights is None else fsum(self.weights)

    def total(self, of_record: NDArray[np.float64]) -> float:
        """The sum of what one record of each group has."""
        return fsum(of_record * self.records) if self.weights is None else fsum(of_record)

    def masses(self, kind: str, index: str) -> NDArray[np.float64]:
        """The mass of all pairs of one kind that a record of each group is the first of; over its weight in all."""
        return record_masses(kind, index, self.sizes, self.weights)

    def mass(self, kind: str, index: str) -> float:
        """The mass of all pairs of one kind."""
        whole = self.weight if index == "b_cubed_precision" else 1.0
        return self.total(self.masses(kind, index)) / whole

    def pairs(self, kind: str, weighted: ClusterSizes | None = None) -> int:
        """How many pairs of one kind there are; not for weighted records, but these by the side.

        weighted: the sizes by weight, which decide whether clusters shrunk or grew.
        """
        n, a, b = (np.asarray(side).astype(object) for side in self.sizes)
        partners = {"split": a - n, "merge": b - n}.get(kind, n - 1)
        chosen = (weighted or self.sizes).hold(kind)
        return int((partners[chosen] * self.records[chosen]).sum()) // 2

    @property
    def affected(self) -> float:
        """The share of the records whose cluster gained or lost another."""
        return self.total(_ones(self) * self.sizes.affected) / self.weight

    @property
    def distance(self) -> float:
        """The mean distance of the two clusters of a record: 1 − n / (a + b − n)."""
        n, a, b = self.sizes
        return self.total(_ones(self) * (1 - n / (a + b - n))) / self.weight


def _ones(groups: RecordGroups) -> NDArray[np.float64]:
    return np.ones(len(groups.records)) if groups.weights is None else groups.weights


def record_masses(kind: str, index: str, sizes: ClusterSizes, w: NDArray[np.float64] | None) -> NDArray[np.float64]:
    """The mass of the pairs of one kind that each record is the first of, times the weight of all records."""
    own: Any = 1 if w is None else w
    n, a, b = sizes
    if kind == "affected":
        return np.asarray(own * sizes.affected, np.float64)
    whole = a if kind == "split" else b  # "kept" is of one clustering, whose both sizes are the same
    partners = whole - n if kind in ("split", "merge") else (n - own) * sizes.hold(kind)
    masses = own * partners
    if index == "pair_precision":
        return np.asarray(masses, np.float64)
    if kind in ("split", "merge", "kept"):
        return np.asarray(masses / whole, np.float64)
    return np.asarray(masses * np.abs(a - b) / (a * np.asarray(b, np.float64)), np.float64)


def allocate(masses: dict[str, float], n: int, least: int = 10) -> dict[str, int]:
    """How many of n questions each kind gets: by mass and expected spread, and at least some.

    >>> allocate({"split": 0.2, "merge": 0.1, "shrunk": 0.01, "grown": 0.0}, 100)
    {'split': 60, 'merge': 30, 'shrunk': 10}
    """
    wanted = {kind: mass * SPREADS[kind] for kind, mass in masses.items() if mass > 0}
    least = max(1, min(least, n // max(1, len(wanted))))
    chosen: dict[str, int] = {}
    for kind in sorted(wanted, key=lambda kind: wanted[kind]):  # the small ones first: the rest is for the others
        left, weight = n - sum(chosen.values()), sum(wanted[other] for other in wanted if other not in chosen)
        chosen[kind] = max(least, round(left * wanted[kind] / weight))
    return {kind: chosen[kind] for kind in masses if kind in chosen}


@dataclass(frozen=True)
class PairKinds:
    """What is known of the pairs of each kind before anybody is asked."""

    index: str
    masses: dict[str, float]
    pairs: dict[str, int]

    @property
    def importance(self) -> dict[str, float]:
        """What the answers on a kind weigh in all that is told, by which questions are shared out."""
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
        """What the share of different pairs of a kind is multiplied by in the change, or in the precision of one."""
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
"""The spread of answers on one clustering whose precision is 0.8."""
_RESERVE = 1.15
"""A pilot's own errors are paid for by so many times as many questions."""


def half_width_of(kinds: PairKinds, n: int, spreads: Mapping[str, float]) -> float:
    """Half the interval that n questions give, where answers on each kind spread so much."""
    weights, variance = kinds.weights, 0.0
    for kind, number in allocate(kinds.importance, n).items():
        if number < kinds.pairs[kind]:  # or all of them are asked
            variance += (weights[kind] * spreads[kind]) ** 2 / number
    return _SURE * sqrt(variance)


def plan_questions(kinds: PairKinds, half_width: float, judged: Mapping[str, tuple[float, float]] | None = None) -> int:
    """The fewest questions whose interval is about so wide, at least 40.

    judged: of each kind how many judged pairs are different, and how many were judged, in a pilot; without one, more
        are asked for than it takes as a rule.
    """
    check_half_width(half_width)
    spreads = dict(SPREADS) if "split" in kinds.masses else {"kept": _ALONE}
    for kind, (different, number) in (judged or {}).items():
        share = (different + 0.5) / (number + 1)  # so that a few answers that agree do not promise too much
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


def check_half_width(half_width: object) -> None:
    """Complain of what is no half width."""
    if not isinstance(half_width, int | float) or isinstance(half_width, bool) or not 0 < half_width < inf:
        raise InputError(
            Mention("half_width", half_width), " must be a number above 0, such as 0.01 for an interval of ± 1 point"
        )
