"""Indices of covers: by their definitions, on published cases, and on partitions."""

from __future__ import annotations

import doctest
import json
import math
import pickle
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import clustermark as cm
import covers_oracle as oracle
from clustermark.registry import parse
from clustermark.registry.formulas import is_formula_of
from clustermark.registry.references import REFERENCES
from clustermark.statistics import comemberships
from clustermark.subjects.cover_tables import CoverLimits
from needs import need

COVERS = list(cm.catalogue("covers"))
EVERY = pytest.mark.parametrize("one", COVERS, ids=lambda one: one.name)


def digits(*clusters):
    return [{int(item) for item in cluster} for cluster in clusters]


C1 = digits("0123", "3456"), digits("012", "234", "456")
C3 = digits("0123", "2345", "67"), digits("012", "345", "567")
C4 = digits("012", "345"), digits("01", "23", "45")
GOLDEN = """
omega                        0.533333333333  0.485564304462  0.242424242424
onmi_lfk                     0.444642767283  0.552053582815  0.396240625180
onmi                         0.356399138344  0.546399598535  0.333333333333
extended_b_cubed_precision   0.914285714286  0.854166666667  0.833333333333
extended_b_cubed_recall      0.765306122449  0.729166666667  0.555555555556
element_centric              0.780536130536  0.481060606061  0.555555555556
geometric_accuracy           0.774596669241  0.762770071396  0.745355992500
"""


@pytest.mark.parametrize("row", [line.split() for line in GOLDEN.strip().splitlines()], ids=lambda row: row[0])
def test_worked_values(row):
    """Each confirmed by CDlib, clusim or bcubed, and by hand."""
    for covers, value in zip((C1, C3, C4), row[1:], strict=True):
        assert cm.find(row[0])(*covers) == pytest.approx(float(value), abs=1e-12)


def use_of(one):
    return next(use for use in one.uses if use.comparison.name == "covers")


N = 6
clusters = st.sets(st.integers(0, N - 1), max_size=N)
covers = st.lists(clusters, max_size=4)
labels = st.lists(st.integers(0, 3), min_size=1, max_size=9)
FORMS = [
    ("omega", oracle.omega),
    ("onmi_lfk", oracle.onmi_lfk),
    ("onmi", oracle.onmi),
    ("onmi(average='arithmetic')", lambda *x: oracle.onmi(*x, "arithmetic")),
    ("onmi(average='geometric')", lambda *x: oracle.onmi(*x, "geometric")),
    ("onmi(average='min')", lambda *x: oracle.onmi(*x, "min")),
    ("extended_b_cubed_precision", oracle.extended_precision),
    ("extended_b_cubed_recall", oracle.extended_recall),
    ("extended_b_cubed_f", oracle.extended_f),
    ("extended_b_cubed_f(beta=2)", lambda *x: oracle.extended_f(*x, beta=2)),
    ("cover_pair_precision", oracle.pair_precision),
    ("cover_pair_recall", oracle.pair_recall),
    ("cover_pair_f", oracle.pair_f),
    ("cover_pair_f(beta=2)", lambda *x: oracle.pair_f(*x, beta=2)),
    ("element_centric", oracle.element_centric),
    ("element_centric(alpha=0.5)", lambda *x: oracle.element_centric(*x, alpha=0.5)),
    ("average_f1", oracle.average_f1),
    ("average_jaccard", oracle.average_jaccard),
    ("maximum_matching_ratio", oracle.maximum_matching_ratio),
    ("geometric_accuracy", oracle.geometric_accuracy),
]


def test_every_index_has_its_definition():
    assert {name.partition("(")[0] for name, _ in FORMS} == {one.name for one in COVERS}


@given(true=covers, pred=covers)
@settings(max_examples=120, deadline=None)
@example(true=digits("0", "0"), pred=digits("0"))
@example(true=digits("01234", "5"), pred=digits("0123", "45", "5"))
@example(true=digits("012345", "012345"), pred=digits("012345"))
@example(true=digits("0"), pred=digits("1234"))
@example(true=[], pred=[])
@pytest.mark.slow
def test_each_is_its_definition(true, pred):
    items = range(N)
    table = cm.CoverTable(true, pred, items=items)
    filled = [cluster for cluster in true if cluster], [cluster for cluster in pred if cluster]
    for name, slow in FORMS:
        one = parse(name)
        try:
            score = one.strict.of(table)
        except cm.UndefinedIndexError:
            with pytest.raises(ZeroDivisionError):
                slow(*filled, items)
            continue
        value = slow(*filled, items)
        assert score == pytest.approx(float(value), abs=1e-12), name
        if isinstance(value, Fraction) and one.rational:
            assert one.exact(table) == value
            assert score == float(value)


@given(true=covers, pred=covers)
@settings(max_examples=40, deadline=None)
@pytest.mark.slow
def test_each_keeps_what_is_declared_of_it(true, pred):
    items = range(N)
    table, turned = cm.CoverTable(true, pred, items=items), cm.CoverTable(pred, true, items=items)
    identical = cm.CoverTable(true, true[::-1], items=items)
    # other names of items and clusters, in another order
    others = {f"t{place}": [f"c{7 * item % 11}" for item in cluster] for place, cluster in enumerate(true)}
    renamed = cm.Cover([{f"c{7 * item % 11}" for item in cluster} for cluster in reversed(pred)])
    again = cm.CoverTable(others, renamed, items=[f"c{7 * item % 11}" for item in reversed(items)])
    for one in COVERS:
        facts, score = use_of(one).facts, one.of(table)
        assert facts.bounds[0] <= score <= facts.bounds[1], one
        if facts.symmetric:
            assert one.of(turned) == pytest.approx(score, abs=1e-12), one
        if facts.best_on_identity and facts.undefined is None:
            assert one.of(identical) == facts.best, one
        assert one.of(again) == (pytest.approx(score, abs=1e-13) if one.name == "element_centric" else score), one
        if one.name != "element_centric":  # whose formula is in words
            check_formula(use_of(one), one.strict, table)


def check_formula(use, strict, table):
    try:
        score = strict.of(table)
    except cm.UndefinedIndexError:
        return
    fields = use.statistic.of(table)._asdict() | (use.function.__kwdefaults__ or {})
    assert is_formula_of(use.formula, fields, score), use.formula


@EVERY
def test_what_is_denied_has_a_witness(one):
    facts = use_of(one).facts
    options = {"beta": 2} if one.name.endswith("_f") else {}
    if facts.symmetric is False:
        assert any(one(*c, **options) != pytest.approx(one(*c[::-1], **options)) for c in (C1, C3, C4))
    if not facts.best_on_identity:
        assert one(C1[0], C1[0]) < facts.best


def test_geometric_accuracy_of_identical_covers():
    assert cm.geometric_accuracy(digits("012", "234"), digits("012", "234")) == pytest.approx(math.sqrt(0.75))


def test_the_mean_of_omega_over_permutations_is_zero():
    true, pred = digits("012", "234"), digits("01", "13", "034")
    scores = [
        cm.omega(true, [{order[item] for item in cluster} for cluster in pred]) for order in permutations(range(5))
    ]
    assert sum(scores) == pytest.approx(0, abs=1e-12)
    for one in COVERS:
        assert (use_of(one).facts.chance_model == "permutation") == (one.name == "omega")


SAME = {
    "omega": "adjusted_rand",
    "cover_pair_precision": "pair_precision",
    "cover_pair_recall": "pair_recall",
    "cover_pair_f": "f_measure",
    "extended_b_cubed_precision": "b_cubed_precision",
    "extended_b_cubed_recall": "b_cubed_recall",
    "extended_b_cubed_f": "b_cubed_f",
    "element_centric": "element_centric",
    "average_f1": "average_f1",
    "maximum_matching_ratio": "maximum_matching_ratio",
    "geometric_accuracy": "geometric_accuracy",
}
"""The name of an index of covers where no clusters overlap."""


def as_cover(labels):
    found = {}
    for item, label in enumerate(labels):
        found.setdefault(label, set()).add(item)
    return list(found.values())


@given(data=st.data(), true=labels)
@settings(max_examples=60, deadline=None)
@pytest.mark.slow
def test_partitions_score_as_ever(data, true):
    """To the last bit, whether the partition comes as sets or as labels."""
    pred = data.draw(st.lists(st.integers(0, 3), min_size=len(true), max_size=len(true)))
    table = cm.crosstab(true, pred)
    sets, mixed = cm.CoverTable(as_cover(true), as_cover(pred)), cm.CoverTable(cm.Cover(true), pred)
    for name, same in SAME.items():
        assert cm.find(name).of(sets) == cm.find(name).of(mixed) == cm.find(same).of(table), name


def test_partitions_score_as_ever_by_the_general_way():
    """The same where nobody sees that no clusters overlap; only matchings and walks are rounded in another way."""
    rng = np.random.default_rng(5)
    for n in (2, 7, 60, 400):
        true, pred = rng.integers(0, 1 + n // 6, n), rng.integers(0, 1 + n // 9, n)
        table = cm.CoverTable(true, pred)
        table.__dict__["is_hard"] = False
        for name, ours in SAME.items():
            expected = cm.find(ours)(true, pred)
            rounded = name in ("element_centric", "maximum_matching_ratio")
            assert cm.find(name).of(table) == (pytest.approx(expected, abs=1e-13) if rounded else expected)


def test_items_of_one_side_are_as_in_coreference():
    """Extended B-cubed of clusters that do not overlap is B-cubed with unmatched="keep"."""
    rng = np.random.default_rng(8)
    for _ in range(20):
        true, pred = ({int(x): int(rng.integers(0, 4)) for x in rng.permutation(12)[:8]} for _ in range(2))
        table = cm.crosstab(true, pred, unmatched="keep")
        for name in ("precision", "recall", "f"):
            score = cm.find(f"extended_b_cubed_{name}")(cm.Cover(true), cm.Cover(pred))
            assert score == cm.find(f"b_cubed_{name}").of(table)


def random_cover(rng, n, k, several=0.3):
    """Each item in one cluster, and some in more."""
    found = [set() for _ in range(k)]
    for item in range(n):
        for number in rng.integers(0, k, 1 + rng.binomial(2, several)):
            found[number].add(item)
    return [cluster for cluster in found if cluster]


@pytest.mark.slow
@pytest.mark.parametrize("nested", [False, True])
def test_larger_covers(monkeypatch, nested):
    """By the definitions; and the same from several blocks as from one, and where large clusters are counted apart."""
    rng = np.random.default_rng(2)
    true, pred = random_cover(rng, 60, 7), random_cover(rng, 60, 9)
    if nested:
        true += [set(range(60)), set(range(30)), set(range(30, 60))]
        pred += [set(range(64)), set(range(40)), set(range(20, 60))]
    items = range(64)
    whole = {one.name: one(true, pred, items=items) for one in COVERS}
    for name, slow in FORMS:
        if name in whole and name != "maximum_matching_ratio":  # whose definition tries all matchings
            assert whole[name] == pytest.approx(float(slow(true, pred, items)), abs=1e-12), name
    seen = []
    find = comemberships._find_large
    monkeypatch.setattr(comemberships, "_find_large", lambda *given: seen.append(find(*given)) or seen[-1])
    for groups in (4096, 0):
        table = cm.CoverTable(true, pred, items=items)
        table.limits = CoverLimits(block=50, solved=0, interrupted=0, groups=groups)
        for one in COVERS:
            assert one.of(table) == pytest.approx(whole[one.name], abs=1e-15)
        assert any(large.any() for large in seen) == (groups > 0)
        seen.clear()


OF_PAIRS = [name for name in SAME if name.startswith(("omega", "extended", "cover_pair"))]


@pytest.mark.parametrize("product", [1, 10**9], ids=["sparse", "dense"])
def test_covers_of_items_in_many_clusters(monkeypatch, product):
    """By the definitions, from several blocks of either product, with cells of several items."""
    rng = np.random.default_rng(4)
    true, pred = ([set(np.flatnonzero(column).tolist()) for column in rng.random((5, 30)) < 0.6] for _ in range(2))
    true, pred = ([cluster | {item + 30 for item in cluster} for cluster in side] for side in (true, pred))
    counted = []
    count = comemberships._count_dense
    monkeypatch.setattr(comemberships, "_count_dense", lambda *given: counted.append(count(*given)) or counted[-1])
    table = cm.CoverTable(true, pred, items=range(62))
    table.limits = CoverLimits(dense_columns=product, block=400, groups=0)
    for name, slow in FORMS:
        if name in OF_PAIRS:
            assert cm.find(name).of(table) == pytest.approx(float(slow(true, pred, range(62))), abs=1e-12), name
    assert [len(parts) > 1 for parts in counted] == [True] * (product > 1)


def test_items_that_share_too_many_clusters(monkeypatch):
    monkeypatch.setattr(cm.CoverTable, "limits", CoverLimits(steps=3))
    for name in OF_PAIRS:
        with pytest.raises(
            cm.UnsupportedTableError, match=r"kinds of items share clusters, because .* and more than 3 take"
        ):
            cm.find(name)(*C1)
    scores = cm.evaluate_covers(*C1)
    assert "omega" in scores.refused
    assert "average_f1" in scores


def test_a_cluster_without_a_common_item_can_tell_most():
    """Beside a huge cluster: only its size matters, and only more than 1/e of the items make it large."""
    true, pred = [set(range(10, 11))], [set(range(90)) - {10}]
    items = range(100)
    assert cm.onmi(true, pred, items=items) == pytest.approx(oracle.onmi(true, pred, items), abs=1e-12)
    assert cm.onmi(true, pred, items=items) > 0
    for size in range(1, 100):
        for other in range(1, 100 - size):
            mine, theirs = set(range(size)), set(range(99 - other, 99))
            assert (
                oracle.left(mine, [theirs], items, ties=True) == oracle.entropy(mine, items)
                or max(size, other) > 100 / math.e
            )


def test_walks_that_are_too_long(monkeypatch):
    monkeypatch.setattr(cm.CoverTable, "limits", CoverLimits(connected=1))
    with pytest.raises(cm.UnsupportedTableError, match="2 clusters are connected by items that they share"):
        cm.element_centric(*map(cm.Cover, C1))
    monkeypatch.setattr(cm.CoverTable, "limits", CoverLimits(pairs=3))
    with pytest.raises(cm.UnsupportedTableError, match="pairs of kinds of items have connected clusters"):
        cm.element_centric(*map(cm.Cover, C1))


def test_walks_along_a_chain_of_clusters(monkeypatch):
    """Which are solved as a band, whatever the order of the clusters: by the definition, and as a dense matrix."""
    order = np.random.default_rng(6).permutation(60)
    true = [{int(k), int(k) + 1, int(k) + 2} for k in order]
    pred = [{2 * k, 2 * k + 1, 2 * k + 2} for k in range(30)]
    dense = cm.element_centric(true, pred)
    bands = []
    scipy = need("scipy.linalg")
    solve = scipy.solve_banded
    monkeypatch.setattr(scipy, "solve_banded", lambda *given, **how: bands.append(given[0]) or solve(*given, **how))
    monkeypatch.setattr(cm.CoverTable, "limits", CoverLimits(interrupted=50))
    assert cm.element_centric(true, pred) == pytest.approx(dense, abs=1e-13)
    assert bands == [(2, 2)]
    assert dense == pytest.approx(oracle.element_centric(true, pred, range(62)), abs=1e-12)


def test_items_in_too_many_clusters(monkeypatch):
    monkeypatch.setattr(cm.CoverTable, "limits", CoverLimits(overlaps=3))
    with pytest.raises(cm.UnsupportedTableError, match="at least 4 pairs of clusters overlap, because"):
        cm.onmi(*C1)
    assert "average_f1" in cm.evaluate_covers(*C1).refused


@pytest.mark.parametrize("alpha", [0, 1, 1.5, "x", None])
def test_walks_need_a_probability(alpha):
    for call in (lambda: cm.element_centric(*map(cm.Cover, C1), alpha=alpha),
                 lambda: cm.element_centric([0, 1], [0, 0], alpha=alpha)):  # fmt: skip
        with pytest.raises(cm.InputError, match=r"alpha=.* must be a number between 0 and 1"):
            call()
    assert cm.element_centric([0, 0, 1], [0, 1, 1], alpha=0.2) == cm.element_centric([0, 0, 1], [0, 1, 1])


def test_averages():
    with pytest.raises(cm.InputError, match="average='mean' is unknown; choose one of 'max', 'arithmetic'"):
        cm.onmi(*C1, average="mean")
    twice = digits("012", "012", "012"), digits("012")
    assert cm.onmi(*twice, items=range(9)) <= 1 < cm.onmi(*twice, items=range(9), average="min")
    everything = [set(range(4))]
    assert cm.onmi(everything, everything, average="min") == 1.0
    for average in ("min", "geometric"):
        with pytest.raises(
            cm.UndefinedIndexError, match="with the geometric mean or min, where that is so on one side"
        ):
            cm.onmi.strict(everything, digits("01", "23"), average=average)


@pytest.mark.parametrize("average", ["min", "geometric"])
def test_bounds_of_averages(average):
    """Where a score leaves the bounds of the default, others are declared and shown."""
    one = cm.onmi.with_options(average=average)
    scores = cm.evaluate_covers(digits("01", "01", "01", "2"), digits("01"), [one], items=range(4))
    assert 1 < scores[one] < math.inf
    assert f"{scores[one]:.6f}  [0, ∞)  higher" in repr(scores)
    assert json.loads(scores.to_json())["scores"][one.label]["high"] == "inf"
    assert one.bounds == one.bounds_on(scores.subject) == pickle.loads(pickle.dumps(one)).bounds == (0.0, math.inf)
    assert one.with_options(average="max").bounds == cm.onmi.bounds == (0.0, 1.0)
    assert "With average='geometric' or 'min': range [0, ∞)." in cm.onmi.__doc__


def test_ties_match_where_their_authors_say_so():
    """Two clusters tell 7 bits by items that both have, or neither, and 7 by items that one has."""
    true, pred, items = [set(range(6))], [{0, 1, 2, 3, 6}], range(8)
    assert cm.onmi(true, pred, items=items) == pytest.approx(0.016462246, abs=1e-9)
    assert cm.onmi_lfk(true, pred, items=items) == 0.0
    assert cm.onmi(true, pred, items=items) == pytest.approx(oracle.onmi(true, pred, items), abs=1e-12)


def test_ties_are_known_whatever_is_rounded():
    """All ties of two clusters among few items, and all that are none."""
    for n in (4, 8):
        items = range(n)
        for a in range(1, n):
            for b in range(1, n):
                for common in range(max(1, a + b - n), min(a, b) + 1):
                    true, pred = [set(range(a))], [set(range(a - common, a - common + b))]
                    table = cm.CoverTable(true, pred, items=items)
                    for one in (cm.onmi, cm.onmi_lfk):
                        expected = getattr(oracle, one.name)(true, pred, items)
                        assert one.of(table) == pytest.approx(expected, abs=1e-12), (one, n, a, b, common)


def test_undefined_scores():
    everything = [set(range(4))]
    assert (
        cm.onmi_lfk(everything, everything) == cm.onmi(everything, everything) == cm.omega(everything, everything) == 1
    )
    assert cm.onmi_lfk(everything, digits("01", "23")) == 0.0  # none is left on one side
    with pytest.raises(cm.UndefinedIndexError, match="onmi_lfk is undefined: every cluster of a side holds all items"):
        cm.onmi_lfk.strict(everything, digits("01", "23"))
    nobody = cm.Cover([], items=range(3))
    for one in COVERS:
        assert one(nobody, [{0, 1}], items=range(3)) == one.when_undefined(0.0)(nobody, [{0, 1}], items=range(3)) or (
            one.name in ("cover_pair_recall", "element_centric", "omega")
        )
    assert cm.average_f1(nobody, nobody) == 1.0
    assert cm.geometric_accuracy(nobody, nobody) == 0.0
    with pytest.raises(cm.UndefinedIndexError, match="average_f1 is undefined: a cover has no clusters"):
        cm.average_f1.strict(nobody, nobody)


@EVERY
def test_it_is_public_and_explained(one):
    assert getattr(cm, one.name) is one
    assert one.name in cm.__all__
    assert one.reference in REFERENCES
    assert pickle.loads(pickle.dumps(one.strict)) == one.strict
    source = doctest.DocTestParser().get_doctest(one.__doc__, {one.name: one}, one.name, None, None)
    assert source.examples
    assert doctest.DocTestRunner().run(source).failed == 0
    assert use_of(one).formula in one.__doc__
    for peer, names in one.peers.items():
        for name in names:
            assert cm.find(f"{peer}:{name.partition('(')[0]}").name == one.name
