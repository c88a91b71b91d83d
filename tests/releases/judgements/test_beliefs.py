"""How probable a gain or a loss is, by the posterior of judged pairs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

import clustermark as cm
from clustermark.releases.judgements import beliefs
from clustermark.releases.judgements.beliefs import believe, believe_mean, draw_sums
from clustermark.releases.judgements.proportions import Accuracy, AnswerTally, Term


@pytest.mark.parametrize(("different", "same"), [(30, 10), (0, 12), (3, 60)])
def test_one_proportion_is_its_beta(different: int, same: int):
    """An oracle without draws: the distribution function of the beta."""
    weight, constant = -0.4, 0.1
    found = believe([Term(weight, AnswerTally(different, same))], constant, margin=0.05)
    beta = stats.beta(different + 0.5, same + 0.5)
    assert found.better == pytest.approx(beta.cdf(constant / -weight), abs=0.03)
    assert found.loss == pytest.approx(beta.sf((constant + 0.05) / -weight), abs=0.03)


def test_two_proportions_are_their_convolution():
    one, other = AnswerTally(12, 8), AnswerTally(20, 10)
    found = believe([Term(0.5, one), Term(-0.4, other)])
    grid = (np.arange(2_000) + 0.5) / 2_000
    first, second = (stats.beta(tally.different + 0.5, tally.same + 0.5) for tally in (one, other))
    exact = float(np.mean(second.cdf(0.5 * first.ppf(grid) / 0.4)))
    assert found.better == pytest.approx(exact, abs=0.03)


def test_pairs_that_were_all_judged_are_known():
    whole = AnswerTally(30, 10, whole=True)
    assert believe([Term(0.4, whole)], -0.2, margin=0.01) == (1.0, 0.0)
    assert believe([Term(0.4, whole)], -0.3) == (0.5, None)
    assert believe([Term(0.4, whole)], -0.4, margin=0.01) == (0.0, 1.0)
    without = believe([Term(0.4, AnswerTally(30, 10))], -0.28).better
    drawn_from_a_list = believe([Term(0.4, AnswerTally(30, 10, of=45.0))], -0.28).better
    assert 0.5 < without < drawn_from_a_list < 1


def test_draws_never_show_certainty():
    assert 0.999 < believe([Term(1.0, AnswerTally(500, 0))], -0.1).better < 1


def test_unknown_answers_leave_the_probability_nearest_to_one_half():
    tally = AnswerTally(24, 4, 6)
    lowest, highest = (believe([Term(1.0, AnswerTally(24 + more, 10 - more))], -0.6).better for more in (0, 6))
    assert 0.5 < lowest < highest
    gain = believe([Term(1.0, tally)], -0.6, margin=0.1)
    assert gain.better == lowest
    assert gain.loss > believe([Term(1.0, tally)], -0.6, unknown="drop", margin=0.1).loss
    assert believe([Term(-1.0, tally)], 0.6).better == pytest.approx(1 - lowest, abs=0.03)
    assert believe([Term(1.0, tally)], -0.8).better == 0.5
    assert believe([Term(1.0, tally)], -0.6, unknown="drop").better > lowest


def test_pairs_of_a_kind_that_nobody_judged_have_their_prior():
    drawn = draw_sums([Term(-0.3, AnswerTally())])
    assert drawn.mean() == pytest.approx(-0.15, abs=0.01)
    assert believe([Term(-0.3, AnswerTally())], 0.15).better == pytest.approx(0.5, abs=0.03)
    erring = draw_sums([Term(1.0, AnswerTally())], accuracy=Accuracy(0.8, 0.8))
    assert erring.mean() == pytest.approx(0.5, abs=0.03)


def test_judges_who_err_are_corrected_and_their_accuracy_is_in_doubt():
    tally = AnswerTally(40, 60)
    right = draw_sums([Term(1.0, tally)])
    corrected = draw_sums([Term(1.0, tally)], accuracy=Accuracy(0.9, 0.9))
    assert corrected.mean() == pytest.approx((right.mean() - 0.1) / 0.8, abs=0.01)
    measured = draw_sums([Term(1.0, tally)], accuracy=Accuracy(0.9, 0.9, (30, 30)))
    assert measured.std() > corrected.std() * 1.05


def test_means_of_records_are_by_students_t():
    found = believe_mean([(0.02, 0.01)] * 2, 12, 0.03)
    assert found.better == pytest.approx(stats.t(11).cdf(2.0))
    assert found.loss == pytest.approx(stats.t(11).sf(5.0))
    assert believe_mean([(0.02, 0.0)] * 2, 12, 0.01) == (1.0, 0.0)
    assert believe_mean([(0.0, 0.0)] * 2, 12, None) == (0.5, None)
    assert believe_mean([(-0.01, 0.01), (0.03, 0.01)], 12, None).better == 0.5


def test_the_probability_of_a_loss_up_to_the_true_change_is_spread_evenly(monkeypatch: pytest.MonkeyPatch):
    """The posterior puts the true change below its middle as often as above, and rarely into its ends."""
    monkeypatch.setattr(beliefs, "DRAWS", 1_000)
    rng = np.random.default_rng(3)
    weights, shares, numbers = (0.3, -0.2, -0.05, 0.1), (0.7, 0.4, 0.1, 0.2), (90, 80, 30, 50)
    true = sum(weight * share for weight, share in zip(weights, shares, strict=True))
    above = []
    for _ in range(400):
        x = rng.binomial(numbers, shares)
        parts = [Term(w, AnswerTally(k, n - k)) for w, k, n in zip(weights, x.tolist(), numbers, strict=True)]
        above.append(believe(parts, -true).better)
    sure = np.array(above)
    assert np.mean((sure > 0.975) | (sure < 0.025)) == pytest.approx(0.05, abs=0.03)
    assert np.mean(sure > 0.5) == pytest.approx(0.5, abs=0.09)


def clusterings() -> list[dict[Any, Any]]:
    rng = np.random.default_rng(0)
    truth = np.repeat(np.arange(200), 4)
    before, after = (np.where(rng.random(800) < share, rng.permutation(truth), truth) for share in (0.3, 0.1))
    return [dict(enumerate(labels.tolist())) for labels in (truth, before, after)]


@pytest.mark.parametrize("how", [{}, {"index": "pair_precision"}, {"unit": "record"}])
def test_a_better_clustering_is_probably_better(how: dict[str, Any]):
    truth, before, after = clusterings()
    asked = cm.questions(before, after, n=60, seed=1, **how)
    answers = {(one.left, one.right): truth[one.left] == truth[one.right] for one in asked.table}
    found = cm.judge(asked, answers, margin=0.05)
    assert found.change.p_better > 0.99
    assert found.change.p_loss < 0.01
    assert found.to_json().count('"p_loss"') >= 1
    assert "P(loss > 0.05)" in repr(found)
    plain = cm.judge(asked, answers)
    assert plain.change.p_loss is None
    assert "p_loss" not in plain.to_json()
    assert "P(better)" in repr(plain)
    if "recall_ratio" in plain.estimates:
        assert plain["recall_ratio"].p_better > 0.99


def test_an_unclear_change_says_what_is_probable():
    truth, before, _ = clusterings()
    rng = np.random.default_rng(5)
    labels = np.array(list(truth.values()))
    after = dict(enumerate(np.where(rng.random(800) < 0.3, rng.permutation(labels), labels).tolist()))
    asked = cm.questions(before, after, n=40, seed=2)
    found = cm.judge(asked, {(one.left, one.right): truth[one.left] == truth[one.right] for one in asked.table})
    assert found.verdict == "not clear"
    word = "better" if found.change.p_better > 0.5 else "worse"
    assert f"; probably {word}: " in repr(found)


def test_margins_that_cannot_be_are_refused():
    truth, before, after = clusterings()
    asked = cm.questions(before, after, n=40)
    answers = {(one.left, one.right): truth[one.left] == truth[one.right] for one in asked.table}
    for margin in (0, 5, -0.1):
        with pytest.raises(cm.InputError, match="margin"):
            cm.judge(asked, answers, margin=margin)
