"""Modes of Spark that need separate processes: run with the name of a mode, prints errors as JSON, or {}."""

import json
import os
import sys
import tempfile
import warnings
from pathlib import Path

warnings.simplefilter("ignore")
sys.path.append(str(Path(__file__).parents[1]))  # modules that all tests share

import hosts  # noqa: E402
import pyarrow as pa  # noqa: E402
import pyarrow.parquet  # noqa: E402
from cases import CASES, expected, made, scores  # noqa: E402

from clustermark.engines.adapters.spark import Spark  # noqa: E402
from clustermark.errors import EngineError, InputError  # noqa: E402
from clustermark.sources.contingencies import crosstab  # noqa: E402
from clustermark.tables.tabulation import crosstab as in_memory  # noqa: E402

SOME = ("texts", "not a number", "counts", "noise dropped", "joined, kept")
BY = {"true": "t", "pred": "p"}


def check_cases(session, names=SOME, **options):
    host = hosts.SparkFrame(session)
    for name in names:
        assert made(host, CASES[name], **options) == expected(CASES[name]), name
        table = made(host, CASES[name], push_down=True, **options)
        assert scores(table) == scores(expected(CASES[name])), f"{name}, pushed down"
        table.close()
    assert host.leftovers() == []


def local_cluster():
    """Run executors in separate processes."""
    import pyspark

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:  # executors leave their logs in it
        for part in Path(pyspark.__file__).parent.iterdir():
            (Path(home) / part.name).symlink_to(part)
        (Path(home) / "work").unlink(missing_ok=True)
        os.environ["SPARK_HOME"] = home
        session = hosts.spark_session("local-cluster[2,1,1024]")
        check_cases(session, SOME[2:])
        session.stop()


def connect():
    """Connect to a server, which is started for the client."""
    session = hosts.spark_session("connect:local[2]")
    assert type(session).__module__.startswith("pyspark.sql.connect")
    check_cases(session)
    with tempfile.TemporaryDirectory() as folder:
        check_cases(session, SOME[:1], engine_options={"materialise": "parquet", "folder": folder})
        assert list(Path(folder).iterdir()) == []
    session.stop()


class Stopping(Spark):
    """A session that stops after the cells are counted."""

    def materialise(self, name, sql):
        super().materialise(name, sql)
        self._session.stop()


def local():
    """Test a session started for files, results in a folder, no ANSI mode, and a session that stops meanwhile."""
    from pyspark.sql import SparkSession

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "it's [x] {a,b}.parquet"
        pyarrow.parquet.write_table(pa.table({"t": [1, 1, 2], "p": list("aab")}), path)
        options = {"master": "local[2]", "conf": hosts.SPARK_CONF}
        table = crosstab(path, **BY, engine="spark", engine_options=options)
        assert table == in_memory([1, 1, 2], list("aab"))
        assert SparkSession.getActiveSession() is None, "our own session must be stopped"
        for wrong, said in (
            ({"mastre": "x"}, "unknown option 'mastre'"),
            ({"materialise": "paper"}, "must be 'memory' or 'parquet'"),
            ({"materialise": "parquet"}, "needs a folder"),
            ({"materialise": "parquet", "folder": folder + "/none"}, "cannot be written to"),
        ):
            refused(said, path, engine="spark", engine_options=wrong | options)

    session = hosts.spark_session()
    session.conf.set("spark.sql.ansi.enabled", "false")
    session.conf.set("spark.sql.parser.escapedStringLiterals", "true")
    check_cases(session, ("texts", "counts"))
    frame = hosts.SparkFrame(session).source(pa.table({"t": ["a"] * 4, "p": [1] * 4, "n": [3 * 2**60] * 4}))
    refused("9.2e+18", frame, counts="n")
    with tempfile.TemporaryDirectory() as folder:
        check_cases(session, ("joined, kept",), engine_options={"materialise": "parquet", "folder": folder})
        assert list(Path(folder).iterdir()) == []

    session.range(4).selectExpr("id AS t", "id AS p").createTempView("points")
    try:
        crosstab("points", **BY, engine=Stopping(session))
    except EngineError as error:
        assert "\n" not in str(error), error
    else:
        raise AssertionError("a stopped session must be an error")
    session = hosts.spark_session()
    check_cases(session, ("one cluster",))
    session.stop()


def refused(said, source, **options):
    try:
        crosstab(source, **BY, **options)
    except InputError as error:
        assert said in str(error), error
    else:
        raise AssertionError(f"{said} must be said")


if __name__ == "__main__":
    try:
        {"local": local, "local-cluster": local_cluster, "connect": connect}[sys.argv[1]]()
    except Exception as error:
        sys.stdout.write(json.dumps({type(error).__name__: str(error)[:2000]}) + "\n")
    else:
        sys.stdout.write(json.dumps({}) + "\n")
