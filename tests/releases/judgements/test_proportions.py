"""Signed sums of proportions: golden values, and unbiased over all samples that could have been drawn."""

from fractions import Fraction
from itertools import product

import pytest
from worlds import GOLDEN, change, masses

import clustermark as cm
from clustermark.releases.judgements.pair_masses import B_CUBED, SIGNS, RecordGroups, allocate
from clustermark.releases.judgements.proportions import Accuracy, AnswerTally, Term, add_up, check_accuracy, solve

F = Fraction


def parts(*entries):
    return [Term(float(weight), AnswerTally(x, n - x)) for weight, x, n in entries]


def close(span, value, low, high):
    assert span.value == pytest.approx(value, abs=5e-10)
    assert (round(span.low, 9), round(span.high, 9)) == (low, high)


def test_mover_with_jeffreys_limits_has_its_golden_values():
    four = parts((0.2, 37, 40), (-0.1, 6, 30), (-0.05, 0, 20), (0.04, 1, 10))
    close(add_up(four, 0.95), 0.169, 0.140288003, 0.188133008)
    close(add_up(parts((0.2, 40, 40), (-0.1, 0, 30), (-0.05, 0, 20)), 0.95), 0.2, 0.184382768, 0.2)
    close(add_up(parts((-0.4, 7, 200)), 0.95, 1.0), 0.986, 0.973007128, 0.993684295)


def test_known_accuracy_and_unknown_answers_have_their_golden_values():
    judged = parts((0.2, 37, 40), (-0.1, 6, 30), (-0.05, 1, 20))
    close(add_up(judged, 0.95, accuracy=Accuracy(0.95, 0.97)), 4 / 23, 0.142365950, 0.189524749)
    unsure = [Term(0.2, AnswerTally(30, 6, 4)), Term(-0.1, AnswerTally(6, 22, 2))]
    close(add_up(unsure, 0.95), 0.145238095, 0.088928488, 0.170333132)
    dropped = add_up(unsure, 0.95, unknown="drop")
    assert 0.0889 < dropped.low < dropped.value < dropped.high < 0.1703


def test_pairs_drawn_without_replacement_tell_more():
    tally = AnswerTally(3, 17, of=40)
    wide, narrow = (add_up([Term(1.0, one)], 0.95) for one in (tally._replace(of=float("inf")), tally))
    as_drawn = add_up([Term(1.0, AnswerTally(6, 34))], 0.95)  # 20 of 40 drawn: worth 40 with replacement
    assert (narrow.value, narrow.low, narrow.high) == (as_drawn.value, as_drawn.low, as_drawn.high)
    assert wide.low < narrow.low < narrow.high < wide.high
    noisy = [add_up([Term(1.0, one)], 0.95, accuracy=Accuracy(0.95, 0.97)) for one in (tally, tally._replace(of=400))]
    assert noisy[0] == noisy[1]  # judges err anew on each pair, however few are left
    assert tally._replace(unknown=5).settle("same").of == 40
    all_of_them = add_up([Term(1.0, AnswerTally(3, 37, of=40))], 0.95)
    assert all_of_them.high - all_of_them.low < 1e-3


def test_accuracy_that_was_measured_makes_the_interval_wider():
    judged = parts((0.2, 37, 40), (-0.1, 6, 30))
    known, measured = (add_up(judged, 0.95, accuracy=Accuracy(0.95, 0.97, n)) for n in ((0, 0), (100, 100)))
    assert known.value == measured.value
    assert measured.low < known.low < known.high < measured.high


@pytest.mark.parametrize("number", GOLDEN)
def test_masses_are_those_of_all_pairs(number):
    world = GOLDEN[number]
    brute = masses(world)
    if world["weights"] is None:
        groups = RecordGroups.of(cm.crosstab(world["before"], world["after"]).sized_cells())
        for kind in B_CUBED:
            assert groups.mass(kind, "b_cubed_precision") == pytest.approx(float(sum(brute[kind].values())), abs=1e-15)
            assert 2 * groups.pairs(kind) == len(brute[kind])
    design = cm.questions(world["before"], world["after"], weights=world["weights"]).design
    assert design.impact["distance"] == pytest.approx(float(WANTED[number][3]), abs=1e-15)
    if world["weights"] is None:
        recall, precision = (
            index(world["before"], world["after"]) for index in (cm.b_cubed_recall, cm.b_cubed_precision)
        )
        assert design.impact["split_rate"] == pytest.approx(1 - recall, abs=1e-15)
        assert design.impact["merge_rate"] == pytest.approx(1 - precision, abs=1e-15)
    told = {one.kind: one.mass for one in design.strata}
    assert told == pytest.approx({kind: float(sum(brute[kind].values())) for kind in B_CUBED}, abs=1e-15)


WANTED = {
    1: ([F(1, 3), 0, F(1, 12), 0], F(1, 3), 0, F(1, 3)),
    2: ([0, F(2, 5), 0, F(1, 5)], F(-1, 10), F(1, 40), F(2, 5)),
    3: ([F(4, 9), F(2, 9), F(1, 18), 0], F(2, 9), F(2, 81), F(47, 90)),
    4: ([F(1, 3), F(1, 4), F(1, 16), F(1, 16)], F(1, 3), 0, F(23, 48)),
    5: ([F(1, 3), F(1, 3), F(1, 12), F(1, 12)], 0, F(1, 36), F(5, 9)),
}


@pytest.mark.parametrize("number", GOLDEN)
def test_over_all_samples_the_estimate_is_the_change_and_its_variance_the_variance(number):
    """Two independent draws of each kind: every sample, with its probability."""
    world = GOLDEN[number]
    brute = masses(world)
    assert [sum(brute[kind].values()) for kind in B_CUBED] == WANTED[number][0]
    mean = square = spread = F(0)
    kinds = [kind for kind in B_CUBED if brute[kind]]
    samples = [list(product(brute[kind], repeat=2)) for kind in kinds]
    different = lambda pair: world["truth"][pair[0]] != world["truth"][pair[1]]  # noqa: E731
    outcomes = []
    for kind, drawn in zip(kinds, samples, strict=True):
        total, chances = sum(brute[kind].values()), {}
        for one, other in drawn:
            x = different(one) + different(other)
            chances[x] = chances.get(x, F(0)) + brute[kind][one] * brute[kind][other] / total**2
        outcomes.append([(kind, total, x, chance) for x, chance in chances.items()])
    for sample in product(*outcomes):
        chance, estimate, variance = F(1), F(0), F(0)
        for kind, total, x, weight in sample:
            q = F(x, 2)
            chance *= weight
            estimate += SIGNS[kind] * total * q
            variance += total**2 * q * (1 - q) / (2 - 1)
        told = add_up([Term(SIGNS[k] * float(c), AnswerTally(x, 2 - x)) for k, c, x, _ in sample], 0.95).value
        assert told == pytest.approx(float(estimate), abs=1e-15)
        mean += chance * estimate
        square += chance * estimate**2
        spread += chance * variance
    assert mean == change(world) == WANTED[number][1]
    assert spread == square - mean**2 == WANTED[number][2]


def test_what_nobody_saw_may_all_be_the_worst():
    seen = [Term(0.5, AnswerTally(30, 70)), Term(-0.25, AnswerTally(5, 95))]
    known = add_up(seen, 0.95)
    found = add_up([*seen, Term(0.25, AnswerTally()), Term(-0.5, AnswerTally())], 0.95)
    assert (found.low, found.high) == pytest.approx((known.low - 0.5, known.high + 0.25))
    nothing = add_up([Term(0.25, AnswerTally()), Term(-0.5, AnswerTally(unknown=3))], 0.95, 0.1)
    assert nothing.low == pytest.approx(0.1 - 0.5)
    assert nothing.high > 0.1 + 0.25 - 1e-12


def test_pairs_that_were_left_out_make_the_others_a_sample():
    all_pairs = [Term(1.0, AnswerTally(0, 4, whole=True))]
    assert add_up(all_pairs, 0.95, unknown="drop")[:] == (0, 0, 0)
    some = [Term(1.0, AnswerTally(0, 1, 3, whole=True))]
    dropped, bounded = (add_up(some, 0.95, unknown=how) for how in ("drop", "bounds"))
    assert dropped.low == 0
    assert dropped.high > 0.5
    assert bounded == (0, 0, 0.75)


def test_a_ratio_is_where_the_sum_is_nothing():
    exact = [AnswerTally(0, 3, whole=True), AnswerTally(0, 2, whole=True)]
    found = solve(lambda r: add_up([Term(1.0, exact[0]), Term(-r, exact[1])], 0.95, 3 - 2 * r))
    assert found == pytest.approx((1.5, 1.5, 1.5))
    assert solve(lambda r: add_up([], 0.95, -1.0 - r)) == (0, 0, 0)
    assert solve(lambda r: add_up([], 0.95, 1.0))[0] == float("inf")
    assert solve(lambda r: add_up([], 0.95, 1.0), most=1.0)[0] == 1.0


@pytest.mark.parametrize("accuracy", [Accuracy(0.6, 0.6), Accuracy(0.99, 0.7), Accuracy(0.6, 0.99)])
def test_an_accuracy_that_does_not_fit_is_refused(accuracy):
    with pytest.raises(cm.InputError, match="answers do not fit this accuracy"):
        check_accuracy(accuracy, [AnswerTally(99, 1), AnswerTally(1, 99)])
    check_accuracy(Accuracy(0.98, 0.98), [AnswerTally(99, 1), AnswerTally(1, 99)])
    with pytest.raises(cm.InputError, match="must be between 0 and 1"):
        check_accuracy(Accuracy(1.5, 0.9), [])


def test_questions_are_shared_out_by_mass_and_none_is_forgotten():
    assert allocate({"split": 0.2, "merge": 0.2, "shrunk": 1e-9, "grown": 0.0}, 300) == {
        "split": 145,
        "merge": 145,
        "shrunk": 10,
    }
    assert allocate({"split": 1e-9, "merge": 1.0}, 3) == {"split": 1, "merge": 2}
    assert sum(allocate({"split": 0.3, "merge": 0.2, "shrunk": 0.1, "grown": 0.1}, 300).values()) == 300
