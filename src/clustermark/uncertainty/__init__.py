"""Intervals and tests of scores, computed from cells and never from points."""
