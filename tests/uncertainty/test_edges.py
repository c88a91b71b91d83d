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


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: cm.evaluate(TRUE, PRED, intervals="component"), "intervals='component' must be True, or options"),
        (lambda: cm.evaluate(TRUE, PRED, intervals=3), "intervals=3 must be True, or options"),
        (lambda: cm.evaluate(TRUE, PRED, intervals={1: 2}), "intervals: the options are level, unit"),
        (lambda: cm.evaluate(TRUE, PRED).intervals(3), "indices=3 must be a list of names"),
        (lambda: cm.compare(TRUE, {"a": PRED}, 3), "indices=3 must be a list of names"),
        (lambda: cm.changes(TRUE.tolist(), PRED.tolist(), truth=TRUE.tolist(), indices=3), "indices=3 must be a list"),
        (lambda: cm.sweep_pairs(TRUE, ([0], [1], [0.5]), indices=3), "indices=3 must be a list of names"),
        (lambda: cm.sweep_pairs(TRUE, (0, 1, 0.5)), "pairs is a tuple; pass a table of scored pairs"),
        (lambda: cm.sweep_pairs(TRUE, ([0], [1], [0.5])).calibration(True), "bins=True must be a whole number"),
        (lambda: cm.similarity_matrix([TRUE, PRED]).consensus(3), "points=3 must be a list of points"),
        (lambda: cm.evaluate(TRUE, PRED, on=3), "on=3"),
    ],
)
def test_arguments_of_the_wrong_kind_are_told(ask, words: str):
    with pytest.raises(cm.InputError, match=words):
        ask()


def test_intervals_are_had_with_no_options_and_of_one_index():
    assert cm.evaluate(TRUE, PRED, "rand", intervals={}).to_json() == cm.evaluate(
        TRUE, PRED, "rand", intervals=True
    ).to_json()  # fmt: skip
    assert list(cm.evaluate(TRUE, PRED).intervals("rand")) == ["rand"]
    assert list(cm.evaluate(TRUE, PRED).intervals(cm.rand)) == ["rand"]
