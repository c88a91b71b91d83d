"""Algorithms that statistics need: matchings of clusters one to one, and greedy ones."""
