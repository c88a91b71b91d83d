"""Counts and weights of two sources: each item has one, and where both sources have it, it is the same."""

import pytest

from clustermark import crosstab
from clustermark.errors import InputError
from clustermark.tables.tabulation import crosstab as in_memory
from needs import need

pa, pd, _ = need("pyarrow", "parquet"), need("pandas"), need("duckdb")
ENGINES = [None, "duckdb", "polars", "datafusion"]
LEFT = {"i": [1, 2, 3], "n": [5, 3, 1], "t": list("aab")}
RIGHT = {"i": [3, 2, 1], "n": [1, 3, 5], "p": list("xyx")}


def join(left, right, engine, what="counts", **options):
    return crosstab(
        pa.table(left), pa.table(right), on="i", true="t", pred="p", engine=engine, **{what: "n"}, **options
    )


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("what", ["counts", "weights"])
def test_numbers_of_both_sources_must_agree(engine, what):
    assert join(LEFT, RIGHT, engine, what) == in_memory(list("aab"), list("xyx"), **{what: LEFT["n"]})
    more = {"i": [*RIGHT["i"], 4], "n": [*RIGHT["n"], 9], "p": [*RIGHT["p"], "z"]}
    assert join(LEFT, more, engine, what, unmatched="drop").n_used == (9 if what == "counts" else 3)
    other = {**RIGHT, "n": [1, 4, 6]}
    with pytest.raises(InputError, match=rf"^{what}='n' is in both sources and differs for 2 id\(s\), such as 1; make"):
        join(LEFT, other, engine, what)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("unmatched", ["drop", "singletons", "keep"])
def test_an_id_without_a_number(engine, unmatched):
    more = {"i": [*RIGHT["i"], 7], "p": [*RIGHT["p"], "z"]}
    with pytest.raises(InputError, match=r"^counts='n' has no number for 1 id\(s\) .*, such as 7; every id"):
        join(LEFT, more, engine, unmatched=unmatched)
    fewer = {"i": [1, 2], "n": [5, 3], "p": list("xy")}
    with pytest.raises(InputError, match=r"^counts='n' has no number for 1 id\(s\) .*, such as 3; every id"):
        join({"i": LEFT["i"], "t": LEFT["t"]}, fewer, engine, unmatched=unmatched)


@pytest.mark.parametrize("engine", ENGINES[1:])
def test_the_source_with_a_wrong_number_is_named(tmp_path, engine):
    pa.parquet.write_table(pa.table(LEFT), tmp_path / "left.parquet")
    pa.parquet.write_table(pa.table({**RIGHT, "n": [1, -3, 5]}), tmp_path / "right.parquet")
    paths = tmp_path / "left.parquet", tmp_path / "right.parquet"
    with pytest.raises(InputError, match=r"right\.parquet: 1 row\(s\) have counts='n' that is not a whole number >= 0"):
        crosstab(*paths, on="i", true="t", pred="p", counts="n", engine=engine)


@pytest.mark.parametrize("engine", ENGINES[1:])
def test_the_wrong_one_of_counts_and_weights_is_named(engine):
    source = pa.table({"t": [1, 2], "p": [1, 2], "n": [1, 2], "w": [1.0, -1.0]})
    with pytest.raises(InputError, match=r"1 row\(s\) have weights='w' that is not a finite number >= 0"):
        crosstab(source, true="t", pred="p", counts="n", weights="w", engine=engine)
