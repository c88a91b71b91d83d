"""Soft clusterings: `evaluate_soft`, and memberships that are columns of files."""
