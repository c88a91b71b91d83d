"""docs/permetrics.md names every score that differs from the real permetrics, on ordinary data and at the edge."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest

from clustermark import ClusteringMetric
from needs import need

theirs = need("permetrics").ClusteringMetric
pytestmark = [
    pytest.mark.peer,
    pytest.mark.filterwarnings("ignore:KDI"),
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),
]
ONE, TWO, OWN = np.zeros(8, int), np.repeat([0, 1], 4), np.arange(8)
POINTS = np.array([(0, 0), (0, 1), (1, 0), (2, 2), (5, 5), (5, 6), (6, 5), (9, 1)], float)
LABELS = {
    "both one cluster": (ONE, ONE),
    "both singletons": (OWN, OWN),
    "truth one cluster, prediction singletons": (ONE, OWN),
    "truth singletons, prediction one cluster": (OWN, ONE),
    "truth two clusters, prediction singletons": (TWO, OWN),
    "truth singletons, prediction two clusters": (OWN, TWO),
    "truth two clusters, prediction one": (TWO, ONE),
    "truth one cluster, prediction two": (ONE, TWO),
    "one item": ([0], [0]),
}
GEOMETRIES = {
    "points, one cluster": (POINTS, ONE),
    "points, singletons": (POINTS, OWN),
    "points, each cluster in one place": (np.repeat([[0.0, 0], [3, 4]], 4, axis=0), TWO),
    "points, all in one place": (np.zeros((8, 2)), TWO),
    "points, one only": ([[1.0, 2]], [0]),
}
INTERNAL = {name for name in theirs.SUPPORT if name.endswith("I")}
ALWAYS = {"XBI", "DI", "BI", "DHI", "DBCVI", "KDI", "EnS", "HS", "CS", "VMS", "MNS"}


def score(cls, name, **data):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return float(getattr(cls(**data), name)())
        except (TypeError, ValueError, ZeroDivisionError) as error:
            return type(error).__name__


def differ(one, other):
    if isinstance(one, str) or isinstance(other, str):
        return one != other
    return one != pytest.approx(other, rel=1e-7, abs=1e-9, nan_ok=True)


def rows(page, head):
    table = page.partition(head)[2].partition("\n\n")[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]


@pytest.fixture(scope="module")
def page(pytestconfig):
    return (pytestconfig.rootpath / "docs" / "permetrics.md").read_text(encoding="utf-8")


def test_scores_that_differ_on_ordinary_data(page):
    rng = np.random.default_rng(5)
    found = set()
    for _ in range(40):
        n = int(rng.integers(15, 60))
        true, pred = (rng.integers(0, rng.integers(3, 6), n) for _ in range(2))
        X = rng.normal(size=(n, 2)) + pred[:, None] * rng.choice([0, 1, 8])
        for name in theirs.SUPPORT:
            data = {"X": X, "y_pred": pred} if name in INTERNAL else {"y_true": true, "y_pred": pred}
            if differ(score(theirs, name, **data), score(ClusteringMetric, name, **data)):
                found.add(name)
    assert found | {"KDI"} == {row[0] for row in rows(page, "| name | data |")} == ALWAYS


def test_scores_that_differ_at_the_edge(page):
    found = {}
    cases = [(kind, {"y_true": true, "y_pred": pred}, False) for kind, (true, pred) in LABELS.items()]
    cases += [(kind, {"X": X, "y_pred": labels}, True) for kind, (X, labels) in GEOMETRIES.items()]
    for kind, data, internal in cases:
        for name in theirs.SUPPORT:
            if (name in INTERNAL) == internal:
                one, other = score(theirs, name, **data), score(ClusteringMetric, name, **data)
                if differ(one, other):
                    found[kind, name] = one, other
    said = {
        (kind, name): (read(one), read(other))
        for kind, names, one, other in rows(page, "| data | scores |")
        for name in names.split()
    }
    assert said.keys() == found.keys()
    for key, both in found.items():
        for mine, written in zip(both, said[key], strict=True):
            assert mine == written or mine == pytest.approx(written, rel=1e-3, nan_ok=True), key


def read(cell):
    return float(cell) if re.fullmatch(r"-?(inf|nan|[\d.e+]+)", cell) else cell


def test_facts_are_those_of_permetrics():
    for name, facts in theirs.SUPPORT.items():
        assert ClusteringMetric.SUPPORT[name] == facts, name
    assert ClusteringMetric.SUPPORT.keys() - theirs.SUPPORT.keys() == {"FmS"}
