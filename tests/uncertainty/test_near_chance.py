"""Intervals of scores close to chance."""

import numpy as np
import pytest
from scipy.special import chndtr

import clustermark as cm
from clustermark.registry import index_of
from clustermark.statistics import Entropies
from clustermark.uncertainty.interval import IntervalRequest
from clustermark.uncertainty.limits import make_intervals

CORRECTED = ["adjusted_rand", "adjusted_mutual_information"]
NAMES = [*CORRECTED, "rand", "pair_precision", "variation_of_information"]


def draw(rng: np.random.Generator, k: int, wrong: float, n: int = 500) -> cm.Contingency:
    """Return labelings of which a share is placed at random: in the other cluster if there are two."""
    true = rng.integers(0, k, n)
    pred = np.where(rng.random(n) < wrong, 1 - true if k == 2 else rng.integers(0, k, n), true)
    return cm.crosstab(true, pred)


@pytest.mark.parametrize(("k", "wrong"), [(2, 0.5), (2, 0.47), (5, 0.92)])
def test_intervals_hold_near_chance(k: int, wrong: float):
    """By the jackknife alone, 78 to 92 % of the intervals of two clusters contained these scores."""
    rng = np.random.default_rng(5)
    indices = [index_of(name) for name in NAMES]
    found = [make_intervals(draw(rng, k, wrong), indices, IntervalRequest()) for _ in range(200)]
    for name in NAMES:
        rows = [one[name] for one in found if one[name].low is not None]
        assert len(rows) > 190
        target = 0.0 if wrong == 0.5 and name in CORRECTED else np.mean([row.score for row in rows])
        held = np.mean([row.low - 1e-9 <= target <= row.high + 1e-9 for row in rows])
        assert held >= 0.925, (name, held)


def disjoint(rng: np.random.Generator, n: int = 500) -> cm.Contingency:
    """Return two rare classes of which fewer points are in both than by chance: the adjusted Rand index is negative."""
    true = rng.random(n) < 0.1
    return cm.crosstab(true * 1, (rng.random(n) < np.where(true, 0.06, 0.1)) * 1)


def test_intervals_hold_where_labelings_agree_less_than_by_chance():
    """A noncentral χ² variable is never so small; alone it gave 42 to 67 %."""
    rng = np.random.default_rng(5)
    found = [cm.score_interval(disjoint(rng), "adjusted_rand") for _ in range(200)]
    rows = [one for one in found if one.low is not None]
    assert len(rows) > 150
    target = np.mean([one.score for one in found])
    assert target < -0.02
    assert np.mean([one.low <= target <= one.high for one in rows]) >= 0.925


def test_information_of_a_cell_that_was_not_seen_has_no_interval():
    """Of two rare classes none of the points is in both; one point there would change the information most."""
    found = cm.score_interval(cm.Contingency.from_matrix([[405, 45], [50, 0]]), "v_measure")
    assert found.low is None
    assert "in a cell that is empty here" in found.notes[0]
    assert cm.score_interval(cm.Contingency.from_matrix([[405, 45], [45, 5]]), "v_measure").low is not None
    far = cm.Contingency.from_matrix([[450, 15], [0, 35]])  # far from chance such intervals hold
    assert cm.score_interval(far, "homogeneity").low is not None


def test_intervals_for_the_population_hold_near_chance():
    """By the jackknife 84 % of the intervals contained the adjusted Rand index of the population."""
    rng = np.random.default_rng(6)
    rows = [cm.score_interval(draw(rng, 2, 0.45), "adjusted_rand", target="population") for _ in range(200)]
    assert np.mean([row.low <= 0.01 <= row.high for row in rows]) >= 0.925


def test_b_cubed_of_two_clusters_that_hardly_agree_and_information_of_the_population_have_no_interval():
    table = draw(np.random.default_rng(0), 2, 0.47)
    found = cm.score_interval(table, "b_cubed_f")
    assert found.low is None
    assert "two clusters that hardly agree" in found.notes[0]
    assert cm.score_interval(draw(np.random.default_rng(0), 3, 0.9), "b_cubed_f").low is not None
    found = cm.score_interval(table, "v_measure", target="population")
    assert found.low is None
    assert "close to chance the bias of information" in found.notes[0]
    assert cm.score_interval(draw(np.random.default_rng(0), 2, 0.2), "v_measure", target="population").low is not None


def test_limits_of_indices_that_depend_on_sizes_are_farther_than_what_is_shared_makes_them():
    """For given sizes of clusters the Rand index rises by the adjusted one; its sizes vary as well."""
    table = cm.Contingency.from_matrix([[40, 50], [80, 230]])
    rand, adjusted = (cm.score_interval(table, name) for name in ("rand", "adjusted_rand"))
    slope = (1 - rand.score) / (1 - adjusted.score)
    assert rand.low < rand.score - slope * (adjusted.score - adjusted.low)
    assert rand.high > rand.score + slope * (adjusted.high - adjusted.score)
    assert rand.high - rand.low > 1.05 * slope * (adjusted.high - adjusted.low)


def test_the_limits_are_those_scores_that_make_the_observed_one_unlikely():
    table = draw(np.random.default_rng(0), 5, 0.9)
    found = cm.score_interval(table, "adjusted_rand", level=0.9)
    true, pred = (np.bincount(np.unique(side, return_inverse=True)[1]) for side in labels(table))
    rng = np.random.default_rng(1)
    shuffled = [labels(table)[0], labels(table)[1].copy()]
    pairs = []
    for _ in range(4000):
        rng.shuffle(shuffled[1])
        cells = np.unique(np.stack(shuffled), axis=1, return_counts=True)[1]
        pairs.append((cells * (cells - 1) // 2).sum())
    mean, deviation = np.mean(pairs), np.std(pairs)
    degrees = 8 / (np.mean((pairs - mean) ** 3) / deviation**3) ** 2
    scale = deviation / np.sqrt(2 * degrees)
    in_both = [size * (size - 1) // 2 for size in (true, pred)]
    best = (in_both[0].sum() + in_both[1].sum()) / 2
    for limit, probability in ((found.low, 0.95), (found.high, 0.05)):
        noncentrality = limit * (best - mean) / scale
        x = found.score * (best - mean) / scale + degrees
        assert chndtr(x, degrees, noncentrality) == pytest.approx(probability, abs=0.02)


def labels(table: cm.Contingency) -> tuple[np.ndarray, np.ndarray]:
    rows, columns, counts = (np.asarray(column) for column in table.cells)
    return np.repeat(rows, counts), np.repeat(columns, counts)


def test_far_from_chance_and_below_it_the_jackknife_is_used():
    far = draw(np.random.default_rng(0), 5, 0.3)
    near = draw(np.random.default_rng(0), 5, 0.95)
    below = cm.Contingency.from_matrix([[50, 50, 50]] * 3)
    for table, same in ((far, True), (below, True), (near, False)):
        found = cm.score_interval(table, "adjusted_rand")
        if found.low is None:
            continue
        z, error = 1.959964, found.standard_error / (1 - found.score**2)
        by_jackknife = np.tanh(np.arctanh(found.score) + np.array([-z, z]) * error)
        assert ([found.low, found.high] == pytest.approx(by_jackknife, rel=1e-4)) == same


def test_components_and_halves_do_not_use_points_by_chance():
    rng = np.random.default_rng(3)
    block = np.repeat(np.arange(40), 5)
    table = cm.crosstab(2 * block + rng.integers(0, 2, 200), 2 * block + rng.integers(0, 2, 200))
    found = cm.score_interval(table, "adjusted_rand", unit="component")
    assert found.low is not None
    assert found.low < found.score < found.high


def test_limits_contain_a_score_below_chance():
    for seed in range(40):
        found = cm.score_interval(draw(np.random.default_rng(seed), 2, 0.5, 60), "adjusted_rand")
        assert found.low is None or found.low <= found.score <= found.high


def uneven(rng: np.random.Generator, n: int) -> np.ndarray:
    """Return labels of clusters of similar sizes, of sizes with a heavy tail, or of one giant and small ones."""
    k = max(2, int(n ** rng.uniform(0.1, 1)))
    drawn = [
        rng.integers(0, k, n),
        np.minimum(rng.zipf(1.2 + rng.random(), n), k),
        np.where(rng.random(n) < rng.random(), 0, rng.integers(0, k, n)),
        np.minimum((rng.pareto(0.5 + rng.random(), n) * k**0.5).astype(np.int64), k),
    ]
    return drawn[rng.integers(len(drawn))]


def test_the_limit_of_the_variance_of_information_holds():
    """The exact variance is computed only if this limit does not show that a score is far from chance."""
    rng = np.random.default_rng(7)
    ratios = []
    for _ in range(300):
        n = int(10 ** rng.uniform(0.8, 3))
        entropies = Entropies.of(cm.crosstab(uneven(rng, n), uneven(rng, n)))
        if not entropies.fixed:
            ratios.append(entropies.variance / entropies.most_variance)
    assert len(ratios) > 200
    assert max(ratios) < 0.8
    assert np.median(ratios) > 0.1  # else it would decide little


@pytest.mark.parametrize("level", [0.8, 0.95, 0.999])
def test_limits_of_few_points_lie_within_the_range(level: float):
    """A χ² variable can be larger than all that twelve points can share: the upper limit was 1.18."""
    table = cm.Contingency.from_matrix([[5, 5], [0, 2]])
    for name in ("adjusted_rand", "adjusted_mutual_information"):
        found = cm.score_interval(table, name, level=level)
        low, high = cm.find(name).facts.bounds
        assert low <= found.low <= found.score <= found.high <= high
