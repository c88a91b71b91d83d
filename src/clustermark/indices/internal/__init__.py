"""Internal indices: how good a clustering is by the points themselves, without a truth."""

FILES = ("scatter", "centroids", "distances", "density")
