"""Indices of soft clusterings."""

FILES = ("pairs", "information", "columns")
