"""Indices corrected for chance."""

# in the order of the catalogue
from clustermark.indices.chance import corrected_pairs as corrected_pairs
from clustermark.indices.chance import corrected_information as corrected_information
