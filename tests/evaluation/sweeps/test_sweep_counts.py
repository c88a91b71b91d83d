"""Counts and weights of records in sweeps: as in `crosstab`, at every threshold."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clustermark import InputError, _kernel, crosstab, find, sweep_pairs
from clustermark.registry.tracking import tracked_indices
from needs import need
from program import write_csv

SCORES = [0.2, 0.4, 0.6, 0.8]
TRUTH = {"a": 1, "b": 1, "c": 1, "d": 2, "e": 2}
PAIRS = (["a", "b", "d", "c"], ["b", "c", "e", "d"], [0.9, 0.8, 0.7, 0.2])


@st.composite
def worlds(draw):
    n = draw(st.integers(2, 9))
    labels = draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    record = st.integers(0, n - 1)
    pairs = draw(st.lists(st.tuples(record, record, st.sampled_from(SCORES)), min_size=1, max_size=15))
    counts = draw(st.lists(st.integers(0, 4), min_size=n, max_size=n).filter(any))
    return labels, tuple(list(column) for column in zip(*pairs, strict=True)), counts


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(worlds())
def test_a_record_that_counts_often_is_as_many_points(world):
    labels, pairs, counts = world
    found = sweep_pairs(labels, pairs, counts=counts)
    for threshold in [math.inf, *reversed(SCORES)]:
        table = crosstab(labels, found.labels(threshold), counts=counts)
        assert found.table(threshold).profile == table.profile
        place = found.partitions.place(threshold)
        for index in tracked_indices():
            mine, theirs = found.partitions.score(index)[place], index.of(table)
            assert mine == pytest.approx(theirs, abs=1e-12, rel=1e-12), index.name
        wrong = sum(row.false_pairs for row in found.false_merges(threshold, k=100))
        assert wrong == found.partitions.sums["together"][place] - found.partitions.sums["together_both"][place]


@settings(max_examples=40, deadline=None)
@given(worlds(), st.randoms(use_true_random=False))
def test_weights_are_those_of_the_tables(world, random):
    labels, pairs, counts = world
    weights = [random.choice([0.25, 0.5, 1.75]) for _ in labels]
    found = sweep_pairs(labels, pairs, counts=counts, weights=weights, indices=["dice", "b_cubed_f"])
    for name in ("dice", "b_cubed_f", "adjusted_rand"):
        for threshold, score in found.curve(name):
            table = crosstab(labels, found.labels(threshold), counts=counts, weights=weights)
            assert score == find(name).of(table)
        assert found.best(name).score == max(score for _, score in found.curve(name))
        assert "thresholds" in found.best(name).note


def test_numbers_of_records_by_id_by_column_and_by_position(tmp_path):
    counts = {"a": 3, "b": 1, "c": 2, "d": 1, "e": 5}
    wanted = sweep_pairs(TRUTH, PAIRS, counts=counts, indices=["dice"]).to_dict()
    rows = [(one, TRUTH[one], counts[one]) for one in TRUTH]
    truth = write_csv(tmp_path / "truth.csv", "id,label,n", rows)
    assert sweep_pairs(truth, PAIRS, counts="n", indices=["dice"]).to_dict() == wanted
    pd = need("pandas")
    frame, series = pd.DataFrame(rows, columns=["id", "label", "n"]), pd.Series(TRUTH)
    assert sweep_pairs(frame, PAIRS, counts="n", on="id", true="label", indices=["dice"]).to_dict() == wanted
    assert sweep_pairs(series, PAIRS, counts=pd.Series(counts), indices=["dice"]).to_dict() == wanted
    plain = sweep_pairs(list(TRUTH.values()), ([0, 1, 3, 2], [1, 2, 4, 3], PAIRS[2]), counts=list(counts.values()))
    assert plain.curve("dice") == list(zip(*wanted.values(), strict=True))


def test_an_interval_counts_points():
    rng = np.random.default_rng(3)
    truth = np.repeat(np.arange(120), 3)
    left = np.arange(len(truth) - 1)
    scores = np.where(truth[:-1] == truth[1:], rng.beta(4, 2, len(left)), rng.beta(2, 4, len(left))).round(2)
    counts = rng.integers(1, 4, len(truth))
    copies = np.repeat(np.arange(len(truth)), counts)
    first = np.searchsorted(copies, np.arange(len(truth)))
    inner = np.flatnonzero(copies[1:] == copies[:-1])
    repeated = (
        np.concatenate([first[left], inner]), np.concatenate([first[left + 1], inner + 1]),
        np.concatenate([scores, np.full(len(inner), 2.0)]),
    )  # fmt: skip
    one = sweep_pairs(truth, (left, left + 1, scores), counts=counts).interval("dice", lowest=0.6)
    other = sweep_pairs(truth[copies], repeated).interval("dice", lowest=0.6)
    assert one.low is not None
    assert one.notes == other.notes
    for name in ("threshold", "score", "n_components", "n_in_error"):
        assert getattr(one, name) == pytest.approx(getattr(other, name)), name
    left_out = (one.standard_error**2 - one.optimism**2, other.standard_error**2 - other.optimism**2)
    assert left_out[0] == pytest.approx(left_out[1])  # components are dealt into other groups


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"counts": [1, 2]}, "pass counts as a mapping"),
        ({"counts": {"a": 1}}, "no number for 4 id"),
        ({"counts": dict.fromkeys(TRUTH, 0)}, "every count is zero"),
        ({"counts": dict.fromkeys(TRUTH, 2**30)}, "too many for a sweep"),
        ({"counts": dict.fromkeys(TRUTH, -1)}, "counts"),
        ({"weights": dict.fromkeys(TRUTH, -1.0)}, "weights"),
    ],
)
def test_refused_numbers(options, message):
    with pytest.raises(InputError, match=message):
        sweep_pairs(TRUTH, PAIRS, **options)


def test_text_that_is_no_number(tmp_path):
    truth = write_csv(tmp_path / "truth.csv", "id,label,n", [("a", 1, "1.5"), ("b", 1, 1)])
    with pytest.raises(InputError, match=r"'n': these are no whole numbers"):
        sweep_pairs(truth, (["a"], ["b"], [0.5]), counts="n")
    with pytest.raises(InputError, match="name the one with the counts"):
        sweep_pairs(truth, (["a"], ["b"], [0.5]), on="id", true="label", counts=[1, 1])
    assert sweep_pairs(truth, (["a"], ["b"], [0.5]), weights="n").at(0.5).n_used == 2


def test_records_that_the_truth_lacks_have_no_count():
    pairs = (["a", "b"], ["b", "z"], [0.9, 0.8])
    counts = dict.fromkeys(TRUTH, 2)
    assert sweep_pairs(TRUTH, pairs, counts=counts, unmatched="drop").at(0.9).n_used == 10
    for unmatched in ("singletons", "keep"):
        with pytest.raises(InputError, match="that the truth lacks have none"):
            sweep_pairs(TRUTH, pairs, counts=counts, unmatched=unmatched)


def test_what_counts_and_weights_leave_unanswered():
    counted = sweep_pairs(TRUTH, PAIRS, counts=dict.fromkeys(TRUTH, 2))
    weighted = sweep_pairs(TRUTH, PAIRS, weights=dict.fromkeys(TRUTH, 0.5))
    for found in (counted, weighted):
        for call in (lambda f=found: f.losses(0.5), lambda f=found: f.raw, found.calibration):
            with pytest.raises(InputError, match=r"leave out (counts|weights)="):
                call()
    assert counted.cheapest().threshold == 0.7
    for call in (weighted.cheapest, weighted.false_merges, weighted.interval):
        with pytest.raises(InputError, match="weights"):
            call()
    assert weighted.reach(0.9).threshold == 0.7


def test_the_kernel_refuses_counts_that_do_not_fit():
    labels, pairs = np.zeros(2, np.int32), (np.zeros(1, np.int32), np.ones(1, np.int32), np.ones(1))
    for counts in ([1], [0, 1], [2**31, 1], [2**31 - 1, 1]):
        with pytest.raises(ValueError, match="counts"):
            _kernel.sweep_pairs(labels, *pairs, 0.0, None, np.array(counts, np.int64))
