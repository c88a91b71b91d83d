"""Indices of covers: clusterings whose clusters may overlap, and may leave items out."""

FILES = ("pairs", "elements", "information", "clusters")
