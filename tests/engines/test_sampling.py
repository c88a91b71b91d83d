"""The same seed draws the same pairs in every engine, with md5 and without it, and nothing is left behind."""

import pytest
from hosts import on

import clustermark as cm
from needs import need

pa, _ = need("pyarrow"), need("duckdb")

N = 400
IDS = [f"it's {place}" for place in range(N)]
OLD = [f"c{place // 4}" for place in range(N)]
NEW = [f"c{place // 4 if place % 7 else 1000 + place // 3}" for place in range(N)]
WANTED = cm.questions(dict(zip(IDS, OLD, strict=True)), dict(zip(IDS, NEW, strict=True)), n=40, seed=7)
ONES = [one[:4] for one in WANTED.table]


def asked(found):
    return [one[:4] for one in found.table]


@on("duckdb-relation", "duckdb-table", "polars-parquet", "datafusion-parquet", "postgres")
def test_one_source_and_two(host):
    table = pa.table({"id": IDS, "old": OLD, "new": NEW})
    one = cm.questions(host.source(table), on="id", true="old", pred="new", n=40, seed=7, **host.options)
    assert asked(one) == ONES
    assert one.design == WANTED.design
    before, after = table.select(["id", "old"]), table.select(["id", "new"]).slice(3)
    two = cm.questions(host.source(before), host.source(after, "found"), on="id", n=40, seed=7, **host.options)
    here = cm.questions(dict(zip(IDS, OLD, strict=True)), dict(zip(IDS[3:], NEW[3:], strict=True)), n=40, seed=7)
    assert asked(two) == asked(here)
    assert two.record.points == here.record.points


@on("duckdb-table", "sqlite", "postgres", "spark")
def test_integers_by_their_texts(host):
    table = pa.table(
        {"id": list(range(N)), "old": [place // 4 for place in range(N)], "new": [place // 8 for place in range(N)]}
    )
    found = cm.questions(host.source(table), on="id", true="old", pred="new", n=40, **host.options)
    assert asked(found) == asked(cm.questions(table["old"].to_pylist(), table["new"].to_pylist(), n=40))


def test_few_rows_come_over_only(monkeypatch):
    table = pa.table({"id": IDS, "old": OLD, "new": NEW})
    with pytest.raises(cm.InputError, match=r"drawing pairs needs \d+ records in memory, and the limit is 5"):
        cm.questions(table, on="id", true="old", pred="new", n=40, engine="duckdb", max_cells=5)
