"""Cells that stay in the engine give the same scores, bit for bit, as labels in memory."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clustermark import evaluate
from clustermark.diagnosis import ClusterTable, ErrorList, OverlapMap, Part
from clustermark.engines.adapters.duckdb import DuckDB
from clustermark.engines.engine import FetchLimits, Workspace
from clustermark.errors import InputError, UnsupportedTableError
from clustermark.evaluation.partitions import PartitionEvaluation
from clustermark.registry import catalogue
from clustermark.sources.contingencies import crosstab
from clustermark.statistics.matching import GreedyMatching, Matching
from clustermark.tables.policies import look_for_noise
from clustermark.tables.tabulation import crosstab as in_memory
from needs import need

pa = need("pyarrow", "parquet")

SOME = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
INDICES = [index for index in catalogue() if not index.facts.may_sample]
LABELS = st.lists(st.tuples(st.integers(-1, 5), st.integers(-1, 5)), min_size=1, max_size=40)


NOT_FOR_CHANCE = [index for index in INDICES if not index.facts.chance_model]
"""Expected values take as many steps as a cluster has points: too many where counts are huge."""


def scores(table, indices=INDICES):
    return {index.name: score(index, table) for index in indices if not index.refusal(table)}


def score(index, table):
    try:
        return index.of(table)
    except InputError as error:
        return str(error)


def assert_same(pushed, memory, indices=INDICES):
    assert pushed.profile == memory.profile
    counts = (
        "n_given",
        "n_used",
        "n_noise",
        "n_dropped",
        "n_unmatched",
        "n_cells",
        "n_true_clusters",
        "n_pred_clusters",
    )
    for name in (*counts, "account", "one_sided", "plain", "squares", "names_noise"):
        assert getattr(pushed, name) == getattr(memory, name), name
    assert look_for_noise(pushed) == look_for_noise(memory)
    assert scores(pushed, indices) == scores(memory, indices)


def written(tmp_path, columns, name="x.parquet"):
    pa.parquet.write_table(pa.table(columns), tmp_path / name)
    return tmp_path / name


def columns_of(rows):
    return dict(zip("tp", map(list, zip(*rows, strict=True)), strict=True))


@pytest.mark.slow
@SOME
@given(LABELS)
def test_plain_points(tmp_path, rows):
    columns = columns_of(rows)
    pushed = crosstab(written(tmp_path, columns), true="t", pred="p", push_down=True)
    assert_same(pushed, in_memory(columns["t"], columns["p"]))


@pytest.fixture
def many(monkeypatch):
    """Let any number of cells be too many to come over as a table in memory."""
    monkeypatch.setattr(Workspace, "limits", FetchLimits(integer_cells=0))
    monkeypatch.setattr(DuckDB, "rows_at_once", 3)


@pytest.mark.slow
@SOME
@given(LABELS)
@pytest.mark.usefixtures("many")
def test_the_kernel_adds_up_many_cells_where_there_is_room(tmp_path, rows):
    columns = columns_of(rows)
    table = crosstab(written(tmp_path, columns), true="t", pred="p")
    memory = in_memory(columns["t"], columns["p"])
    assert "kk" not in table.sql  # clusters are counted where lists need them
    assert_same(table, memory)
    for side in ("true", "pred"):
        assert ErrorList.of(table, side, 3).to_dict() == ErrorList.of(memory, side, 3).to_dict()
    assert table == memory
    assert "kk" in table.sql


@pytest.mark.usefixtures("many")
def test_progress_is_told_while_many_cells_come_over(tmp_path):
    told = []
    crosstab(written(tmp_path, {"t": range(8), "p": range(8)}), true="t", pred="p", progress=told.append)
    assert told[-3:] == [3 / 8, 6 / 8, 1.0]


@pytest.mark.parametrize("labels", [[0, 1, 1], ["a", "b", "b"]])
def test_no_more_cells_come_over_at_once_than_memory_holds(tmp_path, monkeypatch, labels):
    limits = FetchLimits(integer_cell_bytes=100_000_000, text_cell_bytes=100_000_000)
    monkeypatch.setattr(Workspace, "limits", limits)
    path = written(tmp_path, {"t": labels, "p": labels})
    at_once, stay = (crosstab(path, true="t", pred="p", memory=memory) for memory in ("250MB", "150MB"))
    assert (at_once.in_memory, stay.in_memory) == (True, False)
    assert_same(stay, at_once)


def test_duckdb_gets_less_than_the_process_may_use():
    engine = DuckDB.open_embedded(memory="8GB")
    try:
        limit = lambda: engine.fetch("SELECT current_setting('memory_limit') AS x")["x"][0]  # noqa: E731
        assert 7.8e9 < engine.memory <= 8e9
        assert limit() == "6.2 GiB"
        engine.leave_memory(7 * 10**9)
        assert limit() == "676.4 MiB"  # of so little it gets three quarters
        assert 7.8e9 < engine.memory <= 8e9
    finally:
        engine.close()


@pytest.mark.parametrize(
    ("labels", "options"),
    [
        ([0, 1, 2**40], {}),
        ([0, 1, 100_000], {"memory": "30MB"}),
        ([0, 1, 2], {"max_cells": 2}),
        ([0, 1, None], {"missing": "cluster"}),
        ([0, 1, 2], {"push_down": True}),
    ],
)
@pytest.mark.usefixtures("many")
def test_many_cells_stay_in_the_engine_alone(tmp_path, labels, options):
    path = written(tmp_path, {"t": labels, "p": [0, 1, 1]})
    assert "kk" in crosstab(path, true="t", pred="p", **options).sql


NOISE = st.dictionaries(st.integers(-1, 1), st.sampled_from(["cluster", "singletons", "drop"]), max_size=2)
OPTIONAL = st.lists(st.tuples(*[st.none() | st.integers(-1, 4)] * 2), min_size=1, max_size=40)


@pytest.mark.slow
@SOME
@given(OPTIONAL, NOISE, NOISE, st.sampled_from(["cluster", "singletons", "drop"]), st.booleans())
def test_noise_and_missing_labels(tmp_path, rows, noise_true, noise_pred, missing, unscored):
    columns = columns_of(rows)
    if unscored:
        noise_pred = {**noise_pred, 2: "unscored"}
    policies = {"noise_true": noise_true, "noise_pred": noise_pred, "missing": missing}
    path = written(tmp_path, {name: pa.array(column, pa.int64()) for name, column in columns.items()})
    try:
        memory = in_memory(columns["t"], columns["p"], **policies)
    except InputError:
        with pytest.raises(InputError):
            crosstab(path, true="t", pred="p", push_down=True, **policies)
        return
    pushed = crosstab(path, true="t", pred="p", push_down=True, **policies)
    assert pushed.unscored == memory.unscored
    assert_same(pushed, memory)


IDS = st.dictionaries(st.integers(0, 25), st.sampled_from(["a", "b'", 'c"', "d;--", "é"]), min_size=1, max_size=25)


@pytest.mark.slow
@pytest.mark.parametrize("unmatched", ["drop", "singletons", "keep"])
@SOME
@given(IDS, IDS)
def test_two_sources_with_ids_on_one_side_only(tmp_path, unmatched, truth, found):
    paths = [
        written(tmp_path, {"id": list(side), "c": list(side.values())}, f"{i}.parquet")
        for i, side in enumerate((truth, found))
    ]
    if unmatched != "keep" and not truth.keys() & found.keys():
        with pytest.raises(InputError, match="no id occurs on both sides"):
            crosstab(*paths, on="id", unmatched=unmatched, push_down=True)
        return
    pushed = crosstab(*paths, on="id", unmatched=unmatched, push_down=True)
    assert_same(pushed, in_memory(truth, found, unmatched=unmatched))


@pytest.mark.slow
@SOME
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 2**40)), min_size=1, max_size=20))
def test_huge_counts(tmp_path, rows):
    t, p, n = map(list, zip(*rows, strict=True))
    path = written(tmp_path, {"t": t, "p": p, "n": n})
    if not any(n):
        return
    pushed = crosstab(path, true="t", pred="p", counts="n", push_down=True)
    assert_same(pushed, in_memory(t, p, counts=n), NOT_FOR_CHANCE)


def test_sums_of_squares_past_64_bits(tmp_path):
    t, p = [0, 0, 1, 1, 2], [0, 1, 1, 2, 3]
    for n in (
        [2**60, 2**59 + 1, 2**58 + 3, 2**57, 2**60 + 12345],
        [2**61, 2**60 + 1, 2**61 + 3, 2**59, 2**60 + 12345],
    ):
        path = written(tmp_path, {"t": t, "p": p, "n": n})
        assert_same(
            crosstab(path, true="t", pred="p", counts="n", push_down=True), in_memory(t, p, counts=n), NOT_FOR_CHANCE
        )
    with pytest.raises(InputError, match=r"more than 9\.2e\+18"):
        crosstab(written(tmp_path, {"t": t, "p": p, "n": [2**61] * 5}), true="t", pred="p", counts="n", push_down=True)


def test_cells_come_over_only_up_to_a_limit(tmp_path):
    path = written(tmp_path, {"t": [1, 1, 2], "p": [1, 2, 2]})
    table = crosstab(path, true="t", pred="p", push_down=True, max_cells=2)
    assert table.n_used == 3
    with pytest.raises(UnsupportedTableError, match="needs all 3 cells of the table in memory, and the limit is 2"):
        _ = table.cells
    assert crosstab(path, true="t", pred="p", push_down=True).true_labels == [1, 2]
    with pytest.raises(InputError, match="weights"):
        crosstab(path, true="t", pred="p", weights="p", push_down=True)


@pytest.mark.slow
@SOME
@given(OPTIONAL, NOISE, NOISE, st.sampled_from(["singletons", "drop", "cluster"]))
def test_where_it_goes_wrong(tmp_path, rows, noise_true, noise_pred, missing):
    columns = columns_of(rows)
    policies = {"noise_true": noise_true, "noise_pred": noise_pred, "missing": missing}
    path = written(tmp_path, {name: pa.array(column, pa.int64()) for name, column in columns.items()})
    try:
        memory = PartitionEvaluation.of_table(crosstab(columns["t"], columns["p"], **policies), [])
    except InputError:
        return
    pushed = PartitionEvaluation.of_table(crosstab(path, true="t", pred="p", push_down=True, **policies), [])
    for mine, theirs in ((pushed.clusters, memory.clusters), (pushed.classes, memory.classes)):
        assert mine.rows() == theirs.rows()
        assert (mine.total, mine.verdicts) == (theirs.total, theirs.verdicts)
    for k in (None, 1, 2):
        for mine, theirs in ((pushed.splits(k), memory.splits(k)), (pushed.merges(k), memory.merges(k))):
            assert mine.total == theirs.total
            assert mine.rows() == theirs.rows()
    for k in (1, 2, 40):
        assert pushed.overlap_map(k).to_json() == memory.overlap_map(k).to_json()
    assert (pushed.verdict, pushed.notices) == (memory.verdict, memory.notices)
    assert (pushed.record.noise, repr(pushed)) == (memory.record.noise, repr(memory))
    assert pushed.sizes == memory.sizes
    assert pushed.to_dict() == memory.to_dict()


def test_of_equals_the_largest_is_the_worst(tmp_path):
    rows = [("a", 1), ("a", 1), ("a", 2), ("a", 2), *[("b", 3)] * 4, ("b", 4)]
    memory = evaluate(*zip(*rows, strict=True), [])
    pushed = evaluate(written(tmp_path, columns_of(rows)), indices=[], true="t", pred="p", push_down=True)
    assert [row.pairs_lost for row in memory.splits()] == [4, 4]
    assert memory.splits(1)[0].cluster == pushed.splits(1)[0].cluster == "b"


def test_points_of_one_side_that_are_dropped_are_not_used(tmp_path):
    truth, found = {1: "a", 2: None, 3: "a", 4: "noise"}, {1: "x", 3: "x", 5: None}
    paths = [
        written(tmp_path, {"id": list(side), "c": list(side.values())}, f"{i}.parquet")
        for i, side in enumerate((truth, found))
    ]
    policies = {"unmatched": "keep", "missing": "drop", "noise_true": {"noise": "drop"}}
    assert_same(crosstab(*paths, on="id", push_down=True, **policies), in_memory(truth, found, **policies))


@pytest.mark.parametrize("low", [0, 1, 5])
def test_unsigned_labels_beside_missing_ones(tmp_path, low):
    t = [None, low, 2**63 + 1, 2**63 + 2, 2**64 - 2]
    path = written(tmp_path, {"t": pa.array(t, pa.uint64()), "p": [1, 1, 2, 2, 3]})
    evaluation = evaluate(path, indices=[], true="t", pred="p", missing="cluster", push_down=True)
    assert [row.cluster for row in evaluation.classes] == [*t[1:], None]
    assert evaluation.merges().rows() == evaluate(t, [1, 1, 2, 2, 3], [], missing="cluster").merges().rows()


def test_unsigned_labels_that_leave_no_room(tmp_path):
    path = written(tmp_path, {"t": pa.array([None, 0, 2**64 - 1], pa.uint64()), "p": [1, 1, 2]})
    with pytest.raises(InputError, match="this column has no free label; choose push_down=False"):
        crosstab(path, true="t", pred="p", missing="cluster", push_down=True)


@pytest.mark.parametrize("noise", [float("inf"), 10**400, 0.5, 10**30, "x", (1,)])
@pytest.mark.parametrize("kind", [pa.int64(), pa.float64(), pa.bool_()])
def test_noise_that_no_column_holds_changes_nothing(tmp_path, noise, kind):
    path = written(tmp_path, {"t": [1, 1, 0], "p": pa.array([1, 0, 0]).cast(kind)})
    pushed = crosstab(path, true="t", pred="p", noise_pred={noise: "drop"}, push_down=True)
    assert (pushed.n_used, pushed.n_noise) == (3, 0)


@pytest.mark.parametrize("noise", [0, False, 0.0])
@pytest.mark.parametrize("kind", [pa.int64(), pa.float64(), pa.bool_()])
def test_noise_is_the_same_number_whatever_its_type(tmp_path, noise, kind):
    path = written(tmp_path, {"t": [1, 1, 0], "p": pa.array([1, 0, 0]).cast(kind)})
    for push_down in (True, False):
        table = crosstab(path, true="t", pred="p", noise_pred={noise: "drop"}, push_down=push_down)
        assert (table.n_used, table.n_noise) == (1, 2)


def test_only_the_worst_come_over(tmp_path):
    n = 40
    rows = [(i, i if j else i + 1) for i in range(n) for j in range(i + 1)]
    path = written(tmp_path, columns_of(rows))
    table = crosstab(path, true="t", pred="p", push_down=True, max_cells=30)
    memory = in_memory(*zip(*rows, strict=True))
    assert [row.cluster for row in ErrorList.of(table, "pred", 5)] == [
        row.cluster for row in ErrorList.of(memory, "pred", 5)
    ]
    assert ErrorList.of(table, "true", 3).rows() == ErrorList.of(memory, "true", 3).rows()
    with pytest.raises(UnsupportedTableError, match="the list of clusters needs"):
        ErrorList.of(table, "pred", None)
    shown, expected = OverlapMap.of(table, 3), OverlapMap.of(memory, 3)
    assert shown.to_json() == expected.to_json()


def test_a_verdict_counts_all_clusters_where_only_some_came_over(tmp_path, monkeypatch):
    monkeypatch.setattr(ClusterTable, "FETCHED", 2)
    path = written(tmp_path, {"t": [1, 2, 3, 4, 5, 5], "p": [1, 2, 3, 4, 5, -1]})
    evaluation = evaluate(path, true="t", pred="p", noise_pred={-1: "unscored"}, push_down=True)
    assert len(evaluation.clusters) == 2
    assert "4 of 5 predicted clusters are true clusters exactly" in evaluation.verdict


def test_wrong_pairs_reach_beyond_what_came_over(tmp_path, monkeypatch):
    monkeypatch.setattr(ClusterTable, "FETCHED", 2)
    columns = {"t": [*"aaabbbbccddd"], "p": [1, 1, 2, 1, 2, 2, 3, 3, 1, 2, 3, 4]}
    pushed = evaluate(written(tmp_path, columns), true="t", pred="p", push_down=True)
    memory = evaluate(columns["t"], columns["p"])
    for some, every in ((pushed.classes, memory.classes), (pushed.clusters, memory.clusters)):
        wrong = dict(zip(every.to_dict()["cluster"], every.column("pairs_wrong").tolist(), strict=True))
        assert len(some) == 2
        assert some.column("pairs_wrong").tolist() == [wrong[row.cluster] for row in some]


def test_the_cluster_of_missing_labels_has_no_name(tmp_path):
    path = written(tmp_path, {"t": [None, None, 1, 1], "p": ["a", "a", None, "b"]})
    evaluation = evaluate(path, true="t", pred="p", missing="cluster", push_down=True)
    assert {row.cluster for row in evaluation.classes} == {None, 1}
    assert {row.cluster for row in evaluation.clusters} == {None, "a", "b"}
    assert set(evaluation.splits()[0].parts) == {Part(None, 1, 1), Part("b", 1, 1)}


MATCHED = [index for index in INDICES if issubclass(index.statistic, Matching | GreedyMatching)]


@pytest.mark.slow
@SOME
@given(
    st.lists(st.tuples(*[st.integers(-1, 7)] * 2), min_size=1, max_size=60), st.sampled_from([{}, {-1: "singletons"}])
)
def test_an_engine_matches_what_is_certain(tmp_path, rows, noise):
    columns = columns_of(rows)
    policies = {"noise_true": noise, "noise_pred": noise}
    memory = in_memory(columns["t"], columns["p"], **policies)
    pushed = crosstab(written(tmp_path, columns), true="t", pred="p", push_down=True, **policies)
    pushed._fetch_limit = 0
    assert {index.name: index.of(pushed) for index in MATCHED} == {index.name: index.of(memory) for index in MATCHED}
    if pushed._in_engine._count_rest():
        assert "LEAD(w)" in pushed.sql
