"""Pairs across sources only, against counting them one by one."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clustermark import InputError, PairCounts, evaluate, sweep_pairs
from clustermark.registry import parse

PAIR_INDICES = ["pair_precision", "pair_recall", "dice", "jaccard", "rand", "f_measure(beta=2)"]


@st.composite
def worlds(draw):
    n = draw(st.integers(2, 12))
    ids = [(draw(st.sampled_from("xyz")), number) for number in range(n)]
    truth = {one: draw(st.integers(0, 3)) for one in ids[: draw(st.integers(2, n))]}
    record = st.sampled_from(ids)
    pairs = draw(st.lists(st.tuples(record, record, st.sampled_from([0.2, 0.5, 0.8])), max_size=20))
    return truth, [*pairs, (ids[0], ids[0], 0.2)]


@pytest.mark.slow
@settings(max_examples=80, deadline=None)
@given(worlds())
def test_only_pairs_across_sources_count(world):
    truth, pairs = world
    columns = tuple([pair[place] for pair in pairs] for place in range(3))
    found = sweep_pairs(truth, columns, link_only=True, unmatched="drop")
    for threshold in (0.9, 0.8, 0.5, 0.2):
        clusters = found.labels(threshold)
        counts = [[0, 0], [0, 0]]
        found_by_score = 0
        for left, right in combinations(truth, 2):
            if left[0] != right[0]:
                counts[truth[left] == truth[right]][clusters[left] == clusters[right]] += 1
                above = any({left, right} == {*pair[:2]} and pair[2] >= threshold for pair in pairs)
                found_by_score += truth[left] == truth[right] and above
        expected = PairCounts(counts[1][1], counts[1][0], counts[0][1], counts[0][0])
        for name in PAIR_INDICES:
            index = parse(name)
            mine = found.scores(threshold, [index])[index.label]
            try:
                wanted = float(index.uses[0].function(expected, **index.options))
            except ZeroDivisionError:
                continue  # by the rule for undefined scores
            assert mine == pytest.approx(wanted), name
        losses = found.losses(threshold)
        assert losses.true_pairs == expected.yy + expected.yn
        assert losses.found == found_by_score
        assert losses.found + losses.regained == expected.yy
        assert losses.false_scored + losses.falsely_added == expected.ny
        merges = found.false_merges(threshold, k=100)
        assert sum(row.false_pairs for row in merges) == expected.ny
    across = {frozenset(pair[:2]) for pair in pairs if pair[0][0] != pair[1][0] and {*pair[:2]} <= truth.keys()}
    assert found.raw.to_dict()["pairs"][-1:] == ([len(across)] if across else [])


def test_refusals():
    pairs = ([("x", 1)], [("y", 1)], [0.5])
    found = sweep_pairs({("x", 1): 1, ("y", 1): 1}, pairs, link_only=True)
    assert found.best("dice").score == 1.0
    assert {index.statistic for index in found.indices} == {PairCounts}
    for call in (lambda: found.best("b_cubed_f"), lambda: found.best("adjusted_rand"), lambda: found.curve("ceaf_e_f")):
        with pytest.raises(InputError, match="counts pairs across sources"):
            call()
    assert found.scores(0.5, ["overlap_coefficient"]) == {"overlap_coefficient": 1.0}
    assert found.scores(0.5) == {index.label: 1.0 for index in found.indices}
    assert found.scores(0.6, ["pair_recall"]) == {"pair_recall": 0.0}
    with pytest.raises(InputError, match=r"link_only= is not an option of a table.* sweep_pairs"):
        evaluate([0, 1], [0, 1], link_only=True)
    with pytest.raises(InputError, match="no interval"):
        found.interval()
    with pytest.raises(InputError, match="ids of two parts"):
        sweep_pairs({"a": 1, "b": 1}, (["a"], ["b"], [0.5]), link_only=True)
