"""Every index of trees against its definition, golden values, peers, and what is declared of it."""

from __future__ import annotations

import inspect
import pickle
import warnings
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clustermark as cm
import trees_oracle as oracle
from clustermark.indices.arithmetic import over_root
from clustermark.registry.references import REFERENCES
from clustermark.statistics import tree_clusters as tree_statistics
from clustermark.subjects.tree_comparisons import LABELED_TREE, TREE_SIMILARITIES, TREES, TreeLimits
from clustermark.subjects.tree_inputs import Branches
from trees_oracle import PlainTree

INDICES = list(cm.catalogue("trees"))
EVERY = pytest.mark.parametrize("index", INDICES, ids=lambda index: index.name)
OF_PAIRS = [index for index in INDICES if index.comparison is TREES]


def merge_list(merges, heights):
    """A linkage of a merge list as R writes it: -i is leaf i, j the merge of row j."""
    n = len(merges) + 1
    rows, sizes = [], {}
    for row, (pair, height) in enumerate(zip(merges, heights, strict=True)):
        nodes = [-x - 1 if x < 0 else n + x - 1 for x in pair]
        sizes[n + row] = sum(sizes.get(node, 1) for node in nodes)
        rows.append([*nodes, height, sizes[n + row]])
    return np.array(rows, float)


H1 = merge_list([(-1, -2), (-3, -4), (1, 2), (-5, -6), (3, 4)], [1, 2, 4, 5, 9])
H2 = merge_list([(-1, -3), (-2, 1), (-4, -5), (3, -6), (2, 4)], [1.5, 2.5, 3, 6, 8])
NESTED = [[[0, 1], [2]], [[3, 4], [5, 6]]], [[[0], [1, 2]], [3, 4], [5, 6]]
WEIGHTS = np.array([[(i + 1) * (j + 1) % 5 for j in range(6)] for i in range(6)])


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (cm.cophenetic_correlation(H1, H2), 0.404594195333),  # dendextend
        (cm.baker_gamma(H1, H2), 0.380713636978),  # dendextend
        (cm.fowlkes_mallows_bk(H1, H2), 0.617213399848),  # dendextend, as the next four
        (cm.fowlkes_mallows_bk(H1, H2, at=3), 0.612372435696),
        (cm.fowlkes_mallows_bk(H1, H2, at=4), 0.408248290464),
        (cm.fowlkes_mallows_bk(H1, H2, at=5), 0),
        (cm.entanglement(H1, H2), 0.0575490140443),
        (cm.robinson_foulds(H1, H2), 8),  # phangorn
        (cm.dendrogram_purity(H1, [0, 0, 0, 1, 1, 1]), 0.75),  # two algorithms
        (cm.dasgupta_cost(H1, WEIGHTS), 112),  # scikit-network
        (cm.dasgupta_cost(H2, WEIGHTS), 117),
        (cm.hierarchical_mutual_information(*NESTED), 0.757657839524),  # the notebook of Perotti
        (cm.normalized_hierarchical_mutual_information(*NESTED), 0.560487357984),
    ],
)
def test_golden_values(found, expected):
    assert found == pytest.approx(expected, rel=1e-11)


def test_what_chance_gives_is_golden():
    curve = cm.bk_curve(H1, H2)
    assert curve.expectation[0] == pytest.approx(0.432049379894, rel=1e-11)
    assert curve.variance[0] == pytest.approx(0.0228571428571, rel=1e-11)


def random_tree(n, seed):
    """Any number of children, single ones too; heights that tie, rise or go down."""
    rng = np.random.default_rng(seed)
    nodes, starts, children, heights = list(range(n)), [0], [], []
    rising, lonely, most = rng.random() < 0.5, rng.random() < 0.3, int(rng.integers(2, 5))
    while len(nodes) > 1 or not heights:
        width = 1 if lonely and rng.random() < 0.2 else min(int(rng.integers(2, most + 1)), len(nodes))
        chosen = rng.permutation(nodes)[:width].tolist()
        nodes = [node for node in nodes if node not in chosen] + [n + len(heights)]
        children += chosen
        starts.append(len(children))
        heights.append((heights[-1] if heights and rising else 0.0) + float(rng.choice([0.0, 0.5, 1.0, 3.0])))
    return cm.Tree.of_branches(Branches(np.array(starts), np.array(children), np.array(heights), None))


def trees(n):
    return st.integers(0, 2**32).map(lambda seed: random_tree(n, seed))


SIZES = st.integers(1, 9)


def expect(score, make):
    """The score is what the definition says; where that is 0/0 there is nothing to say."""
    try:
        expected = make()
    except ZeroDivisionError:
        return
    assert score == pytest.approx(expected, rel=1e-12, abs=1e-12)


@given(SIZES.flatmap(lambda n: st.tuples(trees(n), trees(n))))
@settings(max_examples=150, deadline=None)
def test_two_trees_by_their_definitions(pair):
    made = cm.TreePair(*pair)
    a, b = PlainTree(made.a), PlainTree(made.b)
    expect(cm.cophenetic_correlation.of(made), lambda: oracle.cophenetic(a, b))
    expect(cm.cophenetic_correlation.of(made, method="spearman"), lambda: oracle.cophenetic(a, b, "spearman"))
    expect(cm.baker_gamma.of(made), lambda: oracle.baker(a, b))
    assert cm.robinson_foulds.of(made) == oracle.robinson_foulds(a, b)
    lists = a.nested(), b.nested()
    expect(cm.hierarchical_mutual_information.of(made), lambda: oracle.hierarchical_information(*lists))
    curve = cm.bk_curve(made)
    for k, score, tied in zip(curve.k.tolist(), curve.score, curve.tied, strict=True):
        cuts = a.cut(k), b.cut(k)
        assert score == pytest.approx(oracle.fowlkes_mallows(*cuts), rel=1e-12)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            assert cm.fowlkes_mallows_bk.of(made, at=k) == score
        assert tied == bool(caught)
        labels = [made.a.cut(k), made.b.cut(k)]
        assert cm.fowlkes_mallows(*labels) == score
        for clusters, cut in zip(cuts, labels, strict=True):
            assert {frozenset(c) for c in clusters} == {frozenset(np.flatnonzero(cut == c)) for c in set(cut)}


@given(st.integers(3, 6).flatmap(lambda n: st.tuples(trees(n), trees(n))))
@settings(max_examples=12, deadline=None)
def test_what_chance_gives_is_the_mean_over_all_permutations(pair):
    curve = cm.bk_curve(*pair)
    a, b = map(PlainTree, pair)
    for k, expected, variance in zip(curve.k.tolist(), curve.expectation, curve.variance, strict=True):
        mean, spread = oracle.chance(a.cut(k), b.cut(k), a.n)
        assert expected == pytest.approx(mean, rel=1e-12)
        assert variance == pytest.approx(spread, rel=1e-9, abs=1e-12)


@given(st.integers(1, 12).flatmap(lambda n: st.tuples(trees(n), trees(n))), st.sampled_from([0, 5, 12]))
@settings(max_examples=60, deadline=None)
def test_curves_are_the_same_bits_by_integers_of_python(pair, most):
    """Beyond some leaves, neither doubles nor the kernel's integers have room."""
    curve = cm.bk_curve(*pair)
    quick = curve.score.tolist(), curve.variance.tolist()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(cm.TreePair, "limits", TreeLimits(in_doubles=most, in_kernel=most))
        curve = cm.bk_curve(*pair)
        assert (curve.score.tolist(), curve.variance.tolist()) == quick


@pytest.mark.parametrize("n", [1_000, 4_096, 4_097])
def test_large_curves_are_the_same_bits(n):
    """Variances of 4,096 leaves are the last that fit into 128 bits."""
    rng = np.random.default_rng(n)
    merges = [np.column_stack([np.arange(n - 1), np.r_[n - 1, np.arange(n, 2 * n - 2)]]) for _ in range(2)]
    shuffled = np.where(merges[1] < n, rng.permutation(n)[np.minimum(merges[1], n - 1)], merges[1])
    halves = np.r_[np.arange(n), np.arange(n, 2 * n - 2)].reshape(-1, 2)  # two by two, so that sizes differ
    for one, other in ((merges[0], shuffled), (halves, shuffled), (halves, halves)):
        curve = cm.bk_curve(one, other)
        cuts = tree_statistics.Cuts.of(cm.TreePair(one, other))
        triples = [tree_statistics.join_halves(halves) for halves in cuts._triples]
        sums = zip(cuts.pairs_a.tolist(), cuts.pairs_b.tolist(), *triples, strict=True)
        expected = [tree_statistics.bk_variance(n, *one) for one in sums]
        assert curve.variance.tolist() == expected[-2::-1]
        counts = zip(*(count.tolist() for count in (cuts.together, cuts.pairs_a, cuts.pairs_b)), strict=True)
        assert curve.score.tolist() == [over_root(t, a * b) for t, a, b in counts][-2::-1]


@given(SIZES.flatmap(lambda n: st.tuples(trees(n), st.lists(st.integers(0, 3), min_size=n, max_size=n), st.randoms())))
@settings(max_examples=100, deadline=None)
def test_a_tree_and_its_leaves_by_their_definitions(case):
    tree, labels, random = case
    plain = PlainTree(tree)
    expect(cm.dendrogram_purity(tree, labels), lambda: oracle.purity(plain, labels))
    assert cm.hierarchical_f(tree, labels) == pytest.approx(oracle.hierarchical_f(plain, labels), rel=1e-12)
    w = np.array([[random.randrange(4) for _ in labels] for _ in labels])
    w = w + w.T
    assert cm.dasgupta_cost(tree, w) == oracle.dasgupta(plain, w.tolist())
    distances = np.array([[abs(x - y) * 0.7 for x in labels] for y in labels]) + 0.0
    x = [plain.height(*pair) for pair in oracle.pairs_of(tree.n)]
    y = [distances[pair] for pair in oracle.pairs_of(tree.n)]
    expect(cm.cophenetic_correlation(tree, distances), lambda: oracle.correlate(x, y))
    expect(
        cm.cophenetic_correlation(tree, np.array(y), method="spearman"),
        lambda: oracle.correlate(oracle.ranks(x), oracle.ranks(y)),
    )


@given(SIZES.flatmap(lambda n: st.tuples(trees(n), trees(n), st.permutations(range(n)))))
@settings(max_examples=60, deadline=None)
def test_what_is_declared_holds(case):
    a, b, order = case
    pair, back = cm.TreePair(a, b), cm.TreePair(b, a)
    renamed = []
    for tree in (a, b):
        numbers = np.array([*order, *range(a.n, a.n + len(tree.heights))])
        renamed.append(cm.Tree.of_branches(Branches(tree.starts, numbers[tree.children], tree.heights, None)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cm.ClustermarkWarning)
        for index in OF_PAIRS:
            score = index.of(pair)
            low, high = index.bounds
            assert low <= score <= high, index.name
            assert index.symmetric
            assert index.of(back) == pytest.approx(score, rel=1e-12, abs=1e-15), index.name
            if index.best_on_identity and index.name != "entanglement":
                assert index.of(cm.TreePair(a, a)) == index.best, index.name
            if index.name != "entanglement":
                assert index.of(cm.TreePair(*renamed)) == pytest.approx(score, rel=1e-12, abs=1e-15), index.name
        assert cm.robinson_foulds.of(pair, normalized=True) <= 1
        assert cm.entanglement.of(cm.TreePair(a, a)) == 0


@given(st.integers(2, 7).flatmap(lambda n: st.tuples(trees(n), trees(n), trees(n))))
@settings(max_examples=40, deadline=None)
def test_robinson_foulds_is_a_metric(three):
    a, b, c = three
    assert cm.robinson_foulds.metric
    assert cm.robinson_foulds.exact(cm.TreePair(a, b)) == cm.robinson_foulds(a, b)
    assert cm.robinson_foulds(a, c) <= cm.robinson_foulds(a, b) + cm.robinson_foulds(b, c)


def test_robinson_foulds_is_no_metric_if_it_is_normalized():
    a, b, c = [[0, 1], 2, 3], [[0, 1], [2, 3]], [0, 1, [2, 3]]
    direct, over = (
        cm.robinson_foulds(a, c, normalized=True),
        [cm.robinson_foulds(*two, normalized=True) for two in ((a, b), (b, c))],
    )
    assert direct > sum(over)
    assert "no metric then" in cm.robinson_foulds.__doc__


@given(st.integers(2, 6).flatmap(lambda n: st.tuples(trees(n), st.lists(st.integers(0, 3), min_size=n, max_size=n))))
@settings(max_examples=40, deadline=None)
def test_bounds_of_a_tree_and_its_leaves(case):
    tree, labels = case
    for index in INDICES:
        if index.comparison is LABELED_TREE:
            assert 0 <= index(tree, labels) <= 1
    w = np.equal.outer(labels, labels).astype(float)
    assert 0 <= cm.dasgupta_cost(tree, w, normalized=True) <= 1


def random_linkage(n, seed):
    from scipy.cluster.hierarchy import linkage

    return linkage(np.random.default_rng(seed).normal(size=(n, 3)), ["ward", "average", "single", "centroid"][seed % 4])


@pytest.mark.parametrize("seed", range(4))
def test_scipy_agrees(seed):
    from scipy.cluster.hierarchy import cophenet, fcluster
    from scipy.stats import spearmanr

    one, other = random_linkage(60, seed), random_linkage(60, seed + 4)
    x, y = cophenet(one), cophenet(other)
    assert cm.cophenetic_correlation(one, other) == pytest.approx(np.corrcoef(x, y)[0, 1], rel=1e-12)
    assert cm.cophenetic_correlation(one, other, method="spearman") == pytest.approx(spearmanr(x, y)[0], rel=1e-12)
    distances = np.random.default_rng(seed).random(len(x))
    assert cm.cophenetic_correlation(one, distances) == pytest.approx(cophenet(one, distances)[0], rel=1e-12)
    if seed % 4 != 3:  # centroid linkages go down, so that heights say nothing of the order of merges
        curve = cm.bk_curve(one, other)
        assert not curve.tied.any()
        for k in (2, 3, 17, 40, 59):
            cuts = [fcluster(Z, k, "maxclust") for Z in (one, other)]
            assert curve.score[k - 2] == cm.fowlkes_mallows(*cuts)


@pytest.mark.slow
def test_deep_trees_of_many_leaves_take_no_time_with_pairs():
    n = 100_000
    chain = np.column_stack([np.r_[0, np.arange(n, 2 * n - 2)], np.arange(1, n)])
    other = np.column_stack([np.r_[n - 1, np.arange(n, 2 * n - 2)], np.arange(n - 2, -1, -1)])
    assert cm.cophenetic_correlation(chain, chain) == 1
    assert -1 < cm.baker_gamma(chain, other) < 0
    assert cm.robinson_foulds(chain, other) == 2 * (n - 2)
    assert len(cm.bk_curve(chain, other).score) == n - 2
    assert 0 < cm.dendrogram_purity(chain, np.arange(n) % 3) < 1


def test_ties_are_warned_of_and_undefined_scores_follow_the_rule():
    star = [0, 1, 2, 3]
    with pytest.warns(cm.ClustermarkWarning, match=r"at=2\): merges of the same height"):
        cm.fowlkes_mallows_bk(star, [[0, 1], [2, 3]])
    assert cm.fowlkes_mallows_bk(star, star, at=1) == 1
    assert cm.fowlkes_mallows_bk(star, star, at=4) == 1  # 0/0, and the trees are the same
    assert cm.fowlkes_mallows_bk(star, [[0, 1], [2, 3]], at=4) == 0
    for wrong in (0, 5, 2.0, True, "2"):
        with pytest.raises(cm.InputError, match=r"at=.* must be a whole number of clusters from 1 to 4"):
            cm.fowlkes_mallows_bk(star, star, at=wrong)
    assert cm.cophenetic_correlation(star, [[0, 1], 2, 3]) == 0
    assert cm.cophenetic_correlation(star, star) == 1
    assert cm.robinson_foulds(star, star, normalized=True) == 0
    assert cm.dendrogram_purity(star, [0, 1, 2, 3]) == 1
    assert cm.normalized_hierarchical_mutual_information(star, star) == 1
    deep = [[0, 1], [2, 3]]
    assert cm.normalized_hierarchical_mutual_information.strict(star, deep) == 0
    for average in ("min", "geometric"):
        with pytest.raises(cm.UndefinedIndexError, match="both trees have one level only, or one has and average is"):
            cm.normalized_hierarchical_mutual_information.strict(star, deep, average=average)
    for index, inputs in ((cm.cophenetic_correlation, (star, star)), (cm.dendrogram_purity, (star, star))):
        with pytest.raises(cm.UndefinedIndexError):
            index.strict(*inputs)
    for wrong in (0, -1, 0.5, inf, "x", float("nan"), True):
        with pytest.raises(cm.InputError, match=r"L=.* must be a finite number, 1 or more"):
            cm.entanglement(star, star, L=wrong)
    assert cm.entanglement([0], [0]) == 0  # 0/0, and the trees are the same
    with pytest.raises(cm.InputError, match="method='kendall' is unknown"):
        cm.cophenetic_correlation(star, star, method="kendall")
    with pytest.raises(cm.InputError, match="method='kendall' is unknown"):
        cm.cophenetic_correlation(star, np.zeros(6), method="kendall")


@pytest.mark.parametrize("power", [-1000, -600, 600, 1000])
def test_the_unit_of_distances_and_heights_does_not_matter(power):
    distances = np.arange(15.0)[::-1] ** 2
    expected = cm.cophenetic_correlation(H1, distances)
    assert -1 < expected < 1
    scaled = H1.copy()
    scaled[:, 2] *= 2.0**power
    assert cm.cophenetic_correlation(H1, distances * 2.0**power) == expected
    assert cm.cophenetic_correlation(scaled, distances) == expected
    assert cm.cophenetic_correlation(scaled, H2) == cm.cophenetic_correlation(H1, H2)


@given(st.integers(2, 8).flatmap(lambda n: st.tuples(trees(n), trees(n))), st.sampled_from([1, 1.5, 2, 7, 600, 1e9]))
@settings(max_examples=60, deadline=None)
def test_entanglement_by_its_definition_for_any_power(pair, power):
    made = cm.TreePair(*pair)
    n, (a, b) = made.n, (tree.places[: made.n].tolist() for tree in (made.a, made.b))
    found = cm.entanglement.of(made, L=power)
    assert 0 <= found <= 1
    if power < 100:
        worst = sum(abs(n - 1 - 2 * i) ** power for i in range(n))
        assert found == pytest.approx(sum(abs(x - y) ** power for x, y in zip(a, b, strict=True)) / worst, rel=1e-12)
    reverse = cm.Tree.of_branches(Branches(np.array([0, n]), made.a.order[::-1].copy(), np.array([1.0]), None))
    assert cm.entanglement(made.a, reverse, L=power) == pytest.approx(1, rel=1e-15)


def test_options_are_what_they_say():
    distance = cm.robinson_foulds
    for wrong in ("no", 1, None):
        for index, other in ((distance, H2), (cm.dasgupta_cost, WEIGHTS)):
            with pytest.raises(cm.InputError, match=r"normalized=.* is unknown; choose one of True, False"):
                index(H1, other, normalized=wrong)
    assert distance(H1, H2, normalized=np.True_) == distance(H1, H2, normalized=True) == 1
    assert cm.fowlkes_mallows_bk(H1, H2, at=np.int64(3)) == cm.fowlkes_mallows_bk(H1, H2, at=3)
    for power in (np.int64(2), np.float32(2), np.float64(2)):
        assert cm.entanglement(H1, H2, L=power) == cm.entanglement(H1, H2, L=2)


def test_too_many_distances_to_rank_are_refused(monkeypatch):
    monkeypatch.setattr(cm.TreeDistances, "limits", TreeLimits(ranked=14))
    with pytest.raises(cm.InputError, match="6 leaves have 15 distances to sort, and the limit is 14"):
        cm.cophenetic_correlation(H1, np.arange(15.0), method="spearman")
    assert cm.cophenetic_correlation(H1, np.arange(15.0)) < 1


def test_too_many_levels_are_refused_and_progress_is_told(monkeypatch):
    shares = []
    pair = cm.TreePair(*NESTED, progress=shares.append)
    expected = cm.hierarchical_mutual_information.of(pair)
    assert shares == sorted(shares)
    assert shares[0] > 0
    assert shares[-1] <= 1
    # each of 7 leaves: 3 levels in the one; in the other 3 leaves have 3, and 4 have 2
    monkeypatch.setattr(cm.TreePair, "limits", TreeLimits(looks=21 + 17 + 17))
    assert cm.hierarchical_mutual_information(*NESTED) == expected
    monkeypatch.setattr(cm.TreePair, "limits", TreeLimits(looks=21 + 17 + 17 - 1))
    with pytest.raises(
        cm.InputError, match=r"their 7 leaves lie so deep that they would be visited 55 times, .* is 54"
    ):
        cm.hierarchical_mutual_information(*NESTED)
    assert "hierarchical_mutual_information" in cm.evaluate_trees(*NESTED, "all").refused


def test_a_shift_of_heights_does_not_cost_digits():
    far = H1.copy(), H2.copy()
    for Z in far:
        Z[:, 2] += 2.0**30
    assert cm.cophenetic_correlation(*far) == cm.cophenetic_correlation(H1, H2)


@EVERY
def test_declarations(index):
    assert index.reference in REFERENCES
    assert index.family == "trees"
    assert index.comparison.name == "trees"
    assert pickle.loads(pickle.dumps(index)) is index
    assert list(inspect.signature(index).parameters)[:2] == list(index.comparison.parameters)
    assert index.title in inspect.getdoc(index)
    for name in index.own_names:
        assert cm.find(name) is index


def test_kinds_are_told_apart():
    assert cm.dasgupta_cost.comparison is TREE_SIMILARITIES
    text = cm.cophenetic_correlation.__doc__
    assert "cophenetic_correlation(a, b) or cophenetic_correlation(tree, distances)" in text
    assert "Of tree and distances: Undefined when" in text
    assert "Of trees:" not in text
    assert cm.cophenetic_correlation(tree=H1, distances=np.arange(15.0)) == cm.cophenetic_correlation(
        H1, np.arange(15.0)
    )
    square = np.zeros((6, 6))
    square[np.triu_indices(6, 1)] = np.arange(15.0)
    assert cm.cophenetic_correlation(H1, square + square.T) == cm.cophenetic_correlation(H1, np.arange(15.0))
    five = merge_list([(-1, -2), (-3, -4), (1, 2), (3, -5)], [1, 2, 4, 5])  # a linkage of shape (4, 4) is no distances
    assert cm.cophenetic_correlation(five, five) == 1
    with pytest.raises(cm.InputError, match=r"dendrogram_purity.of takes a TreeLabels\(tree, labels\)"):
        cm.dendrogram_purity.of(cm.TreePair(H1, H2))
