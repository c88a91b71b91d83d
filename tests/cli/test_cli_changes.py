"""clustermark changes and relabel: what they print, say and return."""

from __future__ import annotations

import csv
import io
import json

import pytest

import clustermark as cm
from clustermark.cli import spell
from needs import need
from program import mistake, result, write_csv

need("click")

BEFORE = [(i, f"c{i // 3}") for i in range(60)]
AFTER = [(i, f"c{i // 3}" if i % 7 else f"n{i}") for i in range(60)]
TRUTH = [(i, i // 3) for i in range(60)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    here = tmp_path_factory.mktemp("changes")
    write_csv(here / "old.csv", "id,cluster", BEFORE)
    write_csv(here / "new.csv", "id,cluster", [*AFTER[1:], (99, "c99")])
    write_csv(here / "truth.csv", "id,entity", TRUTH)
    write_csv(here / "records.csv", "id,name,city", [(i, f"name {i}", "Oslo" if i % 2 else "Turin") for i in range(60)])
    return here


@pytest.fixture
def run(folder, monkeypatch, capsys):
    """Run a command in the folder: exit code, standard output and standard error."""
    from clustermark.cli.commands import run as run_command

    monkeypatch.chdir(folder)

    def go(*arguments):
        try:
            code = run_command(list(map(str, arguments)))
            said = capsys.readouterr()
        except cm.InputError as error:
            return 2, "", error.spell(spell)
        return code, said.out, said.err

    return go


ASKED = ("changes", "old.csv", "new.csv", "--on", "id")


def test_changes(run, folder):
    text = run(*ASKED)[1]
    assert "59 records in both" in text
    assert "1 record before only: 0; 1 after only: 99; left out of the rates" in text
    document = json.loads(run(*ASKED, "--format", "json", "--by", "city", "--records", "records.csv")[1])
    assert sorted(row["slice"] for row in document["slices"]) == ["Oslo", "Turin"]
    assert document["settings"]["before"] == "old.csv"
    assert run(*ASKED, "-o", "page.html", "--title", "A & B")[::2] == (
        0,
        "clustermark: taking column 'cluster' as the clusters before, column 'cluster' as the clusters after\n"
        "clustermark: note: 1 record before only: 0; 1 after only: 99; left out of the rates\n"
        "clustermark: wrote page.html\n",
    )
    assert "<title>A &amp; B</title>" in (folder / "page.html").read_text(encoding="utf-8")
    listed = list(csv.DictReader(io.StringIO(run(*ASKED, "--list", "before", "--format", "csv")[1])))
    assert {row["kind"] for row in listed} == {"split"}
    assert run(*ASKED, "--format", "markdown")[1].startswith("# From old.csv to new.csv")


def test_one_file_with_noise(run, folder):
    write_csv(folder / "both.csv", "old,new", [(1, 1), (1, 1), (-1, 2), (-1, 2)])
    text = run("changes", "both.csv", "--old", "old", "--new", "new", "--noise-pred", "-1=singletons")[1]
    assert "1 merged (2 records)" in text
    write_csv(folder / "all.csv", "old,new,label", [(1, 1, 1), (1, 1, 1), (-1, 2, 2), (-1, -1, 2)] * 5)
    columns = ("--old", "old", "--new", "new", "--true", "label")
    code, out, said = run("changes", "all.csv", *columns, "--noise-pred", "-1=drop", "--format", "json")
    assert (code, said) == (0, "")
    assert json.loads(out)["truth"]["records"] == 10
    assert "looks like noise" in run("changes", "all.csv", *columns)[2]


def test_fail_on_worse(run):
    judged = (*ASKED, "--truth", "truth.csv", "--fail-on-worse", "b_cubed_recall")
    code, out, said = run(*judged)
    assert code == 1
    assert "worse by 0.01 or more (--fail-on-worse)" in said
    assert "b_cubed_recall" in out
    code, _, said = run(*judged, "--margin", "0.9")
    assert code == 0
    assert "so it is not worse by 0.9" in said
    code, out, said = run(*judged, "--margin", "3")
    assert (code, out) == (2, "")
    assert "--margin 3.0 must be less than 1, which is 100 points; did you mean 0.03?" in said
    unbounded = (*ASKED, "--truth", "truth.csv", "--fail-on-worse", "variation_of_information")
    assert run(*unbounded, "--margin", "9")[0] == 0
    code, _, said = run(*ASKED, "--fail-on-worse", "b_cubed_f")
    assert code == 2
    assert "needs a truth, by --truth or --true" in said


def test_fail_unless_better_or_equivalent(run):
    judged = (*ASKED, "--truth", "truth.csv")
    code, _, said = run(*judged, "--fail-unless-better", "b_cubed_precision")
    assert code == 1
    assert "nothing differs (--fail-unless-better)" in said
    code, _, said = run(*judged, "--fail-unless-better", "b_cubed_recall")
    assert code == 1
    assert "better (--fail-unless-better)" in said
    code, out, said = run(*judged, "--fail-unless-equivalent", "b_cubed_recall", "--margin", "0.9")
    assert code == 0
    assert "so they differ by less than 0.9" in said
    assert "P(loss > 0.9)" in out
    both = ("--fail-unless-equivalent", "b_cubed_recall", "--fail-on-worse", "b_cubed_recall")
    code, _, said = run(*judged, *both, "--margin", "0.001")
    assert code == 1
    assert "(--fail-unless-equivalent)" in said
    assert "(--fail-on-worse)" in said
    assert json.loads(run(*judged, "--margin", "0.9", "--format", "json")[1])["truth"]["margin"] == 0.9


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--margin", "0.1"), "--margin is about scores against a truth"),
        (("--fail-unless-better", "b_cubed_f"), "--fail-unless-better needs a truth"),
        (("--list", "slices"), "name the column of the slices by --by"),
        (("--list", "truth"), "give the true labels by --truth"),
        (("--list", "events", "--format", "json"), "--list is for tables and CSV"),
        (("--title", "x"), "--title is that of a page"),
        (("-o", "x.html", "--list", "events"), "html has all lists"),
        (("-i", "rand"), "scored against a truth"),
        (("-i", "all"), "too much"),
        (("--old", "nothing"), "--old nothing is not one of its columns"),
        (("--by", "town"), "--by town is not one of its columns"),
    ],
)
def test_mistakes(run, more, message):
    code, out, said = run(*ASKED, *more)
    assert (code, out) == (2, "")
    assert message in said


def test_relabel(run, folder):
    asked = ("relabel", "new.csv", "--like", "old.csv", "--on", "id")
    code, _, said = run(*asked, "-o", "lasting.csv")
    assert (code, said) == (0, "clustermark: 20 ids kept, 9 born, 0 retired; wrote lasting.csv\n")
    rows = list(csv.DictReader(io.StringIO((folder / "lasting.csv").read_text(encoding="utf-8"))))
    assert [row["id"] for row in rows] == [str(i) for i, _ in AFTER[1:]] + ["99"]
    old = {str(i): cluster for i, cluster in BEFORE}
    assert sum(row["cluster"] == old.get(row["id"]) for row in rows) == 51
    assert "the file exists already" in run(*asked, "-o", "lasting.csv")[2]
    ids = list(csv.DictReader(io.StringIO(run(*asked, "--ids", "--format", "csv")[1])))
    assert [row["fate"] for row in ids] == ["kept"] * 20 + ["born"] * 9
    assert "20 ids kept" in run(*asked, "--ids")[1]
    labels = json.loads(run(*asked, "--format", "json")[1])["rows"]
    assert [row["cluster"] for row in labels] == [row["cluster"] for row in rows]
    assert run(*asked, "-f", "csv")[1] == (folder / "lasting.csv").read_text(encoding="utf-8")


def test_relabel_leaves_noise(run, folder):
    write_csv(folder / "a.csv", "id,c", [(1, 5), (2, 5), (3, -1)])
    write_csv(folder / "b.csv", "id,c", [(1, 8), (2, 8), (3, 8)])
    out = run("relabel", "a.csv", "--like", "b.csv", "--on", "id", "--noise", "-1", "-q")
    assert out == (0, "id,c\n1,8\n2,8\n3,-1\n", "")


def test_a_side_that_is_a_list_of_pairs(tmp_path):
    old = write_csv(tmp_path / "old.csv", "id,cluster", [(1, 1), (2, 1), (3, 3), (4, 4)])
    new = write_csv(tmp_path / "new.csv", "id,cluster", [(1, 1), (2, 2), (3, 2), (4, 2)])
    scored = write_csv(tmp_path / "scored.csv", "left,right,score", [(1, 2, 0.1), (2, 3, 0.8), (4, 3, 0.9)])
    cut, shape = ("--on", "id", "--threshold", 0.5, "--pairs"), ("--format", "csv")
    assert result("changes", old, scored, *cut, "new", *shape) == result("changes", old, new, "--on", "id", *shape)
    assert result("changes", scored, old, *cut, "old", *shape) == result("changes", new, old, "--on", "id", *shape)
    refused = mistake("changes", old, scored, *cut, "new", "--truth", new)
    assert "make clusters of the pairs first, such as by clustermark sweep --cut" in refused
