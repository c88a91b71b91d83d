"""evaluate_internal: a panel, samples, files, what it shows."""

from __future__ import annotations

import json
import math
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import clustermark as cm
from clustermark.statistics import PointSums
from clustermark.subjects.geometry import GeometryLimits
from needs import need
from program import write_csv


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(6)
    labels = rng.integers(0, 4, 400)
    return rng.normal(size=(400, 3)) + 2 * rng.normal(size=(4, 3))[labels], labels


def test_the_panel(data):
    scores = cm.evaluate_internal(*data)
    panel = [index for index in cm.catalogue("points") if index.panel]
    assert dict(scores) == {index.name: index(*data) for index in panel}
    assert scores["CHI"] == scores["calinski_harabasz"] == scores[cm.calinski_harabasz]
    assert "silhouette" in scores
    assert "dbcv" not in scores
    assert "jaccard" not in scores
    with pytest.raises(KeyError, match="dbcv was not evaluated"):
        scores["dbcv"]
    assert len(cm.evaluate_internal(*data, "all")) == len(cm.catalogue("points"))
    named = cm.evaluate_internal(*data, ["silhouette(average='clusters')", cm.dunn])
    assert list(named) == ["silhouette(average='clusters')", "dunn"]
    with pytest.raises(cm.InputError, match="jaccard is not computed from a Geometry"):
        cm.evaluate_internal(*data, ["jaccard"])


def test_clusters_and_points(data):
    scores = cm.evaluate_internal(*data)
    assert scores.silhouettes.mean() == pytest.approx(scores["silhouette"])
    rows = scores.clusters
    assert sum(row.size for row in rows) == 400
    assert sum(row.misplaced for row in rows) == (scores.silhouettes < 0).sum()
    assert [row.silhouette for row in rows] == sorted(row.silhouette for row in rows)
    for row in rows:
        assert row.silhouette == pytest.approx(scores.silhouettes[data[1] == row.label].mean())
        assert row.neighbour != row.label


def test_what_it_shows(data):
    scores = cm.evaluate_internal(data[0], np.where(data[1] == 0, -1, data[1]), noise={-1: "drop"})
    text = repr(scores)
    assert "left out" in text.splitlines()[0]
    assert f"{scores['silhouette']:.6f}  [-1, 1]  higher" in text
    assert "<table><caption>" in scores._repr_html_()
    document = json.loads(scores.to_json())
    valid = need("jsonschema").Draft202012Validator(cm.json_schema()).is_valid
    assert valid(document)
    assert valid(json.loads(cm.evaluate_internal(*data, sample=50).to_json()))
    assert not valid(document | {"points": 7})
    noise = int((data[1] == 0).sum())
    assert document["points"] == {
        "given": 400, "used": 400 - noise, "noise": noise, "dropped": noise, "unmatched": 0,
    }  # fmt: skip
    assert document["clusters"] == {"pred": 3}
    assert document["scores"]["silhouette"]["value"] == scores["silhouette"]
    perfect = cm.evaluate_internal([[0, 0], [0, 0], [3, 4], [3, 4]], ["<a>", "<a>", "b", "b"])
    assert json.loads(perfect.to_json())["scores"]["calinski_harabasz"]["value"] == "inf"
    assert scores.to_csv().startswith("index,title,score,low,high,higher_is_better,family\n")
    drawing = perfect.to_svg()
    ET.fromstring(drawing)
    assert "&lt;a&gt;" in drawing
    assert "<a>" not in drawing


def test_the_page(data, tmp_path):
    hostile = np.array(["<script>alert(1)</script>", "b", "c", "d"])[data[1]]
    scores = cm.evaluate_internal(data[0], hostile)
    page = scores.report("Points & <all>")
    assert page == scores.report("Points & <all>")
    for row in scores.clusters:
        assert f"{row.size:,}" in page
    assert "<script>alert" not in page
    assert "Points &amp; &lt;all&gt;" in page
    assert f"{scores['silhouette']:.6f}" in page
    assert page.count('id="silhouette-plot"') == 1
    assert f"{scores.clusters[0].silhouette:.6f}".replace("-", "−") in page
    assert "mean silhouette" in scores.to_markdown()
    assert f"({(scores.silhouettes < 0).mean():.1%}".replace(".0%", "%") in page
    path = tmp_path / "page.html"
    scores.write_report(path)
    assert "Clusters by their own points" in path.read_text()
    with pytest.raises(cm.InputError, match="exists already"):
        scores.write_report(path)
    sampled = cm.evaluate_internal(*data, ["silhouette", "davies_bouldin"], sample=50)
    assert not sampled.has_silhouettes
    assert "were not measured" in sampled.report()
    assert f"<small>{sampled.sampled['silhouette'].low:.4f} to" in sampled.report()
    lone = cm.evaluate_internal([[1.0], [2.0]], [0, 0])
    assert "were not measured" in lone.report()
    assert "2 points in 1 cluster: " in lone.verdict


def test_noise_that_nobody_named_is_told():
    X = [[0.0], [1.0], [5.0], [6.0]]
    with pytest.warns(cm.NoiseWarning, match=r"1 point of the clustering has the label -1.* Choose noise=\{-1: 'singl"):
        found = cm.evaluate_internal(X, [0, 0, -1, 2])
    assert "the label -1 looks like noise and counts as a cluster" in repr(found)
    assert "looks like noise" not in repr(cm.evaluate_internal(X, [1, 1, -1, -1]))
    assert "looks like noise" not in repr(cm.evaluate_internal(X, [0, 0, -1, 2], noise={-1: "cluster"}))


def test_noise_that_no_index_counts_is_not_told():
    X = [[0.0], [1.0], [5.0], [6.0]]
    for indices in (["dbcv"], ["dbcv", "relative_validity"]):
        assert "looks like noise" not in repr(cm.evaluate_internal(X, [0, 0, 1, -1], indices))
    with pytest.warns(cm.NoiseWarning):
        assert "looks like noise" in repr(cm.evaluate_internal(X, [0, 0, 1, -1], ["dbcv", "dunn"]))


@pytest.mark.filterwarnings("ignore::clustermark.errors.NoiseWarning")
def test_noise_that_no_point_has_is_told():
    X = [[0.0], [1.0], [5.0], [6.0]]
    for labels, noise, said in (
        (
            ["0", "0", "-1", "2"],
            {-1: "drop"},
            ["no point has the label -1, which is named as noise; there is '-1', a text"],
        ),
        (
            [0, 0, -1, 2],
            {"-1": "drop"},
            ["no point has the label '-1', which is named as noise; there is -1, a number"],
        ),
        ([0, 0, 1, 2], {-1: "drop"}, ["no point has the label -1, which is named as noise"]),
        ([0, 0, 1, 2], {-1: "drop", "-1": "drop"}, ["no point has the label -1, which is named as noise"]),
        ([0, 0, -1, 2], {-1: "drop", "-1": "drop"}, []),
        (["0", "0", "-1", "2"], {-1: "drop", "-1": "drop"}, []),
    ):
        notes = cm.evaluate_internal(X, labels, ["r_squared"], noise=noise).notices
        assert [note.text for note in notes if "no point has" in note.text] == said


def test_silhouettes_that_are_undefined_or_refused(data):
    lone = cm.evaluate_internal(data[0], np.zeros(400), ["r_squared"])
    heavy = cm.evaluate_internal(*data, ["r_squared"], weights=np.arange(1, 401))
    for show in (lambda one: one.silhouettes, lambda one: one.clusters, lambda one: one.to_svg()):
        with pytest.raises(cm.UndefinedIndexError, match="silhouette is undefined: there is one cluster"):
            show(lone)
        with pytest.raises(cm.InputError, match="silhouette has no meaning with weights"):
            show(heavy)


def test_neighbours_are_the_clusters_that_most_points_are_nearest_to():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 7, 90)
    found = cm.evaluate_internal(rng.normal(size=(90, 2)), labels)
    nearest = PointSums.of(found.subject).neighbours
    for row in found.clusters:
        own = np.bincount(nearest[labels == row.label])
        assert row.neighbour == found.subject.names[int(own.argmax())]


def test_integers_of_columns_that_floats_would_round(tmp_path):
    """Times in nanoseconds, as integers or as the texts of a text file, beside a column of floats."""
    polars = need("polars")
    need("duckdb")
    columns = {"time": [1_700_000_000_000_000_001, 2, 3], "x": [0.5, 0.25, 1.0], "cluster": [0, 0, 1]}
    frame = polars.DataFrame(columns)
    frame.write_parquet(tmp_path / "times.parquet")
    frame.write_csv(tmp_path / "times.csv")
    decimals = frame.with_columns(polars.col("time").cast(polars.Decimal(38, 0)))
    decimals.write_parquet(tmp_path / "decimals.parquet")
    with pytest.raises(cm.InputError, match=r"column 'time'\[0\] is 1.7e\+18, which float64 cannot hold"):
        cm.evaluate_internal(tmp_path / "decimals.parquet", "cluster", ["r_squared"])
    for source in (frame, decimals, tmp_path / "times.parquet", tmp_path / "times.csv"):
        with pytest.raises(
            cm.InputError, match=r"column 'time'\[0\] is 1700000000000000001, which float64 cannot hold"
        ):
            cm.evaluate_internal(source, "cluster", ["r_squared"])
    exact = write_csv(tmp_path / "exact.csv", "time,x,cluster", [("1e20", 1, 0), (2**60, 2, 0), (3.5, 3, 1)])
    assert cm.evaluate_internal(exact, "cluster", ["r_squared"]).subject.n == 3


def test_progress_that_divides_by_0_is_no_undefined_index(data):
    with pytest.raises(cm.InputError, match="progress: the function divides by 0"):
        cm.evaluate_internal(*data, ["dunn"], progress=lambda share: 1 / 0)


def test_progress_of_an_evaluation(data):
    told = []
    cm.evaluate_internal(*data, ["davies_bouldin", "silhouette", "dunn", "c_index"], progress=told.append)
    assert told == [0.0, 0.25, 0.5, 0.75]


def test_a_sample_says_how_sure_it_is(data):
    exact = cm.silhouette(*data)
    hits = 0
    for seed in range(60):
        found = cm.evaluate_internal(*data, ["silhouette"], sample=60, seed=seed)
        one = found.sampled["silhouette"]
        assert one.low <= found["silhouette"] <= one.high
        hits += one.low <= exact <= one.high
    assert hits >= 50
    assert "estimated from 60 of 400 points" in repr(found) or "of 400 points" in repr(found)
    everything = cm.evaluate_internal(*data, ["silhouette"], sample=400).sampled["silhouette"]
    assert (everything.score, everything.points) == (pytest.approx(exact), 400)
    assert everything.high - everything.low == pytest.approx(0, abs=1e-9)
    assert cm.evaluate_internal(*data, ["silhouette"], sample=2**62).sampled["silhouette"] == everything
    clusters = cm.evaluate_internal(*data, ["silhouette(average='clusters')"], sample=400)
    assert clusters["silhouette(average='clusters')"] == pytest.approx(cm.silhouette(*data, average="clusters"))
    panel = cm.evaluate_internal(*data, sample=60)
    assert "measures every two of 400 points" in panel.refused["dunn"]
    with pytest.raises(KeyError, match="dunn was left out: it measures"):
        panel["dunn"]
    assert cm.evaluate_internal(data[0], np.zeros(400), ["silhouette"], sample=9)["silhouette"] == 0.0
    with pytest.raises(cm.UnsupportedTableError, match="no meaning with weights"):
        cm.evaluate_internal(*data, ["silhouette"], sample=60, weights=np.arange(1, 401))
    for bad in (1, 2.5, True):
        with pytest.raises(cm.InputError, match=r"sample=.* must be a whole number, 2 or more"):
            cm.evaluate_internal(*data, sample=bad)
    for bad in (-1, 1.5, "a", None):
        with pytest.raises(cm.InputError, match=r"seed=.* must be a whole number, 0 or more"):
            cm.evaluate_internal(*data, sample=9, seed=bad)
    assert cm.evaluate_internal(*data, ["silhouette"], sample=np.int64(60), seed=np.int64(59)).sampled == found.sampled


def test_many_points_leave_slow_indices_out(data, monkeypatch):
    monkeypatch.setattr(cm.Geometry, "limits", GeometryLimits(points=399))
    scores = cm.evaluate_internal(*data)
    assert set(scores) == {"calinski_harabasz", "davies_bouldin", "xie_beni", "simplified_silhouette"}
    assert "or pass sample=" in scores.refused["silhouette"]
    assert "silhouette" in cm.evaluate_internal(*data, metric="cosine")
    assert "dunn" in cm.evaluate_internal(*data, ["dunn"])


def test_distances_have_fewer_indices(data):
    D = np.sqrt(((data[0][:, None] - data[0]) ** 2).sum(axis=2))
    scores = cm.evaluate_internal(D, data[1], metric="precomputed")
    assert set(scores) == {"silhouette", "dunn", "pearson_gamma"}
    assert "needs the features" in scores.refused["xie_beni"]
    with pytest.raises(cm.UnsupportedTableError, match="needs the features"):
        cm.evaluate_internal(D, data[1], ["xie_beni"], metric="precomputed")


def test_columns_of_frames_and_files(data, tmp_path):
    polars, pandas = need("polars"), need("pandas")
    need("duckdb")
    columns = {f"x{j}": data[0][:, j] for j in range(3)} | {"cluster": data[1], "note": ["a"] * 400}
    frame = polars.DataFrame(columns)
    frame.write_parquet(tmp_path / "points.parquet")
    frame.write_csv(tmp_path / "points.csv")
    expected = cm.silhouette(*data)
    for source in (frame, pandas.DataFrame(columns), tmp_path / "points.parquet", str(tmp_path / "points.csv")):
        for features in ("x*", ["x0", "x1", "x2"]):
            found = cm.evaluate_internal(source, "cluster", ["silhouette"], features=features)
            assert found["silhouette"] == pytest.approx(expected, rel=1e-12)
    for call, said in (
        (lambda: cm.evaluate_internal(frame, "cluster"), "column 'note' contains 'a', which is no number"),
        (lambda: cm.evaluate_internal(frame, "klass"), "no column 'klass' with labels"),
        (lambda: cm.evaluate_internal(frame, "cluster", features="y*"), r"no column is called 'y\*'"),
        (lambda: cm.evaluate_internal(data[0], "cluster"), "labels='cluster' names a column, and X has none"),
        (
            lambda: cm.evaluate_internal(*data, features="x*"),
            "features= is for columns of a source",
        ),
    ):
        with pytest.raises(cm.InputError, match=said):
            call()


def test_files_in_batches(data, tmp_path, monkeypatch):
    """The rows that come over at once are what memory holds; scores are those of all points."""
    polars = need("polars")
    need("duckdb")
    weights = np.random.default_rng(0).integers(1, 4, 400)
    columns = {f"x{j}": data[0][:, j] + 1e9 for j in range(3)} | {"cluster": data[1], "w": weights}
    polars.DataFrame(columns).write_parquet(tmp_path / "points.parquet")
    polars.DataFrame(columns).write_csv(tmp_path / "points.csv")
    shifted = np.column_stack([columns[f"x{j}"] for j in range(3)])
    expected = cm.evaluate_internal(shifted, data[1], "all")
    weighed = cm.evaluate_internal(shifted, data[1], weights=weights)
    for file in ("points.parquet", "points.csv"):
        found = cm.evaluate_internal(tmp_path / file, "cluster", "all", features="x*", batch=64, memory="300MB")
        assert [part.n for part in found.subject.parts()] == [64] * 6 + [16]
        assert len(found) >= 20
        for name, score in found.items():
            assert score == pytest.approx(expected[name], rel=1e-12, abs=1e-12), name
        assert found.refused.keys() | set(found) == set(expected)
        assert "read in batches" in repr(found)
        assert json.loads(found.to_json())["points"]["used"] == 400
        heavy = cm.evaluate_internal(tmp_path / file, "cluster", features="x*", weights="w", batch=100)
        assert dict(heavy) == pytest.approx(dict(weighed), rel=1e-12)
        squared = {"metric": "sqeuclidean", "batch": 7}
        linear = cm.evaluate_internal(tmp_path / file, "cluster", ["silhouette"], features="x*", **squared)
        assert linear["silhouette"] == pytest.approx(cm.silhouette(*data, metric="sqeuclidean"), rel=1e-6)
        assert len(linear.silhouettes) == 400
    monkeypatch.setattr(cm.Geometry, "limits", GeometryLimits(held=1199, batch=300))
    file = str(tmp_path / "points.csv")
    assert [part.n for part in cm.evaluate_internal(file, "cluster", features="x*").subject.parts()] == [100] * 4
    drawn = cm.evaluate_internal(file, "cluster", ["silhouette"], features="x*", sample=60)
    expected = cm.evaluate_internal(*data, ["silhouette"], sample=60).sampled["silhouette"]
    assert drawn.sampled["silhouette"] == pytest.approx(expected, rel=1e-6)
    assert "estimated from 60 of 400 points" in repr(drawn)
    holes = write_csv(tmp_path / "holes.csv", "a,b,cluster", [(1, 2, 0), (1, 3, 0), (2, 3, 1), (5, "", 1)])
    bare = write_csv(tmp_path / "bare.csv", "a,b,cluster", [])
    for call, said in (
        (lambda: cm.evaluate_internal(*data, batch=5), "batch= is for columns of a source"),
        (lambda: cm.evaluate_internal(*data, memory="1GB"), "memory= is for columns of a source"),
        (lambda: cm.evaluate_internal(file, "cluster", batch=0), "batch=0 must be a whole number"),
        (lambda: cm.evaluate_internal(polars.DataFrame(columns), "cluster", batch=5), "batch=5 is for files"),
        (lambda: cm.evaluate_internal(file, "cluster", weights="v"), "no column 'v' with weights"),
        (
            lambda: cm.evaluate_internal(file, "cluster", weights=weights),
            "have their weights in a column",
        ),
        (lambda: cm.evaluate_internal(file, "cluster", ["dunn"]), "the points are in batches"),
        (lambda: cm.evaluate_internal(file, "cluster", ["silhouette"]), r"batches.*metric='sqeuclidean'.*sample="),
        *(
            (lambda where=where, batch=batch: cm.evaluate_internal(where, "cluster", batch=batch), said)
            for batch in (None, 2)
            for where, said in (
                (holes, r"holes.csv: column 'b' has no number in row 3; fill it in, or leave the row out"),
                (bare, r"bare.csv: there are no rows; at least one point is needed|batches: they hold no points"),
            )
        ),
        (lambda: cm.evaluate_internal(file, "cluster", features=[]), r"\[\] names no columns; pass a name"),
        (lambda: cm.evaluate_internal(file, "cluster", features=3), "3 names no columns"),
    ):
        with pytest.raises(cm.InputError, match=said):
            call()


def test_an_undefined_score_is_the_worst():
    assert cm.evaluate_internal([[1.0], [2.0]], [0, 0])["davies_bouldin"] == math.inf
