"""Changes: against published values, and against the slow and obvious way."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import brute_changes as brute
import numpy as np
import pytest
from brute_changes import Record
from hypothesis import given, settings
from hypothesis import strategies as st

import clustermark as cm
from clustermark.releases.impact import changed_cells, measure, measure_tally
from oracle import all_partitions

THIRD = Fraction(1, 3)
GOLDEN = [
    # before, after, weights; split, merge, shrunk, grown, distance
    ("0001", "0012", None, (THIRD, 0, Fraction(1, 12), 0, THIRD)),
    ("00112", "00001", None, (0, Fraction(2, 5), 0, Fraction(1, 5), Fraction(2, 5))),
    ("000111", "001112", None, (Fraction(4, 9), Fraction(2, 9), Fraction(1, 18), 0, Fraction(47, 90))),
    ("00011", "00111", (3, 1, 2, 1, 1), (THIRD, Fraction(1, 4), Fraction(1, 16), Fraction(1, 16), Fraction(23, 48))),
    ("000011", "001111", None, (THIRD, THIRD, Fraction(1, 12), Fraction(1, 12), Fraction(5, 9))),
]


def numbers(found):
    return (*found.masses, found.distance)


@pytest.mark.parametrize(("before", "after", "weights", "wanted"), GOLDEN)
def test_golden_values(before, after, weights, wanted):
    found = cm.changes([*before], [*after], weights=weights)
    if weights is None:
        assert numbers(found) == tuple(map(float, wanted))
    assert numbers(found) == pytest.approx([float(value) for value in wanted], rel=1e-15)
    repeated = [
        [side[i] for i, w in enumerate(weights or [1] * len(side)) for _ in range(w)] for side in (before, after)
    ]
    if weights:  # rates of weights are those of repeated records; masses of pairs within a record are not
        rates = cm.changes(*repeated)
        assert (rates.split_rate, rates.merge_rate, rates.distance) == tuple(map(float, wanted[:2] + wanted[4:]))


def test_golden_kinds():
    found = cm.changes([*"00011"], [*"00111"], weights=(3, 1, 2, 1, 1))
    assert [(row.cluster, row.kind) for row in found.clusters("before")] == [("0", "regrouped"), ("1", "merged")]


RECORDS = st.lists(
    st.tuples(
        st.sampled_from([None, "a", "b", "c", "d"]),
        st.sampled_from([None, 1, 2, 3, 4]),
        st.integers(1, 4),
        st.sampled_from(["x", "y", None]),
    ),
    min_size=1,
    max_size=14,
).filter(lambda rows: any(b is not None and a is not None for b, a, *_ in rows))


def sides(rows):
    before = {i: row[0] for i, row in enumerate(rows) if row[0] is not None}
    after = {i: row[1] for i, row in enumerate(rows) if row[1] is not None}
    return before, after


def by_hand(rows, unmatched, *, weighted):
    records = []
    for i, (before, after, weight, part) in enumerate(rows):
        if before is None and after is None:
            continue
        if unmatched == "drop" and (before is None or after is None):
            continue
        labels = [("alone", i, side) if label is None else label for side, label in ((0, before), (1, after))]
        records.append(Record(i, *labels, Fraction(weight if weighted else 1), part))
    return records


def as_counts(counts):
    return {kind: (count.number, count.records) for kind, count in counts.items()}


@pytest.mark.filterwarnings("ignore::clustermark.FewMatchesWarning")
@settings(deadline=None, max_examples=60)
@given(RECORDS, st.sampled_from(["drop", "singletons"]), st.booleans())
def test_against_brute_force(rows, unmatched, weighted):
    before, after = sides(rows)
    ids = {*before, *after}
    how = {"weights": {i: rows[i][2] for i in ids}} if weighted else {}
    with np.errstate(all="raise"):
        found = cm.changes(before, after, by={i: rows[i][3] for i in ids}, unmatched=unmatched, **how)
    records = by_hand(rows, unmatched, weighted=weighted)
    wanted = brute.impact(records)
    assert found.affected == wanted.pop("affected")
    exact = pytest.approx if weighted else float
    assert found.affected_share == exact(float(wanted.pop("affected_share")))
    for got, value in zip(numbers(found), wanted.values(), strict=True):
        assert got == exact(float(value))
    for side in ("before", "after"):
        assert as_counts(found.kinds[side]) == brute.kinds(records, side)
    happened = brute.events(records)
    listed = found.events(None)
    assert sorted((e.kind, e.n_before, e.n_after, e.records) for e in listed) == [
        e for e in happened if e[0] != "unchanged"
    ]
    assert sum(e.impact for e in listed) == pytest.approx(float(wanted["distance"] * sum(r.weight for r in records)))
    assert found.event_counts["unchanged"].number == sum(e[0] == "unchanged" for e in happened)
    assert sum(count.records for count in found.event_counts.values()) == len(records)
    slices = {row.slice: row for row in found.slices}
    assert slices.keys() == {record.slice for record in records}
    for name, row in slices.items():
        some = [record for record in records if record.slice == name]
        value = brute.impact(records, some)
        assert (row.records, row.affected) == (len(some), value["affected"])
        got = (row.split_rate, row.merge_rate, row.shrunk, row.grown, row.distance, row.affected_share)
        hand = tuple(map(float, [*value.values()][:6]))
        assert got == (pytest.approx(hand) if weighted else hand)
    assert found.records["before_only"] == sum(b is not None and a is None for b, a, *_ in rows)
    assert found.records["after_only"] == sum(a is not None and b is None for b, a, *_ in rows)
    assert found.before_only == [i for i in before if i not in after][:10]


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=12))
def test_counts_are_repeated_records(rows):
    if not any(count for *_, count in rows):
        return
    before, after, counts = zip(*rows, strict=True)
    by = [*"xy" * 6][: len(rows)]
    counted = cm.changes(before, after, counts=counts, by=by)
    long = [(b, a, s) for (b, a, n), s in zip(rows, by, strict=True) for _ in range(n)]
    plain = cm.changes(*([row[side] for row in long] for side in (0, 1)), by=[row[2] for row in long])
    assert counted.impact == plain.impact
    assert counted.kinds == plain.kinds
    assert counted.events(None).rows() == plain.events(None).rows()
    assert counted.slices.rows() == plain.slices.rows()


def test_impact_is_the_b_cubed_of_before_as_the_truth():
    for before, after in product(all_partitions(4), repeat=2):
        found = cm.changes(before, after)
        records = [Record(i, b, a) for i, (b, a) in enumerate(zip(before, after, strict=True))]
        exact = brute.impact(records)
        assert found.split_rate == float(exact["split"])
        assert found.merge_rate == float(exact["merge"])
        assert 1 - found.split_rate == pytest.approx(cm.b_cubed_recall(before, after), rel=2**-52)
        assert 1 - found.merge_rate == pytest.approx(cm.b_cubed_precision(before, after), rel=2**-52)
        assert 1 - found.distance == pytest.approx(cm.pointwise_jaccard(before, after), rel=2**-52)
        assert max(found.split_rate, found.merge_rate) <= found.distance <= found.split_rate + found.merge_rate + 1e-15


@pytest.mark.slow
def test_the_masses_are_the_weights_in_a_change_of_precision():
    """The change of B-cubed precision is S q - M q - C q + C q, with the shares q of pairs that are different."""
    for before, after, truth in product(
        all_partitions(4), [(0, 0, 1, 1), (0, 1, 0, 2), (0, 0, 0, 0)], all_partitions(4)
    ):
        a, b = ({i: [j for j in range(4) if side[j] == side[i]] for i in range(4)} for side in (before, after))
        change = (
            sum(
                Fraction(sum(truth[i] == truth[j] for j in b[i]), len(b[i]))
                - Fraction(sum(truth[i] == truth[j] for j in a[i]), len(a[i]))
                for i in range(4)
            )
            / 4
        )
        different = dict.fromkeys(("split", "merge", "shrunk", "grown"), Fraction(0))
        for i in range(4):
            for j in {*a[i], *b[i]} - {i}:
                if truth[i] != truth[j]:
                    was, now = Fraction(1, len(a[i])), Fraction(1, len(b[i]))
                    if j not in b[i]:
                        different["split"] += was / 4
                    elif j not in a[i]:
                        different["merge"] += now / 4
                    else:
                        different["shrunk" if now > was else "grown"] += abs(now - was) / 4
        signs = {"split": 1, "merge": -1, "shrunk": -1, "grown": 1}
        assert change == sum(signs[kind] * mass for kind, mass in different.items())
        masses = cm.changes(before, after).masses._asdict()
        assert all(float(different[kind]) <= mass + 1e-15 for kind, mass in masses.items())
        if len(set(truth)) == 4:  # every pair is different: the masses themselves
            assert masses == pytest.approx({kind: float(mass) for kind, mass in different.items()}, rel=1e-15)


def test_large_sizes_are_added_exactly():
    """Clusters of billions of records: no product of sizes wraps around."""
    big = 3_000_000_000
    found = cm.changes([0, 0, 1], [0, 1, 1], counts=[big, big, big])
    assert found.split_rate == 1 / 3
    assert found.distance == float(Fraction(5, 9))
    assert found.masses.shrunk == found.masses.grown == float(Fraction(big - 1, 6 * big))


def test_tallies_say_the_same_as_cells():
    generator = np.random.default_rng(0)
    before, after = generator.integers(0, 40, (2, 300))
    table = cm.crosstab(before, np.where(generator.random(300) < 0.8, before, after))
    cells = measure(changed_cells(table.to_memory()), table.n_used)
    assert measure_tally(table.sized_cells(), table.n_used) == cells


def test_nothing_changed():
    found = cm.changes([1, 1, 2], ["x", "x", "y"])
    assert (found.affected, found.distance, found.events().total, len(found.clusters())) == (0, 0, 0, 0)
    assert "nothing changed" in repr(found)
    assert found.to_markdown()


def test_order_of_lists_does_not_depend_on_the_order_of_records():
    generator = np.random.default_rng(1)
    before, after = (generator.integers(0, 30, 200).astype(str) for _ in range(2))
    order = generator.permutation(200)
    one, other = cm.changes(before, after), cm.changes(before[order], after[order])
    huge = cm.changes(before, after, counts=np.full(200, 2**40))
    assert [row.cluster for row in huge.clusters("before", None)] == [
        row.cluster for row in one.clusters("before", None)
    ]
    for k in (1, 7, None):
        assert one.events(k).rows() == other.events(k).rows()
        assert one.clusters("before", k).rows() == other.clusters("before", k).rows()
        assert one.clusters("after", k).rows() == other.clusters("after", k).rows()
        assert one.clusters("after", k).rows() == one.clusters("after", None).rows()[:k]


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([1, 2], [1, 2, 3]), {}, "labels"),
        (([1, 2], None), {}, "after is None"),
        (("old.csv", "new.csv"), {}, "before is a single text"),
        (({1: 1}, {2: 2}), {}, "no id occurs on both sides"),
        (({1: 1, 2: 1}, {1: 1}), {"unmatched": "error"}, "the ids differ: 1 occur in before only"),
        (({1: 1, 2: 1}, {1: 1}), {"unmatched": "keep"}, "unmatched='drop' or 'singletons'"),
        (([1, None], [1, 1]), {}, "before has 1 missing label"),
        (([1, 1], [1, 1]), {"noise_pred": {1: "unscored"}}, "unscored"),
        (([1, 1], [1, 1]), {"indices": ["rand"]}, "indices are scored against a truth"),
        (([1, 1], [1, 1], [None, None]), {}, "no record has a true label"),
        (([1, 1], [1, 1], [1, 1]), {"indices": []}, "indices: there is none"),
        (([1, 1], [1, 1]), {"pred": "x"}, "old="),
        (([1, 1], [1, 1]), {"max_cells": 5}, "max_cells"),
    ],
)
def test_what_is_refused(arguments, options, message):
    with pytest.raises(cm.InputError, match=message.replace("(", r"\(")):
        cm.changes(*arguments, **options)


def test_too_many_slices_are_refused():
    n = 10_001
    found = cm.changes(np.zeros(n, int), np.arange(n) % 2, by=np.arange(n))
    with pytest.raises(cm.InputError, match="10,001 slices"):
        found.slices  # noqa: B018


def test_sides_have_names():
    found = cm.changes([1, 1], [1, 2])
    with pytest.raises(cm.InputError, match='"before" or "after"'):
        found.clusters("pred")
    with pytest.raises(cm.InputError, match="k="):
        found.events(-1)


def test_what_looks_like_noise_is_told():
    with pytest.warns(cm.NoiseWarning, match="2 points of after have the label -1.*noise_pred=") as told:
        cm.changes([1, 1, 2], [-1, -1, 2])
    assert len(told) == 1


def test_missing_labels_and_noise():
    found = cm.changes([1, 1, -1, -1, None], [1, 1, 2, 2, 2], noise_pred={-1: "singletons"}, missing="drop")
    assert found.table.n_used == 4
    assert as_counts(found.kinds["before"])["merged"] == (2, 2)
    assert as_counts(found.kinds["after"])["merged"] == (1, 2)
