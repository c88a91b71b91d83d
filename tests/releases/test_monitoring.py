"""monitor(): limits that hold at every look, of every kind of result."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import stats

import clustermark as cm
from clustermark.uncertainty.sequences import mixture_widths, tune_mixture
from needs import need
from program import result, run, write_csv

DRIFT = {"May": (0.01, 0.01), "June": (-0.02, 0.02), "July": (-0.03, 0.01), "August": (-0.05, 0.01)}


def test_estimates_and_limits_are_those_of_the_definition():
    found = cm.monitor(DRIFT, looks=12)
    d, s = np.array(list(DRIFT.values())).T
    information = (1 / s**2).cumsum()
    means = (d / s**2).cumsum() / information
    widths = mixture_widths(information, tune_mixture(12 / s[0] ** 2, 0.05), 0.05)
    for row, mean, width, v in zip(found.looks, means, widths, information, strict=True):
        assert (row.estimate, row.low, row.high) == pytest.approx((mean, mean - width, mean + width))
        assert row.naive_high - mean == pytest.approx(1.959964 / v**0.5)
    assert [row.decision for row in found.looks] == ["not clear", "not clear", "not clear", "worse"]
    assert found.alarm == "August"
    assert cm.monitor(dict(list(DRIFT.items())[:3])).alarm is None


def test_an_earlier_look_does_not_depend_on_later_ones():
    for method in ("sequence", "obrien_fleming", "pocock"):
        whole = cm.monitor(DRIFT, method=method).looks[:2]
        assert whole == cm.monitor(dict(list(DRIFT.items())[:2]), method=method).looks


@pytest.mark.parametrize("how", [{}, {"about": "release"}])
def test_false_alarms_over_twenty_looks(how):
    """Differences of B-cubed-like means of 80 documents each, whose standard errors are estimated, too."""
    rng = np.random.default_rng(1)
    alarms, naive = [], []
    for _ in range(300):
        documents = rng.beta(2, 5, (20, 80)) - rng.beta(2, 5, (20, 80))
        series = [(float(one.mean()), float(one.std(ddof=1) / 80**0.5), 79) for one in documents]
        looks = cm.monitor(series, **how).looks
        alarms.append(any(one.decision != "not clear" for one in looks))
        naive.append(any(one.naive_low > 0 or one.naive_high < 0 for one in looks))
    assert np.mean(alarms) <= 0.05 + 0.025  # two standard errors
    assert np.mean(naive) > 0.15


def test_a_real_change_is_found():
    rng = np.random.default_rng(2)
    for how in ({}, {"method": "obrien_fleming"}, {"method": "pocock"}):
        found = [cm.monitor([(float(one), 0.01) for one in rng.normal(-0.01, 0.01, 20)], **how) for _ in range(10)]
        assert np.mean([one.alarm is not None for one in found]) > 0.8


def test_the_direction_of_the_index_decides():
    rising = [(0.1, 0.01)] * 3
    assert cm.monitor(rising, "b_cubed_f").looks[-1].decision == "better"
    assert cm.monitor(rising, "variation_of_information").alarm == "1"


def score_of(index: str) -> dict[str, object]:
    row = {"index": index, "score": 0.5, "low": 0.4, "high": 0.6, "level": 0.95}
    return {"kind": "interval", "intervals": [row]}


def test_the_direction_of_the_only_index_of_results_decides():
    found = cm.monitor([score_of("variation_of_information")], target=0.2)
    assert (found.looks[0].decision, found.index) == ("worse", "variation_of_information")
    assert cm.monitor([score_of("b_cubed_f")], target=0.2).looks[0].decision == "better"
    with pytest.raises(cm.InputError, match="different indices, b_cubed_f and variation_of_information"):
        cm.monitor([score_of("b_cubed_f"), score_of("variation_of_information")], target=0.2)


def test_plain_limits_of_a_release_are_those_of_students_t():
    [look] = cm.monitor([(0.1, 0.05, 5.0)], about="release", looks=20).looks
    assert look.naive_high - 0.1 == pytest.approx(0.05 * stats.t.ppf(0.975, 5))
    assert look.high - 0.1 == pytest.approx(0.05 * stats.t.ppf(1 - 0.05 / 40, 5))


def test_a_mean_weighted_by_few_degrees_of_freedom_is_not_too_sure():
    """Of ten releases with six degrees of freedom each; 10 % of plain limits exclude 0 if weights count as known."""
    rng = np.random.default_rng(4)
    outside = []
    for _ in range(1000):
        errors = np.sqrt(rng.chisquare(6, 10) / 6)
        series = zip(rng.normal(size=10).tolist(), errors.tolist(), [6.0] * 10, strict=True)
        last = cm.monitor(list(series)).looks[-1]
        outside.append(last.naive_low > 0 or last.naive_high < 0)
    assert np.mean(outside) <= 0.05


def judged(seed: int) -> cm.Judgements:
    before, after = [place // 4 for place in range(400)], [place // 2 for place in range(400)]
    asked = cm.questions(before, after, n=80, seed=seed)
    return cm.judge(asked, {(one.left, one.right): int(one.left) % 3 == 0 for one in asked.table})


def test_results_of_each_kind_are_read(tmp_path):
    rng = np.random.default_rng(0)
    true = rng.integers(0, 4, 200)
    pred, other = (np.where(rng.random(200) < share, rng.integers(0, 4, 200), true) for share in (0.1, 0.3))
    evaluation = cm.evaluate(true, pred, ["b_cubed_f", "rand"]).with_intervals()
    interval = evaluation.interval("b_cubed_f")
    one = judged(1)
    change = cm.changes(pred.tolist(), other.tolist(), true.tolist())
    changed = next(row for row in change.truth.scores if row.label == "b_cubed_f")
    sample, prediction = (
        {one: one // 3 for one in range(300) if one // 3 % 4 == 0},
        {one: one // 5 for one in range(300)},
    )
    estimates = cm.estimate(sample, prediction, ["pair_precision"], design="clusters")
    for found, index, target, value, row in (
        (one, None, None, one.change.value, one.change),
        (change, "b_cubed_f", None, changed.difference, changed),
        (interval, None, 0.8, interval.score - 0.8, interval),
        (evaluation, "b_cubed_f", 0.8, interval.score - 0.8, interval),
        (estimates, None, 0.4, estimates["pair_precision"].score - 0.4, estimates["pair_precision"]),
    ):
        [look] = cm.monitor([found], index, target=target).looks
        assert look.difference == pytest.approx(value)
        assert look.standard_error == pytest.approx((row.high - row.low) / 2 / 1.959964)
        path = tmp_path / "release.json"
        path.write_text(found.to_json())
        [again] = cm.monitor([path], index, target=target).looks
        assert again == look._replace(release="release")


@pytest.mark.parametrize(
    ("releases", "how", "words"),
    [
        ([], {}, "releases: there is none"),
        ([(0.1, 0.0)], {}, "the second above 0"),
        ([(0.1, 0.1, 4)], {}, "4 degrees of freedom is too few to weigh a mean; choose about='release'"),
        ([("x", 0.1)], {}, "both must be numbers"),
        ([3], {}, "pass results, files of their JSON"),
        ([{"kind": "sizes"}], {}, "sizes has no difference"),
        (DRIFT, {"method": "wald"}, "method='wald' is unknown"),
        (DRIFT, {"about": "all"}, "about='all' is unknown"),
        (DRIFT, {"level": 95}, "level=95 must be between 0 and 1"),
        (DRIFT, {"looks": 3, "method": "pocock"}, "looks=3: there are 4 already"),
        (["nowhere.json"], {}, "nowhere.json cannot be read as JSON"),
        ("nowhere.csv", {}, "nowhere.csv cannot be read as CSV"),
        (None, {}, "releases: pass a list of results"),
        ([(0.1, 0.1, 0)], {}, "degrees of freedom of 0 must be a number above 0"),
        ([{"kind": "estimates"}], {}, "this JSON is not that of a whole result"),
        (DRIFT, {"target": float("nan")}, "target=nan must be a number"),
        (DRIFT, {"target": []}, r"target=\[\] must be a number"),
        (DRIFT, {"index": 3}, "an index is named by a string"),
        (DRIFT, {"index": "adjusted_rnd"}, "no index is called 'adjusted_rnd'"),
        (DRIFT, {"index": "entropy_pred"}, "neither better nor worse"),
        ([cm.evaluate([0, 0, 1], [0, 1, 1])], {"target": 0.5}, "index=None: choose one of"),
        ([judged(1)], {"target": 0.5}, "this is a difference: leave out target"),
        ([cm.evaluate([0, 1] * 30, [0, 1, 1] * 20).interval("ari")], {}, "this is a score: name the score"),
    ],
)
def test_mistakes_in_a_series_are_told(releases, how, words):
    with pytest.raises(cm.InputError, match=words):
        cm.monitor(releases, **how)


def test_the_chart_and_the_data():
    need("matplotlib")
    found = cm.monitor(DRIFT)
    assert [text.get_text() for text in found.plot().get_xticklabels()] == list(DRIFT)
    data = json.loads(found.to_json())
    assert (data["alarm"], data["looks"][-1]["decision"]) == ("August", "worse")


@pytest.mark.slow
def test_the_program_fails_on_an_alarm(tmp_path):
    rows = [(name, *both) for name, both in DRIFT.items()]
    file = write_csv(tmp_path / "series.csv", "release,difference,standard_error", rows)
    assert "Worse since August" in result("monitor", file)
    done = run("monitor", file, "--fail-on-worse")
    assert (done.returncode, "worse since August (--fail-on-worse)" in done.stderr) == (1, True)
    assert (
        run("monitor", file, "--fail-on-worse", "--about", "release", "--looks", "4", "--level", "0.9999999").returncode
        == 0
    )
    wrong = write_csv(tmp_path / "wrong.csv", "release,difference", [("May", 1)])
    assert "needs the columns release, difference and standard_error" in run("monitor", wrong).stderr
