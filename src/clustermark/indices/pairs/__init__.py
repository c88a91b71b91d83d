"""Indices that count pairs of points: together or apart in truth and in prediction."""

from clustermark.indices.pairs import agreement, coefficients, correlations, distances

__all__ = ["agreement", "coefficients", "correlations", "distances"]
