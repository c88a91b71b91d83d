"""Where a clustering goes wrong: every field against loops over points, and every table by hand."""

from __future__ import annotations

import csv
import io
from fractions import Fraction
from itertools import combinations
from math import isclose, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clustermark as cm
from clustermark import _kernel
from clustermark.diagnosis import ClusterCounts, ClusterRow, ClusterTable, ErrorList, OverlapMap, Part, counts_of
from clustermark.labels.labeling import Names
from clustermark.tables.parts import keep_worst
from clustermark.tables.sums import concentrations
from needs import need

pd = need("pandas")
pl = need("polars")

TRUE, PRED = ["a", "a", "b", "b", "c", "c"], [0, 0, 1, 1, 1, 2]
ABSENT = object()


class Lone:
    """The cluster of one point that has no label."""


class Case:
    """Points one by one, and the table that should say the same."""

    def __init__(self, rows, fates_true, fates_pred, unmatched, weighted):
        self.rows, self.weighted = rows, weighted
        self.options = {"noise_true": fates_true, "noise_pred": fates_pred, "unmatched": unmatched}
        self.true = {i: true for i, (true, _, _) in enumerate(rows) if true is not None}
        self.pred = {i: pred for i, (_, pred, _) in enumerate(rows) if pred is not None}
        numbers = {i: number for i, (_, _, number) in enumerate(rows)}
        self.options["weights" if weighted else "counts"] = numbers
        self.points = []
        for true, pred, number in rows:
            for _ in range(1 if weighted else number):
                true_is = self._became(true, fates_true, unmatched)
                pred_is = self._became(pred, fates_pred, unmatched)
                if "drop" not in (true_is, pred_is):
                    self.points.append((true_is, pred_is, Fraction(number) if weighted else 1))

    @staticmethod
    def _became(label, fates, unmatched):
        if label is None:
            return {"keep": ABSENT, "singletons": Lone(), "drop": "drop"}[unmatched]
        policy = fates.get(label, "cluster")
        return Lone() if policy == "singletons" else "drop" if policy == "drop" else label

    def table(self):
        return cm.crosstab(self.true, self.pred, **self.options)

    def evaluation(self):
        return cm.evaluate(self.true, self.pred, ["jaccard_concentration"][:0], **self.options)

    def sided(self, side):
        """Each point as its cluster on this side, its cluster on the other, its weight."""
        return [(p, t, w) if side == "pred" else (t, p, w) for t, p, w in self.points]


def labels():
    return st.integers(0, 3)


@st.composite
def cases(draw, weighted=False, unmatched=("drop", "singletons", "keep")):
    either = st.tuples(labels(), labels()) | st.tuples(labels(), st.none()) | st.tuples(st.none(), labels())
    number = st.sampled_from([0.5, 1.0, 1.25, 3.0]) if weighted else st.integers(1, 3)
    rows = draw(st.lists(st.tuples(either, number), min_size=1, max_size=12))
    fates_true = draw(st.dictionaries(labels(), st.sampled_from(["singletons", "drop", "cluster"]), max_size=2))
    fates_pred = draw(
        st.dictionaries(labels(), st.sampled_from(["singletons", "drop", "cluster", "unscored"]), max_size=2)
    )
    case = Case([(t, p, n) for (t, p), n in rows], fates_true, fates_pred, draw(st.sampled_from(unmatched)), weighted)
    if not case.points or not case.true.keys() & case.pred.keys():  # sides that share no item are refused
        case = Case([*case.rows, (9, 9, 1)], fates_true, fates_pred, case.options["unmatched"], weighted)
    return case


def expected_rows(case, side):
    """Every field by loops over points, in Fractions."""
    sided = case.sided(side)
    mine = sorted({m for m, _, _ in sided if isinstance(m, int)})
    unscored = {label for label, policy in case.options["noise_pred"].items() if policy == "unscored"}
    if side == "pred":
        mine = [label for label in mine if label not in unscored]
    others = {o for _, o, _ in sided if o is not ABSENT}
    total = sum(w for m, _, w in sided if m is not ABSENT and not (side == "pred" and m in unscored))
    return [expected_row(label, sided, side, others, total) for label in mine]


def expected_row(label, sided, side, others, total):
    points = [(o, w) for m, o, w in sided if m == label]
    size = sum(w for _, w in points)
    cells, sizes = {}, {}
    for other, weight in points:
        if other is not ABSENT:
            cells[other] = cells.get(other, 0) + weight
    for _, other, weight in sided:
        sizes[other] = sizes.get(other, 0) + weight
    number = {other: sum(o is other or o == other for _, o, _ in sided) for other in cells}
    inside = {other: sum(o is other or o == other for o, _ in points) for other in cells}
    order = sorted(
        cells,
        key=lambda o: (
            -Fraction(cells[o]) / (size + sizes[o] - cells[o]),
            not isinstance(o, int),
            o if isinstance(o, int) else 0,
        ),
    )
    best = order[0] if order else None
    overlap, best_size = (cells[best], sizes[best]) if order else (0, 0)
    own, across = Fraction(overlap) / size, Fraction(overlap) / best_size if best_size else 0
    jaccard = Fraction(overlap) / (size + best_size - overlap)
    whole = [number[o] == inside[o] for o in cells]
    complete = all(o is not ABSENT for o, _ in points)
    piece, union = ("split", "merged") if side == "pred" else ("merged", "split")
    verdict = "mixed"
    if len(cells) == 1 and complete:
        verdict = "exact" if whole[0] else piece
    elif len(cells) > 1 and all(whole):
        verdict = union
    concentration = expected_concentration(list(cells.values()), len(others))
    return {
        "cluster": label,
        "size": size,
        "share": Fraction(size) / total,
        "best_match": best if isinstance(best, int) else None,
        "overlap": overlap,
        "best_match_size": best_size,
        "precision": own if side == "pred" else across,
        "recall": across if side == "pred" else own,
        "jaccard": jaccard,
        "concentration": concentration,
        "jci": sqrt(jaccard * Fraction(concentration)),
        "counterparts": len(cells),
        "pairs_lost": sum(
            w * v for (o, w), (q, v) in combinations(points, 2) if ABSENT not in (o, q) and o is not q and o != q
        ),
        "bcubed": Fraction(sum(n * n for n in cells.values())) / size**2,
        "verdict": verdict,
    }


def expected_concentration(cells, n_others):
    if not cells:
        return 0.0
    return cm.concentration([float(n) for n in cells], virtual_length=n_others)


def assert_same(row, expected):
    for name, value in expected.items():
        got = getattr(row, name)
        if name in ("cluster", "best_match", "verdict"):
            assert got == value, name
        else:
            assert isclose(got, value, rel_tol=1e-12, abs_tol=1e-7 if name in ("concentration", "jci") else 1e-12), name


@settings(max_examples=400, deadline=None)
@given(cases(), st.sampled_from(["true", "pred"]))
def test_every_field_against_loops(case, side):
    rows = ClusterTable.of(case.table(), side)
    expected = expected_rows(case, side)
    assert len(rows) == rows.total == len(expected)
    for row, wanted in zip(rows, expected, strict=True):
        assert_same(row, wanted)
        for name in ("size", "overlap", "best_match_size", "counterparts", "pairs_lost"):
            assert type(getattr(row, name)) is int
            assert getattr(row, name) == wanted[name]
        for name in ("share", "precision", "recall", "jaccard", "bcubed"):  # small integers are divided once
            assert getattr(row, name) == float(wanted[name])
    assert rows.verdicts == {
        verdict: sum(row["verdict"] == verdict for row in expected) for verdict in ("exact", "split", "merged", "mixed")
    }


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(cases(weighted=True, unmatched=("drop", "keep")), st.sampled_from(["true", "pred"]))
def test_every_field_with_weights(case, side):
    expected = expected_rows(case, side)
    rows = ClusterTable.of(case.table(), side)
    assert len(rows) == len(expected)
    for row, wanted in zip(rows, expected, strict=True):
        assert_same(row, wanted)


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(cases() | cases(weighted=True, unmatched=("drop", "keep")), st.sampled_from(["true", "pred"]))
def test_wrong_pairs_are_those_of_its_points_that_one_side_only_has(case, side):
    rows = ClusterTable.of(case.table(), side)
    both = [point for point in case.sided(side) if ABSENT not in point]
    for row, found in zip(rows, rows.column("pairs_wrong").tolist(), strict=True):
        wrong = sum(
            w * v for (m, o, w), (n, p, v) in combinations(both, 2) if row.cluster in (m, n) and (m == n) != (o == p)
        )
        assert found == wrong  # the weights are such that their sums are exact
        assert row.verdict != "exact" or found == 0


def test_a_large_cluster_has_more_strangers_than_a_word_holds():
    table = cm.crosstab(["a", "b"], ["x", "x"], counts=[1 << 33, 1 << 33])
    assert ClusterTable.of(table, "true").column("pairs_wrong").tolist() == [1 << 66] * 2


@settings(max_examples=200, deadline=None)
@given(cases(unmatched=("drop", "singletons")))
def test_the_bits_of_the_kernel(case):
    table = case.table()
    counts = counts_of(table, "pred")
    overlaps = _kernel.overlaps(table.kernel_cells)
    rows = ClusterTable(counts, "pred", 1, table.n_true_clusters)
    assert rows.column("concentration").tolist() == overlaps.concentration.tolist()
    assert rows.column("jaccard").tolist() == overlaps.max_jaccard.tolist()
    assert rows.column("jci").tolist() == overlaps.score.tolist()


def test_the_bits_of_the_kernel_on_large_clusters():
    generator = np.random.default_rng(7)
    true, pred = generator.integers(0, 300, 4000), generator.integers(0, 60, 4000)
    for largest in (10, 10**4, 10**9, 10**14):
        table = cm.crosstab(true, pred, counts=generator.integers(1, largest, 4000))
        rows, overlaps = ClusterTable.of(table, "pred"), _kernel.overlaps(table.kernel_cells)
        order = table.pred_names.sorted_order()
        assert rows.column("concentration").tolist() == overlaps.concentration[order].tolist()
        assert rows.column("jci").tolist() == overlaps.score[order].tolist()


def test_scores_are_means_over_clusters():
    generator = np.random.default_rng(3)
    true, pred = generator.integers(0, 20, 500), generator.integers(0, 30, 500)
    scores = cm.evaluate(true, pred, "all")
    clusters, classes = scores.clusters, scores.classes
    assert sum(r.share * r.jci for r in clusters) == pytest.approx(scores["jaccard_concentration"])
    assert sum(r.share * r.bcubed for r in clusters) == pytest.approx(scores["b_cubed_precision"])
    assert sum(r.share * r.bcubed for r in classes) == pytest.approx(scores["b_cubed_recall"])
    pairs = cm.PairCounts.of(scores.table)
    assert sum(r.pairs_lost for r in clusters) == pairs.ny
    assert sum(r.pairs_lost for r in classes) == pairs.yn
    exact = clusters.verdicts["exact"]
    assert exact == classes.verdicts["exact"] == round(scores["cluster_recall"] * 20)
    assert sum(r.size - r.overlap for r in clusters) == len(scores.points())
    assert sum(r.size - r.overlap for r in classes) == len(scores.points(side="true"))


def test_weighted_pairs_add_up():
    scores = cm.evaluate(TRUE, PRED, "dice", weights=[1, 2, 3, 4, 5, 6])
    pairs = cm.PairCounts.of(scores.table)
    assert sum(r.pairs_lost for r in scores.clusters) == pytest.approx(pairs.ny)
    assert sum(r.pairs_lost for r in scores.classes) == pytest.approx(pairs.yn)


def test_exact_integers_past_a_computer_word():
    big = 5 * 10**9
    for unmatched in ({}, {"unmatched": "keep"}):
        table = cm.Contingency.from_counts(["a", "a", "b"], [1, 2, 2], [big, big + 1, 7], **unmatched)
        one, two = ClusterTable.of(table, "pred")
        (only, rest) = ClusterTable.of(table, "true")
        assert (one.pairs_lost, two.pairs_lost) == (0, 7 * (big + 1))
        assert (only.pairs_lost, rest.pairs_lost) == (big * (big + 1), 0)
        assert type(only.pairs_lost) is int
        assert only.bcubed == (big**2 + (big + 1) ** 2) / (2 * big + 1) ** 2
        assert ErrorList.of(table, "true")[0].pairs_lost == big * (big + 1)
        assert ClusterTable.of(table, "true").sorted_by("pairs_lost", 1)[0] == only


def test_best_match_of_nearly_equal_fractions():
    # 2/3 and (2 * 10^17) / (3 * 10^17 + 1) are the same double
    n = 10**17
    true, pred = {0: "x", 1: "y", 2: "x", 3: "y", 4: "z"}, {0: 1, 1: 1, 2: 2}
    counts = {0: n, 1: n, 2: 1, 3: 0, 4: 1}
    table = cm.crosstab(true, pred, counts=counts, unmatched="keep")
    assert table.one_sided
    assert ClusterTable.of(table, "pred")[0].best_match == "y"
    assert n / (2 * n + 1) == n / (2 * n)


def test_verdicts():
    pred = cm.evaluate([0, 0, 1, 1, 2, 2, 3, 4, 5, 5, 5, 6], list("aabcddddeeff"), "jaccard")
    assert {row.cluster: row.verdict for row in pred.clusters} == {
        "a": "exact", "b": "split", "c": "split", "d": "merged", "e": "split", "f": "mixed",
    }  # fmt: skip
    assert {row.cluster: row.verdict for row in pred.classes} == {
        0: "exact", 1: "split", 2: "merged", 3: "merged", 4: "merged", 5: "mixed", 6: "merged",
    }  # fmt: skip


def test_items_of_one_side_only():
    table = cm.crosstab({1: "a", 2: "a", 3: "b"}, {1: "x", 2: "x", 4: "x", 5: "y"}, unmatched="keep")
    x, y = ClusterTable.of(table, "pred")
    assert (x.size, x.overlap, x.best_match_size, x.precision, x.recall, x.verdict) == (3, 2, 2, 2 / 3, 1.0, "mixed")
    assert (x.counterparts, x.pairs_lost, x.jaccard, x.bcubed) == (1, 0, 2 / 3, 4 / 9)
    assert y == ClusterRow("y", 1, 0.25, None, 0, 0, 0.0, 0.0, 0.0, 0.0, 0.0, 0, 0, 0.0, "mixed")
    assert sum(r.share * r.bcubed for r in (x, y)) == pytest.approx(cm.b_cubed_precision.of(table))


def test_from_counts_alone():
    """As a database would count them: no table in sight."""
    counts = ClusterCounts(
        labels=Names.of(["p", "q"]),
        others=Names.of(["a"]),
        sizes=np.array([2, 3]),
        met=np.array([2, 3]),
        squares=np.array([4, 5]),
        counterparts=np.array([1, 2]),
        whole=np.array([1, 1]),
        best=np.array([0, -1], np.int32),
        overlap=np.array([2, 1]),
        best_size=np.array([2, 1]),
        strangers=np.array([0, 0]),
    )
    p, q = ClusterTable(counts, "pred", 5, 3)
    assert p == ClusterRow("p", 2, 0.4, "a", 2, 2, 1.0, 1.0, 1.0, 1.0, 1.0, 1, 0, 1.0, "exact")
    assert (q.best_match, q.pairs_lost, q.precision, q.recall, q.verdict) == (None, 2, 1 / 3, 1.0, "mixed")


class TestClusterTable:
    table = ClusterTable.of(cm.crosstab(TRUE, PRED), "pred")

    def test_is_a_sequence(self):
        assert len(self.table) == 3
        assert [row.cluster for row in self.table] == [0, 1, 2]
        assert self.table[-1] == list(self.table)[2]
        assert [row.cluster for row in self.table[1:]] == [1, 2]
        assert self.table[1:].total == 3
        with pytest.raises(IndexError):
            self.table[3]

    def test_sorting(self):
        assert [row.cluster for row in self.table.sorted_by("pairs_lost")] == [1, 0, 2]
        assert [row.cluster for row in self.table.sorted_by("jaccard", 2, descending=False)] == [2, 1]
        assert len(self.table.sorted_by("size", 0)) == 0
        assert self.table.sorted_by("size", 1).verdicts == {"exact": 0, "split": 0, "merged": 0, "mixed": 1}
        for wrong in ("verdict", "nope"):
            with pytest.raises(ValueError, match="not a column of numbers; choose one of size, "):
                self.table.sorted_by(wrong)
        for wrong in (-1, 1.5, True, "2"):
            with pytest.raises(ValueError, match="k="):
                self.table.sorted_by("size", wrong)

    def test_sides(self):
        with pytest.raises(ValueError, match='must be "true" or "pred"'):
            ClusterTable.of(cm.crosstab(TRUE, PRED), "truth")

    def test_columns_agree(self):
        columns = self.table.to_dict()
        assert tuple(columns) == ClusterRow._fields
        assert [ClusterRow(*values) for values in zip(*columns.values(), strict=True)] == list(self.table)
        assert self.table.rows() == [row._asdict() for row in self.table]
        assert self.table.to_pandas().to_dict("list") == columns
        assert self.table.to_polars().to_dict(as_series=False) == columns
        assert self.table.to_arrow().to_pydict() == columns
        read = list(csv.DictReader(io.StringIO(self.table.to_csv())))
        assert [float(row["jci"]) for row in read] == columns["jci"]
        assert [row["verdict"] for row in read] == columns["verdict"]

    def test_text(self):
        many = ClusterTable.of(cm.crosstab(range(30), range(30)), "true")
        lines = repr(many).splitlines()
        assert lines[0] == "30 true clusters: 30 exact"
        assert lines[-1] == "… and 10 more"
        assert len(lines) == 23
        assert repr(many.sorted_by("size", 1)).startswith("1 true cluster of 30: 1 exact\n")
        assert repr(many[:0]) == "0 true clusters of 30"
        odd = repr(ClusterTable.of(cm.crosstab(["a\nb", "x" * 50, 1234567], [None, 1, 1], missing="cluster"), "true"))
        assert "a b" in odd
        assert "\n1234567 " in odd
        assert max(map(len, odd.splitlines())) < 130

    def test_the_cluster_of_missing_labels_comes_last_in_sorted_order(self):
        table = cm.crosstab(["b", None, "a", "c", None, "b"], [9, 5, 5, 7, None, None], missing="cluster")
        assert [row.cluster for row in ClusterTable.of(table, "true")] == ["a", "b", "c", None]
        assert [row.cluster for row in ClusterTable.of(table, "pred")] == [5, 7, 9, None]
        assert ClusterTable.of(table, "true")[1].best_match == 9
        assert [part.cluster for part in ErrorList.of(table, "true")[0].parts] == [9, None]

    def test_labels_of_all_kinds_can_be_handed_over(self):
        table = ClusterTable.of(cm.crosstab([("a", 1), 2, "c", None], [1, 2, 3, 4], missing="cluster"), "true")
        assert table.to_pandas()["cluster"].tolist() == [("a", 1), 2, "c", None]
        assert table.to_polars()["cluster"].to_list() == ['["a", 1]', "2", "c", None]
        assert table.to_arrow()["cluster"].to_pylist() == ['["a", 1]', "2", "c", None]

    def test_files_are_not_overwritten_by_mistake(self, tmp_path):
        path = tmp_path / "clusters.csv"
        self.table.write_csv(path)
        assert path.read_text() == self.table.to_csv()
        with pytest.raises(ValueError, match=r"clusters.csv exists already; .*overwrite=True"):
            self.table.write_csv(path)
        self.table[:1].write_csv(path, overwrite=True)
        assert path.read_text() == self.table[:1].to_csv()


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(cases(), st.sampled_from(["true", "pred"]), st.integers(0, 4))
def test_errors_against_the_rows(case, side, k):
    table = case.table()
    rows = ClusterTable.of(table, side)
    losing = [row for row in rows if row.pairs_lost]
    worst = sorted(losing, key=lambda row: (-row.pairs_lost, -row.size))[:k]
    errors = ErrorList.of(table, side, k)
    assert errors.total == len(losing)
    assert [(e.cluster, e.size, e.pairs_lost, e.counterparts) for e in errors] == [
        (r.cluster, r.size, r.pairs_lost, r.counterparts) for r in worst
    ]
    sided = case.sided(side)
    for error in errors:
        cells, sizes = {}, {}
        for mine, across, _ in sided:
            sizes[across] = sizes.get(across, 0) + 1
            if mine == error.cluster and across is not ABSENT:
                cells[across] = cells.get(across, 0) + 1
        expected = [
            Part(o, n, sizes[o]) if isinstance(o, int) else Part(None, n, sizes[o], lone=True) for o, n in cells.items()
        ]
        expected.sort(key=lambda part: (-part.overlap, part.cluster is None, part.cluster or 0))
        assert list(error.parts) == expected[:10]


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=120),
    st.sampled_from([int, str, float, lambda label: label or "none", lambda label: label or None]),
    st.sampled_from(["true", "pred"]),
    st.integers(1, 4),
)
@settings(max_examples=150, deadline=None)
def test_few_of_many_clusters_are_the_first_of_all(points, name, side, k):
    """Of a large table only the cells of the worst clusters are looked at."""
    true, pred = ([name(point[place]) for point in points] for place in (0, 1))
    table = cm.crosstab(true, pred, missing="singletons")
    everything, few = ErrorList.of(table, side, None), ErrorList.of(table, side, k)
    assert (list(few), few.total) == (list(everything)[:k], everything.total)
    part, losing = keep_worst(table, side, k), table.census(side).losing
    listed = part.n_true_clusters if side == "true" else part.n_pred_clusters
    if table.n_cells > 16 * k and len({type(label) for label in (*true, *pred)}) == 1:
        assert listed == min(k, losing)


class TestErrorList:
    def test_many_parts(self):
        table = cm.crosstab([0] * 40 + [1], [*range(25), *[-1] * 15, 99], noise_pred={-1: "singletons"})
        (row,) = ErrorList.of(table, "true")
        assert (row.cluster, row.size, row.counterparts, row.pairs_lost) == (0, 40, 40, 780)
        assert row.parts == tuple(Part(number, 1, 1) for number in range(10))
        assert repr(ErrorList.of(table, "true")).endswith("4 (1 of 1), and 35 of one point each")
        lone = cm.crosstab([0] * 12, [-1] * 12, noise_pred={-1: "singletons"})
        assert ErrorList.of(lone, "true")[0].parts == (Part(None, 1, 1, lone=True),) * 10
        assert len(ErrorList.of(lone, "pred")) == 0

    def test_columns(self):
        errors = ErrorList.of(cm.crosstab(TRUE, PRED), "pred")
        assert errors.to_dict() == {
            "cluster": [1, 1],
            "size": [3, 3],
            "pairs_lost": [2, 2],
            "counterparts": [2, 2],
            "part": ["b", "c"],
            "overlap": [2, 1],
            "part_size": [2, 2],
            "lone": [False, False],
            "point": [None, None],
        }
        assert errors.to_pandas().to_dict("list") == errors.to_dict()
        assert errors.to_csv().splitlines()[1] == "1,3,2,2,b,2,2,False,"
        assert errors.rows() == [
            {
                "cluster": 1,
                "size": 3,
                "pairs_lost": 2,
                "counterparts": 2,
                "parts": [
                    {"cluster": "b", "overlap": 2, "size": 2, "lone": False, "point": None},
                    {"cluster": "c", "overlap": 1, "size": 2, "lone": False, "point": None},
                ],
            }
        ]

    def test_text(self):
        assert repr(ErrorList.of(cm.crosstab([0, 1], [0, 1]), "pred")) == (
            "0 predicted clusters merge points that are apart in truth"
        )
        several = ErrorList.of(cm.crosstab([0, 1, 2, 3], [0, 0, 1, 1]), "pred", 1)
        assert repr(several).splitlines() == [
            "2 predicted clusters merge points that are apart in truth; the worst:",
            "cluster  points  pairs lost  true clusters  parts",
            "0             2           1              2  0 (1 of 1), 1 (1 of 1)",
        ]
        assert several[0:1] is not several
        assert list(several[:1]) == list(several)

    def test_k(self):
        with pytest.raises(ValueError, match="k=-1"):
            ErrorList.of(cm.crosstab(TRUE, PRED), "pred", -1)


class TestOverlapMap:
    @settings(max_examples=100, deadline=None)
    @given(cases(), st.integers(1, 5))
    def test_counts(self, case, k):
        shown = OverlapMap.of(case.table(), k)
        for i, true in enumerate(shown.true_labels):
            assert shown.true_sizes[i] == sum(t == true for t, _, _ in case.points)
            for j, pred in enumerate(shown.pred_labels):
                assert shown.counts[i, j] == sum((t, p) == (true, pred) for t, p, _ in case.points)
        for labels, side in ((shown.true_labels, "true"), (shown.pred_labels, "pred")):
            sizes = {}
            for mine, _, _ in case.sided(side):
                if isinstance(mine, int):
                    sizes[mine] = sizes.get(mine, 0) + 1
            assert set(labels) == set(sorted(sizes, key=lambda label: (-sizes[label], label))[:k])
        assert shown.covered == shown.counts.sum()
        assert type(shown.covered) is int
        assert shown.n == len(case.points)
        assert (shown.n_true, shown.n_pred) == (case.table().n_true_clusters, case.table().n_pred_clusters)

    @settings(max_examples=40, deadline=None)
    @given(cases(), st.integers(1, 5), st.sampled_from(["largest", "worst"]))
    def test_lines_add_up_to_their_clusters(self, case, k, choose):
        shown = OverlapMap.of(case.table(), k, choose)
        for i, label in enumerate(shown.true_labels):
            rest = sum(values[i] for values in shown.true_margins.values())
            assert shown.counts[i].sum() + rest == shown.true_sizes[i] == sum(t == label for t, _, _ in case.points)
        for j, label in enumerate(shown.pred_labels):
            rest = sum(values[j] for values in shown.pred_margins.values())
            assert shown.counts[:, j].sum() + rest == shown.pred_sizes[j] == sum(p == label for _, p, _ in case.points)

    @settings(max_examples=40, deadline=None)
    @given(cases(), st.integers(2, 6))
    def test_the_worst_are_shown_with_their_parts(self, case, k):
        table = case.table()
        shown = OverlapMap.of(table, k, "worst")
        assert max(len(shown.true_labels), len(shown.pred_labels)) <= k
        if shown.chosen != "worst":
            return
        merges, splits = ErrorList.of(table, "pred", 1), ErrorList.of(table, "true", 1)
        first, lines, across = (
            (merges, shown.pred_labels, shown.true_labels) if merges else (splits, shown.true_labels, shown.pred_labels)
        )
        assert first[0].cluster in lines
        assert {part.cluster for part in first[0].parts[:k] if not part.lone} <= {*across, None}

    def test_all_are_shown_where_they_are_few(self):
        table = cm.crosstab([0, 0, 1, 1, 2], [5, 5, 6, 7, 7])
        assert OverlapMap.of(table, 3, "worst").chosen == "all"
        assert OverlapMap.of(table, 2, "worst").chosen == "worst"
        assert OverlapMap.of(table, 2).chosen == "largest"
        assert OverlapMap.of(cm.crosstab(range(9), range(9)), 3, "worst").chosen == "largest"  # nothing is lost
        with pytest.raises(cm.InputError, match="choose="):
            OverlapMap.of(table, 2, "best")

    def test_what_lies_outside_is_named(self):
        table = cm.crosstab(list("aaaabb"), [1, 1, -1, 2, 3, 4], noise_pred={-1: "singletons"})
        shown = OverlapMap.of(table, 3, "worst")
        assert dict(zip(shown.true_labels, shown.true_margins["alone"], strict=True))["a"] == 1
        kept = cm.crosstab({0: "a", 1: "a", 2: "a"}, {0: 1, 1: 1, 3: 1}, unmatched="keep")
        assert OverlapMap.of(kept).true_margins == {"unmatched": [1]}
        assert OverlapMap.of(kept).pred_margins == {"unmatched": [1]}

    def test_a_good_match_has_no_rival(self):
        one = OverlapMap.of(cm.crosstab([0] * 8 + [1] * 2, [5] * 10))
        assert not one.matched.any()  # although the Jaccard index of 0 and 5 is 0.8
        assert OverlapMap.of(cm.crosstab([0] * 9, [5] * 9)).matched.all()
        tie = OverlapMap.of(cm.crosstab([0, 0, 1, 1], [5, 5, 5, 6]))
        assert tie.jaccard.max() == pytest.approx(2 / 3)
        assert tie.matched.sum() == 1
        halves = OverlapMap.of(cm.crosstab([0, 0, 1, 1, 2], [5, 6, 5, 6, 7]))
        assert halves.matched.sum() == 1

    def test_matches_lie_on_the_diagonal(self):
        shown = OverlapMap.of(cm.crosstab(list("aaabbc"), list("zzzyyx")), 2)
        assert (shown.true_labels, shown.pred_labels) == (["a", "b"], ["z", "y"])
        assert shown.counts.tolist() == [[3, 0], [0, 2]]
        assert (shown.covered, shown.n, shown.n_true, shown.n_pred) == (5, 6, 3, 3)

    def test_weights(self):
        shown = OverlapMap.of(cm.crosstab([0, 0, 1], [5, 5, 6], weights=[0.5, 1, 4]))
        assert shown.counts.tolist() == [[4, 0], [0, 1.5]]
        assert (shown.covered, shown.n) == (5.5, 5.5)

    @pytest.mark.parametrize("k", [0, -1, None, 10**6, "3"])
    def test_k(self, k):
        with pytest.raises(ValueError, match="k="):
            OverlapMap.of(cm.crosstab(TRUE, PRED), k)


@settings(max_examples=150, deadline=None)
@given(cases(), st.booleans())
def test_sizes_against_loops(case, weighted):
    sizes = case.evaluation().sizes
    for side in ("true", "pred"):
        clusters = {}
        for mine, _, _ in case.sided(side):
            if mine is not ABSENT:
                clusters[mine] = clusters.get(mine, 0) + 1
        found = list(clusters.values())
        assert sizes[side] == sorted((size, found.count(size)) for size in set(found))


def test_sizes_with_weights():
    sizes = cm.evaluate([0, 0, 1, 1], [5, 5, -1, -1], [], weights=[0.5, 0.5, 1, 1], noise_pred={-1: "singletons"})
    assert sizes.sizes == {"true": [(1.0, 1), (2.0, 1)], "pred": [(1.0, 3)]}


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(cases(), st.sampled_from(["true", "pred"]))
def test_points_against_loops(case, side):
    case = Case([(t, p, 1) for t, p, _ in case.rows], *list(case.options.values())[:3], False)
    if not case.points:
        return
    rows = {row.cluster: row for row in ClusterTable.of(case.table(), side)}
    expected, matched = [], set()
    for item in dict.fromkeys([*case.true, *case.pred]):  # the order in which they are read
        true, pred, _ = case.rows[item]
        true_is = case._became(true, case.options["noise_true"], case.options["unmatched"])
        pred_is = case._became(pred, case.options["noise_pred"], case.options["unmatched"])
        mine, across = (pred_is, true_is) if side == "pred" else (true_is, pred_is)
        if "drop" in (true_is, pred_is) or mine not in rows:
            continue
        best = rows[mine].best_match
        if best is None and rows[mine].overlap and isinstance(across, Lone) and mine not in matched:
            matched.add(mine)  # the point with a cluster of its own that is the best match
        elif across is ABSENT or isinstance(across, Lone) or across != best:
            expected.append((item, true, pred, best))
    found = case.evaluation().points(side=side)
    assert [tuple(row) for row in found] == expected
    assert found.total == len(expected) == sum(row.size - row.overlap for row in rows.values())


class TestPoints:
    def test_positions_and_ids(self):
        assert cm.evaluate(TRUE, PRED).points().rows() == [{"point": 4, "true": "c", "pred": 1, "best_match": "b"}]
        assert cm.evaluate(TRUE, PRED).points(side="true").to_dict() == {
            "point": [4], "true": ["c"], "pred": [1], "best_match": [2],
        }  # fmt: skip
        items = list("uvwxyz")
        by_id = cm.evaluate(
            dict(zip(items, TRUE, strict=True)), dict(zip(reversed(items), reversed(PRED), strict=True))
        )
        assert by_id.points()[0].point == "y"
        series = cm.evaluate(pd.Series(TRUE, index=items), pd.Series(PRED, index=items))
        assert series.points()[0].point == "y"
        assert cm.evaluate(pd.Series(TRUE, index=items), PRED).points()[0].point == "y"
        assert cm.evaluate(pl.Series(TRUE), np.array(PRED)).points()[0].point == 4

    def test_points_that_were_left_out(self):
        true, pred = [0, 0, 0, 1, 0], [5, 5, 5, 5, 5]
        assert [p.point for p in cm.evaluate(true, pred).points()] == [3]
        assert [p.point for p in cm.evaluate(true, pred, weights=[1, 1, 1, 0, 1]).points()] == []
        assert [p.point for p in cm.evaluate(true, pred, counts=[1, 1, 1, 0, 1]).points()] == []
        assert [p.point for p in cm.evaluate(true, pred, [], noise_pred={5: "unscored"}).points(side="true")] == []
        assert cm.evaluate([0, 1], [5, None], missing="drop").points().total == 0
        ids = cm.evaluate(dict(enumerate(true)), dict(enumerate(pred)), counts={0: 1, 1: 1, 2: 1, 3: 0, 4: 1})
        assert ids.points().total == 0

    def test_the_match_of_a_cluster_that_has_none(self):
        noise = {"noise_true": {0: "singletons"}}
        assert [p.point for p in cm.evaluate([0, 0, 0], [1, 1, 1], [], **noise).points()] == [1, 2]
        weighted = cm.evaluate([0, 0, 0], [1, 1, 1], [], weights=[1, 2, 1.5], **noise)
        assert [p.point for p in weighted.points()] == [0, 2]
        repeated = cm.evaluate([0], [1], [], counts=[3], **noise)  # two of three are outside
        assert [p.point for p in repeated.points()] == [0]

    def test_first_k(self):
        found = cm.evaluate([0, 0, 0, 1, 2], [1] * 5).points(k=1)
        assert (len(found), found.total) == (1, 2)
        assert repr(found).splitlines()[0] == "2 points lie outside the best match of their predicted cluster"
        assert repr(found).splitlines()[-1] == "… and 1 more"
        assert found[0] == next(iter(found)) == found[:1][0]
        assert found.to_pandas().to_dict("list") == found.to_dict()
        assert found.to_csv() == "point,true,pred,best_match\n3,1,1,0\n"

    def test_of_a_table(self):
        scores = cm.evaluate_table(cm.crosstab(TRUE, PRED))
        with pytest.raises(ValueError, match=r"points\(y_true, y_pred\), or use evaluate"):
            scores.points()
        with pytest.raises(ValueError, match="both y_true and y_pred"):
            scores.points(TRUE)
        assert scores.points(TRUE, np.array(PRED)).rows() == cm.evaluate(TRUE, PRED).points().rows()
        streamed = cm.crosstab(TRUE[:3], PRED[:3]).update(TRUE[3:], PRED[3:])
        assert cm.evaluate_table(streamed).points(TRUE, PRED).rows() == scores.points(TRUE, PRED).rows()
        with pytest.raises(ValueError, match="labels at position 1 are not in the table"):
            scores.points(["a", "nobody"], [0, 0])


def test_concentration_of_nothing():
    assert concentrations(np.array([0]), np.array([5]), np.array([0]), 3).tolist() == [0.0]
    assert concentrations(np.array([25]), np.array([5]), np.array([1]), 3).tolist() == [1.0]


def test_unscored_clusters_have_no_row_but_are_met():
    scores = cm.evaluate([0, 0, 1, 1], [5, -1, 6, -1], [], noise_pred={-1: "unscored"})
    assert [row.cluster for row in scores.clusters] == [5, 6]
    assert [row.share for row in scores.clusters] == [0.5, 0.5]
    assert [row.counterparts for row in scores.classes] == [2, 2]
    assert [row.cluster for row in scores.merges()] == []
    assert [part.cluster for part in scores.splits()[0].parts] == [-1, 5]
