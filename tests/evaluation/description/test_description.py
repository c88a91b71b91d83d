"""One clustering described: every number against loops over records, from wherever they lie."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from math import exp, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clustermark as cm
from needs import need

pd = need("pandas")
pl = need("polars")

ROW = st.tuples(st.integers(0, 4) | st.none(), st.sampled_from(["x", "y", "z", None]), st.integers(0, 3))
NOISE, MISSING = ("cluster", "singletons", "drop"), ("cluster", "singletons", "drop")


class Own:
    """The cluster of a record that has one of its own."""


def records_of(rows, noise, missing):
    """Each record with its cluster and its value."""
    found = []
    for label, value, times in rows:
        fate = missing if label is None else noise if label == 4 else "cluster"
        if fate != "drop":
            found += [(Own() if fate == "singletons" else label, value) for _ in range(times)]
    return found


@settings(max_examples=80, deadline=None)
@given(st.lists(ROW, min_size=1, max_size=12), st.sampled_from(NOISE), st.sampled_from(MISSING))
def test_every_number_is_that_of_a_loop_over_records(rows, noise, missing):
    records = records_of(rows, noise, missing)
    labels, values, times = map(list, zip(*rows, strict=True))
    asked = {"counts": times, "noise": {4: noise}, "missing": missing}
    if not records:
        with pytest.raises(cm.InputError):
            cm.describe(labels, {"v": values}, **asked)
        return
    found = cm.describe(labels, {"v": values}, **asked)
    clusters = defaultdict(list)
    for label, value in records:
        clusters[label].append(value)
    sizes = sorted(map(len, clusters.values()))
    n = len(records)
    assert (found.n_records, found.n_clusters, found.singletons) == (n, len(sizes), sizes.count(1))
    assert found.points == {"given": sum(times), "used": n, "noise": sum(t for a, _, t in rows if a == 4),
                            "dropped": sum(times) - n, "unmatched": 0}  # fmt: skip
    assert found.matching_rate == sum(size for size in sizes if size > 1) / n
    assert found.pairs == sum(size * (size - 1) // 2 for size in sizes)
    assert found.hill(0) == pytest.approx(len(sizes))
    assert found.hill(1) == pytest.approx(exp(-sum(size / n * log(size / n) for size in sizes)))
    assert found.hill(2) == pytest.approx(1 / sum((size / n) ** 2 for size in sizes))
    for share, size in found.quantiles.items():
        assert size == next(one for one in sizes if sum(other <= one for other in sizes) >= share * len(sizes))
    check_column(found.columns[0], records, clusters, sum(t for _, v, t in rows if v is None))


def check_column(row, records, clusters, missing):
    known = [(label, value) for label, value in records if value is not None]
    values, where = defaultdict(set), defaultdict(set)
    for label, value in known:
        values[label].add(value)
        where[value].add(label)
    varied = [label for label in clusters if len(values[label]) > 1]
    homonyms = [value for value in where if len(where[value]) > 1]
    assert (row.column, row.records, row.missing) == ("v", len(known), missing)
    assert (row.values, row.varied_clusters, row.homonyms) == (len(where), len(varied), len(homonyms))
    if not known:
        assert (row.variation, row.homonymy) == (None, None)
        return
    assert row.variation == sum(label in varied for label, _ in known) / len(known)
    assert row.homonymy == sum(value in homonyms for _, value in known) / len(known)
    most = sorted((len(values[label]) for label in varied), reverse=True)[:3]
    assert [one.times for one in row.most_varied] == most
    for one in row.most_spread:
        assert (one.times, one.records) == (len(where[one.label]), sum(value == one.label for _, value in known))


FRAME = pd.DataFrame(
    {
        "id": ["a", "b", "c", "d"],
        "cluster": ["1", "1", "2", "2"],
        "city": ["Ulm", None, "Graz", "Ulm"],
        "n": [1, 2, 1, 1],
    }
)


def in_sqlite():
    connection = sqlite3.connect(":memory:")
    FRAME.to_sql("records", connection, index=False)
    return connection, "records"


@pytest.mark.parametrize("kind", ["pandas", "polars", "csv", "parquet", "sqlite", "engine polars", "arrays"])
def test_records_from_wherever_they_lie(kind, tmp_path):
    csv, parquet = tmp_path / "r.csv", tmp_path / "r.parquet"
    FRAME.to_csv(csv, index=False)
    FRAME.to_parquet(parquet)
    sources = {
        "pandas": FRAME,
        "polars": pl.from_pandas(FRAME),
        "csv": str(csv),
        "parquet": parquet,
        "sqlite": in_sqlite(),
        "engine polars": parquet,
        "arrays": FRAME[["cluster", "city"]].to_dict("list"),
    }
    engine = {"engine": "polars"} if kind == "engine polars" else {}
    found = cm.describe("cluster", sources[kind], "city", **engine)
    expected = cm.describe(FRAME["cluster"].tolist(), {"city": FRAME["city"].tolist()})
    assert json.loads(found.to_json())["columns"] == json.loads(expected.to_json())["columns"]
    assert found.to_dict() == expected.to_dict()


def test_labels_by_id_and_counts_by_column():
    by_id = {"d": "2", "c": "2", "b": "1", "a": "1"}
    expected = cm.describe("cluster", FRAME, "city").to_dict()
    assert cm.describe(by_id, FRAME, "city").to_dict() == expected
    assert cm.describe(by_id, {row["id"]: row for row in FRAME.to_dict("records")}, ["city"]).to_dict() == expected
    assert cm.describe(by_id, FRAME.rename(columns={"id": "key"}), "city", on="key").to_dict() == expected
    assert cm.describe("cluster", FRAME, "city", counts="n").n_records == 5
    assert cm.describe(by_id, counts={"a": 1, "b": 2, "c": 1, "d": 1}).n_records == 5
    assert [row.column for row in cm.describe("cluster", FRAME, counts="n").columns] == ["id", "city"]


@pytest.mark.parametrize(
    ("asked", "complaint"),
    [
        ({"labels": "klass", "records": FRAME}, "labels='klass' is not one of its columns"),
        ({"labels": "cluster", "records": FRAME, "columns": "cty"}, r"columns='cty' is not one.*did you mean 'city'"),
        ({"labels": "cluster", "records": FRAME, "counts": "m"}, "counts='m' is not one of its columns"),
        ({"labels": "cluster"}, "names a column, and there is none"),
        ({"labels": "x", "records": {"y": [1]}}, "labels='x' is none of the columns of the records: 'y'"),
        ({"labels": [1, 2], "columns": "city"}, "pass records="),
        ({"labels": [1, None]}, r"labels: 1 record\(s\) have no label, the first at position 1.*missing='drop'"),
        ({"labels": [1, 2], "records": {"x": [1]}}, "column 'x' has 1 values for 2 points"),
        ({"labels": [1, -1], "noise": {-1: "unscored"}}, "'unscored' is not a policy here"),
        ({"labels": [1, -1], "noise": -1}, "noise=-1 does not say"),
        ({"labels": [1], "missing": "never"}, "missing='never'"),
    ],
)
def test_what_is_asked_wrongly_is_refused(asked, complaint):
    with pytest.raises(cm.InputError, match=complaint):
        cm.describe(**asked)


def test_orders_of_hill_numbers():
    found = cm.describe([0, 0, 0, 1])
    assert found.hill(0.999999) == pytest.approx(found.hill(1), abs=1e-5)
    assert found.hill(1e3) == pytest.approx(4 / 3, rel=1e-2)
    with pytest.raises(cm.InputError, match="order=-1"):
        found.hill(-1)


def test_words_and_files(tmp_path):
    hostile = ["<script>", "\u202egnp.exe", "=cmd()", None]
    found = cm.describe([1, 1, 1, 2], {"<b>": hostile})
    assert found.headline == "4 records in 2 clusters"
    assert "\u202e" not in repr(found)
    html = found._repr_html_()
    assert "<script>" not in html
    assert "&lt;b&gt;" in html
    assert repr(found.columns[:1]) == repr(found.columns)
    assert found.columns["<b>"].values == 3
    assert found.to_csv().splitlines()[:2] == ["fact,value", "records,4"]
    found.write_json(tmp_path / "d.json")
    assert json.loads((tmp_path / "d.json").read_text())["kind"] == "description"
    with pytest.raises(cm.InputError, match="exists already"):
        found.write_json(tmp_path / "d.json")
    assert cm.describe([1, 2, 2], noise={2: "drop"}).headline == "1 record in 1 cluster; 2 left out"


def test_numbers_with_fractions_are_values_too():
    found = cm.describe([1, 1, 2], {"x": np.array([0.5, 0.25, np.nan])})
    assert (found.columns[0].values, found.columns[0].missing, found.columns[0].variation) == (2, 1, 1.0)
