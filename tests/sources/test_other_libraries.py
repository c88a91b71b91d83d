"""Tables of other libraries are sources; each is read by the real library, where it is installed."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import clustermark as cm
from clustermark.engines.adapters import arrow
from clustermark.errors import InputError
from needs import need

pa = need("pyarrow")
pd = need("pandas")
COLUMNS = {"id": [1, 2, 3, 4, 5], "t": ["a", "a", "b", "b", "b"], "p": [1, 1, 1, 2, 3]}
TABLE = pa.table(COLUMNS)
SCORES = {
    "adjusted_rand": cm.adjusted_rand(COLUMNS["t"], COLUMNS["p"]),
    "jaccard": cm.jaccard(COLUMNS["t"], COLUMNS["p"]),
}
OTHER = pa.table({"id": [5, 4, 3, 2, 1], "p": [3, 2, 1, 1, 1]})


def assert_is_a_source(make, **options):
    """Compare the scores of a table of another library with those of lists, wherever a source is read."""
    found = cm.evaluate(make(TABLE), true="t", pred="p", indices=[*SCORES], **options)
    assert {name: found[name] for name in SCORES} == SCORES
    joined = cm.evaluate(make(TABLE), make(OTHER), true="t", pred="p", on="id", indices=[*SCORES], **options)
    assert {name: joined[name] for name in SCORES} == SCORES
    several = cm.compare(make(TABLE), true="t", pred=["p", "id"], **options)
    assert several.score("p", "adjusted_rand") == SCORES["adjusted_rand"]


class Handed:
    """Arrow data of a library that offers the protocol alone."""

    def __init__(self, data):
        self.data = data

    def __arrow_c_stream__(self, requested_schema=None):
        return self.data.__arrow_c_stream__(requested_schema)


def arro3_table(table):
    return need("arro3", "core").core.Table.from_arrow(table)


def arro3_batch(table):
    return need("arro3", "core").core.RecordBatch.from_arrow(table.combine_chunks().to_batches()[0])


ARROW = {"protocol": Handed, "arro3 table": arro3_table, "arro3 batch": arro3_batch}


@pytest.mark.parametrize("engine", ["duckdb", "polars", "datafusion"])
@pytest.mark.parametrize("make", ARROW.values(), ids=ARROW)
def test_arrow_tables_of_any_library(make, engine):
    assert_is_a_source(make, engine=engine)


@pytest.mark.parametrize("make", ARROW.values(), ids=ARROW)
def test_arrow_tables_beside_labels(make):
    table = make(TABLE)
    assert cm.compare(COLUMNS["t"], make(TABLE.select(["id", "p"]))).methods == ("id", "p")
    points = cm.evaluate(COLUMNS["t"], COLUMNS["p"]).points(records=table)
    assert points.to_dict()["id"] == ["3"]
    inner = cm.evaluate_internal(table, "p", features=["id"])
    assert inner["silhouette"] == cm.silhouette([[one] for one in COLUMNS["id"]], COLUMNS["p"])


def test_columns_of_arro3_are_labels():
    table = arro3_table(TABLE)
    assert cm.adjusted_rand(table["t"], table["p"].combine_chunks()) == SCORES["adjusted_rand"]


def test_an_arrow_column_is_no_source():
    with pytest.raises(InputError, match="the Handed: its Arrow data is no table"):
        cm.evaluate(Handed(TABLE["t"]), true="t", pred="p")
    with pytest.raises(InputError, match="y_true is a ChunkedArray, which has no columns"):
        cm.evaluate(arro3_table(TABLE)["t"], true="t", pred="p")


@pytest.fixture
def objects_for_texts():
    """Let pandas 3 hold texts as before, as files of AnnData need it."""
    if pd.__version__ >= "3":
        with pd.option_context("future.infer_string", False):
            yield
    else:
        yield


IGNORED = "ignore:.* is deprecated"
"""Warnings that anndata and Ibis raise with new versions of pandas and DuckDB."""


def annotated(table):
    frame = pd.DataFrame(table.to_pydict()).astype({table.column_names[-1]: "category"})
    frame.index = [f"cell{row}" for row in range(len(frame))]
    points = np.arange(2.0 * len(frame)).reshape(-1, 2)
    return need("anndata").AnnData(points, obs=frame, obsm={"X_pca": points})


@pytest.mark.filterwarnings(IGNORED)
def test_anndata():
    assert_is_a_source(annotated)
    adata = annotated(TABLE)
    found = cm.evaluate(adata, true="t", pred="p")
    assert found.settings["source"] == "the AnnData"
    assert found.points(records=adata, show=["id"]).to_dict()["id"] == ["3"]
    assert found.points(show=["id"]).to_dict()["id"] == ["3"]
    in_memory = cm.evaluate(adata.obs["t"], adata.obs["p"])
    assert in_memory.points(records=adata, show=["id"]).to_dict()["id"] == ["3"]
    turned = annotated(TABLE.rename_columns(["number", "t", "p"]))[::-1]  # found by the names of the points
    assert in_memory.points(records=turned, show=["number"]).to_dict()["number"] == ["3"]


@pytest.mark.filterwarnings(IGNORED)
def test_anndata_is_no_labeling():
    adata = annotated(TABLE)
    with pytest.raises(InputError, match=r"y_true is a table of points \(AnnData\).*y_true\.obs\['cell_type'\]"):
        cm.adjusted_rand(adata, adata)
    with pytest.raises(InputError, match=r"the AnnData: pred='leiden' is not one of its columns"):
        cm.evaluate(adata, true="t", pred="leiden")
    with pytest.raises(InputError, match=r"pass them and the labels, such as adata.obsm\['X_pca'\]"):
        cm.evaluate_internal(adata, "p")


@pytest.mark.filterwarnings(IGNORED)
@pytest.mark.usefixtures("objects_for_texts")
@pytest.mark.parametrize("make", [cm.evaluate, cm.compare, cm.describe], ids=lambda make: make.__name__)
def test_results_in_the_annotations_of_anndata(make, tmp_path):
    adata = annotated(TABLE)
    asked = {"labels": "p", "records": adata} if make is cm.describe else {"true": "t", "pred": "p"}
    if make is cm.compare:
        asked["pred"] = ["p", "id"]
    result = make(**asked) if make is cm.describe else make(adata, **asked)
    result.to_uns(adata)
    with pytest.raises(InputError, match=r"adata\.uns has 'clustermark' already"):
        result.to_uns(adata)
    result.to_uns(adata, overwrite=True)
    result.to_uns(adata, "again")
    path = tmp_path / "cells.h5ad"
    adata.write_h5ad(path)
    kept = need("anndata").read_h5ad(path).uns
    assert kept["clustermark"]["json"] == kept["again"]["json"] == result.to_json()
    assert kept["clustermark"]["kind"] == result.KIND
    main = kept["clustermark"]["tables"][result.MAIN]
    expected = result.tables()[result.MAIN].to_dict()
    assert list(main.columns) == list(expected)
    for name, column in expected.items():
        found = main[name].tolist()
        assert [None if pd.isna(one) else one for one in found] == [
            one if one is None or isinstance(one, int | float) else str(one) for one in column
        ]
    with pytest.raises(InputError, match="adata is a dict, which has no `uns`"):
        result.to_uns({})


NARWHALS = {
    "pandas": lambda table: table.to_pandas(),
    "polars": lambda table: need("polars").from_arrow(table),
    "lazy polars": lambda table: need("polars").from_arrow(table).lazy(),
    "arrow": lambda table: table,
    "duckdb": lambda table: need("duckdb").from_arrow(table),
}


@pytest.mark.parametrize("native", NARWHALS.values(), ids=NARWHALS)
def test_narwhals(native):
    narwhals = need("narwhals")
    assert_is_a_source(lambda table: narwhals.from_native(native(table)))


@pytest.mark.parametrize("native", [NARWHALS[name] for name in ("pandas", "polars", "arrow")])
def test_series_of_narwhals(native, monkeypatch):
    frame = need("narwhals").from_native(native(TABLE))
    if native is NARWHALS["polars"]:
        monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert cm.adjusted_rand(frame["t"], frame["p"]) == SCORES["adjusted_rand"]
    assert cm.compare(frame["t"], frame.select("id", "p")).methods == ("id", "p")


@pytest.fixture
def splink_tables():
    """Predictions and clusters of Splink for six records, in DuckDB."""
    splink = need("splink", "comparison_library")
    names = ["ann", "ann", "bob", "bob", "cid", "dora"]
    records = pa.table({"unique_id": range(6), "name": names, "town": ["x", "x", "y", "y", "z", "x"]})
    matches = splink.comparison_library.ExactMatch("name").configure(
        m_probabilities=[0.9, 0.1], u_probabilities=[0.1, 0.9]
    )
    settings = splink.SettingsCreator(
        link_type="dedupe_only",
        comparisons=[matches],
        blocking_rules_to_generate_predictions=[splink.block_on("name")],
        probability_two_random_records_match=0.5,
    )
    database = splink.DuckDBAPI()
    linker = splink.Linker(database.register(records), settings, log_level="ERROR")
    pairs = linker.inference.predict()
    return (
        pairs,
        linker.clustering.cluster_pairwise_predictions_at_threshold(pairs, 0.5),
        database.register(pa.table({"unique_id": range(6), "entity": [0, 0, 1, 2, 3, 3]})),
    )


def test_splink(splink_tables):
    _, clusters, truth = splink_tables
    found = cm.evaluate(truth, clusters, true="entity", pred="cluster_id", on="unique_id")
    assert found["adjusted_rand"] == cm.adjusted_rand([0, 0, 1, 2, 3, 3], [0, 0, 2, 2, 4, 5])
    assert found.settings["engine"] == "duckdb"
    assert found.settings["prediction"] == clusters.physical_name  # read in the database of Splink
    compared = cm.compare(truth, clusters, true="entity", pred=["cluster_id"], on="unique_id")
    assert compared.score("cluster_id", "adjusted_rand") == found["adjusted_rand"]
    several = cm.evaluate(clusters, true="name", pred="town")
    assert several["adjusted_rand"] == cm.adjusted_rand([0, 0, 1, 1, 2, 3], [0, 0, 1, 1, 2, 0])
    by_file = cm.evaluate(pa.table({"unique_id": range(6), "entity": [0, 0, 1, 2, 3, 3]}), clusters,
                          true="entity", pred="cluster_id", on="unique_id")  # fmt: skip
    assert by_file["adjusted_rand"] == found["adjusted_rand"]


def test_pairs_of_splink(splink_tables):
    pairs, _, truth = splink_tables
    swept = cm.sweep_pairs(truth, pairs, ["adjusted_rand"], true="entity", on="unique_id")
    assert swept.best("adjusted_rand").score == cm.adjusted_rand([0, 0, 1, 2, 3, 3], [0, 0, 2, 2, 4, 5])


@pytest.fixture
def database():
    """A connection of Ibis to DuckDB with the tables, and the statements that it was asked to run."""
    connection = need("ibis").duckdb.connect()
    for name, table in (("points", TABLE), ("others", OTHER)):
        connection.con.register("handed", table)
        connection.con.execute(f"CREATE TABLE {name} AS SELECT * FROM handed")
    return connection


@pytest.mark.filterwarnings(IGNORED)
def test_ibis(database):
    points, others = database.table("points"), database.table("others")
    assert_is_a_source(lambda table: points if table is TABLE else others)
    few = points.filter(points.id > 1)
    assert cm.evaluate(few, true="t", pred="p")["jaccard"] == cm.jaccard(COLUMNS["t"][1:], COLUMNS["p"][1:])
    assert '"t0"."id" > 1' in cm.evaluate(few, true="t", pred="p", explain=True)  # it is run in the database of Ibis
    assert cm.adjusted_rand(points.order_by("id").t, points.order_by("id").p) == SCORES["adjusted_rand"]
    with pytest.raises(InputError, match=r"predictions is a Table of a database; name its columns by true= and pred="):
        cm.compare(COLUMNS["t"], others)


@pytest.mark.filterwarnings(IGNORED)
def test_ibis_on_sqlite():
    ibis = need("ibis")
    connection = ibis.sqlite.connect()
    connection.con.execute("CREATE TABLE points (id INT, t TEXT, p INT)")
    connection.con.executemany("INSERT INTO points VALUES (?, ?, ?)", zip(*COLUMNS.values(), strict=True))
    points = connection.table("points")
    assert cm.evaluate(points, true="t", pred="p").settings["engine"] == "sqlite"

    @ibis.udf.scalar.python
    def doubled(x: int) -> int:
        return 2 * x

    found = cm.evaluate(points.mutate(p=doubled(points.p)), true="t", pred="p")  # streamed, since Ibis must run it
    assert found.settings["engine"] == "duckdb"
    assert found["adjusted_rand"] == SCORES["adjusted_rand"]


@pytest.mark.filterwarnings(IGNORED)
def test_ibis_in_memory(database):
    ibis = need("ibis")
    assert_is_a_source(ibis.memtable)
    mixed = cm.evaluate(ibis.memtable(TABLE), database.table("others"), true="t", pred="p", on="id")
    assert mixed["adjusted_rand"] == SCORES["adjusted_rand"]
    with pytest.raises(InputError, match=r"a Table of Ibis cannot be run: .*unbound"):
        cm.evaluate(ibis.table({"t": "string", "p": "int64"}, name="nowhere"), true="t", pred="p")


def dask_frame(table):
    return need("dask", "dataframe").dataframe.from_pandas(table.to_pandas(), npartitions=2)


@pytest.mark.parametrize("engine", ["duckdb", "polars", "datafusion"])
def test_dask(engine):
    assert_is_a_source(dask_frame, engine=engine)


def test_dask_is_read_by_partitions(monkeypatch):
    frame, held, cast = dask_frame(TABLE), [], arrow._cast_each

    def record(parts, schema, pyarrow):
        return cast((held.append(len(part)) or part for part in parts), schema, pyarrow)

    monkeypatch.setattr(arrow, "_cast_each", record)
    assert cm.evaluate(frame, true="t", pred="p")["adjusted_rand"] == SCORES["adjusted_rand"]
    assert held == [3, 2]


def test_columns_of_dask():
    frame = dask_frame(TABLE)
    assert cm.adjusted_rand(frame["t"], frame["p"]) == SCORES["adjusted_rand"]
    assert cm.compare(COLUMNS["t"], frame[["id", "p"]]).methods == ("id", "p")
    labels = frame.astype({"t": "category", "p": "float64"})
    assert cm.evaluate(labels, true="t", pred="p")["adjusted_rand"] == SCORES["adjusted_rand"]


def test_unlike_partitions_of_dask(monkeypatch):
    def make(label):
        return pd.DataFrame({"t": [label], "p": [1]}, dtype=object)

    dask = need("dask", "dataframe")
    monkeypatch.setitem(dask.config.config["dataframe"], "convert-string", False)
    parts = [dask.delayed(make)(label) for label in (None, "a", 5)]
    frame = dask.dataframe.from_delayed(parts, meta=make(""), verify_meta=False)
    assert cm.evaluate(frame.partitions[:2], true="t", pred="p", missing="drop").table.n_used == 1
    with pytest.raises(InputError, match=r"column .t. is int64 in partition 2 and string before"):
        cm.evaluate(frame, true="t", pred="p", missing="drop")


class Tensor:
    """A tensor on the CPU with the interface of torch: `with_torch.py` has the same test with the real one."""

    def __init__(self, data):
        self.data = np.asarray(data)

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.data, dtype)

    def __dlpack__(self, **options):
        return self.data.__dlpack__(**options)

    def __dlpack_device__(self):
        return 1, 0

    def __len__(self):
        return len(self.data)

    def __iter__(self):
        return map(Tensor, self.data)

    def __getitem__(self, place):
        return Tensor(self.data[place])

    def __eq__(self, other):
        return Tensor(self.data == np.asarray(other))

    def __hash__(self):
        return id(self)

    def __bool__(self):
        if self.data.size != 1:
            raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
        return bool(self.data)

    def __getattr__(self, name):
        if name in ("shape", "ndim", "dtype", "tolist"):
            return getattr(self.data, name)
        raise AttributeError(name)

    def numpy(self):
        return self.data

    def to(self, dtype):
        return Tensor(self.data.astype(dtype))


def assert_reads_tensors(tensor, small):
    """Compare scores of tensors with those of lists."""
    true, pred = tensor([0, 0, 1, 1, 1]), tensor([1, 1, 1, 2, 3])
    assert cm.adjusted_rand(true, pred) == cm.adjusted_rand(true[:, None], pred.to(small)) == SCORES["adjusted_rand"]
    points = tensor(np.arange(10.0).reshape(5, 2))
    assert cm.silhouette(points, true) == cm.silhouette(points.numpy(), true.numpy())
    assert cm.compare(true, {"p": pred}).methods == ("p",)
    assert cm.adjusted_rand(true, pred, counts=tensor([1, 2, 1, 1, 1])) == cm.adjusted_rand(
        true.tolist(), pred.tolist(), counts=[1, 2, 1, 1, 1]
    )


def test_tensors_with_the_interface_of_torch():
    assert_reads_tensors(Tensor, np.int8)
