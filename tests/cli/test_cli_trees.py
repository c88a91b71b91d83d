"""The commands `trees` and `soft`."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import clustermark as cm
from program import mistake, result, write_csv

Z = np.array([[0, 1, 1.0, 2], [2, 3, 2.0, 2], [4, 5, 4.0, 4]])
OTHER = np.array([[0, 2, 1.0, 2], [1, 4, 2.0, 3], [3, 5, 4.0, 4]])
U = [(0.75, 0.25), (0.5, 0.5), (0.0, 1.0)]


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    here = tmp_path_factory.mktemp("trees")
    np.save(here / "one.npy", Z)
    write_csv(here / "other.csv", "left,right,height,leaves", OTHER.tolist())
    np.savetxt(here / "plain.csv", OTHER, delimiter=",")
    write_csv(here / "soft.csv", "id,t0,t1,label", [(i, *u, "ab"[i > 0]) for i, u in enumerate(U)])
    return here


def test_trees(here):
    expected = cm.evaluate_trees(Z, OTHER)
    for other in ("other.csv", "plain.csv"):
        found = json.loads(result("trees", here / "one.npy", here / other, "--format", "json"))
        assert {name: one["value"] for name, one in found["scores"].items()} == dict(expected)
    shown = result("trees", here / "one.npy", here / "other.csv")
    assert all(re.search(rf"^{name} .* {value:.6f} ", shown, re.MULTILINE) for name, value in expected.items())
    curve = result("trees", here / "one.npy", here / "other.csv", "--curve", "--format", "csv")
    assert curve == cm.bk_curve(Z, OTHER).to_csv()
    cuts = json.loads(result("trees", here / "one.npy", here / "other.csv", "--curve", "-f", "json"))["cuts"]
    assert [cut["k"] for cut in cuts] == [2, 3]


def test_soft(here):
    found = json.loads(result("soft", here / "soft.csv", "--true", "t*", "--pred", "label", "-f", "json"))
    assert {name: one["value"] for name, one in found["scores"].items()} == dict(cm.evaluate_soft(U, [0, 1, 1]))
    by_id = result(
        "soft", here / "soft.csv", here / "soft.csv", "--on", "id", "--true", "t*", "--pred", "t*", "-i", "HR"
    )
    assert "fuzzy_rand" in by_id
    assert "1.000" in by_id


def test_mistakes(here, tmp_path):
    assert "there is no such file" in mistake("trees", here / "none.npy", here / "one.npy")
    text = write_csv(tmp_path / "text.csv", "a,b", [("x", "y")])
    assert "this is no matrix of numbers" in mistake("trees", here / "one.npy", text)
    np.save(tmp_path / "objects.npy", np.array([{}], dtype=object), allow_pickle=True)
    assert "this is no matrix of numbers" in mistake("trees", tmp_path / "objects.npy", here / "one.npy")
    np.save(tmp_path / "bad.npy", np.ones((3, 4)))
    assert "bad.npy merges node 1 twice" in mistake("trees", here / "one.npy", tmp_path / "bad.npy")
    (tmp_path / "empty.npy").write_bytes(b"")
    assert "this is no matrix of numbers" in mistake("trees", tmp_path / "empty.npy", here / "one.npy")
    np.save(tmp_path / "small.npy", Z[:1])
    said = mistake("trees", here / "one.npy", tmp_path / "small.npy")
    assert f"{here / 'one.npy'} has 4 leaves and {tmp_path / 'small.npy'} has 2; both need the same leaves" in said
    few = write_csv(tmp_path / "few.csv", "id,t0,t1", [(7, 0.5, 0.5), (8, 1, 0)])
    two = mistake("soft", here / "soft.csv", few, "--true", "t*", "--pred", "t*")
    assert f"{here / 'soft.csv'} has 3 items and {few} has 2; both need the same items" in two
    ids = mistake("soft", here / "soft.csv", few, "--true", "t*", "--pred", "t*", "--on", "id")
    assert f"{here / 'soft.csv'} has 3 and {few} has 2: keep the items that both have" in ids
    wrong = write_csv(tmp_path / "wrong.csv", "t0,t1,p0,p1", [(0.5, 0.5, 0.75, 0.75)])
    assert f"{wrong} (prediction): the memberships of row 0 add up to 1.5" in mistake(
        "soft", wrong, "--true", "t*", "--pred", "p*"
    )
    assert "leave out -i" in mistake("trees", here / "one.npy", here / "one.npy", "--curve", "-i", "RF")
    alone = mistake("soft", here / "soft.csv", "--true", "t1", "--pred", "t*")
    assert "column 't1' holds 0.25, which is no label but a membership" in alone
    assert "must name the columns of both sides" in mistake("soft", here / "soft.csv")


def test_the_lists_of_them():
    for kind in ("trees", "soft"):
        listed = json.loads(result("indices", f"--{kind}", "--format", "json"))
        assert [one["name"] for one in listed["rows"]] == [index.name for index in cm.catalogue(kind)]
