"""Statistics: small views of one comparison, each made once, of which indices are functions.

`dir(clustermark.statistics)` lists them. The docstring of a class documents its fields, `Statistic` the protocol.

>>> from clustermark import crosstab
>>> from clustermark.statistics import PairCounts
>>> PairCounts.of(crosstab([0, 0, 1, 1], [0, 0, 0, 1]))
PairCounts(yy=1, yn=1, ny=2, nn=2)
"""

from clustermark.stubs import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
