"""Indices of hierarchies: a tree against a tree, against labels, distances or similarities."""

FILES = ("heights", "cuts", "shapes", "leaves")
