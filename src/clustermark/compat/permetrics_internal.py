"""Scores of permetrics that judge a clustering by its points and are not among our indices, as it documents them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from math import inf
from typing import TYPE_CHECKING, Any, Final
from warnings import warn

import numpy as np

from clustermark.errors import ClustermarkWarning, InputError
from clustermark.registry import find
from clustermark.statistics.centroids import Centroids, nearest_centers
from clustermark.statistics.distances import Density, PairExtremes, PointSums
from clustermark.statistics.scatter import Scatter

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from clustermark.labels.conversion import Labels
    from clustermark.subjects.geometry import Geometry

FINITE: Final = {
    "CHI": 0.0, "XBI": 1e10, "DBI": 1e10, "BRI": 1e10, "DRI": 0.0, "LDRI": -1e10, "LSRI": -1e10, "KDI": 0.0, "DI": 0.0,
    "SI": -1.0, "RSI": 1.0, "DHI": 1e10, "BI": 1e10, "HI": 1e10, "DBCVI": 0.0,
}  # fmt: skip
"""Scores that the documentation of permetrics gives where a score is undefined or infinite."""


class PermetricsInternal(ABC):
    """The methods that take X and do more than compute one of our indices."""

    @abstractmethod
    def _judge(
        self,
        name: str,
        compute: Callable[[Geometry], Any],
        X: Any,
        y_pred: Labels | None,
        force_finite: bool | None,
        finite_value: float | None,
    ) -> Any: ...

    def KDI(
        self,
        X: Any = None,
        y_pred: Labels | None = None,
        use_normalized: bool = True,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        **_: Any,
    ) -> float:
        """Return k² times the determinant of the scatter within; if normalized, with entries scaled to [0, 1]."""
        if use_normalized:
            warn(
                "KDI: with use_normalized=True, the default in permetrics, the entries of the scatter matrix are "
                "scaled to [0, 1], so that the score is no determinant of scatter; pass use_normalized=False",
                ClustermarkWarning,
                stacklevel=2,
            )
        compute = _normalized_ksq_detw if use_normalized else _ksq_detw
        return float(self._judge("KDI", compute, X, y_pred, force_finite, finite_value))

    ksq_detw_index = KDI

    def DI(
        self,
        X: Any = None,
        y_pred: Labels | None = None,
        use_modified: bool = True,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        **_: Any,
    ) -> float:
        """Return the Dunn index; if modified, the least distance of a point to another center over the diameter."""
        compute = _modified_dunn if use_modified else find("dunn").strict.of
        return float(self._judge("DI", compute, X, y_pred, force_finite, finite_value))

    dunn_index = DI

    def SI(
        self,
        X: Any = None,
        y_pred: Labels | None = None,
        multi_output: bool = False,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        chunk_size: int | None = None,  # noqa: ARG002  # memory does not grow with the square of points here
        **_: Any,
    ) -> float | NDArray[np.float64]:
        """Return the silhouette; with multi_output that of each point."""
        compute = _silhouettes if multi_output else find("silhouette").strict.of
        found: float | NDArray[np.float64] = self._judge("SI", compute, X, y_pred, force_finite, finite_value)
        return found

    silhouette_index = SI

    def DHI(
        self,
        X: Any = None,
        y_pred: Labels | None = None,
        chunk_size: int | None = None,  # noqa: ARG002
        force_finite: bool | None = None,
        finite_value: float | None = None,
        **_: Any,
    ) -> float:
        """Return mean distances within clusters over mean distances to other points; not the index of Duda and Hart."""
        return float(self._judge("DHI", _within_to_between, X, y_pred, force_finite, finite_value))

    duda_hart_index = DHI

    def BI(
        self,
        X: Any = None,
        y_pred: Labels | None = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        **_: Any,
    ) -> float:
        """Return the Caliński–Harabasz index, inverted; not the index of Beale."""
        return float(self._judge("BI", _inverted_calinski_harabasz, X, y_pred, force_finite, finite_value))

    beale_index = BI

    def HI(
        self,
        X: Any = None,
        y_pred: Labels | None = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        **_: Any,
    ) -> float:
        """Return summed squares about the own center over those about the nearest other one; not Hartigan's index."""
        return float(self._judge("HI", _own_to_nearest, X, y_pred, force_finite, finite_value))

    hartigan_index = HI

    def DBCVI(
        self,
        X: Any = None,
        y_pred: Labels | None = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        return_type: str = "global",
        **_: Any,
    ) -> float | dict[Any, float] | tuple[float, dict[Any, float]]:
        """Return the density-based clustering validation; return_type is "global", "per-cluster" or "both"."""
        if return_type not in ("global", "per-cluster", "both"):
            raise InputError(f"return_type={return_type!r} is not known; choose 'global', 'per-cluster' or 'both'")
        score = float(self._judge("DBCVI", find("dbcv").strict.of, X, y_pred, force_finite, finite_value))
        if return_type == "global":
            return score
        clusters = self._judge("DBCVI", _validities, X, y_pred, force_finite, finite_value)
        clusters = clusters if isinstance(clusters, dict) else {}
        return clusters if return_type == "per-cluster" else (score, clusters)

    density_based_clustering_validation_index = DBCVI


def _require_two(geometry: Geometry) -> None:
    if geometry.k < 2:
        raise ZeroDivisionError


def _ksq_detw(geometry: Geometry) -> float:
    _require_two(geometry)
    return find("ksq_detw").of(geometry)


def _normalized_ksq_detw(geometry: Geometry) -> float:
    _require_two(geometry)
    within = Scatter.of(geometry).within_matrix
    low, high = float(within.min()), float(within.max())
    if low == high:
        raise ZeroDivisionError
    return float(geometry.k**2 * np.linalg.det((within - low) / (high - low)))


def _modified_dunn(geometry: Geometry) -> float:
    _require_two(geometry)
    _, others, _ = nearest_centers(Scatter.of(geometry), geometry, np.zeros(geometry.k))
    nearest = float(np.sqrt(others.min()))
    widest = float(PairExtremes.of(geometry).diameters.max())
    if widest == 0 and nearest > 0:
        return inf
    return nearest / widest


def _silhouettes(geometry: Geometry) -> NDArray[np.float64]:
    return PointSums.of(geometry).widths


def _within_to_between(geometry: Geometry) -> float:
    _require_two(geometry)
    extremes = PairExtremes.of(geometry)
    sizes, sums = extremes.sizes.astype(np.float64), extremes.sums
    own = sums.diagonal()
    within = float((own / np.maximum(sizes * (sizes - 1), 1)).sum())
    return within / float(((sums.sum(axis=1) - own) / (sizes * (sizes.sum() - sizes))).sum())


def _inverted_calinski_harabasz(geometry: Geometry) -> float:
    score = find("calinski_harabasz").strict.of(geometry)
    return 1 / score if score else inf


def _own_to_nearest(geometry: Geometry) -> float:
    _require_two(geometry)
    centroids = Centroids.of(geometry)
    least = np.empty(geometry.k)
    for rows, away in centroids.rows():
        np.fill_diagonal(away[:, rows], inf)
        least[rows] = away.min(axis=1)
    own = centroids.scatter.within_clusters
    others = own + centroids.scatter.sizes * least * least
    if not others.all():
        raise ZeroDivisionError
    return float((own / others).sum())


def _validities(geometry: Geometry) -> dict[Any, float]:
    found = Density.of(geometry).validities()
    return dict(zip(found.names, found.scores.tolist(), strict=True))
