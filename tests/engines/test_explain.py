"""explain=True returns the statements that then run, in the same order."""

import re

import hosts
import pytest

from clustermark._kernel import Worth
from clustermark.sources.contingencies import crosstab
from clustermark.tables.policies import look_for_noise
from needs import need

pa = need("pyarrow")

POINTS = pa.table(
    {
        "t": ["a", "a", "b", "b", "c", None, "c"],
        "p": [1, 1, 1, 2, -1, 2, None],
        "q": ["x", None, "x", "y", "y", "z", "z"],
        "n": [1, 2, 3, 4, 5, 6, 7],
        "x": [1.0, 2.0, 2.0, 1.0, 3.0, 3.0, 2.0],
    }
)
TRUTH = pa.table({"i": [1, 2, 3, 4, 5], "t": ["a", "a", "b", "b", "c"]})
FOUND = pa.table({"i": [1, 2, 3, 4, 6], "p": ["x", "x", "x", "y", "y"]})
PAIRS = pa.table({"left": [1, 2, 4], "right": [2, 3, 5]})
FULL = POINTS.slice(0, 4)

REQUESTS = {
    "one source": ((FULL,), {}),
    "counts": ((FULL,), {"counts": "n"}),
    "floats": ((FULL,), {"pred": "x"}),
    "noise alone": ((FULL,), {"noise_pred": {1: "singletons"}, "noise_true": {"c": "drop"}}),
    "noise unscored": ((FULL,), {"noise_pred": {1: "unscored"}}),
    "missing dropped": ((POINTS,), {"missing": "drop", "noise_pred": {-1: "cluster"}}),
    # of numbers, the label that stands for missing ones depends on the smallest of the column
    "missing a cluster": ((POINTS,), {"missing": "cluster", "pred": "q"}),
    "two sources": ((TRUTH, FOUND.set_column(0, "i", pa.array([1, 2, 3, 4, 5]))), {"on": "i"}),
    "unmatched alone": ((TRUTH, FOUND), {"on": "i", "unmatched": "singletons"}),
    "unmatched kept": ((TRUTH, FOUND), {"on": "i", "unmatched": "keep"}),
    "pairs": ((TRUTH, PAIRS), {"on": "i", "pairs": "pred"}),
}
STATEMENT = re.compile(r"^-- [^\n]+\n(.*?);(?:\n\n|\Z)", re.DOTALL | re.MULTILINE)


def without_names(statement):
    """The random part of a name is another every time."""
    return re.sub(r"clustermark_[0-9a-f]{12}_", "clustermark_", statement)


@pytest.mark.slow
@hosts.on("duckdb-1-thread", "duckdb-table", "polars", "datafusion", "sqlite")
@pytest.mark.parametrize("push_down", [True, False])
@pytest.mark.parametrize("name", REQUESTS)
def test_what_is_explained_is_what_runs(host, name, push_down):
    tables, options = REQUESTS[name]
    sources = [host.source(table, f"points{number}") for number, table in enumerate(tables)]
    columns = {} if "on" in options else {"true": "t", "pred": "p"}
    options = {**columns, **options, **host.options, "push_down": push_down}
    explained = crosstab(*sources, explain=True, **options)
    table = crosstab(*sources, **options)
    look_for_noise(table)
    table.joint()
    table.matching(Worth.POINTS)
    ran = [without_names(statement) for statement in table.sql.split(";\n")]
    assert [without_names(statement) for statement in STATEMENT.findall(explained)] == ran
    assert len(ran) >= 3


@hosts.on("duckdb-1-thread")
def test_where_the_cells_decide_both_ways_are_explained(host):
    options = {"true": "t", "pred": "n", "missing": "drop", "explain": True}
    texts = [without_names(crosstab(POINTS, **options, push_down=push_down)) for push_down in (None, False, True)]
    assert "compute the rest in memory, if they are at most 4,000,000; otherwise:" in texts[0]
    either, few, many = map(STATEMENT.findall, texts)
    assert either == [*few, *many[2:]]
    assert either[:2] == many[:2]
    weighted = crosstab(POINTS, **options, weights="x")
    assert "GROUP BY size" not in weighted


@hosts.on("duckdb-table")
def test_explaining_leaves_nothing_and_runs_nothing(host):
    source = host.source(POINTS)
    assert "GROUP BY" in crosstab(source, true="t", pred="p", explain=True, missing="drop")
    assert host.leftovers() == []
