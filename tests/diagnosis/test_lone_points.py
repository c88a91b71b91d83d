"""Points with a cluster of their own are named where points have ids."""

import clustermark as cm
from needs import need

TRUTH = {"r1": "a", "r2": "a", "r3": "a", "r4": "a", "r5": "b"}
FOUND = {"r1": 7, "r2": 7, "r5": 8}


def test_unmatched_points_are_named():
    scores = cm.evaluate(TRUTH, FOUND, unmatched="singletons")
    (row,) = scores.splits()
    part = cm.rows.Part
    assert row.parts == (part(7, 2, 2), part(None, 1, 1, True, "r3"), part(None, 1, 1, True, "r4"))
    assert repr(scores.splits()).endswith("7 (2 of 2), 2 alone (r3, r4)")
    assert scores.splits().to_dict()["point"] == [None, "r3", "r4"]
    assert scores.splits().rows()[0]["parts"][1]["point"] == "r3"
    (merge,) = cm.evaluate(FOUND, TRUTH, unmatched="singletons").merges()
    assert [part.point for part in merge.parts] == [None, "r3", "r4"]


def test_sources_that_are_joined_know_their_ids(tmp_path):
    pd, _ = need("pandas"), need("duckdb")
    paths = []
    for name, labels in (("truth", TRUTH), ("found", FOUND)):
        frame = pd.DataFrame({"id": list(labels), "c": list(labels.values())})
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
        paths.append(tmp_path / f"{name}.csv")
    scores = cm.evaluate(*paths, on="id", unmatched="singletons")
    assert [part.point for part in scores.splits()[0].parts] == [None, "r3", "r4"]
    for path in paths:
        path.unlink()  # what cannot be read again is listed without ids
    gone = cm.PartitionEvaluation.of_table(scores.table, [], given=lambda: cm.crosstab(*paths, on="id"))
    assert [part.point for part in gone.splits()[0].parts] == [None] * 3


def test_series_have_an_index():
    pd = need("pandas")
    index = list("uvwx")
    true, pred = pd.Series([0, 0, 0, 0], index), pd.Series([-1, 1, 1, -1], index)
    (row,) = cm.evaluate(true, pred, noise_pred={-1: "singletons"}).splits()
    assert [part.point for part in row.parts] == [None, "u", "x"]


def test_lists_have_no_ids():
    (row,) = cm.evaluate([0, 0, 0], [1, 1, -1], noise_pred={-1: "singletons"}).splits()
    assert [(part.lone, part.point) for part in row.parts] == [(False, None), (True, None)]


def test_the_heaviest_comes_first_and_a_row_may_stand_for_several():
    truth, found = dict.fromkeys("uvwx", 0), {"u": -1, "v": -1, "w": 1, "x": 1}
    weights = {"u": 1.0, "v": 2.0, "w": 5.0, "x": 1.0}
    (row,) = cm.evaluate(truth, found, weights=weights, noise_pred={-1: "singletons"}).splits()
    assert [(part.overlap, part.point) for part in row.parts] == [(6.0, None), (2.0, "v"), (1.0, "u")]
    counts = {"u": 2, "v": 0, "w": 1, "x": 1}
    (row,) = cm.evaluate(truth, found, counts=counts, noise_pred={-1: "singletons"}).splits()
    assert [part.point for part in row.parts] == [None, "u", "u"]


def test_the_cluster_of_missing_labels_is_no_point():
    truth = {1: "a", 2: "a", 3: None, 4: None}
    scores = cm.evaluate(truth, {1: -1, 2: 5, 3: -1, 4: 5}, missing="cluster", noise_pred={-1: "singletons"})
    parts = {row.cluster: [(part.lone, part.point) for part in row.parts] for row in scores.splits()}
    assert parts == {"a": [(False, None), (True, 1)], None: [(False, None), (True, None)]}
    (merge,) = scores.merges()
    assert [(part.cluster, part.lone) for part in merge.parts] == [("a", False), (None, False)]


def test_an_empty_list_of_points_says_where_to_look():
    scores = cm.evaluate(["a", "a", "b"], [1, 2, 3])
    head = "0 points lie outside the best match of their predicted cluster"
    assert repr(scores.points()) == f"{head}\nside='true' lists the points that splits put elsewhere"
    assert "side=" not in repr(scores.points(side="true"))
    assert len(scores.points(side="true")) == 1
