"""The same contingency, made where the data lies: the engine groups and counts, and only integers come back.

An engine knows cells, sizes and profiles, and never a formula.
"""
