"""The unit that was sampled: components by default where clusters are small, and the design effect beside points."""

import numpy as np
import pytest

import clustermark as cm
from clustermark.uncertainty.refusals import MOSTLY_SMALL

BIG = [0] * 40 + [1] * 40
HAIRBALL = "one component joins most of the data"


def entities(seed: int, blocks: int = 100) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Return true entities in blocks, and two matchers that merge a quarter of the blocks each and drop records."""
    rng = np.random.default_rng(seed)
    sides: list[list[np.ndarray]] = [[], [], []]
    for block in range(blocks):
        sizes = rng.integers(1, 6, rng.integers(1, 4))
        true = np.repeat(np.arange(len(sizes)), sizes) + 1000 * block
        sides[0].append(true)
        for side in sides[1:]:
            found = true.copy()
            if len(sizes) > 1 and rng.random() < 0.25:
                found[:] = true[0]
            lone = rng.random(len(found)) < 0.1
            found[lone] = 1000 * block + 500 + np.arange(lone.sum())
            side.append(found)
    truth, before, after = map(np.concatenate, sides)
    return truth, {"before": before, "after": after}


def test_two_equally_good_matchers_are_rarely_called_better_or_worse():
    called = dict.fromkeys((None, "point"), 0)
    for seed in range(100):
        truth, found = entities(seed)
        for unit in called:
            [row] = cm.changes(*found.values(), truth, indices=["b_cubed_precision"], unit=unit).truth.scores
            called[unit] += row.verdict != "not shown"
    assert called[None] <= 10
    assert called["point"] >= 25


def test_small_clusters_choose_components():
    truth, found = entities(0)
    by_default, components = (cm.compare(truth, found, **unit) for unit in ({}, {"unit": "component"}))
    assert by_default.unit == "component"
    assert list(by_default.differences()) == list(components.differences())
    assert f"{MOSTLY_SMALL}, so the unit is component" in repr(by_default)
    assert MOSTLY_SMALL not in repr(components)
    changed = cm.changes(*found.values(), truth)
    assert changed.truth.comparison.unit == "component"
    assert f"{MOSTLY_SMALL}, so the unit is component" in repr(changed)


def test_large_clusters_choose_points():
    found = {"a": [*BIG[:-4], 0, 0, 0, 0], "b": [1, 1, *BIG[2:]]}
    ranked = cm.compare(BIG, found)
    assert ranked.unit == "point"
    assert repr(ranked) == repr(cm.compare(BIG, found, unit="point"))
    assert "design effect" not in repr(ranked)


@pytest.mark.parametrize("index", ["b_cubed_precision", "adjusted_rand"])
def test_the_design_effect_is_the_ratio_of_the_variances(index: str):
    truth, found = entities(1)
    rows = [cm.compare(truth, found, [index], unit=unit).differences()[0] for unit in ("component", "point")]
    wanted = (rows[0].standard_error / rows[1].standard_error) ** 2
    assert [row.design_effect for row in rows] == pytest.approx([wanted, wanted], rel=1e-9)
    assert wanted > 1.2
    groups = np.arange(len(truth)) // 7
    over_groups = cm.compare(truth, found, [index], unit=groups).differences()[0]
    wanted = (over_groups.standard_error / rows[1].standard_error) ** 2
    assert over_groups.design_effect == pytest.approx(wanted, rel=1e-9)


def test_a_notable_design_effect_is_printed():
    truth, found = entities(2)
    said = "design effect (variance over components by that over points): b_cubed_precision"
    over_points = cm.compare(truth, found, ["b_cubed_precision"], unit="point")
    assert said in repr(over_points)
    assert "where clusters were sampled, choose the unit component" in repr(over_points)
    assert said in repr(cm.changes(*found.values(), truth))
    assert "design effect" in repr(over_points.differences())


def test_several_runs_have_a_design_effect():
    truth, found = entities(3)
    runs = {"a": [found["before"], found["after"]], "b": [truth, found["after"]]}
    effects = [cm.compare(truth, runs, ["b_cubed_f"], unit=unit).differences()[0] for unit in ("component", "point")]
    assert effects[0].design_effect == pytest.approx(effects[1].design_effect)


def test_without_a_second_variance_there_is_no_design_effect():
    truth, found = entities(4, blocks=3)
    assert cm.compare(truth, found, ["b_cubed_f"], unit="point").differences()[0].design_effect is None
    truth, found = entities(4)
    weighted = cm.compare(truth, found, ["b_cubed_f"], unit="component", weights=np.full(len(truth), 0.5))
    assert weighted.differences()[0].design_effect is None


def joined() -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Return entities, and two predictions of which one joins most entities in a chain."""
    truth = np.arange(90) // 3
    return truth, {"before": truth + (np.arange(90) % 30 == 0), "after": (np.arange(90) + 1) // 3}


def test_records_in_one_component_give_no_interval_unless_points_are_asked_for():
    truth, found = joined()
    given = cm.changes(*found.values(), truth).truth
    assert given.comparison.unit == "component"
    assert all(row.low is None and row.notes[0].startswith(HAIRBALL) for row in given.scores)
    assert not given.not_worse("b_cubed_f", 0.5).shown
    assert cm.changes(*found.values(), truth, unit="point").truth.scores[0].low is not None


def test_points_in_one_component_are_compared_with_a_warning():
    truth, found = joined()
    ranked = cm.compare(truth, found)
    assert ranked.unit == "point"
    assert "so the unit is point; where clusters were sampled, the intervals are too narrow" in repr(ranked)


def test_nothing_differs_whatever_the_unit():
    truth, found = joined()
    same = cm.changes(found["after"], found["after"], truth).truth
    assert same.comparison.unit == "component"
    assert same.not_worse("b_cubed_f", 0.01).shown


def test_no_unit_is_right_for_weights():
    truth, found = entities(5)
    assert cm.compare(truth, found, weights=np.full(len(truth), 0.5)).unit == "point"
