"""A threshold that is printed, pasted back, gives the same partition, in every medium."""

from __future__ import annotations

import html
import math
import re
from contextlib import suppress

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from clustermark import InputError, sweep, sweep_pairs

N = 8
IDS = [f"r{i}" for i in range(N)]
TRUTH = {one: i // 3 for i, one in enumerate(IDS)}
CLOSE = 0.999
"""Scores of good pairs lie above, as those of Splink do, and differ in late digits only."""

probabilities = st.floats(CLOSE, 1, exclude_max=True) | st.floats(-40, 40) | st.sampled_from([0.5, 1.0])
scored = st.lists(st.tuples(st.sampled_from(IDS), st.sampled_from(IDS), probabilities), min_size=1, max_size=12).filter(
    lambda rows: any(left != right for left, right, _ in rows)
)

NEARLY_EQUAL = [("r0", "r1", 0.9999999986618381), ("r1", "r2", 0.9999999986618379), ("r3", "r4", 0.9999999991)]


def as_list(rows):
    return tuple(list(column) for column in zip(*rows, strict=True))


def numbers(text):
    """Return every number of a text as a program would read it."""
    found = []
    for word in re.split(r"[\s|,;]+", text):
        with suppress(ValueError):
            found.append(float(word.strip(":.")))
    return found


@given(scored)
@example(NEARLY_EQUAL)
@example([("r0", "r1", 0.0103394449), ("r2", "r3", 0.01033940001)])
def test_a_printed_threshold_gives_the_same_partition(rows):
    found = sweep_pairs(TRUTH, as_list(rows), indices=["dice", "b_cubed_f"])
    best = found.best("dice")
    if not math.isfinite(best.threshold):
        return
    shown = {"repr": repr(best), "losses": repr(found.losses(best.threshold)), "text": str(found)}
    shown["Markdown"] = found.to_markdown()
    for where, text in shown.items():
        same = [number for number in numbers(text) if number == best.threshold]
        assert same, (where, text)
        assert found.labels(same[0]) == found.labels(best.threshold)


@given(scored)
@example(NEARLY_EQUAL)
def test_the_other_results_print_thresholds_with_all_digits(rows):
    found = sweep_pairs(TRUTH, as_list(rows), indices=["dice"])
    scores = {score for _, _, score in rows} | {math.inf}
    for asked in (lambda: found.cheapest(), lambda: found.reach(0.5), lambda: found.false_merges()):
        try:
            answer = asked()
        except InputError:
            continue
        lines = str(answer).splitlines()
        if hasattr(answer, "threshold"):
            assert float(lines[0].split()[1].removesuffix(":")) == answer.threshold
        else:
            assert [float(line.split()[2]) for line in lines[2:]] == [merge.score for merge in answer]
    row = str(found.raw).splitlines()[-1].split()
    assert float(row[0]) in scores


def test_the_page_prints_thresholds_with_all_digits():
    rng = np.random.default_rng(1)
    scores = 1 - 1e-9 * rng.random(40)
    pairs = (rng.choice(IDS, 40).tolist(), rng.choice(IDS, 40).tolist(), scores.tolist())
    found = sweep_pairs(TRUTH, pairs, indices=["dice", "b_cubed_f"])
    page = html.unescape(re.sub(r"<[^>]+>", " ", found.report()))
    bests = {one.threshold for one in found.bests()}
    assert bests <= set(numbers(page))
    assert f"Cut at {found.best('dice').threshold!r}:" in page


def test_a_sweep_of_labelings_prints_its_keys():
    levels = {0.12345678: [0, 0, 1, 1], 0.12345679: [0, 0, 1, 2]}
    found = sweep([0, 0, 1, 1], levels, indices=["dice"])
    assert repr(found.best("dice")).startswith("threshold 0.12345678: ")
    assert "0.12345678 " in str(found)


def test_the_refusal_of_a_precision_prints_one_that_can_be_asked_for():
    truth = {i: i // 30 for i in range(90)}
    pairs = ([0, 30, 1, 2], [1, 31, 45, 3], [0.5, 0.5, 0.9, 0.5])
    found = sweep_pairs(truth, pairs, indices=["dice"])
    curve = [score for threshold, score in found.curve("b_cubed_recall")]
    try:
        found.reach(2.0, "b_cubed_recall")
    except InputError as refusal:
        most = float(str(refusal).rpartition(" ")[2])
    assert most == max(curve)
    assert found.reach(most, "b_cubed_recall").score == most
