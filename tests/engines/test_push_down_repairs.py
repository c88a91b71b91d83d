"""Repairs by wrong pairs of a table whose cells stay in the engine: the list of memory, from few cells."""

import json

import pytest
from hosts import on
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import clustermark as cm
from clustermark.diagnosis.repairs import Repairs
from clustermark.rows import RepairDiagnosis
from clustermark.sources.contingencies import crosstab
from clustermark.tables.tabulation import crosstab as in_memory
from needs import need

pa = need("pyarrow")

LABELS = st.lists(st.tuples(st.integers(-1, 6), st.integers(-1, 6)), min_size=1, max_size=40)
SINGLETONS = {"noise_true": {-1: "singletons"}, "noise_pred": {-1: "singletons"}}
SOME = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def push(host, rows, **options):
    """The same table in an engine and in memory; labels are texts, which sort otherwise than they come."""
    true, pred = (["xyzabcde"[label] if label >= 0 else "-1" for label in side] for side in zip(*rows, strict=True))
    options = {name: {str(label): policy for label, policy in noise.items()} for name, noise in options.items()}
    source = host.source(pa.table({"t": true, "p": pred}))
    pushed = crosstab(source, true="t", pred="p", push_down=True, **host.options, **options)
    return pushed, in_memory(true, pred, **options)


def never_all(monkeypatch):
    """Let it be an error to bring all cells over."""

    def refuse(*_):
        raise AssertionError("all cells were fetched")

    monkeypatch.setattr("clustermark.engines.pushdown.table.fetch_cells", refuse)


def told(repairs):
    return [repairs.rows(), repairs.wrong_pairs, repairs.before, repairs.headline]


@on("duckdb-table", "sqlite", "polars", "datafusion")
@pytest.mark.parametrize("policies", [{}, SINGLETONS], ids=["plain", "singletons"])
@pytest.mark.slow
@SOME
@given(rows=LABELS, k=st.sampled_from([0, 1, 2, 3, None]))
def test_the_list_is_that_of_memory(host, policies, rows, k):
    pushed, memory = push(host, rows, **policies)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Repairs, "FETCHED", 1)  # the bound is met as soon as may be
        never_all(patched)
        assert told(Repairs.of(pushed, k)) == told(Repairs.of(memory, k))


@on("postgres")
@pytest.mark.parametrize("policies", [{}, SINGLETONS], ids=["plain", "singletons"])
def test_postgres_gives_it_too(host, policies, monkeypatch):
    rows = [(place * place % 7 - 1, place % 5 * place % 6 - 1) for place in range(60)]
    pushed, memory = push(host, rows, **policies)
    monkeypatch.setattr(Repairs, "FETCHED", 1)
    never_all(monkeypatch)
    for k in (2, None):
        assert told(Repairs.of(pushed, k)) == told(Repairs.of(memory, k))


def pairs_of_two(n):
    """Many true clusters of two points: those of the first ten in one predicted cluster, all others apart."""
    return [(place // 2, 0 if place < 20 else place) for place in range(2 * n)]


def table_of(rows, **options):
    true, pred = (list(side) for side in zip(*rows, strict=True))
    return crosstab(pa.table({"t": true, "p": pred}), true="t", pred="p", push_down=True, engine="duckdb", **options)


def test_few_cells_come_over_where_many_edits_are_equally_good(monkeypatch):
    rows = pairs_of_two(500)
    pushed, memory = table_of(rows), in_memory(*zip(*rows, strict=True))
    never_all(monkeypatch)
    repairs = Repairs.of(pushed, 5)
    assert told(repairs) == told(Repairs.of(memory, 5))
    came = int(repairs.certificate.split()[0])
    assert came < 100 < pushed.n_cells
    assert "mends more than 1 wrong pair" in repairs.certificate


def test_more_come_over_where_the_bound_says_so(monkeypatch):
    """All gathers take from one cluster: when it is split, those that were fetched mend nothing more."""
    rows = [(place // 2, 0) for place in range(100)] + [(1000 + place // 2, 1000 + place) for place in range(100)]
    pushed, memory = table_of(rows), in_memory(*zip(*rows, strict=True))
    asked = []
    edits = type(pushed).edits
    monkeypatch.setattr(type(pushed), "edits", lambda table, n: asked.append(n) or edits(table, n))
    assert told(Repairs.of(pushed, 3)) == told(Repairs.of(memory, 3))
    assert asked == [12, 48, 192]


def test_huge_counts_are_added_up_in_the_engine():
    true, pred, counts = [0, 0, 1, 1], [0, 1, 1, 2], [2**40, 3, 2**41, 5]
    pushed = crosstab(
        pa.table({"t": true, "p": pred, "n": counts}), true="t", pred="p", counts="n", push_down=True, engine="duckdb"
    )
    assert told(Repairs.of(pushed, 2)) == told(Repairs.of(in_memory(true, pred, counts=counts), 2))


def test_other_orders_bring_all_cells_or_say_why_not():
    rows = pairs_of_two(30)
    memory = in_memory(*zip(*rows, strict=True))
    assert told(Repairs.of(table_of(rows), 3, "adjusted_rand")) == told(Repairs.of(memory, 3, "adjusted_rand"))
    narrow = table_of(rows, max_cells=20)
    assert len(Repairs.of(narrow, 1)) == 1
    with pytest.raises(cm.UnsupportedTableError, match=r"by='adjusted_rand': .*50 cells.*by='wrong_pairs'"):
        Repairs.of(narrow, 3, "adjusted_rand")
    with pytest.raises(cm.UnsupportedTableError, match="not made of pairs"):
        Repairs.of(narrow, 3, indices=["b_cubed_f"])
    with pytest.raises(cm.UnsupportedTableError, match="list of repairs"):
        Repairs.of(narrow, None)


def test_labels_are_mended_as_in_memory(tmp_path):
    rows = pairs_of_two(30)
    true, pred = (list(side) for side in zip(*rows, strict=True))
    need("pyarrow", "parquet").parquet.write_table(pa.table({"t": true, "p": pred}), tmp_path / "x.parquet")
    pushed = cm.evaluate(tmp_path / "x.parquet", true="t", pred="p", push_down=True).repairs(4)
    document = json.loads(RepairDiagnosis(cm.evaluate(true, pred), {"repairs": pushed}).to_json())
    assert document["tables"]["repairs"]["certificate"] == pushed.certificate != ""
    assert pushed.certificate in repr(pushed)
    page = cm.evaluate(tmp_path / "x.parquet", true="t", pred="p", push_down=True).report()
    assert "cells were fetched from the engine" in page
    assert pushed.apply(true, pred) == cm.evaluate(true, pred).repairs(4).apply()
