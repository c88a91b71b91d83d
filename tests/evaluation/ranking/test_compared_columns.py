"""Predictions in the columns of a source are compared as the same labels in memory are."""

from __future__ import annotations

import csv
import sqlite3

import pytest

import clustermark as cm
from needs import need

METHODS = ("kmeans", "ward", "dbscan")
pytestmark = pytest.mark.filterwarnings("ignore::clustermark.errors.NoiseWarning")  # of the demo's dbscan


@pytest.fixture(scope="module")
def digits():
    from clustermark.cli.about import DIGITS

    with DIGITS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return DIGITS, {name: [row[name] for row in rows] for name in ("digit", *METHODS)}


def same(one, other):
    """The same standings and differences."""
    assert one.n_used == other.n_used
    for index in other.indices:
        for mine, theirs in zip(one.leaderboard(index), other.leaderboard(index), strict=True):
            assert (mine.method, mine.score, mine.ranks) == (theirs.method, theirs.score, theirs.ranks)
            assert mine.low == pytest.approx(theirs.low, rel=1e-9)
        for mine, theirs in zip(one.differences(index), other.differences(index), strict=True):
            assert mine.standard_error == pytest.approx(theirs.standard_error, rel=1e-9)
            assert mine.p_value == pytest.approx(theirs.p_value, rel=1e-6)


@pytest.mark.parametrize("engine", ["duckdb", "polars", "datafusion"])
def test_a_file_gives_what_memory_gives(digits, engine):
    need(engine)
    path, labels = digits
    wanted = cm.compare(labels["digit"], {name: labels[name] for name in METHODS})
    ours = cm.compare(path, true="digit", pred=METHODS, engine=engine)
    same(ours, wanted)
    assert ours.predictions.settings["engine"] == engine
    assert len(ours.predictions.truth) < len(labels["digit"])  # distinct rows


def test_noise_counts_and_runs_in_a_file(tmp_path, digits):
    need("duckdb")
    path, labels = digits
    noise = {"-1": "singletons"}
    ours = cm.compare(path, true="digit", pred={"means": ["kmeans", "ward"], "dbscan": "dbscan"}, noise_pred=noise)
    runs = {"means": [labels["kmeans"], labels["ward"]], "dbscan": labels["dbscan"]}
    same(ours, cm.compare(labels["digit"], runs, noise_pred={"-1": "singletons"}))
    assert ours.leaderboard()["means"].runs == 2
    counted = tmp_path / "counted.csv"
    counted.write_text("t,a,b,n\nx,1,1,20\nx,2,1,3\ny,2,2,15\ny,2,1,4\n")
    repeated = [
        [
            row[place]
            for row in ("x11", "x21", "y22", "y21")
            for _ in range({"x11": 20, "x21": 3, "y22": 15, "y21": 4}[row])
        ]
        for place in range(3)
    ]
    same(
        cm.compare(counted, true="t", pred=["a", "b"], counts="n"),
        cm.compare(repeated[0], {"a": repeated[1], "b": repeated[2]}),
    )
    weighted = cm.compare(counted, true="t", pred=["a", "b"], weights="n")
    assert weighted.leaderboard()[0].low is None


def test_frames_and_databases(digits):
    pandas = need("pandas")
    _, labels = digits
    wanted = cm.compare(labels["digit"], {name: labels[name] for name in METHODS})
    frame = pandas.DataFrame(labels)
    same(cm.compare(frame, true="digit", pred=METHODS), wanted)
    connection = sqlite3.connect(":memory:")
    frame.to_sql("runs", connection, index=False)
    same(cm.compare((connection, "runs"), true="digit", pred=METHODS), wanted)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"pred": ["a"]}, "true: name the column with the true labels"),
        ({"true": "t"}, "pred: name the columns with the predictions"),
        ({"true": "t", "pred": ["a", "c"]}, "pred='c' is not one of its columns"),
        ({"true": "t", "pred": ["a", "t"]}, "the column 't' is named twice"),
        ({"true": "t", "pred": ["a", 3]}, "3 is not the name of a column"),
        ({"true": "t", "pred": ["a", "b"], "on": "t"}, "on= joins the truth with other sources; pass one"),
        ({"true": "t", "pred": ["a", "b"], "max_cells": 1}, "the limit is 1"),
        ({"true": "t", "pred": ["a", "b"]}, "column 'b' has 1 missing label.*first in row 2"),
    ],
)
def test_mistakes_in_columns_are_named(tmp_path, options, words):
    need("duckdb")
    file = tmp_path / "runs.csv"
    file.write_text("t,a,b\n1,1,1\n1,2,\n2,2,2\n")
    with pytest.raises((cm.InputError, cm.UnsupportedTableError), match=words):
        cm.compare(file, **options)


def test_a_column_named_twice(digits):
    with pytest.raises(cm.InputError, match="pred: the column 'ward' is named twice"):
        cm.compare(digits[0], true="digit", pred=["ward", "ward"])
