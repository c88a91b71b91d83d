"""Every engine gives the table that the same labels give in memory, and the same scores, bit by bit."""

import pytest
from cases import CASES, expected, made, scores
from hosts import PostgresTable, SparkFrame, SQLiteTable

from clustermark.errors import InputError


@pytest.mark.parametrize("name", CASES)
def test_every_engine_gives_the_table_of_the_labels_in_memory(host, name):
    if isinstance(host, SparkFrame) and "weights" not in CASES[name].numbers:
        return  # it takes its time, and the next test compares the cells too
    assert made(host, CASES[name]) == expected(CASES[name])


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
