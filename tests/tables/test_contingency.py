"""The table: policies against the oracle, chunks, equality, conversions, guards."""

from __future__ import annotations

import pickle
import random
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

import clustermark as cm
from clustermark.statistics.overlaps import BestMatches
from clustermark.statistics.pairs import PairCounts
from clustermark.tables.cells import CellTable
from clustermark.tables.contingency import Account
from needs import need
from oracle import jci, pair_counts, points_of

pd = need("pandas")
pl = need("polars")
pa = need("pyarrow")

LABELS = st.sampled_from(["a", "b", "c", "noise", None])
POLICY = st.sampled_from(["cluster", "singletons", "drop"])


@st.composite
def tables(draw, weighted=False):
    n = draw(st.integers(1, 9))
    column = st.lists(LABELS, min_size=n, max_size=n)
    options = {
        "noise_true": draw(st.one_of(st.none(), st.fixed_dictionaries({"noise": POLICY}))),
        "noise_pred": draw(st.one_of(st.none(), st.fixed_dictionaries({"noise": POLICY}))),
        "missing": draw(POLICY),
        "counts": draw(st.one_of(st.none(), st.lists(st.integers(0, 3), min_size=n, max_size=n))),
    }
    if weighted:
        weight = st.one_of(st.just(0.0), st.floats(2**-20, 2**20), st.integers(1, 9).map(float))
        options["weights"] = draw(st.lists(weight, min_size=n, max_size=n))
    return draw(column), draw(column), options


def table_and_points(case):
    true, pred, options = case
    points = points_of(true, pred, **options)
    if not points:
        with pytest.raises(ValueError, match=r"no points|nothing"):
            cm.crosstab(true, pred, **options)
        return None, points
    return cm.crosstab(true, pred, **options), points


@pytest.mark.slow
@given(tables())
@settings(max_examples=400, deadline=None)
def test_fast_path_equals_all_pairs(case):
    table, points = table_and_points(case)
    if table is None:
        return
    assert PairCounts.of(table) == pair_counts(points)
    assert table.n_used == len(points)
    assert table.n_true_clusters == len({p.true for p in points})
    assert table.n_pred_clusters == len({p.pred for p in points})
    assert table.n_cells == len({(p.true, p.pred) for p in points})
    assert PairCounts.of(table.T) == (pair_counts(points)[0], *pair_counts(points)[2:0:-1], pair_counts(points)[3])
    view, expected = BestMatches.of(table), jci(points)
    assert (view.mean_score, view.mean_jaccard, view.mean_concentration) == pytest.approx(expected, abs=1e-12)
    assert float(cm.max_jaccard.exact(table)) == pytest.approx(expected[1], abs=1e-12)
    profile = table.profile.verify()
    assert profile.squares == table.squares
    assert profile.n_cells == table.n_cells
    assert table.to_scipy().sum() == len(points)
    assert table.to_scipy().shape == (table.n_true_clusters, table.n_pred_clusters)
    assert table.to_scipy().nnz == table.n_cells


@pytest.mark.slow
@given(tables(weighted=True))
@settings(max_examples=400, deadline=None)
def test_weights_equal_all_pairs(case):
    table, points = table_and_points(case)
    if table is None:
        return
    expected = pair_counts(points)
    scale = float(sum(expected)) or 1.0
    assert tuple(PairCounts.of(table)) == pytest.approx([float(x) for x in expected], rel=1e-12, abs=1e-15 * scale)
    for got, want in zip(PairCounts.of(table), expected, strict=True):
        assert (got == 0) == (want == 0) or abs(got - want) <= 1e-14 * scale
    view = BestMatches.of(table)
    assert (view.mean_score, view.mean_jaccard, view.mean_concentration) == pytest.approx(jci(points), abs=1e-6)
    assert view.mean_jaccard == pytest.approx(jci(points)[1], abs=1e-12)
    assert table.to_scipy().sum() == pytest.approx(float(sum(p.weight for p in points)))


@pytest.mark.slow
@given(tables(), st.integers(0, 9), st.integers(0, 9), st.booleans())
@settings(max_examples=200, deadline=None)
def test_chunks_in_any_order_equal_the_whole(case, cut, other_cut, turned):
    true, pred, options = case
    counts = options.pop("counts") or [1] * len(true)
    cuts = sorted({0, min(cut, len(true)), min(other_cut, len(true)), len(true)})
    chunks = []
    for a, b in zip(cuts, cuts[1:], strict=False):
        try:
            chunks.append(cm.crosstab(true[a:b], pred[a:b], counts=counts[a:b], **options))
        except ValueError:
            return  # a chunk without a single point left is an error of its own
    whole = cm.crosstab(true, pred, counts=counts, **options)
    merged = sum(chunks[:-1][::-1], chunks[-1]) if turned else sum(chunks[1:], chunks[0])
    assert merged == whole
    assert merged.T == whole.T
    assert PairCounts.of(merged) == PairCounts.of(whole)
    assert merged.profile == whole.profile
    assert pickle.loads(pickle.dumps(merged)) == whole


def test_weighted_chunks():
    rng = random.Random(0)
    true, pred = rng.choices("abc", k=40), rng.choices("xyz", k=40)
    weights = [rng.random() for _ in range(40)]
    whole = cm.crosstab(true, pred, weights=weights)
    merged = cm.crosstab(true[:10], pred[:10], weights=weights[:10]) + cm.crosstab(
        true[10:], pred[10:], weights=weights[10:]
    )
    assert tuple(PairCounts.of(merged)) == pytest.approx(tuple(PairCounts.of(whole)), rel=1e-13)
    mixed = cm.crosstab(true, pred) + cm.crosstab(true, pred, weights=weights)
    points = points_of(true, pred) + points_of(true, pred, weights=weights)
    assert tuple(PairCounts.of(mixed)) == pytest.approx([float(x) for x in pair_counts(points)], rel=1e-12)


def test_counts_repeat_rows():
    table = cm.crosstab(["a", "b", "b"], [1, 1, 2], counts=[3, 0, 2])
    assert table == cm.crosstab(["a"] * 3 + ["b"] * 2, [1] * 3 + [2] * 2)
    assert table.n_given == 5


def test_weights_of_one_change_nothing():
    assert cm.crosstab([0, 0, 1], [0, 1, 1], weights=[1, 1.0, 1]) == cm.crosstab([0, 0, 1], [0, 1, 1])


def test_zero_weights_do_not_exist_and_are_counted():
    table = cm.crosstab([0, 0, 1, 2], [0, 1, 1, 2], weights=[2.0, 0.0, 2.0, 0.0])
    assert (table.n_given, table.n_used, table.n_dropped) == (4, 2, 2)
    assert table.true_labels == [0, 1]


def test_a_single_weighted_point_has_no_pairs():
    assert PairCounts.of(cm.crosstab([0], [0], weights=[1 / 3])) == (0, 0, 0, 0)
    pairs = PairCounts.of(cm.crosstab([0, 1], [0, 0], weights=[0.1, 0.7]))
    assert pairs == (0, 0, 0.1 * 0.7, 0)


def test_counts_and_weights_together():
    both = cm.crosstab(["a", "b"], [1, 1], counts=[3, 2], weights=[0.5, 0.25])
    spread = cm.crosstab(["a"] * 3 + ["b"] * 2, [1] * 5, weights=[0.5] * 3 + [0.25] * 2)
    assert tuple(PairCounts.of(both)) == pytest.approx(tuple(PairCounts.of(spread)), rel=1e-15)


def test_huge_counts_as_singletons_do_not_explode():
    table = cm.crosstab(["a", "b"], [1, -1], counts=[10, 2**40], noise_pred={-1: "singletons"})
    assert table.n_pred_clusters == 2**40 + 1
    assert PairCounts.of(table).yn == 2**40 * (2**40 - 1) // 2


def test_unscored_noise():
    table = cm.crosstab([0, 0, 1, 1], [5, -1, 6, 6], noise_pred={-1: "unscored"})
    assert table.unscored == [-1]
    points = points_of([0, 0, 1, 1], [5, -1, 6, 6])
    assert cm.jaccard_concentration.of(table) == pytest.approx(jci(points, unscored=[-1])[0], abs=1e-12)
    with pytest.raises(cm.UnsupportedTableError, match=r"rand cannot leave noise .*drop"):
        cm.rand.of(table)
    with pytest.raises(ValueError, match="unscored"):
        table.T  # noqa: B018
    scores = cm.evaluate([0, 0, 1, 1], [5, -1, 6, 6], noise_pred={-1: "unscored"}, indices="all")
    assert set(scores) == {"jaccard_concentration", "max_jaccard", "mean_concentration"}
    assert "rand" in scores.refused
    assert str(scores).count("left out") == 1  # one line a reason
    twice = table + table
    assert twice.unscored == [-1]
    with pytest.raises(ValueError, match="different policies"):
        table + cm.crosstab([0], [-1])
    assert table + cm.crosstab([0], [7], noise_pred={-1: "unscored"}) == cm.crosstab(
        [0, 0, 1, 1, 0], [5, -1, 6, 6, 7], noise_pred={-1: "unscored"}
    )


def test_unscored_exact_jaccard():
    table = cm.crosstab([0, 0, 0, 1], [5, 5, -1, 6], noise_pred={-1: "unscored"})
    assert cm.max_jaccard.exact(table) == (2 * Fraction(2, 3) + 1) / 3


class TestUnmatched:
    TRUE = {"i": "a", "j": "a", "k": "b", "l": "b"}
    PRED = {"j": 1, "i": 1, "k": 1, "m": 2}

    def test_error_by_default(self):
        with pytest.raises(ValueError, match=r"1 occur in y_true only .* 1 in y_pred only .*'l'.*unmatched"):
            cm.crosstab(self.TRUE, self.PRED)

    def test_same_ids_in_another_order(self):
        assert cm.crosstab({1: "a", 2: "b"}, {2: "x", 1: "y"}) == cm.crosstab(["a", "b"], ["y", "x"])

    def test_drop(self):
        table = cm.crosstab(self.TRUE, self.PRED, unmatched="drop")
        assert table.n_used == 3
        assert (table.n_given, table.n_dropped, table.n_unmatched) == (5, 2, 2)
        assert PairCounts.of(table) == (1, 0, 2, 0)

    def test_singletons(self):
        table = cm.crosstab(self.TRUE, self.PRED, unmatched="singletons")
        points = points_of(["a", "a", "b", "b", "?"], [1, 1, 1, "?", 2])
        assert PairCounts.of(table) == pair_counts(points)
        assert (table.n_used, table.n_unmatched) == (5, 2)

    def test_keep(self):
        table = cm.crosstab(self.TRUE, self.PRED, unmatched="keep")
        assert table.one_sided
        assert (table.n_given, table.n_used, table.n_unmatched, table.n_dropped) == (5, 5, 2, 0)
        assert (table.n_true_clusters, table.n_pred_clusters, table.n_cells) == (2, 2, 2)
        sizes = [(row.size, row.clusters, row.cells) for row in table.profile.true_sizes]
        assert sizes == [(2, 2, 2)]
        assert [(row.size, row.cells) for row in table.profile.pred_sizes] == [(1, 0), (3, 2)]
        assert table.profile.verify()
        with pytest.raises(cm.UnsupportedTableError, match="unmatched"):
            cm.jaccard.of(table)
        with pytest.raises(ValueError, match="unmatched items"):
            PairCounts.of(table)
        with pytest.raises(ValueError, match="unmatched items"):
            BestMatches.of(table)
        with pytest.raises(ValueError, match="unmatched"):
            table.to_scipy()
        assert table.to_dict()["pred_is"].count("absent") == 1
        assert pickle.loads(pickle.dumps(table)) == table
        assert (table + table).n_unmatched == 4


class TestTables:
    def test_what_it_knows(self):
        table = cm.crosstab(["a", "a", "b", "b", "c"], [1, 1, 1, 2, 2])
        assert table.true_labels == ["a", "b", "c"]
        assert table.pred_labels == [1, 2]
        cells = {(table.true_labels[r], table.pred_labels[c]): n for r, c, n in zip(*table.cells, strict=True)}
        assert cells == {("a", 1): 2, ("b", 1): 1, ("b", 2): 1, ("c", 2): 1}
        assert all(not array.flags.writeable for array in table.cells)

    def test_update_returns_a_new_table(self):
        first = cm.crosstab([0, None], [0, 1], missing="drop")
        second = first.update([None, 7], [9, 8])
        assert first.n_given == 2
        assert (second.n_given, second.n_dropped, second.true_labels) == (4, 2, [0, 7])
        with pytest.raises(ValueError, match="y_true"):
            cm.crosstab([0], [0]).update([None], [0])

    def test_running_prefixes(self):
        # river's documented values after each point
        true, pred = [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]
        expected = [1, 1, 0, 0, 0.090909, 0.242424]
        table = cm.crosstab(true[:1], pred[:1])
        scores = [cm.adjusted_rand.of(table)]
        for t, p in zip(true[1:], pred[1:], strict=True):
            table = table.update([t], [p])
            scores.append(cm.adjusted_rand.of(table))
        assert scores == pytest.approx(expected, abs=1e-6)

    def test_labels_compare_as_python_says_when_merged(self):
        table = cm.crosstab([1, 2], [0, 0]) + cm.crosstab([True, 2.0], [0, 0]) + cm.crosstab(["1"], [0])
        assert table.true_labels == [1, 2, "1"]
        mixed = cm.crosstab(np.array([1], np.uint64), [0]) + cm.crosstab(np.array([-1]), [0])
        assert mixed.true_labels == [1, -1]
        assert cm.crosstab([None, 1], [0, 0], missing="cluster") + cm.crosstab(
            [2], [0], missing="cluster"
        ) == cm.crosstab([1, 2, None], [0, 0, 0], missing="cluster")

    def test_equality(self):
        table = cm.crosstab([0, 0, 1], ["x", "y", "y"])
        assert table == cm.crosstab([1, 0, 0], ["y", "y", "x"])
        assert table != cm.crosstab([0, 0, 1], ["x", "x", "y"])
        assert table != cm.crosstab([0, 0, 2], ["x", "y", "y"])
        assert table != cm.crosstab([0, 0, 1, 2], ["x", "y", "y", "y"])
        assert table != "a table"
        with pytest.raises(TypeError):
            hash(table)
        with pytest.raises(TypeError):
            table + 1

    def test_from_counts_adds_up(self):
        table = cm.Contingency.from_counts(["a", "a", "a"], [1, 2, 1], [5, 2, 6])
        assert table == cm.crosstab(["a"] * 13, [1] * 11 + [2] * 2)

    @pytest.mark.parametrize("make", [list, np.array, lambda m: np.asfortranarray(m), scipy.sparse.csr_array,
                                      scipy.sparse.coo_matrix, lambda m: np.array(m, float)])  # fmt: skip
    def test_from_matrix(self, make):
        matrix = [[5, 1, 0], [1, 4, 1], [0, 2, 3]]
        table = cm.Contingency.from_matrix(make(matrix), true_labels="abc")
        assert PairCounts.of(table) == (20, 20, 22, 74)
        assert table.true_labels == ["a", "b", "c"]
        assert (table.to_scipy().toarray() == matrix).all()
        assert cm.Contingency.from_matrix(table.to_scipy(), "abc") == table

    @pytest.mark.parametrize(
        "bad", [[1, 2], [[1, -1]], [[1.5]], [[0, 0]], [[[1]]], [[1], [1, 2]], [["a"]], [[np.nan]], 3]
    )
    def test_bad_matrix(self, bad):
        with pytest.raises(ValueError, match="matrix"):
            cm.Contingency.from_matrix(bad)

    def test_a_wrong_count_is_named_by_row_and_column(self):
        for matrix in ([[1, 2], [3, -4]], [[1, 2], [3, 0.5]]):
            with pytest.raises(ValueError, match="in row 1, column 1"):
                cm.Contingency.from_matrix(matrix)
        with pytest.raises(ValueError, match="from_matrix"):
            cm.Contingency([[1, 2], [3, 4]])

    def test_an_abstract_table_cannot_be_made(self):
        with pytest.raises(TypeError, match="crosstab"):
            cm.Contingency(Account(3))

        class Incomplete(cm.Contingency):
            """A table that answers nothing."""

        with pytest.raises(TypeError, match=r"abstract methods .*joint"):
            Incomplete(Account(3))

    def test_a_table_of_a_class_of_its_own_is_scored(self):
        class Named(CellTable):
            """A subclass, which an index meets for the first time."""

        table = cm.crosstab([0, 0, 1, 1], [0, 0, 0, 1])
        named = Named(table.kernel_cells, None, None, table.account)
        assert cm.jaccard.of(named) == cm.jaccard.of(named) == cm.jaccard.of(table)
        for other in (object(), None, "table", CellTable):
            with pytest.raises(ValueError, match=r"jaccard\.of takes a table"):
                cm.jaccard.of(other)

    def test_bad_matrix_labels(self):
        for labels in (["a"], ["a", "a"]):
            with pytest.raises(ValueError, match="true_labels"):
                cm.Contingency.from_matrix([[1], [1]], true_labels=labels)

    def test_conversions(self):
        table = cm.crosstab(["a", "a", "b"], [1, 1, 2], noise_pred={2: "singletons"})
        expected = {"true": ["a", "b"], "pred": [1, None], "n": [2, 1]}
        kinds = {"true_is": ["cluster", "cluster"], "pred_is": ["cluster", "singletons"]}
        assert table.to_dict() == expected | kinds
        assert isinstance(table.to_pandas(), pd.DataFrame)
        assert table.to_polars().to_dict(as_series=False) == expected | kinds
        assert isinstance(table.to_polars(), pl.DataFrame)
        assert table.to_arrow().to_pydict() == expected | kinds
        assert isinstance(table.to_arrow(), pa.Table)
        assert cm.crosstab([0, 0], [1, 1], weights=[0.5, 1.5]).to_dict()["weight"] == [2.0]

    def test_repr(self):
        text = repr(cm.crosstab(["a", "a", "b"], [1, 2, 2], weights=[0.5, 1, 1]))
        assert text.startswith("Contingency: 3 points, 2 true × 2 predicted clusters, 3 cells (weighted)")
        assert "0.5" in text
        assert "\n" not in repr(cm.crosstab(range(50), range(50)))
        assert "0 noise" in repr(cm.crosstab([0, 1], [0, 1], noise_true={7: "drop"}))
        assert "1 noise, 1 dropped" in repr(cm.crosstab([0, 1], [0, 1], noise_true={1: "drop"}))

    def test_weighted_table_has_no_profile(self):
        with pytest.raises(ValueError, match="weights"):
            cm.crosstab([0, 1], [0, 1], weights=[1, 2]).profile  # noqa: B018


class TestStreams:
    @pytest.mark.parametrize(
        ("options", "batch"),
        [
            ({"noise_pred": {-1: "drop"}}, ([0, 0], [-1, -1])),
            ({"missing": "drop"}, ([None], [3])),
        ],
    )
    def test_a_batch_that_is_wholly_dropped_is_counted(self, options, batch):
        table = cm.crosstab([0, 0, 1], [0, 0, 1], **options)
        more = table.update(*batch)
        assert more == cm.crosstab([0, 0, 1, *batch[0]], [0, 0, 1, *batch[1]], **options)
        assert (more.n_used, more.n_dropped) == (3, len(batch[0]))

    def test_batches_of_nothing(self):
        table = cm.crosstab([0, 0], [1, 2])
        assert table.update([0], [1], counts=[0]).n_given == 2
        assert table.update([0], [1], weights=[0.0]).n_dropped == 1
        with pytest.raises(ValueError, match="no points"):
            table.update([], [])

    def test_tables_under_different_policies_do_not_add(self):
        for options in ({"noise_pred": {-1: "singletons"}}, {"missing": "cluster"}, {"unmatched": "drop"}):
            with pytest.raises(ValueError, match="different policies"):
                cm.crosstab([0, 1], [-1, 0], **options) + cm.crosstab([0, 1], [-1, 0])

    def test_sum(self):
        assert sum([cm.crosstab([0], [1]), cm.crosstab([1], [1])]) == cm.crosstab([0, 1], [1, 1])
        with pytest.raises(TypeError):
            "x" + cm.crosstab([0], [1])


class TestNumbersById:
    def test_counts_and_weights_as_mappings(self):
        true, pred = {"a": 0, "b": 0, "c": 1}, {"c": 7, "a": 5, "b": 5}
        counted = cm.crosstab(true, pred, counts={"c": 3, "b": 2, "a": 1})
        assert counted == cm.crosstab([0, 0, 1], [5, 5, 7], counts=[1, 2, 3])
        weighted = cm.crosstab(true, pred, weights={"c": 3, "b": 2, "a": 1})
        assert weighted == cm.crosstab([0, 0, 1], [5, 5, 7], weights=[1, 2, 3])

    def test_guards(self):
        with pytest.raises(ValueError, match="counts: the labels are mappings"):
            cm.crosstab({1: 0}, {1: 0}, counts=[1])
        with pytest.raises(ValueError, match=r"weights: there is no number for 1 id.*'b'"):
            cm.crosstab({"a": 0, "b": 1}, {"a": 0, "b": 1}, weights={"a": 1})

    def test_pandas_indexes_must_agree(self):
        labels = pd.Series([0, 0, 1], index=list("abc"))
        for option in ("counts", "weights"):
            with pytest.raises(ValueError, match=f"y_true and {option} are pandas Series with different indexes"):
                cm.crosstab(labels, labels, **{option: pd.Series([5, 1, 1], index=list("cba"))})
            cm.crosstab(labels, labels, **{option: pd.Series([5, 1, 1], index=list("abc"))})


class TestLabelsElsewhere:
    @pytest.mark.parametrize(
        "labels",
        [
            np.array([2**63 + 5, 1], "u8"),
            np.array(["2020-01-01", "2021-01-01"], "M8[D]"),
            [True, 2],
            [1, "a"],
            [(1, "a"), (2, "b")],
            [frozenset({1}), frozenset({2})],
            [Fraction(1, 2), Fraction(1, 3)],
            [2**70, 1],
        ],
    )
    def test_any_label_can_be_exported(self, labels):
        table = cm.crosstab(labels, [0, 1])
        for exported in (table.to_arrow().to_pydict(), table.to_polars().to_dict(as_series=False)):
            assert len(exported["true"]) == 2
            assert exported["n"] == [1, 1]
        assert table.to_pandas().shape == (2, 3)

    def test_from_a_data_frame(self):
        frame = pd.crosstab(pd.Series(["a", "b", "b"]), pd.Series(["x", "y", "x"]))
        assert cm.Contingency.from_matrix(frame) == cm.crosstab(["a", "b", "b"], ["x", "y", "x"])

    def test_too_many_lines_for_a_matrix(self):
        table = cm.crosstab(["a", "b"], [1, -1], counts=[10, 2**40], noise_pred={-1: "singletons"})
        with pytest.raises(ValueError, match="to_scipy"):
            table.to_scipy()

    def test_squares_of_items_on_both_sides(self):
        table = cm.crosstab({1: 0, 2: 0}, {1: 0, 3: 5}, unmatched="keep")
        assert table.squares == table.profile.squares
        assert table.squares.n == 1

    def test_order_of_labels_that_do_not_sort(self):
        mixed = ["x", 1, 1, "y", "y", "y"]
        as_categories = pd.Categorical(mixed, categories=["y", 1, "x"])
        for pred in (mixed, as_categories):
            rows = cm.evaluate([0] * 6, pred, ["jaccard"]).clusters
            assert [row.cluster for row in rows] == ["x", 1, "y"]
        nested = [(frozenset({2}),), (frozenset({1}),), (frozenset(),)]
        assert [row.cluster for row in cm.evaluate([0, 0, 0], nested, ["jaccard"]).clusters] == nested


class TestGuards:
    @pytest.mark.parametrize("noise", [-1, "noise", ("a",), [1]])
    def test_a_bare_noise_label_names_the_policies(self, noise):
        with pytest.raises(ValueError, match=r"noise_pred.*'singletons'.*'drop'.*'unscored'"):
            cm.crosstab([0, 1], [0, 1], noise_pred=noise)

    def test_unscored_is_for_the_prediction(self):
        with pytest.raises(ValueError, match=r"noise_true.*'unscored'"):
            cm.crosstab([0, 1], [0, 1], noise_true={0: "unscored"})

    def test_missing_labels_are_not_noise(self):
        for label in (None, float("nan"), pd.NA):
            with pytest.raises(ValueError, match="missing="):
                cm.crosstab([0, 1], [0, 1], noise_true={label: "drop"})

    @pytest.mark.parametrize("option", ["missing", "unmatched"])
    def test_unknown_policies(self, option):
        with pytest.raises(ValueError, match=f"{option}='ignore'"):
            cm.crosstab([0, 1], [0, 1], **{option: "ignore"})

    @pytest.mark.parametrize(
        "counts", [[1, -1], [1], [1, 1.5], [1, None], ["1", "2"], [0, 0], 5, [1, 2**64], [[1], [1]]]
    )
    def test_bad_counts(self, counts):
        with pytest.raises(ValueError, match="counts"):
            cm.crosstab([0, 1], [0, 1], counts=counts)

    @pytest.mark.parametrize(
        "weights", [[1, -1], [1], [1, float("nan")], [1, float("inf")], ["a", "b"], 5, [[1], [1]], [0, 0], [None, 1]]
    )
    def test_bad_weights(self, weights):
        with pytest.raises(ValueError, match="weight"):
            cm.crosstab([0, 1], [0, 1], weights=weights)

    def test_counts_that_exceed_64_bits_in_all(self):
        with pytest.raises((OverflowError, ValueError), match=r"2\*\*63|2\^63"):
            cm.crosstab([0, 1], [0, 1], counts=[2**62, 2**62])
        with pytest.raises((OverflowError, ValueError), match=r"2\*\*63|2\^63"):
            table = cm.crosstab([0], [0], counts=[2**62])
            table + table

    def test_weights_too_large_to_multiply(self):
        for weight in (1e200, 1e-200):
            with pytest.raises(ValueError, match="weights"):
                cm.jaccard.of(cm.crosstab([0, 0], [0, 0], weights=[weight, weight]))

    def test_exact_refuses_weights(self):
        with pytest.raises(ValueError, match="weights"):
            cm.jaccard.exact(cm.crosstab([0, 0], [0, 0], weights=[1, 2]))

    @pytest.mark.parametrize("threads", [0, -1, 1.5, "2", np.float64(2)])
    def test_bad_threads(self, threads):
        with pytest.raises(ValueError, match="threads"):
            cm.crosstab([0], [0], threads=threads)

    def test_good_threads(self):
        for threads in (1, 2, np.int64(2), 10**30):
            assert cm.crosstab([0], [0], threads=threads).n_used == 1

    def test_threads_from_the_environment(self, monkeypatch):
        labels = range(2048)  # fewer have one thread, whatever the environment says
        monkeypatch.setenv("CLUSTERMARK_THREADS", "1")
        assert cm.crosstab(labels, labels).n_used == 2048
        monkeypatch.setenv("CLUSTERMARK_THREADS", "many")
        assert cm.crosstab(labels[1:], labels[1:]).n_used == 2047
        with pytest.raises(ValueError, match="CLUSTERMARK_THREADS"):
            cm.crosstab(labels, labels)

    def test_a_profile_that_does_not_add_up(self):
        profile = cm.crosstab([0, 0, 1], [0, 1, 1]).profile
        assert profile.verify() is profile
        short = profile._replace(true_sizes=profile.true_sizes[:1])
        with pytest.raises(ValueError, match="true clusters hold"):
            short.verify()
        row = profile.pred_sizes[0]
        for wrong, words in ((row._replace(cells=9), "cells"), (row._replace(squares=9), "n²")):
            with pytest.raises(ValueError, match=words):
                profile._replace(pred_sizes=(wrong, *profile.pred_sizes[1:])).verify()

    def test_names_that_pandas_would_align(self):
        with pytest.raises(ValueError, match=r"reset_index|to_numpy"):
            cm.crosstab(pd.Series([1, 2], index=[0, 1]), pd.Series([1, 2], index=[1, 0]))


@given(
    st.lists(
        st.lists(st.tuples(st.integers(0, 3), st.sampled_from("abc")), min_size=1, max_size=6), min_size=1, max_size=9
    )
)
def test_batches_of_a_stream_are_one_table(batches):
    stream = (tuple(zip(*batch, strict=True)) for batch in batches)
    whole = [point for batch in batches for point in batch]
    assert cm.Contingency.from_batches(stream) == cm.crosstab(*zip(*whole, strict=True))


def test_batches_take_counts_and_policies():
    assert cm.Contingency.from_batches([([], []), ([1], [2]), ({}, {}), ([], [], [])]).n_used == 1
    table = cm.Contingency.from_batches([([1, None], ["a", "a"], [2, 5]), ([1], ["b"], [3])], missing="drop")
    assert (table.n_given, table.n_used, table.n_dropped) == (10, 5, 5)
    with pytest.raises(cm.InputError, match="batches: they hold no points"):
        cm.Contingency.from_batches([])
    with pytest.raises(cm.InputError, match="batch 1 must be a pair"):
        cm.Contingency.from_batches([([1], [1]), [1]])


@pytest.mark.parametrize("scale", [1e-36, 1e35])
def test_weights_whose_products_would_overflow_are_refused(scale):
    with pytest.raises(ValueError, match="weights"):
        cm.crosstab([0, 0, 1], [0, 1, 1], weights=[scale, 2 * scale, 3 * scale])


def test_counts_make_weights_heavy():
    with pytest.raises(ValueError, match="weights"):
        cm.crosstab([0, 0, 1], [0, 1, 1], weights=[1e30, 2e30, 3e30], counts=[10**9, 1, 1])
