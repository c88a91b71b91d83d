"""The statistics that an index can be a function of: each is a small view of one comparison, made once for it.

`dir(clustermark.statistics)` lists them; the docstring of a class tells its fields, `Statistic` what each one offers.

>>> from clustermark import crosstab
>>> from clustermark.statistics import PairCounts
>>> PairCounts.of(crosstab([0, 0, 1, 1], [0, 0, 0, 1]))
PairCounts(yy=1, yn=1, ny=2, nn=2)
"""

from clustermark.stubs import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
