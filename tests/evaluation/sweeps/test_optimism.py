"""The best threshold beyond the data that it was chosen on, against the same done slowly with tables."""

from __future__ import annotations

import numpy as np
import pytest

from clustermark import InputError, PairCounts, crosstab, find, sweep_pairs
from clustermark.evaluation.best_threshold import component_sums, deal_components, join_components
from clustermark.registry.tracking import score_states


def world(n_entities, seed, noise=0.3, false=0.1):
    """Entities of one to five records; scores of true pairs are mostly higher than those of false ones."""
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(n_entities), rng.integers(1, 6, n_entities))
    n = len(truth)
    left, right, scores = [], [], []
    for i in range(n):
        for j in range(i + 1, min(i + 7, n)):
            same = truth[i] == truth[j]
            if same or rng.random() < false:
                left.append(i)
                right.append(j)
                scores.append(round(float(np.clip(rng.normal(0.7 if same else 0.35, noise / 2), 0, 1)), 2))
    return truth, (np.array(left), np.array(right), np.array(scores))


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["dice", "b_cubed_f", "cluster_f", "v_measure", "variation_of_information", "purity_f"]
)
def test_it_is_what_tables_say(name):
    truth, pairs = world(60, 1)
    found, index = sweep_pairs(truth, pairs), find(name)
    lowest = 0.55
    interval = found.interval(name, lowest=lowest, groups=4, seed=7)
    components = join_components(found.partitions, found.partitions.place(lowest))
    group = deal_components(found.partitions, components, 4, 7)[components.of]
    thresholds = [t for t in found.partitions.states.thresholds.tolist() if t >= lowest]

    def score(records, threshold):
        return index.of(crosstab(truth[records], found.labels(threshold)[records]))

    best = max if index.facts.higher_is_better else min
    everything = np.arange(len(truth))
    assert interval.threshold == best(thresholds, key=lambda t: score(everything, t))
    assert interval.score == pytest.approx(score(everything, interval.threshold), abs=1e-12)
    labels = np.full(len(truth), -1)
    for number in range(4):
        chosen = best(thresholds, key=lambda t, g=number: round(score(np.flatnonzero(group != g), t), 13))
        labels[group == number] = found.labels(chosen)[group == number]
    corrected = index.of(crosstab(truth, labels))
    assert interval.corrected == pytest.approx(corrected, abs=1e-12)
    better = 1 if index.facts.higher_is_better else -1
    assert interval.optimism == pytest.approx(better * (interval.score - corrected), abs=1e-12)
    without = [score(np.flatnonzero(components.of != one), interval.threshold) for one in np.unique(components.of)]
    m = len(without)
    variance = (m - 1) / m * ((np.array(without) - np.mean(without)) ** 2).sum()
    assert interval.standard_error == pytest.approx(np.sqrt(variance + interval.optimism**2), rel=1e-9)
    assert interval.n_components == m
    clusters = found.labels(interval.threshold)
    wrong = 0
    for component in np.unique(components.of):
        here = np.flatnonzero(components.of == component)
        pairs_here = PairCounts.of(crosstab(truth[here], clusters[here]))
        wrong += pairs_here.yn > 0 or pairs_here.ny > 0
    assert interval.n_in_error == wrong


@pytest.mark.parametrize("unmatched", ["drop", "singletons", "keep"])
def test_component_sums_add_up_to_those_of_the_sweep(unmatched):
    truth, pairs = world(40, 3)
    known = {i: int(label) for i, label in enumerate(truth) if i % 5}
    found = sweep_pairs(known, pairs, unmatched=unmatched)
    place = found.partitions.place(0.6)
    parts = component_sums(found.partitions, join_components(found.partitions, place), place)
    for name, column in parts.items():
        if name != "expected":
            assert column.sum() == pytest.approx(found.partitions.states.sums[name][place], abs=1e-9), name
    total = {name: column.sum(keepdims=True) for name, column in parts.items()}
    assert score_states(find("b_cubed_f"), total)[0] == pytest.approx(found.partitions.score(find("b_cubed_f"))[place])


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bits_and_another_does_not():
    found = sweep_pairs(*world(300, 2))
    assert found.interval(lowest=0.5) == found.interval(lowest=0.5)
    assert found.interval(lowest=0.5, seed=1).corrected != found.interval(lowest=0.5, seed=2).corrected
    other = found.interval(lowest=0.5, seed=3, groups=7)
    assert (other.groups, other.seed) == (7, 3)
    interval = found.interval("dice", lowest=0.5)
    assert interval.low < interval.corrected < interval.high
    assert interval.notes == () or "few" in interval.notes[0]
    assert "interval" in repr(interval)
    wider = found.interval("dice", lowest=0.5, level=0.99)
    assert wider.low < interval.low


@pytest.mark.parametrize("index", ["dice", "v_measure", "b_cubed_f"])
def test_the_order_of_rows_changes_no_bit(index):
    truth, (left, right, scores) = world(150, 2)
    rng = np.random.default_rng(0)
    rows, pairs = rng.permutation(len(truth)), rng.permutation(len(left))
    known = {f"r{row}": int(truth[row]) for row in rows}
    names = [[f"r{row}" for row in side[pairs]] for side in (left, right)]
    other = sweep_pairs(known, (*names[::-1], scores[pairs])).interval(index, lowest=0.5)
    assert sweep_pairs(truth, (left, right, scores)).interval(index, lowest=0.5) == other


def test_a_distance_has_an_interval_too():
    interval = sweep_pairs(*world(300, 2)).interval("variation_of_information", lowest=0.5)
    assert 0 <= interval.low < interval.corrected < interval.high


def test_an_index_that_falls_below_zero_has_the_interval_of_its_scale():
    interval = sweep_pairs(*world(300, 2)).interval("adjusted_rand", lowest=0.5)
    middle, error = np.arctanh(interval.corrected), interval.standard_error / (1 - interval.corrected**2)
    reach = np.arctanh(interval.high) - middle
    assert np.arctanh(interval.low) == pytest.approx(middle - reach, rel=1e-6)
    assert 1.96 < reach / error < 2.3  # Student's t


def test_few_components_in_error_have_no_interval():
    interval = sweep_pairs(*world(20, 5, noise=0.05)).interval(lowest=0.5)
    assert interval.low is None
    assert "too few" in interval.notes[0]
    assert "no interval" in repr(interval)


def test_by_default_the_loosest_threshold_that_leaves_parts():
    truth, pairs = world(200, 4)
    found = sweep_pairs(truth, pairs)
    interval = found.interval()
    share = np.bincount(join_components(found.partitions, found.partitions.place(interval.lowest)).of).max() / len(
        truth
    )
    assert share <= 0.1
    later = found.partitions.states.thresholds[found.partitions.place(interval.lowest) + 1]
    assert np.bincount(join_components(found.partitions, found.partitions.place(later)).of).max() / len(truth) > 0.1
    apart = sweep_pairs(np.arange(40) // 2, (np.arange(0, 40, 2), np.arange(1, 40, 2), np.arange(20) + 1.0)).interval()
    assert apart.lowest == 1.0
    assert "is better still" in found.interval("pair_recall", lowest=0.6).notes[-1]


def test_refusals():
    found = sweep_pairs(*world(100, 4, false=0.4))
    with pytest.raises(InputError, match=r"holds .* of the records"):
        found.interval(lowest=0.0)
    with pytest.raises(InputError, match="sums over components"):
        found.interval("adjusted_mutual_information")
    with pytest.raises(InputError, match="sums over components"):
        found.interval("ceaf_e_f")
    for level in (95, "high", True, float("nan")):
        with pytest.raises(InputError, match=f"level={level!r}"):
            found.interval(level=level)
    for groups in (1, 2.0, True):
        with pytest.raises(InputError, match=f"groups={groups!r} must be a whole number, 2 or more"):
            found.interval(groups=groups)
    with pytest.raises(InputError, match="one true cluster"):
        sweep_pairs([0, 0, 0, 0], ([0, 1, 2], [1, 2, 3], [0.9, 0.8, 0.7])).interval()


def test_groups_are_at_most_as_many_as_components():
    left = list(range(0, 120, 2))
    found = sweep_pairs([i // 2 for i in range(120)], (left, [i + 1 for i in left], np.linspace(0.1, 0.9, 60)))
    assert found.interval("dice", groups=10**6).groups == 60
    for seed in (-1, 1.5, "x", True):
        with pytest.raises(InputError, match=r"seed=.* must be a whole number, 0 or more"):
            found.interval("dice", seed=seed)


def test_a_score_at_its_end_has_no_interval_and_a_reason():
    rng = np.random.default_rng(0)
    left, right = zip(*((4 * b + i, 4 * b + j) for b in range(80) for i in range(4) for j in range(i)), strict=True)
    found = sweep_pairs([i // 4 * 2 + i % 2 for i in range(320)], (left, right, rng.random(len(left))))
    interval = found.interval("pair_precision")
    assert (interval.low, interval.high, interval.corrected) == (None, None, 1)
    assert "there is no interval" in interval.notes[0]
