"""Files read by DuckDB give the same table as the same labels in memory."""

import csv
import gzip
import json
import os
import tempfile
from os import PathLike
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clustermark import evaluate, pair_precision
from clustermark.engines.engine import FetchLimits, Workspace
from clustermark.errors import ClustermarkWarning, InputError, NoiseWarning
from clustermark.sources.contingencies import crosstab
from clustermark.tables.tabulation import crosstab as in_memory
from needs import need

duckdb = need("duckdb")
pa = need("pyarrow", "feather", "parquet")

TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), min_size=1, max_size=6)
SOME = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def write_csv(path, header, rows, delimiter=","):
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=delimiter, quoting=csv.QUOTE_ALL)
        writer.writerow(header)
        writer.writerows(rows)
    return path


def write_jsonl(path, header, rows):
    path.write_text("".join(json.dumps(dict(zip(header, row, strict=True))) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.mark.slow
@SOME
@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=30))
def test_texts_of_any_kind_survive_a_csv_file(tmp_path, rows):
    path = write_csv(tmp_path / "x.csv", ["truth", "found"], rows)
    assert crosstab(path, true="truth", pred="found") == in_memory(*zip(*rows, strict=True))


@pytest.mark.slow
@SOME
@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=30))
def test_texts_of_any_kind_survive_json_lines(tmp_path, rows):
    path = write_jsonl(tmp_path / "x.jsonl", ["truth", "found"], rows)
    assert crosstab(path, true="truth", pred="found") == in_memory(*zip(*rows, strict=True))


def parquet(path, table):
    pa.parquet.write_table(table, path)


def feather(path, table):
    pa.feather.write_feather(table, path)


@pytest.mark.parametrize(("ending", "write"), [("parquet", parquet), ("arrow", feather)])
def test_typed_files_keep_their_types(tmp_path, ending, write):
    path = tmp_path / f"x.{ending}"
    write(path, pa.table({"t": [1, 1, 2, None], "p": ["a", "a", "b", "c"]}))
    table = crosstab(path, true="t", pred="p", missing="cluster")
    assert table == in_memory([1, 1, 2, None], ["a", "a", "b", "c"], missing="cluster")


def test_texts_that_look_like_one_number_stay_apart(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("t,p\n1,7\n1.0,07\n01,007\n")
    table = crosstab(path, true="t", pred="p")
    assert sorted(table.true_labels) == ["01", "1", "1.0"]
    assert sorted(table.pred_labels) == ["007", "07", "7"]


def test_compressed_files_globs_and_lists(tmp_path):
    text = "t\tp\na\tx\nb\ty\n"
    with gzip.open(tmp_path / "one.tsv.gz", "wt") as file:
        file.write(text)
    (tmp_path / "two.tsv").write_text(text)
    assert crosstab(str(tmp_path / "*.tsv*"), true="t", pred="p").n_used == 4
    assert crosstab([tmp_path / "two.tsv", tmp_path / "two.tsv"], true="t", pred="p").n_used == 4


@pytest.mark.slow
@pytest.mark.parametrize("mark", ["[1]", "*", "?", "[!a]"])
def test_a_file_whose_name_is_a_pattern_is_read_itself(tmp_path, mark):
    for stem, label in ((mark, "right"), ("1", "wrong"), ("x", "wrong")):
        write_csv(tmp_path / f"{stem}.csv", ["t", "p"], [(label, label)])
        write_jsonl(tmp_path / f"{stem}.jsonl", ["t", "p"], [(label, label)])
        parquet(tmp_path / f"{stem}.parquet", pa.table({"t": [label], "p": [label]}))
    for ending in ("csv", "jsonl", "parquet"):
        assert crosstab(tmp_path / f"{mark}.{ending}", true="t", pred="p") == in_memory(["right"], ["right"])


def test_files_of_a_glob_with_other_columns_are_refused(tmp_path):
    (tmp_path / "a.csv").write_text("t,p\n1,2\n")
    (tmp_path / "b.csv").write_text("p,t\n1,2\n")
    with pytest.raises(InputError, match=r"b\.csv: its header line differs"):
        crosstab(str(tmp_path / "*.csv"), true="t", pred="p")


def test_parquet_files_of_a_glob_are_united_by_name(tmp_path):
    parquet(tmp_path / "a.parquet", pa.table({"t": [1], "p": [2]}))
    parquet(tmp_path / "b.parquet", pa.table({"p": [2], "t": [1]}))
    assert crosstab(str(tmp_path / "*.parquet"), true="t", pred="p") == in_memory([1, 1], [2, 2])


@pytest.mark.slow
@pytest.mark.parametrize("unmatched", ["drop", "singletons", "keep"])
@SOME
@given(
    st.dictionaries(st.integers(0, 20), st.sampled_from("abc"), min_size=1),
    st.dictionaries(st.integers(0, 20), st.sampled_from("xyz"), min_size=1),
)
def test_two_files_joined_by_id_are_two_mappings(tmp_path, unmatched, truth, found):
    one = write_csv(tmp_path / "one.csv", ["id", "cluster"], truth.items())
    two = write_csv(tmp_path / "two.csv", ["id", "cluster"], found.items(), ";")
    if unmatched != "keep" and not truth.keys() & found.keys():
        for sides, options in (((one, two), {"on": "id"}), ((truth, found), {})):
            with pytest.raises(InputError, match="no id occurs on both sides"):
                crosstab(*sides, unmatched=unmatched, **options)
        return
    table = crosstab(one, two, on="id", unmatched=unmatched)
    assert table == in_memory(truth, found, unmatched=unmatched)
    assert table.n_unmatched == len(truth.keys() ^ found.keys())


def test_ids_of_a_text_file_meet_typed_ids_as_texts(tmp_path):
    parquet(tmp_path / "one.parquet", pa.table({"id": [1, 2, 7], "c": ["a", "a", "b"]}))
    two = write_csv(tmp_path / "two.csv", ["id", "d"], [("1", "x"), ("2", "y"), ("007", "y")])
    table = crosstab(tmp_path / "one.parquet", two, on="id", unmatched="drop")
    assert (table.n_used, table.n_unmatched) == (2, 2)


PAIRS = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), min_size=1)


def closed(pairs):
    """Merge until nothing changes."""
    groups = {item: {item} for pair in pairs for item in pair}
    for a, b in pairs:
        union = groups[a] | groups[b]
        for item in union:
            groups[item] = union
    return {item: min(group) for item, group in groups.items()}


def look_like_labels(pairs, known):
    """Whether one side has each id once, some of them known, and the other repeats what is never known."""
    sides = list(zip(*pairs, strict=True))
    return any(
        len(set(labels)) < len(set(ids)) == len(ids) and known.keys() & set(ids) and not known.keys() & set(labels)
        for ids, labels in (sides, sides[::-1])
    )


@pytest.mark.slow
@SOME
@given(PAIRS, st.dictionaries(st.integers(0, 12), st.sampled_from("abc"), min_size=1))
def test_pairs_are_closed_into_clusters(tmp_path, pairs, truth):
    one = write_csv(tmp_path / "truth.csv", ["record", "entity"], truth.items())
    two = write_csv(tmp_path / "pairs.csv", ["left", "right"], pairs)
    if truth.keys() & closed(pairs).keys() and not look_like_labels(pairs, truth):
        table = crosstab(one, two, pairs="pred", unmatched="singletons")
        expected = in_memory(truth, closed(pairs), unmatched="singletons")
        assert table.profile == expected.profile
    both = crosstab(two, two, pairs="both")
    assert both.profile == in_memory(closed(pairs), closed(pairs)).profile


@pytest.mark.parametrize(
    ("names", "labels"),
    [(["id", "cluster"], [3, 3, 1, 1]), (["cluster", "record"], ["c1", "c1", "c2", "c2"])],
    ids=["by the name of the column", "by ids that the truth lacks"],
)
def test_labels_are_not_taken_for_pairs(tmp_path, names, labels):
    truth = write_csv(tmp_path / "truth.csv", ["id", "entity"], [(1, "a"), (2, "a"), (3, "b"), (4, "b")])
    rows = [(i, label) if names[0] == "id" else (label, i) for i, label in enumerate(labels, 1)]
    taken = write_csv(tmp_path / "taken.csv", names, rows)
    for sources, side in (((truth, taken), "pred"), ((taken, truth), "true")):
        with pytest.raises(InputError, match=r"taken\.csv: this looks like labels, not pairs: .* leave out pairs="):
            crosstab(*sources, on="id", pairs=side, unmatched="singletons")
    after_all = write_csv(tmp_path / "pairs.csv", names, [*rows, (1, 1)])
    assert crosstab(truth, after_all, on="id", pairs="pred", unmatched="singletons").n_used >= 4


@pytest.mark.parametrize("on", ["cluster", "Cluster", "id"])
@pytest.mark.parametrize("pair", [("i", "k"), ("l", "r"), ("k", "c"), ("cluster", "x")])
def test_pairs_whose_columns_have_names_of_ours(tmp_path, on, pair):
    one = write_csv(tmp_path / "truth.csv", [on, "entity"], [(1, "a"), (2, "a"), (3, "a"), (7, "b"), (8, "b")])
    two = write_csv(tmp_path / "pairs.csv", pair, [(1, 2), (2, 3), (7, 8)])
    table = crosstab(one, two, on=on, pairs="pred")
    assert table == in_memory(list("aaabb"), list("11177"))


def test_rows_are_numbered_whatever_the_columns_are_called(tmp_path):
    path = write_csv(tmp_path / "x.csv", ["r", "p"], [("a", "x"), ("", "x")])
    with pytest.raises(InputError, match="the first in row 2;"):
        crosstab(path, true="r", pred="p")


@pytest.mark.slow
def test_noise_labels_are_texts_in_text_files(tmp_path):
    path = write_csv(tmp_path / "x.csv", ["t", "p"], [("a", "-1"), ("a", "-1"), ("b", "2")])
    assert crosstab(path, true="t", pred="p", noise_pred={"-1": "singletons"}).n_pred_clusters == 3
    with pytest.warns(NoiseWarning, match=r"the label -1 \(.*\); 2 have the text '-1': did you mean that\?"):
        assert evaluate(path, true="t", pred="p", noise_pred={-1: "singletons"}).n_noise == 0


@pytest.mark.slow
def test_counts_and_weights_are_columns(tmp_path):
    rows = [("a", "x", 3, 0.5), ("a", "y", 0, 1), ("b", "y", 2, 2.5), ("a", "x", 1, 0.25)]
    path = write_csv(tmp_path / "x.csv", ["t", "p", "n", "w"], rows)
    t, p, n, w = zip(*rows, strict=True)
    assert crosstab(path, true="t", pred="p", counts="n") == in_memory(t, p, counts=n)
    assert crosstab(path, true="t", pred="p", weights="w") == in_memory(t, p, weights=w)
    assert crosstab(path, true="t", pred="p", weights="w", counts="n") == in_memory(t, p, weights=w, counts=n)


def test_counts_in_texts_are_exact(tmp_path):
    rows = [("a", "x", 2**53 + 1), ("a", "y", 2**60 + 1), ("b", "y", "1e3"), ("b", "y", " 7 ")]
    path = write_csv(tmp_path / "x.csv", ["t", "p", "n"], rows)
    table = crosstab(path, true="t", pred="p", counts="n")
    assert sorted(table.to_dict()["n"]) == [1007, 2**53 + 1, 2**60 + 1]
    decimals = pa.array([2**53 + 1, 3], pa.decimal128(20, 0))
    parquet(tmp_path / "x.parquet", pa.table({"t": [1, 2], "p": [1, 1], "n": decimals}))
    assert crosstab(tmp_path / "x.parquet", true="t", pred="p", counts="n").n_used == 2**53 + 4


BAD = {
    "empty.csv": ("", {}, "the file is empty"),
    "header.csv": ("t,p\n", {}, "holds no points"),
    "twice.csv": ("t,t\n1,2\n", {}, "'t' twice"),
    "nameless.csv": ("t,\n1,2\n", {}, "column 2 has no name"),
    "ragged.csv": ("t,p\n1,2\n3\n", {}, r"line 3"),
    "missing.csv": ("t,p\na,x\n,x\n,y\n", {}, r"column 't' has 2 missing label\(s\), the first in row 2"),
    "nulls.csv": ("t,p\na,\nb,\n", {}, r"column 'p' has 2 missing"),
    "typo.csv": ("t,pp\n1,2\n", {}, "did you mean 'pp'"),
    "capitals.csv": ("t,P\n1,2\n", {}, "did you mean 'P'"),
    "counts.csv": ("t,p,n\na,x,1\na,x,1.5\n", {"counts": "n"}, "not a whole number >= 0, the first in row 2"),
    "negative.csv": ("t,p,n\na,x,-1\na,x,1\n", {"counts": "n"}, "not a whole number >= 0, the first in row 1"),
    "nothing.csv": ("t,p,n\na,x,0\n", {"counts": "n"}, "holds no points"),
    "weights.csv": ("t,p,w\na,x,1\na,x,heavy\n", {"weights": "w"}, "not a finite number >= 0, the first in row 2"),
    "infinite.csv": ("t,p,w\na,x,inf\n", {"weights": "w"}, "not a finite number"),
    "unknown.xyz": ("t,p\n1,2\n", {}, "does not show its format"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_wrong_with_a_file_is_said(tmp_path, name):
    text, options, said = BAD[name]
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=said) as error:
        crosstab(tmp_path / name, true="t", pred="p", **options)
    assert name in str(error.value)


@pytest.mark.slow
def test_what_is_wrong_with_two_files_is_said(tmp_path):
    one = write_csv(tmp_path / "one.csv", ["id", "c"], [(1, "a"), (2, "a")])
    twice = write_csv(tmp_path / "twice.csv", ["id", "c"], [(1, "a"), (2, "a"), (2, "b")])
    lacking = write_csv(tmp_path / "lacking.csv", ["id", "c"], [(1, "a"), ("", "b")])
    other = write_csv(tmp_path / "other.csv", ["id", "c"], [(1, "a"), (3, "b"), (4, "b")])
    pairs = write_csv(tmp_path / "pairs.csv", ["a", "b"], [(1, 2), (3, "")])
    with pytest.raises(InputError, match=r"twice\.csv: the ids in column 'id' must be unique; 1 row.*'2'.*row 2"):
        crosstab(one, twice, on="id")
    with pytest.raises(InputError, match=r"lacking\.csv: 1 row\(s\) have no id in column 'id', the first in row 2"):
        crosstab(one, lacking, on="id")
    with pytest.raises(InputError, match=r"1 occur in .*one\.csv only and 2 in .*other\.csv only"):
        crosstab(one, other, on="id")
    with pytest.raises(InputError, match=r"pairs\.csv: 1 row\(s\) lack an id, the first in row 2"):
        crosstab(one, pairs, pairs="pred")
    with pytest.raises(InputError, match="two columns"):
        crosstab(one, write_csv(tmp_path / "three.csv", "abc", [(1, 2, 3)]), pairs="pred")
    with pytest.raises(InputError, match="pass two sources"):
        crosstab(pairs, pairs="pred")
    with pytest.raises(InputError, match="by on="):
        crosstab(one, pairs, true="c", pred="a")


@pytest.mark.slow
def test_scored_pairs_are_cut_at_a_threshold(tmp_path):
    truth = write_csv(tmp_path / "truth.csv", ["id", "c"], [(i, "ab"[i > 3]) for i in range(1, 6)])
    rows = [(1, 2, 0.9), (2, 3, "0.50"), (3, 4, 0.2), (4, 5, 1)]
    scored = write_csv(tmp_path / "scored.csv", ["l", "r", "p"], rows)
    splink = write_csv(
        *(tmp_path / "splink.csv", ["match_probability", "x", "unique_id_r", "unique_id_l"]),
        [(score, 0, right, left) for left, right, score in rows],
    )
    for pairs in (scored, splink):
        table = crosstab(truth, pairs, pairs="pred", threshold=0.5)
        assert table.profile == in_memory(list("aaabb"), [1, 1, 1, 4, 4]).profile
        assert table.settings["threshold"] == 0.5
    assert crosstab(truth, scored, pairs="pred", threshold=0.95).n_pred_clusters == 4
    with pytest.warns(ClustermarkWarning, match=r"no pair of .* reaches threshold=95\.0, since the highest score"):
        assert crosstab(truth, scored, pairs="pred", threshold=95).n_pred_clusters == 5
    plain = write_csv(tmp_path / "plain.csv", ["l", "r"], [(1, 2), (2, 3), (4, 5)])
    assert crosstab(plain, scored, pairs="both", threshold=0.5).are_identical()
    assert crosstab(scored, plain, pairs="both", threshold=0.5).are_identical()
    two = crosstab(splink, scored, pairs="both", threshold=0.95)
    assert (two.n_true_clusters, two.n_pred_clusters) == (4, 4)
    with pytest.raises(InputError, match="three columns"):
        crosstab(plain, plain, pairs="both", threshold=0.5)
    with pytest.raises(InputError, match=r"two columns.*threshold="):
        crosstab(scored, plain, pairs="both")
    assert crosstab(scored, truth, pairs="true", threshold=0.5).n_true_clusters == 2
    assert "closed" in crosstab(truth, scored, pairs="pred", threshold=0.5, explain=True)
    lacking = write_csv(tmp_path / "lacking.csv", ["l", "r", "p"], [(1, 2, ""), (2, 3, 0.5)])
    worded = write_csv(tmp_path / "worded.csv", ["l", "r", "p"], [(1, 2, "high"), (2, 3, 0.5)])
    for pairs, options, message in (
        (lacking, {"threshold": 0.5}, r"1 pair\(s\) have no score"),
        (worded, {"threshold": 0.5}, "no numbers"),
        (plain, {"threshold": 0.5}, "three columns"),
        (scored, {}, "two columns.*threshold="),
        (splink, {}, "two columns"),
        (scored, {"threshold": "high"}, "must be a number"),
        (scored, {"threshold": float("nan")}, "must be a number"),
    ):
        with pytest.raises(InputError, match=message):
            crosstab(truth, pairs, pairs="pred", **options)
    with pytest.raises(InputError, match=r"threshold=0\.5 is for a list of scored pairs; say by pairs="):
        crosstab(truth, scored, on="id", threshold=0.5)


@pytest.mark.slow
def test_more_pairs_than_a_memory_holds_are_refused(tmp_path, monkeypatch):
    truth = write_csv(tmp_path / "truth.csv", ["id", "c"], [(1, "a"), (2, "a"), (3, "b")])
    pairs = write_csv(tmp_path / "pairs.csv", ["l", "r"], [(1, 2), (2, 1), (3, 3)])
    monkeypatch.setattr(Workspace, "limits", FetchLimits(pairs=2))
    with pytest.raises(InputError, match=r"pairs\.csv: 3 pairs are more than 2; .* allow more by max_cells="):
        crosstab(truth, pairs, pairs="pred", max_cells=2)
    assert crosstab(truth, pairs, pairs="pred", max_cells=3).are_identical()


@pytest.mark.slow
def test_other_complaints(tmp_path):
    latin = tmp_path / "latin.csv"
    latin.write_bytes("t,p\na,é\n".encode("latin-1"))
    with pytest.raises(InputError, match=r"latin\.csv: the text is not UTF-8 \(line 2\); name its encoding"):
        crosstab(latin, true="t", pred="p")
    assert crosstab(latin, true="t", pred="p", reading={"encoding": "latin-1"}).pred_labels == ["é"]
    with pytest.raises(InputError, match="there is no such file"):
        crosstab(tmp_path / "nowhere.csv", true="t", pred="p")
    with pytest.raises(InputError, match="no file matches"):
        crosstab(str(tmp_path / "*.parquet"), true="t", pred="p")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="empty: the folder holds no files"):
        crosstab(tmp_path / "empty", true="t", pred="p")
    with pytest.raises(InputError, match="unknown option 'delim'"):
        crosstab(latin, true="t", pred="p", reading={"delim": ";"})
    with pytest.raises(InputError, match="memory='lots' is refused"):
        crosstab(latin, true="t", pred="p", memory="lots")
    with pytest.raises(InputError, match="for sources"):
        crosstab([1], [1], memory="1GB")
    (tmp_path / "no.parquet").write_text("t,p\n")
    with pytest.raises(InputError, match="cannot read"):
        crosstab(tmp_path / "no.parquet", true="t", pred="p")
    parquet(tmp_path / "real.parquet", pa.table({"t": [0.5], "p": [1]}))
    with pytest.raises(InputError, match=r"column 't' holds 0\.5"):
        crosstab(tmp_path / "real.parquet", true="t", pred="p")
    with pytest.raises(InputError, match="the limit is 0"):
        crosstab(latin, true="t", pred="p", reading={"encoding": "latin-1"}, max_cells=0)


def test_two_columns_need_no_names_and_it_is_said(tmp_path):
    path = write_csv(tmp_path / "x.csv", ["a", "b"], [(1, 2)])
    assert crosstab(path, true="a").settings["guessed"] == ["pred"]
    assert crosstab(path, pred="b").settings["true"] == "a"


def test_a_table_tells_where_it_comes_from(tmp_path):
    path = write_csv(tmp_path / "x.csv", ["a", "b"], [(1, 2)])
    table = crosstab(path, true="a", pred="b", missing="drop")
    assert table.settings == {
        "source": str(path),
        "true": "a",
        "pred": "b",
        "engine": "duckdb",
        "missing": "drop",
        "unmatched": "error",
    }
    assert "GROUP BY t, p" in table.sql
    assert in_memory([1], [1]).sql == ""


def test_nothing_is_left_behind(tmp_path):
    path = write_csv(tmp_path / "x.csv", ["a", "b"], [(1, 2)])
    spill = tmp_path / "spill"
    spill.mkdir()
    crosstab(path, true="a", pred="b", temporary=str(spill), memory="100MB", threads=1)
    with pytest.raises(InputError):
        crosstab(path, true="a", pred="c", temporary=str(spill))
    assert list(spill.iterdir()) == []
    with pytest.raises(InputError, match="no temporary folder"):
        crosstab(path, true="a", pred="b", temporary=str(path))


@pytest.mark.slow
def test_points_of_sources_are_read_when_asked_for(tmp_path):
    rows = [("a", "1"), ("a", "1"), ("b", "1"), ("b", "2")]
    one = write_csv(tmp_path / "one.csv", ["t", "p"], rows)
    points = evaluate(one, true="t", pred="p").points()
    assert points.rows() == evaluate(*zip(*rows, strict=True)).points().rows()
    truth = write_csv(tmp_path / "truth.csv", ["id", "t"], [(f"r{i}", t) for i, (t, _) in enumerate(rows)])
    found = write_csv(tmp_path / "found.csv", ["id", "p"], [(f"r{i}", p) for i, (_, p) in enumerate(rows)])
    assert [row.point for row in evaluate(truth, found, on="id").points()] == ["r2"]


@pytest.mark.slow
def test_statements_are_explained_and_not_run(tmp_path):
    one = write_csv(tmp_path / "one.csv", ["id", "t"], [(1, "a"), (1, "b")])  # to run them would complain of the id
    two = write_csv(tmp_path / "two.csv", ["id", "p"], [(1, "x")])
    text = evaluate(one, two, on="id", explain=True)
    assert "FULL OUTER JOIN" in text
    assert "-- ids must be there and be unique" in text
    assert "SELECT t, p, n, s FROM" in text
    only = crosstab(one, true="id", pred="t", explain=True, push_down=True)
    assert "CREATE TEMPORARY TABLE" in only
    assert "SELECT t, p, n FROM" not in only
    with duckdb.connect() as connection:  # what is explained runs as it stands
        for statement in only.split(";"):
            connection.execute(statement)
    moved = crosstab(one, true="id", pred="t", explain=True, push_down=True, noise_pred={"a": "singletons"})
    assert "t IN ('a'" not in moved
    assert "p IN ('a')" in moved
    with duckdb.connect() as connection:
        for statement in moved.split(";"):
            connection.execute(statement)
    assert "closed into clusters in memory" in crosstab(one, two, pairs="pred", explain=True)
    with pytest.raises(InputError, match="for sources"):
        crosstab([1], [1], explain=True)


class Known(PathLike):
    """A file that its user knows by another name."""

    def __init__(self, path):
        self.path = path

    def __fspath__(self):
        return str(self.path)

    def __str__(self):
        return "standard input"


@pytest.mark.parametrize("engine", ["duckdb", "polars", "datafusion"])
def test_a_source_is_called_what_the_user_knows_it_by(tmp_path, engine):
    path = Known(write_csv(tmp_path / "one.csv", ["t", "p"], [("a", "x"), ("a", ""), ("b", "y")]))
    assert crosstab(path, true="t", pred="p", missing="drop", engine=engine).settings["source"] == "standard input"
    with pytest.raises(InputError, match=r"^standard input: column 'p' has 1 missing"):
        crosstab(path, true="t", pred="p", engine=engine)


def test_a_file_that_may_not_be_read():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.csv"
        path.write_text("t,p\n1,2\n")
        path.chmod(0)
        Path(folder).chmod(0o755)
        user = os.geteuid()
        if user == 0:  # who may read everything
            os.seteuid(65534)
        try:
            with pytest.raises(InputError, match=r"x\.csv: reading it is not permitted"):
                crosstab(path, true="t", pred="p")
        finally:
            os.seteuid(user)


@pytest.mark.slow
def test_a_long_statement_tells_how_far_it_is_and_prints_nothing(tmp_path, capfd):
    duckdb.sql(
        f"COPY (SELECT i % 1000003 AS t, i % 999983 AS p FROM range(6000000) r(i)) TO '{tmp_path / 'x.parquet'}'"
    )
    capfd.readouterr()
    told = []
    table = crosstab(tmp_path / "x.parquet", true="t", pred="p", push_down=True, threads=1, progress=told.append)
    assert table.n_used == 6_000_000
    assert told
    assert all(0 <= share <= 1 for share in told)
    assert capfd.readouterr() == ("", "")


def test_the_index_of_pandas_and_other_columns_beside_splinks_clusters_are_not_labels(tmp_path):
    pd = need("pandas")
    truth = pd.DataFrame({"id": [1, 2, 3, 4], "entity": [1, 1, 2, 2]}).iloc[[2, 0, 1, 3]]
    truth.to_parquet(tmp_path / "truth.parquet")  # with the column __index_level_0__
    clusters = pd.DataFrame({"cluster_id": [7, 7, 8, 9], "id": [1, 2, 3, 4], "name": list("abcd")})
    clusters.to_parquet(tmp_path / "clusters.parquet")
    found = crosstab(tmp_path / "truth.parquet", tmp_path / "clusters.parquet", on="id")
    assert pair_precision.of(found) == 1
    assert (found.n_used, found.n_true_clusters, found.n_pred_clusters) == (4, 2, 3)
    swapped = {"y_true": tmp_path / "clusters.parquet", "y_pred": tmp_path / "truth.parquet"}
    with pytest.raises(InputError, match="name the column with the clusters by true="):
        crosstab(**swapped, on="id")  # the truth is not guessed by its name
