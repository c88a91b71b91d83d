"""The contract, line by line: the class face, the Jaccard-Concentration Index, bad input."""

from __future__ import annotations

import datetime as dt
import random
from fractions import Fraction
from math import inf, nan, sqrt

import numpy as np
import pytest

import clustermark as cm
from clustermark import ClusteringMetric, UndefinedIndexError, concentration, jaccard_concentration_index
from needs import need
from oracle import all_partitions, jci, pair_counts, points_of

pd = need("pandas")

TRUE = [0, 0, 1, 1, 2, 2]
PRED = [0, 0, 1, 1, 1, 2]
SINGLETONS = [0, 1, 2, 3]
ONE = [0, 0, 0, 0]
METHODS = {"JS": 0.0, "PrS": 1.0, "ReS": 1.0, "CDS": 0.0, "FmS": 0.0, "RaS": 1.0, "TauS": 1.0}


class TestClusteringMetric:
    def test_worked_values(self):
        metric = ClusteringMetric(y_true=TRUE, y_pred=PRED)
        assert metric.JS() == 2 / 5
        assert metric.PrS() == 1 / 2
        assert metric.ReS() == 2 / 3
        assert metric.CDS() == 4 / 7
        assert metric.FmS(beta=1.0) == 4 / 7
        assert metric.RaS() == 4 / 5
        assert metric.TauS() == pytest.approx(9 / sqrt(195), rel=1e-15)

    def test_worked_pair_counts(self):
        assert cm.PairCounts.of(cm.crosstab(TRUE, PRED)) == (2, 1, 2, 10)

    def test_dispersed_clusters(self):
        metric = ClusteringMetric([0, 1, 2, 3, 4], [0, 0, 1, 2, 3])
        assert metric.RaS() == 9 / 10
        assert metric.JS() == 0

    def test_one_predicted_cluster(self):
        metric = ClusteringMetric([0, 0, 1, 1], ONE)
        assert metric.PrS() == 1 / 3
        assert metric.ReS() == 1

    def test_tau_of_identical_singletons(self):
        assert ClusteringMetric([0, 1, 2, 3], [10, 20, 30, 40]).TauS() == 1

    def test_tau_is_not_bounded_by_one(self):
        assert cm.tau([0, 0, 1, 1], [0, 0, 1, 1]) == pytest.approx(6 / sqrt(24), rel=1e-15)
        assert cm.tau([0] * 9 + [1], [0] * 9 + [1]) == pytest.approx(2.2361, abs=1e-4)
        assert cm.tau([0] * 5, [0] * 5) == 1.0
        assert cm.tau.bounds == (-1.0, inf)
        assert "Γ" in cm.tau.__doc__
        assert "1.2247" in cm.tau.__doc__

    def test_dice_is_not_ochiai(self):
        assert cm.find("ochiai") is cm.fowlkes_mallows

    @pytest.mark.parametrize(
        ("y_true", "y_pred", "undefined"),
        [
            (SINGLETONS, SINGLETONS, {"JS", "PrS", "ReS", "CDS", "FmS"}),
            (ONE, SINGLETONS, {"PrS"}),
            (SINGLETONS, ONE, {"ReS"}),
            (ONE, ONE, {"TauS"}),
            ([0], [0], set(METHODS)),
        ],
    )
    def test_undefined_values(self, y_true, y_pred, undefined):
        for method, default in METHODS.items():
            lax = getattr(ClusteringMetric(y_true, y_pred), method)
            if method not in undefined:
                assert lax(force_finite=False) == lax()
                assert lax(finite_value=0.25) == lax()
                continue
            assert lax() == default
            assert lax(finite_value=0.25) == 0.25
            with pytest.raises(ZeroDivisionError):
                lax(force_finite=False)

    @pytest.mark.parametrize("method", METHODS)
    def test_precedence_of_finite_value(self, method):
        metric = ClusteringMetric([7], [7], finite_value=0.5)
        assert getattr(metric, method)() == 0.5
        assert getattr(metric, method)(finite_value=0.75) == 0.75
        assert getattr(metric, method)(finite_value=0.0) == 0.0

    @pytest.mark.parametrize("method", METHODS)
    def test_precedence_of_force_finite(self, method):
        metric = ClusteringMetric([7], [7], force_finite=False)
        with pytest.raises(UndefinedIndexError):
            getattr(metric, method)()
        assert getattr(metric, method)(force_finite=True) == METHODS[method]

    def test_the_error_names_index_and_reason(self):
        with pytest.raises(
            UndefinedIndexError, match=r"pair_precision is undefined: the prediction .* singletons"
        ) as info:
            ClusteringMetric(ONE, SINGLETONS).PrS(force_finite=False)
        assert isinstance(info.value, ZeroDivisionError)
        assert isinstance(info.value, ValueError)

    def test_functions_have_the_same_defaults(self):
        functions = [cm.jaccard, cm.pair_precision, cm.pair_recall, cm.dice, cm.f_measure, cm.rand, cm.tau]
        for function, (_, default) in zip(functions, METHODS.items(), strict=True):
            assert function(["x"], ["y"]) == default

    def test_methods_accept_labels_of_their_own(self):
        metric = ClusteringMetric()
        assert metric.JS(TRUE, PRED) == 2 / 5
        assert ClusteringMetric(y_true=TRUE).JS(y_pred=PRED) == 2 / 5
        assert ClusteringMetric(ONE, ONE).FmS(TRUE, PRED, 2.0) == cm.f_measure(TRUE, PRED, beta=2.0)

    def test_labels_are_those_of_the_constructor(self):
        labels = np.array([0, 0, 1, 1])
        metric = ClusteringMetric(labels, labels)
        labels[:] = 0
        assert metric.JS() == 1.0
        metric.y_pred = [0, 0, 0, 1]
        metric.y_true = [0, 0, 1, 1]
        assert metric.JS() == cm.jaccard([0, 0, 1, 1], [0, 0, 0, 1])

    def test_labels_that_are_not_given(self):
        with pytest.raises(ValueError, match="y_true is not given"):
            ClusteringMetric().JS()
        with pytest.raises(ValueError, match="y_pred is not given"):
            ClusteringMetric(TRUE).JS()

    @pytest.mark.parametrize("beta", [0, -1, nan, inf, -inf, "1", None, 1j, 10**400])
    def test_beta_must_be_positive(self, beta):
        with pytest.raises(ValueError, match="beta"):
            ClusteringMetric(TRUE, PRED).FmS(beta=beta)

    def test_features_leave_scores_against_the_truth_as_they_are(self):
        assert ClusteringMetric(TRUE, PRED, X=[[1.0]]).JS() == ClusteringMetric(TRUE, PRED).JS(X=[[1.0]])

    def test_long_names_and_other_abbreviations(self):
        metric = ClusteringMetric(TRUE, PRED)
        assert metric.jaccard_score() == metric.JS()
        assert metric.FS(beta=2) == metric.FmS(beta=2) == metric.f_measure_score(beta=2)
        assert metric.czekanowski_dice_score() == metric.CDS()
        assert metric.ARS() == metric.adjusted_rand_score() == cm.adjusted_rand(TRUE, PRED)
        assert metric.FMS() == cm.fowlkes_mallows(TRUE, PRED)

    def test_every_external_name_of_permetrics(self, peer):
        permetrics = peer("permetrics")
        metric = ClusteringMetric(TRUE, PRED)
        internal = {name for name, facts in permetrics.ClusteringMetric.SUPPORT.items() if name.endswith("I")}
        for name in set(permetrics.ClusteringMetric.SUPPORT) - internal:
            long_name = getattr(permetrics.ClusteringMetric, name).__name__
            assert getattr(metric, name)() == getattr(metric, long_name)()
            support = metric.get_support(name, verbose=False)
            assert set(support) == {"type", "range", "best"}

    def test_right_where_permetrics_is_wrong(self):
        entropy = ClusteringMetric([0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 1, 1, 2, 2])
        assert entropy.EnS() == pytest.approx(0.3444, abs=1e-4)
        assert entropy.MNS() == pytest.approx(1.6667, abs=1e-4)
        homogeneity = ClusteringMetric([0, 0, 1, 1, 0, 1], [0, 0, 1, 1, 2, 2])
        assert homogeneity.HS() == pytest.approx(0.6667, abs=1e-4)
        assert homogeneity.VMS() == pytest.approx(0.5158, abs=1e-4)

    def test_several_scores_at_once(self, capsys):
        metric = ClusteringMetric(TRUE, PRED)
        assert metric.get_metric_by_name("JS") == {"JS": 0.4}
        assert metric.get_metrics_by_list_names(["JS", "FmS"], [None, {"beta": 2}]) == {
            "JS": 0.4,
            "FmS": cm.f_measure(TRUE, PRED, beta=2),
        }
        assert metric.get_metrics_by_dict({"RaS": None}) == {"RaS": 0.8}
        assert metric.get_support("JS") == {"type": "max", "range": "[0, 1]", "best": "1"}
        assert "Metric JS" in capsys.readouterr().out
        assert set(metric.get_support("all", verbose=False)) >= {"JS", "TauS", "EnS", "PuS"}
        for wrong in ("nope", "_score", "get_support", "y_true"):
            with pytest.raises(ValueError, match="no score is called"):
                metric.get_metric_by_name(wrong)
        with pytest.raises(ValueError, match="no score is called"):
            metric.get_support("nope")
        with pytest.raises(ValueError, match="list_paras"):
            metric.get_metrics_by_list_names(["JS"], [])

    @pytest.mark.slow
    def test_formulas_and_identities_over_all_partitions_of_five(self):
        for true in all_partitions(5):
            for pred in all_partitions(5):
                yy, yn, ny, nn = pair_counts(points_of(true, pred))
                metric = ClusteringMetric(true, pred)
                assert metric.RaS() == float((yy + nn) / 10)
                assert metric.CDS() == metric.FmS(beta=1)
                if yy + yn + ny:
                    assert metric.JS() == float(yy / (yy + yn + ny))
                    assert metric.FmS(beta=3) == float(10 * yy / (10 * yy + 9 * yn + ny))
                    assert metric.FmS(beta=0.5) == float(
                        Fraction(5, 4) * yy / (Fraction(5, 4) * yy + Fraction(1, 4) * yn + ny)
                    )
                if yy + ny:
                    assert metric.PrS() == float(yy / (yy + ny)) == ClusteringMetric(pred, true).ReS()
                if nn + yn + ny:
                    assert metric.TauS() == pytest.approx(
                        float(yy + nn - yn - ny) / sqrt(10 * float(10 - yy)), rel=1e-14
                    )
                if metric.PrS() + metric.ReS() and yy:
                    harmonic = 2 * metric.PrS() * metric.ReS() / (metric.PrS() + metric.ReS())
                    assert metric.CDS() == pytest.approx(harmonic, rel=1e-14)
                for symmetric in ("JS", "CDS", "RaS", "TauS"):
                    assert getattr(metric, symmetric)() == getattr(ClusteringMetric(pred, true), symmetric)()

    def test_exact_past_ten_thousand_million_points(self):
        n = 10**10
        table = cm.Contingency.from_counts(["a", "a", "b"], [1, 2, 2], [n, 1, n])
        yy = 2 * (n * (n - 1) // 2)
        assert cm.PairCounts.of(table).yy == yy > 2**63
        assert cm.PairCounts.of(table) == (yy, n, n, n * n)

    def test_labels_of_any_hashable_kind(self):
        kinds = [(1, 2), frozenset({3}), dt.date(2020, 1, 1), "x", b"x", 3, -(2**100)]
        true = [kinds[0], kinds[0], kinds[1], kinds[2], kinds[3], kinds[4], kinds[5], kinds[6]]
        assert cm.jaccard(true, [0, 0, 1, 2, 3, 4, 5, 6]) == 1.0


class TestConcentration:
    def test_worked_values(self):
        assert concentration([0.2, 0.7, 0.1]) == 0.6104433499808846
        assert concentration([0.2, 0.7, 0.1], virtual_length=6) == 0.7429120801584187
        assert concentration([1, 1, 1], virtual_length=6) == 0.534570001913252
        assert concentration([0, 1, 1, 0]) == 0.6435942529055827

    @pytest.mark.parametrize("n", [*range(2, 200), 660, 2999])
    def test_uniform_is_exactly_zero_and_one_index_exactly_one(self, n):
        for single in (False, True):
            assert concentration(np.ones(n), single_index=single) == 0.0
            assert concentration([0.1] * n, single_index=single) == 0.0
            assert concentration([0.0] * (n - 1) + [0.3], single_index=single) == 1.0
            assert concentration([0.1] * n, single_index=single, size_invariance=False) == 1 / n
            assert concentration([5], single_index=single, virtual_length=n) == 1.0

    def test_single_index(self):
        v = [Fraction(2, 10), Fraction(7, 10), Fraction(1, 10)]
        m, s, uc = max(x * x for x in v), sum(x * x for x in v), Fraction(1, 3)
        expected = float(((m / s - uc) / (1 - uc)) ** 2)
        assert concentration([0.2, 0.7, 0.1], single_index=True) == pytest.approx(expected, rel=1e-14)

    def test_size_invariance(self):
        c = concentration([0.2, 0.7, 0.1])
        assert concentration([0.2, 0.7, 0.1], size_invariance=False) == pytest.approx(c * 2 / 3 + 1 / 3, rel=1e-15)

    def test_degenerate_order(self):
        assert concentration([]) == 0.0
        assert concentration([], virtual_length=7) == 0.0
        assert concentration([0]) == 1.0
        assert concentration([5]) == 1.0
        assert concentration([0, 0]) == 0.0
        assert concentration([0, 0], size_invariance=False) == 0.0
        assert concentration([0], virtual_length=2) == 0.0

    @pytest.mark.parametrize("bad", [[-1, 2], [nan, 1], [inf, 1], [-1], [nan], [[1, 2]], ["a"], {1: 2}, 5, None, [1j]])
    def test_bad_values(self, bad):
        with pytest.raises(ValueError, match="values"):
            concentration(bad)

    def test_virtual_length_must_suffice(self):
        with pytest.raises(ValueError, match="virtual_length"):
            concentration([1, 2, 3], virtual_length=2)
        for bad in (-1, nan, 5.5, "6"):
            with pytest.raises(ValueError, match="virtual_length"):
                concentration([1, 2, 3], virtual_length=bad)

    def test_extreme_values_neither_overflow_nor_vanish(self):
        assert concentration([1e300, 2e300]) == pytest.approx(concentration([1, 2]), rel=1e-14)
        assert concentration([1e-300, 2e-300]) == pytest.approx(concentration([1, 2]), rel=1e-14)


class TestJaccardConcentrationIndex:
    def test_identity(self):
        assert jaccard_concentration_index(TRUE, TRUE) == 1.0

    def test_against_the_definition(self):
        rng = random.Random(1)
        for _ in range(300):
            n = rng.randrange(1, 30)
            true = [rng.randrange(5) for _ in range(n)]
            pred = [rng.randrange(5) for _ in range(n)]
            result = jaccard_concentration_index(true, pred, return_all=True)
            expected = jci(points_of(true, pred))
            assert result["score"] == pytest.approx(expected[0], abs=1e-12)
            assert result["macroavg_max_jaccard_index"] == pytest.approx(expected[1], abs=1e-12)
            assert result["macroavg_concentration"] == pytest.approx(expected[2], abs=1e-12)
            assert jaccard_concentration_index(true, pred) == result["score"]

    def test_registry_names(self):
        assert cm.find("JCI") is cm.jaccard_concentration
        result = jaccard_concentration_index(TRUE, PRED, return_all=True)
        assert result["score"] == cm.jaccard_concentration(TRUE, PRED)
        assert result["macroavg_max_jaccard_index"] == cm.max_jaccard(TRUE, PRED)
        assert result["macroavg_concentration"] == cm.mean_concentration(TRUE, PRED)

    def test_return_all(self):
        result = jaccard_concentration_index(
            ["b", "b", "a", "a"], ["y", "y", "x", "y"], return_all=True, ordered_labels=["first", "second"]
        )
        assert list(result) == ["score", "macroavg_max_jaccard_index", "macroavg_concentration", "cluster_results"]
        x, y = result["cluster_results"]
        assert list(x) == [
            "score",
            "max_jaccard_index",
            "concentration",
            "closest_label_index",
            "closest_label",
            "size_proportion",
        ]
        assert (x["closest_label_index"], x["closest_label"], x["size_proportion"]) == (0, "first", 1 / 4)
        assert (y["closest_label_index"], y["closest_label"], y["size_proportion"]) == (1, "second", 3 / 4)
        assert (x["max_jaccard_index"], x["concentration"], x["score"]) == (1 / 2, 1.0, sqrt(1 / 2))
        assert y["max_jaccard_index"] == 2 / 3
        assert all(type(value) in (float, int, str) for value in (*x.values(), *y.values()))
        assert type(result["score"]) is float

    def test_closest_label_is_the_first_of_equals_in_sorted_order(self):
        result = jaccard_concentration_index([9, 9, 3, 3, 5], [0, 0, 0, 0, 1], return_all=True)
        assert result["cluster_results"][0]["closest_label_index"] == 0
        assert result["cluster_results"][0]["closest_label"] is None
        result = jaccard_concentration_index(["z", "z", "k", "k"], [0] * 4, return_all=True)
        assert result["cluster_results"][0]["closest_label_index"] == 0

    def test_clusters_in_sorted_order_or_by_first_appearance(self):
        sizes = jaccard_concentration_index([0] * 6, ["c", "a", "a", "b", "b", "b"], return_all=True)
        assert [c["size_proportion"] for c in sizes["cluster_results"]] == [2 / 6, 3 / 6, 1 / 6]
        mixed = jaccard_concentration_index([0] * 6, ["c", 1, 1, (2,), (2,), (2,)], return_all=True)
        assert [c["size_proportion"] for c in mixed["cluster_results"]] == [1 / 6, 2 / 6, 3 / 6]

    def test_ordered_labels_must_fit(self):
        with pytest.raises(ValueError, match="ordered_labels"):
            jaccard_concentration_index(TRUE, PRED, return_all=True, ordered_labels=["A"])
        assert jaccard_concentration_index(TRUE, PRED, ordered_labels=["A"]) > 0

    def test_noise(self):
        true, pred = [0, 0, 0, 1, 1, 1], [5, 5, -1, 6, 6, -1]
        result = jaccard_concentration_index(true, pred, noise_label=-1, return_all=True)
        assert len(result["cluster_results"]) == 2
        assert [c["max_jaccard_index"] for c in result["cluster_results"]] == [2 / 3, 2 / 3]
        assert [c["size_proportion"] for c in result["cluster_results"]] == [1 / 2, 1 / 2]
        assert result["macroavg_max_jaccard_index"] == pytest.approx(2 / 3, rel=1e-15)

    def test_noise_that_does_not_occur_changes_nothing(self):
        plain = jaccard_concentration_index(TRUE, PRED)
        assert jaccard_concentration_index(TRUE, PRED, noise_label=99) == plain
        assert jaccard_concentration_index(TRUE, PRED, noise_label="x") == plain

    def test_points_lost_to_noise_alone(self):
        assert jaccard_concentration_index([0, 0] + [1] * 98, [0, 0] + [-1] * 98, noise_label=-1) == 1.0

    @pytest.mark.parametrize("label", [nan, pd.NA, [1]])
    def test_a_noise_label_that_is_no_label(self, label):
        with pytest.raises(ValueError, match="noise_label"):
            jaccard_concentration_index(TRUE, PRED, noise_label=label)

    def test_all_points_noise(self):
        with pytest.raises(ValueError, match="noise"):
            jaccard_concentration_index([0, 1], [-1, -1], noise_label=-1)

    def test_uniform_overlaps_are_exactly_zero(self):
        for k in range(2, 60):
            assert jaccard_concentration_index(range(k), [0] * k) == 0.0
            assert cm.mean_concentration(range(k), [0] * k) == 0.0

    def test_renaming_gives_identical_bits(self):
        rng = np.random.default_rng(0)
        true, pred = rng.integers(0, 50, 2000), rng.integers(0, 50, 2000)
        score = jaccard_concentration_index(true, pred)
        for _ in range(20):
            names = rng.permutation(50)
            order = rng.permutation(2000)
            assert jaccard_concentration_index(names[true][order], names[::-1][pred][order]) == score
        assert jaccard_concentration_index([f"t{t}" for t in true], [(int(p),) for p in pred]) == score


class TestBadInput:
    CALLS = (
        cm.jaccard,
        cm.crosstab,
        cm.evaluate,
        jaccard_concentration_index,
        lambda t, p: ClusteringMetric(t, p).JS(),
        lambda t, p: ClusteringMetric().JS(t, p),
    )

    @pytest.mark.parametrize("call", CALLS)
    @pytest.mark.parametrize(
        ("y_true", "y_pred", "words"),
        [
            ([0, 1], [0, 1, 2], "2.*3|3.*2"),
            ([], [], "no points"),
            (np.array([], int), np.array([], int), "no points"),
            ({}, {}, "no points"),
            ([[0, 1], [1, 1]], [0, 1], "y_true"),
            (np.zeros((2, 2), int), [0, 1], "y_true.*two-dimensional|y_true.*dimension"),
            ([0, 1], [[0], [1]], "y_pred"),
            ("ab", [0, 1], "y_true"),
            ([0, 1], b"ab", "y_pred"),
            ({1, 2}, [0, 1], "y_true.*set"),
            ([0, 1], frozenset({1, 2}), "y_pred.*set"),
            (3, [0, 1], "y_true"),
            ([0, 1], 2.5, "y_pred"),
            (None, [0, 1], "y_true"),
            ([0, None, None], [0, 1, 2], "y_true.*position 1"),
            ([0, 1], [0, nan], "y_pred.*position 1"),
            ([0, 1], np.array([nan, 1.0]), "y_pred.*position 0"),
            (np.array(["2020", "NaT"], "M8[D]"), [0, 1], "y_true.*position 1"),
            ([0, 1], pd.Series([1, None], dtype="Int64"), "y_pred.*position 1"),
            ([0.5, 1], [0, 1], "y_true.*0"),
            ([0, 1], np.array([1.0, 2.5]), "y_pred.*1"),
            ({"a": 1}, {"b": 1}, "id"),
            ({"a": 1}, [1], "y_pred|y_true"),
            (pd.Series([1, 2]), pd.Series([1, 2], index=[5, 6]), "index"),
        ],
    )
    def test_is_a_clear_error(self, call, y_true, y_pred, words):
        if words == "no points" and call in self.CALLS[-2:]:  # there each score is undefined
            assert call(y_true, y_pred) == 0.0
            return
        with pytest.raises(ValueError, match=f"(?s){words}"):
            call(y_true, y_pred)

    def test_tuples_are_labels(self):
        assert cm.jaccard([(0, 1), (0, 1), (1, 1)], [5, 5, 6]) == 1.0

    @pytest.mark.parametrize("name", ["jackard", "", 7, None, "f_measure(beta=2)"])
    def test_unknown_index_names(self, name):
        with pytest.raises(ValueError, match="index"):
            cm.find(name)

    def test_unknown_names_suggest(self):
        with pytest.raises(ValueError, match="did you mean jaccard"):
            cm.evaluate(TRUE, PRED, ["jackard"])

    def test_nothing_is_dropped_silently(self):
        scores = cm.evaluate(
            [0, 0, 1, None, 2], [0, 0, 1, 1, -1], missing="drop", noise_pred={-1: "drop"}, indices=["jaccard"]
        )
        assert (scores.n_given, scores.n_used, scores.n_noise, scores.n_dropped) == (5, 3, 1, 2)
        assert "2 dropped" in str(scores)
        assert "1 noise" in str(scores)
