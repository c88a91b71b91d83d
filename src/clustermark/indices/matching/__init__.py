"""Indices that match clusters with clusters: each with its best counterpart, or one to one."""

# in the order of the catalogue
from clustermark.indices.matching import assignment as assignment
from clustermark.indices.matching import best as best
from clustermark.indices.matching import majorities as majorities
from clustermark.indices.matching import refinement as refinement
