"""Indices of covers: clusterings whose clusters may overlap, and may leave items out."""

from clustermark.indices.covers import pairs, elements, information, clusters  # isort: skip

__all__ = ["clusters", "elements", "information", "pairs"]
