"""Engines that store the same table, and the source of it for crosstab()."""

import sqlite3
import warnings

import pytest

from clustermark.engines.dialect import Dialect
from needs import need


def on(*names):
    """Select only these engines."""
    return pytest.mark.parametrize("host", names, indirect=True)


def where(other, values, applies):
    """Combine each engine with each value of another parameter that applies to it."""
    pairs = [(name, value) for name in NAMES for value in values if applies(name, value)]
    return pytest.mark.parametrize(("host", other), pairs, indirect=["host"])


SPARK_CONF = {
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.codegen.wholeStage": "false",  # tables are small, and compiling takes longer than counting
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
    "spark.ui.enabled": "false",
    "spark.driver.memory": "1g",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.log.level": "OFF",
}


def quoted(name, quote='"'):
    return quote + name.replace(quote, quote * 2) + quote


class Host:
    """An engine that can store a table."""

    options = {}

    def source(self, table, name="points"):
        """Store a table of Arrow; return the source for crosstab()."""
        raise NotImplementedError

    def leftovers(self):
        """Return the names of our tables that still exist."""
        return []


class DuckDBData(Host):
    def __init__(self, threads):
        self.options = {"threads": threads, "engine": "duckdb"}

    def source(self, table, name="points"):
        return table


class DuckDBRelation(Host):
    def __init__(self):
        self.connection = need("duckdb").connect()

    def source(self, table, name="points"):
        return self.connection.from_arrow(table)

    def leftovers(self):
        rows = self.connection.execute(
            "SELECT table_name FROM duckdb_tables() UNION ALL SELECT view_name FROM duckdb_views()"
        ).fetchall()
        return [name for (name,) in rows if name.startswith("clustermark")]


class DuckDBTable(DuckDBRelation):
    def source(self, table, name="points"):
        self.connection.register("given", table)
        self.connection.execute(f"CREATE OR REPLACE TABLE {quoted(name)} AS FROM given")
        self.connection.unregister("given")
        return (self.connection, name)


class PolarsFrame(Host):
    options = {"engine": "polars"}

    def source(self, table, name="points"):
        return need("polars").from_arrow(table)


class PolarsLazy(Host):
    def source(self, table, name="points"):
        return need("polars").from_arrow(table).lazy()


class DataFusionFrame(Host):
    def __init__(self):
        self.context = need("datafusion").SessionContext()

    def source(self, table, name="points"):
        return self.context.from_arrow(table)


class ParquetFile(Host):
    """A file of Parquet read by a chosen engine."""

    def __init__(self, engine, folder):
        self.options = {"engine": engine}
        self.folder = folder
        self.files = 0

    def source(self, table, name="points"):
        self.files += 1
        path = self.folder / f"{self.files} [x] {{a,b}} it's.parquet"
        need("pyarrow", "parquet").parquet.write_table(table, path)
        return path


class SQLiteTable(Host):
    types = {"int64": "INTEGER", "double": "REAL", "bool": "INTEGER"}
    mark = "?"

    def __init__(self):
        self.connection = sqlite3.connect(":memory:")

    def source(self, table, name="points"):
        self.connection.execute(f"DROP TABLE IF EXISTS {quoted(name)}")
        columns = ", ".join(f"{quoted(field.name)} {self.types.get(str(field.type), 'TEXT')}" for field in table.schema)
        self.connection.execute(f"CREATE TABLE {quoted(name)} ({columns})")
        rows = list(zip(*(column.to_pylist() for column in table.columns), strict=True))
        marks = ", ".join([self.mark] * table.num_columns)
        self.connection.cursor().executemany(f"INSERT INTO {self.in_pattern(quoted(name))} VALUES ({marks})", rows)
        self.connection.commit()
        return (self.connection, name)

    def in_pattern(self, text):
        return text

    def leftovers(self):
        rows = self.connection.execute("SELECT name FROM sqlite_temp_master WHERE name LIKE 'clustermark%'").fetchall()
        return [name for (name,) in rows]


class PostgresTable(SQLiteTable):
    types = {"int64": "BIGINT", "double": "DOUBLE PRECISION", "bool": "BOOLEAN", "string": "TEXT"}
    mark = "%s"

    def __init__(self, address):
        self.connection = need("psycopg").connect(address, autocommit=True)

    def in_pattern(self, text):
        return text.replace("%", "%%")

    def leftovers(self):
        rows = self.connection.execute("SELECT relname FROM pg_class WHERE relname LIKE 'clustermark%'").fetchall()
        return [name for (name,) in rows]


class SparkFrame(Host):
    def __init__(self, session):
        self.session = session

    def source(self, table, name="points"):
        return self.session.createDataFrame(table)

    def leftovers(self):
        return [view.name for view in self.session.catalog.listTables() if view.name.startswith("clustermark")]


MAKERS = {
    "duckdb-1-thread": lambda request: DuckDBData(1),
    "duckdb-2-threads": lambda request: DuckDBData(2),
    "duckdb-relation": lambda request: DuckDBRelation(),
    "duckdb-table": lambda request: DuckDBTable(),
    "polars": lambda request: PolarsFrame(),
    "polars-lazy": lambda request: PolarsLazy(),
    "polars-parquet": lambda request: ParquetFile("polars", request.getfixturevalue("tmp_path")),
    "datafusion": lambda request: DataFusionFrame(),
    "datafusion-parquet": lambda request: ParquetFile("datafusion", request.getfixturevalue("tmp_path")),
    "sqlite": lambda request: SQLiteTable(),
    "postgres": lambda request: PostgresTable(request.getfixturevalue("postgres_address")),
    "spark": lambda request: SparkFrame(request.getfixturevalue("spark")),
}
"""Every test of engines runs on each of these; servers and folders come from fixtures of pytest."""

NAMES = tuple(MAKERS)


def spark_session(master="local[2]"):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of pyspark, about the version of pandas
        from pyspark.sql import SparkSession

        builder = SparkSession.builder.remote(master[8:]) if master.startswith("connect:") else (
            SparkSession.builder.master(master)
        )  # fmt: skip
        for key, value in SPARK_CONF.items():
            builder = builder.config(key, value)
        return builder.getOrCreate()


class HomeMadeEngine:
    """A minimal engine."""

    name = "home-made"
    dialect = Dialect(nan="FALSE", parsed="", wide="")

    def __init__(self):
        self.connection = sqlite3.connect(":memory:")

    def materialise(self, name, sql):
        self.connection.execute(f"CREATE TABLE {self.dialect.name(name)} AS {sql}")

    def fetch(self, sql):
        cursor = self.connection.execute(sql)
        names, rows = [column[0] for column in cursor.description], cursor.fetchall()
        return {name: [row[i] for row in rows] for i, name in enumerate(names)}

    def release(self, names):
        for name in names:
            self.connection.execute(f"DROP TABLE IF EXISTS {self.dialect.name(name)}")
