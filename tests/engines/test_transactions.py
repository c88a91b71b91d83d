"""Transactions of the user stay as they are, and failures leave nothing behind."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor

import pytest

from clustermark import evaluate
from clustermark.engines.adapters.databases import Postgres
from clustermark.errors import EngineError, InputError
from clustermark.sources.contingencies import crosstab
from clustermark.tables.parts import Worst
from clustermark.tables.tabulation import crosstab as in_memory
from needs import need

duckdb = need("duckdb")
psycopg = need("psycopg")

IDLE, INTRANS = psycopg.pq.TransactionStatus.IDLE, psycopg.pq.TransactionStatus.INTRANS


@pytest.fixture
def points(postgres_address):
    with psycopg.connect(postgres_address, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS points, work")
        connection.execute("CREATE TABLE points AS SELECT 1 AS t, 'a' AS p, -1 AS n")
        connection.execute("CREATE TABLE work (x INTEGER)")
    return postgres_address


def ours(connection):
    return connection.execute("SELECT COUNT(*) FROM pg_class WHERE relname LIKE 'clustermark%'").fetchone()[0]


def all_that_can_happen(source):
    """A success, an error of ours, an error of the engine."""
    assert crosstab(source, true="t", pred="p") == in_memory([1], ["a"])
    with pytest.raises(InputError, match="not a whole number"):
        crosstab(source, true="t", pred="p", counts="n")
    with pytest.raises(EngineError, match="division by zero"):
        crosstab((source[0], "SELECT 1 / (n + 1) AS t, p FROM points"), true="t", pred="p")


def test_a_transaction_of_postgres_goes_on(points):
    with psycopg.connect(points) as connection:
        connection.execute("INSERT INTO work VALUES (1)")
        all_that_can_happen((connection, "points"))
        assert connection.info.transaction_status == INTRANS
        assert ours(connection) == 0
        with psycopg.connect(points) as other:
            assert other.execute("SELECT COUNT(*) FROM work").fetchone() == (0,)
        connection.commit()
        assert connection.execute("SELECT COUNT(*) FROM work").fetchone() == (1,)


@pytest.mark.parametrize("autocommit", [True, False])
def test_no_transaction_of_postgres_is_left_open(points, autocommit):
    rows = psycopg.rows.dict_row
    with psycopg.connect(points, autocommit=autocommit, row_factory=rows) as connection:
        all_that_can_happen((connection, "points"))
        assert connection.info.transaction_status == IDLE
        table = crosstab((connection, "points"), true="t", pred="p", push_down=True)
        assert connection.info.transaction_status == IDLE
        connection.execute("INSERT INTO work VALUES (2)")
        if not autocommit:
            connection.rollback()  # what is ours was there before, and stays
        assert table.true_labels == [1]
        table.close()
        table.close()


def test_tables_of_postgres_that_a_rollback_took_are_no_error(points):
    with psycopg.connect(points) as connection:
        connection.execute("INSERT INTO work VALUES (3)")
        table = crosstab((connection, "points"), true="t", pred="p", push_down=True)
        connection.rollback()
        with pytest.raises(EngineError, match="PostgreSQL"):
            _ = table.true_labels
        table.close()
        assert connection.info.transaction_status == IDLE


def test_a_transaction_of_postgres_that_failed_before(points):
    with psycopg.connect(points) as connection:
        with pytest.raises(psycopg.Error):
            connection.execute("SELECT nonsense")
        with pytest.raises(EngineError, match="roll it back first"):
            crosstab((connection, "points"), true="t", pred="p")
        connection.rollback()
        assert crosstab((connection, "points"), true="t", pred="p").n_used == 1


class Interrupted(Postgres):
    """Somebody ends the connection after the cells are counted."""

    def __init__(self, connection, address):
        super().__init__(connection)
        self.address = address

    def materialise(self, name, sql):
        super().materialise(name, sql)
        with psycopg.connect(self.address, autocommit=True) as other:
            other.execute("SELECT pg_terminate_backend(%s)", [self._connection.info.backend_pid])


@pytest.mark.parametrize("autocommit", [True, False])
def test_a_connection_to_postgres_that_is_lost(points, autocommit):
    connection = psycopg.connect(points, autocommit=autocommit)
    with pytest.raises(EngineError, match=r"PostgreSQL failed: \w[^\n]+$"):
        crosstab("points", true="t", pred="p", engine=Interrupted(connection, points))
    connection.close()
    with pytest.raises(EngineError, match=r"PostgreSQL failed: the connection is (closed|lost)"):
        crosstab((connection, "points"), true="t", pred="p")
    with psycopg.connect(points) as again:
        assert crosstab((again, "points"), true="t", pred="p").n_used == 1
        assert ours(again) == 0


def test_a_transaction_of_sqlite_goes_on(tmp_path):
    connection = sqlite3.connect(tmp_path / "x.db")
    connection.execute("CREATE TABLE points AS SELECT 1 AS t, 'a' AS p, -1 AS n")
    connection.execute("CREATE TABLE work (x)")
    connection.commit()
    connection.row_factory, connection.text_factory = sqlite3.Row, bytes
    connection.execute("INSERT INTO work VALUES (1)")
    assert crosstab((connection, "points"), true="t", pred="p") == in_memory([1], ["a"])
    with pytest.raises(InputError, match="not a whole number"):
        crosstab((connection, "points"), true="t", pred="p", counts="n")
    with pytest.raises(EngineError, match=r"SQLite failed: .*overflow"):
        crosstab((connection, "SELECT abs(-9223372036854775808) AS t, p FROM points"), true="t", pred="p")
    assert connection.in_transaction
    assert connection.text_factory is bytes
    assert connection.execute("SELECT COUNT(*) FROM sqlite_temp_master").fetchone()[0] == 0
    connection.rollback()
    assert connection.execute("SELECT COUNT(*) FROM work").fetchone()[0] == 0
    connection.close()
    with pytest.raises(EngineError, match="SQLite failed: Cannot operate on a closed database"):
        crosstab((connection, "points"), true="t", pred="p")


def test_duckdb_without_memory_and_disk(tmp_path):
    connection = duckdb.connect()
    connection.execute(f"SET temp_directory = '{tmp_path}'")
    connection.execute("SET memory_limit = '50MB'")
    connection.execute("SET max_temp_directory_size = '1MB'")
    connection.execute("SET threads = 1")
    query = "SELECT range AS t, hash(range) AS p FROM range({})"
    with pytest.raises(EngineError, match=r"DuckDB ran out of memory or disk: [^\n]+$"):
        crosstab((connection, query.format(20_000_000)), true="t", pred="p")
    assert connection.execute("SELECT COUNT(*) FROM duckdb_tables()").fetchall() == [(0,)]
    assert crosstab((connection, query.format(100)), true="t", pred="p").n_used == 100
    connection.close()
    with pytest.raises(EngineError, match="DuckDB failed: Connection Error"):
        crosstab((connection, "points"), true="t", pred="p")


def test_an_embedded_duckdb_without_memory_leaves_nothing(tmp_path):
    source = duckdb.sql("SELECT range AS t, hash(range) AS p FROM range(2_000_000)").to_arrow_table()
    with pytest.raises((EngineError, InputError), match="memory"):
        crosstab(source, true="t", pred="p", memory="1MB", temporary=str(tmp_path))
    assert list(tmp_path.iterdir()) == []
    assert crosstab(source.slice(0, 10), true="t", pred="p", temporary=str(tmp_path)).n_used == 10


@pytest.fixture
def rows():
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE points AS SELECT range % 7 AS t, range % 5 AS p FROM range(1000)")
        yield connection


def tables(connection):
    return [name for (name,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()]


def test_the_end_of_a_table_does_not_end_what_the_user_reads(rows):
    table = crosstab((rows, "points"), true="t", pred="p", push_down=True)
    reading = rows.execute("SELECT * FROM range(1000000)")
    assert reading.fetchone() == (0,)
    del table
    assert reading.fetchone() == (1,)
    assert reading.fetchall()[-1] == (999_999,)
    crosstab((rows, "points"), true="t", pred="p")  # and drops what was left
    assert tables(rows) == ["points"]


def test_what_is_gone_is_said_to_be_gone(rows):
    rows.execute("BEGIN")
    table = crosstab((rows, "points"), true="t", pred="p", push_down=True)
    rows.execute("ROLLBACK")
    with pytest.raises(EngineError, match="the table is gone"):
        table.part(Worst("true", 1))


def test_threads_do_not_take_the_results_of_each_other(rows):
    expected = evaluate([i % 7 for i in range(1000)], [i % 5 for i in range(1000)])
    shared = evaluate((rows, "points"), indices=["rand"], true="t", pred="p", push_down=True)

    def work(i):
        if i % 2:
            return evaluate((rows, "points"), true="t", pred="p", push_down=True).to_dict() == expected.to_dict()
        return shared.merges().rows() == expected.merges().rows()

    with ThreadPoolExecutor(6) as threads:
        assert all(threads.map(work, range(12)))
