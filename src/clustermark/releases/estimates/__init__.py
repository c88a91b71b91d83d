"""Scores of a prediction whose truth is known for a sample of the records, and how large that sample must be."""
