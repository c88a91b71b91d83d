"""The indices, a file or a folder of files for each family; each index is declared once.

Importing this package declares the indices of partitions and of covers, which share some indices. `internal`, `trees`
and `soft` declare those of other comparisons. They are imported when such an index is requested, because that would
double the time of the import.
"""

# in the order of the catalogue
from clustermark.indices import pairs as pairs
from clustermark.indices import chance as chance
from clustermark.indices import information as information
from clustermark.indices import matching as matching
from clustermark.indices import jci as jci
from clustermark.indices import elements as elements
from clustermark.indices import coreference as coreference
from clustermark.indices import diarization as diarization
from clustermark.indices import covers as covers
