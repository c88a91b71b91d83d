"""One class and one loop of scores, whatever is scored: what holds for all kinds of subjects."""

from __future__ import annotations

import json

import pytest

import clustermark as cm
from needs import need

TREES = [[0, 1], [2, [3, 4]]], [[0, 1, 2], [3, 4]]
MAKERS = {
    "partitions": lambda **how: cm.evaluate([0, 0, 1, 1, -1], [0, 0, 1, 2, 2], **how),
    "points": lambda **how: cm.evaluate_internal([[0, 0], [0, 1], [5, 5], [5, 6]], [0, 0, 1, -1], **how),
    "covers": lambda **how: cm.evaluate_covers([{0, 1, 2}, {2, 3}, []], [{0, 1}, {1, 2, 3}, {9}], **how),
    "trees": lambda **how: cm.evaluate_trees(*TREES, **how),
    "soft": lambda **how: cm.evaluate_soft([[0.9, 0.1], [0.8, 0.2], [0.1, 0.9]], [0, 0, 1], **how),
}
NAMED = {
    "partitions": "jaccard",
    "points": "davies_bouldin",
    "covers": "omega",
    "trees": "robinson_foulds",
    "soft": "soft_nmi",
}


@pytest.fixture(params=MAKERS)
def kind(request) -> str:
    return request.param


@pytest.fixture
def evaluation(kind) -> cm.Evaluation:
    with pytest.warns(cm.NoiseWarning) if kind in ("partitions", "points") else pytest.MonkeyPatch.context():
        return MAKERS[kind]()


def test_it_is_a_mapping(kind, evaluation):
    assert isinstance(evaluation, cm.Evaluation)
    name, default = NAMED[kind], object()
    other = NAMED["soft" if kind == "covers" else "covers"]
    for unknown in ("nonsense", other, 3):
        assert evaluation.get(unknown, default) is default
        assert unknown not in evaluation
        with pytest.raises(KeyError):
            evaluation[unknown]
    assert evaluation.get(name) == evaluation[name] == evaluation[cm.find(name)] == dict(evaluation)[name]
    assert evaluation.to_dict() == {index.label: index.of(evaluation.subject) for index in evaluation.indices}


def test_an_index_of_another_kind_is_refused_with_the_function_that_scores_it(kind):
    for other, name in NAMED.items():
        if other != kind:
            with pytest.raises(cm.InputError, match=f"{name} is not computed from .*, but from .*, which evaluate"):
                MAKERS[kind](indices=[name])


def test_every_medium_has_scores_and_notices(kind, evaluation):
    name = NAMED[kind]
    for text in (repr(evaluation), evaluation.to_html(), evaluation.to_markdown(), evaluation.to_csv()):
        assert name in text
    assert evaluation.to_latex().count("\\\\\n") == 1 + len(evaluation)
    document = json.loads(evaluation.to_json())
    assert (document["kind"], document["subject"]) == ("evaluation", kind)
    need("jsonschema").validate(document, cm.json_schema())
    assert document["scores"][name]["value"] == evaluation[name]
    assert document["verdict"] == evaluation.verdict
    assert document["headline"] == evaluation.headline == repr(evaluation).splitlines()[0]
    assert [notice["text"] for notice in document["notices"]] == [notice.text for notice in evaluation.notices]
    assert bool(evaluation.notices) == (kind in ("partitions", "points", "covers"))
    assert all(notice.kind and f"note: {notice.text}" in repr(evaluation) for notice in evaluation.notices)
    assert evaluation.signature(name).startswith(f"{name}|n_given:")


def test_keys_of_json_are_alike(kind, evaluation):
    common = {"kind", "schema", "version", "subject", "headline", "points", "clusters", "notices", "settings"}
    assert common | {"verdict", "scores", "refused"} <= json.loads(evaluation.to_json()).keys()
    points = evaluation.record.points
    assert [*points] == ["given", "used", "noise", "dropped", "unmatched"]
    assert evaluation.n_given == points["used"] + points["dropped"] or kind == "covers"


def test_read_back_from_json(kind, evaluation, tmp_path):
    evaluation.write_json(tmp_path / "scores.json")
    for again in (cm.read_evaluation(tmp_path / "scores.json"), type(evaluation).from_json(evaluation.to_json())):
        assert again == evaluation
        assert again.to_json() == evaluation.to_json()
        assert (repr(again), again.notices, again.refused) == (repr(evaluation), evaluation.notices, evaluation.refused)
        with pytest.raises(cm.InputError, match="was read from JSON"):
            _ = again.subject
        with pytest.raises(cm.InputError, match="was read from JSON"):
            _ = again.indices
    other = cm.SoftEvaluation if kind != "soft" else cm.CoverEvaluation
    with pytest.raises(cm.InputError, match=f"an evaluation of {kind}; read it by"):
        other.from_json(evaluation.to_json())


def test_views_are_where_the_subject_has_them():
    views = {
        "partitions": {"table", "splits", "merges", "clusters", "overlap_map", "interval", "n_true_clusters"},
        "points": {"silhouettes", "clusters"},
        "covers": {"clusters"},
        "trees": {"curve"},
        "soft": set(),
    }
    every = set().union(*views.values())
    for kind, make in MAKERS.items():
        with pytest.warns(cm.NoiseWarning) if kind in ("partitions", "points") else pytest.MonkeyPatch.context():
            made = make()
        assert {name for name in every if name in dir(made)} == views[kind]


def test_every_kind_has_a_page(kind, evaluation, tmp_path):
    need("matplotlib")
    page = evaluation.report("A <b> title")
    assert "A &lt;b&gt; title" in page
    assert cm.find(NAMED[kind]).title in page
    assert all(notice.text.split("'")[0] in page for notice in evaluation.notices)
    evaluation.write_report(tmp_path / "page.html", "A <b> title")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page


def test_names_of_clusters_are_escaped_on_the_page_of_covers():
    hostile = "<script>alert(1)</script>"
    page = cm.evaluate_covers({hostile: [1, 2], "b": [2, 3]}, {"x": [1, 2], hostile: [3]}).report()
    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert(1)" not in page


def test_the_table_of_scores(evaluation):
    table = evaluation.tables()["scores"]
    assert table.to_dict()["index"] == list(evaluation)
    assert table.to_csv() == evaluation.to_csv()


def test_a_refused_index_says_why():
    scores = cm.evaluate([0, 0, 1], [0, 1, 1], "all")
    with pytest.raises(KeyError, match="was left out: it may have to draw random tables"):
        scores["standardized_mutual_information"]


def test_progress_that_fails_is_no_reason_to_leave_an_index_out():
    data = [[0.0], [1.0], [3.0]], [0, 0, 1]
    with pytest.raises(cm.InputError, match="progress: the function divides by 0"):
        cm.evaluate_internal(*data, progress=lambda share: 1 / 0)


def test_an_estimate_that_is_undefined_follows_the_rule_of_the_index():
    X, one = [[0.0], [1.0], [3.0]], [0, 0, 0]
    assert cm.evaluate_internal(X, one, ["silhouette"], sample=2)["silhouette"] == cm.silhouette(X, one)
    free = cm.silhouette.when_undefined(0.25)
    assert cm.evaluate_internal(X, one, [free], sample=2)[free] == 0.25
    with pytest.raises(cm.UndefinedIndexError):
        cm.evaluate_internal(X, one, [cm.silhouette.strict], sample=2)
