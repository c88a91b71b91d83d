"""evaluate_soft: its panel, what it shows and writes, and memberships that are columns of files and frames."""

from __future__ import annotations

import json

import numpy as np
import pytest

import clustermark as cm
from clustermark.subjects.soft_clusterings import SoftLimits
from needs import need
from program import write_csv

U = np.array([(0.9, 0.1, 0), (0.75, 0.125, 0.125), (0.25, 0.5, 0.25), (0.0, 0.5, 0.5)])
V = np.array([(0.75, 0.25), (1.0, 0.0), (0.5, 0.5), (0.25, 0.75)])
LABELS = ["x", "x", "y", "z"]
IDS = [11, 12, 13, 14]
EXPECTED = cm.evaluate_soft(U, V).to_dict()


@pytest.mark.slow
def test_the_panel_and_what_is_written():
    scores = cm.evaluate_soft(U, V)
    assert list(scores) == ["fuzzy_rand", "adjusted_concordance", "frobenius_adjusted_rand", "soft_nmi"]
    assert scores["FARI"] == cm.frobenius_adjusted_rand(U, V)
    document = json.loads(scores.to_json())
    need("jsonschema").validate(document, cm.json_schema())
    assert (document["subject"], document["points"]["used"], document["clusters"]) == (
        "soft",
        4,
        {"true": 3, "pred": 2},
    )
    assert "fuzzy_rand" in scores.to_html()
    assert "partition_coefficient" not in cm.evaluate_soft(U, V, "all")  # which is of one clustering
    assert cm.evaluate_soft(U, LABELS).headline.endswith("against 3 hard clusters")


def test_too_many_pairs_are_left_out_and_said(monkeypatch):
    monkeypatch.setattr(cm.SoftPair, "limits", SoftLimits(sorted_pairs=5))
    scores = cm.evaluate_soft(U, V)
    assert "adjusted_concordance" not in scores
    assert "left out: adjusted_concordance: U and V: 4 items have 6 pairs" in repr(scores)
    with pytest.raises(KeyError, match="adjusted_concordance was left out"):
        scores["ACI"]
    with pytest.raises(cm.InputError, match="the limit is 5"):
        cm.evaluate_soft(U, V, ["ACI"])


def test_many_items_are_not_compared_pair_by_pair_unless_asked(monkeypatch):
    monkeypatch.setattr(cm.SoftPair, "limits", SoftLimits(items=3))
    for choice, kept in ((None, 2), ("all", 6)):
        scores = cm.evaluate_soft(U, V, choice)
        assert list(scores.refused) == ["fuzzy_rand", "adjusted_concordance"]
        assert len(scores) == kept
    assert "left out: fuzzy_rand, adjusted_concordance: it compares every two of 4 items; name it" in repr(scores)
    assert cm.evaluate_soft(U, V, ["fuzzy_rand"])["fuzzy_rand"] == EXPECTED["fuzzy_rand"]
    assert len(cm.evaluate_soft(LABELS, LABELS)) == 4  # hard ones are counted, not compared


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    here = tmp_path_factory.mktemp("soft")
    both = [(i, *u, *v, label) for i, u, v, label in zip(IDS, U, V, LABELS, strict=True)]
    write_csv(here / "both.csv", "id,t0,t1,t2,p0,p1,label", both)
    write_csv(here / "truth.csv", "id,t0,t1,t2", [row[:4] for row in both])
    write_csv(here / "pred.csv", "id,p0,p1", [(row[0], *row[4:6]) for row in both[::-1]])
    return here


@pytest.mark.slow
def test_columns_of_one_file(files):
    found = cm.evaluate_soft(files / "both.csv", true="t*", pred=["p0", "p1"])
    assert found.to_dict() == pytest.approx(EXPECTED, rel=1e-12)
    hard = cm.evaluate_soft(files / "both.csv", true="t*", pred="label")
    assert hard.to_dict() == pytest.approx(cm.evaluate_soft(U, LABELS).to_dict(), rel=1e-12)


@pytest.mark.parametrize("library", ["file", "pandas", "polars"])
def test_one_column_of_memberships_is_no_labeling(tmp_path, library):
    columns = {"t1": [0.5, 0.2, 1.0], "p0": [0.5, 1.0, 0.25], "p1": [0.5, 0.0, 0.75], "code": [1, 2, 2]}
    if library == "file":
        source = write_csv(tmp_path / "s.csv", ",".join(columns), zip(*columns.values(), strict=True))
    else:
        source = need(library).DataFrame(columns)
    for sides in ({"true": "t1", "pred": "p*"}, {"true": "p*", "pred": "t1"}):
        with pytest.raises(cm.InputError, match=r"column 't1' holds 0\.5, which is no label but a membership"):
            cm.evaluate_soft(source, **sides)
    assert len(cm.evaluate_soft(source, true="code", pred="p*")) == 4


def test_two_files_joined_by_id_and_by_row(files):
    found = cm.evaluate_soft(files / "truth.csv", files / "pred.csv", on="id")
    assert found.to_dict() == pytest.approx(EXPECTED, rel=1e-12)
    by_row = cm.evaluate_soft(files / "truth.csv", files / "pred.csv", true="t*", pred="p*")
    assert by_row.to_dict() == pytest.approx(cm.evaluate_soft(U, V[::-1]).to_dict(), rel=1e-12)


def test_ids_of_a_text_file_are_those_of_a_frame(files):
    frame = need("pandas").DataFrame({"id": IDS[::-1], "p0": V[::-1, 0], "p1": V[::-1, 1]})
    found = cm.evaluate_soft(files / "truth.csv", frame, on="id")
    assert found.to_dict() == pytest.approx(EXPECTED, rel=1e-12)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames(library):
    frames = need(library)
    frame = frames.DataFrame({f"t{k}": U[:, k] for k in range(3)} | {f"p{k}": V[:, k] for k in range(2)})
    assert cm.evaluate_soft(frame, true="t*", pred="p*").to_dict() == pytest.approx(EXPECTED, rel=1e-12)
    one, other = frame[["t0", "t1", "t2"]], frame[["p0", "p1"]]
    assert cm.evaluate_soft(one, other).to_dict() == pytest.approx(EXPECTED, rel=1e-12)


def test_mistakes(files, tmp_path):
    truth, pred = files / "truth.csv", files / "pred.csv"
    twice = write_csv(tmp_path / "twice.csv", "id,p0,p1", [(11, 1, 0), (11, 1, 0), (13, 1, 0), (14, 1, 0)])
    other = write_csv(tmp_path / "other.csv", "id,p0,p1", [(11, 1, 0), (12, 1, 0), (13, 1, 0), (99, 1, 0)])
    more = write_csv(tmp_path / "more.csv", "id,p0,p1", [*((i, 1, 0) for i in IDS), (99, 1, 0)])
    holes = write_csv(tmp_path / "holes.csv", "p0,p1", [(1, 0), ("", 1), (1, 0), (1, 0)])
    gaps = write_csv(tmp_path / "gaps.csv", "label,p1", [("a", 0), ("", 1), ("b", 0), ("b", 0)])
    for call, said in (
        (lambda: cm.evaluate_soft(truth), "true= and pred= must name the columns of both sides"),
        (lambda: cm.evaluate_soft(files / "both.csv", true="t*", pred="p*", on="id"), "on= joins two sources"),
        (lambda: cm.evaluate_soft(truth, pred, on="key"), "there is no column 'key' with ids"),
        (lambda: cm.evaluate_soft(truth, pred, true="q*"), "no column is called 'q[*]'; there are id, t0"),
        (lambda: cm.evaluate_soft(truth, twice, on="id"), r"twice.csv has the id '11' in several rows"),
        (lambda: cm.evaluate_soft(truth, other, on="id"), "the sides have different ids, such as '14'"),
        (lambda: cm.evaluate_soft(truth, more, on="id"), r"such as '99'; .*truth.csv has 4 and .*more.csv has 5"),
        (lambda: cm.evaluate_soft(truth, holes, true="t*"), r"holes.csv\[1, 0\] is nan"),
        (lambda: cm.evaluate_soft(truth, gaps, true="t*", pred="label"), "column 'label' has no label in row 1"),
        (
            lambda: cm.evaluate_soft(files / "both.csv", true="t*", pred=["label", "p0"]),
            "column 'label' contains '[^']+', which is no number",
        ),
        (lambda: cm.evaluate_soft(U, V, true="t*"), "true= is for columns of files and data frames"),
        (lambda: cm.evaluate_soft(U), "prediction is missing"),
        (lambda: cm.evaluate_soft(U, V, ["jaccard"]), r"jaccard is not computed from a SoftPair\(U, V\)"),
    ):
        with pytest.raises(cm.InputError, match=said):
            call()
