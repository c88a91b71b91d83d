"""Every engine gives the table that the same labels give in memory, and the same scores, bit by bit."""

import os
from collections import Counter
from dataclasses import astuple

import pytest
from cases import CASES, expected, made, scores
from hosts import PostgresTable, SparkFrame, SQLiteTable, where

from clustermark import crosstab
from clustermark.diagnosis import ClusterTable, ErrorList, OverlapMap
from clustermark.engines.adapters.duckdb import DuckDB
from clustermark.errors import InputError
from clustermark.registry import catalogue
from clustermark.statistics.matching import GreedyMatching, Matching
from needs import need

pa, _ = need("pyarrow"), need("duckdb")

MATCHED = [index for index in catalogue() if issubclass(index.statistic, Matching | GreedyMatching)]


def quick(name, case):
    """Spark takes its time, and what stays in it is compared anyway."""
    return name != "spark" or "weights" in CASES[case].numbers


@where("name", CASES, quick)
def test_every_engine_gives_the_table_of_the_labels_in_memory(host, name):
    assert made(host, CASES[name]) == expected(CASES[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, case in CASES.items() if "weights" not in case.numbers])
def test_what_stays_in_the_engine_scores_as_in_memory(host, name):
    if name == "counts" and isinstance(host, SQLiteTable) and not isinstance(host, PostgresTable):
        with pytest.raises(InputError, match="too large for the integers of sqlite"):
            made(host, CASES[name], push_down=True)
        return
    table = made(host, CASES[name], push_down=True)
    try:
        assert scores(table) == scores(expected(CASES[name]))
        assert table == expected(CASES[name])
    finally:
        table.close()


FEW = ["texts", "singletons", "noise alone", "noise unscored", "random 10", "joined, alone"]


@pytest.mark.slow
@where("name", FEW, lambda engine, name: engine != "spark" or name == "noise alone")
def test_what_stays_in_the_engine_goes_wrong_as_in_memory(host, name):
    slow = isinstance(host, SparkFrame)  # it takes a second for each of many statements
    memory, table = expected(CASES[name]), made(host, CASES[name], push_down=True)
    table._fetch_limit = 0
    try:
        for index in MATCHED[:1] if slow else MATCHED:
            if not index.refusal(memory):
                assert index.of(table) == index.of(memory), index.name
        for side in ("true",) if slow else ("true", "pred"):
            mine, theirs = ClusterTable.of(table, side), ClusterTable.of(memory, side)
            assert Counter(mine) == Counter(theirs)
            assert mine.verdicts == theirs.verdicts
            assert Counter(ErrorList.of(table, side, None)) == Counter(ErrorList.of(memory, side, None))
            assert ErrorList.of(table, side, 1).total == ErrorList.of(memory, side, 1).total
        for choice in ("largest", "worst"):
            mine, theirs = (astuple(OverlapMap.of(one, 5, choice)) for one in (table, memory))
            assert mine[5:] == theirs[5:]
    finally:
        table.close()


def test_squares_of_sizes_past_64_bits(host):
    """The squares of the cells fit a word, and those of the clusters do not."""
    counts = [16 * 10**8, 16 * 10**8, 3, 4]
    source = host.source(pa.table({"t": [1, 1, 2, 2], "p": [1, 2, 3, 4], "n": counts}))
    table = crosstab(source, true="t", pred="p", counts="n", push_down=True, **host.options)
    try:
        assert [(row.cluster, row.pairs_lost) for row in ErrorList.of(table, "true", 1)] == [(1, 256 * 10**16)]
        assert ErrorList.of(table, "true", 1).total == 2
    finally:
        table.close()


def test_more_threads_than_processors_are_not_started():
    for asked in (1, 100_000):
        engine = DuckDB.open_embedded(threads=asked)
        try:
            [threads] = engine.fetch("SELECT current_setting('threads') AS n")["n"]
        finally:
            engine.close()
        assert threads == min(asked, os.cpu_count() or asked)
