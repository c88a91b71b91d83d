"""Every index of soft clusterings against its definition, golden values, and what is declared of it."""

from __future__ import annotations

import inspect
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clustermark as cm
import soft_oracle as oracle
from clustermark.registry.references import REFERENCES
from clustermark.subjects.soft_clusterings import SOFT, SoftLimits
from needs import need

INDICES = list(cm.catalogue("soft"))
EVERY = pytest.mark.parametrize("index", INDICES, ids=lambda index: index.name)
OF_PAIRS = [index for index in INDICES if index.comparison is SOFT]

U = np.array([(0.9, 0.1, 0), (0.8, 0.1, 0.1), (0.2, 0.7, 0.1), (0.1, 0.8, 0.1), (0, 0.2, 0.8), (0.3, 0.3, 0.4)])
V = np.array([(0.7, 0.3), (0.9, 0.1), (0.4, 0.6), (0.1, 0.9), (0.2, 0.8), (0.5, 0.5)])
L = [0, 0, 1, 1, 2, 2]
GOLDEN = {
    "fuzzy_rand": (0.753333333333, 0.686666666667),  # the definition
    "adjusted_concordance": (0.192139737991, 0.318840579710),  # 720 permutations
    "frobenius_rand": (0.835934953012, 0.729286878285),  # MoEClust, as the next
    "frobenius_adjusted_rand": (0.436994250226, 0.466179011770),
    "soft_vi": (1.64438407435, 1.47420945019),  # clue, as the next
    "membership_distance": (1.20830459736, 0.948683298051),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_golden_values(name):
    index = cm.find(name)
    assert (index(U, V), index(U, L)) == pytest.approx(GOLDEN[name], rel=1e-11)


def test_golden_values_of_one():
    assert cm.partition_coefficient(U) == pytest.approx(0.616666666667, rel=1e-11)  # e1071
    assert cm.partition_entropy(U) == pytest.approx(0.665711274020, rel=1e-11)
    assert cm.modified_partition_coefficient(U) == pytest.approx(1 - 3 / 2 * (1 - 0.616666666666), rel=1e-11)


def test_a_soft_clustering_and_itself():
    """Where Rand indices by products or t-norms, and clue, which hardens its input, say something else."""
    for index in OF_PAIRS:
        if index.best_on_identity:
            assert index(U, U) == index.best, index.name
            assert index(U, U[:, ::-1]) == pytest.approx(index.best, abs=1e-15), index.name
    assert not cm.soft_nmi.best_on_identity
    assert cm.soft_nmi(U, U) < 0.2
    assert cm.soft_vi(U, U) > 1.8
    assert cm.fuzzy_rand(U, L) < 1


@st.composite
def memberships(draw, n):
    k = draw(st.integers(1, 4))
    parts = draw(st.lists(st.lists(st.integers(0, 4), min_size=k, max_size=k), min_size=n, max_size=n))
    rows = np.array([row if any(row) else [1, *row[1:]] for row in parts], float)
    return rows / rows.sum(axis=1, keepdims=True)


PAIRS = st.integers(2, 7).flatmap(lambda n: st.tuples(memberships(n), memberships(n)))


@given(PAIRS)
@settings(max_examples=80, deadline=None)
def test_by_their_definitions(pair):
    made = cm.SoftPair(*pair)
    u, v = (side.tolist() for side in pair)
    for index, expected in (
        (cm.fuzzy_rand, oracle.fuzzy_rand),
        (cm.frobenius_rand, oracle.frobenius_rand),
        (cm.soft_mutual_information, oracle.mutual_information),
        (cm.soft_vi, oracle.variation),
        (cm.membership_distance, oracle.membership_distance),
        (cm.membership_distance.with_options(norm=1), lambda u, v: oracle.membership_distance(u, v, 1)),
    ):
        assert index.of(made) == pytest.approx(expected(u, v), rel=1e-9, abs=1e-9), index.label
    a, b, both = oracle.entropies(u, v)
    if min(a, b) > 1e-9:
        for average, mean in (("arithmetic", (a + b) / 2), ("max", max(a, b)), ("min", min(a, b)), ("joint", both)):
            assert cm.soft_nmi.of(made, average=average) == pytest.approx((a + b - both) / mean, abs=1e-9)


@given(st.integers(2, 5).flatmap(lambda n: st.tuples(memberships(n), memberships(n))))
@settings(max_examples=25, deadline=None)
def test_the_mean_over_all_permutations_is_exact(pair):
    u, v = (side.tolist() for side in pair)
    for index, plain in (
        (cm.adjusted_concordance, oracle.fuzzy_rand),
        (cm.frobenius_adjusted_rand, oracle.frobenius_rand),
    ):
        assert index.chance_model == "permutation"
        try:
            found = index.strict(*pair)
        except cm.UndefinedIndexError:
            continue
        assert found == pytest.approx(oracle.adjusted(plain, u, v), rel=1e-7, abs=1e-7), index.name


def test_golden_mean_over_720_permutations():
    assert cm.adjusted_concordance(U, V) == pytest.approx(oracle.adjusted(oracle.fuzzy_rand, U.tolist(), V.tolist()))


@pytest.mark.parametrize("spread", [1e-1, 1e-2, 1e-4, 1e-7, 1e-10])
@pytest.mark.parametrize("sparse", [False, True])
def test_memberships_that_are_nearly_the_same_keep_their_digits(spread, sparse):
    rng = np.random.default_rng(0)
    u, v = (1 / k + spread * rng.uniform(-1, 1, (8, k)) for k in (3, 2))
    u, v = (side / side.sum(axis=1, keepdims=True) for side in (u, v))
    one, other = u, v
    plain, adjusted = oracle.exact_frobenius(u.tolist(), v.tolist())
    if sparse:  # with a cluster that nobody is in
        u, v = (need("scipy.sparse").csr_array(np.pad(side, ((0, 0), (1, 0)))) for side in (u, v))
    # memberships are rounded to 1e-16, which is a large part of their difference
    assert cm.frobenius_adjusted_rand(u, v) == pytest.approx(adjusted, rel=1e-14 / spread + 1e-12)
    assert cm.frobenius_rand(u, v) == pytest.approx(plain, rel=1e-15)
    assert cm.frobenius_adjusted_rand(u, u) == 1
    # which only depends on the shape of what they differ by
    far = [side * 2.0**-7 + 1 / k * (1 - 2.0**-7) for side, k in ((one, 3), (other, 2))]
    assert cm.adjusted_concordance(*far) == pytest.approx(cm.adjusted_concordance(one, other), rel=1e-13 / spread)


@given(st.integers(2, 6).flatmap(lambda n: st.tuples(memberships(n), memberships(n))), st.booleans())
@settings(max_examples=40, deadline=None)
def test_the_frobenius_indices_are_those_of_fractions(pair, sparse):
    u, v = (need("scipy.sparse").csr_array(side) for side in pair) if sparse else pair
    plain, adjusted = cm.frobenius_rand(u, v), cm.frobenius_adjusted_rand.when_undefined(7.0)(u, v)
    if adjusted != 7:
        expected = oracle.exact_frobenius(*(side.tolist() for side in pair))
        assert (plain, adjusted) == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_items_that_are_all_alike_leave_nothing_to_compare():
    alike = np.array([[0.1, 0.2, 0.7]] * 7) / 3 * np.array([[1.0 + i] for i in range(7)])
    alike /= alike.sum(axis=1, keepdims=True)  # the same but for their last bits
    for side in (alike, need("scipy.sparse").csr_array(alike)):
        with pytest.raises(cm.UndefinedIndexError):
            cm.frobenius_adjusted_rand.strict(side, [[0.5, 0.5]] * 7)
        assert cm.frobenius_adjusted_rand.strict(side, [0, 0, 0, 1, 1, 2, 2]) == pytest.approx(0, abs=1e-12)


LABELS = st.integers(2, 30).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 4), min_size=n, max_size=n) for _ in range(2)])
)


@pytest.mark.slow
@given(LABELS)
@settings(max_examples=60, deadline=None)
def test_hard_clusterings_score_as_ever(pair):
    made = cm.SoftPair(*pair)
    for soft, hard in (
        (cm.fuzzy_rand, cm.rand),
        (cm.frobenius_rand, cm.rand),
        (cm.adjusted_concordance, cm.adjusted_rand),
        (cm.frobenius_adjusted_rand, cm.adjusted_rand),
        (cm.soft_nmi, cm.normalized_mutual_information),
        (cm.soft_mutual_information, cm.mutual_information),
        (cm.soft_vi, cm.variation_of_information),
    ):
        assert soft.of(made) == pytest.approx(hard(*pair), rel=1e-10, abs=1e-10), soft.name
    assert cm.partition_coefficient(pair[0]) == 1
    assert cm.partition_entropy(pair[0]) == 0
    dense = [np.array(oracle.one_hot(labels)) for labels in pair]
    sparse = [need("scipy.sparse").csr_array(side) for side in dense]
    for index in OF_PAIRS:
        score = index.of(made)
        for u, v in (dense, sparse, (dense[0], pair[1]), (sparse[0], dense[1])):
            assert index(u, v) == pytest.approx(score, rel=1e-10, abs=1e-10), index.name


@given(PAIRS, st.randoms())
@settings(max_examples=60, deadline=None)
def test_what_is_declared_holds(pair, random):
    u, v = pair
    made, back = cm.SoftPair(u, v), cm.SoftPair(v, u)
    order, columns = list(range(len(u))), list(range(u.shape[1]))
    random.shuffle(order)
    random.shuffle(columns)
    shuffled = cm.SoftPair(u[order][:, columns], v[order])
    for index in OF_PAIRS:
        score = index.of(made)
        low, high = index.bounds
        assert low <= score <= high, index.name
        assert index.symmetric
        assert index.of(back) == pytest.approx(score, rel=1e-9, abs=1e-9), index.name
        assert index.of(shuffled) == pytest.approx(score, rel=1e-9, abs=1e-9), index.name
        if index.best_on_identity:
            assert index(u, u[:, columns]) == pytest.approx(index.best, abs=1e-12), index.name
    for index in INDICES:
        if index.comparison is not SOFT:
            assert index.bounds[0] <= index(u) <= index.bounds[1], index.name
    w = cm.membership_distance(u, v[order])
    assert cm.membership_distance.metric
    assert cm.membership_distance(u, v) <= w + cm.membership_distance(v[order], v) + 1e-12


@pytest.mark.parametrize("block", [1, 7, 40, 1 << 21])
def test_blocks_do_not_matter(monkeypatch, block):
    monkeypatch.setattr(cm.SoftPair, "limits", SoftLimits(block=block))
    assert cm.fuzzy_rand(U, V) == pytest.approx(GOLDEN["fuzzy_rand"][0], rel=1e-11)
    assert cm.adjusted_concordance(U, V) == pytest.approx(GOLDEN["adjusted_concordance"][0], rel=1e-11)
    shares = []
    cm.fuzzy_rand.of(cm.SoftPair(U, V, progress=shares.append))
    assert shares == sorted(shares)
    assert shares[-1] == 1


def test_limits_are_said(monkeypatch):
    limits = SoftLimits(sorted_pairs=14, clusters=5, memberships=17)
    monkeypatch.setattr(cm.SoftPair, "limits", limits)
    monkeypatch.setattr(cm.SoftClustering, "limits", limits)
    with pytest.raises(cm.InputError, match="6 items have 15 pairs to sort, and the limit is 14"):
        cm.adjusted_concordance(U, V)
    with pytest.raises(cm.InputError, match="3 times 2 clusters are more than 5; pass sparse"):
        cm.soft_nmi(U, V)
    with pytest.raises(cm.InputError, match="3 clusters are too many to be matched"):
        cm.membership_distance(U, V)
    with pytest.raises(cm.InputError, match="6 items in 3 clusters have 18 memberships, and the limit is 17"):
        cm.fuzzy_rand(need("scipy.sparse").csr_array(U), V)


def test_undefined_scores_follow_the_rule():
    one = [[1.0], [1.0], [1.0]]
    assert cm.fuzzy_rand([[1.0]], [[1.0]]) == cm.adjusted_concordance(one, one) == 1
    assert cm.frobenius_adjusted_rand(one, one) == cm.frobenius_rand([[0.5, 0.5]], [[0.5, 0.5]]) == 1
    assert cm.soft_nmi(one, [0, 0, 1]) == 0
    assert cm.modified_partition_coefficient(one) == 0
    half = [[0.5, 0.5], [0.5, 0.5]]
    assert cm.adjusted_concordance(half, [0, 0]) == 0  # all pairs are alike on both sides, and the sides differ
    for index in (cm.adjusted_concordance, cm.frobenius_adjusted_rand):
        with pytest.raises(cm.UndefinedIndexError):
            index.strict(one, one)
    for wrong in (3, True, "2"):
        with pytest.raises(cm.InputError, match=r"norm=.* is unknown; choose one of 1, 2"):
            cm.membership_distance(U, V, norm=wrong)
    assert cm.membership_distance(U, V, norm=np.int64(2)) == cm.membership_distance(U, V)


@pytest.mark.slow
def test_many_items_and_many_hard_clusters():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 20_000, 100_000)
    other = np.where(rng.random(100_000) < 0.1, 0, labels)
    assert cm.frobenius_adjusted_rand(labels, other) == pytest.approx(cm.adjusted_rand(labels, other), rel=1e-9)
    assert cm.adjusted_concordance(labels, other) == pytest.approx(cm.adjusted_rand(labels, other), rel=1e-9)
    assert cm.fuzzy_rand(labels, other) == pytest.approx(cm.rand(labels, other), rel=1e-12)
    assert cm.soft_nmi(labels, other) == pytest.approx(cm.normalized_mutual_information(labels, other), rel=1e-9)


@EVERY
def test_declarations(index):
    assert index.reference in REFERENCES
    assert index.family == index.comparison.name == "soft"
    assert pickle.loads(pickle.dumps(index)) is index
    names = list(inspect.signature(index).parameters)
    assert names[: len(index.comparison.parameters)] == list(index.comparison.parameters)
    assert index.title in inspect.getdoc(index)
    for name in index.own_names:
        assert cm.find(name) is index
