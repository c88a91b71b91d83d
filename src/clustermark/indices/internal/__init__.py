"""Internal indices: how good a clustering is by the points themselves, without a truth."""

from clustermark.indices.internal import scatter, centroids, distances, density  # isort: skip

__all__ = ["centroids", "density", "distances", "scatter"]
