"""Statements translated by sqlglot run on an engine that speaks another dialect."""

import pytest
from hosts import HomeMadeEngine

from clustermark.engines.adapters.home_made import Transpiled
from clustermark.errors import EngineError, InputError
from clustermark.sources.contingencies import crosstab
from clustermark.tables.tabulation import crosstab as in_memory

ROWS = [(1, "it's"), (1, 'say "hi"'), (2, "it's"), (2, "a;--"), (3, "a;--")]


@pytest.mark.parametrize("push_down", [True, False])
def test_a_warehouse_counts_as_memory_does(push_down):
    warehouse = HomeMadeEngine()
    warehouse.connection.execute("CREATE TABLE points (t INTEGER, p TEXT)")
    warehouse.connection.executemany("INSERT INTO points VALUES (?, ?)", ROWS)
    engine = Transpiled(warehouse, "sqlite")
    table = crosstab("points", true="t", pred="p", engine=engine, push_down=push_down)
    memory = in_memory(*zip(*ROWS, strict=True))
    assert table.profile == memory.profile
    assert sorted(table.true_labels) == [1, 2, 3]


def test_the_dialect_is_that_of_the_warehouse():
    sql = "SELECT CAST(COUNT(*) AS BIGINT) AS n FROM \"my table\" WHERE t = 'it''s'"
    assert Transpiled(HomeMadeEngine(), "bigquery").translate(sql) == (
        "SELECT CAST(COUNT(*) AS INT64) AS n FROM `my table` WHERE t = 'it\\'s'"
    )


def test_what_cannot_be_translated():
    with pytest.raises(InputError, match="dialect='klingon' is unknown to sqlglot"):
        Transpiled(HomeMadeEngine(), "klingon")
    with pytest.raises(EngineError, match="cannot be translated"):
        Transpiled(HomeMadeEngine(), "snowflake").translate("SELECT FROM WHERE ((")
