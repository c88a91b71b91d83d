"""Samples drawn from a table, and the check of how often intervals hold in them."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest

import clustermark as cm
from clustermark.uncertainty.checked_intervals import judge_coverage, tolerance
from clustermark.uncertainty.interval import GroupedPoints
from clustermark.uncertainty.limits import limits
from clustermark.uncertainty.samples import find_components, sample_of
from clustermark.uncertainty.simulated_coverage import mean_targets, monte_carlo_limits, simulate
from clustermark.uncertainty.simulated_samples import PointWorld, resample
from clustermark.uncertainty.spread import Jackknife


def moved(n: int, k: int, share: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    true = rng.integers(0, k, n)
    return true, np.where(rng.random(n) < share, rng.integers(0, k, n), true)


def shapes(table: cm.Contingency, of: np.ndarray) -> Counter[tuple[tuple[int, int, int], ...]]:
    """Count the groups of entries by their cells: each with its size and those of both clusters in the group."""
    cells = table.to_memory().kernel_cells
    found: dict[int, list[tuple[int, int, int]]] = {}
    for group, row, column, n in zip(of, cells.rows, cells.columns, cells.counts, strict=True):
        if row < 0:
            continue
        a = int(cells.counts[cells.rows == row].sum())
        b = int(cells.counts[cells.columns == column].sum())
        found.setdefault(int(group), []).append((int(n), a, b))
    return Counter(tuple(sorted(cells)) for cells in found.values())


def test_components_are_drawn_whole_and_copies_are_separate() -> None:
    true = [0, 0, 1, 1, 1, 2, 2, 3, 4, 5, 5, 6]
    pred = [0, 0, 1, 1, 2, 3, 4, 5, 6, 7, 7, 7]
    sample = sample_of(cm.crosstab(true, pred), "component")
    known = set(shapes(sample.table, sample.groups.of))
    world, rng = resample(sample), np.random.default_rng(1)
    seen = Counter()
    for _ in range(200):
        drawn = world(rng)
        assert int(drawn.multiplicity.sum()) == int(sample.multiplicity.sum()) == 6
        assert drawn.unit == "component"
        again = find_components(drawn.table)
        assert int(again.multiplicity.sum()) == 6
        assert shapes(drawn.table, again.of) == shapes(drawn.table, drawn.groups.of)
        seen += shapes(drawn.table, drawn.groups.of)
    assert set(seen) == known
    alike = shapes(sample.table, sample.groups.of)
    assert all(abs(seen[shape] / 200 - times) < 0.35 for shape, times in alike.items())


def test_lone_points_on_both_sides_are_components_of_their_own() -> None:
    labels = [0, 0, 1, 1, *[-1] * 6]
    table = cm.crosstab(labels, labels, noise_true={-1: "singletons"}, noise_pred={-1: "singletons"})
    sample = sample_of(table, "component")
    world, rng = resample(sample), np.random.default_rng(0)
    points = []
    for _ in range(100):
        drawn = world(rng)
        assert int(drawn.multiplicity.sum()) == 8
        assert drawn.table.are_identical()
        points.append(drawn.table.n_used)
    assert abs(np.mean(points) - 10) < 0.6


def test_groups_with_common_clusters_are_drawn_with_their_points() -> None:
    true, pred = moved(60, 3, 0.3)
    groups = np.arange(60) // 5
    points = GroupedPoints(true, pred, groups, np.ones(60, np.int64))
    table = cm.crosstab(true.tolist(), pred.tolist())
    order = {label: place for place, label in enumerate(table.true_names.to_list())}
    other = {label: place for place, label in enumerate(table.pred_names.to_list())}
    points = points._replace(
        rows=np.array([order[one] for one in true.tolist()]), columns=np.array([other[one] for one in pred.tolist()])
    )
    drawn = resample(sample_of(table, points))(np.random.default_rng(2))
    times = np.random.default_rng(2).multinomial(12, np.full(12, 1 / 12))
    place = np.repeat(np.arange(60), times[groups])
    wanted = cm.crosstab(true[place].tolist(), pred[place].tolist())
    for name in ("adjusted_rand", "b_cubed_f", "v_measure"):
        assert cm.find(name).of(drawn.table) == pytest.approx(cm.find(name).of(wanted), abs=1e-12)
    assert len(drawn.multiplicity) == 12
    left = drawn.take(np.r_[0, np.ones(11, np.int64)])
    assert left.n_used == drawn.table.n_used - 5


def test_points_are_drawn_from_cells_and_from_empty_cells() -> None:
    matrix = np.array([[30, 1, 0], [0, 20, 1], [0, 0, 10]])
    sample = sample_of(cm.Contingency.from_matrix(matrix), "point")
    world = resample(sample)
    assert isinstance(world, PointWorld)
    assert world.unseen == pytest.approx(2 / 62)
    rng, total = np.random.default_rng(0), np.zeros((3, 3))
    whole = world.population(10**6)
    shares = np.zeros((3, 3))
    cells = whole.kernel_cells
    shares[cells.rows, cells.columns] = cells.counts / 10**6
    for _ in range(2_000):
        drawn = world(rng).table.to_memory()
        assert drawn.n_used == 62
        if drawn.n_true_clusters == drawn.n_pred_clusters == 3:
            total[drawn.kernel_cells.rows, drawn.kernel_cells.columns] += drawn.kernel_cells.counts
    assert shares[matrix == 0] == pytest.approx(np.full(4, 2 / 62 / 4), abs=1e-5)
    assert shares[matrix > 0] == pytest.approx(matrix[matrix > 0] / 62 * 60 / 62, abs=1e-5)
    assert total / total.sum() == pytest.approx(shares, abs=0.004)


def test_tables_without_empty_cells_are_drawn_as_they_are() -> None:
    world = resample(sample_of(cm.Contingency.from_matrix(np.array([[5, 1], [2, 4]])), "point"))
    assert isinstance(world, PointWorld)
    assert world.unseen == 0
    cells = world.population(12_000).kernel_cells
    assert sorted(cells.counts.tolist()) == [1_000, 2_000, 4_000, 5_000]


def plain(index: cm.Index, *, population: bool = False):
    """Return intervals by the jackknife alone, as they were before refusals and limits near chance."""

    def make(sample):
        score = index.of(sample.table)
        spread = Jackknife(sample).of(index, score)
        if not 0 < spread.standard_error < np.inf:
            return [(score, None, None)]
        if population:
            middle, away = score - spread.bias, 1.96 * spread.standard_error
            return [(score, middle - away, middle + away)]
        return [(score, *limits(score, spread.standard_error, 1.96, index.bounds_on(sample.table)))]

    return make


def check(true, pred, name: str, *, population: bool = False, draws: int = 300) -> bool | None:
    sample, index = sample_of(cm.crosstab(true, pred), "point"), cm.find(name)
    found = simulate(resample(sample), plain(index, population=population), draws, np.random.default_rng(3))
    targets: tuple = mean_targets(resample(sample), [index], found, np.random.default_rng(4))
    if population:
        targets = (np.array([index.of(PointWorld(sample).population(10**9))]),)
    made = int(found.made.sum())
    share = float(found.coverage(*targets)[0])
    return judge_coverage(0.95, share, monte_carlo_limits(round(share * made), made), made, draws)[0]


def giant(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    true = rng.choice(51, n, p=[0.9, *[0.002] * 50])
    return true, np.where(rng.random(n) < 0.15, rng.integers(0, 51, n), true)


def test_intervals_that_fail_are_flagged() -> None:
    assert check(*giant(500, 1), "pair_precision") is False
    assert check(*giant(500, 2), "homogeneity", population=True) is False
    assert check(*moved(1_000, 30, 0.3), "v_measure", population=True) is False
    assert check(*moved(500, 2, 0.97, 5), "adjusted_rand") is False


def test_intervals_that_hold_are_not_flagged() -> None:
    for seed in range(2):
        for name in ("adjusted_rand", "b_cubed_f", "v_measure"):
            assert check(*moved(500, 5, 0.25, seed), name) is not False
        assert check(*moved(2_000, 30, 0.3, seed), "b_cubed_f") is not False
        assert check(*moved(600, 4, 0.3, seed), "pair_recall", population=True) is not False


def test_the_default_interval_holds_where_the_plain_one_failed() -> None:
    found = cm.evaluate(*moved(500, 2, 0.97, 5)).coverage_check("adjusted_rand", draws=200)
    assert found["adjusted_rand"].holds is True
    assert found.verdict == "It holds."


@pytest.mark.parametrize(
    ("share", "made", "holds", "words"),
    [
        (0.82, 1_000, False, "covers about 82.0 %: do not rely on it"),
        (0.92, 200, None, "covers about 92.0 %: perhaps too short; draw more samples"),
        (0.94, 1_000, True, "holds"),
        (0.99, 1_000, True, "holds; wider than needed, it covers about 99.0 %"),
        (0.99, 49, None, "is made in only 49 of 1,000 samples: too few to tell"),
    ],
)
def test_verdicts(share: float, made: int, holds: bool | None, words: str) -> None:
    limits = monte_carlo_limits(round(share * made), made)
    assert judge_coverage(0.95, share, limits, made, 1_000) == (holds, words)


def test_the_tolerance_shrinks_with_the_level() -> None:
    assert [round(tolerance(level), 4) for level in (0.8, 0.95, 0.99)] == [0.02, 0.02, 0.004]


def test_the_same_seed_gives_the_same_result() -> None:
    scores = cm.evaluate(*moved(200, 4, 0.3))
    one, two, other = (scores.coverage_check("rand", draws=50, seed=seed).to_json() for seed in (1, 1, 2))
    assert one == two != other


def test_progress_is_told_and_an_interruption_ends_the_check() -> None:
    scores, told = cm.evaluate(*moved(100, 3, 0.3)), list[float]()
    scores.coverage_check("rand", draws=50, progress=told.append)
    assert told[0] == 0
    assert told[-1] == 1
    assert told == sorted(told)

    def stop(share: float) -> None:
        if share > 0.5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        scores.coverage_check("rand", draws=50, progress=stop)


def test_what_cannot_be_checked_is_said() -> None:
    scores = cm.evaluate(*moved(100, 3, 0.3))
    with pytest.raises(cm.InputError, match="seed=None must be a whole number"):
        scores.coverage_check("rand", draws=50, seed=None)  # type: ignore[arg-type]
    with pytest.raises(cm.InputError, match="draws"):
        scores.coverage_check("rand", draws=49)
    with pytest.raises(cm.UnsupportedTableError, match="depends on single cells"):
        scores.coverage_check("muc_f")
    found = scores.coverage_check(["rand", "muc_f"], draws=50)
    assert list(found.refused) == ["muc_f"]
    with pytest.raises(KeyError, match="depends on single cells"):
        found["muc_f"]
    with pytest.raises(KeyError, match="jaccard was not checked"):
        found["jaccard"]
    perfect = cm.evaluate([0, 0, 0, 1, 1, 1] * 10, [0, 0, 0, 1, 1, 1] * 10)
    row = perfect.coverage_check("rand", draws=50)["rand"]
    assert row.low is None
    assert row.verdict.startswith("no interval here; in samples that have one it ")


def test_the_page_has_the_check_only_when_asked() -> None:
    scores = cm.evaluate(*moved(100, 3, 0.3), ["rand"])
    check = scores.coverage_check(draws=50)
    assert "How often do these intervals hold?" not in scores.report()
    with pytest.raises(cm.InputError, match="coverage=True must be what coverage_check"):
        scores.report(coverage=True)  # type: ignore[arg-type]
    page = scores.report(coverage=check)
    assert "How often do these intervals hold?" in page
    assert check.verdict in page
    assert json.loads(check.to_json())["rows"][0]["index"] == "rand"
