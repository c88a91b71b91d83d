"""evaluate_covers: a panel, clusters beside their counterparts, what it shows and reads."""

from __future__ import annotations

import json

import pytest

import clustermark as cm
from clustermark.subjects.cover_tables import CoverLimits
from needs import need

TRUE, PRED = [{0, 1, 2, 3}, {3, 4, 5, 6}], [{0, 1, 2}, {2, 3, 4}, {4, 5, 6}]


def texts_of(evaluation):
    return [notice.text for notice in evaluation.notices]


def test_the_panel():
    scores = cm.evaluate_covers(TRUE, PRED)
    panel = [
        index for index in cm.catalogue("covers")
        if any(use.facts.panel for use in index.uses if use.comparison.name == "covers")
    ]  # fmt: skip
    covers = cm.Cover(TRUE), cm.Cover(PRED)
    assert dict(scores) == {index.name: index(*covers) for index in panel}
    assert {"omega", "onmi", "extended_b_cubed_f", "average_f1", "element_centric"} < set(scores)
    assert scores["EB3F"] == scores[cm.extended_b_cubed_f]
    assert "onmi_lfk" not in scores
    assert len(cm.evaluate_covers(TRUE, PRED, "all")) == len(cm.catalogue("covers"))
    assert list(cm.evaluate_covers(TRUE, PRED, ["onmi(average='min')", cm.omega])) == ["onmi(average='min')", "omega"]
    with pytest.raises(cm.InputError, match="jaccard is not computed from a CoverTable"):
        cm.evaluate_covers(TRUE, PRED, ["jaccard"])
    with pytest.raises(cm.InputError, match="omega"):
        cm.evaluate([0, 0, 1], [0, 1, 1], ["omega"])


def test_what_takes_too_long_is_left_out(monkeypatch):
    monkeypatch.setattr(cm.CoverTable, "limits", CoverLimits(connected=1))
    scores = cm.evaluate_covers(TRUE, PRED)
    assert "2 clusters are connected" in scores.refused["element_centric"]
    assert "element_centric" not in scores
    with pytest.raises(cm.UnsupportedTableError):
        cm.evaluate_covers(TRUE, PRED, ["element_centric"])


def test_clusters_beside_their_counterparts():
    scores = cm.evaluate_covers({"a": [0, 1, 2, 3], "b": [3, 4, 5, 6], "c": [8, 9]}, PRED)
    worst, *others = scores.clusters()
    assert worst == ("c", 2, None, 0, 0, 0.0)
    assert [tuple(row) for row in others] == [("a", 4, 0, 3, 3, 0.75), ("b", 4, 2, 3, 3, 0.75)]
    assert [row.label for row in scores.clusters("pred")] == [1, 0, 2]
    assert scores.clusters("pred")[0] == (1, 3, "a", 4, 2, 0.4)
    with pytest.raises(cm.InputError, match="side='truth' is not known; choose 'true' or 'pred'"):
        scores.clusters("truth")


def test_what_it_shows():
    scores = cm.evaluate_covers([*TRUE, [], [0, 0]], [*PRED, {"<b>"}], items=[*range(9), "<b>"])
    notes = [
        "in no cluster of the truth: 3 of 10 items",
        "left out: 1 cluster of the truth without items",
        "counted once: 1 repeated member of clusters of the truth",
        "in no cluster of the prediction: 2 of 10 items",
    ]
    assert texts_of(scores) == notes
    assert all(f"note: {note}" in repr(scores) for note in notes)
    assert all(note in scores._repr_html_() for note in notes)
    document = json.loads(scores.to_json())
    need("jsonschema").validate(document, cm.json_schema())
    assert [notice["text"] for notice in document["notices"]] == notes
    assert document["clusters"] == {"true": 3, "pred": 4}
    with pytest.raises(need("jsonschema").ValidationError):
        need("jsonschema").validate({**document, "uncovered": 3}, cm.json_schema())
    assert need("pandas").DataFrame(scores.to_dict(), index=[0]).loc[0, "omega"] == scores["omega"]
    assert scores.to_csv().startswith("index,title,score,low,high,higher_is_better,family\n")
    dropped = cm.evaluate_covers(TRUE, [*PRED, {7}], unmatched="drop")
    assert texts_of(dropped) == ["left out: 0 items that only the truth has, 1 that only the prediction has"]
    few = cm.evaluate_covers([set(range(30))], [set(range(29, 60))])
    assert "Only 1 of the 30 ids" in few.notices[0].text


def test_frames_and_files(tmp_path):
    pandas, polars, pa = need("pandas"), need("polars"), need("pyarrow")
    need("duckdb")
    rows = [(item, name) for name, cluster in zip("ab", TRUE, strict=True) for item in sorted(cluster)]
    columns = {"item": [item for item, _ in rows], "cluster": [name for _, name in rows]}
    expected = dict(cm.evaluate_covers(TRUE, PRED))
    polars.DataFrame(columns).write_parquet(tmp_path / "truth.parquet")
    polars.DataFrame(columns).write_csv(tmp_path / "truth.csv")
    polars.DataFrame(columns).write_ndjson(tmp_path / "truth.jsonl")
    sources = pandas.DataFrame(columns), polars.DataFrame(columns), pa.table(columns)
    for source in (*sources, *(tmp_path / f"truth.{ending}" for ending in ("parquet", "csv", "jsonl"))):
        assert dict(cm.evaluate_covers(source, PRED)) == expected
        assert dict(cm.evaluate_covers(PRED, source, items=range(7))) == dict(cm.evaluate_covers(PRED, TRUE))
        assert [set(map(int, cluster)) for cluster in cm.Cover(source).to_dict().values()] == TRUE
    texts = [{"0", "1"}, {2}]
    with pytest.raises(cm.InputError, match=r"no item occurs on both sides: .*truth.csv has items such as '0'"):
        cm.evaluate_covers(tmp_path / "truth.csv", [{0.5 + 7.5, "x"}])
    assert cm.evaluate_covers(tmp_path / "truth.csv", texts).subject.n_unmatched == (5, 1)  # 2 is no text here
    renamed = pandas.DataFrame(columns).rename(columns={"item": "node", "cluster": "group"})
    both = cm.evaluate_covers(sources[0], renamed, item=("item", "node"), cluster=("cluster", "group"))
    assert both["omega"] == 1.0
    for call, said in (
        (lambda: cm.evaluate_covers(TRUE, PRED, item=3), "item=3 must be the name of a column, or two"),
        (lambda: cm.evaluate_covers(TRUE, sources[0][:0]), "the prediction has no clusters: the DataFrame of the pred"),
        (
            lambda: cm.Cover(renamed),
            "^the DataFrame of the cover: there is no column 'item' with items; there are node, group",
        ),
        (lambda: cm.Cover(renamed, item="node"), "there is no column 'cluster' with clusters"),
        (lambda: cm.evaluate_covers(renamed, PRED, item=("a", "b", "c")), "must be the name of a column, or two"),
        (lambda: cm.Cover(pandas.DataFrame({"item": [1, None], "cluster": [1, 1]})), "have no id"),
    ):
        with pytest.raises(cm.InputError, match=said):
            call()
    lone = cm.Cover(pandas.DataFrame({"item": ["a", "b", "c"], "cluster": ["x", None, "x"]}))
    assert (lone.n, lone.k, lone.n_uncovered) == (3, 1, 1)


def test_no_clusters_are_said():
    lone = need("pandas").DataFrame({"item": [0, 1], "cluster": [None, None]})
    for nobody in (cm.Cover([], items=range(7)), lone):
        assert texts_of(cm.evaluate_covers(TRUE, nobody)) == ["the prediction has no clusters"]
