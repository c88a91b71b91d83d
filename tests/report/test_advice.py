"""Each rule of the advice, by the smallest data to which it applies, and that the page shows what follows."""

from __future__ import annotations

import re
import warnings

import pytest

import clustermark as cm
from clustermark.diagnosis.costs import Costs, count_nearly_exact
from clustermark.diagnosis.record_differences import Cause
from clustermark.evaluation.notices import Notice
from clustermark.evaluation.verdict import RULES, Situation, advise

pytestmark = pytest.mark.usefixtures("without_charts")


def quiet(*labels, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return cm.evaluate(*labels, [], **options)


def spread(n: int, merged: int, split: int) -> tuple[list[int], list[int]]:
    """n clusters of four; `merged` pairs of them merged, and `split` others split in halves."""
    truth = [i // 4 for i in range(4 * n)]
    prediction = list(truth)
    for pair in range(merged):
        prediction = [2 * pair if label == 2 * pair + 1 else label for label in prediction]
    for place in range(split):
        label = n - 1 - place
        first = truth.index(label)
        prediction[first] = prediction[first + 1] = 1000 + label
    return truth, prediction


def doubtful(evaluation):
    """As an evaluation of two files that share few ids is."""
    evaluation.record = evaluation.record._replace(notices=(Notice("few_matches", "1 of 300; is the id right?"),))
    return evaluation


SITUATIONS = {
    "_few_matches": (lambda: doubtful(quiet([0, 0, 1], [5, 5, 5])), "joined by the right id"),
    "_noise": (lambda: quiet([0, 0, 1, 1], [0, 0, -1, -1]), "looks like noise"),
    "_coverage": (lambda: quiet([0, 0, 1, *[None] * 9], range(12), missing="drop"), "Label more points first"),
    "_identical": (lambda: quiet([0, 0, 1], [5, 5, 6]), "nothing to mend"),
    "_no_pairs": (lambda: quiet([0, 0, 1, 1], [5, 5, 5, -1], noise_pred={-1: "unscored"}), "table of clusters"),
    "_one_cluster": (lambda: quiet([0, 0, 1], [5, 5, 5]), "it made one"),
    "_all_alone": (lambda: quiet([0, 0, 1], [5, 6, 7]), "a cluster of its own"),
    "_both_low": (lambda: quiet([0, 0, 0, 1, 1, 1, 2, 2, 2], [0, 1, 2] * 3), "Change the method"),
    "_few_cost_much": (
        lambda: quiet([0] * 30 + [1] * 30 + spread(40, 0, 8)[0], [0] * 60 + [i + 90 for i in spread(40, 0, 8)[1]]),
        "Split",
    ),
    "_merging": (lambda: quiet(*spread(60, 25, 2)), "stricter"),
    "_splitting": (lambda: quiet(*spread(60, 2, 50)), "more generous"),
    "_spread": (lambda: quiet(*spread(80, 10, 40)), "then work through the list"),
}


def test_every_rule_has_a_situation():
    assert list(SITUATIONS) == [rule.__name__ for rule in RULES]


@pytest.mark.parametrize("rule", SITUATIONS)
def test_the_first_rule_that_applies_speaks(rule):
    make, words = SITUATIONS[rule]
    evaluation = make()
    assert words in evaluation.advice
    now = Situation(evaluation.table, evaluation.notices, has_pairs=rule != "_no_pairs")
    assert next(one.__name__ for one in RULES if one(now)) == rule
    assert evaluation.advice == advise(evaluation.table, evaluation.notices)


FALSE = Cause("false", "founded", "differs", "name", 571, 743, 0.01)
MISSING = Cause("missing", "city", "is missing in one or both", "", 53, 105, 0.2)


@pytest.mark.parametrize(
    ("rule", "cause", "cure"),
    [
        ("_merging", FALSE, "“name” is alike while “founded” differs: let “founded” veto a join."),
        (
            "_merging",
            FALSE._replace(right=0.3),
            "give “founded” more weight, but no veto, since it differs in 30.0% of",
        ),
        ("_merging", FALSE._replace(alike="", state="is alike"), "“founded” is alike: do not join by “founded” alone."),
        ("_splitting", MISSING, "“city” is missing in one or both: do not let a missing “city” keep records apart."),
        ("_splitting", MISSING._replace(state="differs"), "do not let “city” alone keep records apart."),
        ("_few_cost_much", FALSE, "let “founded” veto a join."),
        ("_spread", FALSE, "let “founded” veto a join."),
        ("_both_low", FALSE, ""),
    ],
)
def test_records_tell_how_to_change_the_method(rule, cause, cure):
    """Of the more common kind of wrong pair, where the advice is to mend."""
    evaluation = SITUATIONS[rule][0]()
    said = advise(evaluation.table, evaluation.notices, causes=[cause])
    assert said.startswith(evaluation.advice)
    assert cure in said
    assert bool(cure) == (said != evaluation.advice)
    both = advise(evaluation.table, evaluation.notices, causes=[FALSE, MISSING])
    assert both.count(" pairs (") <= 1


@pytest.mark.slow
def test_the_page_tells_the_cure_and_no_column_can_disturb_it():
    truth, prediction = spread(60, 25, 2)
    name = "<b>\ue0007\ue001"
    records = [{"kind": "company", name: str(1000 + 37 * label)} for label in truth]
    head = head_of(quiet(truth, prediction).report(records=records))
    assert (
        "In 400 of the 400 false pairs on this page (100%) “kind” is alike while “&lt;b&gt;\ue0007\ue001” differs"
        in head
    )


def test_where_both_are_low_the_verdict_names_neither():
    verdict = quiet([0, 0, 0, 1, 1, 1, 2, 2, 2], [0, 1, 2] * 3).verdict
    assert "most pairs are wrong, merged and split" in verdict
    assert "problem" not in verdict


def test_the_worst_are_named_with_their_share():
    evaluation = quiet(*spread(60, 25, 2))
    costs = Costs.of(evaluation.table)
    assert costs.wrong == 25 * 16 + 2 * 4
    assert costs.share == 3 * 16 / costs.wrong
    assert (
        "the worst are pred 0, pred 2 and pred 4, which merge (together 11.8% of the wrong pairs)" in evaluation.verdict
    )


def test_nearly_exact_is_stated():
    truth = [0] * 178 + [1] * 50
    prediction = [0] * 176 + [1] * 52
    evaluation = cm.evaluate(truth, prediction, [])
    assert count_nearly_exact(evaluation.table) == 2
    assert "no true cluster is found exactly, but 2 nearly (Jaccard ≥ 0.9)" in evaluation.verdict
    close = sum(row.jaccard >= 0.9 and row.verdict != "exact" for row in evaluation.classes)
    assert sum(evaluation.classes.nearly_exact().values()) == close == 2


@pytest.mark.slow
@pytest.mark.parametrize(("nearly", "close"), [(0.9, 2), (0.97, 1), (1, 0), (0.55, 3)])
def test_how_near_is_nearly_can_be_chosen(nearly, close):
    truth = [0] * 178 + [1] * 50 + [2] * 5
    prediction = [0] * 176 + [1] * 54 + [2] * 3
    evaluation = cm.evaluate(truth, prediction, [])
    page = evaluation.report(nearly=nearly)
    chips = [int(n) for n in re.findall(r'data-filter="nearly exact".*?data-v="(\d+)"', page)]
    assert chips == [close] * 2 * (close > 0)
    rows = re.findall(r'<tr data-verdict="(.*?)"', page)
    assert rows.count("nearly exact") == 2 * close
    assert len(re.findall(r"<tr data-verdict", page)) == 6
    assert page.count(f"<strong>nearly exact</strong>: a Jaccard of {nearly:g} or more") == 2 * (close > 0)
    assert (f"{close} nearly (Jaccard ≥ {nearly:g})" in page) == (close > 0)


def head_of(page):
    return page[page.index("<header") : page.index("</header>")]


@pytest.mark.slow
def test_names_in_the_head_are_links_and_the_first_repair_stands_beside_the_advice():
    truth, prediction = spread(60, 25, 2)
    names = [f"<b>{label}</b>" for label in prediction]
    head = head_of(quiet(truth, names).report())
    link = '<a class="to" href="#side=pred&amp;row=%3Cb%3E0%3C%2Fb%3E"><bdi>&lt;b&gt;0&lt;/b&gt;</bdi></a>'
    assert f"the worst are {link}" in head
    assert f"Split {link} first (3.9% of the wrong pairs), and make the method stricter" in head
    assert f'<a href="#repair-1">repair 1</a>: <strong>split</strong> cluster {link}: 4 points of ' in head
    assert "\ue000" not in head


@pytest.mark.slow
def test_where_mending_comes_later_no_repair_is_named_at_the_head():
    assert "#repair-1" not in head_of(quiet([0, 0, 1], [5, 5, 5]).report())


@pytest.mark.slow
def test_the_head_says_how_sure_the_scores_are():
    truth, prediction = spread(60, 25, 2)
    head = head_of(cm.evaluate(truth, prediction).report())
    assert "Intervals of the scores of all points were not computed: <code>--intervals</code>" in head
    assert 'Intervals under <a href="#shape">Who suffers</a> are of groups only.' in head
    sure = cm.evaluate(truth, prediction, intervals=True)
    found = sure.record.scores["adjusted_rand"].interval
    assert f", 95% interval {found.low:.2f} to {found.high:.2f})" in sure.verdict
    head = head_of(sure.report())
    assert "--intervals" not in head
    assert sure.verdict.partition(":")[0] in head
    assert f"95% interval {found.low:.4f} to {found.high:.4f}" in head


@pytest.mark.slow
def test_the_head_says_which_columns_nobody_named(tmp_path):
    (tmp_path / "points.csv").write_text("id,who,which\n1,a,x\n2,a,x\n3,b,y\n")
    guessed = cm.evaluate(tmp_path / "points.csv", on="id").report()
    assert "Columns guessed: <code>who</code> as the truth, <code>which</code> as the prediction." in guessed
    assert "All 3 records given are scored." in guessed
    named = cm.evaluate(tmp_path / "points.csv", on="id", true="who", pred="which").report()
    assert "Columns guessed" not in named
    assert "2 of 3 points given are scored." in quiet([0, 0, None], [1, 1, 1], missing="drop").report()


@pytest.mark.parametrize("nearly", [0.5, 1.01, "much", True])
def test_what_is_not_near_is_refused(nearly):
    with pytest.raises(cm.InputError, match="nearly="):
        cm.evaluate([0, 0, 1], [0, 1, 1]).report(nearly=nearly)
