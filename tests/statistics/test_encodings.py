"""Reduced mutual information with a Dirichlet-multinomial encoding, and what it is divided by."""

from __future__ import annotations

from itertools import product
from math import lgamma, log

import numpy as np
import pytest

import clustermark as cm
from needs import need
from oracle import all_partitions

TABLES = [cm.crosstab(t, p) for n in range(1, 5) for t, p in product(all_partitions(n), repeat=2)]
BOOK = ([1] * 8 + [2] * 5 + [3] * 4, [1, 1, 1, 1, 1, 2, 3, 3, 1, 2, 2, 2, 2, 2, 3, 3, 3])
URN = cm.reduced_mutual_information.with_options(encoding="dirichlet_multinomial")
NORMALIZATIONS = ("mean", "truth", "prediction", "min", "max")


def letters(matrix, alpha):
    """Return the length of the rows, written column by column, if α is known: the sizes of cells, then the labels."""

    def binomial(top, bottom):
        return lgamma(top + 1) - lgamma(bottom + 1) - lgamma(top - bottom + 1)

    rows = len(matrix)
    total = 0.0
    for column in zip(*matrix, strict=True):
        n = sum(column)
        total += binomial(n + rows * alpha - 1, rows * alpha - 1) + lgamma(n + 1)
        total -= sum(binomial(x + alpha - 1, alpha - 1) + lgamma(x + 1) for x in column)
    return total


def shortest(matrix, alphas):
    return min(letters(matrix, alpha) for alpha in alphas)


def saved_by_hand(matrix, alphas):
    """Return the length that the columns save in writing down the rows."""
    sizes = [[sum(row)] for row in matrix]
    return shortest(sizes, alphas) - shortest(matrix, alphas)


def random_matrices(seed, how_many=40):
    rng = np.random.default_rng(seed)
    for _ in range(how_many):
        matrix = rng.negative_binomial(0.3, 0.02, rng.integers(2, 6, 2)) + 0
        matrix = matrix[matrix.any(axis=1)][:, matrix.any(axis=0)]
        if min(matrix.shape, default=0) > 1:
            yield matrix.tolist()


@pytest.mark.slow
def test_the_urn_against_a_grid_of_concentrations():
    alphas = np.geomspace(1e-7, 1e7, 1401).tolist()
    for matrix in [*random_matrices(41), [[9, 9], [9, 9]], [[100, 0], [0, 100]], [[1, 2], [2, 1], [0, 3]]]:
        table = cm.Contingency.from_matrix(matrix)
        n = table.n_used
        for ours, rows in ((URN.of(table), matrix), (URN.of(table.T), list(zip(*matrix, strict=True)))):
            # between two of the grid, and beyond its ends, it is hardly shorter; lgamma loses digits at its upper end
            assert ours * n == pytest.approx(saved_by_hand(rows, alphas), rel=2e-4, abs=1e-4)


def test_the_urn_where_the_best_concentration_is_a_limit():
    third = np.arange(27) // 9
    # equal sizes: the larger the better, 27 ln 3; one cluster in each urn: the smaller the better, ln 3 an urn
    assert URN(third, third) == pytest.approx((27 - 3) * log(3) / 27, rel=1e-15)
    assert URN(third, np.arange(27) // 3) == pytest.approx((27 - 9) * log(3) / 27, rel=1e-15)
    # the tables of independent labelings of equal sizes save nothing and cost nothing
    assert URN.of(cm.Contingency.from_matrix([[25, 25], [25, 25]])) == pytest.approx(0.0, abs=1e-15)


@pytest.mark.slow
def test_the_urn_finds_the_lowest_of_several_valleys():
    # pure clusters want a small concentration, mixed ones a large one, the larger the cluster the more so
    columns = [[75, 75]] * 1567 + [[3, 0], [0, 3]] * 2785 + [[837, 0], [0, 837]] + [[1661, 1661]] * 15
    matrix = list(zip(*columns, strict=True))
    values = [letters(matrix, alpha) for alpha in np.geomspace(1e-2, 1e4, 120)]
    assert sum(x > y < z for x, y, z in zip(values, values[1:], values[2:], strict=False)) == 2
    table = cm.Contingency.from_matrix(matrix)
    n = table.n_used
    assert URN.of(table) * n == pytest.approx(n * log(2) - min(values), abs=1.0)  # of two thousand


def test_the_urn_of_trivial_labelings():
    one, singletons, other = [0] * 6, list(range(6)), [0, 0, 0, 0, 1, 2]
    for true, pred in ((one, other), (other, one), (one, singletons), (singletons, one)):
        assert URN(true, pred) == 0.0
        for normalization in NORMALIZATIONS:
            assert URN(true, pred, normalized=True, normalization=normalization) == 0.0
    assert URN(singletons, other) == URN(singletons, other, normalized=True, normalization="truth") == 0.0
    # to know singletons is of no use, and takes an urn for each point
    assert URN(other, singletons) < 0.0
    assert URN([0, 0, 0, 1, 1, 1], singletons) == 0.0
    for same in (one, singletons, [0]):
        for normalization in NORMALIZATIONS:
            assert URN(same, same, normalized=True, normalization=normalization) == 1.0


@pytest.mark.slow
def test_normalizations():
    for table in TABLES:
        for encoding in ("flat", "dirichlet_multinomial"):
            index = cm.reduced_mutual_information.with_options(encoding=encoding, normalized=True)
            scores = {name: index.of(table, normalization=name) for name in NORMALIZATIONS}
            other = {name: index.of(table.T, normalization=name) for name in NORMALIZATIONS}
            for name, score in scores.items():
                mirrored = {"truth": "prediction", "prediction": "truth"}.get(name, name)
                assert score == other[mirrored]
                if table.are_identical():
                    assert score == 1.0
                elif encoding == "dirichlet_multinomial":
                    assert score < 1.0


def test_normalizations_by_hand():
    table = cm.crosstab(*BOOK)
    saved, other = URN.of(table), URN.of(table.T)
    own, others = (URN.of(cm.crosstab(labels, labels)) for labels in BOOK)
    for normalization, expected in (
        ("truth", saved / own),
        ("prediction", other / others),
        ("mean", (saved + other) / (own + others)),
        ("min", min(saved, other) / min(own, others)),
        ("max", max(saved, other) / max(own, others)),
    ):
        score = URN.of(table, normalized=True, normalization=normalization)
        assert score == pytest.approx(expected, rel=1e-12)
        assert score == URN.of(table, normalized=True, normalization=normalization, base=2)


def test_the_urn_and_the_flat_encoding_do_not_mix():
    for bad in ({"estimate": "diaconis_efron"}, {"estimate": "exact"}):
        with pytest.raises(cm.InputError, match=r"estimate[= ]"):
            URN([0, 0, 1, 1], [0, 1, 1, 1], **bad)


@pytest.mark.slow
def test_the_urn_of_huge_tables():
    n = 2**60
    near = cm.Contingency.from_matrix([[n, 1], [0, n]])
    assert URN.of(near) == pytest.approx(log(2), rel=1e-9)
    assert URN.of(near, normalized=True) == pytest.approx(1.0, rel=1e-9)
    assert URN.of(cm.Contingency.from_matrix([[n, n], [n, n + 1]])) == pytest.approx(0.0, abs=1e-12)
    noise = {-1: "singletons"}
    lone = cm.crosstab([-1, -1], [-1, 0], counts=[2**60, 2**60], noise_true=noise, noise_pred=noise)
    assert URN.of(lone) == URN.of(lone, normalized=True, normalization="truth") == 0.0
    assert URN(np.arange(10**6) // 2, np.arange(10**6) // 2) == pytest.approx(log(5 * 10**5) / 2, rel=1e-12)


@pytest.mark.slow
def test_clustering_mi_agrees():
    clustering_mi = need("clustering_mi")
    alphas = np.geomspace(1e-4, 1e4, 2001).tolist()  # the ones it looks at
    names = {"truth": "second", "prediction": "first", "mean": "mean", "min": "min", "max": "max"}
    for matrix in random_matrices(42):
        # its rows are those of the second labeling, the truth
        theirs = clustering_mi.mutual_information(matrix) * log(2)
        assert theirs == pytest.approx(saved_by_hand(matrix, alphas), rel=1e-4, abs=1e-4)
        table = cm.Contingency.from_matrix(matrix)
        assert URN.of(table) * table.n_used == pytest.approx(theirs, rel=2e-3, abs=2e-2)
        for ours, name in names.items():
            score = URN.of(table, normalized=True, normalization=ours)
            theirs = clustering_mi.normalized_mutual_information(matrix, normalization=name)
            assert score == pytest.approx(theirs, abs=2e-3)
    # its flat encoding counts the tables one way; ours is the mean of both
    for matrix in random_matrices(43):
        table = cm.Contingency.from_matrix(matrix)
        if table.n_used in (table.n_true_clusters, table.n_pred_clusters):
            continue  # it mixes units there
        ways = [clustering_mi.mutual_information(m, variation="reduced_flat") for m in (matrix, np.transpose(matrix))]
        ours = cm.reduced_mutual_information.of(table, base=2) * table.n_used
        assert ours == pytest.approx(sum(ways) / 2, rel=1e-9, abs=1e-9)


def test_where_clustering_mi_differs():
    clustering_mi = need("clustering_mi")
    # at 0/0 it says 0, also for identical labelings; next to that it divides rounding by rounding
    assert clustering_mi.normalized_mutual_information([0] * 5, [0] * 5) == 0
    assert clustering_mi.normalized_mutual_information([0, 1, 2, 3, 4, 4], [0, 1, 2, 3, 4, 5]) > 0.9
    assert URN([0, 1, 2, 3, 4, 5], [0, 1, 2, 3, 4, 4], normalized=True, normalization="truth") == 0.0
