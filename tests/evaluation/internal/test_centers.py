"""Distances between centers, feature by feature, are those of a plain sum, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest

import clustermark as cm
from clustermark.statistics import Centroids
from clustermark.subjects.geometry import GeometryLimits


@pytest.mark.parametrize("block", [1, 500, 1 << 16])
@pytest.mark.parametrize("p", [1, 2, 7, 8, 9, 15, 16, 17, 31, 127, 128, 129, 200])
def test_distances_between_centers_are_plain_sums(p, block, monkeypatch):
    monkeypatch.setattr(cm.Geometry, "limits", GeometryLimits(centers=block))
    rng = np.random.default_rng(p)
    X, labels = rng.normal(size=(120, p)) + 1e6, rng.permutation(120) % 40
    geometry = cm.Geometry(X, labels)
    found = Centroids.of(geometry)
    high, low = found.scatter.centers
    apart = (high[:, None] - high) + (low[:, None] - low)
    plain = np.sqrt((apart * apart).sum(axis=2))
    assert np.concatenate([away for _, away in found.rows()]).tolist() == plain.tolist()
    others = plain[~np.eye(40, dtype=bool)]
    assert (found.least_distance, found.largest_distance) == (others.min(), others.max())
    assert found.sums_of_distances.tolist() == pytest.approx(plain.sum(axis=1).tolist(), rel=1e-14)
    scores = [cm.find(name).of(geometry) for name in ("davies_bouldin", "sd_distance", "xie_beni", "pbm")]
    monkeypatch.setattr(cm.Geometry, "limits", GeometryLimits(centers=1 << 20))
    again = cm.Geometry(X, labels)
    assert scores == [cm.find(name).of(again) for name in ("davies_bouldin", "sd_distance", "xie_beni", "pbm")]
