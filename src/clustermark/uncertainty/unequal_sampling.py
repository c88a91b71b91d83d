"""Sums over a whole table, estimated from units that were drawn with known, unequal probabilities, within strata.

A drawn unit leads to true clusters: a drawn cluster to itself, a drawn record to its true cluster, a drawn predicted
cluster to those of its records. Several units may lead to one true cluster, and each gets a share of what that cluster
contributes to a sum; the shares of all units, drawn or not, add up to 1. What a unit gets is divided by its probability
(Horvitz and Thompson; with shares it is Lavallée's weight share method), and sums are scaled to the known number of
records (Hájek).

Any shares give unbiased sums. The shares here are in proportion to the probabilities, if these are known for all
records of a cluster: then a cluster weighs the same whichever unit leads to it. Otherwise all records have the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from clustermark.uncertainty.entries import add_by
from clustermark.uncertainty.limits import degrees_of
from clustermark.uncertainty.sampled_truth import SampledClusters

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clustermark.statistics.units import Numbers
    from clustermark.uncertainty.sampled_truth import SampledCells


class DrawnUnits(NamedTuple):
    """Units that were drawn, and the true clusters to which they lead."""

    unit: NDArray[np.int64]
    """The unit of each link from a unit to a true cluster."""
    cluster: NDArray[np.int64]
    """The true cluster of each link, by its class in the sampled cells."""
    share: NDArray[np.float64]
    """The share of the contribution of the cluster that the unit gets."""
    probability: NDArray[np.float64]
    """The probability with which each unit was drawn, or a number in proportion to it."""
    stratum: NDArray[np.int64]
    """The stratum of each unit, from 0."""
    noun: str = "cluster"
    absolute: bool = True
    """Whether probabilities are no proportions, so that a unit whose probability is 1 is in every sample."""
    balanced: bool = True
    """Whether shares are in proportion to probabilities."""

    @property
    def unseen(self) -> NDArray[np.float64]:
        """The part of its variance that each unit keeps in a finite population: none if it is in every sample."""
        return 1 - self.probability if self.absolute else np.ones(len(self.probability))


def _part_certain(units: DrawnUnits) -> DrawnUnits:
    """Return the units with those that are in every sample in strata of their own: they add nothing to the variance.

    In the stratum of others, they would move the mean from which the others deviate.
    """
    if not units.absolute:
        return units
    strata = np.unique(2 * units.stratum + (units.probability >= 1), return_inverse=True)[1]
    return units._replace(stratum=strata.astype(np.int64))


class StratumVariance(NamedTuple):
    """The variance of an estimate that comes from each stratum."""

    drawn: NDArray[np.int64]
    """Number of drawn units."""
    unseen: NDArray[np.float64]
    """The mean part of their variance that units keep in a finite population."""
    variance: NDArray[np.float64]
    degrees: NDArray[np.float64]
    """Degrees of freedom of each part; infinite where it is 0."""
    bias: float

    @property
    def total_degrees(self) -> float:
        """Satterthwaite's degrees of freedom of the sum."""
        squares = float((self.variance**2 / self.degrees).sum())
        return float(self.variance.sum()) ** 2 / squares if squares else float("inf")

    def total_of(self, times: float) -> float:
        """Return the variance of a sample with this many times as many units of each stratum, or all it has."""
        share = 1 - self.unseen  # of the population that was drawn
        more = np.minimum(times, 1 / np.maximum(share, 1e-300))
        left = np.divide(1 - more * share, self.unseen, out=np.zeros(len(share)), where=self.unseen > 0)
        return float((self.variance * left / more).sum())


class UnequalUnits(SampledClusters):
    """Units drawn with unequal probabilities; each sum is estimated from the clusters to which they lead."""

    def __init__(self, drawn: SampledCells, units: DrawnUnits) -> None:
        units = _part_certain(units)
        self.drawn, self.units = drawn, units
        self.unit = units.noun
        self.reached = None
        self.multiplicity = np.append([0], np.ones(len(units.probability), np.int64))
        self._a = drawn.a
        self._strata = np.bincount(units.stratum)
        """Number of units of each stratum."""
        self._factor: Numbers = 1.0
        with np.errstate(divide="ignore"):  # nothing is left without the only unit
            self._factor = drawn.population / self._estimate(self._a)
        self.points = self._estimate(self._a)  # rounded like other sums, so that differences are exactly 0

    def bring(self, parts: Numbers) -> NDArray[np.float64]:
        """Return what each unit gets, divided by its probability; parts: the contribution of each true cluster."""
        units = self.units
        got = add_by(units.unit, parts[units.cluster] * units.share, len(units.probability))
        return np.asarray(got / units.probability)

    def _estimate(self, parts: Numbers) -> Numbers:
        return self.leave_out(parts) * self._factor

    def leave_out(self, parts: Numbers) -> Numbers:
        """Return the sum over all true clusters, not scaled: from the whole sample, and without each unit.

        The other units of its stratum replace a unit that is left out.
        """
        each, stratum = self.bring(parts), self.units.stratum
        sums, n = add_by(stratum, each, len(self._strata)), self._strata[stratum]
        total = sums.sum()
        lost = np.where(n > 1, (n * each - sums[stratum]) / np.maximum(n - 1, 1), 0.0)
        left = np.append(total, total - lost)
        whole = np.rint(left)  # such as sums of 1/3; otherwise rounding would hide that a score is 0/0
        with np.errstate(invalid="ignore"):
            return np.where(np.abs(left - whole) <= 1e-13 * total, whole, left)

    @property
    def largest_share(self) -> float:
        """The weighted share of all sampled records that one unit brings, of those that are not in every sample."""
        brought = self.bring(self._a)
        return float((brought * (self.units.unseen > 0)).max() / brought.sum())

    @property
    def n_alone(self) -> int:
        """Number of strata of which one unit only was drawn, and not for certain: their variance is not known."""
        unseen = add_by(self.units.stratum, self.units.unseen, len(self._strata))
        return int(((self._strata == 1) & (unseen > 0)).sum())

    def split(self, values: Numbers) -> StratumVariance:
        """Return the variance by the jackknife within strata; values: the score, and without one unit each."""
        left, stratum, unseen = values[1:], self.units.stratum, self.units.unseen
        means = add_by(stratum, left, len(self._strata)) / self._strata
        away = np.sqrt(unseen) * (left - means[stratum])
        away[np.abs(away) <= 1e-13 * np.abs(values).max()] = 0.0  # differences are due to rounding
        variance = add_by(stratum, away * away, len(self._strata)) * (self._strata - 1) / self._strata
        degrees = np.full(len(self._strata), np.inf)
        for place in np.flatnonzero(variance > 0).tolist():
            degrees[place] = degrees_of(away[stratum == place])
        mean_unseen = add_by(stratum, unseen, len(self._strata)) / self._strata
        bias = float((mean_unseen * (self._strata - 1) * (means - values[0])).sum())
        return StratumVariance(self._strata, mean_unseen, variance, degrees, bias)
