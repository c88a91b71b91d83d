"""`clustermark estimate`, run as users run it."""

from __future__ import annotations

import json

import pytest

import clustermark as cm
from needs import need
from program import mistake, result, run, write_csv

need("duckdb")

TRUTH = [(record, record // 3) for record in range(600) if record // 3 % 3 == 0]
PREDICTION = [(record, record // 4) for record in range(600)]


@pytest.fixture
def files(tmp_path):
    return (
        write_csv(tmp_path / "truth.csv", "id,label", TRUTH),
        write_csv(tmp_path / "clusters.csv", "id,cluster", PREDICTION),
    )


@pytest.mark.slow
def test_the_command_prints_estimates(files):
    said = result("estimate", *files, "--on", "id", "--design", "clusters", "-q")
    wanted = cm.estimate(dict(TRUTH), dict(PREDICTION), design="clusters")
    assert said.startswith("Estimated from 67 sampled clusters (201 records) of 600 records\n")
    assert f"{wanted['pair_precision'].low:.4f}" in said
    assert "not estimated: matching_accuracy, purity" in said
    assert "about 200 true clusters in all, as the sample suggests; if you know the number, pass --population\n" in said


@pytest.mark.slow
def test_formats_and_the_plan(files, tmp_path):
    asked = ("estimate", *files, "--on", "id", "--design", "clusters_by_record", "-q", "-i", "b_cubed_f")
    document = json.loads(result(*asked, "--format", "json", "--level", "0.9"))
    need("jsonschema").Draft202012Validator(cm.json_schema()).validate(document)
    assert document["sampling"]["design"] == "clusters_by_record"
    assert document["estimates"]["b_cubed_f"]["level"] == 0.9
    assert document["settings"]["truth"].endswith("truth.csv")
    assert result(*asked, "--format", "csv").startswith("index,score,low,high,standard_error,notes\nb_cubed_f,0.")
    assert "b_cubed_f: 200 clusters in all, for ± 0.02 with a probability of 80 %" in result(
        *asked, "--half-width", "0.02"
    )
    assert "with a probability of 95 %" in result(*asked, "--half-width", "0.02", "--assurance", "0.95")
    result(*asked, "-o", tmp_path / "found.json")
    assert json.loads((tmp_path / "found.json").read_text())["kind"] == "estimates"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "Missing option '--design'"),
        (("--design", "cluster"), "is not one of 'clusters', 'clusters_by_record', 'records'"),
        (
            ("--design", "clusters", "--population", "5"),
            "--population 5: there are more true clusters than the 67",
        ),
        (("--design", "records", "-i", "nmi"), "cannot be estimated from a sample of records"),
        (("--design", "clusters", "--half-width", "0.1", "--format", "csv"), "leave out --format"),
        (("--design", "clusters", "--noise-true", "3=drop"), "leave noise out of the truth sample"),
    ],
)
def test_mistakes_are_told(files, options, words):
    assert words in mistake("estimate", *files, "--on", "id", *options)


@pytest.mark.slow
def test_records_that_the_prediction_lacks(files, tmp_path):
    truth = write_csv(tmp_path / "more.csv", "id,label", [*TRUTH, (9999, 0)])
    asked = ("estimate", truth, files[1], "--on", "id", "--design", "clusters", "-q")
    assert "1 records occur in the truth and not in the prediction; choose --unmatched singletons" in mistake(*asked)
    assert "(202 records) of 601 records" in result(*asked, "--unmatched", "singletons")


@pytest.mark.slow
def test_a_page_and_a_table(files, tmp_path):
    asked = ("estimate", *files, "--on", "id", "--design", "clusters", "-q")
    result(*asked, "-o", tmp_path / "page.html")
    assert "All 600 records would score about" in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert r"\toprule" in result(*asked, "-f", "latex")


@pytest.mark.slow
@pytest.mark.parametrize(("asked", "code"), [("low", 0), ("above", 1), ("score", 1)])
def test_an_estimate_passes_only_if_its_whole_interval_does(files, asked, code):
    # of the same files, since another order of rows can change the last digit
    found = cm.estimate(*map(str, files), ["pair_precision"], on="id", design="clusters")["pair_precision"]
    limit = {"low": found.low, "above": found.low + 1e-9, "score": found.score}[asked]
    done = run("estimate", *files, "--on", "id", "--design", "clusters", "-q", "-i", "b_cubed_f",
               "--fail-under", f"pair_precision={limit!r}")  # fmt: skip
    assert done.returncode == code, done.stderr
    digits = 5 if asked == "above" else 4  # as many as tell the lower end from the limit
    score, low, high = (f"{one:.{digits}f}" for one in (found.score, found.low, found.high))
    said = f"pair_precision is about {score} [{low}, {high}], which may be under {limit!r}"
    assert (said in done.stderr) == bool(code), done.stderr
    over = ("--fail-over", f"vi_split={0.0 if code else 9.0}", "-f", "json", "-o", "-")
    assert run("estimate", *files, "--on", "id", "--design", "clusters", "-q", *over).returncode == code


@pytest.mark.slow
def test_an_estimate_without_an_interval_fails(tmp_path):
    truth = write_csv(tmp_path / "t.csv", "id,label", [(1, "a"), (2, "a")])
    clusters = write_csv(tmp_path / "c.csv", "id,cluster", [(1, "x"), (2, "x"), (3, "y")])
    done = run("estimate", truth, clusters, "--on", "id", "--design", "clusters", "--fail-under", "pair_precision=0.1")
    assert done.returncode == 1
    assert "whether that fails --fail-under 0.1 is not known" in done.stderr


@pytest.mark.slow
def test_ids_that_never_meet_are_shown(tmp_path):
    truth = write_csv(tmp_path / "t.csv", "id,label", [("a", 1), ("b", 1)])
    clusters = write_csv(tmp_path / "c.csv", "id,cluster", [("x", 1), ("y", 1)])
    said = mistake("estimate", truth, clusters, "--on", "id", "--design", "clusters")
    assert "such as 'a', 'b'" in said
    assert "such as 'x', 'y'" in said
