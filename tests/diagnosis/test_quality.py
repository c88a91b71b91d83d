"""Who suffers: every number of every group against loops over points, and every way to pass records."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clustermark as cm
from clustermark.diagnosis import quality
from needs import need
from oracle import points_of

pd = need("pandas")
pl = need("polars")


def brute(points, groups):
    """The fields of each group, point by point."""
    found = {}
    wrong_in_all = Fraction(0)
    for name in dict.fromkeys(groups):
        mass = hits = predicted = true = Fraction(0)
        precision = recall = Fraction(0)
        clusters = set()
        for point, group in zip(points, groups, strict=True):
            if group != name:
                continue
            mates = [other for other in points if other is not point]
            both = [o.weight for o in mates if o.true == point.true and o.pred == point.pred]
            same_pred = [o.weight for o in mates if o.pred == point.pred]
            same_true = [o.weight for o in mates if o.true == point.true]
            w = point.weight
            mass, clusters = mass + w, clusters | {point.true}
            hits, predicted, true = hits + w * sum(both), predicted + w * sum(same_pred), true + w * sum(same_true)
            precision += w * (sum(both) + w) / (sum(same_pred) + w)
            recall += w * (sum(both) + w) / (sum(same_true) + w)
        wrong = predicted + true - 2 * hits
        wrong_in_all += wrong
        found[name] = [mass, len(clusters), hits, predicted, true, precision / mass, recall / mass, wrong]
    return found, wrong_in_all


def check(table, points, groups):
    expected, wrong_in_all = brute(points, groups)
    in_all = sum(point.weight for point in points)
    assert {row.group for row in table} == set(expected)
    for row in table:
        mass, clusters, hits, predicted, true, precision, recall, wrong = expected[row.group]
        assert row.points == pytest.approx(float(mass))
        assert row.clusters == clusters
        assert row.pair_precision == (pytest.approx(float(hits / predicted)) if predicted else None)
        assert row.pair_recall == (pytest.approx(float(hits / true)) if true else None)
        assert row.b_cubed_precision == pytest.approx(float(precision))
        assert row.b_cubed_recall == pytest.approx(float(recall))
        assert row.b_cubed_f == pytest.approx(float(2 * precision * recall / (precision + recall)))
        assert row.share_of_points == pytest.approx(float(mass / in_all))
        assert row.share_of_errors == pytest.approx(float(wrong / wrong_in_all) if wrong_in_all else 0.0)


ROW = st.tuples(st.sampled_from("abcd"), st.integers(0, 4), st.integers(1, 3), st.sampled_from(["Ulm", "Graz", None]))
ROWS = st.lists(ROW, min_size=1, max_size=14)
NOISE = {"noise_true": {"d": "singletons"}, "noise_pred": {4: "singletons"}}


@pytest.mark.slow
@settings(max_examples=50, deadline=None)
@given(ROWS, st.booleans(), st.booleans())
def test_every_number_of_a_group_is_that_of_a_loop_over_points(rows, weighted, noisy):
    true, pred, numbers, city = map(list, zip(*rows, strict=True))
    kind = {"weights" if weighted else "counts": numbers}
    noise = NOISE if noisy else {}
    points = points_of(true, pred, **kind, **noise)
    cities = [one for one, n in zip(city, numbers, strict=True) for _ in range(1 if weighted else n)]
    scores = cm.evaluate(true, pred, [], **kind, **noise)
    check(scores.by("city", records={"city": city}), points, cities)
    labels = [one for one, n in zip(true, numbers, strict=True) for _ in range(1 if weighted else n)]
    both = scores.by(["city", "t"], records={"t": true, "city": city})
    check(both, points, list(zip(cities, labels, strict=True)))
    for side, at in (("true", 0), ("pred", 1)):
        sizes = defaultdict(Fraction)
        for point in points:
            sizes[point[at]] += point.weight
        groups = [bin_of(sizes[point[at]], scores.table.weights is not None) for point in points]
        found = scores.by_size(side)
        exchanged = points if side == "true" else [point._replace(true=point.pred, pred=point.true) for point in points]
        if side == "true":
            check(found, exchanged, groups)
        else:  # the same numbers with the sides exchanged
            expected, _ = brute(exchanged, groups)
            for row in found:
                mass, clusters, hits, predicted, true_pairs, *_ = expected[row.group]
                assert (row.points, row.clusters) == (pytest.approx(float(mass)), clusters)
                assert row.pair_recall == (pytest.approx(float(hits / predicted)) if predicted else None)
                assert row.pair_precision == (pytest.approx(float(hits / true_pairs)) if true_pairs else None)
    whole = scores.by("all", records={"all": ["x"] * len(true)})[0]
    if not noisy:
        assert whole.b_cubed_f == pytest.approx(cm.b_cubed_f.of(scores.table))
        if whole.pair_recall is not None:
            assert whole.pair_recall == pytest.approx(cm.pair_recall.of(scores.table))


def bin_of(size, weighted):
    low, high = Fraction(1, 2), Fraction(1)
    while size > high:
        low, high = high, 2 * high
    if weighted:
        return f"over {float(low):.4g} to {float(high):.4g}"
    return str(high) if high <= 2 else f"{low + 1}–{high}"


def test_sizes_of_an_engine_are_those_of_memory():
    pa = need("pyarrow")
    need("duckdb")
    rng = np.random.default_rng(5)
    true, pred = rng.integers(0, 30, 120), rng.integers(0, 40, 120)
    source = pa.table({"t": true, "p": pred})
    pushed = cm.evaluate(source, None, [], true="t", pred="p", engine="duckdb", push_down=True)
    assert not pushed.table.in_memory
    kept = cm.evaluate(true.tolist(), pred.tolist(), [])
    for side in ("true", "pred"):
        mine, theirs = pushed.by_size(side), kept.by_size(side)
        for row, kept_row in zip(mine, theirs, strict=True):
            assert row[:5] == kept_row[:5]
            assert row[5:8] == pytest.approx(kept_row[5:8], rel=1e-12)
            assert row[10:] == kept_row[10:]
        assert mine.notes == ("no intervals: the cells lie in an engine",)


def test_counts_beyond_a_computer_word_are_exact():
    n = 3 * 10**9
    scores = cm.evaluate_table(cm.Contingency.from_counts(["a", "a", "b"], [1, 2, 2], [n, 1, 1]), [])
    large, small = scores.by_size()[1], scores.by_size()[0]
    assert large.pair_recall == n * (n - 1) / ((n + 1) * n)
    assert small.pair_precision == 0
    assert (large.points, small.points) == (n + 1, 1)


COLUMNS = {
    "id": ["r1", "r2", "r3", "r4", "r5"],
    "city": ["Ulm", "Ulm", None, "Graz", "Graz"],
    "x": [0.5, 1.5, 2.5, 0.5, 1.5],
}
TRUE = dict(zip(COLUMNS["id"], "aabbc", strict=True))
PRED = dict(zip(COLUMNS["id"], [1, 1, 1, 2, 2], strict=True))


def expected_groups():
    scores = cm.evaluate(list(TRUE.values()), list(PRED.values()), [])
    return scores.by("city", records={"city": COLUMNS["city"]}).rows()


@pytest.mark.parametrize("kind", ["pandas", "polars", "csv", "parquet", "sqlite", "records", "values"])
def test_records_by_id_from_wherever_they_lie(kind, tmp_path):
    order = [3, 0, 4, 2, 1]
    shuffled = {name: [column[place] for place in order] for name, column in COLUMNS.items()}
    frame = pd.DataFrame(shuffled)
    records = {
        "pandas": lambda: frame,
        "polars": lambda: pl.DataFrame(shuffled),
        "csv": lambda: write(tmp_path / "r.csv", frame.to_csv),
        "parquet": lambda: write(tmp_path / "r.parquet", frame.to_parquet),
        "sqlite": lambda: in_sqlite(frame),
        "records": lambda: {row["id"]: row for row in frame.to_dict("records")},
        "values": lambda: dict(zip(shuffled["id"], shuffled["city"], strict=True)),
    }[kind]()
    assert cm.evaluate(TRUE, PRED, []).by("city", records=records).rows() == expected_groups()


def write(path, put):
    put(path, index=False)
    return str(path)


def in_sqlite(frame):
    connection = sqlite3.connect(":memory:")
    frame.to_sql("records", connection, index=False)
    return connection, "records"


@pytest.mark.parametrize("kind", ["pandas", "polars", "csv", "sqlite", "duckdb", "engine polars"])
def test_columns_of_the_source_that_was_evaluated(kind, tmp_path):
    frame = pd.DataFrame(COLUMNS | {"t": list(TRUE.values()), "p": list(PRED.values())})
    options = {"true": "t", "pred": "p"}
    source = {
        "pandas": lambda: frame,
        "polars": lambda: pl.from_pandas(frame),
        "csv": lambda: write(tmp_path / "r.csv", frame.to_csv),
        "sqlite": lambda: in_sqlite(frame),
        "duckdb": lambda: write(tmp_path / "r.parquet", frame.to_parquet),
        "engine polars": lambda: write(tmp_path / "r.parquet", frame.to_parquet),
    }[kind]()
    if kind == "engine polars":
        options["engine"] = "polars"
    scores = cm.evaluate(source, None, [], **options)
    assert scores.by("city").rows() == expected_groups()
    assert {row.group for row in scores.by(["city", "x"])} >= {("Ulm", "0.5"), ("Graz", "1.5"), (None, "2.5")}
    with pytest.raises(cm.InputError, match=r"by='cty' is not one of its columns; did you mean 'city'"):
        scores.by("cty")


def test_columns_of_either_of_two_sources(tmp_path):
    frame = pd.DataFrame(COLUMNS | {"t": list(TRUE.values())})
    found = pd.DataFrame({"id": COLUMNS["id"], "p": list(PRED.values())})[::-1]
    for one, two, columns in ((frame, found, {}), (frame[["id", "t"]], found.assign(city=COLUMNS["city"][::-1]), {})):
        scores = cm.evaluate(one, two, [], on="id", true="t", pred="p", **columns)
        assert scores.by("city").rows() == expected_groups()
    with pytest.raises(cm.InputError, match=r"neither source has these columns.*records"):
        cm.evaluate(frame, found, [], on="id", true="t", pred="p").by("year")


def test_records_in_the_order_of_the_points():
    true, pred = list(TRUE.values()), list(PRED.values())
    scores = cm.evaluate(true, pred, [])
    for records in (pd.DataFrame(COLUMNS), pl.DataFrame(COLUMNS), {"city": np.array(COLUMNS["city"], object)}):
        assert scores.by("city", records=records).rows() == expected_groups()
    indexed = cm.evaluate(pd.Series(true, index=[5, 6, 7, 8, 9]), pd.Series(pred, index=[5, 6, 7, 8, 9]), [])
    frame = pd.DataFrame(COLUMNS, index=[5, 6, 7, 8, 9])
    assert indexed.by("city", records=frame).rows() == expected_groups()
    with pytest.raises(cm.InputError, match=r"its index is not that of y_true.*records\.loc\[y_true\.index\]"):
        indexed.by("city", records=frame[::-1])


@pytest.mark.parametrize(
    ("records", "complaint"),
    [
        (None, "the labels have no columns beside them; pass records="),
        ({"city": ["Ulm"]}, "column 'city' has 1 values for 5 points"),
        ({"town": list("abcde")}, "records have no 'city'; they have 'town'"),
        ({"city": "Ulm"}, "column 'city' is no array"),
        ([1, 2, 3, 4, 5], "the points have no ids, so pass a data frame"),
        ("records.csv", "the points have no ids"),
        ({"city": [[1], [2], [3], [4], [5]]}, "column 'city'"),
    ],
)
def test_records_that_do_not_fit_are_refused(records, complaint):
    with pytest.raises(cm.InputError, match=complaint):
        cm.evaluate(list(TRUE.values()), list(PRED.values()), []).by("city", records=records)


@pytest.mark.parametrize(
    ("records", "complaint"),
    [
        ({"r1": {"city": "Ulm"}}, r"none for 4 of 5 ids, such as 'r2'"),
        (dict.fromkeys(range(5), "x"), r"none for 5 of 5 ids.*types int and str"),
        ({f"r{n}": {"town": "x"} for n in range(1, 6)}, "no record has 'city'; they have 'town'"),
        ({f"r{n}": {"city": "x"} if n > 1 else 3 for n in range(1, 6)}, "some of its values are mappings"),
        ([1, 2, 3, 4, 5], "the points have ids"),
        (
            pd.DataFrame({"key": COLUMNS["id"], "city": COLUMNS["city"]}),
            "no column of ids; call it 'id', or name it by on=",
        ),
        (pd.DataFrame({"id": ["r1"] * 5, "city": COLUMNS["city"]}), r"ids must be unique, and 4 row"),
    ],
)
def test_records_by_id_that_do_not_fit_are_refused(records, complaint):
    with pytest.raises(cm.InputError, match=complaint):
        cm.evaluate(TRUE, PRED, []).by("city", records=records)


def test_the_column_of_ids_can_be_named():
    frame = pd.DataFrame({"key": COLUMNS["id"], "city": COLUMNS["city"]})
    assert cm.evaluate(TRUE, PRED, []).by("city", records=frame, on="key").rows() == expected_groups()


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ({"columns": []}, "must be the name of a column, or a list"),
        ({"columns": 3}, "must be the name of a column"),
        ({"columns": ["city", "city"]}, "names a column twice"),
        ({"bins": 1}, "bins=1 must be"),
        ({"level": 95}, "level=95 must be"),
        ({"on": 3}, "on=3 must be"),
    ],
)
def test_what_is_asked_wrongly_is_refused(wrong, complaint):
    asked = {"columns": "city", "records": COLUMNS} | wrong
    with pytest.raises(cm.InputError, match=complaint):
        cm.evaluate(list(TRUE.values()), list(PRED.values()), []).by(**asked)


def test_tables_without_an_answer_are_refused():
    unscored = cm.evaluate([0, 0, 1], [0, -1, 1], [], noise_pred={-1: "unscored"})
    one_sided = cm.evaluate({1: 0, 2: 0}, {2: 0, 3: 0}, [], unmatched="keep")
    for scores, complaint in ((unscored, "unscored"), (one_sided, "unmatched item")):
        with pytest.raises(cm.UnsupportedTableError, match=complaint):
            scores.by_size()
        with pytest.raises(cm.UnsupportedTableError, match=complaint):
            scores.by("x", records={})
    with pytest.raises(cm.InputError, match="side='both'"):
        cm.evaluate([0], [0], []).by_size("both")


def test_points_that_a_policy_drops_are_in_no_group():
    scores = cm.evaluate(["a", "a", "b"], [1, 1, -1], [], noise_pred={-1: "drop"})
    assert [row.group for row in scores.by("city", records={"city": ["Ulm", "Ulm", "Graz"]})] == ["Ulm"]


def test_intervals_are_over_components_and_hold_what_they_are_about():
    """A hundred worlds of components, a fifth of them wrong: the interval holds the F of a large world in about 95."""
    rng = np.random.default_rng(11)

    def world(n):
        wrong = rng.random(n) < 0.2
        true = np.repeat(np.arange(n), 4)
        pred = true * 2 + np.where(np.repeat(wrong, 4), np.tile([0, 0, 1, 1], n), 0)
        return cm.evaluate(true, pred, [])

    truth = world(40_000).by("x", records={"x": np.zeros(160_000, int)})[0].b_cubed_f
    held = 0
    for _ in range(100):
        row = world(60).by("x", records={"x": np.zeros(240, int)})[0]
        held += row.low < truth < row.high
    assert 88 <= held <= 100


def test_no_interval_where_components_are_few_or_one_has_most():
    few = cm.evaluate([0, 0, 1, 1], [0, 1, 2, 2], []).by("x", records={"x": [1, 1, 1, 1]})
    assert few[0].low is None
    assert "no intervals: they need 10" in few.notes[-1]
    true = [0] * 50 + [n for n in range(1, 20) for _ in range(2)]
    pred = [0] * 40 + [1] * 10 + list(range(2, 40))
    large = cm.evaluate(true, pred, []).by("x", records={"x": [1] * len(true)})
    assert large[0].low is None


def test_words_rows_and_columns():
    scores = cm.evaluate(list(TRUE.values()), list(PRED.values()), [])
    table = scores.by(["city", "points"], records={"city": COLUMNS["city"], "points": [1, 2, 3, 4, 5]})
    assert list(table.to_dict())[:4] == ["city", "points", "points_", "clusters"]
    assert table[:1].to_dict()["city"] == [table[0].group[0]]
    assert repr(scores.by("city", records=COLUMNS)).splitlines()[0] == "Quality by city: 3 groups"
    many = scores.by_size("pred")
    assert repr(many).splitlines()[0] == "Quality by size of the predicted cluster: 2 groups"
    assert many.to_dict()["group"] == ["2", "3–4"]
    assert quality.group_text((None, "\x1b[31mred")) == "(missing), �[31mred"
