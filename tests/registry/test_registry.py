"""The declared properties of every index hold."""

from __future__ import annotations

import doctest
import inspect
import math
import pickle
import pydoc
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest

import clustermark as cm
import clustermark.sklearn
from clustermark import testing
from clustermark.errors import InputError
from clustermark.registry import Index, parse, with_chosen_options
from clustermark.registry.facts import OptionFacts
from clustermark.registry.references import REFERENCES
from clustermark.testing import CHECKS, check_metric, check_symmetry, partitions, small_cases
from oracle import all_partitions

INDICES = list(cm.catalogue())
EVERY = pytest.mark.parametrize("one", INDICES, ids=lambda one: one.name)
ASYMMETRIC_WITH = {
    "b_cubed_f": {"beta": 2},
    "f_measure": {"beta": 2},
    "merge_distance": {"split": 2},
    "reduced_mutual_information": {"encoding": "dirichlet_multinomial"},
    "tversky": {"alpha": 1, "beta": 0},
    "v_measure": {"beta": 2},
}
"""Options with which an index is not symmetric, where its defaults make it so."""
NOT_METRIC = {
    "greedy_matching": ((0, 1, 1, 1, 1, 0, 1), (0, 1, 0, 0, 1, 0, 1), (0, 1, 0, 0, 0, 0, 1)),
}
"""Three partitions that break the triangle inequality, where fewer than six points do not."""


LONG = ("matching", "coreference", "information")  # families whose small cases take long


@pytest.mark.parametrize(
    "one",
    [pytest.param(one, marks=pytest.mark.slow if one.family in LONG else ()) for one in INDICES],
    ids=[one.name for one in INDICES],
)
def test_it_keeps_what_is_declared_of_it(one):
    for check in CHECKS:
        if check not in (check_symmetry, check_metric):
            check(one)


@pytest.mark.slow
@EVERY
def test_it_is_symmetric_and_a_metric_as_declared(one):
    check_symmetry(one.with_options(**ASYMMETRIC_WITH.get(one.name, {})))
    check_metric(one, NOT_METRIC.get(one.name))


def test_the_checks_see_all_small_partitions():
    for n in range(1, 7):
        assert partitions(n) == sorted(all_partitions(n))
    seen = {tuple(sorted(zip(case.true, case.pred, strict=True))) for case in small_cases()}
    assert len(seen) > (1000 if testing.MOST_POINTS == 6 else 200)
    for true, pred, table, turned in small_cases()[::9]:
        assert table == cm.crosstab(true, pred) == turned.T


def test_undefined_on_identical_singletons_by_contract():
    for one in (cm.jaccard, cm.dice, cm.f_measure):
        assert [one(range(n), range(n)) for n in (1, 2, 6)] == [0.0] * 3


@EVERY
def test_exact_fractions_of_pairs_are_correctly_rounded(one):
    for case in small_cases()[::11]:
        if one.rational and one.statistic is cm.PairCounts and not math.isinf(one.of(case.table)):
            assert float(one.exact(case.table)) == one.of(case.table)


@EVERY
def test_it_is_public_and_dressed_as_its_function(one):
    assert getattr(cm, one.name) is one
    assert one.name in cm.__all__
    assert list(inspect.signature(one).parameters)[:2] == ["y_true", "y_pred"]
    assert one.__name__ == one.name
    assert one.formula in one.__doc__
    text = pydoc.plain(pydoc.render_doc(one))
    assert one.title in text
    assert f"{one.name}(y_true, y_pred" in text
    assert one.reference in REFERENCES, "CONTRIBUTING says what to cite where there is no paper"
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


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("bcubed_f1", "b_cubed_f or"),
        ("cluster_f1", r"cluster_f\?"),
    ],
)
def test_other_words_for_an_f_measure_are_answered_by_ours(asked, said):
    with pytest.raises(InputError, match=f"no index is called '{asked}'; did you mean {said}"):
        cm.find(asked)


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


@pytest.mark.parametrize(
    "name", ["f", "F1", "f_score", "fscore", "f1_score", "F-score", "precision", "Recall", "accuracy"]
)
def test_a_name_that_each_family_uses_lists_the_candidates_instead_of_one(name):
    word = {"precision": "precision", "recall": "recall", "accuracy": "accuracy"}.get(name.lower(), "f")
    with pytest.raises(cm.InputError, match="can mean several indices: ") as caught:
        cm.find(name)
    candidates = str(caught.value).partition(": ")[2].partition(";")[0].split(", ")
    assert candidates[0] == {"f": "dice (pair_f1)", "accuracy": "matching_accuracy"}.get(word, f"pair_{word}")
    assert word == "accuracy" or {f"b_cubed_{word}", f"cluster_{word}"} <= set(candidates)
    assert all(cm.find(candidate.partition(" ")[0]) for candidate in candidates)


def test_other_names_of_these_words_find_one():
    assert cm.find("bcubed:fscore") is cm.b_cubed_f
    assert cm.find("bcubed-metrics:f1_score") is cm.b_cubed_elementwise_f
    assert cm.find("pairwise_f1") is cm.find("pair_f1") is cm.dice
    assert cm.find("precision_score") is cm.pair_precision
    assert cm.find("MCC") is cm.find("matthews_corrcoef") is cm.phi
    assert cm.find("McC") is cm.mcconnaughey
    with pytest.raises(cm.InputError, match="'mcc' can mean several indices: mcconnaughey, phi"):
        cm.find("mcc")


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
    with pytest.raises(ValueError, match="jaccard has no option 'beta'"):
        cm.jaccard.of(cm.crosstab([0], [0]), beta=2)


def test_labels_by_name():
    assert cm.jaccard(y_true=[0, 0], y_pred=[0, 0]) == cm.jaccard([0, 0], y_pred=[0, 0]) == 1.0
    assert cm.f_measure([0, 0, 1], y_pred=[0, 0, 0], beta=2) == cm.f_measure([0, 0, 1], [0, 0, 0], beta=2)
    for inputs, named in (([[0]], {}), ([], {}), ([[0]], {"y_true": [0]}), ([[0]], {"labels": [0]})):
        with pytest.raises(TypeError, match=r"jaccard takes \(y_true, y_pred\); got"):
            cm.jaccard(*inputs, **named)


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
    with pytest.raises(ValueError, match=r"adjusted_rand has no option 'push_down'; it has model.*crosstab"):
        cm.adjusted_rand([0, 1], [0, 1], push_down=True)
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
    assert cm.jaccard.facts.title == cm.jaccard.title
    with pytest.raises(AttributeError, match="colour"):
        cm.jaccard.colour  # noqa: B018
    with pytest.raises(AttributeError, match="title"):
        cm.jaccard.title = "another"
    with pytest.raises(AttributeError, match="cannot delete field 'bounds'"):
        del cm.adjusted_rand.bounds
    with pytest.raises(AttributeError, match="cannot assign to field 'facts'"):
        cm.jaccard.uses[0].facts = None
    assert inspect.get_annotations(cm.jaccard) == {"p": "PairCounts", "return": "float"}
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


VARIED = [
    one.with_options(**{option: value})
    for one in INDICES
    for option, by_value in one.facts_by_option.items()
    for value in by_value
]


@pytest.mark.slow
@pytest.mark.parametrize("one", VARIED, ids=lambda one: one.label)
def test_what_an_option_changes_is_declared(one):
    check_symmetry(one)
    check_metric(one)
    low, high = one.bounds
    assert all(low <= one.of(case.table) <= high for case in small_cases())
    plain = one.with_options(**{name: one._first.function.__kwdefaults__[name] for name in one.options})
    declared = cm.find(one.name)
    assert plain == declared
    assert [getattr(plain, fact) for fact in OptionFacts.__annotations__] == [
        getattr(declared, fact) for fact in OptionFacts.__annotations__
    ]


def test_what_an_option_changes_is_said():
    assert "With average='max' or 'joint': its distance is a metric." in cm.normalized_mutual_information.sentences
    said = cm.normalized_variation_of_information.sentences
    assert "With variant='truth': range [0, ∞); not symmetric; its distance is no metric." in said
    assert "With model='all1': range (−∞, 1]; not symmetric; chance: all predictions." in cm.adjusted_rand.sentences
    assert "With normalized=True: range [0, 1]; its distance is no metric." in cm.robinson_foulds.sentences
    assert not cm.robinson_foulds.with_options(normalized=True).metric


@pytest.mark.slow
def test_an_index_of_two_kinds_of_comparison_serves_both_in_a_new_process():
    code = "import clustermark as cm; print(cm.element_centric([{0}, {1}], [{0}, {1}]), len(cm.find('GeA').uses))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "1.0 2\n"
