"""Types that type checkers must infer; checked by mypy and pyright, never run."""

from fractions import Fraction
from typing import Any, assert_type

import clustermark as cm
from clustermark import ClusterTable, OverlapMap
from clustermark.rows import ClusterRow, Part, PointRow

table = cm.crosstab([0, 0, 1], ["a", "a", "b"], noise_pred={"b": "singletons"}, missing="drop")
assert_type(table, cm.Contingency)
assert_type(table.n_used, int)
assert_type(table + table, cm.Contingency)

assert_type(cm.jaccard([0, 1], [0, 1]), float)
assert_type(cm.jaccard.of(table), float)
assert_type(cm.jaccard.exact(table), Fraction)
assert_type(cm.jaccard.when_undefined(0.5)([0, 1], [0, 1]), float)
assert_type(cm.jaccard.strict.of(table), float)
assert_type(cm.f_measure([0, 1], [0, 1], beta=2.0), float)
assert_type(cm.f_measure.of(table, beta=2), float)
assert_type(cm.f_measure(y_true=[0, 1], y_pred=[0, 1], beta=2.0), float)
assert_type(cm.jaccard([0, -1], [0, 1], noise_true={-1: "drop"}, missing="drop"), float)
assert_type(cm.f_measure(["a"], ["a"], counts=[2], noise={"a": "singletons"}, unmatched="keep"), float)
assert_type(cm.f_measure.with_options(beta=2)([0], [0], noise_pred={0: "unscored"}, threads=1), float)
cm.jaccard([0], [0], missing="ignore")  # type: ignore[call-overload] # pyright: ignore[reportArgumentType]
cm.jaccard([0], [0], nois={0: "drop"})  # type: ignore[call-overload] # pyright: ignore[reportCallIssue]
cm.f_measure([0, 1], [0, 1], gamma=2.0)  # type: ignore[call-overload] # pyright: ignore[reportCallIssue]
cm.jaccard([0, 1], [0, 1], beta=2.0)  # type: ignore[call-overload] # pyright: ignore[reportCallIssue]
cm.jaccard([0, 1])  # type: ignore[call-overload] # pyright: ignore[reportCallIssue]
cm.jaccard.of([0, 1])  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
cm.nonsense  # type: ignore[attr-defined] # pyright: ignore[reportAttributeAccessIssue]
cm.jaccard.nonsense  # type: ignore[attr-defined] # pyright: ignore[reportAttributeAccessIssue]
cm.jaccard.facts.nonsense  # type: ignore[attr-defined] # pyright: ignore[reportAttributeAccessIssue]
assert_type(cm.jaccard.title, str)
cm.jaccard.title = "another"  # type: ignore[misc] # pyright: ignore[reportAttributeAccessIssue]
assert_type(cm.jaccard.bounds, tuple[float, float])
assert_type(cm.jaccard.metric, bool | None)
assert_type(cm.find("jaccard")([0, 1], [0, 1]), float)
assert_type([one.name for one in cm.catalogue()], list[str])
cm.crosstab([0], [0], missing="ignore")  # type: ignore[call-overload] # pyright: ignore[reportArgumentType]

asked = cm.questions([0, 0], [0, 1], n=10, unit="pair", missing="drop")
assert_type(asked, cm.Questions)
assert_type(cm.judge(asked, {("0", "1"): "same"}), cm.Judgements)
assert_type(cm.judge("key.json", ["a.csv"])["good_share"].low, float)
cm.questions([0, 0], [0, 1], unit="cluster")  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]

assert_type(cm.evaluate([0, 1], [0, 1], ["jaccard"])["jaccard"], float)
scores = cm.evaluate([0, 1], [0, 1])
assert_type(scores.clusters, ClusterTable)
assert_type(scores.classes[0], ClusterRow)
assert_type(scores.classes[:2], ClusterTable)
assert_type(scores.splits()[0].parts, tuple[Part, ...])
assert_type(scores.points(side="true", k=3)[0], PointRow)
assert_type(scores.overlap_map(), OverlapMap)
assert_type(scores.verdict, str)
assert_type(scores.to_json(indent=2), str)
assert_type(scores.clusters.to_csv(), str)
assert_type(scores.report("Title"), str)
assert_type(scores.to_dict(), dict[str, float])
assert_type(scores.sizes, dict[str, list[tuple[float, int]]])
assert_type(cm.Evaluation.from_json("{}"), cm.Evaluation)
assert_type(cm.CoverEvaluation.from_json("{}"), cm.CoverEvaluation)
assert_type(cm.read_evaluation("scores.json").record.scores["jaccard"], cm.rows.Score)
scores.to_csv("scores.csv")  # type: ignore[call-arg, arg-type] # pyright: ignore[reportCallIssue]
scores.points(side="truth")  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
assert_type(cm.ClusteringMetric([0, 1], [0, 1]).FmS(beta=2.0, finite_value=0.5), float)
assert_type(cm.concentration([0.2, 0.7, 0.1]), float)
assert_type(cm.jaccard_concentration_index([0, 1], [0, 1]), float)
assert_type(cm.jaccard_concentration_index([0, 1], [0, 1], return_all=True), dict[str, Any])

swept = cm.sweep_pairs({"a": 1, "b": 1}, (["a"], ["b"], [0.9]), unmatched="drop")
assert_type(swept, cm.PairSweep)
assert_type(swept.best("dice"), cm.rows.Choice)
assert_type(swept.interval(), cm.rows.BestInterval)
assert_type(swept.losses(0.5), cm.rows.Losses)
assert_type(swept.false_merges()[0], cm.rows.FalseMerge)
assert_type(swept.raw, cm.rows.RawPairs)
assert_type(swept.calibration(), cm.rows.Calibration)
assert_type(swept.at(0.5), cm.PartitionEvaluation)
assert_type(cm.sweep([0, 1], {0.5: [0, 1]}), cm.Sweep)
assert_type(cm.sweep([0, 1], {0.5: [0, 1]}).curve("dice"), list[tuple[float, float]])
cm.sweep_pairs([0, 1], (["a"], ["b"], [0.9]), unmatched="ignore")  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]

changed = cm.changes([0, 0, 1], [0, 1, 1], [0, 0, 1], by=["x", "y", "x"])
assert_type(changed, cm.Changes)
assert_type(changed.split_rate, float)
assert_type(changed.events()[0].kind, str)
assert_type(changed.clusters("after", 3)[0].parts, tuple[Part, ...])
assert_type(changed.to_markdown(), str)
changed.clusters("pred")  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
assert_type(cm.relabel([0, 1], like=[5, 6]), cm.Relabeled)
