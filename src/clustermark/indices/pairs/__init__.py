"""Indices that count pairs of points: together or apart in truth and in prediction."""

# in the order of the catalogue
from clustermark.indices.pairs import agreement as agreement
from clustermark.indices.pairs import coefficients as coefficients
from clustermark.indices.pairs import correlations as correlations
from clustermark.indices.pairs import pair_distances as pair_distances
