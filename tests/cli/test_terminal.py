"""The output of the program to terminals, pipes and closed streams, and in locales without our characters."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import subprocess
import unicodedata

import pytest

import clustermark as cm
from clustermark.cli.terminal import Clock
from needs import need
from program import at_terminal, command, mistake, result, run, run_process

need("duckdb")

BOTH = ("--true", "t", "--pred", "p")
EVIL = ["\x9b31m", "\x1b[31mred", "\u202eevil", "\u2066x", "\x85next", "\x7f", "b\x07ell", "\u2028line", "é"]


@pytest.fixture
def evil(tmp_path):
    """Labels that would steer a terminal; each is in a cluster that is split, so that it is listed."""
    path = tmp_path / "evil.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["t", "p"])
        for label in EVIL:
            writer.writerows([[label, f"{label}1"], [label, f"{label}1"], [label, f"{label}2"]])
    return path


def steering(text: str) -> set[str]:
    """The characters of a text that are orders to a terminal, colours and ends of lines apart."""
    text = re.sub(r"\x1b\[[0-9;]*m|\r?\n", "", text)
    return {letter for letter in text if unicodedata.category(letter) in ("Cc", "Cf", "Zl", "Zp")}


@pytest.mark.parametrize(("shape", "what"), [("table", []), ("table", ["--classes"]), ("json", []), ("csv", [])])
def test_no_label_steers_a_terminal(evil, shape, what):
    shown = at_terminal("errors", evil, *BOTH, "-q", "-f", shape, *what)
    assert steering(shown) == set()
    assert "\x1b[31m" not in shown
    assert "é" in shown
    assert len(shown.splitlines()) > len(EVIL)


def test_json_escapes_what_steers_a_terminal_in_pipes_too(evil):
    text = result("errors", evil, *BOTH, "-f", "json")
    assert steering(text) == set()
    assert "\\u009b" in text
    rows = json.loads(text)["tables"]["splits"]["rows"]
    assert {row["cluster"] for row in rows} == set(EVIL)
    assert steering(cm.evaluate(["\x9b", "\x9b"], [1, 2], noise_pred={"\u202e": "drop"}).to_json()) == set()


def test_messages_do_not_steer_a_terminal_either(tmp_path):
    said = mistake("score", tmp_path / "no\x1b[31m\x9b\u202e.csv")
    assert steering(said) == set()
    assert r"no\x1b[31m\x9b\u202e.csv: no file matches" in said
    assert steering(mistake("score", tmp_path, "--no\x1b[31m")) == set()
    assert steering(mistake("indices", "no\x1b[31m\x9b")) == set()


def test_no_colour_is_no_escape_at_all(evil):
    for asked in (["indices"], ["errors", evil, *BOTH]):
        assert "\x1b" in at_terminal(*asked), asked
        assert "\x1b" not in at_terminal(*asked, NO_COLOR="1"), asked


def test_messages_break_between_words(tmp_path):
    (tmp_path / "x.csv").write_text("one,two,three\n1,2,3\n")
    for asked in (
        ["score", tmp_path / "x.csv", "-q"],
        ["score", tmp_path / "x.csv", "--nonsense"],
        ["indices", "accuracy"],
    ):
        said = run(*asked).stderr
        shown = at_terminal(*asked, width=40, both=True).replace("\r\n", "\n")
        assert shown.split() == said.split(), asked
        assert max(len(line) for line in shown.splitlines() if " " in line.strip()) <= 40, asked
        assert max(len(line) for line in said.splitlines()) > 40


ASCII = [{"LC_ALL": "C"}, {"PYTHONIOENCODING": "ascii"}]


@pytest.mark.parametrize("environment", ASCII, ids=["locale", "encoding"])
def test_an_ascii_locale_gets_ascii(evil, environment):
    for asked in (["indices"], ["demo"], ["score", "-h"], ["-h"], ["indices", "kulczynski1"], ["schema"]):
        text = result(*asked, **environment)
        assert text.isascii(), asked
        assert "\\u" not in text or asked == ["schema"], asked
    assert "Kulczynski" in result("indices", "kulczynski1", **environment)
    assert re.search(r"kulczynski1 .*\[0, inf[\])]", result("indices", **environment))
    table = result("errors", evil, *BOTH, **environment)
    assert table.isascii()
    assert "\\u00e9" in table  # two labels that differ do not become one
    document = json.loads(result("errors", evil, *BOTH, "-f", "json", **environment))
    assert "é" in {row["cluster"] for row in document["tables"]["splits"]["rows"]}
    assert mistake("score", "é–.csv", **environment).isascii()
    asked = ("indices", "kulczynski1")
    assert run_process(*asked, **environment).stdout == result(*asked, **environment)


def test_every_index_can_be_explained_in_ascii(monkeypatch):
    monkeypatch.setenv("LC_ALL", "C")
    monkeypatch.delenv("PYTHONIOENCODING", raising=False)
    for index in cm.catalogue():
        assert result("indices", index.name).isascii(), index.name


def test_data_for_programs_keep_their_letters_in_an_ascii_locale(evil):
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONIOENCODING"}
    done = subprocess.run(
        [*command(), "errors", str(evil), *BOTH, "--clusters", "-f", "csv"],
        capture_output=True,
        env={**environment, "LC_ALL": "C"},
    )
    assert "é" in {row["best_match"] for row in csv.DictReader(io.StringIO(done.stdout.decode()))}


def shell(line: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A line of bash in which PROGRAM is the program."""
    line = line.replace("PROGRAM", " ".join(command()))
    return subprocess.run(
        ["bash", "-c", line], capture_output=True, text=True, env={**os.environ, **environment}, timeout=60
    )


def test_a_reader_that_leaves_early():
    done = shell("PROGRAM indices | head -0; echo ${PIPESTATUS[0]}")
    assert (done.stdout, done.stderr) == ("141\n", "")


def test_closed_streams(tmp_path, evil):
    done = shell("PROGRAM indices >&-")
    assert (done.returncode, done.stderr) == (2, "clustermark: standard output is closed\n")
    done = shell(f"PROGRAM errors {evil} -o {tmp_path}/x.json >&-")
    assert (done.returncode, (tmp_path / "x.json").exists()) == (0, True)
    done = shell("PROGRAM score no.csv 2>&-")
    assert (done.returncode, done.stdout) == (2, "")  # the message does not get into the result
    done = shell("PROGRAM score - <&-")
    assert done.returncode == 2
    assert "standard input is closed" in done.stderr
    for asked in ("-h", "--version", "demo"):
        assert shell(f"PROGRAM {asked} >&-").returncode in (0, 2), asked


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")  # noqa: PTH110
def test_a_full_disk():
    for asked in ("indices", "score -h", "demo"):
        done = shell(f"PROGRAM {asked} > /dev/full")
        assert (done.returncode, done.stderr) == (2, "clustermark: No space left on device\n"), asked


FORMULAS = ["=cmd()", "+1+2", "-x", "@sum", "\tx", "'=cmd()", "-1", "1e5", "plain"]


def test_labels_that_a_spreadsheet_would_run(tmp_path):
    truth, found = [label for label in FORMULAS for _ in range(3)], list(range(3 * len(FORMULAS)))
    clusters = cm.evaluate(truth, found, noise_true={"-1": "cluster"}).classes
    plain = [row["cluster"] for row in csv.DictReader(io.StringIO(clusters.to_csv()))]
    safe = [row["cluster"] for row in csv.DictReader(io.StringIO(clusters.to_csv(safe=True)))]
    assert set(plain) == set(FORMULAS)
    assert set(safe) == {"'=cmd()", "'+1+2", "'-x", "'@sum", "'\tx", "''=cmd()", "-1", "1e5", "plain"}
    clusters.write_csv(tmp_path / "safe.csv", safe=True)
    assert (tmp_path / "safe.csv").read_text() == clusters.to_csv(safe=True)


@pytest.mark.parametrize("label", ["x\r=cmd()", "x\n=cmd()", "x\r\n=cmd()", 'x"\r,=cmd()', "\r", "x\r\n"])
@pytest.mark.parametrize("safe", [False, True])
def test_a_label_with_a_line_break_stays_one_field(label, safe):
    text = cm.evaluate([label] * 2 + ["b"], [1, 2, 2]).classes.to_csv(safe=safe)
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert {row["cluster"].removeprefix("'") for row in rows} == {label, "b"}
    assert None not in rows[0]
    outside = text.split('"')[::2]
    assert not any("\r" in part for part in outside)


def test_names_of_columns_do_not_run_either():
    matrix = cm.similarity_matrix({"=cmd()": [1, 1, 2], "b": [1, 1, 2]})
    assert matrix.to_csv(safe=True).splitlines()[:2] == ["labeling,'=cmd(),b", "'=cmd(),1.0,1.0"]
    assert matrix.to_csv().startswith("labeling,=cmd(),b")


def test_names_of_methods_are_printed_in_latex():
    compared = cm.compare([0, 0, 1, 1], {"c\x00d\x1b\u2028e": [0, 0, 1, 1], "f": [0, 1, 1, 1]}, ["rand"])
    assert "c�d� e &" in compared.to_latex()


def test_files_for_people_are_safe_and_pipes_are_exact(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("t,p\n=cmd(),1\n=cmd(),2\n")
    exact = result("errors", path, *BOTH, "--classes", "-f", "csv")
    assert "\n=cmd()," in exact
    for name, how, expected in (("a", [], "'=cmd(),"), ("b", ["--no-safe"], "=cmd(),")):
        result("errors", path, *BOTH, "--classes", *how, "-o", tmp_path / f"{name}.csv")
        assert (tmp_path / f"{name}.csv").read_text().splitlines()[1].startswith(expected)
    assert "\n'=cmd()," in result("errors", path, *BOTH, "--classes", "-f", "csv", "--safe")
    assert "\nsplit,'=cmd()," in result("errors", path, *BOTH, "-f", "csv", "--safe")


@pytest.mark.parametrize(
    ("option", "meant"),
    [
        ("--json", "--format json"),
        ("--jsn", "--format json or"),
        ("--polars", "--engine polars"),
        ("--drop", "--missing drop or --unmatched drop"),
        ("--truth", "--true?"),
        ("--metric", "--index?"),
        ("--id", "--on?"),
        ("--fail_undr", "--fail-under?"),
        ("--unmached", "--unmatched?"),
    ],
)
def test_an_unknown_option_is_told_what_it_means(option, meant):
    assert f"No such option: {option}. Did you mean {meant}" in mistake("score", "x.csv", option)


def test_an_option_without_any_meaning():
    said = mistake("score", "x.csv", "--zzzz")
    assert "No such option: --zzzz." in said
    assert "Did you mean" not in said
    assert "Did you mean --version?" in mistake("--versoin")


@pytest.mark.parametrize(
    "line", ["clustermark score da", "clustermark errors da", "clustermark report x.csv da", "clustermark score -o da"]
)
def test_completion_offers_names_of_files(line):
    words = {"COMP_WORDS": line, "COMP_CWORD": str(len(line.split()) - 1), "_CLUSTERMARK_COMPLETE": "bash_complete"}
    assert result(**words) == "file,da\n"


def test_accuracy_leads_somewhere():
    assert cm.find("ACC").name == "matching_accuracy"
    said = mistake("indices", "accuracy")
    assert "can mean several indices: matching_accuracy, " in said
    assert "geometric_accuracy" in said


def test_a_sign_of_life_tells_the_time(tmp_path):
    """On a terminal: what is done, and since when; nothing of it with -q or in a pipe."""
    path = tmp_path / "data.csv"
    path.write_text("t,p\n" + "a,1\nb,2\n" * 9)
    shown = at_terminal("report", path, *BOTH, "-o", tmp_path / "page.html", both=True)
    for doing in ("reading", "scoring", "drawing the page"):
        assert re.search(rf"{doing}.* … (\d+%, )?0:0\d", shown), doing
    assert re.search(r" … .*0:0", at_terminal("repairs", path, *BOTH, "-q", both=True)) is None
    assert "…" not in run("repairs", path, *BOTH).stderr


def test_what_is_left_is_told_when_it_can_be():
    now = 0.0
    clock = Clock(lambda: now)
    told = [str(clock)]
    for now, share in ((1.0, 0.5), (4.0, 0.5), (6.0, 0.01), (10.0, 0.2), (11.0, 1.0)):  # noqa: B007
        clock.tell(share)
        told.append(str(clock))
    assert told == [
        "0:00",
        "50%, 0:01",
        "50%, 0:04, about 0:04 left",
        "1%, 0:06",
        "20%, 0:10, about 0:16 left",
        "100%, 0:11",
    ]
