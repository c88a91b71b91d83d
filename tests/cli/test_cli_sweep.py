"""The command that says where to cut a list of scored pairs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from needs import need
from program import mistake, result, run, write_csv

need("click")
COMPANIES = Path(__file__).parents[2] / "examples" / "data" / "companies"
FILES = (str(COMPANIES / "truth.csv"), str(COMPANIES / "scored_pairs.csv"), "--on", "id")


def test_the_best_thresholds_of_the_companies():
    text = result(
        "sweep", *FILES, "-i", "dice", "-i", "b_cubed_f", "--at", "0.7", "--precision", "0.95", "--cost", "5:1"
    )
    assert text.splitlines()[0] == "5,372 scored pairs of 1,848 records; 52 partitions"
    assert [line.split()[:3] for line in text.splitlines() if line.startswith("dice ")] == [["dice", "0.67", "0.933"]]
    assert "wanted precision: threshold 0.7: pair_precision 0.966553" in text
    assert "cheapest: threshold 0.7: cost 770" in text
    assert "threshold 0.7: dice 0.924" in text
    assert "lost: never proposed" in text
    assert text.splitlines()[-5].split() == ["r0507", "r1616", "0.69", "24", "0"]


def test_repeated_pairs_and_the_pairs_that_caused_false_ones(tmp_path):
    truth = write_csv(tmp_path / "truth.csv", "id,label", [(1, "x"), (2, "x"), (3, "y")])
    rows = [(1, 3, 0.9), (1, 2, 0.8), (2, 1, 0.7), (1, 1, 1.0)]
    pairs = write_csv(tmp_path / "pairs.csv", "l,r,p", rows)
    line = "4 scored pairs of 3 records, 1 of a record with itself, 1 pair given again; "
    text = result("sweep", truth, pairs, "-i", "dice")
    assert text.startswith(line)
    assert [one.split() for one in text.splitlines()[-2:]] == [["1", "3", "0.9", "1", "0"], ["1", "2", "0.8", "1", "1"]]
    told = json.loads(result("sweep", truth, pairs, "-i", "dice", "--format", "json"))
    assert told["false_merges"][1] == {"left": "1", "right": "2", "score": 0.8, "false_pairs": 1, "true_pairs": 1}


def test_the_line_of_the_interval_says_what_it_is():
    text = result("sweep", *FILES, "-i", "dice", "--interval")
    assert "\non other data: threshold 0.67: dice 0.9329 here\n" in text


def test_the_score_at_the_best_threshold_is_that_of_the_list_cut_there():
    told = json.loads(result("sweep", *FILES, "-i", "dice", "--interval", "--format", "json"))
    best = told["best"]["dice"]
    cut = ("--pairs", "pred", "--threshold", str(best["threshold"]), "--unmatched", "singletons", "-i", "dice")
    score = json.loads(result("score", *FILES, "--true", "entity", *cut, "--format", "json"))
    assert score["scores"]["dice"]["value"] == best["score"]
    assert score["settings"]["threshold"] == best["threshold"]
    assert told["interval"]["low"] < told["interval"]["corrected"] < told["interval"]["high"]
    assert told["losses"]["true_pairs"] == 2873
    assert told["curves"]["threshold"][0] == "inf"


def test_the_clusters_at_the_best_threshold(tmp_path):
    result("sweep", *FILES, "--cut", "dice", "-o", str(tmp_path / "found.csv"))
    table = json.loads(result("score", FILES[0], str(tmp_path / "found.csv"), "--on", "id", "-f", "json", "-i", "dice"))
    assert table["scores"]["dice"]["value"] == pytest.approx(0.932864674868189)
    by_name = json.loads(result("sweep", *FILES, "--cut", "dice", "--format", "json"))
    assert len(by_name["rows"]) == 1848
    assert result("sweep", *FILES, "--cut", "dice").splitlines()[2].split() == ["id", "cluster"]


def test_clusters_at_a_threshold_of_ones_own():
    by_name, at = (run("sweep", *FILES, "--cut", cut, "--format", "csv") for cut in ("dice", "0.67"))
    assert by_name.stdout == at.stdout
    clusters = len({line.split(",")[1] for line in at.stdout.splitlines()[1:]})
    taken, cut = at.stderr.splitlines()
    assert taken.startswith("clustermark: taking column 'entity' as the truth")
    assert cut == f"clustermark: cut at 0.67: 1,848 records in {clusters:,} clusters"
    assert by_name.stderr.splitlines() == [taken, cut.replace("0.67:", "0.67 by dice:")]
    assert not run("sweep", *FILES, "--cut", "0.67", "--format", "csv", "-q").stderr
    assert "must be a number" in run("sweep", *FILES, "--cut", "nan").stderr


def test_the_curves(tmp_path):
    lines = result("sweep", *FILES, "-i", "dice", "--format", "csv").splitlines()
    assert lines[0] == "threshold,dice"
    assert lines[1] == "inf,0.0"
    truth = write_csv(tmp_path / "truth.tsv", "id\tlabel", [("1\tx",), ("2\tx",), ("3\ty",)])
    pairs = write_csv(tmp_path / "pairs.csv", "p,l,r", [(0.1, 1, 2), (0.9, 2, 3)])
    options = ("--left", "l", "--right", "r", "--score", "p", "--distance", "-i", "dice", "--format", "csv")
    near = result("sweep", str(truth), str(pairs), *options)
    assert near.splitlines()[1:] == ["-inf,0.0", "0.1,1.0", "0.9,0.5"]


def test_sources(tmp_path):
    head = "match_probability,source_dataset_l,unique_id_l,source_dataset_r,unique_id_r"
    rows = [(0.9, "x", 1, "y", 1), (0.8, "x", 1, "x", 2), (0.7, "x", 2, "y", 2)]
    pairs = write_csv(tmp_path / "pairs.csv", head, rows)
    labels = [("x", 1, "p"), ("x", 2, "p"), ("y", 1, "p"), ("y", 2, "q")]
    truth = write_csv(tmp_path / "truth.csv", "source_dataset,unique_id,entity", labels)
    curve = result("sweep", truth, pairs, "--link-only", "-i", "dice", "--format", "csv")
    assert curve.splitlines() == ["threshold,dice", "inf,0.0", f"0.9,{2 / 3}", "0.8,1.0", f"0.7,{2 / 3}"]
    told = json.loads(result("sweep", truth, pairs, "--cut", "dice", "--format", "json"))
    assert told["rows"][-1] == {"source_dataset": "y", "unique_id": "2", "cluster": ["y", "2"]}
    result("sweep", truth, pairs, "--cut", "dice", "-o", str(tmp_path / "found.csv"))
    found = (tmp_path / "found.csv").read_text(encoding="utf-8").splitlines()
    assert (found[0], found[-1]) == ("source_dataset,unique_id,cluster", 'y,2,"[""y"", ""2""]"')
    joined = ("--on", "source_dataset", "--on", "unique_id", "-i", "rand", "--format", "csv")
    assert ",1.0," in result("score", truth, str(tmp_path / "found.csv"), *joined)
    table = result("sweep", truth, pairs, "--cut", "dice").splitlines()[2].split()
    assert table == ["source_dataset", "unique_id", "cluster"]


def test_pages_and_tables(tmp_path):
    result("sweep", *FILES, "-i", "dice", "-i", "b_cubed_f", "-o", str(tmp_path / "page.html"))
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Cut at 0.67" in page
    assert "scored_pairs.csv" in page
    result("sweep", *FILES, "-i", "dice", "-o", str(tmp_path / "table.tex"))
    assert "0.67 & 0.9329" in (tmp_path / "table.tex").read_text(encoding="utf-8")


def test_counts(tmp_path):
    truth = write_csv(tmp_path / "truth.csv", "id,label,n", [(1, "x", 2), (2, "x", 1), (3, "y", 5)])
    pairs = write_csv(tmp_path / "pairs.csv", "l,r,p", [(1, 2, 0.9), (2, 3, 0.1)])
    lines = result("sweep", truth, pairs, "--counts", "n", "-i", "dice", "--format", "csv").splitlines()
    assert lines[1] == f"inf,{2 * 11 / (11 + 13)}"  # pairs of copies are together at any threshold
    assert lines[2] == "0.9,1.0"
    assert "lost" not in result("sweep", truth, pairs, "--counts", "n", "-i", "dice")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--interval", "--format", "csv"), "--cost and --interval add to text, JSON and pages"),
        (("--cost", "5"), "--cost '5' must be two costs"),
        (("--cost=-1:1",), "--cost '-1:1' must be two costs"),
        (("--cost", "nan:1"), "--cost 'nan:1' must be two costs"),
        (("--link-only",), "--link-only needs ids of two parts"),
        (("-i", "all"), "-i all is not for sweeps"),
        (("--score", "probability"), "--score probability is not one of its columns"),
        (("--true", "name"), "--true name is not one of its columns"),
        (("--max-pairs", "10"), "more than --max-pairs 10"),
        (("--precision", "2"), "0<=x<=1"),
        (("--cut", "dice", "--interval"), "--cut writes clusters alone"),
        (("--interval", "--seed", "-1"), "--seed -1 must be a whole number, 0 or more"),
    ],
)
def test_mistakes(arguments, message):
    done = run("sweep", *FILES, *arguments)
    assert done.returncode == 2
    assert message in done.stderr


def test_columns_that_nobody_named_are_told():
    guessed = "column 'left' as the first id, column 'right' as the second, column 'similarity' as the score"
    said = f"clustermark: taking column 'entity' as the truth, {guessed}\n"
    assert run("sweep", *FILES, "-i", "dice").stderr == said
    assert "taking column 'left' as the first id, column 'right' as the second\n" in (
        run("sweep", *FILES, "--true", "entity", "--score", "similarity", "-i", "dice").stderr
    )
    assert run("sweep", *FILES, "-i", "dice", "-q").stderr == ""


def test_a_column_that_is_named_twice(tmp_path):
    truth = write_csv(tmp_path / "truth.csv", "id,label", [(1, "x"), (2, "x")])
    pairs = write_csv(tmp_path / "pairs.csv", "l,r,s", [(1, 2, 0.9)])
    said = " ".join(mistake("sweep", truth, pairs, "--left", "r", "--right", "r", "--score", "s").split())
    assert "column 'r' is named twice, and --left, --right and --score are three columns" in said


def test_a_page_has_the_operating_points_that_are_asked_for(tmp_path):
    asked = ("--interval", "--cost", "3:1", "--precision", "0.97", "--at", "0.5")
    result("sweep", *FILES, "-i", "dice", *asked, "-o", str(tmp_path / "sweep.html"))
    page = (tmp_path / "sweep.html").read_text()
    rows = ("the threshold that was asked for", "pair precision of at least 0.97", "a false pair 3 and a lost one 1")
    assert all(row in page for row in rows)
    assert "without the optimism" in page
    result("sweep", *FILES, "-i", "dice", "-o", str(tmp_path / "plain.html"))
    assert not any(row in (tmp_path / "plain.html").read_text() for row in rows)
