"""The program on good files: every format in, every format out, and the same numbers everywhere."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

import clustermark as cm
from needs import need
from program import command, result, run, run_process, write_csv

pa = need("pyarrow", "feather", "parquet")

if TYPE_CHECKING:
    from pathlib import Path

TRUE = ["a", "a", "a", "b", "b", "c", "c", "c", "c", "d"]
PRED = ["1", "1", "2", "2", "2", "3", "3", "3", "4", "4"]
COUNTS = {"given": 10, "used": 10, "noise": 0, "dropped": 0, "unmatched": 0}
ROWS = list(zip(range(10), TRUE, PRED, strict=True))
BOTH = ("--true", "label", "--pred", "cluster")


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """The same ten points in many files."""
    here = tmp_path_factory.mktemp("data")
    write_csv(here / "data.csv", "id,label,cluster", ROWS)
    write_csv(here / "truth.csv", "id,label", [row[:2] for row in ROWS])
    write_csv(here / "pred.csv", "id,cluster", [(i, p) for i, _, p in reversed(ROWS)])
    write_csv(here / "two.csv", "label,cluster", [row[1:] for row in ROWS])
    text = (here / "data.csv").read_text()
    (here / "data.tsv").write_text(text.replace(",", "\t"))
    (here / "semicolons.csv").write_text(text.replace(",", ";"))
    (here / "data.csv.gz").write_bytes(gzip.compress(text.encode()))
    with pa.CompressedOutputStream(str(here / "data.csv.zst"), "zstd") as file:
        file.write(text.encode())
    (here / "data.jsonl").write_text(
        "".join(json.dumps({"id": i, "label": t, "cluster": p}) + "\n" for i, t, p in ROWS)
    )
    table = pa.table({"id": [row[0] for row in ROWS], "label": TRUE, "cluster": [int(p) for p in PRED]})
    pa.parquet.write_table(table, here / "data.parquet")
    pa.feather.write_feather(table, here / "data.feather", compression="uncompressed")
    pa.feather.write_feather(table, here / "data.arrow")
    (here / "parts").mkdir()
    pa.parquet.write_table(table.slice(0, 4), here / "parts" / "1.parquet")
    pa.parquet.write_table(table.slice(4), here / "parts" / "2.parquet")
    return here


def scores(text: str) -> dict[str, float]:
    """The scores in one JSON document."""
    return read(text).to_dict()


read = cm.Evaluation.from_json


SCORES = dict(cm.evaluate(TRUE, PRED, "all"))


@pytest.mark.parametrize(
    "name",
    [
        "data.csv",
        "data.tsv",
        "semicolons.csv",
        "data.csv.gz",
        "data.csv.zst",
        "data.jsonl",
        "data.parquet",
        "data.feather",
        "data.arrow",
        "parts/*.parquet",
    ],
)
def test_every_kind_of_file_gives_the_scores_of_the_api(folder, name):
    document = read(result("score", folder / name, *BOTH, "-i", "all", "--format", "json"))
    assert dict(document) == SCORES
    assert {name: getattr(document, f"n_{name}") for name in COUNTS} == COUNTS


@pytest.mark.parametrize(
    "name", ["data.csv", "data.csv.gz", "data.csv.zst", "data.jsonl", "data.parquet", "data.arrow"]
)
def test_standard_input_is_recognised(folder, name):
    done = run("score", "-", *BOTH, "-i", "all", "-f", "json", stdin=(folder / name).read_bytes())
    assert done.returncode == 0, done.stderr
    assert scores(done.stdout) == SCORES
    assert json.loads(done.stdout)["settings"]["source"] == "standard input"


def test_standard_input_of_a_named_format(folder):
    given = (folder / "data.tsv").read_bytes()
    assert (
        scores(result("score", "-", *BOTH, "-i", "all", "-f", "json", "--input-format", "tsv", stdin=given)) == SCORES
    )


def test_another_engine_gives_the_same_scores(folder):
    document = read(result("score", folder / "data.csv", *BOTH, "-i", "all", "-f", "json", "--engine", "polars"))
    assert dict(document) == SCORES
    assert document.settings["engine"] == "polars"


def test_two_files_joined_by_id_whatever_their_order(folder):
    done = run("score", folder / "truth.csv", folder / "pred.csv", "--on", "id", "-i", "all", "-f", "json")
    assert scores(done.stdout) == SCORES
    assert "column 'label' as the truth, column 'cluster' as the prediction" in done.stderr


def test_one_of_two_files_can_be_standard_input(folder):
    given = (folder / "pred.csv").read_bytes()
    text = result("score", folder / "truth.csv", "-", "--on", "id", "-i", "all", "-f", "json", stdin=given)
    assert scores(text) == SCORES


def test_guesses_are_said_on_standard_error_and_not_when_quiet(folder):
    done = run("score", folder / "two.csv", "-i", "jaccard", "--format", "json")
    assert "taking column 'label' as the truth, column 'cluster' as the prediction" in done.stderr
    assert read(done.stdout)["jaccard"] == SCORES["jaccard"]
    assert run("score", folder / "two.csv", "-i", "jaccard", "--quiet").stderr == ""


def test_all_formats_agree_number_by_number(folder, tmp_path):
    asked = [folder / "data.csv", *BOTH, "-i", "all"]
    table, text_csv, markdown, latex = (
        result("score", *asked, "--format", shape) for shape in ("table", "csv", "markdown", "latex")
    )
    result("report", *asked, "-o", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO(text_csv)))
    assert {row["index"]: float(row["score"]) for row in rows} == SCORES
    written = {name: f"{score:.6f}" for name, score in SCORES.items()}
    assert dict(re.findall(r"^(\w+) .* (\S+)  [\[(]", table, re.MULTILINE)) == written
    assert dict(re.findall(r"^\| `(\w+)` \| [^|]+ \| (\S+) \|", markdown, re.MULTILINE)) == written
    assert re.findall(r"& (\S+) & [\[($]", latex) == [f"{score:.4f}" for score in SCORES.values()]
    shown = re.findall(r'data-index="(\w+)" data-v="([^"]+)"', page)
    assert {name: float(value) for name, value in shown} == SCORES


def test_the_table_says_ranges_directions_counts_and_the_verdict(folder):
    text = result("score", folder / "data.csv", *BOTH, "-i", "adjusted_rand,variation_of_information")
    assert text.startswith("10 points, 4 true and 4 predicted clusters\n")
    lines = {line.split()[0]: line for line in text.splitlines() if line}
    assert lines["adjusted_rand"].split()[-3:] == ["[-0.5,", "1]", "higher"]
    assert lines["variation_of_information"].split()[-3:] == ["[0,", "∞)", "lower"]
    assert lines["adjusted_rand"].index("[") == lines["variation_of_information"].index("[")
    assert cm.evaluate(TRUE, PRED, ["adjusted_rand", "variation_of_information"]).verdict in text
    assert not any(line.endswith(" ") for line in text.splitlines())


def test_the_panel_is_the_default(folder):
    document = read(result("score", folder / "data.csv", *BOTH, "--format", "json"))
    assert list(document) == list(cm.evaluate(TRUE, PRED))


def test_indices_with_options_and_lists_of_them(folder):
    text = result("score", folder / "data.csv", *BOTH, "-i", "jaccard,f_measure(beta=2)", "-i", "ARI", "-f", "json")
    document = read(text)
    expected = cm.evaluate(TRUE, PRED, ["jaccard", "f_measure(beta=2)", "adjusted_rand"])
    assert {name: document[name] for name in expected} == dict(expected)


def test_texts_of_numbers_stay_apart(tmp_path):
    file = write_csv(tmp_path / "texts.csv", "t,p", [("a", "1"), ("a", "1.0"), ("b", "7"), ("b", "007"), ("b", "7")])
    document = read(result("score", file, "-i", "rand,jaccard", "-f", "json"))
    assert document["jaccard"] == cm.jaccard(["a", "a", "b", "b", "b"], ["1", "1.0", "7", "007", "7"]) == 0.25


HARD = [
    "<script>alert(1)</script>",
    "a,b",
    "two\nlines",
    "Zürich 北京 🧪",
    'say "so"',
    "\x1b[31mred",
    "  spaced ",
    "[b]",
]


@pytest.fixture(scope="module")
def hard(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("hard") / "hard.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["the, label", "cluster"])
        writer.writerows((name, n) for name in HARD for n in ("x", "x", name))
    return path


def test_names_of_any_characters_survive(hard):
    document = json.loads(result("errors", hard, "--format", "json", "-k", 20, "--quiet"))
    assert {row["cluster"] for row in document["tables"]["splits"]["rows"]} == set(HARD)
    assert [row["cluster"] for row in document["tables"]["merges"]["rows"]] == ["x"]
    table = result("errors", hard, "-k", 20)
    assert "\x1b" not in table
    assert "two lines" in table
    assert "北京" in table


def test_names_cannot_break_out_of_the_report(hard, tmp_path):
    result("report", hard, "-o", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<script>alert(1)" not in page
    assert "alert(1)" in page


def test_the_report_shows_the_scores(folder, tmp_path):
    done = run("report", folder / "data.csv", *BOTH, "--title", "Ten <points>", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert "wrote report.html" in done.stderr
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Ten &lt;points&gt;" in page
    assert "Ten <points>" not in page
    assert cm.evaluate(TRUE, PRED).verdict in page
    assert "data.csv" in page


@pytest.mark.skipif(sys.platform != "linux", reason="another program opens files there")
def test_the_page_is_opened(folder, tmp_path, monkeypatch):
    opener = tmp_path / "xdg-open"
    opener.write_text('#!/bin/sh\necho "$1" > opened\n')
    opener.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    asked = ("report", folder / "data.csv", *BOTH, "--open", "--nearly", "0.7")
    assert run_process(*asked, cwd=tmp_path).returncode == 0
    assert "a Jaccard of 0.7 or more" in (tmp_path / "report.html").read_text(encoding="utf-8")
    for _ in range(100):  # the opener runs by itself
        if (tmp_path / "opened").exists() and (tmp_path / "opened").read_text():
            break
        time.sleep(0.05)
    assert (tmp_path / "opened").read_text() == "report.html\n"
    refused = run("report", folder / "data.csv", *BOTH, "--open", "-o", "-", cwd=tmp_path)
    assert "--open needs a file" in refused.stderr


def test_errors_are_those_of_the_api(folder):
    document = json.loads(result("errors", folder / "data.csv", *BOTH, "--format", "json", "-k", 2))
    evaluation = cm.evaluate(TRUE, PRED)
    assert [row["cluster"] for row in document["tables"]["splits"]["rows"]] == [
        row.cluster for row in evaluation.splits(2)
    ]
    assert [row["pairs_lost"] for row in document["tables"]["merges"]["rows"]] == [
        row.pairs_lost for row in evaluation.merges(2)
    ]
    assert document["points"] == COUNTS
    rows = list(csv.DictReader(io.StringIO(result("errors", folder / "data.csv", *BOTH, "--format", "csv"))))
    assert {row["cluster"] for row in rows if row["kind"] == "split"} == {row.cluster for row in evaluation.splits()}
    assert "split in the prediction" in result("errors", folder / "data.csv", *BOTH)


@pytest.mark.parametrize("what", ["clusters", "classes"])
def test_the_table_of_all_clusters(folder, tmp_path, what):
    result("errors", folder / "data.csv", *BOTH, f"--{what}", "-o", tmp_path / "clusters.csv")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "clusters.csv").read_text(encoding="utf-8"))))
    expected = getattr(cm.evaluate(TRUE, PRED), what)
    assert [row["cluster"] for row in rows] == [row.cluster for row in expected]
    assert [float(row["jaccard"]) for row in rows] == [row.jaccard for row in expected]
    assert "cluster" in result("errors", folder / "data.csv", *BOTH, f"--{what}")


def test_the_points_outside_their_best_match(folder):
    expected = cm.evaluate(TRUE, PRED).points()
    document = json.loads(result("errors", folder / "data.csv", *BOTH, "--points", "-f", "json"))
    assert [
        (row["point"] - 1, row["true"], row["pred"], row["best_match"]) for row in document["tables"]["points"]["rows"]
    ] == [*expected]
    by_id = result("errors", folder / "truth.csv", folder / "pred.csv", "--on", "id", "--points", "-f", "csv")
    rows = list(csv.DictReader(io.StringIO(by_id)))
    assert [(int(row["point"]), row["true"]) for row in rows] == [(row.point, row.true) for row in expected]
    assert len(result("errors", folder / "data.csv", *BOTH, "--points", "-k", 1).splitlines()) == 6


@pytest.fixture(scope="module")
def noisy(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("noisy") / "noisy.csv"
    return write_csv(path, "t,p", [("a", 1), ("a", -1), ("b", 2), ("b", 2), ("b", ""), ("-1", -1)])


@pytest.mark.parametrize(
    ("options", "expected", "counted"),
    [
        (
            ["--noise", "-1=drop", "--missing", "drop"],
            {"n_used": 3, "n_noise": 2, "n_dropped": 3},
            "3 points, 2 true clusters + 1 noise, 2 predicted clusters + 2 noise; 3 dropped",
        ),
        (
            ["--noise-pred", "-1=singletons", "--missing", "cluster"],
            {"n_used": 6, "n_noise": 2, "n_dropped": 0},
            "6 points, 3 true and 3 predicted clusters + 2 noise",
        ),
        (
            ["--noise-true=-1=drop", "--missing=singletons"],
            {"n_used": 5, "n_noise": 1, "n_dropped": 1},
            "5 points, 2 true clusters + 1 noise, 4 predicted clusters; 1 dropped",
        ),
    ],
)
def test_noise_and_missing_labels(noisy, options, expected, counted):
    document = read(result("score", noisy, *options, "-i", "rand", "-f", "json"))
    assert {name: getattr(document, name) for name in expected} == expected
    assert result("score", noisy, *options, "-i", "rand").splitlines()[0] == counted


def test_noise_of_a_column_of_integers(tmp_path):
    pa.parquet.write_table(pa.table({"t": [1, 1, 2, 2], "p": [5, -1, -1, 6]}), tmp_path / "n.parquet")
    document = read(result("score", tmp_path / "n.parquet", "--noise", "-1=drop", "-i", "rand", "-f", "json"))
    assert (document.n_used, document.n_noise) == (2, 2)


@pytest.fixture(scope="module")
def unequal(tmp_path_factory) -> tuple[Path, Path]:
    here = tmp_path_factory.mktemp("unequal")
    truth = write_csv(here / "truth.csv", "id,c", [("1", "a"), ("2", "a"), ("3", "b"), ("4", "b")])
    return truth, write_csv(here / "pred.csv", "id,c", [("1", "x"), ("2", "x"), ("3", "y"), ("5", "y"), ("6", "y")])


@pytest.mark.parametrize(("policy", "used", "dropped"), [("drop", 3, 3), ("singletons", 6, 0)])
def test_ids_of_one_side_only_are_counted_in_all_outputs(unequal, tmp_path, policy, used, dropped):
    asked = [*unequal, "--on", "id", "--unmatched", policy, "-i", "rand"]
    document = read(result("score", *asked, "-f", "json"))
    counts = {"n_given": 6, "n_used": used, "n_dropped": dropped, "n_unmatched": 3}
    assert {name: getattr(document, name) for name in counts} == counts
    truth, pred = ({"1": "a", "2": "a", "3": "b", "4": "b"}, {"1": "x", "2": "x", "3": "y", "5": "y", "6": "y"})
    assert document["rand"] == cm.evaluate(truth, pred, ["rand"], unmatched=policy)["rand"]
    said = f"; {dropped} dropped; 3 unmatched\n" if dropped else "clusters; 3 unmatched\n"
    assert said in result("score", *asked)
    assert "3 unmatched" in result("score", *asked, "-f", "markdown")


def test_weights_and_counts(tmp_path):
    file = write_csv(tmp_path / "w.csv", "t,p,w", [("a", 1, 2), ("a", 2, 1), ("b", 2, 3)])
    weighted, counted = (
        read(result("score", file, f"--{what}", "w", "-i", "rand", "-f", "json")) for what in ("weights", "counts")
    )
    assert weighted["rand"] == cm.evaluate(["a", "a", "b"], [1, 2, 2], ["rand"], weights=[2, 1, 3])["rand"]
    assert counted["rand"] == cm.evaluate(["a", "a", "b"], [1, 2, 2], ["rand"], counts=[2, 1, 3])["rand"]
    assert counted.n_used == 6
    assert "weighted" in result("score", file, "--weights", "w", "-i", "rand")


def test_lists_of_pairs_are_closed_transitively(tmp_path):
    truth = write_csv(tmp_path / "truth.csv", "id,c", [(i, t) for i, t in enumerate("aaabbc")])
    pairs = write_csv(tmp_path / "pairs.csv", "left,right", [(0, 1), (1, 2), (5, 4)])
    asked = ["--on", "id", "--pairs", "pred", "--unmatched", "singletons", "-i", "rand", "-f", "json"]
    document = read(result("score", truth, pairs, *asked))
    assert document["rand"] == cm.rand(list("aaabbc"), [0, 0, 0, 3, 4, 4])
    both = read(result("score", pairs, pairs, "--pairs", "both", "-i", "rand", "-f", "json"))
    assert both["rand"] == 1.0


def test_a_file_without_a_header_and_in_another_encoding(tmp_path):
    (tmp_path / "old.csv").write_bytes("Zürich;1\nZürich;1\nGenève;2\n".encode("latin-1"))
    options = ["--encoding", "latin-1", "--delimiter", ";", "--no-header", "--true", "column0", "--pred", "column1"]
    document = json.loads(result("errors", tmp_path / "old.csv", *options, "--classes", "-f", "json"))
    assert [row["cluster"] for row in document["tables"]["classes"]["rows"]] == ["Genève", "Zürich"]


def test_a_million_rows(tmp_path):
    file = tmp_path / "million.csv"
    true, pred = [i % 1000 for i in range(10**6)], [i * 7 % 1013 for i in range(10**6)]
    write_csv(file, "t,p", list(zip(true, pred, strict=True)))
    document = read(
        result("score", file, "--format", "json", "-i", "adjusted_rand,v_measure", "--memory", "1GB", "--threads", 2)
    )
    expected = cm.evaluate(true, pred, ["adjusted_rand", "v_measure"])
    assert {name: document[name] for name in expected} == dict(expected)


@pytest.mark.parametrize(
    ("thresholds", "code"),
    [
        (["--fail-under", "adjusted_rand=0.1", "--fail-over", "variation_of_information=9"], 0),
        (["--fail-under", "adjusted_rand=0.99"], 1),
        (["--fail-under", f"adjusted_rand={SCORES['adjusted_rand']!r}"], 0),
        (["--fail-over", "variation_of_information=0.01"], 1),
        (["--fail-under", "f_measure(beta=2)=1", "--fail-under", "rand=0"], 1),
        (["--fail-under", "entropy_true=0"], 0),
    ],
)
def test_thresholds_decide_the_exit_code(folder, thresholds, code):
    done = run("score", folder / "data.csv", *BOTH, "-i", "rand", "-f", "json", *thresholds)
    assert done.returncode == code, done.stderr
    assert read(done.stdout)["rand"] == SCORES["rand"]
    assert ("(--fail-" in done.stderr) == bool(code)


def test_the_output_goes_to_a_file_in_the_format_of_its_name(folder, tmp_path):
    for ending, sign in (
        (".json", '"jaccard":'),
        (".csv", "jaccard,"),
        (".md", "|"),
        (".tex", "\\"),
        (".txt", "10 points"),
    ):
        file = tmp_path / f"scores{ending}"
        assert result("score", folder / "data.csv", *BOTH, "-i", "jaccard", "-o", file) == ""
        assert sign in file.read_text(encoding="utf-8"), ending


def test_force_overwrites(folder, tmp_path):
    file = tmp_path / "scores.json"
    file.write_text("old")
    result("score", folder / "data.csv", *BOTH, "-i", "rand", "-o", file, "--force")
    assert cm.read_evaluation(file)["rand"] == SCORES["rand"]


def test_the_catalogue(tmp_path):
    text = result("indices")
    assert all(f"{index.name} " in text for index in cm.catalogue())
    assert "Coreference" in text
    listed = json.loads(result("indices", "--format", "json"))
    assert [entry["name"] for entry in listed["rows"]] == [index.name for index in cm.catalogue()]
    rows = list(csv.DictReader(io.StringIO(result("indices", "--panel", "--format", "csv"))))
    assert [row["name"] for row in rows] == list(cm.evaluate(TRUE, PRED))
    assert r"| adjusted\_rand |" in result("indices", "--format", "markdown")


@pytest.mark.parametrize("name", ["adjusted_rand", "ARS", "mclust:adjustedRandIndex"])
def test_one_index_explained(name):
    text = result("indices", name)
    for said in (
        "Adjusted Rand index (ARI)",
        "[-0.5, 1]",
        "higher is better",
        "symmetric",
        "permutation",
        "Undefined when",
    ):
        assert said in text
    assert "Hubert & Arabie (1985)" in text
    assert "In mclust: adjustedRandIndex" in text
    assert json.loads(result("indices", name, "-f", "json"))["rows"][0]["name"] == "adjusted_rand"


def test_the_demo_needs_no_file(tmp_path):
    done = run("demo", "-o", tmp_path / "demo.html")
    assert done.returncode == 0, done.stderr
    assert "1,797 points" in done.stdout
    assert "merge points that are apart in truth" in done.stdout
    assert "clustermark demo -o report.html" in done.stdout
    assert "adjusted_rand" in (tmp_path / "demo.html").read_text(encoding="utf-8")
    assert "321 noise" in result("demo", "--algorithm", "dbscan")


def test_version_and_help():
    assert result("--version") == f"clustermark {cm.__version__}\n"
    assert "clustermark score data.csv --true label --pred cluster" in result("-h")
    for name in ("score", "report", "errors", "indices", "demo", "completion"):
        assert "Examples:" in result(name, "-h"), name


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(shell):
    assert "_CLUSTERMARK_COMPLETE" in result("completion", shell)


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("clustermark sc", {"score", "schema"}),
        ("clustermark score -i adjusted_r", {"adjusted_rand"}),
        ("clustermark score -i jaccard,adjusted_r", {"jaccard,adjusted_rand"}),
        ("clustermark score --format m", {"markdown"}),
        ("clustermark indices fowlkes", {"fowlkes_mallows", "fowlkes_mallows_bk"}),
    ],
)
def test_completion_completes(line, offered):
    words = {"COMP_WORDS": line, "COMP_CWORD": str(len(line.split()) - 1), "_CLUSTERMARK_COMPLETE": "bash_complete"}
    found = {row.partition(",")[2] for row in result(**words).splitlines()}
    assert found == offered


def at_a_terminal(*arguments: object, **environment: str) -> str:
    """Return the output of the program on a terminal."""
    ours, theirs = pty.openpty()
    inherited = {name: value for name, value in os.environ.items() if name not in ("FORCE_COLOR", "NO_COLOR")}
    environment = {**inherited, "TERM": "xterm-256color", "COLUMNS": "100", **environment}
    with subprocess.Popen(
        [*command(), *map(str, arguments)], stdout=theirs, stderr=subprocess.DEVNULL, env=environment
    ) as process:
        os.close(theirs)
        shown = b""
        while chunk := _read(ours):
            shown += chunk
    os.close(ours)
    assert process.returncode == 0
    return shown.decode()


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # Linux says so when the other side is closed
        return b""


def test_colour_only_on_terminals_and_where_it_is_wanted(folder):
    asked = ["score", folder / "data.csv", *BOTH, "-i", "rand"]
    assert "\x1b[36m" in at_a_terminal(*asked)
    assert "\x1b[3" not in at_a_terminal(*asked, NO_COLOR="1")
    assert "\x1b[" not in result(*asked, FORCE_COLOR="1")


@pytest.mark.parametrize("asked", [["demo"], ["indices"], ["indices", "adjusted_rand"], ["indices", "b_cubed_f"]])
def test_what_is_shown_fits_the_terminal(asked):
    shown = re.sub(r"\x1b\[[0-9;]*m", "", at_a_terminal(*asked, COLUMNS="80"))
    assert [line for line in shown.splitlines() if len(line) > 80] == []
    assert max(map(len, result(*asked).splitlines())) > 80


@pytest.mark.parametrize(
    ("pieces", "told"),
    [
        ([1, 1, 1, -1, -1], "1 (3 of 3), 2 alone"),
        (
            [1, 1, 2, 3, 4, 5, 6, 7],
            "1 (2 of 2), 2 (1 of 1), 3 (1 of 1), 4 (1 of 1), 5 (1 of 1), and 2 of one point each",
        ),
        (
            [1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, -1],
            "4 (2 of 2), 5 (2 of 2), and 2 more",
        ),
        ([*[1] * 5, *[-1] * 30], "1 (5 of 5), and 30 of one point each"),
    ],
)
def test_the_parts_of_a_split(tmp_path, pieces, told):
    path = write_csv(tmp_path / "x.csv", "label,cluster", [("a", piece) for piece in pieces])
    shown = result("errors", path, *BOTH, "--noise-pred", "-1=singletons")
    assert next(line for line in shown.splitlines() if line.startswith("a ")).endswith(f" {told}")


def test_a_reader_that_leaves_is_no_reason_to_complain():
    with subprocess.Popen([*command(), "indices"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


def test_control_c_leaves_quietly(tmp_path):
    with subprocess.Popen(
        [*command(), "score", "-"],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    ) as process:
        while not list(tmp_path.glob("clustermark-*/raw")):  # it waits for its standard input from then on
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 130
        assert process.stderr is not None
        assert b"Traceback" not in process.stderr.read()
    assert list(tmp_path.iterdir()) == []


def test_control_c_in_the_middle_of_a_query(tmp_path):
    write_csv(tmp_path / "data.csv", "t,p", [(i, -i) for i in range(10**5)])
    code = (
        "import _thread, threading; from clustermark.cli import main; "
        "from clustermark.engines.adapters.duckdb import DuckDB; fetch = DuckDB.fetch\n"
        "def slow(engine, sql):\n"
        "    threading.Timer(0.3, _thread.interrupt_main).start()\n"
        "    return fetch(engine, 'SELECT COUNT(*) AS n FROM range(9999999) a(i), range(9999999) b(j) WHERE i < j')\n"
        f"DuckDB.fetch = slow; main(['score', {str(tmp_path / 'data.csv')!r}])"
    )
    (tmp_path / "temporary").mkdir()
    environment = {**os.environ, "TMPDIR": str(tmp_path / "temporary")}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100, env=environment)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")
    assert list((tmp_path / "temporary").iterdir()) == []


def test_the_module_is_the_program():
    done = subprocess.run([sys.executable, "-m", "clustermark", "--version"], capture_output=True, text=True)
    assert done.stdout == f"clustermark {cm.__version__}\n"
