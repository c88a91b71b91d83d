"""Ids that are equal meet, in memory and in every engine; ids that cannot meet are an error."""

import pytest
from hosts import NAMES, on

from clustermark import FewMatchesWarning, crosstab, evaluate
from clustermark.errors import InputError
from clustermark.tables.tabulation import crosstab as in_memory
from needs import need

pa, pd, _ = need("pyarrow", "parquet"), need("pandas"), need("duckdb")

TRUE, PRED = {"i": [1, 2, 3, 2**53], "t": list("aabb")}, {"i": [2**53, 3, 2, 1], "p": list("xyxx")}
EXPECTED = in_memory(list("aabb"), list("xxyx"))
ENGINES = [None, "duckdb", "polars", "datafusion"]


def two(host, left, right):
    return host.source(pa.table(left)), host.source(pa.table(right), "found")


@pytest.mark.parametrize("push_down", [False, True])
def test_integers_meet_floating_point_numbers(host, push_down):
    floats = pa.array([float(i) for i in PRED["i"]])
    table = crosstab(*two(host, TRUE, {**PRED, "i": floats}), on="i", push_down=push_down, **host.options)
    assert table == EXPECTED
    if push_down:
        table.close()
    above = {**TRUE, "i": [1, 2, 3, 2**53 + 1]}  # as a floating-point number it would be 2**53
    with pytest.raises(InputError, match=r"the ids differ: 1 occur in .* only and 1 in"):
        crosstab(*two(host, above, {**PRED, "i": floats}), on="i", **host.options)
    with pytest.raises(InputError, match=r"1 row\(s\) have no id in column 'i', or one that is not a whole number"):
        crosstab(*two(host, TRUE, {**PRED, "i": [1.5, 3.0, 2.0, 1.0]}), on="i", **host.options)


def test_not_a_number_is_no_id(host):
    floats = {**PRED, "i": [float("nan"), 3.0, 2.0, 1.0]}
    for left, right in ((floats, floats), (TRUE, floats)):
        with pytest.raises(InputError, match=r"1 row\(s\) have no id in column 'i'"):
            crosstab(*two(host, left, right), on="i", true="p" if "p" in left else "t", pred="p", **host.options)


def test_zeros_are_one_id(host):
    left, right = {"i": [0.0, 1.5], "t": list("ab")}, {"i": [-0.0, 1.5], "p": list("xy")}
    assert crosstab(*two(host, left, right), on="i", **host.options) == in_memory(list("ab"), list("xy"))
    left, right = {**left, "i": [-0.0, 0.0]}, {**right, "i": [-0.0, 0.0]}
    with pytest.raises(InputError, match=r"the ids in column 'i' must be unique; 1 row\(s\) repeat one"):
        crosstab(*two(host, left, right), on="i", **host.options)


@pytest.mark.parametrize("unmatched", ["error", "drop", "singletons", "keep"])
def test_no_id_in_common(host, unmatched):
    others = {**PRED, "i": [11, 12, 13, 14]}
    if unmatched == "keep":  # in coreference, to share no mention is a result
        assert crosstab(*two(host, TRUE, others), on="i", unmatched="keep", **host.options).n_unmatched == 8
        return
    with pytest.raises(
        InputError, match=r"no id occurs on both sides: .* such as 1, 2, 3; .* such as 11, 12, 13; make"
    ):
        crosstab(*two(host, TRUE, others), on="i", unmatched=unmatched, **host.options)


@pytest.mark.parametrize("unmatched", ["error", "drop", "singletons", "keep"])
def test_no_id_in_common_in_memory(unmatched):
    if unmatched == "keep":  # in coreference, to share no mention is a result
        assert crosstab({1: "a", 2: "a"}, {3: "x"}, unmatched="keep").n_unmatched == 3
        return
    with pytest.raises(
        InputError, match=r"no id occurs on both sides: y_true has ids such as 1, 2; y_pred .* '1', '2'"
    ):
        crosstab({1: "a", 2: "a"}, {"1": "x", "2": "x"}, unmatched=unmatched)
    with pytest.raises(
        InputError, match="no id occurs on both sides: column 'i' of the DataFrame of the truth has ids"
    ):
        crosstab(pd.DataFrame(TRUE), pd.DataFrame({"i": [11, 12], "p": [1, 1]}), on="i", unmatched=unmatched)


@on(*(name for name in NAMES if name != "spark"))
def test_texts_do_not_meet_numbers(host):
    texts = {**PRED, "i": [str(i) for i in PRED["i"]]}
    said = r"types that cannot be equal: column 'i' of .* such as 1, 2, 3; column 'i' of .* such as '1', '2', '3'; make"
    with pytest.raises(InputError, match=said):
        crosstab(*two(host, TRUE, texts), on="i", unmatched="drop", **host.options)


@pytest.mark.parametrize("engine", ENGINES)
def test_types_that_cannot_meet(engine):
    whole = pa.table(TRUE)
    for ids in (pa.array(["1", "2", "3", "4"]), pa.array([True, False, None, None]).drop_null()):
        other = pa.table({"i": ids, "p": list("xyxx")[: len(ids)]})
        with pytest.raises(InputError, match=r"types that cannot be equal: column 'i' of .* int64|BIGINT|Int64"):
            crosstab(whole, other, on="i", unmatched="drop", engine=engine)
    numbers = {pa.date32(): pa.array([1, 2], pa.int32())}
    kinds_of_time = [
        (pa.timestamp("us"), pa.timestamp("us", "Europe/Berlin")),
        (pa.timestamp("s"), pa.date32()),
        (pa.timestamp("us"), pa.int64()),
    ]
    in_engines_only = [(pa.timestamp("ms"), pa.timestamp("us")), (pa.decimal128(30, 1), pa.decimal128(30, 2))]
    for left, right in kinds_of_time + (in_engines_only if engine else []):
        ids = [numbers.get(kind, pa.array([86_400, 172_800])).cast(kind) for kind in (left, right)]
        sides = [pa.table({"i": column, name: [1, 2]}) for column, name in zip(ids, "tp", strict=True)]
        with pytest.raises(InputError, match="types that cannot be equal"):
            crosstab(*sides, on="i", engine=engine)


@pytest.mark.parametrize("engine", ENGINES[1:])
def test_integers_of_any_width_meet(engine):
    kinds = [pa.int8(), pa.uint64(), pa.decimal128(38, 0)]
    for left in kinds:
        for right in kinds:
            sides = [
                pa.table({"i": pa.array([1, 2]).cast(kind), name: [5, 6]}) for kind, name in ((left, "t"), (right, "p"))
            ]
            assert crosstab(*sides, on="i", engine=engine).n_used == 2
    high = [pa.table({"i": pa.array([2**63 + 5, 1], pa.uint64()), "t": [1, 2]}), pa.table({"i": [1, 2], "p": [1, 2]})]
    assert crosstab(*high, on="i", unmatched="drop", engine=engine).n_used == 1


@pytest.mark.parametrize("engine", ENGINES)
def test_floating_point_numbers_meet_integers_past_63_bits(engine):
    high = [2**63, 2**64 - 2048, 2**53, 0]
    left = pa.table({"i": pa.array(high, pa.uint64()), "t": list("aabb")})
    right = pa.table({"i": [float(i) for i in high], "p": list("xxyx")})
    assert crosstab(left, right, on="i", engine=engine) == EXPECTED
    points = evaluate(right, left, on="i", true="p", pred="t", engine=engine).points()
    assert {row.point for row in points} <= set(high)
    if engine is not None:
        beyond = pa.table({"i": [-1.0, 2.0**64, 2.0, 0.0], "p": list("xxyx")})
        with pytest.raises(InputError, match=r"2 row\(s\) .* not a whole number from 0 to 1\.8e19, unlike"):
            crosstab(left, beyond, on="i", engine=engine)


@pytest.mark.parametrize("engine", ENGINES[1:])
def test_texts_of_files_meet_integers_but_not_floating_point_numbers(tmp_path, engine):
    (tmp_path / "p.csv").write_text("i,p\n" + "".join(f"{i},{p}\n" for i, p in zip(PRED["i"], PRED["p"], strict=True)))
    pa.parquet.write_table(pa.table(TRUE), tmp_path / "t.parquet")
    assert crosstab(tmp_path / "t.parquet", tmp_path / "p.csv", on="i", engine=engine) == EXPECTED
    floats = {**TRUE, "i": [float(i) for i in TRUE["i"]]}
    pa.parquet.write_table(pa.table(floats), tmp_path / "f.parquet")
    with pytest.raises(InputError, match="cannot be equal"):
        crosstab(tmp_path / "f.parquet", tmp_path / "p.csv", on="i", engine=engine)
    (tmp_path / "f.csv").write_text("i,t\n1.0,a\n2.0,a\n3.0,b\n")
    with pytest.raises(InputError, match=r"no id occurs .* such as '1\.0', '2\.0', '3\.0'; .* such as '1', '2', '3'"):
        crosstab(tmp_path / "f.csv", tmp_path / "p.csv", on="i", unmatched="drop", engine=engine)


SOURCES = {"s": ["x", "x", "y", "y"], "id": [1, 2, 1, 2], "t": list("aabb")}
FOUND = {"s": ["y", "y", "x", "x"], "rid": [2.0, 1.0, 2.0, 1.0], "p": list("xyxx")}


@pytest.mark.parametrize("push_down", [False, True])
def test_an_id_of_several_columns_that_are_called_differently(host, push_down):
    sources = two(host, SOURCES, FOUND)
    table = crosstab(*sources, on={"s": "s", "id": "rid"}, push_down=push_down, **host.options)
    assert table == EXPECTED
    assert table.settings["on"] == "s, id=rid"
    assert "guessed" in table.settings  # the labels, and not the id
    if push_down:
        table.close()


@pytest.mark.parametrize("engine", ENGINES)
def test_several_columns(engine):
    left, right = pd.DataFrame(SOURCES), pd.DataFrame(FOUND).rename(columns={"rid": "id"})
    evaluation = evaluate(left, right, on=["s", "id"], engine=engine)
    assert evaluation.table == EXPECTED
    assert [row.point for row in evaluation.points()] == [("y", 2)]
    twice = pd.concat([right, right[:1]])
    with pytest.raises(
        InputError, match=r"in column 's' and 'id' must be unique; 1 row\(s\) repeat one, such as \('y', 2"
    ):
        crosstab(left, twice, on=["s", "id"], engine=engine)
    with pytest.raises(InputError, match=r"1 row\(s\) have no id in column"):
        crosstab(left, right.assign(s=["y", "y", "x", None]), on=["s", "id"], engine=engine)
    with pytest.raises(InputError, match=r"no id occurs on both sides: column 's' and 'id' of .* such as \('x', 1\)"):
        crosstab(left, right.assign(id=[7, 8, 7, 8]), on=["s", "id"], engine=engine, unmatched="drop")
    with pytest.raises(InputError, match=r"on='key' is not one of its columns"):
        crosstab(left, right, on={"id": "key"}, engine=engine)
    for wrong in ([], {}, [1], {"id": 1}):
        with pytest.raises(
            InputError, match=r"on=.*: with a source, this must be the name of a column, a list of names"
        ):
            crosstab(left, right, on=wrong, engine=engine)
    if engine is not None:
        text = crosstab(left, right, on=["s", "id"], engine=engine, explain=True)
        assert "ON x.i0 = y.i0 AND x.i1 = y.i1" in text


@pytest.mark.parametrize("engine", [None, "duckdb"])
def test_few_ids_in_common(engine):
    left, right = pd.DataFrame({"i": range(1000), "t": 1}), pd.DataFrame({"i": range(901, 2000), "p": 1})
    with pytest.warns(FewMatchesWarning, match=r"Only 99 of the 1,000 ids of the smaller side occur on both sides; is"):
        table = crosstab(left, right, on="i", unmatched="drop", engine=engine)
    assert table.settings["few_matches"].startswith("Only 99 of the 1,000 ids")
    right = pd.DataFrame({"i": range(900, 2000), "p": 1})
    assert "few_matches" not in crosstab(left, right, on="i", unmatched="drop", engine=engine).settings


def test_few_ids_in_common_in_memory():
    with pytest.warns(FewMatchesWarning, match="Only 1 of the 11 ids"):
        crosstab(dict.fromkeys(range(11), 1), dict.fromkeys(range(10, 30), 1), unmatched="drop")


def test_a_pair_of_an_id_with_itself_names_the_id(host):
    pairs = host.source(pa.table({"a": [1, 2, 3], "b": [2, 2, 3]}), "pairs")
    truth = host.source(pa.table({"id": [1, 2, 3], "c": list("xxy")}))
    assert crosstab(truth, pairs, pairs="pred", **host.options).profile == in_memory(list("xxy"), [1, 1, 3]).profile


def test_pairs_of_columns_that_cannot_meet():
    truth = pa.table({"id": [1, 2, 3], "c": list("xxy")})
    for pairs in ({"a": [1], "b": ["2"]}, {"a": [1], "b": [[2]]}):
        with pytest.raises(InputError, match=r"cannot be equal|column 'b' is of type"):
            crosstab(truth, pa.table(pairs), pairs="pred")
    with pytest.raises(InputError, match=r"ids of 2 parts \(id, c\) have 4 columns in a list of pairs"):
        crosstab(truth, pa.table({"a": [1], "b": [2]}), pairs="pred", on=["id", "c"])
    assert crosstab(truth, pa.table({"a": [1, 3], "b": [2.0, 3.0]}), pairs="pred", on={"id": "x"}).n_used == 3


def test_numbers_of_ids_that_do_not_occur():
    with pytest.raises(InputError, match=r"counts: 1 id\(s\) occur in neither labeling, such as 9; remove them"):
        crosstab({1: "a"}, {1: "x"}, counts={1: 2, 9: 3})
    with pytest.raises(InputError, match=r"weights: 1 id\(s\) occur in neither labeling"):
        crosstab({1: "a"}, {1: "x"}, weights={1: 2, 9: 3})
