"""Indices corrected for chance."""

# in the order of the catalogue
from clustermark.indices.chance import pairs as pairs
from clustermark.indices.chance import information as information
