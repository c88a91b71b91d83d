"""Data frames in memory need no engine, and give the same table as an engine that reads them."""

import datetime as dt
import subprocess
import sys
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clustermark import crosstab, evaluate
from clustermark.errors import ClustermarkWarning, InputError
from needs import need

pd, pl, pa, _ = need("pandas"), need("polars"), need("pyarrow"), need("duckdb")

WITHOUT_DUCKDB = """
import sys
from decimal import Decimal
sys.modules["duckdb"] = None
import pandas as pd
import clustermark as cm
frame = pd.DataFrame({"a": [1, 1, 2, 2], "b": list("xxyx"), "n": [1, 2, 3, 4], "w": [1.0, 0.5, 2.0, 1.0]})
one = cm.evaluate(frame, true="a", pred="b", counts="n", weights="w")
two = cm.evaluate(frame[["n", "a"]], frame[["n", "b"]].iloc[::-1], on="n")
assert one.table == cm.crosstab([1, 1, 2, 2], list("xxyx"), counts=[1, 2, 3, 4], weights=[1, 0.5, 2, 1])
assert two.table == cm.crosstab([1, 1, 2, 2], list("xxyx"))
assert [row.point for row in one.points()] == [3]
assert [row.point for row in two.points()] == [4]
assert one.sql == ""
print("duckdb" in sys.modules and sys.modules["duckdb"] is None)
"""


@pytest.mark.slow
def test_frames_need_no_duckdb():
    done = subprocess.run([sys.executable, "-c", WITHOUT_DUCKDB], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("True\n", "")


DATES = [dt.datetime(2020, 1, day) for day in (1, 1, 2, 3, 3)]
COLUMNS = {
    "integers": pd.Series([5, 5, -1, 7, 7]),
    "large": pd.Series([2**62, 2**62, -(2**62), 7, 7]),
    "unsigned": pd.Series([5, 5, 1, 7, 7], dtype="uint64"),
    "nullable": pd.Series([5, 5, None, 7, 7], dtype="Int64"),
    "floats": pd.Series([5.0, 5.0, np.nan, 7.0, -1.0]),
    "texts": pd.Series(["a", "a", "it's", "", None]),
    "strings": pd.Series(["a", "a", "b", None, "1"], dtype="string"),
    "booleans": pd.Series([True, True, False, False, True]),
    "maybe": pd.Series([True, True, None, False, True], dtype="boolean"),
    "categories": pd.Series(["u", "u", "v", None, "v"], dtype="category"),
    "moments": pd.Series(DATES),
    "some moments": pd.Series([*DATES[:-1], None]),
    "nothing": pd.Series([None, None, 1, 1, 1], dtype="Int64"),
}
TEXTS_IN_ENGINES = {"moments", "some moments"}


def convert(frame, library):
    if library == "pandas":
        return frame
    return pl.from_pandas(frame) if library == "polars" else pa.Table.from_pandas(frame)


@pytest.mark.slow
@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("kind", COLUMNS)
def test_the_same_partition_as_in_duckdb(kind, library):
    frame = convert(pd.DataFrame({"t": COLUMNS[kind], "p": [1, 2, 2, 3, 3], "n": [1, 2, 3, 4, 5]}), library)
    for options in ({}, {"counts": "n"}, {"weights": "n"}):
        for missing in ("drop", "cluster", "singletons"):
            asked = {"true": "t", "pred": "p", "missing": missing, **options}
            here, there = crosstab(frame, **asked), crosstab(frame, **asked, engine="duckdb")
            if kind in TEXTS_IN_ENGINES:
                assert here.to_scipy().sum() == there.to_scipy().sum()
                assert sorted(here.cells.counts.tolist()) == sorted(there.cells.counts.tolist())
                assert here.n_true_clusters == there.n_true_clusters
            else:
                assert here == there
            assert here.settings == {what: how for what, how in there.settings.items() if what != "engine"}


@pytest.mark.slow
@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize(
    "kind", ["integers", "large", "unsigned", "texts", "strings", "categories", "moments", "floats"]
)
def test_ids_of_any_kind(kind, library):
    ids = COLUMNS[kind].dropna().drop_duplicates().reset_index(drop=True)
    truth = pd.DataFrame({"id": ids, "t": range(len(ids))})
    found = pd.DataFrame({"id": ids[::-1], "p": list("xyz")[: len(ids)], "n": range(1, len(ids) + 1)}).iloc[
        : len(ids) - 1
    ]
    for unmatched in ("drop", "singletons", "keep"):
        asked = {"on": "id", "unmatched": unmatched}
        here = crosstab(convert(truth, library), convert(found, library), **asked, pred="p")
        assert here == crosstab(truth, found, **asked, pred="p", engine="duckdb")
        assert (here.n_unmatched, here.n_given) == (1, len(ids))


LABELS = st.dictionaries(st.integers(0, 12), st.sampled_from(["a", "b", None]), min_size=1)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(LABELS, LABELS, st.sampled_from(["drop", "singletons", "keep"]), st.sampled_from(["cluster", "singletons"]))
def test_two_frames_are_two_mappings(truth, found, unmatched, missing):
    frames = [
        pd.DataFrame({"id": list(side), name: pd.Series(list(side.values()), dtype=object)})
        for side, name in ((truth, "t"), (found, "p"))
    ]
    policies = {"unmatched": unmatched, "missing": missing, "noise_pred": {"b": "singletons"}}
    if unmatched != "keep" and not truth.keys() & found.keys():
        with pytest.raises(
            InputError, match="no id occurs on both sides: column 'id' of the DataFrame of the truth has ids of"
        ):
            crosstab(*frames, on="id", **policies)
        return
    table = crosstab(*frames, on="id", **policies)
    assert table == crosstab(truth, found, **policies)
    evaluation = evaluate(*frames, on="id", indices=[], **policies)
    assert evaluation.points().rows() == evaluate(truth, found, [], **policies).points().rows()


def test_ids_that_are_equal_meet():
    whole, gap = (
        pd.DataFrame({"i": [1, 2, 3], "t": list("aab")}),
        pd.DataFrame({"i": [3.0, 2.0, 1.0], "p": list("xyx")}),
    )
    assert crosstab(whole, gap, on="i") == crosstab(list("aab"), list("xyx"))
    parts = pd.DataFrame({"i": [0.5, 1.5], "t": [1, 2]})
    assert crosstab(parts, parts.rename(columns={"t": "p"}), on="i").n_used == 2


def test_numbers_of_two_frames():
    left = pd.DataFrame({"i": [1, 2, 3], "t": list("aab"), "n": [5, 6, 7]})
    right = pd.DataFrame({"i": [3, 2, 1, 4], "p": list("xyxz"), "n": [7, 6, 5, 9], "w": [1.0, 2.0, 3.0, 4.0]})
    table = crosstab(left, right, on="i", true="t", pred="p", counts="n", unmatched="drop")
    assert table == crosstab(left, right, on="i", true="t", pred="p", counts="n", unmatched="drop", engine="duckdb")
    assert (table.n_used, table.n_given) == (18, 27)
    assert crosstab(left, right, on="i", true="t", pred="p", weights="w", unmatched="drop").n_used == 3
    with pytest.raises(
        InputError, match=r"counts='m' has no number for 1 id\(s\) of the other side, such as 4; every id"
    ):
        crosstab(left.rename(columns={"n": "m"}), right, on="i", true="t", pred="p", counts="m", unmatched="drop")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::clustermark.NoiseWarning")
def test_noise_has_the_type_of_its_column():
    frame = pd.DataFrame({"t": list("aab"), "p": [-1, -1, 2], "s": ["-1", "-1", "2"]})
    for column, label, noise in (("p", -1, 2), ("p", "-1", 0), ("s", -1, 0), ("s", "-1", 2)):
        for engine in ({}, {"engine": "duckdb"}, {"engine": "duckdb", "push_down": True}):
            table = crosstab(frame, true="t", pred=column, noise_pred={label: "singletons"}, **engine)
            assert (table.n_pred_clusters, table.n_noise) == (2 + noise // 2, noise)


FRAME = pd.DataFrame({"t": ["a", None, "b"], "p": [1, 2, 2], "n": [1, -1, 1], "x": [0.5, 1.0, 2.0], "i": [1, 1, None]})


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"true": "tt", "pred": "p"}, r"the DataFrame: true='tt' is not one of its columns; did you mean 't'\?"),
        ({"true": "t"}, "the DataFrame: name the columns of the truth and of the prediction by true= and pred="),
        (
            {"true": "t", "pred": "p"},
            r"column 't' has 1 missing label\(s\), the first at position 1; .* missing='drop'",
        ),
        ({"true": "x", "pred": "p"}, r"the DataFrame: column 'x': label 0\.5 at position 0 is not a whole number"),
        ({"true": "p", "pred": "p", "counts": "n"}, "the DataFrame: counts='n': -1 at position 1 is not a whole"),
        ({"true": "p", "pred": "p", "weights": "t"}, "the DataFrame: weights='t'"),
        ({"true": "p", "pred": 7}, "pred=7: with a source, this must be the name of a column"),
    ],
)
def test_what_is_wrong_with_a_frame_is_said(options, said):
    with pytest.raises(InputError, match=said):
        crosstab(FRAME, **options)


def test_what_is_wrong_with_two_frames_is_said():
    good = pd.DataFrame({"i": [1, 2, 3], "p": [1, 2, 2]})
    for frame, said in (
        (FRAME.iloc[:2], r"of the truth: the ids in column 'i' must be unique; 1 row\(s\) repeat one, such as 1"),
        (FRAME.iloc[1:], r"of the truth: 1 row\(s\) have no id in column 'i', the first at position 1"),
        (FRAME.iloc[:1], "0 occur in the DataFrame of the truth only and 2 in the DataFrame of the prediction only"),
        (FRAME.iloc[:0], "holds no points"),
    ):
        with pytest.raises(InputError, match=said):
            crosstab(frame, good, on="i", true="t", pred="p")
    doubled = pd.concat([FRAME[["p"]], FRAME[["p", "n"]]], axis=1)
    assert crosstab(pd.concat([doubled, FRAME[["x"]]], axis=1)[["n", "p", "p"]].iloc[:, [0, 1]], true="n", pred="p")
    with pytest.raises(InputError, match="2 columns are called 'p'; rename all but one"):
        crosstab(doubled, true="n", pred="p")


def test_columns_whose_names_are_numbers():
    assert crosstab(pd.DataFrame([[1, 2], [1, 3]]), true="0", pred="1") == crosstab([1, 1], [2, 3])


@pytest.mark.slow
def test_an_engine_that_is_asked_for_is_used():
    for options in ({"engine": "polars"}, {"memory": "1GB"}, {"push_down": False}, {"max_cells": 9}):
        assert "GROUP BY" in crosstab(FRAME, true="p", pred="n", **options).sql
    assert crosstab(FRAME, true="p", pred="n", threads=2).sql == ""
    assert "GROUP BY" in crosstab(pl.from_pandas(FRAME).lazy(), true="p", pred="n").sql


def test_scores_of_pairs_that_an_engine_does_not_take():
    truth = pd.DataFrame({"id": [1, 2], "t": list("aa")})
    for scores in ([Decimal("0.9"), Decimal("0.1")], [0.9, "x"]):
        pairs = pd.DataFrame({"l": [1, 2], "r": [2, 2], "s": pd.Series(scores, dtype=object)})
        with pytest.raises(InputError, match="column 's' is of type object"):
            crosstab(truth, pairs, on="id", true="t", pairs="pred", threshold=0.5)
    pairs = pd.DataFrame({"l": [1, 2], "r": [2, 2], "s": [0.9, 0.8]})
    with pytest.warns(ClustermarkWarning, match="no pair of the DataFrame reaches threshold=inf"):
        table = crosstab(truth, pairs, on="id", true="t", pairs="pred", threshold=10**400)
    assert table.n_pred_clusters == 2
