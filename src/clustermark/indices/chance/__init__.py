"""Indices corrected for chance."""

from clustermark.indices.chance import pairs

from clustermark.indices.chance import information  # isort: skip

__all__ = ["information", "pairs"]
