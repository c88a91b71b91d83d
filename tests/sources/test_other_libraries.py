"""Tables of other libraries are sources; each is read by the real library, where it is installed."""

from __future__ import annotations

import pytest

import clustermark as cm
from clustermark.errors import InputError
from needs import need

pa = need("pyarrow")
COLUMNS = {"id": [1, 2, 3, 4, 5], "t": ["a", "a", "b", "b", "b"], "p": [1, 1, 1, 2, 3]}
TABLE = pa.table(COLUMNS)
SCORES = {
    "adjusted_rand": cm.adjusted_rand(COLUMNS["t"], COLUMNS["p"]),
    "jaccard": cm.jaccard(COLUMNS["t"], COLUMNS["p"]),
}
OTHER = pa.table({"id": [5, 4, 3, 2, 1], "p": [3, 2, 1, 1, 1]})


def assert_is_a_source(make, **options):
    """Compare the scores of a table of another library with those of lists, wherever a source is read."""
    found = cm.evaluate(make(TABLE), true="t", pred="p", indices=[*SCORES], **options)
    assert {name: found[name] for name in SCORES} == SCORES
    joined = cm.evaluate(make(TABLE), make(OTHER), true="t", pred="p", on="id", indices=[*SCORES], **options)
    assert {name: joined[name] for name in SCORES} == SCORES
    several = cm.compare(make(TABLE), true="t", pred=["p", "id"], **options)
    assert several.score("p", "adjusted_rand") == SCORES["adjusted_rand"]


class Handed:
    """Arrow data of a library that offers the protocol alone."""

    def __init__(self, data):
        self.data = data

    def __arrow_c_stream__(self, requested_schema=None):
        return self.data.__arrow_c_stream__(requested_schema)


def arro3_table(table):
    return need("arro3", "core").core.Table.from_arrow(table)


def arro3_batch(table):
    return need("arro3", "core").core.RecordBatch.from_arrow(table.combine_chunks().to_batches()[0])


ARROW = {"protocol": Handed, "arro3 table": arro3_table, "arro3 batch": arro3_batch}


@pytest.mark.parametrize("engine", ["duckdb", "polars", "datafusion"])
@pytest.mark.parametrize("make", ARROW.values(), ids=ARROW)
def test_arrow_tables_of_any_library(make, engine):
    assert_is_a_source(make, engine=engine)


@pytest.mark.parametrize("make", ARROW.values(), ids=ARROW)
def test_arrow_tables_beside_labels(make):
    table = make(TABLE)
    assert cm.compare(COLUMNS["t"], make(TABLE.select(["id", "p"]))).methods == ("id", "p")
    points = cm.evaluate(COLUMNS["t"], COLUMNS["p"]).points(records=table)
    assert points.to_dict()["id"] == ["3"]
    inner = cm.evaluate_internal(table, "p", features=["id"])
    assert inner["silhouette"] == cm.silhouette([[one] for one in COLUMNS["id"]], COLUMNS["p"])


def test_columns_of_arro3_are_labels():
    table = arro3_table(TABLE)
    assert cm.adjusted_rand(table["t"], table["p"].combine_chunks()) == SCORES["adjusted_rand"]


def test_an_arrow_column_is_no_source():
    with pytest.raises(InputError, match="the Handed: its Arrow data is no table"):
        cm.evaluate(Handed(TABLE["t"]), true="t", pred="p")
    with pytest.raises(InputError, match="y_true is a ChunkedArray, which has no columns"):
        cm.evaluate(arro3_table(TABLE)["t"], true="t", pred="p")
