"""Statements translated by sqlglot run on an engine that speaks another dialect."""

import sqlite3

import pytest

from clustermark.contingency import crosstab as in_memory
from clustermark.crosstabs import crosstab
from clustermark.engines.transpiled import Transpiled
from clustermark.errors import EngineError, InputError


class Warehouse:
    name = "warehouse"

    def __init__(self):
        self.connection = sqlite3.connect(":memory:")

    def materialise(self, name, sql):
        self.connection.execute(f'CREATE TEMPORARY TABLE "{name}" AS {sql}')

    def fetch(self, sql):
        cursor = self.connection.execute(sql)
        names, rows = [column[0] for column in cursor.description], cursor.fetchall()
        return {name: [row[i] for row in rows] for i, name in enumerate(names)}

    def release(self, names):
        for name in names:
            self.connection.execute(f'DROP TABLE IF EXISTS "{name}"')


ROWS = [(1, "it's"), (1, 'say "hi"'), (2, "it's"), (2, "a;--"), (3, "a;--")]


@pytest.mark.parametrize("push_down", [True, False])
def test_a_warehouse_counts_as_memory_does(push_down):
    warehouse = Warehouse()
    warehouse.connection.execute("CREATE TABLE points (t INTEGER, p TEXT)")
    warehouse.connection.executemany("INSERT INTO points VALUES (?, ?)", ROWS)
    engine = Transpiled(warehouse, "sqlite")
    table = crosstab("points", true="t", pred="p", engine=engine, push_down=push_down)
    memory = in_memory(*zip(*ROWS, strict=True))
    assert table.profile == memory.profile
    assert sorted(table.true_labels) == [1, 2, 3]


def test_the_dialect_is_that_of_the_warehouse():
    sql = "SELECT CAST(COUNT(*) AS BIGINT) AS n FROM \"my table\" WHERE t = 'it''s'"
    assert Transpiled(Warehouse(), "bigquery").translated(sql) == (
        "SELECT CAST(COUNT(*) AS INT64) AS n FROM `my table` WHERE t = 'it\\'s'"
    )


def test_what_cannot_be_translated():
    with pytest.raises(InputError, match="dialect='klingon' is unknown to sqlglot"):
        Transpiled(Warehouse(), "klingon")
    with pytest.raises(EngineError, match="cannot be translated"):
        Transpiled(Warehouse(), "snowflake").translated("SELECT FROM WHERE ((")
