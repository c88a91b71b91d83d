"""Samples of true clusters whose sizes have a heavy tail: the known number of predicted pairs and the sizes show it."""

import numpy as np
import pytest

import clustermark as cm
from clustermark.uncertainty.tail_index import refuse_tail

PAIRS_AND_INFORMATION = ["pair_precision", "adjusted_rand", "v_measure"]


def population(heavy: bool) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(8)
    sizes = np.minimum((rng.pareto(1.5, 3000) + 1).astype(int), 200) if heavy else rng.integers(1, 6, 1000)
    true = np.repeat(np.arange(len(sizes)), sizes)
    return true, np.where(rng.random(len(true)) < 0.1, rng.permutation(true), true)


def sample(true: np.ndarray, seed: int, clusters: int = 200) -> list[int | None]:
    drawn = np.random.default_rng(seed).choice(true.max() + 1, clusters, replace=False)
    return [int(label) if one else None for label, one in zip(true, np.isin(true, drawn), strict=True)]


def by_definition(true: list[int | None], pred: np.ndarray) -> tuple[float, list[int], float]:
    """Return estimated pairs by known ones, the largest predicted clusters that are not met, and their share."""
    labels, sizes = np.unique(pred, return_counts=True)
    size_of = dict(zip(labels.tolist(), sizes.tolist(), strict=True))
    pairs = {label: size * (size - 1) / 2 for label, size in size_of.items()}
    known = [place for place, label in enumerate(true) if label is not None]
    estimated = sum((size_of[pred[place]] - 1) / 2 for place in known) * len(pred) / len(known)
    left = {label: pairs[label] for label in set(size_of) - {pred[place] for place in known}}
    largest = sorted(left, key=lambda label: (-left[label], label))[:3]
    return estimated / sum(pairs.values()), largest, sum(left.values()) / sum(pairs.values())


def test_the_sample_is_refused_where_it_misjudges_the_predicted_pairs():
    true, pred = population(heavy=True)
    whole = cm.evaluate(true, pred, PAIRS_AND_INFORMATION)
    held, alarms, by_sizes = [], 0, 0
    for seed in range(60):
        labels = sample(true, seed)
        found = cm.estimate(labels, pred, PAIRS_AND_INFORMATION, design="clusters", population=3000)
        ratio, names, share = by_definition(labels, pred)
        sizes = np.unique([label for label in labels if label is not None], return_counts=True)[1]
        reason = refuse_tail(sizes.astype(float), np.ones(len(sizes), np.int64), "cluster")
        for name in PAIRS_AND_INFORMATION:
            assert (found[name].low is None) == (not 0.5 <= ratio <= 2 or bool(reason))
        assert cm.estimate(labels, pred, ["b_cubed_f"], design="clusters")["b_cubed_f"].low is not None
        if 0.5 <= ratio <= 2 and reason:
            assert found["v_measure"].notes == (reason,)
            by_sizes += 1
            continue
        if found["pair_precision"].low is None:
            [note] = found["pair_precision"].notes
            assert note.startswith(f"the sample suggests {ratio:.2g} times the pairs that the prediction has")
            if ratio < 1:
                assert f"meets {', '.join(map(str, names))}; what none meets has {share:.0%} of them" in note
            alarms += 1
            continue
        held += [found[name].low <= whole[name] <= found[name].high for name in PAIRS_AND_INFORMATION]
    assert 20 <= alarms <= 50
    assert by_sizes >= 10
    assert len(held) == 0 or held.count(False) <= 0.05 * 60 * len(PAIRS_AND_INFORMATION)


def test_a_good_sample_is_never_refused():
    true, pred = population(heavy=False)
    for seed in range(20):
        found = cm.estimate(sample(true, seed), pred, PAIRS_AND_INFORMATION, design="clusters")
        assert all(row.low is not None for row in found.values())


def test_limits_use_the_degrees_of_freedom_of_the_sampled_clusters():
    true, pred = population(heavy=False)
    found = cm.estimate(sample(true, 0, 40), pred, ["pair_precision"], design="clusters")["pair_precision"]
    low, high = (np.log(limit / (1 - limit)) for limit in (found.low, found.high))
    error = found.standard_error / (found.score * (1 - found.score))
    assert (high - low) / 2 / error > 1.98  # by the normal distribution 1.96


def test_a_prediction_without_pairs_has_no_alarm():
    labels = [0, 0, None] * 20
    found = cm.estimate(
        [None if label is None else place // 6 for place, label in enumerate(labels)],
        list(range(60)),
        ["pair_recall"],
        design="clusters",
    )
    assert "times the pairs" not in "".join(found["pair_recall"].notes)


@pytest.mark.parametrize("half_width", [0.03, 0.06])
def test_the_planned_sample_has_the_planned_interval(half_width: float):
    true, pred = population(heavy=False)
    pilot = cm.estimate(sample(true, 1, 30), pred, ["b_cubed_f"], design="clusters", population=1000)
    needed = cm.plan(pilot, half_width).needed
    assert abs(cm.plan(pilot, float(pilot["b_cubed_f"].half_width), assurance=0.5).needed - 30) <= 1
    assert (needed < 30) == (half_width > pilot["b_cubed_f"].half_width)
