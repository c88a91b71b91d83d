"""Indices made of entropies, and coefficients of association between the two labelings."""

FILES = ("entropies", "normalized", "distances", "association")
