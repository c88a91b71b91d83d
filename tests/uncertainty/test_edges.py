"""Labelings at the edge: every index, asked every way, gives a number or says in words why not."""

from __future__ import annotations

import numpy as np
import pytest

import clustermark as cm

RNG = np.random.default_rng(0)
TRUE = RNG.integers(0, 5, 60)
PRED = np.where(RNG.random(60) < 0.4, RNG.integers(0, 5, 60), TRUE)
TABLES = {
    "usual": cm.crosstab(TRUE, PRED),
    "four points": cm.crosstab([0, 0, 1, 1], [0, 1, 1, 1]),
    "one point": cm.crosstab([0], [0]),
    "identical": cm.crosstab(TRUE, TRUE),
    "one cluster": cm.crosstab([0] * 6, [0, 0, 1, 1, 2, 2]),
    "singletons": cm.crosstab(range(5), range(5)),
    "noise alone": cm.crosstab(TRUE, PRED, noise_pred={0: "singletons"}, noise_true={0: "singletons"}),
}
ASKED = {
    "interval": lambda table, index: cm.score_interval(table, index),
    "component": lambda table, index: cm.score_interval(table, index, unit="component"),
    "half": lambda table, index: cm.score_interval(table, index, method="half-sampling", draws=20),
    "test": lambda table, index: cm.chance_test(table, index, draws=20),
    "adjust": lambda table, index: index.adjust(draws=20).of(table),
}


@pytest.mark.slow
@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("name", TABLES)
def test_a_number_or_a_reason(name: str, asked: str):
    for index in cm.catalogue():
        try:
            found = ASKED[asked](TABLES[name], index)
        except (cm.InputError, cm.UndefinedIndexError) as error:
            assert len(str(error)) > 20, index.name
        else:
            assert getattr(found, "score", None) == index.of(TABLES[name]), index.name
