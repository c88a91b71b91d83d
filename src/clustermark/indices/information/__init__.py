"""Indices made of entropies, and coefficients of association between the two labelings."""

# in the order of the catalogue
from clustermark.indices.information import entropies as entropies
from clustermark.indices.information import dependence as dependence
