"""The scores of an index without one unit, as exact fractions."""

from fractions import Fraction

import numpy as np

from clustermark.registry.array_scores import ArrayScores, options_of, use_of
from clustermark.registry.formulas import compute, names_in


def exact_scores(units, index):
    """Evaluate the formula of an index on fields that are whole numbers."""
    statistic, use = ArrayScores(units).statistic(index), use_of(index)
    options = options_of(index, use)
    fields = {name: _fractions(getattr(statistic, name)) for name in names_in(use.formula) - options.keys()}
    scores = compute(use.formula, fields | options)
    return np.broadcast_to(np.asarray(scores, object), (len(units.multiplicity),))


def _fractions(field):
    if np.ndim(field) == 0:
        return Fraction(int(field))
    whole = np.empty(len(field), object)
    whole[:] = [Fraction(int(x)) for x in field.tolist()]
    return whole
