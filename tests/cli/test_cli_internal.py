"""The command `internal`: points of a file."""

from __future__ import annotations

import json

import numpy as np
import pytest

import clustermark as cm
from program import mistake, result, write_csv

X = np.array([(0, 0), (0, 1), (1, 0), (5, 5), (5, 6), (6, 5), (10, 0), (10, 1)], float)
LABELS = [0, 0, 0, 1, 1, 1, -1, -1]


@pytest.fixture(scope="module")
def points(tmp_path_factory):
    here = tmp_path_factory.mktemp("points")
    return write_csv(here / "points.csv", "x0,x1,cluster", [(*x, c) for x, c in zip(X, LABELS, strict=True)])


def test_scores_of_a_file(points):
    found = json.loads(result("internal", points, "--labels", "cluster", "--features", "x*", "--format", "json"))
    assert found["scores"]["silhouette"]["value"] == pytest.approx(cm.silhouette(X, LABELS))
    assert found["points"] == {"given": 8, "used": 8, "noise": 0, "dropped": 0, "unmatched": 0}
    text = result("internal", points, "--labels", "cluster", "-i", "silhouette,dunn", "--noise", "-1=drop")
    assert text.startswith("6 points in 2 clusters; 2 features, metric euclidean; 2 left out\n")
    assert f"{cm.silhouette(X[:6], LABELS[:6]):.6f}" in text
    assert result("internal", points, "--labels", "cluster", "--format", "csv").startswith("index,title,score")
    batches = result("internal", points, "--labels", "cluster", "--features", "x*", "--batch", 3, "--memory", "300MB")
    assert "the points were read in batches" in batches
    assert f"{cm.davies_bouldin(X, LABELS):.6f}" in batches
    weighted = result(
        "internal",
        points,
        "--labels",
        "cluster",
        "--features",
        "x0",
        "--weights",
        "x1",
        "-i",
        "r_squared",
        "--noise",
        "-1=drop",
    )
    assert f"{cm.r_squared(X[:6, :1], LABELS[:6], weights=X[:6, 1]):.3f}" in weighted
    assert "estimated from" in result("internal", points, "--labels", "cluster", "--sample", 6, "-i", "silhouette")


def test_a_page(points, tmp_path):
    page = tmp_path / "points.html"
    assert not result("internal", points, "--labels", "cluster", "-o", page)
    assert "silhouette-plot" in page.read_text()


def test_mistakes(points):
    assert "no column 'klass'" in mistake("internal", points, "--labels", "klass")
    assert "no column is called 'y*'" in mistake("internal", points, "--labels", "cluster", "--features", "y*")
    assert "--labels" in mistake("internal", points)


def test_the_list_of_them():
    listed = json.loads(result("indices", "--points", "--format", "json"))
    assert [one["name"] for one in listed["rows"]] == [index.name for index in cm.catalogue("points")]
    assert "Silhouette" in result("indices", "silhouette")
