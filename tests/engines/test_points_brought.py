"""Points of integers that come over as they are, and are counted by the kernel instead of an engine."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clustermark.engines.engine import FetchLimits, Workspace
from clustermark.errors import InputError
from clustermark.sources.contingencies import crosstab
from clustermark.tables.tabulation import crosstab as in_memory
from needs import need

pa = need("pyarrow", "parquet", "csv")

COLUMNS = {"true": "t", "pred": "p"}


def written(path, true, pred, **more):
    pa.parquet.write_table(pa.table({"t": true, "p": pred, **more}), path)
    return path


@pytest.fixture
def any_number(monkeypatch):
    """Let points come over however few they are."""
    monkeypatch.setattr(Workspace, "limits", FetchLimits(fewest_points=1))


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(st.integers(-1, 5), st.sampled_from([0, 7, 2**40, -(2**63)])), min_size=1, max_size=40),
    st.sampled_from([1, None]),
)
@pytest.mark.usefixtures("any_number")
def test_the_table_is_that_of_the_labels(tmp_path, rows, threads):
    true, pred = map(list, zip(*rows, strict=True))
    table = crosstab(written(tmp_path / "x.parquet", true, pred), **COLUMNS, threads=threads)
    assert "GROUP BY" not in table.sql
    assert table == in_memory(true, pred)
    assert table.squares == in_memory(true, pred).squares
    assert table.settings["engine"] == "duckdb"


@pytest.mark.usefixtures("any_number")
def test_several_files_and_types_of_integers(tmp_path):
    top = 2**64 - 1
    written(tmp_path / "1.parquet", pa.array([1, 2], pa.int8()), pa.array([top, 0], pa.uint64()))
    written(tmp_path / "2.parquet", pa.array([2, 2], pa.int8()), pa.array([0, 5], pa.uint64()))
    table = crosstab(tmp_path, **COLUMNS)
    assert "GROUP BY" not in table.sql
    assert table == in_memory([1, 2, 2, 2], [top, 0, 0, 5])


@pytest.mark.parametrize(
    ("true", "options"),
    [
        (["a", "a", "b"], {}),
        ([0.0, 1.0, 1.0], {}),
        ([0, None, 1], {"missing": "drop"}),
        ([0, 1, 1], {"noise_true": {0: "drop"}}),
        ([0, 1, 1], {"counts": "n"}),
        ([0, 1, 1], {"weights": "w"}),
        ([0, 1, 1], {"push_down": True}),
        ([0, 1, 1], {"max_cells": 2}),
    ],
    ids=str,
)
@pytest.mark.usefixtures("any_number")
def test_an_engine_groups_all_other_points(tmp_path, true, options):
    path = written(tmp_path / "x.parquet", true, [0, 1, 1], n=[1, 1, 1], w=[0.5, 1.0, 1.0])
    assert "GROUP BY" in crosstab(path, **COLUMNS, **options).sql


@pytest.mark.usefixtures("any_number")
def test_an_engine_groups_what_must_be_read_to_be_counted_and_what_is_joined(tmp_path):
    pa.csv.write_csv(pa.table({"t": [0, 1], "p": [0, 1]}), tmp_path / "x.csv")
    assert "GROUP BY" in crosstab(tmp_path / "x.csv", **COLUMNS).sql
    truth = written(tmp_path / "truth.parquet", [0, 1], [0, 0], i=[1, 2])
    assert "GROUP BY" in crosstab(truth, truth, on="i", **COLUMNS).sql


@pytest.mark.usefixtures("any_number")
def test_labels_that_are_missing_are_named_as_ever(tmp_path):
    with pytest.raises(InputError, match=r"column 't' has 1 missing .*, the first in row 2"):
        crosstab(written(tmp_path / "x.parquet", [0, None, 1], [0, 1, 1]), **COLUMNS)


@pytest.mark.parametrize(
    ("rows", "memory", "comes"),
    [(99_999, None, False), (100_000, None, True), (100_001, "10MB", True), (110_000, "10MB", False)],
)
def test_neither_few_points_come_over_nor_more_than_memory_holds(tmp_path, rows, memory, comes):
    path = written(tmp_path / "x.parquet", [0] * rows, [row % 7 for row in range(rows)])
    assert ("GROUP BY" not in crosstab(path, **COLUMNS, memory=memory).sql) is comes


def test_both_ways_are_explained(tmp_path):
    path = written(tmp_path / "x.parquet", [0, 1, 1], [0, 1, 1])
    explained = crosstab(path, **COLUMNS, explain=True)
    assert "fetch the points" in explained
    assert explained.index("SELECT t, p FROM") < explained.index("GROUP BY")
    assert "fetch the points" not in crosstab(path, **COLUMNS, explain=True, push_down=True)
