"""Indices of covers: clusterings whose clusters may overlap, and may leave items out."""

# in the order of the catalogue
from clustermark.indices.covers import pairs as pairs
from clustermark.indices.covers import elements as elements
from clustermark.indices.covers import information as information
from clustermark.indices.covers import clusters as clusters
