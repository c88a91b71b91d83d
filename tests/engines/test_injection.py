"""Names and labels that try to break out of a statement do only what they should."""

import pytest
from hosts import DuckDBRelation, DuckDBTable, PostgresTable, SQLiteTable, on, quoted

from clustermark.errors import InputError
from clustermark.sources.contingencies import crosstab
from clustermark.tables.tabulation import crosstab as in_memory
from needs import need

pa = need("pyarrow")

NASTY = [
    'x"; DROP TABLE canary; --',
    "x'; DROP TABLE canary; --",
    "x`; DROP TABLE canary; --",
    "x]; DROP TABLE canary; /*",
    "x\\'; DROP TABLE canary; --",
    'x\\"',
    "a.b",
    "SELECT",
    "%s {} {0} ? $1 :x",
    "ä\u202e😀\n\t",
]


def put_canary(host):
    put = DuckDBTable.source if isinstance(host, DuckDBRelation) else type(host).source
    put(host, pa.table({"alive": [1]}), "canary")


def is_alive(host):
    return host.connection.execute("SELECT alive FROM canary").fetchall() == [(1,)]


@pytest.mark.parametrize("number", range(len(NASTY)))
def test_names_and_labels_stay_names_and_labels(host, number):
    if hasattr(host, "connection"):
        put_canary(host)
    nasty = NASTY[number]
    labels = [nasty, nasty, "b", "b"]
    table = pa.table({nasty: labels, nasty + "2": ["x", nasty, nasty, "x"], "n" + nasty: [1, 2, 3, 4]})
    made = crosstab(
        host.source(table, nasty),
        true=nasty,
        pred=nasty + "2",
        counts="n" + nasty,
        noise_true={nasty: "singletons"},
        push_down=True,
        **host.options,
    )
    expected = in_memory(labels, ["x", nasty, nasty, "x"], counts=[1, 2, 3, 4], noise_true={nasty: "singletons"})
    assert (made.profile, made.n_noise) == (expected.profile, expected.n_noise)
    made.close()
    if hasattr(host, "connection"):
        assert is_alive(host)


@on("spark")
def test_names_that_spark_would_replace_are_refused(host):
    table = pa.table({"${spark.app.name}": ["a"], "p": ["${spark.app.name}"]})
    with pytest.raises(InputError, match="takes for a variable; rename it"):
        crosstab(host.source(table), true="${spark.app.name}", pred="p")


def test_a_name_with_nul_is_refused(host):
    table = pa.table({"t": ["a"], "p": ["b"]})
    with pytest.raises(InputError, match="is not one of its columns"):
        crosstab(host.source(table), true="t\0", pred="p", **host.options)
    if isinstance(host, DuckDBTable | SQLiteTable | PostgresTable):
        with pytest.raises(InputError, match="NUL"):
            crosstab((host.connection, "t\0"), true="t", pred="p")


@on("duckdb-table", "postgres")
def test_a_schema_is_no_part_of_a_table_name(host):
    schema = 'we"ird.schema'
    host.connection.execute(f"DROP SCHEMA IF EXISTS {quoted(schema)} CASCADE")
    host.connection.execute(f"CREATE SCHEMA {quoted(schema)}")
    host.connection.execute(f"CREATE TABLE {quoted(schema)}.points AS SELECT 1 AS t, 2 AS p")
    assert crosstab((host.connection, schema, "points"), true="t", pred="p") == in_memory([1], [2])
    with pytest.raises(InputError):
        crosstab((host.connection, f"{schema}.points"), true="t", pred="p")
    host.connection.execute(f"DROP SCHEMA {quoted(schema)} CASCADE")
