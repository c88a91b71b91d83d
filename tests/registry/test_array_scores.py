"""Scores of many tables at once are the scores of each, undefined ones included."""

import numpy as np
import pytest

import clustermark as cm
from clustermark.registry import catalogue
from clustermark.registry.array_scores import function_fields, is_known, use_of, ways_of
from clustermark.registry.formulas import compute
from clustermark.registry.tracking import FIELDS, tracked_indices
from clustermark.subjects.subject import PARTITIONS

TABLES = [
    cm.Contingency.from_matrix(matrix)
    for matrix in (
        [[3, 1], [2, 4]], [[5, 0], [0, 5]], [[1, 0], [0, 1]], [[4, 3]], [[4], [3]], [[6]], [[1, 1], [1, 1]], [[1]],
        [[9, 0, 1], [0, 1, 0], [3, 0, 0]],
    )
]  # fmt: skip


class Stacked:
    """The fields of some statistics, as arrays."""

    def __init__(self, statistics):
        self.statistics = statistics

    def __getattr__(self, name):
        values = [getattr(statistic, name) for statistic in self.statistics]
        return values[0] if isinstance(values[0], bool) else np.array(values, float)


@pytest.mark.parametrize("index", tracked_indices(), ids=lambda index: index.name)
def test_arrays_are_scored_as_single_tables(index):
    statistic = use_of(index).statistic
    identical = np.array([table.are_identical() for table in TABLES])
    found = index.score_arrays(Stacked([statistic.of(table) for table in TABLES]), identical)
    assert found == pytest.approx([index.of(table) for table in TABLES], rel=1e-12, abs=1e-15, nan_ok=True)


def test_without_identity_undefined_scores_are_not_finite():
    pairs = Stacked([cm.PairCounts.of(cm.crosstab([0, 1], labels)) for labels in ([0, 1], [0, 0])])
    assert np.isnan(cm.jaccard.score_arrays(pairs)[0])
    assert cm.pair_recall.score_arrays(pairs, np.array([True, False])).tolist() == [
        cm.pair_recall([0, 1], labels) for labels in ([0, 1], [0, 0])
    ]
    assert cm.jaccard.when_undefined(0.5).score_arrays(pairs, np.array([True, False])).tolist() == [0.5, 0.0]


def test_every_index_of_partitions_is_computed_by_function_or_formula():
    for index in catalogue():
        if any(use.comparison is PARTITIONS for use in index.uses):
            assert len(ways_of(index)) >= 1
            assert function_fields(index)
    assert is_known(cm.fowlkes_mallows, FIELDS[cm.PairCounts])  # its function takes a root of one number
    assert len(ways_of(cm.fowlkes_mallows)) == 1
    assert len(tracked_indices()) > 80


@pytest.mark.parametrize(
    "formula",
    ["yy.real", "(lambda: yy)()", "[yy for yy in (1,)]", "_choose(1, 2, 3)", "max(yy, key=yy)", "eval('1')", "yy()",
     "yy if ny else open", "f'{yy}'", "yy or ny", "(yy := 1)", "yy @ ny", "max.__self__"],
)  # fmt: skip
def test_a_formula_has_only_the_syntax_that_it_needs(formula):
    with pytest.raises(cm.InputError, match="a formula cannot have"):
        compute(formula, {"yy": 1, "ny": 2})


def test_a_formula_chooses_in_arrays_as_in_numbers():
    formula = "1 / yy if yy and ny else max(yy, ny)"
    yy, ny = np.array([2.0, 0.0, 4.0]), np.array([1.0, 3.0, 0.0])
    with np.errstate(divide="ignore"):
        arrays = compute(formula, {"yy": yy, "ny": ny})
    numbers = [compute(formula, {"yy": a, "ny": b}) for a, b in zip(yy.tolist(), ny.tolist(), strict=True)]
    assert arrays.tolist() == numbers == [0.5, 3.0, 4.0]
