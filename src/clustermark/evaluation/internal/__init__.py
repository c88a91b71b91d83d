"""How good a clustering is by its own points: evaluate_internal, samples of points, and points of files."""
