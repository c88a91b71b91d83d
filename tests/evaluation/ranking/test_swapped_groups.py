"""Whole groups swapped between two predictions, some of whose points are alone or have no cluster."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import clustermark as cm
from clustermark.evaluation.paired_points import PointUnits
from clustermark.uncertainty.spread import Jackknife
from needs import need

RNG = np.random.default_rng(4)
GROUP = np.repeat(np.arange(8), 5)
TRUTH, ONE, OTHER = (2 * GROUP + RNG.integers(0, 2, len(GROUP)) for _ in range(3))
NOISE = -1
for labels in (ONE, OTHER):
    labels[RNG.random(len(GROUP)) < 0.15] = NOISE


def by_hand(index: str) -> float:
    """The share of all ways to swap groups that differ as much."""
    single = [np.where(labels == NOISE, 100 + np.arange(len(labels)), labels) for labels in (ONE, OTHER)]
    score = cm.find(index)
    apart = []
    for swapped in product([False, True], repeat=8):
        chosen = np.array(swapped)[GROUP]
        apart.append(abs(score(TRUTH, np.where(chosen, *single)) - score(TRUTH, np.where(chosen, *single[::-1]))))
    return float(np.mean(np.array(apart) >= apart[0] * (1 - 1e-12)))


@pytest.mark.parametrize("index", ["adjusted_rand", "b_cubed_f", "purity"])
def test_points_alone_are_swapped_as_by_hand(index: str):
    ranked = cm.compare(
        TRUTH, {"one": ONE, "other": OTHER}, [index], unit=GROUP.tolist(), noise_pred={NOISE: "singletons"}
    )
    row = ranked.differences()[0]
    assert (row.method, row.n_units) == ("swapping", 8)
    assert (row.draws, row.seed) == (None, None)  # all ways are tried
    assert row.p_value == pytest.approx(by_hand(index), abs=1e-12)


def test_groups_with_unmatched_items_are_left_out_and_not_swapped():
    pandas = need("pandas")
    need("duckdb")
    ids = np.arange(len(TRUTH))
    truth = pandas.DataFrame({"id": ids, "label": TRUTH, "group": np.arange(len(TRUTH)) // 5})
    found = {
        name: pandas.DataFrame({"id": ids[labels != NOISE], name: labels[labels != NOISE]})
        for name, labels in (("one", ONE), ("other", OTHER))
    }
    ranked = cm.compare(truth, found, ["b_cubed_f"], on="id", true="label", unit="group", unmatched="keep")
    row = ranked.differences()[0]
    assert (row.method, row.n_units) == ("jackknife", 8)
    assert row.standard_error > 0


def entities(n: int, seed: int) -> tuple[np.ndarray, dict[str, np.ndarray], np.ndarray]:
    """Entities of three records called by texts; predictions that split some and merge some; blocks of two entities."""
    rng = np.random.default_rng(seed)
    entity = np.repeat(np.arange(n), 3)
    found = {}
    for name in ("one", "other"):
        split, merged = (rng.random(n)[entity] < share for share in (0.3, 0.3))
        labels = np.where(merged, entity // 2 * 2, entity)
        found[name] = np.where(split & (np.arange(3 * n) % 3 == 0), n + entity, labels).astype(str)
    return entity.astype(str), found, (entity // 2).astype(str)


@pytest.mark.parametrize("unit", ["component", "group"])
def test_what_is_drawn_depends_neither_on_the_order_of_rows_nor_on_names(unit: str):
    truth, found, blocks = entities(40, 1)
    wanted = None
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(len(truth))
        rename = np.array([f"{chr(97 + int(label) * 7 % 26)}{label}" if seed else label for label in truth])
        chosen = blocks[order].tolist() if unit == "group" else unit
        ranked = cm.compare(rename[order], {k: v[order] for k, v in found.items()}, ["dice", "b_cubed_f"], unit=chosen)
        rows = [ranked.differences(index)[0] for index in ranked.indices]
        assert [(row.method, row.draws, row.seed) for row in rows] == [("swapping", 9_999, 0)] * 2
        wanted = wanted or rows
        assert rows == wanted


def test_halves_of_groups_do_not_depend_on_the_order_of_rows():
    rng = np.random.default_rng(2)
    groups = np.repeat(np.arange(2_001), 2)
    truth = rng.integers(0, 3, len(groups))
    found = {name: np.where(rng.random(len(groups)) < 0.3, 0, truth) for name in ("one", "other")}
    rows = []
    for seed in (0, 1):
        order = np.random.default_rng(seed).permutation(len(groups))
        unit = [f"document {group}" for group in groups[order]]
        rows += cm.compare(truth[order], {k: v[order] for k, v in found.items()}, ["rand"], unit=unit).differences()
    assert (rows[0].method, rows[0].draws, rows[0].seed) == ("half-sampling", 500, 0)
    assert rows[0] == rows[1]


@pytest.mark.slow
@pytest.mark.parametrize("counted", [False, True])
def test_halves_of_points_vary_as_points_left_out_do(monkeypatch: pytest.MonkeyPatch, counted: bool):
    rng = np.random.default_rng(6)
    truth = rng.integers(0, 5, 300)
    one, two, three = (np.where(rng.random(300) < share, rng.integers(0, 5, 300), truth) for share in (0.2, 0.3, 0.35))
    runs = {"one": one, "two": two} if counted else {"one": [one, three], "two": two}
    more: dict[str, Any] = {"counts": rng.integers(1, 3, 300)} if counted else {}
    exact = cm.compare(truth, runs, ["greedy_matching"], **more)
    monkeypatch.setattr(Jackknife, "most_tables", 3)
    ranked = cm.compare(truth, runs, ["greedy_matching"], **more)
    row, wanted = ranked.differences()[0], exact.differences()[0]
    assert (row.method, row.draws, row.seed) == ("half-sampling", 500, 0)
    assert (wanted.method, wanted.draws) == ("jackknife", None)
    assert "500 random halves were scored instead" in ranked.methods_text()
    assert "random halves" not in exact.methods_text()
    assert row.standard_error == pytest.approx(wanted.standard_error, rel=0.12)
    assert ranked.leaderboard()["one"].standard_error == pytest.approx(
        exact.leaderboard()["one"].standard_error, rel=0.12
    )
    if counted:
        order = rng.permutation(300)
        counts = more["counts"][order]
        again = cm.compare(truth[order], {"one": one[order], "two": two[order]}, ["greedy_matching"], counts=counts)
        assert again.differences()[0] == row
        return
    monkeypatch.setattr(PointUnits, "most_halved", 299)
    row = cm.compare(truth, {"one": one, "two": two}, ["greedy_matching"]).differences()[0]
    assert row.p_value is None
    assert "too many cells to try each and points to draw halves" in row.notes[0]
