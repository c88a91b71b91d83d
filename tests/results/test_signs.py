"""The printed limits of a difference lie on the same side of 0, and of a margin, as the limits themselves."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import inf, nan

from hypothesis import example, given
from hypothesis import strategies as st

import clustermark as cm
from clustermark.evaluation.page.suffering import _difference
from clustermark.releases.judgements.judgements_document import estimate_texts
from clustermark.releases.judgements.pair_estimates import Estimate
from clustermark.results.document import Cell, Document, Grid, Head, Section, Value
from clustermark.results.page import page_of
from clustermark.results.text import Writer
from clustermark.results.values import EQUAL, decimals_apart

LIMITS = st.floats(-1, 1, allow_nan=False) | st.floats(-1e-6, 1e-6)


def side(number, edge=0.0):
    return 0 if abs(number - edge) <= EQUAL else 1 if number > edge else -1


def numbers_in(text):
    return [float(number.replace("−", "-")) for number in re.findall(r"[-+−]?\d+\.?\d*", text)]


EDGES = st.floats(-1, 1).map(lambda edge: round(edge, 4))


@given(st.lists(LIMITS, max_size=3), st.lists(EDGES, max_size=2), st.integers(0, 5))
def test_rounding_leaves_numbers_on_their_side(numbers, edges, fewest):
    digits = decimals_apart(numbers, edges, fewest)
    assert digits >= fewest
    for number in numbers:
        for edge in edges:
            if side(number, edge):
                assert side(round(number, digits), edge) == side(number, edge)


def test_undefined_and_infinite_numbers_need_no_decimals():
    assert decimals_apart([nan, inf, -inf, 0.0, 1e-17]) == 4


def estimate(value, low, high, scale="change"):
    return Estimate("b_cubed_precision", "B-cubed precision", value, low, high, 100, scale)


@example(0.0005, -0.000497, 0.0014)
@example(0.001, 0.00001, 0.002)
@given(LIMITS, LIMITS, LIMITS)
def test_a_judged_change_has_the_sign_of_its_limits(one, two, three):
    low, value, high = sorted((one, two, three))
    printed = numbers_in(estimate_texts(estimate(value, low, high))[2])
    assert [side(number / 100) for number in printed] == [side(low), side(high)]


def test_a_judged_change_has_a_digit_of_its_half_width():
    assert estimate_texts(estimate(0.0012, -0.000497, 0.0029))[1:] == ["+0.12 points", "[-0.05, +0.29]"]
    assert estimate_texts(estimate(0.031, 0.012, 0.05))[1:] == ["+3.1 points", "[+1.2, +5.0]"]
    assert estimate_texts(estimate(1.0002, 0.9997, 1.0007, "ratio"))[1:] == ["× 1.0002", "[0.9997, 1.0007]"]


@given(LIMITS, LIMITS, st.sampled_from([0.0004, 0.0006, 0.01, 0.03]))
@example(-0.000497, 0.0014, 0.0004)
@example(-0.000497, 0.0014, 0.0006)
def test_a_decision_prints_what_decided_it(one, two, margin):
    low, high = sorted((one, two))

    class Found(dict):
        pass

    found = Found(b_cubed_precision=estimate((low + high) / 2, low, high))

    from clustermark.cli.judging import _decide  # needs click

    passed, (said,) = _decide(found, "b_cubed_precision", margin)
    told = re.fullmatch(r"b_cubed_precision (.*) by more than (.*) points: \S+ points \[(.*), (.*)\] .*", said)
    words, printed_margin, *limits = told.groups()
    assert float(printed_margin) / 100 == margin or abs(float(printed_margin) / 100 - margin) < EQUAL
    shown_low, shown_high = (float(limit) / 100 for limit in limits)
    assert passed == (shown_low >= -margin - EQUAL) == (words == "is not worse")
    assert (words == "is worse") == (shown_high < -margin - EQUAL)


def test_differences_in_tables_and_sentences_keep_their_sign():
    rows = [["a", Cell(0.00004, -0.00002, 0.0001)], ["b", Cell(0.2, 0.1, 0.3)]]
    grid = Grid([Head("method"), Head("difference", "error")], rows, "Differences")
    text = "\n".join(Writer().grid(grid))
    assert "[-0.00002, 0.00010]" in text
    document = Document("title", "headline", [Section("rows", "Rows", lambda: [grid], "", "summary")])
    page = page_of({"version": ""}, document)
    assert "−0.00002 to 0.00010" in page
    assert Writer().part(Value(0.00004, "error", 0.00002, 0.0001)) == "0.00004 [0.00002, 0.00010]"
    assert Writer().part(Value(0.2, "error", 0.1, 0.3)) == "0.2000 [0.1000, 0.3000]"


@dataclass
class Row:
    difference: float
    low: float
    high: float


def test_differences_of_groups_keep_their_sign():
    assert _difference(Row(0.002, -0.0004, 0.005)) == "+0.0020 (-0.0004 to +0.0050)"
    assert _difference(Row(0.02, 0.01, 0.03)) == "+0.020 (+0.010 to +0.030)"


def test_not_worse_names_limits_on_their_side_of_the_margin():
    truth = {place: place // 2 for place in range(4000)}
    before = dict(truth)
    after = truth | {place: 5000 + place for place in range(20)}
    judged = cm.changes(before, after, truth).truth
    row = next(one for one in judged.scores if one.label == "b_cubed_recall")
    for margin in (-row.low + 1e-7, -row.low - 1e-7):
        said = judged.not_worse("b_cubed_recall", margin)
        low = float(re.search(r"\[(\S+),", said.sentence).group(1))
        assert (low > -margin) == (row.low > -margin)
        assert not said.shown  # a loss of the margin varies more than the one observed
        assert ("varies more" in said.sentence) == (row.low > -margin)
