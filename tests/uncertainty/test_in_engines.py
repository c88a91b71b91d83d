"""Intervals and tests of tables whose cells stay in an engine: the same as in memory, or refused."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import clustermark as cm
from needs import need

if TYPE_CHECKING:
    from pathlib import Path

RNG = np.random.default_rng(0)
TRUE = RNG.integers(0, 30, 2_000)
PRED = np.where(RNG.random(2_000) < 0.3, RNG.integers(0, 40, 2_000), TRUE)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("points") / "points.csv"
    np.savetxt(path, np.column_stack([TRUE, PRED]), "%d", ",", header="t,p", comments="")
    return str(path)


@pytest.fixture(scope="module")
def away(file: str) -> cm.Contingency:
    need("duckdb")
    table = cm.crosstab(file, true="t", pred="p", push_down=True)
    assert not table.in_memory
    return table


@pytest.fixture(scope="module")
def here() -> cm.Contingency:
    return cm.crosstab(TRUE, PRED)


@pytest.mark.parametrize(
    "name", ["adjusted_rand", "jaccard", "lerman", "nmi", "vi_split", "ami", "rv", "f_measure(beta=2)"]
)
def test_pairs_and_information_need_tallies_only(away: cm.Contingency, here: cm.Contingency, name: str):
    one, other = cm.score_interval(away, name), cm.score_interval(here, name)
    for field in ("score", "low", "high", "standard_error"):
        assert getattr(one, field) == pytest.approx(getattr(other, field), rel=1e-9)
    assert (one.n_units, one.method) == (other.n_units, other.method)
    assert cm.score_interval(away, name, target="sample").notes == other.notes


@pytest.mark.parametrize("engine", ["polars", "datafusion", "sqlite3"])
def test_every_engine_has_the_tallies(file: str, here: cm.Contingency, engine: str):
    need(engine)
    source: Any = file
    options = {"engine": engine}
    if engine == "sqlite3":
        source, options = (sqlite3.connect(":memory:"), "points"), {}
        source[0].execute("CREATE TABLE points (t INTEGER, p INTEGER)")
        source[0].executemany("INSERT INTO points VALUES (?, ?)", zip(TRUE.tolist(), PRED.tolist(), strict=True))
    table = cm.crosstab(source, true="t", pred="p", push_down=True, **options)
    assert not table.in_memory
    for name in ("adjusted_rand", "ami"):
        one, other = cm.score_interval(table, name), cm.score_interval(here, name)
        assert (one.score, one.n_units, one.notes) == (other.score, other.n_units, other.notes)
        assert (one.low, one.high) == pytest.approx((other.low, other.high), rel=1e-9)


@pytest.mark.parametrize("name", ["b_cubed_f", "purity", "matching_accuracy", "element_centric", "greedy_matching"])
def test_what_needs_every_cell_is_refused(away: cm.Contingency, name: str):
    with pytest.raises(cm.UnsupportedTableError, match="engine"):
        cm.score_interval(away, name)


@pytest.mark.parametrize("options", [{"unit": "component"}, {"method": "half-sampling"}, {"method": "bootstrap"}])
def test_what_draws_or_joins_cells_is_refused(away: cm.Contingency, options: dict):
    with pytest.raises(cm.UnsupportedTableError, match="engine"):
        cm.score_interval(away, "adjusted_rand", **options)


def test_a_panel_says_what_it_leaves_out(away: cm.Contingency):
    found = cm.evaluate_table(away).intervals()
    assert "adjusted_rand" in found
    assert "without push-down" in found.refused["b_cubed_f"]
    assert all("without push-down" in reason for reason in found.refused.values())
    with pytest.raises(cm.UnsupportedTableError, match="engine"):
        cm.evaluate_table(away).interval("rand", unit=[0] * 2_000)


def test_unmatched_items_in_an_engine_are_refused(tmp_path: Path):
    need("duckdb")
    for name, ids in (("t", range(2_000)), ("p", range(5, 2_005))):
        labels = TRUE if name == "t" else PRED
        np.savetxt(tmp_path / f"{name}.csv", np.column_stack([ids, labels]), "%d", ",", header=f"i,{name}", comments="")
    files = [str(tmp_path / f"{name}.csv") for name in ("t", "p")]
    table = cm.crosstab(*files, on="i", true="t", pred="p", unmatched="keep", push_down=True)
    with pytest.raises(cm.UnsupportedTableError, match="unmatched items needs every cell"):
        cm.score_interval(table, "b_cubed_f")


def test_tests_need_cluster_sizes_only(away: cm.Contingency, here: cm.Contingency):
    for name in ("adjusted_rand", "nmi"):
        assert cm.chance_test(away, name, draws=99) == cm.chance_test(here, name, draws=99)
    assert cm.rand.adjust().of(away) == cm.rand.adjust().of(here)
