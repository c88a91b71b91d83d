"""Every kind of labels is read as the partition that Python's own equality makes of it."""

import array
import collections
import datetime as dt
import decimal
import subprocess
import sys
import types
import uuid
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from clustermark.errors import InputError
from clustermark.labels import (
    ABSENT,
    MISSING,
    Labeling,
    label_list,
    read_counts,
    read_labels,
    read_pair,
    read_weights,
)
from needs import need

pd = need("pandas")
pl = need("polars")
pa = need("pyarrow")


def assert_reads(labels, expected):
    """The codes induce the partition of `expected` (None: missing), and lead back to its labels."""
    side = read_labels(labels, "y_true")
    codes = side.codes
    assert codes.ndim == 1
    assert codes.dtype.kind in "iu"
    assert codes.dtype.isnative
    assert len(side) == len(expected) == len(codes)
    missing = [label is None for label in expected]
    if side.values is None:
        assert not any(missing)
    else:
        assert (codes.astype(np.int64) == MISSING).tolist() == missing
        assert all(0 <= code < len(side.values) for code in codes.tolist() if code != MISSING)
    assert side.n_missing == sum(missing)
    assert side.first_missing == (missing.index(True) if any(missing) else None)
    present = [(code, label) for code, label in zip(codes.tolist(), expected, strict=True) if label is not None]
    assert len(set(present)) == len(dict(present)) == len({label for _, label in present})
    assert label_list(side.values, codes) == expected
    return side


INTEGERS = [3, 1, 3, 0, 1, 2]
STRINGS = ["b", "a", "b", "", "longer than the rest", "é🙂"]


# Python containers


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (INTEGERS, INTEGERS),
        (tuple(INTEGERS), INTEGERS),
        (STRINGS, STRINGS),
        ([True, False, True], [True, False, True]),
        ([1, 1.0, True, "1", b"1"], [1, 1, 1, "1", b"1"]),
        ([2**70, -(2**70), 2**70, 1e300], [2**70, -(2**70), 2**70, 1e300]),
        ([0.0, -0.0, 0], [0, 0, 0]),
        ([(0, 1), (0, 1), frozenset("a"), frozenset("a")], [(0, 1), (0, 1), frozenset("a"), frozenset("a")]),
        ([np.int64(1), 1, np.uint8(1), np.float32(1), np.str_("1"), np.bool_(True)], [1, 1, 1, 1, "1", 1]),
        ([np.longdouble(2), 2], [2, 2]),
        ([Fraction(1, 2), decimal.Decimal("0.5"), decimal.Decimal(1)], [Fraction(1, 2), Fraction(1, 2), 1]),
        (range(5), [0, 1, 2, 3, 4]),
        (range(9, -9, -4), [9, 5, 1, -3, -7]),
        (range(2**63 - 1, 2**63 + 2), [2**63 - 1, 2**63, 2**63 + 1]),
        (collections.deque(STRINGS), STRINGS),
        (dict(enumerate(STRINGS)).values(), STRINGS),
        (dict.fromkeys("abc").keys(), ["a", "b", "c"]),
        (collections.UserList(INTEGERS), INTEGERS),
        (array.array("h", INTEGERS), INTEGERS),
        (array.array("d", INTEGERS), INTEGERS),
        (array.array("u", "abca"), list("abca")),
        (memoryview(array.array("q", INTEGERS)), INTEGERS),
        (memoryview(array.array("q", INTEGERS))[::-2], INTEGERS[::-2]),
        (memoryview(b"abca"), [97, 98, 99, 97]),
    ],
)
@pytest.mark.filterwarnings("ignore:.*'u' type code.*:DeprecationWarning")
def test_python_containers(labels, expected):
    assert_reads(labels, expected)


@pytest.mark.parametrize(
    "missing",
    [
        None,
        float("nan"),
        np.nan,
        np.float32("nan"),
        np.longdouble("nan"),
        np.datetime64("NaT"),
        np.timedelta64("NaT", "s"),
        pd.NaT,
        pd.NA,
        decimal.Decimal("NaN"),
        np.ma.masked,
    ],
)
@pytest.mark.parametrize("container", [list, tuple, collections.deque])
def test_missing_objects(missing, container):
    assert_reads(container(["a", missing, 1, missing, "a"]), ["a", None, 1, None, "a"])


def test_sequence_without_iter():
    class Labels:
        def __len__(self):
            return 3

        def __getitem__(self, position):
            return "aba"[position]

    assert_reads(Labels(), ["a", "b", "a"])


class Moody:
    def __init__(self, error, fails_at):
        self.error, self.fails_at = error, fails_at

    def __hash__(self):
        if self.fails_at == "hash":
            raise self.error
        return 1

    def __eq__(self, other):
        raise self.error


@pytest.mark.parametrize("fails_at", ["hash", "eq"])
@pytest.mark.parametrize("error", [ZeroDivisionError("boom"), TypeError("boom"), KeyboardInterrupt("boom")])
def test_errors_of_labels_propagate(error, fails_at):
    with pytest.raises(type(error), match="boom") as caught:
        read_labels([Moody(error, fails_at), Moody(error, fails_at)], "y_true")
    assert not isinstance(caught.value, InputError)


# NumPy

WIDTHS = [f"{order}{kind}{size}" for order in "<>" for kind in "iu" for size in (1, 2, 4, 8)]


@pytest.mark.parametrize("dtype", WIDTHS)
def test_integer_arrays(dtype):
    labels = np.array(INTEGERS, dtype=dtype)
    side = assert_reads(labels, INTEGERS)
    assert side.values is None
    assert np.shares_memory(side.codes, labels) == labels.dtype.isnative


@pytest.mark.parametrize(
    "view",
    [
        lambda a: a[::2],
        lambda a: a[::-1],
        lambda a: np.asfortranarray(a.reshape(4, -1))[1],
        lambda a: a.reshape(4, -1)[:, 1],
        lambda a: np.broadcast_to(a[:1], 4),
        lambda a: a[:0],
    ],
)
def test_strided_integers_are_not_copied(view):
    labels = view(np.arange(-4, 20))
    labels.flags.writeable = False
    side = assert_reads(labels, labels.tolist())
    assert side.codes is labels


def test_unaligned_integers():
    records = np.zeros(4, dtype=[("skip", "i1"), ("label", "i8"), ("day", "M8[D]")])
    records["label"] = [5, -1, 5, 7]
    side = assert_reads(records["label"], [5, -1, 5, 7])
    assert side.codes.flags.aligned
    assert_reads(records["day"], [np.datetime64("1970-01-01")] * 4)


def test_extreme_integers():
    assert_reads(np.array([2**64 - 1, 0, 2**63], dtype=np.uint64), [2**64 - 1, 0, 2**63])
    assert_reads(np.array([-(2**63), -1, -2, 2**63 - 1]), [-(2**63), -1, -2, 2**63 - 1])


def test_boolean_arrays():
    labels = np.array([True, False, True])
    side = assert_reads(labels, [True, False, True])
    assert not np.shares_memory(side.codes, labels)  # any other byte would be a place outside `values`
    assert label_list(side.values, np.array([0, 1])) == [False, True]


FLOATS = ["<f2", ">f2", "<f4", ">f4", "<f8", ">f8", np.longdouble]


@pytest.mark.parametrize("dtype", FLOATS)
def test_float_arrays(dtype):
    assert_reads(np.array([1, 0, -0.0, -1, 7, 1], dtype=dtype), [1, 0, 0, -1, 7, 1])
    assert_reads(np.array([1, np.nan, -1, np.nan, 1], dtype=dtype), [1, None, -1, None, 1])
    assert_reads(np.full(3, np.nan, dtype=dtype), [None] * 3)


def test_huge_floats():
    assert_reads(np.array([1e300, 2.0**63, -(2.0**63), 0.0, -0.0]), [1e300, 2**63, -(2**63), 0, 0])
    assert_reads(np.array([1e300, np.nan, 1e300, 3]), [1e300, None, 1e300, 3])
    assert_reads(np.array([2.0**62, 2.0**53 + 2]), [2**62, 2**53 + 2])


@pytest.mark.skipif(np.finfo(np.longdouble).nmant < 63, reason="longdouble is no wider than double here")
def test_long_doubles_beyond_doubles():
    wide = np.longdouble(2) ** 63
    assert_reads(np.array([wide, wide + 1, wide, np.nan, 0]), [2**63, 2**63 + 1, 2**63, None, 0])
    huge = np.longdouble(10) ** 4000
    assert read_labels(np.array([huge, 1, huge]), "y_true").codes.tolist() == [0, 1, 0]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("wrong", [0.5, np.inf, -np.inf])
def test_no_whole_numbers(dtype, wrong):
    labels = np.array([np.nan, 1, wrong, 0.25], dtype=dtype)
    for kind in (labels, labels.astype(object), labels.tolist(), list(labels)):
        with pytest.raises(InputError, match=rf"y_pred: label {wrong} at position 2 .*pass integers"):
            read_labels(kind, "y_pred")


@pytest.mark.parametrize("order", "<>")
def test_string_arrays(order):
    assert_reads(np.array(STRINGS, dtype=f"{order}U20"), STRINGS)
    assert_reads(np.array(STRINGS, dtype=f"{order}U20")[::-2], STRINGS[::-2])
    assert_reads(np.array([b"a", b"b", b"", b"a"], dtype=f"{order}S5"), [b"a", b"b", b"", b"a"])
    assert_reads(np.ndarray(3, dtype=f"{order}U0"), [""] * 3)
    assert_reads(np.ndarray(3, dtype=f"{order}S0"), [b""] * 3)


@pytest.mark.parametrize("na", [None, np.nan, pd.NA, "n/a", object()])
def test_variable_width_strings(na):
    assert_reads(np.array(STRINGS, dtype=np.dtypes.StringDType()), STRINGS)
    dtype = np.dtypes.StringDType(na_object=na)
    assert_reads(np.array(["a", na, "b", na, "a"], dtype=dtype), ["a", None, "b", None, "a"])
    assert_reads(np.array(STRINGS, dtype=dtype), STRINGS)


def test_object_arrays():
    assert_reads(np.array([1, "a", None, 1.0, np.nan], dtype=object), [1, "a", None, 1, None])


@pytest.mark.parametrize("dtype", ["<M8[ns]", ">M8[D]", "<m8[s]", ">m8[h]"])
def test_date_arrays(dtype):
    labels = np.array([3, 1, 3, 0], dtype="i8").view("<i8").astype(dtype)
    assert_reads(labels, list(labels))
    assert_reads(labels[::-1], list(labels[::-1]))
    gaps = labels.copy()
    gaps[1] = "NaT"
    assert_reads(gaps, [labels[0], None, labels[2], labels[3]])


@pytest.mark.parametrize(
    "data",
    [
        np.array([1, -1, 1, 5]),
        np.array([1, 9, 1, 5], dtype=">u2"),
        np.array([1, 0.5, 1, 5]),
        np.array([1, np.inf, 1, 5], dtype="f4"),
        np.array([True, False, True, False]),
        np.array(["a", "b", "a", "c"]),
        np.array([1, [], 1, "x"], dtype=object),
        np.array([1, 2, 1, 3], dtype="M8[s]"),
    ],
    ids=lambda data: str(data.dtype),
)
def test_masked_arrays(data):
    labels = np.ma.array(data, mask=[False, True, False, False])
    first, last = (data[0], data[3]) if data.dtype.kind == "M" else (data[0:1].tolist()[0], data[3:].tolist()[0])
    assert_reads(labels, [first, None, first, last])
    assert_reads(np.ma.array(data[[0, 3]]), [first, last])
    assert_reads(np.ma.array(data, mask=True), [None] * 4)


@pytest.mark.slow
@given(
    hnp.arrays(
        st.one_of(
            hnp.integer_dtypes(),
            hnp.unsigned_integer_dtypes(),
            hnp.boolean_dtypes(),
            hnp.unicode_string_dtypes(max_len=4),
            hnp.byte_string_dtypes(max_len=4),
            hnp.datetime64_dtypes(),
            hnp.timedelta64_dtypes(),
        ),
        hnp.array_shapes(max_dims=1, max_side=30),
    ),
    st.sampled_from([slice(None), slice(None, None, -1), slice(1, None, 2)]),
)
def test_arrays_of_any_dtype(labels, part):
    labels = labels[part]
    if labels.dtype.kind in "mM":
        assert_reads(labels, [None if np.isnat(label) else label for label in labels])
    else:
        assert_reads(labels, labels.tolist())


@given(st.lists(st.one_of(st.integers(-5, 5), st.sampled_from([-0.0, 1e300, -(2.0**63), 2.0**53, float("nan")]))))
def test_arrays_of_any_whole_floats(numbers):
    assert_reads(np.array(numbers, dtype=np.float64), [None if x != x else x for x in numbers])


HASHABLES = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-3, 3),
        st.integers(),
        st.integers(-3, 3).map(float),
        st.text(max_size=2),
        st.binary(max_size=1),
        st.fractions(),
        st.dates(),
        st.uuids(),
        st.integers(-3, 3).map(np.int16),
        st.text(max_size=2).map(np.str_),
    ),
    lambda inner: st.one_of(st.tuples(inner, inner), st.frozensets(inner, max_size=2)),
    max_leaves=4,
)


@given(st.lists(HASHABLES, max_size=40), st.sampled_from([list, tuple, collections.deque, "objects"]))
def test_mixed_hashables(labels, container):
    if container == "objects":
        assert_reads(np.fromiter(labels, dtype=object, count=len(labels)), labels)
    else:
        assert_reads(container(labels), labels)


# pandas

DAY = pd.Timestamp("2024-03-01")
DAY_IN_ROME = DAY.tz_localize("Europe/Rome")
MONTH = pd.Period("2024-01")
INTERVAL = pd.Interval(0, 1)


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (pd.Series(INTEGERS), INTEGERS),
        (pd.Series(INTEGERS, dtype="float"), INTEGERS),
        (pd.Series([1, np.nan, 2]), [1, None, 2]),
        (pd.Series([True, False]), [True, False]),
        (pd.Series([1, None, -1, 1], dtype="Int64"), [1, None, -1, 1]),
        (pd.Series([1, None, 255], dtype="UInt8"), [1, None, 255]),
        (pd.Series([1, 0], dtype="Int8"), [1, 0]),
        (pd.Series([True, None, False], dtype="boolean"), [True, None, False]),
        (pd.Series([1.0, None, 2.0], dtype="Float64"), [1, None, 2]),
        (pd.Series(["a", None, "b", "a"]), ["a", None, "b", "a"]),
        (pd.Series(["a", None, "b", "a"], dtype=object), ["a", None, "b", "a"]),
        (pd.Series(["a", None, "b", "a"], dtype="string[python]"), ["a", None, "b", "a"]),
        (pd.Series(["a", None, "b", "a"], dtype="string[pyarrow]"), ["a", None, "b", "a"]),
        (pd.Series(["a", None, "b", "a"], dtype="str"), ["a", None, "b", "a"]),
        (pd.Series(["a", None, "b"], dtype=pd.ArrowDtype(pa.string())), ["a", None, "b"]),
        (pd.Series([1, None, 2], dtype=pd.ArrowDtype(pa.int16())), [1, None, 2]),
        (pd.Series(["a", None, "b", "a"], dtype="category"), ["a", None, "b", "a"]),
        (pd.Series([3, None, 1, 3], dtype="category"), [3, None, 1, 3]),
        (pd.Series([True, None, False], dtype="category"), [True, None, False]),
        (pd.Categorical(["b", "a"], categories=["z", "b", "a"]), ["b", "a"]),
        (pd.Categorical([None, None]), [None, None]),
        (pd.Series([1.0, None], dtype=pd.SparseDtype(float)), [1, None]),
        (pd.Index(STRINGS), STRINGS),
        (pd.RangeIndex(3), [0, 1, 2]),
        (pd.MultiIndex.from_tuples([(1, "a"), (1, "b"), (1, "a")]), [(1, "a"), (1, "b"), (1, "a")]),
        (pd.CategoricalIndex(["a", "b", "a"]), ["a", "b", "a"]),
        (pd.array([1, None], dtype="Int32"), [1, None]),
        (pd.array(["a", None]), ["a", None]),
        (pd.Series([DAY, None, DAY]), [DAY, None, DAY]),
        (pd.Series([DAY, None, DAY]).dt.tz_localize("Europe/Rome"), [DAY_IN_ROME, None, DAY_IN_ROME]),
        (pd.Series([DAY - DAY, None]), [np.timedelta64(0, "s"), None]),
        (pd.Series(pd.PeriodIndex(["2024-01", None, "2024-01"], freq="M")), [MONTH, None, MONTH]),
        (pd.Series(pd.arrays.IntervalArray.from_tuples([(0, 1), None, (0, 1)])), [INTERVAL, None, INTERVAL]),
        (pd.cut(pd.Series([1, 9, 1]), [0, 5, 10]), [pd.Interval(0, 5), pd.Interval(5, 10), pd.Interval(0, 5)]),
    ],
    ids=lambda value: f"{type(value).__name__}-{getattr(value, 'dtype', '')}",
)
def test_pandas(labels, expected):
    assert_reads(labels, expected)


def test_pandas_is_not_copied():
    integers = np.arange(5)
    assert np.shares_memory(read_labels(pd.Series(integers, copy=False), "y_true").codes, integers)
    categorical = pd.Categorical(["a", "b", None])
    assert np.shares_memory(read_labels(categorical, "y_true").codes, categorical.codes)
    nullable = pd.array([1, 2, 3], dtype="Int64")
    assert read_labels(nullable, "y_true").values is None


def test_a_subclass_of_series():
    class Column(pd.Series):
        pass

    assert_reads(Column([1, "a", None, 1.0], dtype=object), [1, "a", None, 1])


def test_pandas_categories_must_be_labels_too():
    with pytest.raises(InputError, match=r"y_true's categories: label 0\.5 at position 0"):
        read_labels(pd.Categorical([1.5, 0.5]), "y_true")


def test_pandas_indexes():
    same = pd.Series([1, 2, 1], index=[7, 7, 8])
    true, pred = read_pair(same, pd.Series([5, 5, 6], index=[7, 7, 8]))
    assert len(true) == len(pred) == 3
    other = pd.Series([5, 5, 6], index=[7, 8, 7])
    with pytest.raises(InputError, match=r"different indexes") as caught:
        read_pair(same, other)
    for way_out in ("y_true", "y_pred", ".to_numpy()", ".reset_index(drop=True)", "to_dict()", ".loc[y_true.index]"):
        assert way_out in str(caught.value)
    assert len(read_pair(same, other.to_numpy())[0]) == 3
    assert len(read_pair(same.to_list(), other)[0]) == 3


# polars


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (pl.Series(INTEGERS), INTEGERS),
        (pl.Series([1, None, -1, 1], dtype=pl.Int16), [1, None, -1, 1]),
        (pl.Series([2**64 - 1, None], dtype=pl.UInt64), [2**64 - 1, None]),
        (pl.Series([2**100, None, 1], dtype=pl.Int128), [2**100, None, 1]),
        (pl.Series([1.0, None, float("nan"), -1.0]), [1, None, None, -1]),
        (pl.Series([1.0, 2.0], dtype=pl.Float32), [1, 2]),
        (pl.Series([True, None, False]), [True, None, False]),
        (pl.Series([True, False]), [True, False]),
        (pl.Series(STRINGS), STRINGS),
        (pl.Series(["a", None, "b", "a"]), ["a", None, "b", "a"]),
        (pl.Series([None, None], dtype=pl.String), [None, None]),
        (pl.Series(["b", None, "a", "b"], dtype=pl.Categorical), ["b", None, "a", "b"]),
        (pl.Series(["b", None, "a", "b"], dtype=pl.Enum(["a", "z", "b"])), ["b", None, "a", "b"]),
        (pl.Series([b"a", None, b"a"]), [b"a", None, b"a"]),
        (pl.Series([dt.date(2024, 3, 1), None]), [dt.date(2024, 3, 1), None]),
        (pl.Series([dt.datetime(2024, 3, 1), None]), [dt.datetime(2024, 3, 1), None]),
        (pl.Series([dt.time(1), None]), [dt.time(1), None]),
        (pl.Series([dt.timedelta(1), None]), [dt.timedelta(1), None]),
        (pl.Series([1, 2, None]).cast(pl.Datetime("ns")), [np.datetime64(1, "ns"), np.datetime64(2, "ns"), None]),
        (pl.Series([decimal.Decimal("1.5"), None]), [decimal.Decimal("1.5"), None]),
        (pl.Series([None, None]), [None, None]),
        (pl.concat([pl.Series([1, 2]), pl.Series([1])], rechunk=False), [1, 2, 1]),
        (pl.concat([pl.Series(["x", "y"]), pl.Series(["y"])], rechunk=False), ["x", "y", "y"]),
    ],
    ids=lambda value: str(getattr(value, "dtype", "")),
)
def test_polars(labels, expected):
    assert_reads(labels, expected)


def test_polars_integers_are_not_copied():
    labels = pl.Series([1, 2, 3])
    assert np.shares_memory(read_labels(labels, "y_true").codes, labels.to_numpy())


# pyarrow


def dictionary_array(indices, values, index_type=None):
    return pa.DictionaryArray.from_arrays(pa.array(indices, type=index_type or pa.int8()), pa.array(values))


ARROW_CASES = [
    (pa.array(INTEGERS, type=pa.uint8()), INTEGERS),
    (pa.array([1, None, -1, 1]), [1, None, -1, 1]),
    (pa.array([True, None, False]), [True, None, False]),
    (pa.array([True, False]), [True, False]),
    (pa.array([1.0, None, float("nan")], type=pa.float32()), [1, None, None]),
    (pa.array([np.float16(1), None, np.float16(2)], type=pa.float16()), [1, None, 2]),
    (pa.array(["a", None, "b", "a"]), ["a", None, "b", "a"]),
    (pa.array(["a", None, "b", "a"], type=pa.large_string()), ["a", None, "b", "a"]),
    (pa.array(["a", None, "b", "a"], type=pa.string_view()), ["a", None, "b", "a"]),
    (pa.array([b"a", None, b"b"], type=pa.binary(1)), [b"a", None, b"b"]),
    (pa.array([b"a", None, b"b", b"a"]), [b"a", None, b"b", b"a"]),
    (pa.array([None, None]), [None, None]),
    (pa.array([19000, None], type=pa.date32()), [np.datetime64(19000, "D"), None]),
    (pa.array([5, None, 5], type=pa.timestamp("ns")), [np.datetime64(5, "ns"), None, np.datetime64(5, "ns")]),
    (pa.array([5, None], type=pa.duration("s")), [np.timedelta64(5, "s"), None]),
    (pa.array([dt.time(1), None]), [dt.time(1), None]),
    (pa.array([decimal.Decimal("1.5"), None]), [decimal.Decimal("1.5"), None]),
    (dictionary_array([1, 0, None, 1], ["a", "b"]), ["b", "a", None, "b"]),
    (dictionary_array([1, 0, None, 1], ["a", "b"], pa.uint64()), ["b", "a", None, "b"]),
    (dictionary_array([0, 1, 2, 3], ["a", "b", "a", None]), ["a", "b", "a", None]),
    (dictionary_array([0, 1, 2], [10, 20, 10]), [10, 20, 10]),
    (dictionary_array([0, 1, None], [True, False]), [True, False, None]),
    (dictionary_array([None], pa.array([], pa.string())), [None]),
    (pa.chunked_array([[1, 2], [3, 1]]), [1, 2, 3, 1]),
    (pa.chunked_array([[1, 2], [None, 1]]), [1, 2, None, 1]),
    (pa.chunked_array([], type=pa.int64()), []),
    (pa.chunked_array([], type=pa.string()), []),
    (pa.chunked_array([["a", "b"], [], [None, "b"], ["c"]]), ["a", "b", None, "b", "c"]),
    (
        pa.chunked_array([dictionary_array([0, 1], ["a", "b"]), dictionary_array([1, 0, None], ["c", "a"])]),
        ["a", "b", "a", "c", None],
    ),
    (
        pa.chunked_array([dictionary_array([0, 1], ["a", None]), dictionary_array([1, 0, None], [None, "a"])]),
        ["a", None, "a", None, None],
    ),
    (
        pa.chunked_array(
            [dictionary_array([0, 1], [5, 6], pa.uint64()), dictionary_array([1, None], [6, 5], pa.uint64())]
        ),
        [5, 6, 5, None],
    ),
]


@pytest.mark.parametrize(("labels", "expected"), ARROW_CASES, ids=lambda value: str(getattr(value, "type", "")))
def test_pyarrow(labels, expected):
    assert_reads(labels, expected)


def test_pyarrow_slices():
    assert_reads(pa.array(["a", None, "b", "a"])[1:], [None, "b", "a"])
    assert_reads(pa.array([1, None, 2, 1])[1:], [None, 2, 1])
    assert_reads(dictionary_array([1, 0, None, 1], ["a", "b"])[1:], ["a", None, "b"])


def test_pyarrow_is_not_copied():
    labels = pa.array([1, 2, 3])
    for kind in (labels, pa.chunked_array([labels])):
        assert np.shares_memory(read_labels(kind, "y_true").codes, labels.to_numpy())
    coded = dictionary_array([1, 0, 1], ["a", "b"])
    assert np.shares_memory(read_labels(coded, "y_true").codes, coded.indices.to_numpy())


# protocols


class Tensor:
    def __init__(self, data, device=1):
        self.data, self.device = np.asarray(data), device

    def __dlpack__(self, **options):
        return self.data.__dlpack__(**options)

    def __dlpack_device__(self):
        return (self.device, 0)


class ArrowArray:
    def __init__(self, data):
        self.data = data

    def __arrow_c_array__(self, requested_schema=None):
        return self.data.__arrow_c_array__(requested_schema)


class ArrowStream:
    def __init__(self, data):
        self.data = data

    def __arrow_c_stream__(self, requested_schema=None):
        return self.data.__arrow_c_stream__(requested_schema)


class ArrayLike:
    def __init__(self, data):
        self.data = data

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.data)


def test_dlpack():
    labels = np.array([3, 1, 3])
    assert np.shares_memory(assert_reads(Tensor(labels), [3, 1, 3]).codes, labels)
    assert_reads(Tensor([1.0, np.nan]), [1, None])


def test_dlpack_elsewhere():
    with pytest.raises(InputError, match=r"y_pred .*CPU.*\.cpu\(\)"):
        read_labels(Tensor([1, 2], device=2), "y_pred")
    with pytest.raises(InputError, match=r"y_pred .*cannot be read by NumPy"):
        read_labels(Tensor(np.array(["a"])), "y_pred")


def test_array_protocol():
    assert_reads(ArrayLike([3, 1, 3]), [3, 1, 3])
    with pytest.raises(InputError, match="y_true is two-dimensional"):
        read_labels(ArrayLike([[3, 1, 3]]), "y_true")


@pytest.mark.parametrize("without", [[], ["pyarrow"]])
def test_arrow_interface(without, monkeypatch):
    array_, stream = ArrowArray(pa.array(["a", None, "a"])), ArrowStream(pa.chunked_array([[1, 2], [None]]))
    for module in without:
        monkeypatch.setitem(sys.modules, module, None)
    assert_reads(array_, ["a", None, "a"])
    assert_reads(stream, [1, 2, None])


def test_arrow_interface_of_a_table():
    with pytest.raises(InputError, match=r"y_true is a .*pick the column"):
        read_labels(ArrowStream(pa.table({"a": [1], "b": [1]})), "y_true")


@pytest.mark.parametrize("without", [[], ["pyarrow"]])
@pytest.mark.parametrize(
    "column",
    [
        np.array([[3], [1], [3]]),
        np.asfortranarray(np.array([[3, 0], [1, 0], [3, 0]])[:, :1]),
        memoryview(np.array([[3], [1], [3]])),
        Tensor(np.array([[3], [1], [3]])),
        ArrayLike([[3], [1], [3]]),
        pd.DataFrame({"a": [3, 1, 3]}),
        pl.DataFrame({"a": [3, 1, 3]}),
        pa.table({"a": [3, 1, 3]}),
        pa.record_batch({"a": [3, 1, 3]}),
        ArrowStream(pa.table({"a": [3, 1, 3]})),
        ArrowStream(pa.table({"a": pa.chunked_array([[3], [1, 3]])})),
    ],
    ids=lambda column: type(column).__name__,
)
def test_one_column_of_a_table_is_a_labeling(column, without, monkeypatch):
    if not type(column).__module__.startswith("pyarrow"):
        for module in without:
            monkeypatch.setitem(sys.modules, module, None)
    assert_reads(column, [3, 1, 3])


def test_missing_labels_of_one_column():
    assert_reads(np.array([["a"], [None]], object), ["a", None])
    assert_reads(np.ma.masked_equal(np.array([[3], [1], [3]]), 1), [3, None, 3])
    rows = pa.table({"a": ["a", None]})
    assert_reads(ArrowStream(rows), ["a", None])
    assert_reads(np.zeros((1, 1), int), [0])


def test_one_column_of_numbers():
    assert read_counts(np.array([[1], [2]]), 2).tolist() == [1, 2]
    assert read_weights(np.array([[1.5], [2]]), 2).tolist() == [1.5, 2]
    with pytest.raises(InputError, match="2 dimensions"):
        read_counts(np.array([[1, 2]]), 2)


def test_arrow_interface_needs_a_reader(monkeypatch):
    labels = ArrowArray(pa.array([1]))
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(InputError, match=r"y_true .*pip install pyarrow"):
        read_labels(labels, "y_true")


# mappings


def test_mappings_are_aligned_by_id():
    y_true = {"a": "x", "b": None, "c": "x", "d": "y"}
    y_pred = {"e": 5, "c": 6, "a": 6, "b": 7}
    true, pred = read_pair(y_true, y_pred)
    assert true.codes.tolist() == [0, MISSING, 0, 1, ABSENT]
    assert pred.codes[[0, 2]].tolist() == [pred.codes[0]] * 2
    assert pred.codes[3] == ABSENT
    assert label_list(true.values, true.codes) == ["x", None, "x", "y", None]
    assert label_list(pred.values, pred.codes) == [6, 7, 6, None, 5]
    assert (true.n_missing, true.first_missing, pred.n_missing) == (1, 1, 0)


@given(st.dictionaries(st.integers(0, 9), HASHABLES), st.dictionaries(st.integers(0, 9), HASHABLES), st.booleans())
def test_mappings_of_any_kind(y_true, y_pred, proxy):
    ids = [*y_true, *(item for item in y_pred if item not in y_true)]
    if not ids:
        with pytest.raises(InputError, match="no points"):
            read_pair(y_true, y_pred)
        return
    wrap = types.MappingProxyType if proxy else dict
    for side, given_ in zip(read_pair(wrap(y_true), wrap(y_pred)), (y_true, y_pred), strict=True):
        assert label_list(side.values, side.codes) == [given_.get(item) for item in ids]
        assert (side.codes == ABSENT).tolist() == [item not in given_ for item in ids]
        assert side.n_missing == sum(label is None for label in given_.values())


@pytest.mark.parametrize(("y_true", "y_pred", "name"), [({1: 2}, [2], "y_true"), ([2], {1: 2}, "y_pred")])
def test_one_mapping_is_not_enough(y_true, y_pred, name):
    with pytest.raises(InputError, match=rf"^{name} is a mapping.*{name}\.values\(\)"):
        read_pair(y_true, y_pred)


def test_errors_inside_mappings():
    with pytest.raises(InputError, match=r"y_pred\.values\(\): label 0\.5 at position 1"):
        read_pair({1: 1, 2: 2}, {1: 1, 2: 0.5})


# pairs


def test_pairs():
    true, pred = read_pair(np.array([1, 2, 1]), ["a", "b", "a"])
    assert isinstance(true, Labeling)
    assert true.values is None
    assert pred.codes.tolist() == [0, 1, 0]


@pytest.mark.parametrize("kind", [list, np.array, pd.Series, pl.Series, pa.array])
def test_different_lengths(kind):
    with pytest.raises(InputError, match="y_true has 3 labels and y_pred has 2"):
        read_pair(kind([1, 2, 3]), kind([1, 2]))


@pytest.mark.parametrize("empty", [[], (), np.array([]), np.array([], dtype=int), {}, pd.Series([], dtype=object)])
def test_no_points(empty):
    with pytest.raises(InputError, match=r"y_true and y_pred hold no points"):
        read_pair(empty, empty)


def test_labeling_is_frozen():
    side = read_labels([1, 2], "y_true")
    for field in ("codes", "values", "n_missing", "first_missing", "other"):
        with pytest.raises(AttributeError):
            setattr(side, field, None)
    assert repr(side).startswith("Labeling(")


# errors


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (np.zeros((2, 2), dtype=int), r"two-dimensional \(shape \(2, 2\)\).*pick a column"),
        (np.zeros((2, 2, 2)), "3-dimensional"),
        ([[1, 2], [3, 4]], "two-dimensional: position 0 holds a list"),
        ([1, [2]], "two-dimensional: position 1 holds a list"),
        ([np.array([1]), np.array([2])], "two-dimensional: position 0 holds a ndarray"),
        (np.array([1, [2]], dtype=object), "two-dimensional: position 1 holds a list"),
        ([1, {2}], r"position 1 \(a set\) is unhashable"),
        ([1, {}], r"position 1 \(a dict\) is unhashable"),
        (["a", (1, [2])], r"position 1 \(a tuple\) is unhashable"),
        (np.array(5), "single value"),
        (5, "single value of type int"),
        (2.5, "single value of type float"),
        (object(), "single value of type object"),
        (None, "is None"),
        (np.int64(5), "single value of type int64"),
        ("abc", "single str"),
        (np.str_("abc"), "single str"),
        (b"abc", "single bytes"),
        (bytearray(b"abc"), "single bytearray"),
        ({1, 2}, "a set, which has no order"),
        (frozenset({1, 2}), "a frozenset, which has no order"),
        ({1: 2}, "a mapping"),
        ((x for x in "ab"), r"a generator.*pass list\(y_pred\)"),
        (iter([1, 2]), r"a list_iterator.*pass list\(y_pred\)"),
        (map(int, "12"), r"a map.*pass list\(y_pred\)"),
        (type("Stream", (), {"__iter__": lambda self: iter("ab")})(), r"Stream of unknown length; pass list\(y_pred\)"),
        (np.zeros(2, dtype=complex), "complex dtype complex128"),
        (np.zeros(2, dtype=[("a", int)]), "structured dtype"),
        (np.zeros(2, dtype="V3"), "structured dtype"),
        ([1, 1j], "complex number 1j at position 1"),
        ([1, 0.5], r"label 0\.5 at position 1"),
        (["a", float("inf")], "label inf at position 1"),
        (np.array(["a", -np.inf], dtype=object), "label -inf at position 1"),
        (pd.Series([1, 0.5]), r"label 0\.5 at position 1"),
        (pd.Series([None, 0.5], dtype="Float64"), r"label 0\.5 at position 1"),
        (pl.Series([None, 0.5]), r"label 0\.5 at position 1"),
        (pa.array([None, 0.5]), r"label 0\.5 at position 1"),
        (array.array("d", [1, 0.5]), r"label 0\.5 at position 1"),
        (pd.DataFrame({"a": [1], "b": [1]}), "pandas DataFrame; pick the column"),
        (pd.Timestamp("2024-01-01"), "pandas Timestamp; pass one label per point"),
        (pd.NA, "pandas NAType; pass one label per point"),
        (pd.Int64Dtype(), "pandas Int64Dtype; pass one label per point"),
        (pl.DataFrame({"a": [1], "b": [1]}), "polars DataFrame; pick the column"),
        (pl.LazyFrame({"a": [1]}), "polars LazyFrame; pick the column"),
        (pl.col("a"), "polars Expr; pass the Series"),
        (pl.Series([[1], [2]]), "polars Series of List.*pick the column"),
        (pl.Series([{"a": 1}]), "polars Series of Struct.*pick the column"),
        (pa.table({"a": [1], "b": [1]}), "pyarrow Table; pick the column"),
        (pa.record_batch({"a": [1], "b": [1]}), "pyarrow RecordBatch; pick the column"),
        (pa.scalar(1), "single pyarrow Int64Scalar"),
        (pa.array([[1], [2]]), "pyarrow array of list.*pick the column"),
        (memoryview(np.zeros((2, 2))), "two-dimensional"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_refused(labels, message):
    with pytest.raises(InputError, match=f"^y_pred.*{message}"):
        read_labels(labels, "y_pred")
    assert issubclass(InputError, ValueError)
    assert issubclass(InputError, TypeError)


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
def test_matrices_are_refused():
    with pytest.raises(InputError, match="y_pred is two-dimensional"):
        read_labels(np.matrix([1, 2]), "y_pred")


def test_importing_is_light():
    program = (
        "import sys; import numpy; before = set(sys.modules); import clustermark.labels; "
        "heavy = {'pandas', 'polars', 'pyarrow'}; "
        "print(sorted(heavy & (set(sys.modules) - before)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# counts and weights

NUMBERS = [
    [1, 2, 0],
    (1, 2.0, 0),
    [np.int8(1), decimal.Decimal(2), Fraction(0)],
    range(3),
    array.array("i", [1, 2, 0]),
    np.array([1, 2, 0], dtype=">u2"),
    np.array([1, 2, 0], dtype=np.float16),
    np.array([9, 1, 9, 2, 9, 0])[1::2],
    np.array([True, True, False]),
    pd.Series([1, 2, 0], dtype="Int64"),
    pd.Series([1, 2, 0], dtype="Float64"),
    pl.Series([1, 2, 0]),
    pa.array([1, 2, 0]),
    pa.chunked_array([[1.0], [2.0, 0.0]]),
    np.ma.array([1, 2, 0]),
]


@pytest.mark.parametrize("numbers", NUMBERS, ids=lambda numbers: type(numbers).__name__)
def test_counts_and_weights(numbers):
    expected = [int(number) for number in np.asarray(numbers).tolist()]
    counts, weights = read_counts(numbers, 3), read_weights(numbers, 3)
    assert counts.dtype == np.int64
    assert weights.dtype == np.float64
    assert counts.tolist() == weights.tolist() == expected


def test_counts_are_exact_and_not_copied():
    assert read_counts([2**62 + 1, 1.0], 2).tolist() == [2**62 + 1, 1]
    assert read_counts([2**63 - 1], 1).tolist() == [2**63 - 1]
    counts, weights = np.array([1, 2]), np.array([0.5, 0])
    assert read_counts(counts, 2) is counts
    assert read_weights(weights, 2) is weights


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([1, -1], "-1 at position 1 is not a whole number"),
        ([1, 2**63], "9223372036854775808 at position 1"),
        ([1, 2**70], "1180591620717411303424 at position 1"),
        ([1, 0.5], r"0\.5 at position 1"),
        ([1, "2"], "2 at position 1"),
        ([1, None], "None at position 1"),
        ([1, [2]], r"\[2\] at position 1"),
        (np.array([1, np.nan]), "nan at position 1"),
        (np.array([1, np.inf]), "inf at position 1"),
        (np.array([0.0, 2.0**63]), "at position 1"),
        (np.array([0, 2**63], dtype=np.uint64), "at position 1"),
        (np.array([1, -1], dtype=np.int8), "-1 at position 1"),
        (np.ma.array([1, 2], mask=[False, True]), "None at position 1"),
        (pd.array([1, None], dtype="Int64"), "(nan|<NA>) at position 1"),
        (pl.Series([1, None]), "nan at position 1"),
        (pa.array([1, None]), "None at position 1"),
        ([1, 2, 3], "3 numbers for 2 points"),
        ([[1, 2]], "1 numbers for 2 points"),
        (np.zeros((2, 2)), "2 dimensions"),
        (5, "0 dimensions"),
        (None, "0 dimensions"),
        (["a", "b"], "a at position 0"),
        (np.array(["a", "b"]), "dtype <U1"),
        ([2**62, 2**62], "add up to more than"),
    ],
)
def test_wrong_counts(counts, message):
    with pytest.raises(InputError, match=f"^repeats.*{message}"):
        read_counts(counts, 2, "repeats")


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, -0.5], r"-0\.5 at position 1 is not a finite number"),
        ([1, float("nan")], "nan at position 1"),
        ([1.0, float("inf")], "inf at position 1"),
        ([1, 10**400], "at position 1"),
        ([1, "2"], "2 at position 1"),
        ([1, None], "None at position 1"),
        (np.array([1, -1]), "-1 at position 1"),
        (np.array([1, -np.inf], dtype=np.float16), "-inf at position 1"),
        ([1], "1 numbers for 2 points"),
        (np.zeros(2, dtype=complex), "dtype complex128"),
        (np.zeros(2, dtype="M8[s]"), "dtype datetime64"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_wrong_weights(weights, message):
    with pytest.raises(InputError, match=f"^weights.*{message}"):
        read_weights(weights, 2)


def test_labels_stay_what_they_are():
    day = dt.date(2024, 3, 1)
    identifier = uuid.UUID(int=5)
    assert label_list([np.int8(1), np.float64(2), np.bytes_(b"x"), day, identifier], np.arange(5)) == [
        1,
        2.0,
        b"x",
        day,
        identifier,
    ]
    assert [type(label) for label in label_list([np.int8(1), np.str_("a"), np.bool_(True)], np.arange(3))] == [
        int,
        str,
        bool,
    ]
    assert type(label_list(np.array([1], dtype="M8[s]"), np.array([0]))[0]) is np.datetime64
