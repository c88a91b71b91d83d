"""evaluate(): one table, all scores, looked up and shown."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import numpy as np
import pytest

import clustermark as cm
from clustermark.diagnosis import ClusterRow

TRUE, PRED = [0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2]


def test_the_panel_by_default():
    scores = cm.evaluate(TRUE, PRED)
    assert list(scores) == [index.name for index in cm.catalogue() if index.panel]
    assert scores.refused == {}
    assert dict(cm.evaluate_table(cm.crosstab(TRUE, PRED))) == dict(scores)
    weighted = cm.evaluate(TRUE, PRED, weights=[1, 2, 3, 4, 5, 6])
    assert weighted.refused
    assert all(cm.find(name).panel for name in weighted.refused)


def test_all_indices():
    scores = cm.evaluate(TRUE, PRED, "all")
    assert list(scores) == [index.name for index in cm.catalogue() if not index.may_sample]
    assert set(scores.refused) == {"standardized_mutual_information"}
    assert cm.evaluate(TRUE, PRED, ["SMI"])["SMI"] == cm.standardized_mutual_information(TRUE, PRED)
    for index in scores.indices:
        assert scores[index.name] == index(TRUE, PRED)
        assert type(scores[index.name]) is float


def test_lookup_by_any_name():
    scores = cm.evaluate(TRUE, PRED, ["jaccard", "f_measure(beta=2)", cm.rand])
    assert scores["JS"] == scores["tanimoto"] == 0.4
    assert scores["f_measure(beta=2)"] == cm.f_measure(TRUE, PRED, beta=2)
    assert scores["rand()"] == scores["rand"]
    for other in ("f_measure", "f_measure(beta=3)", "f_measure(beta=1)"):
        assert other not in scores
    assert "rand" in scores
    assert "adjusted_rand" not in scores
    assert "no such index" not in scores
    with pytest.raises(KeyError, match="adjusted_rand was not evaluated"):
        scores["ARI"]
    assert len(scores) == 3


def test_lookup_of_variants():
    scores = cm.evaluate([0, 1, 2], [0, 1, 2], [cm.jaccard, cm.jaccard.when_undefined(0.5), "JS", "jaccard"])
    assert dict(scores) == {"jaccard": 0.0, "jaccard.when_undefined(0.5)": 0.5}
    assert scores[cm.jaccard.when_undefined(0.5)] == 0.5
    assert scores["jaccard"] == 0.0
    both = cm.evaluate(TRUE, PRED, ["f_measure(beta=2)", "f_measure(beta=3)"])
    assert both["f_measure( beta = 2 )"] == both["permetrics:FS(beta=2)"] == both["f_measure(beta=2)"]
    with pytest.raises(KeyError, match="f_measure was not evaluated"):
        both["f_measure"]
    plain = cm.evaluate(TRUE, PRED, "all")
    assert plain["f_measure(beta=1)"] == plain["f_measure"]
    for other in ("f_measure(beta=2)", "aricode:NMI", "tversky(alpha=0.3)"):
        assert other not in plain
    assert both.get("nope") is None
    assert both.get("rand", 7) == 7
    with pytest.raises(KeyError, match="no index is called"):
        both["nope"]


@pytest.mark.parametrize("indices", [42, [None], [42], [len], ["f_measure(beta={[]:1})"], [["jaccard"]]])
def test_what_is_no_index(indices):
    with pytest.raises(ValueError, match=r"ind(ex|ices)"):
        cm.evaluate(TRUE, PRED, indices)


def test_labels_and_tables_have_a_function_each():
    table = cm.crosstab(TRUE, PRED)
    with pytest.raises(ValueError, match="evaluate_table"):
        cm.evaluate(table, ["jaccard"])
    with pytest.raises(ValueError, match="evaluate_table takes a table"):
        cm.evaluate_table(TRUE, ["jaccard"])
    assert dict(cm.evaluate_table(table, ["jaccard"])) == {"jaccard": 0.4}


def test_names_in_an_array():
    assert set(cm.evaluate(TRUE, PRED, np.array(["jaccard", "dice"]))) == {"jaccard", "dice"}


def test_clusters():
    rows = cm.evaluate(["a", "a", "b", "b", "c", "c"], [0, 0, 1, 1, 1, 2], ["jaccard"]).clusters
    assert [row.cluster for row in rows] == [0, 1, 2]
    assert rows[1]._replace(concentration=0, jci=0) == ClusterRow(
        cluster=1,
        size=3,
        share=0.5,
        best_match="b",
        overlap=2,
        best_match_size=2,
        precision=2 / 3,
        recall=1.0,
        jaccard=2 / 3,
        concentration=0,
        jci=0,
        counterparts=2,
        pairs_lost=2,
        bcubed=5 / 9,
        verdict="mixed",
    )
    full = cm.jaccard_concentration_index([0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2], return_all=True)["cluster_results"]
    assert [row.jci for row in rows] == [result["score"] for result in full]


def test_one_index():
    assert dict(cm.evaluate(TRUE, PRED, "JS")) == {"jaccard": 0.4}
    assert dict(cm.evaluate(TRUE, PRED, cm.jaccard)) == {"jaccard": 0.4}


def test_to_dict_is_the_scores():
    scores = cm.evaluate(TRUE, PRED, ["jaccard", "f_measure(beta=2)"], noise_pred={2: "drop"})
    assert scores.to_dict() == dict(scores) == {"jaccard": 0.5, "f_measure(beta=2)": scores["FmS(beta=2)"]}


def test_text():
    text = str(cm.evaluate(TRUE, PRED, ["jaccard", "tau"], noise_pred={2: "drop"}))
    assert text.splitlines() == [
        "5 points, 3 true and 2 predicted clusters + 1 noise; 1 dropped",
        "note: Scored on 83.3% of the points (5 of 6): 1 was dropped as noise.",
        "index       score  range    better",
        "jaccard  0.500000  [0, 1]   higher",
        "tau      0.670820  [-1, ∞)  higher",
    ]


def test_html_escapes():
    html = cm.evaluate(TRUE, PRED, ["jaccard"])._repr_html_()
    assert html.startswith("<p><strong>Weak agreement")  # the verdict comes first
    assert "<table><caption>6 points" in html
    assert re.search(
        r'>jaccard</td><td style="text-align:left">Jaccard index of pairs</td>'
        r'<td style="text-align:right;[^"]*">0.400000</td>',
        html,
    )
    weird = cm.evaluate(TRUE, PRED)
    weird.refused["<script>"] = "<b>"
    assert "<script>" not in weird._repr_html_()


def test_a_named_index_that_refuses_is_an_error():
    with pytest.raises(cm.UnsupportedTableError, match="rand cannot leave noise"):
        cm.evaluate(TRUE, PRED, ["rand"], noise_pred={2: "unscored"})


def test_weights():
    weighted = cm.evaluate(TRUE, PRED, "all", weights=[1, 2, 3, 4, 5, 6])
    assert weighted["pair_recall"] == pytest.approx((1 * 2 + 3 * 4) / (1 * 2 + 3 * 4 + 5 * 6))
    assert "mcnemar has no meaning with real weights" in weighted.refused["mcnemar"]


@pytest.mark.parametrize(
    ("true", "pred", "options", "sentence"),
    [
        ([0], [0], {}, "There is only one point, so there is nothing to disagree on."),
        (
            [0, 1], [1, 0], {},
            "The two clusterings are identical: every point has a cluster of its own, so no two are together.",
        ),
        ([0, 0], [1, 1], {}, "The two clusterings are identical: both put all points into one cluster."),
        (
            [0, 0, 1], [5, 5, 6], {"weights": [1, 2.5, 1]},
            "The two clusterings are identical: all 2 true clusters are found exactly.",
        ),
        (
            [0, 0, 1, 1], [0, 0, 0, 0], {},
            "No agreement beyond chance (adjusted Rand 0.00): no true cluster is found exactly; "
            "the prediction puts all points into one cluster.",
        ),
        (
            [0, 0, 0], [0, 0, 1], {},
            "No agreement beyond chance (adjusted Rand 0.00): the only true cluster is not found exactly; "
            "the truth puts all points into one cluster.",
        ),
        (
            [0, 0, 1, 1], [0, 1, 2, 3], {},
            "No agreement beyond chance (adjusted Rand 0.00): no true cluster is found exactly; "
            "the prediction gives every point a cluster of its own.",
        ),
        (
            TRUE, PRED, {},
            "Weak agreement (adjusted Rand 0.44): 1 of 3 true clusters is found exactly; "
            "true clusters are broken up and mixed alike (pair precision 0.50, recall 0.67).",
        ),
        (
            TRUE, [0, 0, 1, 1, 1, 1], {},
            "Weak agreement (adjusted Rand 0.44): 1 of 3 true clusters is found exactly; "
            "the only problem is merging: predicted clusters put true ones together "
            "(pair precision 0.43, recall 1.00).",
        ),
        (
            TRUE, [0, 0, 1, 1, 2, 3], {},
            "Good agreement (adjusted Rand 0.76): 2 of 3 true clusters are found exactly; "
            "the only problem is splitting: true clusters are broken up (pair precision 1.00, recall 0.67).",
        ),
        (
            [0] * 50 + [1] * 50, [0] * 50 + [1] * 49 + [0], {},
            "Very good agreement (adjusted Rand 0.96): no true cluster is found exactly, but 2 nearly (Jaccard ≥ 0.9); "
            "true clusters are broken up and mixed alike (pair precision 0.98, recall 0.98).",
        ),
        (
            [0] * 9 + [1] * 9 + [2] * 5, [0] * 18 + [2] * 4 + [3], {},
            "Weak agreement (adjusted Rand 0.38): no true cluster is found exactly; "
            "the main problem is merging: predicted clusters mix true ones (pair precision 0.49, recall 0.95).",
        ),
        (
            [0] * 18 + [2] * 4 + [3], [0] * 9 + [1] * 9 + [2] * 5, {},
            "Weak agreement (adjusted Rand 0.38): no true cluster is found exactly; "
            "the main problem is splitting: true clusters are broken up (pair precision 0.95, recall 0.49).",
        ),
        (
            TRUE, PRED, {"weights": [1, 1, 1, 1, 1, 1.5]},
            "Weak agreement (adjusted Rand 0.41, weighted): 1 of 3 true clusters is found exactly; "
            "true clusters are broken up and mixed alike (pair precision 0.50, recall 0.57).",
        ),
        (
            TRUE, PRED, {"noise_pred": {2: "unscored"}},
            "Jaccard-concentration 0.79: 1 of 2 predicted clusters is a true cluster exactly; "
            "1 point is noise, left unscored.",
        ),
        (
            [0, 0], [1, 1], {"noise_pred": {1: "unscored"}},
            "No predicted cluster is scored; 2 points are noise, left unscored.",
        ),
        (
            {1: 1, 2: 1, 3: 2}, {1: 1, 2: 1}, {"unmatched": "keep"},
            "B-cubed precision 1.00 and recall 0.67: 1 of 1 predicted cluster is a true cluster exactly; "
            "1 item occurs on one side only.",
        ),
        (
            {1: 1, 2: 1, 3: 2}, {1: 1, 2: 1, 4: 3}, {"unmatched": "keep", "noise_pred": {1: "unscored"}},
            "No predicted cluster is a true cluster exactly; 2 items occur on one side only; "
            "2 points are noise, left unscored.",
        ),
        (
            {1: 1, 2: 1, 3: 2}, {1: 1, 2: 1}, {"unmatched": "keep", "noise_pred": {1: "unscored"}},
            "No predicted cluster is scored; 1 item occurs on one side only; 2 points are noise, left unscored.",
        ),
    ],
)  # fmt: skip
def test_verdict(true, pred, options, sentence):
    assert cm.evaluate(true, pred, [], **options).verdict == sentence


def test_the_verdict_rounds_nothing_to_perfection():
    n = 1000
    nearly = cm.Contingency.from_counts([0, 1, 1], [0, 1, 0], [n, n, 1])
    said = cm.evaluate_table(nearly, []).verdict
    assert "(adjusted Rand >0.99)" in said
    assert "(pair precision >0.99, recall >0.99)" in said
    hardly = cm.Contingency.from_counts([0, 0, 1, 1], [0, 1, 0, 1], [n + 50, n, n, n + 50])
    assert cm.evaluate_table(hardly, []).verdict.startswith("Hardly any agreement beyond chance (adjusted Rand <0.01)")
    worse = cm.Contingency.from_counts([0, 0, 1, 1], [0, 1, 0, 1], [n, n, n, n])
    assert cm.evaluate_table(worse, []).verdict.startswith("No agreement beyond chance (adjusted Rand 0.00)")


class TestExports:
    scores = cm.evaluate(TRUE, PRED, "all", noise_pred={-1: "drop"})

    def test_all_say_the_same(self):
        expected = dict(self.scores)
        assert {k: float(v["value"]) for k, v in json.loads(self.scores.to_json())["scores"].items()} == expected
        for frame in (self.scores.to_pandas().to_dict("list"), self.scores.to_polars().to_dict(as_series=False)):
            assert dict(zip(frame["index"], frame["score"], strict=True)) == expected
        columns = self.scores.to_arrow().to_pydict()
        assert dict(zip(columns["index"], columns["score"], strict=True)) == expected
        assert list(columns) == ["index", "title", "score", "low", "high", "higher_is_better", "family"]
        read = list(csv.DictReader(io.StringIO(self.scores.to_csv())))
        assert {row["index"]: float(row["score"]) for row in read} == expected
        shown = [f"{score:.6f}" for score in expected.values()]
        lines = [line.split(" | ") for line in self.scores.to_markdown().splitlines() if "`" in line]
        assert [line[2] for line in lines] == shown
        assert [line[0].strip("| `") for line in lines] == list(expected)
        tex = [line.split(" & ") for line in self.scores.to_latex(6).splitlines() if " & " in line][1:]
        assert [line[1].strip("$") for line in tex] == shown
        assert [line.split()[1] for line in repr(self.scores).splitlines()[3:-1]] == shown
        assert re.findall(r'text-align:right[^"]*">([^<]*)<', self.scores._repr_html_()) == shown

    def test_json(self):
        said = json.loads(self.scores.to_json(indent=2))
        assert said["points"] == {"given": 6, "used": 6, "noise": 0, "dropped": 0, "unmatched": 0}
        assert said["clusters"] == {"true": 3, "pred": 3}
        assert said["verdict"] == self.scores.verdict
        assert said["refused"] == self.scores.refused
        assert said["scores"]["f_measure"] == {
            "title": "F-measure of pairs", "value": 0.5714285714285714, "low": 0.0, "high": 1.0,
            "higher_is_better": True, "family": "pairs", "options": {},
        }  # fmt: skip
        assert said["version"] == cm.__version__
        assert said["settings"] == {
            "noise_true": {},
            "noise_pred": {"-1": "drop"},
            "missing": "error",
            "unmatched": "error",
            "weighted": False,
        }

    @pytest.mark.parametrize(
        "change", [lambda text: "[" * 100_000, lambda text: text.replace('"given": 3', '"given": Infinity')]
    )
    def test_json_that_no_evaluation_has_is_refused(self, change):
        text = cm.evaluate([0, 0, 1], [0, 1, 1], ["rand"]).to_json()
        assert change(text) != text
        with pytest.raises(cm.InputError, match=r"^text: this (is not JSON|evaluation is damaged)"):
            cm.Evaluation.from_json(change(text))

    def test_json_has_no_infinity(self):
        infinite = cm.evaluate([0, 0, 1, 1], [0, 0, 1, 1], ["kulczynski1", cm.jaccard.when_undefined(-np.inf)])
        assert infinite["kulczynski1"] == np.inf
        assert json.loads(infinite.to_json())["scores"]["kulczynski1"]["value"] == "inf"
        undefined = cm.evaluate([0, 1], [0, 1], [cm.jaccard.when_undefined(-np.inf)])
        assert json.loads(undefined.to_json())["scores"]["jaccard.when_undefined(-inf)"]["value"] == "-inf"
        assert "$\\infty$" in infinite.to_latex()
        assert "| ∞ |" in infinite.to_markdown()
        assert "inf" in infinite.to_csv()

    def test_settings(self):
        table = cm.crosstab(TRUE, PRED)
        settings = {"source": "data.csv", "true": ("a", np.inf), "path": Path("x")}
        scores = cm.PartitionEvaluation.of_table(table, [cm.jaccard], settings=settings)
        assert scores.settings == settings | {
            "noise_true": {}, "noise_pred": {}, "missing": "error", "unmatched": "error", "weighted": False,
        }  # fmt: skip
        assert json.loads(scores.to_json())["settings"]["true"] == ["a", "inf"]
        assert json.loads(scores.to_json())["settings"]["path"] == "x"

    @pytest.mark.slow
    @pytest.mark.parametrize("kind", ["json", "csv", "markdown", "latex", "report"])
    def test_files_are_written_and_not_overwritten_by_mistake(self, tmp_path, kind):
        path = tmp_path / "scores"
        write = getattr(self.scores, f"write_{kind}")
        text = self.scores.report() if kind == "report" else getattr(self.scores, f"to_{kind}")()
        text = self.scores.to_json(2) + "\n" if kind == "json" else text
        write(path)
        assert path.read_text(encoding="utf-8") == text
        with pytest.raises(cm.InputError, match=r"scores exists already; .*overwrite=True"):
            write(str(path))
        path.write_text("something else, and longer" * 1000)
        write(path, overwrite=True)
        assert path.read_text(encoding="utf-8") == text

    def test_where_no_file_can_be(self, tmp_path):
        with pytest.raises(cm.InputError, match=r"path: there is no folder .*missing; create it first"):
            self.scores.write_csv(tmp_path / "missing" / "scores.csv")
        with pytest.raises(cm.InputError, match="is a folder; name a file in it"):
            self.scores.write_json(tmp_path, overwrite=True)

    def test_latex_escapes(self):
        variants = cm.evaluate(TRUE, PRED, ["tversky(alpha=0.3)", "phi"])
        tex = variants.to_latex()
        assert tex.splitlines()[0].startswith("% 6 points, 3 true")
        assert "(alpha=0.3) & " in tex
        odd = cm.evaluate(TRUE, PRED, [cm.jaccard])
        odd.record.scores["jaccard"] = odd.record.scores["jaccard"]._replace(title="a_b & 5% {x}\\^~#$")
        assert r"a\_b \& 5\% \{x\}\textbackslash{}\textasciicircum{}\textasciitilde{}\#\$" in odd.to_latex()
        assert r"a\_b & 5% \{x\}\\^\~\#$" in odd.to_markdown()

    def test_unicode_titles_in_latex(self):
        tex = self.scores.to_latex()
        assert not {mark for line in tex.splitlines()[1:] for mark in line if ord(mark) > 126} - {"é"}

    def test_markdown_tells_what_was_left_out(self):
        text = cm.evaluate(TRUE, PRED, "all", weights=[1, 2, 3, 4, 5, 6]).to_markdown()
        assert "has no meaning with real weights" in text
        assert "; weighted" in text


def test_provenance():
    scores = cm.evaluate(
        [0, 0, 1, None], [0, 0, -1, 2], ["FmS(beta=2)", "JS"], missing="drop", noise_pred={-1: "singletons"}
    )
    assert scores.provenance("f_measure(beta=2)") == {
        "index": "f_measure",
        "label": "f_measure(beta=2)",
        "title": "F-measure of pairs",
        "options": {"beta": 2},
        "value": scores["f_measure(beta=2)"],
        "low": 0.0,
        "high": 1.0,
        "higher_is_better": True,
        "family": "pairs",
        "points": {"given": 4, "used": 3, "noise": 1, "dropped": 1, "unmatched": 0},
        "clusters": {"true": 2, "pred": 2},
        "settings": {
            "noise_true": {},
            "noise_pred": {-1: "singletons"},
            "missing": "drop",
            "unmatched": "error",
            "weighted": False,
        },
        "version": cm.__version__,
    }
    assert scores.signature("tanimoto") == (
        "jaccard|n_given:4|n_used:3|n_noise:1|n_dropped:1|n_unmatched:0|noise_pred:-1=singletons|missing:drop|"
        f"clustermark:{cm.__version__}"
    )
    assert scores.signature(cm.jaccard) == scores.signature("jaccard")
    assert "|weighted|" in cm.evaluate(TRUE, PRED, "JS", weights=[1, 2, 3, 4, 5, 6]).signature("JS")
    for ask in (scores.provenance, scores.signature):
        with pytest.raises(KeyError, match="rand was not evaluated"):
            ask("rand")


def test_one_of_a_thing_is_singular():
    assert cm.evaluate([0], [0], []).headline == "1 point, 1 true and 1 predicted cluster"
    assert repr(cm.evaluate([0, 1], [0, 1], [])) == "2 points, 2 true and 2 predicted clusters\nNo index was scored."


def test_labels_are_kept_not_copied():
    true = np.array(TRUE)
    assert cm.evaluate(true, PRED)._known_origin.given.y_true is true
