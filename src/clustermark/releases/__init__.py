"""Comparison of an old and a new clustering of the same records, and ids that persist between releases."""
