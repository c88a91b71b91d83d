"""The page of judgements, what is not known in JSON, and how many questions an interval takes."""

from __future__ import annotations

import json

import pytest
from worlds import answer, blocks

import clustermark as cm
from clustermark.releases.judgements.pair_masses import SPREADS, PairKinds, half_width_of, plan_questions
from needs import need
from report_cases import HOSTILE

need("matplotlib")
WORLD = blocks(1)


def judge(n=60, **how):
    records = {
        str(place): {"name": HOSTILE[place % len(HOSTILE)], "text": "x" * 400} for place in range(len(WORLD["truth"]))
    }
    asked = cm.questions(WORLD["before"], WORLD["after"], n=n, records=records, **how)
    return cm.judge(asked, answer(asked, WORLD["truth"]))


@pytest.mark.slow
def test_the_page_says_what_python_says_and_does_no_harm(tmp_path):
    slices = [f"{HOSTILE[0]}{place % 2}" for place in range(len(WORLD["truth"]))]
    found = judge(by=slices)
    found.write_report(tmp_path / "page.html", title="<b>")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "&lt;b&gt;" in page
    assert "The new clustering is better: B-cubed precision" in page
    assert all(text not in page for text in HOSTILE if "<" in text)
    assert "default-src 'none'" in page
    assert page.count("x" * 400) == 0
    wrong = found.examples(good=False)
    assert f'<th scope="row">{wrong[0]["question"]}</th>' in page
    with pytest.raises(cm.InputError, match="exists already"):
        found.write_report(tmp_path / "page.html")


def test_the_page_of_one_clustering_and_of_no_clear_change():
    asked = cm.questions(WORLD["after"], n=40)
    page = cm.judge(asked, answer(asked, WORLD["truth"])).report()
    assert "B-cubed precision is about" in page
    assert "Judged pairs that the clustering" in page
    same = cm.questions([0, 0, 1, 1], [0, 0, 0, 0])
    assert "is not clear" in cm.judge(same, dict.fromkeys([one.pair for one in same.table], True)).report()


def test_what_nobody_judged_has_no_value():
    asked = cm.questions(WORLD["before"], WORLD["after"], n=40)
    drawn = {name for one in asked.table for name in one.pair}
    free = next(place for place in range(len(WORLD["truth"])) if str(place) not in drawn)
    slices = ["b" if place == free else "a" for place in range(len(WORLD["truth"]))]
    asked = cm.questions(WORLD["before"], WORLD["after"], n=40, by=slices)
    found = cm.judge(asked, answer(asked, WORLD["truth"]))
    lonely = found.slices["b"]["b_cubed_precision"]
    assert not lonely.known
    said = json.loads(found.to_json())
    assert said["slices"]["b"]["b_cubed_precision"]["value"] is None
    assert said["estimates"]["b_cubed_precision"]["value"] == found.change.value
    columns = found.to_dict()
    assert columns["value"][columns["slice"].index("b")] is None
    assert "b: not known, none judged" in repr(found)
    assert "not known" in found.report()


@pytest.mark.slow
@pytest.mark.parametrize("index", ["b_cubed_precision", "pair_precision"])
def test_as_many_questions_are_drawn_as_a_width_takes(index):
    asked = cm.questions(WORLD["before"], WORLD["after"], half_width=0.03, index=index)
    found = cm.judge(asked, answer(asked, WORLD["truth"]))
    assert 0.012 < (found.change.high - found.change.low) / 2 < 0.03
    assert asked.design.n > 100
    assert len(cm.questions(WORLD["before"], WORLD["after"], half_width=0.06, index=index)) < len(asked)
    pilot = judge(60, index=index, seed=3)  # which knows how much answers spread
    assert 0.4 * asked.design.n < pilot.plan(0.03) < 1.2 * asked.design.n
    again = cm.questions(WORLD["before"], WORLD["after"], n=pilot.plan(0.03), index=index)
    change = cm.judge(again, answer(again, WORLD["truth"])).change
    assert (change.high - change.low) / 2 < 0.033
    alone = cm.questions(WORLD["after"], half_width=0.03, index=index)
    score = cm.judge(alone, answer(alone, WORLD["truth"])).change
    assert (score.high - score.low) / 2 < 0.035


def test_the_number_is_the_least_that_is_enough_and_at_least_40():
    kinds = PairKinds("b_cubed_precision", {"split": 0.2, "merge": 0.1}, {"split": 10**6, "merge": 10**6})
    number = plan_questions(kinds, 0.01)
    assert half_width_of(kinds, number, SPREADS) <= 0.01 < half_width_of(kinds, number - 1, SPREADS)
    # (1.96 / h)² (Σ C σ)², by hand
    assert number == pytest.approx((1.96 / 0.01) ** 2 * 0.15**2, rel=0.01)
    assert plan_questions(kinds, 0.5) == 40
    few = PairKinds("b_cubed_precision", {"split": 0.2, "merge": 0.1}, {"split": 60, "merge": 30})
    assert plan_questions(few, 1e-9) <= 95  # all of them
    assert plan_questions(kinds, 0.01, {"split": (0, 200), "merge": (100, 200)}) < number


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ({"half_width": 0}, "must be a number above 0"),
        ({"half_width": float("nan")}, "must be a number above 0"),
        ({"half_width": True}, "must be a number above 0"),
        ({"half_width": 1e-9}, "more than 10,000,000 questions"),
        ({"half_width": 0.1, "n": 5}, "leave out n"),
        ({"half_width": 0.1, "unit": "record"}, "leave out n"),
    ],
)
def test_widths_that_make_no_sense_are_refused(how, why):
    before = list(range(30_000)) if how["half_width"] == 1e-9 else [0, 0]
    after = [place // 30_000 for place in before] if len(before) > 2 else [0, 1]
    with pytest.raises(cm.InputError, match=why):
        cm.questions(before, after, **how)


def test_records_are_not_planned():
    asked = cm.questions(WORLD["before"], WORLD["after"], n=5, unit="record")
    with pytest.raises(cm.UnsupportedTableError, match="choose unit='pair'"):
        cm.judge(asked, answer(asked, WORLD["truth"])).plan(0.1)
