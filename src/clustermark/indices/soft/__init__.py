"""Indices of soft clusterings."""

# in the order of the catalogue
from clustermark.indices.soft import pairs as pairs
from clustermark.indices.soft import information as information
from clustermark.indices.soft import columns as columns
