"""plan() and power(): by definition, by simulation, and by each kind of pilot."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import stats

import clustermark as cm
from needs import need
from program import mistake, result, write_csv

rng = np.random.default_rng(0)
TRUE = rng.integers(0, 4, 240)
ONE, OTHER = (np.where(rng.random(240) < share, rng.integers(0, 4, 240), TRUE) for share in (0.1, 0.3))
GROUPS = (np.arange(240) // 6).tolist()
COMPARED = cm.compare(TRUE, {"one": ONE, "other": OTHER}, ["adjusted_rand", "b_cubed_f"])


@pytest.mark.parametrize(("difference", "power"), [(0.05, 0.8), (0.02, 0.9), (0.1, 0.5)])
def test_a_known_variance_gives_the_usual_formula(difference, power):
    """n = (z_0.975 + z_power)² σ² / δ²."""
    found = cm.plan(cm.Guess(0.02, 400, "point"), difference=difference, assurance=power)
    n = ((stats.norm.ppf(0.975) + stats.norm.ppf(power)) * 0.02 * 20 / difference) ** 2
    assert found.needed == max(np.ceil(n), 10)
    assert (found.unit, found.pilot) == ("point", 400)
    assert cm.power(cm.Guess(0.02, 400, "point"), found.needed, difference=difference) >= power


def test_the_sample_of_a_guess_estimates_its_variance_by_few_units():
    """The power and the width of the t interval of n documents, whose standard deviation is known to be √0.1."""
    guess = cm.Guess(0.1, 10, "document")
    for n in (10, 13, 40):
        t = stats.t.ppf(0.975, n - 1)
        shown = stats.nct.sf(t, n - 1, 0.29 / (0.1 * (10 / n) ** 0.5))
        assert cm.power(guess, n, difference=0.29) == pytest.approx(shown)
        narrow = stats.chi2.cdf((n - 1) * n * (0.19 / t) ** 2 / 0.1, n - 1)
        assert cm.power(guess, n, half_width=0.19) == pytest.approx(narrow)
    assert cm.power(guess, 1, half_width=0.19) == 0


@pytest.mark.parametrize("assurance", [0.5, 0.8, 0.95])
@pytest.mark.parametrize("goal", [{"half_width": 0.25}, {"difference": 0.4}])
def test_the_probability_holds_over_pilots_of_normal_values(goal, assurance):
    """Pilots of 15 values; new samples of the planned size are as precise, or show the difference, as often as said."""
    random, reached = np.random.default_rng(1), []
    for _ in range(400):
        pilot = random.normal(size=15)
        guess = cm.Guess(float(pilot.std(ddof=1)) / 15**0.5, 15, "document", degrees=14.0)
        n = cm.plan(guess, **goal, assurance=assurance).needed
        sample = random.normal(goal.get("difference", 0.0), size=n)
        # the degrees of freedom grow with the sample, as those of the jackknife do
        half = stats.t.ppf(0.975, 14 * n / 15) * sample.std(ddof=1) / n**0.5
        reached.append(half <= goal["half_width"] if "half_width" in goal else sample.mean() - half > 0)
    assert np.mean(reached) == pytest.approx(assurance, abs=0.06)


def test_power_grows_with_units_and_is_what_plan_inverts():
    guess = cm.Guess(0.02, 40, degrees=20.0)
    for goal in ({"difference": 0.05}, {"half_width": 0.03}):
        powers = [cm.power(guess, n, **goal) for n in (10, 20, 40, 80, 160, 640)]
        assert powers == sorted(powers)
        assert all(0 <= one <= 1 for one in powers)
        needed = cm.plan(guess, **goal, assurance=0.9).needed
        assert cm.power(guess, needed, **goal) >= 0.9 > cm.power(guess, needed - 1, **goal)


def test_an_evaluation_is_a_pilot_for_points_components_and_groups():
    found = cm.evaluate(TRUE, ONE)
    for unit, name in (("point", "point"), (GROUPS, "group")):
        interval = found.interval("b_cubed_f", unit=unit)
        made = cm.plan(found, interval.half_width, "b_cubed_f", unit=unit, assurance=0.5)
        assert (made.unit, made.pilot, made.index) == (name, interval.n_units, "b_cubed_f")
        assert made.needed == pytest.approx(interval.n_units, rel=0.05)
    assert cm.plan(found, 0.05).index == found.indices[0].label
    true = np.repeat(np.arange(200), 3)
    pred = np.where(np.random.default_rng(1).random(600) < 0.1, true ^ 1, true)
    by_component = cm.evaluate(true, pred)
    made = cm.plan(by_component, 0.05, "pair_precision", unit="component")
    assert made.unit == "component"
    assert made.pilot == by_component.interval("pair_precision", unit="component").n_units


def test_a_comparison_is_a_pilot_for_a_score_and_for_a_difference():
    row = COMPARED.differences()[0]
    made = cm.plan(COMPARED, (row.high - row.low) / 2, assurance=0.5)
    assert made.index == "adjusted_rand of one - other"
    assert made.needed == pytest.approx(240, rel=0.05)
    alone = cm.plan(COMPARED, 0.05, "b_cubed_f", methods="one")
    interval = cm.evaluate(TRUE, ONE).interval("b_cubed_f")
    assert alone.needed > 240 * (interval.half_width / 0.05) ** 2
    larger, observed = (cm.power(COMPARED, 240, difference=one) for one in (row.detectable, row.difference / 4))
    assert larger == pytest.approx(0.8, abs=0.08)  # `detectable` is at 80 % power
    assert observed < larger


def test_components_of_a_comparison_make_its_variance_uncertain():
    true = np.repeat(np.arange(150), 3)
    random = np.random.default_rng(1)
    preds = {name: np.where(random.random(450) < share, 1000 + np.arange(450), true)
             for name, share in (("a", 0.1), ("b", 0.2))}  # fmt: skip
    compared = cm.compare(true, preds, ["b_cubed_f"], unit="component")
    made = cm.plan(compared, difference=0.02)
    assert (made.unit, made.pilot) == ("component", compared.differences()[0].n_units)


def test_judgements_are_a_pilot_for_questions():
    before, after = [place // 4 for place in range(400)], [place // 2 for place in range(400)]
    asked = cm.questions(before, after, n=80, seed=1)
    judged = cm.judge(asked, {(one.left, one.right): int(one.left) % 3 == 0 for one in asked.table})
    width = (judged.change.high - judged.change.low) / 2
    made = cm.plan(judged, width, assurance=0.5)
    assert made.unit == "question"
    assert made.needed == pytest.approx(judged.change.n, rel=0.05)


@pytest.mark.parametrize(
    ("pilot", "how", "words"),
    [
        ("text", {}, "pilot: pass the result of estimate"),
        (cm.Guess(0.0, 40), {}, "standard_error=0.0 must be a number above 0"),
        (cm.Guess(0.1, True), {}, "units=True must be a number above 0"),
        (cm.Guess(0.1, 40, degrees=float("nan")), {}, "degrees=nan must be a number above 0"),
        (cm.Guess(0.1, 40, ""), {}, "unit='' must be a word"),
        (COMPARED, {"methods": 3}, "methods=3 must be the name of a method"),
        (cm.Guess(0.1, 40), {"index": "rand"}, "index='rand': the pilot says it"),
        (cm.Guess(0.1, 40), {"half_width": 0.1, "difference": 0.1}, "pass one"),
        (cm.Guess(0.1, 40), {"difference": -0.1}, "difference=-0.1 must be a number above 0"),
        (cm.Guess(0.1, 40), {"assurance": 1.0}, "assurance=1.0 must be between 0 and 1"),
        (cm.Guess(0.1, 40), {"level": 95.0}, "level=95.0 must be between 0 and 1"),
        (cm.Guess(0.1, 40), {"difference": 1e-12}, "no number of units is enough to show a difference of 1e-12"),
        (COMPARED, {"methods": ["one", "other", "one"]}, "must name one method for its score, or two"),
        (COMPARED, {"methods": "third"}, "there is no 'third'"),
        (COMPARED, {"unit": "point"}, "unit='point': the pilot says it"),
        (cm.evaluate(TRUE, TRUE), {"index": "rand"}, "rand has no interval in the pilot"),
    ],
)
def test_mistakes_in_a_plan_are_told(pilot, how, words):
    with pytest.raises(cm.InputError, match=words):
        cm.plan(pilot, **how)


def test_power_takes_whole_numbers_of_units():
    with pytest.raises(cm.InputError, match="units=0 must be a whole number"):
        cm.power(cm.Guess(0.1, 40), 0, difference=0.1)


def test_the_chart_and_the_data_of_a_plan():
    need("matplotlib")
    made = cm.plan(cm.Guess(0.02, 40, "document"), difference=0.05)
    [line] = [line for line in made.plot().lines if len(line.get_xdata()) > 2]
    assert list(line.get_ydata()) == sorted(line.get_ydata())
    data = json.loads(made.to_json())
    assert (data["needed"], data["difference"], data["half_width"]) == (made.needed, 0.05, None)
    assert [row["assurance"] for row in data["assurances"]] == [0.5, 0.8, 0.9, 0.95]


@pytest.mark.slow
def test_the_program_plans(tmp_path):
    need("duckdb")
    rows = list(zip(TRUE.tolist(), ONE.tolist(), OTHER.tolist(), GROUPS, strict=True))
    file = write_csv(tmp_path / "runs.csv", "label,one,other,document", rows)
    asked = ("plan", file, "--true", "label", "--pred", "one", "-i", "b_cubed_f", "-q", "-f", "csv")
    pilot = cm.compare(TRUE, {"one": ONE}, ["b_cubed_f"])
    wanted = cm.plan(pilot, 0.05)
    assert (
        result(*asked, "--half-width", "0.05")
        .splitlines()[1]
        .startswith(f"b_cubed_f of one,0.05,,0.8,{wanted.needed},")
    )
    both = result(*asked, "--pred", "other", "--difference", "0.1", "--groups", "document", "--assurance", "0.9")
    assert ",0.1,0.9," in both
    assert ",group,40," in both
    assert "name the files of a pilot" in mistake("plan", "--difference", "0.1")
    assert "a guess is --standard-error with --units" in mistake("plan", "--units", "9")
    assert "--assurance is the probability" in mistake("estimate", file, "--design", "clusters", "--assurance", "0.5")
