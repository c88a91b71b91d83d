"""Indices that match clusters with clusters: each with its best counterpart, or one to one."""

from clustermark.indices.matching import assignment, best, purity, refinement

__all__ = ["assignment", "best", "purity", "refinement"]
