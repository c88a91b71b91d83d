"""Indices of soft clusterings."""

from clustermark.indices.soft import pairs, information, columns  # isort: skip

__all__ = ["columns", "information", "pairs"]
