"""Samples with unequal probabilities: all samples of small designs, by definition."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest

import clustermark as cm
from clustermark.releases.drawn_units import units_by_cluster, units_by_record
from clustermark.releases.size_strata import make_strata
from clustermark.uncertainty.sampled_truth import SampledClusters, read_drawn
from clustermark.uncertainty.unequal_sampling import UnequalUnits
from needs import need

TRUE = (0, 0, 0, 1, 1, 2, 3, 0, 4)
PRED = (0, 0, 0, 0, 1, 1, 2, 2, 3)
"""Predicted clusters of 4, 2, 2 and 1 records; the true cluster 0 is in a large one and in a small one."""
STRATA = {"1": (8,), "2": (4, 5, 6, 7), "4": (0, 1, 2, 3)}
"""The records of each stratum, by the size of their predicted cluster."""
DRAWN = {"1": 1, "2": 2, "4": 3}
SUMS = {
    "true pairs": lambda units: units.sum_sizes(lambda n: n * (n - 1) / 2)[0],
    "predicted pairs": lambda units: units.sum_sizes(lambda n: n * (n - 1) / 2)[1],
    "pairs in both": lambda units: units.sum_counts(lambda n: n * (n - 1) / 2),
    "true clusters": lambda units: units.k_true,
    "cells": lambda units: units.cells,
}


class Unscaled(UnequalUnits):
    """The sums as Horvitz and Thompson estimate them, not scaled to the known number of records."""

    def _estimate(self, parts):
        return self.leave_out(parts)


def pairs_by_definition():
    together = [(a == b, c == d) for (a, c), (b, d) in combinations(zip(TRUE, PRED, strict=True), 2)]
    return {
        "true pairs": sum(true for true, _ in together),
        "predicted pairs": sum(pred for _, pred in together),
        "pairs in both": sum(true and pred for true, pred in together),
        "true clusters": len(set(TRUE)),
        "cells": len(set(zip(TRUE, PRED, strict=True))),
    }


def units_of(records, rows, pred=PRED):
    """Return the units of drawn rows of a file; the whole true clusters of the drawn records are labelled."""
    reached = {TRUE[record] for record in records}
    truth = {place: label for place, label in enumerate(TRUE) if label in reached}
    labels = [truth.get(place) for place in range(len(TRUE))]
    cells = read_drawn(cm.crosstab(labels, pred, missing="cluster", unmatched="keep"), "error", "error")
    return cells, units_by_record(rows, truth, {})(cells, {})


def frame_of(rows):
    return need("pandas").DataFrame(rows)


def samples_of_records():
    for parts in product(*(combinations(STRATA[name], DRAWN[name]) for name in STRATA)):
        rows = [
            {"id": record, "probability": DRAWN[name] / len(STRATA[name]), "stratum": name}
            for name, part in zip(STRATA, parts, strict=True)
            for record in part
        ]
        yield [row["id"] for row in rows], rows


def samples_of_clusters():
    """Draw one of the two predicted clusters of 2 records, and the other two for certain."""
    for chosen in (1, 2):
        rows = [
            {"id": place, "cluster": cluster, "unit": "cluster", "stratum": str(PRED.count(cluster)),
             "probability": 0.5 if PRED.count(cluster) == 2 else 1.0}
            for place, cluster in enumerate(PRED)
            if cluster in (0, 3, chosen)
        ]  # fmt: skip
        yield [row["id"] for row in rows], rows


@pytest.mark.parametrize("balanced", [True, False])
@pytest.mark.parametrize("name", SUMS)
def test_sums_over_all_samples_of_records_are_exact_on_average(name, balanced):
    found, variances = [], []
    for records, rows in samples_of_records():
        rows = rows if balanced else [row | {"stratum": f"s{row['stratum']}"} for row in rows]  # no sizes
        cells, units = units_of(records, frame_of(rows))
        assert units.balanced == balanced
        made = Unscaled(cells, units)
        values = SUMS[name](made)
        found.append(values[0])
        variances.append(made.split(values).variance.sum())
    assert np.mean(found) == pytest.approx(pairs_by_definition()[name], rel=1e-12)
    assert np.mean(variances) == pytest.approx(np.var(found), rel=1e-9, abs=1e-12)
    assert balanced or np.var(found) > 0


@pytest.mark.parametrize("name", SUMS)
def test_sums_over_all_samples_of_predicted_clusters_are_exact_on_average(name):
    found = []
    for records, rows in samples_of_clusters():
        cells, units = units_of(records, frame_of(rows))
        assert units.noun == "cluster"
        assert units.balanced
        found.append(SUMS[name](Unscaled(cells, units))[0])
    assert np.mean(found) == pytest.approx(pairs_by_definition()[name], rel=1e-12)


@pytest.mark.parametrize("name", SUMS)
def test_sums_over_all_samples_of_true_clusters_are_exact_on_average(name):
    strata, population = {0: "large", 1: "small", 2: "small", 3: "small", 4: "small"}, {"large": 1, "small": 4}
    found, variances = [], []
    for small in combinations((1, 2, 3, 4), 2):
        truth = {place: label for place, label in enumerate(TRUE) if label in (0, *small)}
        labels = [truth.get(place) for place in range(len(TRUE))]
        cells = read_drawn(cm.crosstab(labels, PRED, missing="cluster", unmatched="keep"), "error", "error")
        units = units_by_cluster(truth, {}, strata=strata, population=population)(cells, {})
        made = Unscaled(cells, units)
        values = SUMS[name](made)
        found.append(values[0])
        variances.append(made.split(values).variance.sum())
    assert np.mean(found) == pytest.approx(pairs_by_definition()[name], rel=1e-12)
    assert np.mean(variances) == pytest.approx(np.var(found), rel=1e-9, abs=1e-12)


def test_equal_probabilities_give_the_estimate_of_a_simple_sample():
    truth = {place: label for place, label in enumerate(TRUE) if label in (0, 1, 2)}
    labels = [truth.get(place) for place in range(len(TRUE))]
    cells = read_drawn(cm.crosstab(labels, PRED, missing="cluster", unmatched="keep"), "error", "error")
    for how in ({"probability": dict.fromkeys(range(5), 0.6)}, {"sampling_weights": dict.fromkeys(range(5), 7.0)}):
        made = UnequalUnits(cells, units_by_cluster(truth, {}, **how)(cells, {}))
        for sums in SUMS.values():
            np.testing.assert_allclose(sums(made), sums(SampledClusters(cells)), rtol=1e-12)


def test_shares_are_equal_where_the_prediction_is_another():
    """Or where strata are no sizes: then the probabilities of records that were not drawn are not known."""
    records, rows = next(samples_of_records())
    assert units_of(records, frame_of(rows))[1].balanced
    assert not units_of(records, frame_of(rows), pred=(0, 0, 0, 1, 1, 1, 2, 2, 3))[1].balanced


def test_clusters_that_are_in_every_sample_do_not_move_the_mean_of_the_others():
    """Giants with a probability of 1 need no stratum of their own: the variance is that of the others alone."""
    rng = np.random.default_rng(0)
    truth = np.repeat(np.arange(42), [300, 400, *rng.integers(2, 9, 40)])
    wrong = rng.random(len(truth)) < np.where(truth < 2, 0.6, 0.1)
    pred = np.where(wrong, 100 + np.arange(len(truth)), truth).tolist()
    sample = {record: label for record, label in enumerate(truth.tolist()) if label < 22}
    chance = {label: 1.0 if label < 2 else 0.5 for label in range(22)}
    giants = {label: "giant" if label < 2 else "other" for label in range(22)}
    given = (sample, dict(enumerate(pred)), ["b_cubed_recall"])
    one, two = (
        cm.estimate(*given, design="clusters", probability=chance, strata=strata)["b_cubed_recall"]
        for strata in (None, giants)
    )
    assert (one.score, one.standard_error) == pytest.approx((two.score, two.standard_error))
    assert (one.low, one.high) == pytest.approx((two.low, two.high))


def test_strata_hold_every_cluster_once_and_enough_units():
    rng = np.random.default_rng(0)
    for n in (3, 20, 200, 2_000):
        sizes = np.minimum(rng.pareto(1.1, 3_000) + 1, 900).astype(np.int64)
        for of_records in (True, False):
            strata = make_strata(sizes, n, of_records=of_records)
            assert sum(one.clusters for one in strata) == len(sizes)
            assert sum(one.records for one in strata) == sizes.sum()
            assert all(before.most < after.least for before, after in zip(strata, strata[1:], strict=False))
            assert all(min(2, one.population) <= one.drawn <= one.population for one in strata)
            if n >= 20:
                assert all(one.drawn >= min(5, one.population) for one in strata)
                assert sum(one.drawn for one in strata) == pytest.approx(n, abs=len(strata))


def test_giants_are_drawn_whole_among_clusters():
    strata = make_strata(np.array([1] * 500 + [400, 500]), 50, of_records=False)
    assert [(one.stratum, one.drawn, one.population) for one in strata] == [("1", 48, 500), ("400-500", 2, 2)]
