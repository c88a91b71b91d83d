"""Scores of a comparison: evaluations, rankings, sweeps, similarity matrices and descriptions."""
