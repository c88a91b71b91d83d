"""compare and matrix: several columns of one file."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

import clustermark as cm
from clustermark.cli import spell
from needs import need
from program import mistake, result, run

DIGITS = Path(cm.__file__).parent / "data" / "digits.csv"
METHODS = ("--pred", "kmeans", "--pred", "ward", "--pred", "dbscan")

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::clustermark.errors.NoiseWarning")]
need("duckdb")


def labels():
    with DIGITS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {name: [row[name] for row in rows] for name in ("digit", "kmeans", "ward", "dbscan")}


def test_compare_says_which_is_best(tmp_path):
    made = labels()
    truth = made.pop("digit")
    wanted = cm.compare(truth, made, noise_pred={"-1": "singletons"})
    options = ("compare", DIGITS, "--true", "digit", *METHODS, "--noise-pred", "-1=singletons")
    printed = result(*options)
    assert wanted.verdict in printed
    assert "ward       1  0.7940 [0.7682, 0.8172]" in printed
    assert str(wanted.differences()).splitlines()[1] in result(*options, "--differences")
    found = {" ".join(line.split()) for line in str(wanted.differences("b_cubed_f", margin=0.05)).splitlines()}
    assert found <= {" ".join(line.split()) for line in result(*options, "--margin", "0.05").splitlines()}
    assert "--margin add lines to the table" in mistake(*options, "--margin", "0.05", "-f", "csv")
    document = json.loads(result(*options, "-f", "json"))
    need("jsonschema").validate(document, cm.json_schema())
    assert document["verdict"] == wanted.verdict
    result(*options, "-i", "b_cubed_f", "-o", tmp_path / "table.tex")
    assert r"\toprule" in (tmp_path / "table.tex").read_text()
    rows = list(csv.DictReader(result(*options, "-f", "csv").splitlines()))
    assert [row["method"] for row in rows[:3]] == ["ward", "dbscan", "kmeans"]


def test_compare_reads_standard_input_and_components():
    lines = ["t,a,b"] + [f"{k},{k},{k if k % 3 else f's{k}-{i}'}" for k in range(120) for i in range(3)]
    text = "\n".join(lines).encode()
    printed = result("compare", "-", "--true", "t", "--pred", "a", "--pred", "b", "--unit", "component", stdin=text)
    assert "a is best by adjusted_rand" in printed


def test_compare_joins_files_and_leaves_out_groups(tmp_path):
    lines = [(k, k // 3, k // 3 if k % 7 else 900 + k, k // 3 if k % 2 else 900 + k, k % 30) for k in range(300)]
    for place, name in enumerate(("truth", "one", "other"), 1):
        rows = [f"{line[0]},{line[place]},{line[4]}" for line in lines]
        (tmp_path / f"{name}.csv").write_text("\n".join([f"id,{'t' if place == 1 else 'p'},g", *rows]))
    joined = ("truth.csv", "one.csv", "other.csv", "--on", "id", "--true", "t", "--pred", "p")
    printed = result("compare", *joined, "--groups", "g", "-f", "json", cwd=tmp_path)
    document = json.loads(printed)
    assert document["unit"] == "group"
    assert document["indices"]["adjusted_rand"]["best"] == ["one"]
    sides = [dict(line[:1] + line[place : place + 1] for line in lines) for place in (1, 2, 3)]
    wanted = cm.compare(sides[0], {"one": sides[1], "other": sides[2]}, unit={line[0]: line[4] for line in lines})
    row = document["indices"]["adjusted_rand"]["differences"][0]
    assert row["standard_error"] == pytest.approx(wanted.differences()[0].standard_error, rel=1e-9)


def test_matrix_scores_columns_against_each_other():
    made = labels()
    wanted = cm.similarity_matrix({name: made[name] for name in ("kmeans", "ward", "dbscan")})
    assert result("matrix", DIGITS, *METHODS).strip().replace("\n\n", "\n") == wanted.to_text(spell)
    rows = list(csv.DictReader(result("matrix", DIGITS, *METHODS, "-i", "rand", "-f", "csv").splitlines()))
    assert float(rows[0]["ward"]) == cm.rand(made["kmeans"], made["ward"])
    assert json.loads(result("matrix", DIGITS, *METHODS, "-f", "json"))["central"] == wanted.central
    alone = result("matrix", DIGITS, *METHODS, "--noise", "-1=singletons", "-f", "csv")
    assert alone != result("matrix", DIGITS, *METHODS, "-f", "csv")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("compare", DIGITS, "--pred", "kmeans"), "name the column of the truth by --true"),
        (("compare", DIGITS, "--true", "digit"), "and each prediction by --pred"),
        (("compare", DIGITS, "--true", "digit", "--pred", "wart"), "did you mean 'ward'?"),
        (("compare", DIGITS, "--true", "digit", "--pred", "ward", "-i", "all"), "-i all is too much"),
        (
            ("compare", DIGITS, "--true", "digit", "--pred", "ward", "--level", "3"),
            "'--level': 3.0 is not in the range",
        ),
        (("compare", DIGITS, DIGITS, "--true", "digit", "--pred", "ward"), "name the column of the id by --on"),
        (("compare", DIGITS, "a.csv", "b.csv", "--on", "i", "--pred", "a", "--pred", "b"), "names one column of all"),
        (("compare", DIGITS, "x/a.csv", "y/a.csv", "--on", "i"), "both called a"),
        (("matrix", DIGITS), "name the columns with the predictions, each by --pred"),
    ],
)
def test_mistakes(arguments, words):
    assert words in mistake(*arguments)


def test_labels_like_noise_are_said_in_the_words_of_the_program():
    said = run("matrix", DIGITS, *METHODS).stderr
    assert "note: 321 points of the labeling dbscan have the label '-1'" in said
    assert "Choose --noise -1=singletons or -1=drop" in said
    assert not run("matrix", DIGITS, *METHODS, "-q").stderr


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("matrix", DIGITS, *METHODS), "ward is most like all others"),
        (("compare", DIGITS, "--true", "digit", *METHODS, "-i", "rand"), "ward is best by rand"),
    ],
)
def test_pages(command, said, tmp_path):
    result(*command, "-o", tmp_path / "page.html")
    assert said in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert r"\toprule" in result(*command, "-f", "latex")


def test_compare_tells_the_columns_that_nobody_named(tmp_path):
    for name, column in (("truth", "t"), ("one", "p"), ("two", "q")):
        (tmp_path / f"{name}.csv").write_text(f"id,{column}\n" + "".join(f"{i},{i % 3}\n" for i in range(12)))
    files = [tmp_path / f"{name}.csv" for name in ("truth", "one", "two")]
    said = run("compare", *files, "--on", "id", "-i", "rand").stderr
    told = "column 't' as the truth, column 'p' as the prediction one, column 'q' as the prediction two"
    assert f"clustermark: taking {told}\n" in said
    assert "column 't'" not in run("compare", *files, "--on", "id", "-i", "rand", "--true", "t").stderr
