"""Indices of hierarchies: a tree against a tree, against labels, distances or similarities."""

from clustermark.indices.trees import heights, cuts, shapes, leaves  # isort: skip

__all__ = ["cuts", "heights", "leaves", "shapes"]
