"""A column is found by its name, or nobody guesses which one is meant."""

import sqlite3

import pytest

from clustermark import crosstab
from clustermark.errors import InputError
from clustermark.tables.tabulation import crosstab as in_memory
from needs import need

duckdb, pa, pd, pl = need("duckdb"), need("pyarrow", "parquet"), need("pandas"), need("polars")

TWICE = r"column 'a' occurs (2|more than) .*; rename all but one"
CASE = r"column '(Lab|lab)' differs from column '(Lab|lab)' in case only, which DuckDB ignores; rename one"
COLUMNS = [[1, 1, 2], [3, 3, 3], [1, 2, 2], [5, 6, 7]]


def doubled(names=("a", "a", "p", "a_1")):
    return pa.table(COLUMNS, names=list(names))


@pytest.mark.slow
@pytest.mark.parametrize("engine", [None, "duckdb", "polars", "datafusion"])
def test_two_columns_of_one_name_in_data(engine):
    table = doubled()
    frame = pd.DataFrame(list(zip(*COLUMNS, strict=True)), columns=table.column_names)
    reader = pa.RecordBatchReader.from_batches(table.schema, table.to_batches())
    for source in (table, frame, *([] if engine is None else [reader])):
        with pytest.raises(InputError, match=TWICE if engine else "2 columns are called 'a'; rename all but one"):
            crosstab(source, true="a", pred="p", engine=engine)
    for source in (table, frame):
        assert crosstab(source, true="a_1", pred="p", engine=engine) == in_memory(COLUMNS[3], COLUMNS[2])


@pytest.mark.slow
def test_two_columns_of_one_name_in_files_and_queries(tmp_path):
    pa.parquet.write_table(doubled(("a", "a", "p", "q")), tmp_path / "x.parquet")
    with pytest.raises(InputError, match=TWICE):
        crosstab(tmp_path / "x.parquet", true="a", pred="p")
    for engine in ("polars", "datafusion"):
        with pytest.raises(InputError, match=f"more than one occurrence|{TWICE}"):
            crosstab(tmp_path / "x.parquet", true="a", pred="p", engine=engine)
    nested = pa.table({"s": pa.array([{"p": 1, "a": {"x": 2}}] * 3), "a": COLUMNS[0], "p": COLUMNS[1]})
    pa.parquet.write_table(nested, tmp_path / "nested.parquet")
    assert crosstab(str(tmp_path / "nest*.parquet"), true="a", pred="p") == in_memory(COLUMNS[0], COLUMNS[1])
    query = "SELECT 1 AS a, 2 AS a, 3 AS p"
    connection = duckdb.connect()
    for source in ((connection, query), connection.sql(query), (sqlite3.connect(":memory:"), query)):
        with pytest.raises(InputError, match=TWICE):
            crosstab(source, true="a", pred="p")
    with pytest.raises(InputError, match=TWICE):  # the rows travel
        crosstab((connection, query), pa.table({"p": [3], "q": [1]}), on="p", true="a", pred="q")


@pytest.mark.slow
def test_columns_that_differ_in_case_only(tmp_path):
    table = pa.table({"Lab": COLUMNS[0], "lab": COLUMNS[1], "p": COLUMNS[2]})
    pa.parquet.write_table(table, tmp_path / "x.parquet")
    (tmp_path / "x.csv").write_text("Lab,lab,p\n1,3,1\n1,3,2\n2,3,2\n")
    for source in (table, table.to_pandas(), tmp_path / "x.parquet", tmp_path / "x.csv"):
        for column in ("Lab", "lab"):
            with pytest.raises(InputError, match=CASE):
                crosstab(source, true=column, pred="p", engine="duckdb")
        assert crosstab(source, true="p", pred="p", engine="duckdb").n_used == 3
        for engine in ("polars", "datafusion"):
            assert crosstab(source, true="Lab", pred="lab", engine=engine).n_true_clusters == 2
    assert crosstab(table, true="Lab", pred="lab") == in_memory(COLUMNS[0], COLUMNS[1])


FRAME = pd.DataFrame({"t": [1, 1, 2], "p": [1, 2, 2], "odd": [1, "1", 1.5], "deep": [[1], [2], [3]]})


@pytest.mark.slow
@pytest.mark.parametrize("engine", [None, "duckdb", "polars", "datafusion"])
def test_columns_that_cannot_be_read_do_not_matter_until_they_are_named(engine):
    frame = FRAME.assign(span=pd.interval_range(0, 3), much=[2**70, 1, 2])
    assert crosstab(frame, true="t", pred="p", engine=engine) == in_memory([1, 1, 2], [1, 2, 2])
    if engine is not None:
        for column in ("odd", "deep", "span", "much"):
            with pytest.raises(InputError, match=f"the DataFrame: column '{column}' is of type .* make it a column of"):
                crosstab(frame, true=column, pred="p", engine=engine)
            with pytest.raises(InputError, match=f"column '{column}' is of type"):
                crosstab(frame[[column, "p"]], pred="p", engine=engine)  # it is guessed


@pytest.mark.parametrize("engine", [None, "duckdb", "polars", "datafusion"])
def test_the_same_of_polars(engine):
    wide = pl.Series([2**100, 1, 2], dtype=pl.Int128)
    frame = pl.DataFrame({"t": [1, 1, 2], "p": [1, 2, 2], "deep": [[1], [2], [3]], "wide": wide})
    frame = frame.with_columns(things=pl.Series([object()] * 3, dtype=pl.Object))
    for source in (frame, *([] if engine is None else [frame.lazy()])):
        assert crosstab(source, true="t", pred="p", engine=engine) == in_memory([1, 1, 2], [1, 2, 2])
        with pytest.raises(InputError, match=r"column 'deep'|pick the column"):
            crosstab(source, true="deep", pred="p", engine=engine)


def test_an_index_of_pandas_is_no_column():
    frame = pd.DataFrame({"t": [1, 1, 2], "p": [1, 2, 2]}, index=[7, 8, 9])
    for engine in (None, "duckdb", "polars", "datafusion"):
        assert crosstab(frame, true="t", engine=engine) == in_memory([1, 1, 2], [1, 2, 2])


ODD_ROWS = {
    "short": "t,p\na,b\nc\n",
    "long": "t,p\na,b\nd,e,f\n",
    "without an end": 't,p\na,"b\nd,e\nf,g\n',
}


@pytest.mark.parametrize("engine", ["duckdb", "polars", "datafusion"])
@pytest.mark.parametrize("kind", ODD_ROWS)
def test_rows_of_another_length_are_refused(tmp_path, kind, engine):
    (tmp_path / "x.csv").write_text(ODD_ROWS[kind])
    with pytest.raises(InputError, match=r"CSV|field"):
        crosstab(tmp_path / "x.csv", true="t", pred="p", engine=engine)


@pytest.mark.parametrize("engine", ["duckdb", "polars", "datafusion"])
def test_only_an_empty_field_is_missing(tmp_path, engine):
    """NULL is a name that people have."""
    (tmp_path / "x.csv").write_text('t,p\nNaN,1\nNULL,2\nnull,3\nNA,4\nNone,5\n,6\n"",7\n" ",8\n\n"a\nb",9\n')
    table = crosstab(tmp_path / "x.csv", true="t", pred="p", missing="drop", engine=engine)
    assert sorted(table.true_labels) == [" ", "NA", "NULL", "NaN", "None", "a\nb", "null"]
    assert (table.n_given, table.n_dropped) == (9, 2)


@pytest.mark.parametrize("engine", ["duckdb", "polars", "datafusion"])
def test_counts_of_text_files_are_exact_or_refused(tmp_path, engine):
    (tmp_path / "large.csv").write_text("t,p,n\na,x,9007199254740993.0\nb,y,1e3\n")
    try:
        assert crosstab(tmp_path / "large.csv", true="t", pred="p", counts="n", engine=engine).n_used == 2**53 + 1001
    except InputError as error:
        assert "not a whole number" in str(error)
    (tmp_path / "small.csv").write_text("t,p,n\na,x,7.0\nb,y,1e3\n")
    assert crosstab(tmp_path / "small.csv", true="t", pred="p", counts="n", engine=engine).n_used == 1007


def test_a_table_of_a_schema_is_named_by_two_texts():
    duckdb = need("duckdb")
    connection = duckdb.connect()
    connection.execute("CREATE SCHEMA er; CREATE TABLE er.joined AS SELECT 1 AS t, 'a' AS p")
    with pytest.raises(InputError, match=r"pass \(connection, 'er', 'joined'\) for a table of a schema"):
        crosstab((connection, "er.joined"), true="t", pred="p")
    assert crosstab((connection, "er", "joined"), true="t", pred="p").n_used == 1


@pytest.mark.parametrize(
    ("call", "begin", "end"),
    [
        (lambda long, file: crosstab(file, true=long, pred="p"), "long.csv: true='LLL", "(it has 't', 'p')"),
        (lambda long, _: crosstab({long: 1}, {long + "x": 1}), "no id occurs on both sides: y_true has", ""),
        (
            lambda long, _: crosstab([long], [1], noise={long: "sea"}),
            "noise={'LLL",
            "'cluster', 'singletons' or 'drop'",
        ),
    ],
)
def test_the_middle_of_a_long_message_is_left_out(tmp_path, call, begin, end):
    file = tmp_path / "long.csv"
    file.write_text("t,p\n1,2\n")
    with pytest.raises(InputError) as refused:
        call("L" * 100_000, str(file))
    said = str(refused.value)
    assert len(said) == 4000
    assert begin in said[:200]
    assert end in said[-200:]


def test_a_list_of_columns_cuts_their_names(tmp_path):
    file = tmp_path / "wide.csv"
    file.write_text(f"{'L' * 100_000},p\n1,2\n")
    with pytest.raises(InputError, match=r"'t' is not one of its columns \(it has 'L+…L+', 'p'\)$") as refused:
        crosstab(str(file), true="t", pred="p")
    assert len(str(refused.value)) < 300


PATTERNS = {"x1": ["u", "u"], "^x.$": ["a", "b"], "*": ["c", "c"], "p": [3, 3]}


@pytest.mark.slow
@pytest.mark.parametrize("engine", [None, "duckdb", "polars", "datafusion"])
@pytest.mark.parametrize("kind", ["polars", "lazy", "arrow", "csv", "parquet"])
def test_names_that_polars_takes_for_patterns(tmp_path, engine, kind):
    frame = pl.DataFrame(PATTERNS)
    sources = {"polars": frame, "lazy": frame.lazy(), "arrow": frame.to_arrow()}
    path = tmp_path / f"patterns.{kind}"
    if kind not in sources:
        frame.write_csv(path) if kind == "csv" else frame.write_parquet(path)
    source = sources.get(kind, str(path))
    assert list(crosstab(source, true="x1", pred="p", engine=engine).true_labels) == ["u"]
    for name in ("^x.$", "*"):
        try:
            table = crosstab(source, true=name, pred="p", engine=engine)
        except InputError as error:
            assert engine == "polars" or (engine is None and kind == "lazy")
            assert "Polars takes for a pattern of names; rename it" in str(error)
        else:
            assert engine != "polars"
            assert list(table.true_labels) == sorted(set(PATTERNS[name]))


def test_a_series_with_a_name_that_is_a_pattern():
    for name in ("^x.$", "*"):
        for labels in (["a", "b", "a"], [1, 2, 1], [1.0, 2.0, 1.0], [True, False, True], ["a", None, "a"]):
            series = pl.Series(name, labels)
            found, plain = (in_memory(one, [1, 1, 2], missing="drop") for one in (series, series.rename("plain")))
            assert found.to_dict() == plain.to_dict()
