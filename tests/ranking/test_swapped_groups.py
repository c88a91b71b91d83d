"""Whole groups swapped between two predictions, some of whose points are alone or have no cluster."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import clustermark as cm
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
