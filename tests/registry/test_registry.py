"""What every index promises, read from its declaration."""

from __future__ import annotations

import doctest
import inspect
import math
import pickle
import pydoc
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest

import clustermark as cm
import clustermark.sklearn
from clustermark.registry.index import Index, index, parse, with_chosen_options
from clustermark.registry.references import REFERENCES
from clustermark.statistics.pairs import PairCounts
from oracle import all_partitions

INDICES = list(cm.catalogue())
EVERY = pytest.mark.parametrize("one", INDICES, ids=lambda one: one.name)
SMALL = {n: all_partitions(n) for n in range(1, 7)}
SHAPES = {n: {tuple(sorted(map(p.count, set(p)))): p for p in SMALL[n]}.values() for n in SMALL}
"""One partition for each choice of cluster sizes: beside all partitions, that is all pairs but for naming points."""
TABLES = [(t, p, cm.crosstab(t, p)) for n in range(1, 7) for t in SHAPES[n] for p in SMALL[n]]


def close(one, other):
    return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)


@EVERY
def test_scores_lie_within_the_declared_bounds(one):
    low, high = one.bounds
    for true, pred, table in TABLES:
        score = one.of(table)
        assert type(score) is float
        assert low <= score <= high, (true, pred)


@pytest.mark.slow
@EVERY
def test_weighted_scores_lie_within_the_weighted_bounds(one):
    rng = np.random.default_rng(3)
    for _ in range(300):
        n = int(rng.integers(2, 7))
        true, pred = rng.integers(0, 3, n), rng.integers(0, 3, n)
        table = cm.crosstab(true, pred, weights=10.0 ** rng.integers(-3, 4, n))
        if table.weights is None:
            continue
        if not one.weights:
            with pytest.raises(cm.UnsupportedTableError, match=f"{one.name} has no meaning with real weights"):
                one.of(table)
            return
        low, high = one.weighted_bounds
        assert low - 1e-12 <= one.of(table) <= high + 1e-12
    if one.weighted_bounds != one.bounds:
        table = cm.crosstab([0, 0, 1], [0, 1, 0], weights=[1000, 1, 1])
        assert one.of(table) < one.bounds[0]


@EVERY
def test_identical_partitions_score_best_where_declared(one):
    by_contract = {"jaccard", "dice", "f_measure"}  # undefined on singletons, with the value 0 by contract
    for n, partitions in SMALL.items():
        for partition in partitions:
            if one.name in by_contract and len(set(partition)) == n:
                assert one(partition, partition) == 0.0
            elif one.best_on_identity:
                assert one(partition, partition) == one.best
    if not one.best_on_identity:
        assert any(one(p, p) != one.best for p in SMALL[4])


ASYMMETRIC_WITH = {
    "b_cubed_f": {"beta": 2},
    "f_measure": {"beta": 2},
    "merge_distance": {"split": 2},
    "tversky": {"alpha": 1, "beta": 0},
    "v_measure": {"beta": 2},
}
"""Options with which an index is not symmetric, where its defaults make it so."""


@pytest.mark.slow
@EVERY
def test_symmetry_both_ways(one):
    chosen = one.with_options(**ASYMMETRIC_WITH.get(one.name, {}))
    differing = [(t, p) for t, p, table in TABLES if not close(chosen.of(table), chosen.of(table.T))]
    assert bool(differing) is not one.symmetric, differing[:1]


METRIC_WITNESSES = {
    "greedy_matching": ((0, 1, 1, 1, 1, 0, 1), (0, 1, 0, 0, 1, 0, 1), (0, 1, 0, 0, 0, 0, 1)),
}
"""Three partitions that break the triangle inequality, where fewer than six points do not."""


@pytest.mark.parametrize("name", METRIC_WITNESSES)
def test_witnesses_against_metrics(name):
    one, (x, y, z) = cm.find(name), METRIC_WITNESSES[name]
    assert 1 - one(x, z) > (1 - one(x, y)) + (1 - one(y, z)) + 1e-9


@EVERY
def test_metric_where_declared(one):
    if one.best is None or math.isinf(one.best):
        assert not one.metric  # there is no distance to speak of
        return
    if one.metric is None:
        return
    broken = METRIC_WITNESSES.get(one.name) or next((why for n in (3, 4, 5) if (why := _broken_metric(one, n))), None)
    assert (broken is None) is one.metric, broken


def _broken_metric(one, n):
    """Why the distance that belongs to an index is no metric on partitions of n points; None if it is one there."""
    distance = {}
    for x, y in product(SMALL[n], repeat=2):
        try:
            distance[x, y] = abs(one.best - one.strict(x, y))
        except ZeroDivisionError:  # the fallback is a convention; only identity is sure
            distance[x, y] = 0.0 if x == y else abs(one.best - one(x, y))
    for x, y in distance:
        if (x == y) != (distance[x, y] < 1e-12) or not close(distance[x, y], distance[y, x]):
            return x, y
    for x, y in distance:
        for z in SMALL[n]:
            if distance[x, z] > distance[x, y] + distance[y, z] + 1e-12:
                return x, y, z
    return None


@EVERY
def test_mean_zero_under_the_declared_chance_model(one):
    def mean(true, pred):
        return sum(one(true, shuffled) for shuffled in permutations(pred)) / math.factorial(len(pred))

    cases = [((0, 0, 0, 1, 1), (0, 0, 1, 1, 2)), ((0, 0, 1, 1, 2), (0, 1, 1, 1, 1)), ((0, 1, 1, 2, 2), (0, 0, 1, 1, 1))]
    means = [mean(*case) for case in cases]
    if one.chance_model == "permutation":
        assert all(abs(value) < 1e-12 for value in means)
    else:
        assert any(abs(value) > 1e-9 for value in means)


@EVERY
def test_any_renaming_and_any_dtype_gives_identical_bits(one):
    rng = np.random.default_rng(5)
    true, pred = rng.integers(0, 12, 300), rng.integers(0, 9, 300)
    score = one(true, pred)
    renamed = rng.permutation(100)[:12] - 50
    for t, p in [
        (true.astype(np.int8), pred.astype(np.uint16)),
        (renamed[true], pred),
        (true.astype(float), pred.astype(">i4")),
        ([f"c{x}" for x in true], pred.astype(str)),
        (true.astype(str).astype("S"), pred.tolist()),
        ((true * 2**55 - 2**60).tolist(), pred.astype(np.uint64) + np.uint64(2**63)),
        (true[::-1], pred[::-1]),
    ]:
        assert one(t, p) == score


@EVERY
def test_merged_chunks_give_identical_bits(one):
    rng = np.random.default_rng(6)
    true, pred = rng.integers(0, 12, 300), rng.integers(0, 9, 300)
    cuts = [0, 7, 100, 101, 300]
    chunks = [cm.crosstab(true[a:b], pred[a:b]) for a, b in zip(cuts, cuts[1:], strict=False)]
    for order in permutations(chunks):
        assert one.of(sum(order[1:], order[0])) == one(true, pred)


@EVERY
def test_the_formula_is_the_code(one):
    strict = one.strict
    for _, _, table in TABLES[::7]:
        try:
            score = strict.of(table)
        except ZeroDivisionError:
            continue
        if math.isinf(score):
            continue
        view = one.view.of(table)
        fields = {name: getattr(view, name) for name in dir(view) if not name.startswith("_")}
        options = {name: p.default for name, p in inspect.signature(one).parameters.items() if p.default is not p.empty}
        fields["float"] = float
        names = {name: getattr(np, name) for name in ("sum", "sqrt", "log", "arccos", "pi")} | {"max": max, "min": min}
        assert close(eval(one.formula, {"__builtins__": {}}, names | fields | options), score)


@EVERY
def test_exact_fractions_where_rational(one):
    for _, _, table in TABLES[::11]:
        if one.rational and math.isinf(one.of(table)):
            with pytest.raises(ValueError, match="is inf on this table"):
                one.exact(table)
        elif one.rational:
            exact = one.exact(table)
            assert float(exact) == one.of(table) or one.view is not PairCounts
            assert close(float(exact), one.of(table))
        else:
            with pytest.raises(ValueError, match="rational"):
                one.exact(table)


@EVERY
def test_every_name_finds_it(one):
    for name in one.own_names:
        assert cm.find(name) is one
    for peer, names in one.peers.items():
        for text in names:
            name, options = with_chosen_options(text)
            assert cm.find(f"{peer}:{name}") == one.with_options(**options)
    assert getattr(cm, one.name) is one
    assert one.name in cm.__all__


@EVERY
def test_it_is_dressed_as_its_function(one):
    assert list(inspect.signature(one).parameters)[:2] == ["y_true", "y_pred"]
    assert one.__name__ == one.name
    assert one.formula in one.__doc__
    text = pydoc.plain(pydoc.render_doc(one))
    assert one.title in text
    assert f"{one.name}(y_true, y_pred" in text
    assert one.reference in REFERENCES
    assert one.undefined_when or all(one.strict.of(table) == one.of(table) for _, _, table in TABLES[::5])
    assert one.weights is None or one.weights


@EVERY
def test_doctest(one):
    source = doctest.DocTestParser().get_doctest(one.__doc__, {one.name: one}, one.name, None, None)
    assert source.examples
    assert doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(source).failed == 0


@EVERY
def test_pickles_by_name(one):
    assert pickle.loads(pickle.dumps(one)) is one
    varied = one.when_undefined(0.5)
    assert pickle.loads(pickle.dumps(varied)) == varied
    assert pickle.loads(pickle.dumps(one.strict)) == one.strict != one


def test_when_undefined_and_strict_are_indices():
    half = cm.jaccard.when_undefined(0.5)
    assert isinstance(half, Index)
    assert half([0, 1], [0, 1]) == 0.5
    assert half([0, 0], [0, 0]) == 1.0
    assert cm.jaccard([0, 1], [0, 1]) == 0.0
    with pytest.raises(cm.UndefinedIndexError, match="jaccard is undefined"):
        cm.jaccard.strict([0, 1], [0, 1])
    assert cm.jaccard.strict.when_undefined(0.25)([0, 1], [0, 1]) == 0.25


def test_identity_rule_for_what_the_contract_leaves_open():
    for labels in ([0], [0, 1, 2], [0, 0, 0]):
        assert cm.fowlkes_mallows(labels, labels) == 1.0
        assert cm.adjusted_rand(labels, labels) == 1.0
    assert cm.fowlkes_mallows([0, 0, 0], [0, 1, 2]) == 0.0
    assert cm.fowlkes_mallows([0, 1, 2], [0, 0, 0]) == 0.0


def test_one_name_belongs_to_one_index():
    with pytest.raises(ValueError, match="cannot be called 'tanimoto': that is jaccard"):

        @index(PairCounts, title="x", abbreviation="zzz", formula="yy", reference="rand1971", aliases=("tanimoto",))
        def another(p):
            """Never declared."""
            return p.yy


@EVERY
def test_all_surfaces_agree(one):
    rng = np.random.default_rng(9)
    true, pred = rng.integers(0, 5, 60), rng.integers(0, 6, 60)
    score = one(true, pred)
    assert one.of(cm.crosstab(true, pred)) == cm.evaluate(true, pred, [one.name])[one.name] == score
    metric = cm.ClusteringMetric(true, pred)
    for text in one.peers.get("permetrics", ()):
        name, options = with_chosen_options(text)
        assert getattr(metric, name)() == one(true, pred, **options)
    for text in one.peers.get("scikit-learn", ()):
        name, options = with_chosen_options(text)
        if not options and name != "entropy":  # which takes one labeling
            assert getattr(clustermark.sklearn, name)(true, pred) == score


def test_a_name_that_means_different_things_in_different_tools():
    assert cm.find("clusim:fmeasure") is cm.dice
    assert cm.find("ELKI:fMeasure") is cm.find("fmeasure") is cm.f_measure
    assert cm.find("Folkes_Mallows") is cm.fowlkes_mallows
    assert cm.find("FMS") is cm.fowlkes_mallows
    assert cm.find("sklearn:adjusted_rand_score") is cm.adjusted_rand
    assert cm.find("FmS") is cm.f_measure
    assert cm.find("ADJUSTED RAND") is cm.adjusted_rand
    with pytest.raises(ValueError, match="'fms' can mean several indices: f_measure, fowlkes_mallows"):
        cm.find("fms")
    with pytest.raises(ValueError, match="no index is called 'nobody:jaccard'"):
        cm.find("nobody:jaccard")


def test_catalogue_is_readable():
    text = repr(cm.catalogue())
    assert "adjusted_rand" in text
    assert "2 * (yy * nn - yn * ny)" in text
    assert len(cm.catalogue()) == len(INDICES) >= 12
    assert list(cm.catalogue()[:2]) == INDICES[:2]
    assert cm.rand in cm.catalogue()


def test_an_index_cannot_be_changed_from_outside():
    cm.f_measure.options["beta"] = 7
    assert cm.f_measure([0, 0, 1, 1], [0, 0, 0, 1]) == cm.dice([0, 0, 1, 1], [0, 0, 0, 1])


def test_fallbacks():
    third = cm.jaccard.when_undefined(Fraction(1, 3))
    assert third.exact(cm.crosstab([0, 1], [0, 1])) == Fraction(1, 3)
    assert third([0, 1], [0, 1]) == 1 / 3
    assert repr(third).endswith(".when_undefined(Fraction(1, 3))>")
    for bad in (None, "x"):
        with pytest.raises(ValueError, match="must be a number"):
            cm.jaccard.when_undefined(bad)
    with pytest.raises(ValueError, match="nan"):
        cm.jaccard.when_undefined(math.nan).exact(cm.crosstab([0, 1], [0, 1]))


def test_of_wants_a_table():
    for method in (cm.jaccard.of, cm.jaccard.exact):
        with pytest.raises(ValueError, match="table from crosstab"):
            method([0, 0])


def test_options_as_text():
    assert parse("f_measure(beta=2)")([0, 0, 1, 1], [0, 0, 0, 1]) == cm.f_measure([0, 0, 1, 1], [0, 0, 0, 1], beta=2)
    assert parse("jaccard") is cm.jaccard
    assert parse("FmS ( beta = 0.5 )").label == "f_measure(beta=0.5)"


@pytest.mark.parametrize(
    "text",
    ["f_measure(2)", "f_measure(beta=", "f_measure(**{})", "f_measure(beta=open('x'))", "f_measure(gamma=1)",
     "jaccard(beta=1)", "f_measure(y_true=1)", "__import__('os')", "f_measure(beta=2)(beta=3)"],
)  # fmt: skip
def test_texts_that_are_no_index(text):
    with pytest.raises(ValueError, match=r"index|option"):
        parse(text)


def test_options_that_an_index_does_not_have():
    with pytest.raises(ValueError, match=r"adjusted_rand has no option 'noise_pred'; it has model.*crosstab"):
        cm.adjusted_rand([0, 1], [0, 1], noise_pred={0: "drop"})
    with pytest.raises(ValueError, match="f_measure: give options by name; it has beta"):
        cm.f_measure([0, 1], [0, 1], 2)
    with pytest.raises(AttributeError, match=r"this index is clustermark\.adjusted_rand"):
        cm.ARI  # noqa: B018
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        cm.nonsense  # noqa: B018
    assert cm.find("normalized_mutual_info_score") is cm.find("NMI")


def test_attributes_of_an_index():
    assert cm.jaccard.best == 1.0
    assert cm.jaccard.title == "Jaccard index of pairs"
    with pytest.raises(AttributeError, match="colour"):
        cm.jaccard.colour  # noqa: B018
    assert repr(cm.f_measure) == "<index f_measure(y_true, y_pred, *, beta=1.0) -> float>"
    assert "10.1007/BF01908075" in str(cm.adjusted_rand.citation)


def test_the_panel_is_a_panel():
    panel = [index for index in cm.catalogue() if index.facts.panel]
    assert 18 <= len(panel) <= 26
    assert not any(index.may_sample for index in panel)


def test_options_that_are_yes_or_no():
    for call in (
        lambda: cm.edit_distance([0, 1], [0, 1], per_point="no"),
        lambda: cm.modified_adjusted_rand([0, 1], [0, 1], raw="no"),
    ):
        with pytest.raises(ValueError, match="must be True or False"):
            call()
    with pytest.raises(ValueError, match="0 or a positive number"):
        cm.tversky([0, 1], [0, 1], alpha=-1)


def test_options_that_are_positive_reach_to_their_bounds():
    true, pred = [0, 0, 1, 1, 1], [0, 0, 0, 1, 1]
    for beta in (1e-50, 1e50):
        assert 0 <= cm.f_measure(true, pred, beta=beta) <= 1
    for beta in (0.99e-50, 1.01e50, 0):
        with pytest.raises(ValueError, match="between 1e-50 and 1e50"):
            cm.f_measure(true, pred, beta=beta)
    assert cm.tversky(true, pred, alpha=0, beta=0) == 1.0  # yy / yy


def test_names_elsewhere_mean_what_they_compute_there():
    assert cm.find("ELKI:fMeasureSecond") == cm.best_f.with_options(side="pred")
    assert cm.find("Clustering.jl:randindex[1]") is cm.adjusted_rand
    for name in ("mclust:classError", "pyannote:JaccardErrorRate", "fpc:prediction.strength", "mclustcomp:tversky"):
        with pytest.raises(ValueError, match="no index is called"):
            cm.find(name)
