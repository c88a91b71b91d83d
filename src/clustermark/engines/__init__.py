"""The contingency, computed where the data is stored: the engine groups and counts, and returns integers only.

An engine computes cells, sizes and profiles; it has no formulas.
"""
