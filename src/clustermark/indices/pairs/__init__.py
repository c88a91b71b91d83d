"""Indices that count pairs of points: together or apart in truth and in prediction."""

FILES = ("agreement", "coefficients", "correlations", "distances")
