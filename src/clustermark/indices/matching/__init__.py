"""Indices that match clusters with clusters: each with its best counterpart, or one to one."""

FILES = ("assignment", "best", "purity", "refinement")
