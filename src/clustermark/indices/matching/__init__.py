"""Indices that match clusters with clusters: each with its best counterpart, or one to one."""

# in the order of the catalogue
from clustermark.indices.matching import counterparts as counterparts
from clustermark.indices.matching import majorities as majorities
