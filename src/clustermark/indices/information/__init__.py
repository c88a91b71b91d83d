"""Indices made of entropies, and coefficients of association between the two labelings."""

from clustermark.indices.information import entropies, normalized

from clustermark.indices.information import distances, association  # isort: skip

__all__ = ["association", "distances", "entropies", "normalized"]
