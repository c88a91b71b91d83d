"""Internal indices: how well a clustering fits the points themselves, without a truth."""

# in the order of the catalogue
from clustermark.indices.internal import scatter as scatter
from clustermark.indices.internal import centroids as centroids
from clustermark.indices.internal import point_distances as point_distances
