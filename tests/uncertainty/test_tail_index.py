"""Components whose sizes have a heavy tail: the largest ones of a new sample are not in this one."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

import clustermark as cm
from clustermark.uncertainty.tail_index import refuse_tail, tail_index

Sizes = NDArray[np.int64]
Draw = Callable[[np.random.Generator, int], Sizes]


def lognormal(deviation: float, median: float = 3) -> Draw:
    return lambda rng, n: np.ceil(median * np.exp(deviation * rng.normal(size=n))).astype(np.int64)


def pareto(power: float, most: int) -> Draw:
    return lambda rng, n: np.minimum((rng.pareto(power, n) + 1).astype(np.int64), most)


GOOD: dict[str, Draw] = {
    "1 to 5": lambda rng, n: rng.integers(1, 6, n),
    "geometric": lambda rng, n: rng.geometric(0.2, n),
    "Poisson": lambda rng, n: 1 + rng.poisson(3, n),
    "all 30": lambda _, n: np.full(n, 30),
    "85 % of 1, others of 2 to 6": lambda rng, n: np.where(rng.random(n) < 0.85, 1, rng.integers(2, 7, n)),
    "92 % of 1, others of 2 to 6": lambda rng, n: np.where(rng.random(n) < 0.92, 1, rng.integers(2, 7, n)),
    "lognormal 0.5": lognormal(0.5),
    "lognormal 1": lognormal(1.0),
}
HEAVY: dict[str, Draw] = {
    "Pareto 1.1": pareto(1.1, 500),
    "Pareto 1.3": pareto(1.3, 400),
    "lognormal 2": lognormal(2.0, 1.0),
}


def refused(sizes: Sizes) -> bool:
    return bool(refuse_tail(sizes.astype(np.float64), np.ones(len(sizes), np.int64), "component"))


def share_refused(draw: Draw, n: int, times: int = 200) -> float:
    rng = np.random.default_rng(5)
    return float(np.mean([refused(draw(rng, n)) for _ in range(times)]))


@pytest.mark.parametrize("n", [70, 200, 800])
@pytest.mark.parametrize("name", GOOD)
def test_few_samples_of_good_worlds_are_refused(name: str, n: int) -> None:
    assert share_refused(GOOD[name], n) <= 0.1


@pytest.mark.parametrize("name", HEAVY)
def test_most_samples_of_heavy_tails_are_refused(name: str) -> None:
    assert share_refused(HEAVY[name], 200) >= 0.8
    assert share_refused(HEAVY[name], 800) >= 0.99


def test_the_index_is_that_of_the_tail() -> None:
    for power in (1.3, 2.0, 3.0):
        sizes = np.rint(20 * (np.random.default_rng(1).pareto(power, 20_000) + 1))
        found = tail_index(sizes, np.ones(len(sizes), np.int64))
        assert found.value == pytest.approx(power, abs=4 * power / np.sqrt(found.n))


def test_times_count_as_repeated_sizes() -> None:
    sizes = pareto(1.5, 200)(np.random.default_rng(2), 500)
    values, times = np.unique(sizes, return_counts=True)
    one_by_one = tail_index(sizes.astype(np.float64), np.ones(500, np.int64))
    assert tail_index(values.astype(np.float64), times) == one_by_one


def test_few_sizes_do_not_tell() -> None:
    assert not refused(np.array([1] * 40 + [2] * 8 + [50, 100, 400]))
    assert not refused(np.array([], np.int64))


def blocks(rng: np.random.Generator, draw: Draw) -> tuple[Sizes, Sizes]:
    """Return entities in 200 blocks of one to three; a quarter of the blocks are merged, a tenth of records alone."""
    number = rng.integers(1, 4, 200)
    sizes = draw(rng, int(number.sum()))
    of_block = np.repeat(np.arange(200), number)
    true = np.repeat(np.arange(len(sizes)), sizes)
    first = np.cumsum(number) - number
    pred = np.where((rng.random(200) < 0.25)[of_block[true]], first[of_block[true]], true)
    alone = rng.random(len(true)) < 0.1
    pred[alone] = len(sizes) + np.arange(alone.sum())
    return true, pred


def test_components_with_a_heavy_tail_have_no_interval_of_pairs_and_information() -> None:
    """Of the intervals of the V-measure 84 % held here; of all samples, at most 5 % have a wrong one now."""
    rng = np.random.default_rng(3)
    names = ["v_measure", "pair_recall", "b_cubed_f"]
    found = [cm.evaluate(*blocks(rng, HEAVY["Pareto 1.3"]), names) for _ in range(100)]
    intervals = {name: [one.interval(name, unit="component") for one in found] for name in names}
    for name in names[:2]:
        given = [(one.low, one.high) for one in intervals[name] if one.low is not None and one.high is not None]
        target = np.mean([one.score for one in intervals[name]])
        assert len(given) <= 15
        assert sum(not low <= target <= high for low, high in given) <= 5
        notes = [one.notes[0] for one in intervals[name] if one.low is None]
        assert all(note.startswith("sizes of components have a heavy tail (index about 1.") for note in notes)
        assert all(one.standard_error for one in intervals[name])
    assert all(one.low is not None for one in intervals["b_cubed_f"])


def test_good_components_have_intervals() -> None:
    rng = np.random.default_rng(4)
    for _ in range(20):
        found = cm.evaluate(*blocks(rng, GOOD["1 to 5"]), ["v_measure", "pair_recall"])
        assert all(found.interval(name, unit="component").low is not None for name in ("v_measure", "pair_recall"))


def scored_blocks(rng: np.random.Generator, draw: Draw) -> tuple[Sizes, tuple[Sizes, Sizes, NDArray[np.float64]]]:
    """Return entities in 200 blocks of one to four, and scores of all pairs of each block."""
    number = rng.integers(1, 5, 200)
    sizes = draw(rng, int(number.sum()))
    true = np.repeat(np.arange(len(sizes)), sizes)
    block = np.repeat(np.arange(200), number)[true]
    ends = [np.flatnonzero(block == one) for one in range(200)]
    left, right = (np.concatenate([one[np.triu_indices(len(one), 1)[side]] for one in ends]) for side in (0, 1))
    logits = np.where(true[left] == true[right], 1.8, -2.2) + rng.normal(size=len(left))
    return true, (left, right, 1 / (1 + np.exp(-logits)))


def test_the_best_threshold_of_a_heavy_tail_has_no_interval_of_pairs() -> None:
    rng = np.random.default_rng(6)
    swept = cm.sweep_pairs(*scored_blocks(rng, pareto(1.1, 40)), indices=["dice", "b_cubed_f"])
    found = swept.interval("dice", lowest=0.5)
    assert found.low is None
    assert found.notes[0].startswith("sizes of components have a heavy tail")
    assert swept.interval("b_cubed_f", lowest=0.5).low is not None
    good = cm.sweep_pairs(*scored_blocks(rng, GOOD["1 to 5"]), indices=["dice"])
    assert good.interval("dice", lowest=0.5).low is not None
