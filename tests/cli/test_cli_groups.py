"""The commands `groups` and `describe`, and confusions of `errors`."""

from __future__ import annotations

import json

import pytest

import clustermark as cm
from clustermark.cli import _exit_code
from program import write_csv

TRUE = ["a", "a", "b", "b", "c", "c"]
PRED = [1, 1, 1, 2, 2, 3]
CITY = ["Ulm", "Ulm", "Graz", "", "Graz", "=cmd()"]


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    folder = tmp_path_factory.mktemp("groups")
    rows = list(enumerate(zip(TRUE, PRED, CITY, strict=True)))
    write_csv(folder / "all.csv", "id,t,p,city", [(i, *row) for i, row in rows])
    write_csv(folder / "truth.csv", "id,t", [(i, row[0]) for i, row in rows])
    write_csv(folder / "pred.csv", "id,p", [(i, row[1]) for i, row in rows])
    write_csv(folder / "people.csv", "key,city", [(i, row[2]) for i, row in rows])
    return folder


@pytest.fixture
def result(here, monkeypatch, capfd):
    """Runs the program within this process, which takes a tenth of the time."""

    def run(*arguments):
        monkeypatch.chdir(here)
        assert _exit_code([str(argument) for argument in arguments], False) == 0
        return capfd.readouterr().out

    return run


def test_quality_by_size_and_by_column(result):
    one = ("all.csv", "--true", "t", "--pred", "p")
    two = ("truth.csv", "pred.csv", "--on", "id", "--by", "city", "--records", "people.csv", "--records-id", "key")
    expected = cm.evaluate(TRUE, PRED, [])
    found = json.loads(result("groups", *one, "--by", "city", "-f", "json"))["tables"]["groups"]["rows"]
    assert json.loads(result("groups", *two, "-f", "json"))["tables"]["groups"]["rows"] == found
    rows = expected.by("city", records={"city": [city or None for city in CITY]}).rows()
    assert rows == found
    sizes = result("groups", *one, "--side", "pred")
    assert "Quality by size of the predicted cluster: 3 groups" in sizes
    both = result("groups", *one, "--by", "city", "--by", "t", "-f", "csv").splitlines()
    assert both[0].startswith("city,t,points,clusters")
    assert len(both) == 6
    assert result("groups", *one).count("\n") == 6


def test_subgroups_say_what_came_of_the_search(result):
    said = result("groups", "all.csv", "--true", "t", "--pred", "p", "--find", "--by", "city")
    assert "No groups: the points form 1 connected components, and 40 are needed" in said
    document = json.loads(result("groups", "all.csv", "--true", "t", "--pred", "p", "--find", "-f", "json"))
    assert document["tables"]["subgroups"]["rows"] == []


def test_confusions(result):
    asked = ("errors", "all.csv", "--true", "t", "--pred", "p", "--confusions")
    assert "2 pairs of true clusters are confused most, of 3 false pairs in all" in result(*asked)
    rows = json.loads(result(*asked, "-k", 1, "-f", "json"))["tables"]["confusions"]
    assert rows == {"n_false_pairs": 3, "rows": cm.evaluate(TRUE, [str(p) for p in PRED], []).confusions(1).rows()}
    assert result(*asked, "-f", "csv").splitlines()[1].startswith("a,b,2,2,2,")


def test_a_description(here, result):
    text = result("describe", "all.csv", "--labels", "p", "--column", "city")
    assert text.startswith("6 records in 3 clusters\n")
    document = json.loads(result("describe", "all.csv", "--labels", "p", "-f", "json"))
    assert [column["column"] for column in document["columns"]] == ["id", "t", "city"]
    dropped = json.loads(result("describe", "all.csv", "--labels", "city", "--missing", "drop", "--noise", "Ulm=drop",
                                "--column", "t", "-f", "json"))  # fmt: skip
    assert dropped["points"] == {"given": 6, "used": 3, "noise": 2, "dropped": 3, "unmatched": 0}
    result("describe", "all.csv", "--labels", "p", "--column", "city", "-o", "facts.csv")
    assert (here / "facts.csv").read_text().startswith("fact,value\nrecords,6\n")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("groups", "all.csv", "--true", "t", "--pred", "p", "--by", "cty"), "--by cty is not one of its columns"),
        (
            ("groups", "all.csv", "--true", "t", "--pred", "p", "--by", "city", "--side", "true"),
            "--side says whose size",
        ),
        (("groups", "all.csv", "--true", "t", "--pred", "p", "--seed", "1"), "are for --find"),
        (("groups", "all.csv", "--true", "t", "--pred", "p", "--records", "people.csv"), "name them by --by"),
        (
            ("groups", "truth.csv", "pred.csv", "--on", "id", "--by", "city", "--records", "people.csv"),
            "has no column of ids",
        ),
        (("describe", "all.csv", "--labels", "klass"), "--labels klass is not one of its columns"),
        (("describe", "all.csv", "--labels", "p", "--column", "cty"), "--column cty is not one of its columns"),
        (("describe", "all.csv", "--labels", "city"), "--missing drop, cluster or singletons"),
    ],
)
def test_mistakes(here, monkeypatch, capfd, arguments, complaint):
    monkeypatch.chdir(here)
    assert _exit_code(list(arguments), False) == 2
    printed, said = capfd.readouterr()
    assert printed == ""
    assert complaint in " ".join(said.split())
