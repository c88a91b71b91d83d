"""Notices that every reader must see: noise, points that are left out, formats that are not written."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from needs import need
from program import mistake, result, run, write_csv

if TYPE_CHECKING:
    from pathlib import Path

pa = need("pyarrow", "parquet")
pytestmark = pytest.mark.slow

BOTH = ("--true", "t", "--pred", "p")
ROWS = [("a", 0), ("a", 0), ("b", -1), ("b", -1), ("b", 1)]
NOTICE = (
    "2 points of the prediction have the label '-1', which looks like noise; it counts as one cluster. Choose "
    "--noise-pred -1=singletons or -1=drop, or --noise-pred -1=cluster if it is one."
)


@pytest.fixture(scope="module")
def noisy(tmp_path_factory) -> Path:
    return write_csv(tmp_path_factory.mktemp("noisy") / "noisy.csv", "t,p", ROWS)


def test_noise_without_a_policy_is_said_where_the_result_shows_it(noisy):
    for command in (["score", "-i", "rand"], ["errors"], ["errors", "--points"]):
        done = run(*command, noisy, *BOTH)
        assert f"\nnote: {NOTICE}\n" in done.stdout
        assert (done.returncode, done.stderr) == (0, "")
        done = run(*command, noisy, *BOTH, "--format", "json")
        assert json.loads(done.stdout)["notices"] == [{"kind": "noise", "text": NOTICE}]
        assert done.stderr == ""


def test_and_on_standard_error_where_it_does_not(noisy, tmp_path):
    said = f"clustermark: note: {NOTICE}\n"
    for command in (["score", "-i", "rand"], ["errors"]):
        done = run(*command, noisy, *BOTH, "--format", "csv")
        assert (done.stderr, "note" in done.stdout) == (said, False)
        assert run(*command, noisy, *BOTH, "--format", "csv", "-q").stderr == ""
        assert run(*command, noisy, *BOTH, "-o", tmp_path / f"{command[0]}.txt").stderr == said
    done = run("report", noisy, *BOTH, "-i", "rand", "-o", tmp_path / "page.html")
    assert done.stderr == f"{said}clustermark: wrote {tmp_path / 'page.html'}\n"
    assert NOTICE.replace("'", "&#x27;") in (tmp_path / "page.html").read_text()


def test_who_says_what_noise_is_hears_nothing_of_it(noisy):
    for policy in ("cluster", "singletons"):
        assert "note:" not in result("score", noisy, *BOTH, "-i", "rand", "--noise-pred", f"-1={policy}")
    shown = result("score", noisy, *BOTH, "-i", "rand", "--noise", "-1=singletons")
    assert "note:" not in shown  # although the truth has no such label
    assert "2 true and 2 predicted clusters + 2 noise\n" in shown
    shown = result("score", noisy, *BOTH, "-i", "rand", "--noise-true", "-1=drop")
    assert "\nnote: No point of the truth has the label '-1' (--noise-true -1=drop).\n" in shown


def test_a_label_typed_on_a_command_line_has_the_type_of_its_column(tmp_path):
    pa.parquet.write_table(pa.table({"t": list("aabbb"), "p": [p for _, p in ROWS]}), tmp_path / "n.parquet")
    asked = ["score", tmp_path / "n.parquet", *BOTH, "-i", "rand"]
    assert "the label -1, which looks like noise" in result(*asked)
    shown = result(*asked, "--noise-pred", "-1=singletons")
    assert ("2 predicted clusters + 2 noise" in shown, "note:" in shown) == (True, False)
    assert "has the label 'x' (--noise-pred x=drop)." in result(*asked, "--noise-pred", "x=drop")


def test_a_truth_of_part_of_the_records_is_said_in_the_verdict(tmp_path):
    truth = write_csv(tmp_path / "truth.csv", "id,c", [(i, i // 3) for i in range(12)])
    found = write_csv(tmp_path / "found.csv", "id,c", [(i, i // 3) for i in range(60)])
    asked = ["score", truth, found, "--on", "id", "--unmatched", "drop", "-i", "rand"]
    share = "Scored on 20.0% of the points (12 of 60)"
    shown = result(*asked)
    assert f"\nnote: {share}: the truth has no label for 48, so precision on all points is unknown" in shown
    assert f"{share}. On these: The two clusterings are identical" in shown
    document = json.loads(result(*asked, "--format", "json"))
    assert document["verdict"].startswith(f"{share}. ")
    assert [notice["kind"] for notice in document["notices"]] == ["coverage"]


@pytest.mark.parametrize(
    ("command", "name", "known"),
    [
        ("score", "out.xlsx", ".txt, .json, .csv, .md, .tex, .html or .htm, or say the format by --format"),
        ("score", "out.csv.gz", ".txt, .json, .csv, .md, .tex, .html or .htm, or say the format by --format"),
        ("errors", "out.xml", ".txt, .json, .csv, .md, .tex, .html or .htm, or say the format by --format"),
        ("report", "out.pdf", ".html or .htm"),
        ("indices", "out.xml", ".txt, .json, .csv, .md, .tex, .html or .htm, or say the format by --format"),
        ("demo", "out.json", ".html or .htm"),
    ],
)
def test_a_name_that_promises_another_format_is_refused_before_any_work(tmp_path, command, name, known):
    missing = [tmp_path / "there-is-no-such-file.csv"] if command in ("score", "errors", "report") else []
    said = mistake(command, *missing, "-o", tmp_path / name)
    ending = name[name.rindex(".") :]
    assert (
        said
        == f"clustermark: {tmp_path / name}: {ending} is no format that this command writes; end the name by {known}\n"
    )
    assert not (tmp_path / name).exists()


def test_names_that_promise_nothing_or_less_than_was_said(noisy, tmp_path):
    for name, options in (("out", []), ("out.TXT", []), ("out.xlsx", ["--format", "csv"])):
        assert run("score", noisy, *BOTH, "-i", "rand", "-o", tmp_path / name, *options).returncode == 0
    assert (tmp_path / "out").read_text().splitlines()[1].startswith("Moderate agreement")
    assert (tmp_path / "out.TXT").read_text() == (tmp_path / "out").read_text()
    assert (tmp_path / "out.xlsx").read_text().startswith("index,title,score")


@pytest.fixture(scope="module")
def split(tmp_path_factory) -> Path:
    return write_csv(tmp_path_factory.mktemp("split") / "split.csv", "t,p", [("a", 1), ("a", 2), ("a", 2), ("b", 3)])


def test_where_all_errors_are_splits_their_points_are_listed(split):
    shown = result("errors", split, *BOTH, "--points")
    assert "\n1 point lies outside the best match of its true cluster\n" in shown
    assert shown.splitlines()[-1].split() == ["1", "a", "1", "2"]
    assert shown == result("errors", split, *BOTH, "--points", "--side", "true")
    none = result("errors", split, *BOTH, "--points", "--side", "pred")
    assert "\n0 points lie outside the best match of their predicted cluster\n" in none
    for options, side, total in (([], "true", 1), (["--side", "pred"], "pred", 0)):
        table = json.loads(result("errors", split, *BOTH, "--points", *options, "-f", "json"))["tables"]["points"]
        assert (table["side"], table["total"], len(table["rows"])) == (side, total, total)


def test_records_that_are_alone_are_named(tmp_path):
    truth = write_csv(tmp_path / "truth.csv", "id,c", [(f"r{i}", "a") for i in range(6)])
    found = write_csv(tmp_path / "found.csv", "id,c", [("r0", 1), ("r3", 1)])
    asked = [truth, found, "--on", "id", "--unmatched", "singletons"]
    assert result("errors", *asked).count("  1 (2 of 2), 4 alone (r1, r2, r4, …)\n") == 1
    parts = json.loads(result("errors", *asked, "-f", "json"))["tables"]["splits"]["rows"][0]["parts"]
    assert [part["point"] for part in parts] == [None, "r1", "r2", "r4", "r5"]
    assert "a,6,14,5,,1,1,True,r1" in result("errors", *asked, "-f", "csv")
    result("report", *asked, "-i", "b_cubed_f", "-o", tmp_path / "page.html")
    assert "4 alone (r1, r2, r4, …)" in (tmp_path / "page.html").read_text()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["errors", "--side", "true"], "--side says which points --points lists; give both, or neither"),
        (["errors", "--clusters", "--side", "true"], "--side says which points --points lists"),
        (
            ["score", "--explain", "--fail-under", "rand=1"],
            "--explain makes no scores; leave out --format, --fail-under",
        ),
        (["score", "--explain", "--format", "json"], "--explain makes no scores"),
        (["score", "--true", "t", "--true", "p"], "--true was given 2 times"),
        (["errors", "--clusters", "--points"], "exclude each other"),
    ],
)
def test_options_that_would_go_unheard_are_refused(noisy, arguments, said):
    command, *options = arguments
    assert said in mistake(command, noisy, *options)


def test_the_panel_is_no_part_of_one_index():
    assert "--panel chooses from the list of all indices" in mistake("indices", "jaccard", "--panel")


def test_a_file_that_was_forgotten_is_asked_for(tmp_path):
    truth = write_csv(tmp_path / "truth.csv", "id,entity", [(1, "a"), (2, "a"), (3, "b")])
    asked = "column 'id' has another value in every row, as ids have; is a second file missing?"
    assert f"clustermark: note: {asked}\n" in run("score", truth).stderr
    assert not run("score", truth, "-q").stderr
    assert asked not in run("score", truth, "--true", "id", "--pred", "entity").stderr


@pytest.fixture
def formulas(tmp_path):
    labels = [("=a()", "x"), ("=b()", "x"), ("c", "y"), ("-1", "y")]
    write_csv(tmp_path / "truth.csv", "id,label", labels)
    write_csv(tmp_path / "pairs.csv", "l,r,score", [("=a()", "=b()", 0.9), ("c", "-1", 0.2)])
    write_csv(tmp_path / "found.csv", "id,cluster", [(one, "+p" if label == "x" else one) for one, label in labels])
    return tmp_path


NOTE = "a spreadsheet would run {} as formulas; --safe puts an apostrophe before them"
LABELS = {
    "sweep": (("truth.csv", "pairs.csv", "--on", "id", "--cut", "0.5"), "-o", "4 texts of {}, such as '=a()',"),
    "repairs": (("truth.csv", "found.csv", "--on", "id"), "--mended", "4 texts of {}, such as '=a()',"),
    "relabel": (("found.csv", "--like", "truth.csv", "--on", "id"), "-o", "2 texts of {}, such as '=a()',"),
}


@pytest.mark.parametrize("command", LABELS)
def test_ids_for_programs_stay_and_formulas_among_them_are_said(formulas, command):
    arguments, option, some = LABELS[command]
    file = formulas / "labels.csv"
    done = run(command, *arguments, option, file, cwd=formulas)
    assert done.returncode == 0
    assert NOTE.format(some.format(file)) in done.stderr
    ids = [line.split(",")[0] for line in file.read_text(encoding="utf-8").splitlines()[1:]]
    assert set(ids) == {"=a()", "=b()", "c", "-1"}
    safe = run(command, *arguments, option, file, "--safe", "--force", cwd=formulas)
    assert "formulas" not in safe.stderr
    guarded = [line.split(",")[0] for line in file.read_text(encoding="utf-8").splitlines()[1:]]
    assert set(guarded) == {"'=a()", "'=b()", "c", "-1"}


@pytest.mark.parametrize(
    "arguments",
    [
        ("sweep", "truth.csv", "pairs.csv", "--safe"),
        ("sweep", "truth.csv", "pairs.csv", "--cut", "dice", "--safe"),
        ("repairs", "truth.csv", "found.csv", "--safe"),
        ("relabel", "found.csv", "--like", "truth.csv", "--ids", "--safe"),
    ],
)
def test_safe_without_labels_as_csv(formulas, arguments, monkeypatch, capsys):
    monkeypatch.chdir(formulas)
    from clustermark.cli import commands

    assert commands.run([*arguments, "--on", "id"]) == 2
    assert "--safe is about" in capsys.readouterr().err
