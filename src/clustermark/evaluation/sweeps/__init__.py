"""Many partitions of one threshold: curves of scores, the best threshold, and what it costs to choose it."""
