"""Indices corrected for chance."""

from clustermark.indices.chance import pairs

__all__ = ["pairs"]
