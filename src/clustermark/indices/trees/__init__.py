"""Indices of hierarchies: a tree against a tree, against labels, distances or similarities."""

# in the order of the catalogue
from clustermark.indices.trees import heights as heights
from clustermark.indices.trees import cuts as cuts
from clustermark.indices.trees import shapes as shapes
from clustermark.indices.trees import leaves as leaves
