"""Indices corrected for chance."""

FILES = ("pairs", "information")
