"""Answers become estimates: golden values where all pairs are asked, and what is refused or only noted."""

from __future__ import annotations

import copy
import csv
import dataclasses
import functools
import json
import operator
from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from worlds import GOLDEN, answer, blocks, change

import clustermark as cm
from clustermark.labels.alignment import id_text
from clustermark.releases.judgements.answers import Contradiction, JudgeRow, read_answers
from clustermark.releases.judgements.judgements_document import CONTRADICTION, ESTIMATE, JUDGE
from clustermark.releases.judgements.pair_estimates import Estimate
from clustermark.releases.judgements.pair_sampling import SampledRecord
from clustermark.releases.judgements.proportions import jeffreys
from clustermark.releases.judgements.questionnaire import Question, QuestionDesign, Stratum
from clustermark.releases.judgements.questions_document import QUESTION, SAMPLED, STRATUM
from needs import need

F = Fraction


def judged(number, **how):
    world = GOLDEN[number]
    asked = cm.questions(world["before"], world["after"], weights=world["weights"], by=world["slices"], **how)
    return cm.judge(asked, answer(asked, world["truth"]))


def texts_of(pair):
    """Return the texts of two ids in sorted order, as `Question.pair` has them."""
    return tuple(sorted(map(id_text, pair)))


def test_where_all_pairs_are_asked_the_change_is_known():
    for number, world in GOLDEN.items():
        found = judged(number).change
        assert tuple(found[2:5]) == pytest.approx([float(change(world))] * 3, abs=1e-12), number


def test_golden_values_of_the_good_share_and_of_slices():
    assert judged(2)["net"].value == pytest.approx(0, abs=1e-15)
    third = judged(3)
    assert third["good_share"].value == pytest.approx(2 / 3)
    assert (third["good_splits"].value, third["good_merges"].value) == pytest.approx((3 / 4, 1 / 2))
    assert third["good_split_rate"].value == pytest.approx(4 / 9 * 3 / 4)
    assert third["bad_split_rate"].value == pytest.approx(4 / 9 * 1 / 4)
    assert third["good_merge_rate"].value == pytest.approx(2 / 9 * 1 / 2)
    fifth = judged(5)
    assert fifth.slices["x"]["b_cubed_precision"].value == pytest.approx(-1 / 6)
    assert fifth.slices["y"]["b_cubed_precision"].value == pytest.approx(1 / 6)


def test_golden_values_of_pairs():
    assert judged(2, index="pair_precision")["recall_ratio"].value == pytest.approx(3)
    third = judged(3, index="pair_precision")
    assert third["pair_precision"].value == pytest.approx(1 / 6)
    assert third["recall_ratio"].value == pytest.approx(1)
    for side, name in (("before", "pair_precision_before"), ("after", "pair_precision_after")):
        wanted = cm.pair_precision(GOLDEN[3]["truth"], GOLDEN[3][side])
        assert third[name].value == pytest.approx(wanted)


def test_golden_values_of_whole_records():
    second = judged(2, unit="record")
    assert second["pooled_iq"].value == pytest.approx(5 / 24)
    assert second["pooled_b_cubed_recall"].value == pytest.approx(4 / 15)
    assert second["b_cubed_precision"].value == pytest.approx(-1 / 10)
    third = judged(3, unit="record")
    assert third["pooled_iq"].value == pytest.approx(55 / 188)
    assert third["b_cubed_precision"].value == pytest.approx(2 / 9)
    assert "relative to what either clustering found" in repr(third)


def test_a_sample_of_records_comes_near_and_heavy_ones_are_not_drawn_too_often(world):
    asked = cm.questions(world["before"], world["after"], n=60, unit="record", seed=2)
    assert len(asked.design.sampled) == 60
    said = answer(asked, world["truth"])
    found = cm.judge(asked, said)
    assert found.change.low < float(change(world)) < found.change.high
    unsure = dict(said) | dict.fromkeys(list(said)[:10], "unknown")
    bounds, dropped = (cm.judge(asked, unsure, unknown=how).change for how in ("bounds", "drop"))
    assert bounds.low < dropped.low < dropped.high < bounds.high
    weights = [1000.0] + [1.0] * (len(world["truth"]) - 1)
    heavy = cm.questions(
        ["x", "x", *world["before"][2:]], ["x", "y", *world["after"][2:]], n=60, unit="record", weights=weights
    )
    assert len(heavy.design.sampled) == 2
    assert "2 of 60 records were drawn: one weighs more than 33% of all" in repr(heavy)
    assert not asked.notes
    with pytest.raises(cm.InputError, match="these records take"):
        cm.questions([0] * 400, [place // 200 for place in range(400)], n=10, unit="record")
    with pytest.raises(cm.InputError, match="the accuracy of judges is for unit"):
        cm.judge(asked, said, sensitivity=0.99, specificity=0.99)


def test_pooled_and_true_change_of_recall_may_differ_in_sign():
    truth = [0] * 12 + [1] * 2
    before, after = [*range(12), 99, 99], [50, 50, 50, *range(11)]
    assert cm.b_cubed_recall(truth, after) - cm.b_cubed_recall(truth, before) == pytest.approx(-1 / 28)
    asked = cm.questions(before, after, unit="record")
    assert cm.judge(asked, answer(asked, truth))["pooled_b_cubed_recall"].value == pytest.approx(1 / 14)
    asked = cm.questions(before, after, index="pair_precision")
    found = cm.judge(asked, answer(asked, truth))
    assert found["recall_ratio"].value == pytest.approx(3)
    assert found["pooled_pair_recall_after"].value == pytest.approx(3 / 4)
    assert found["pooled_pair_recall_before"].value == pytest.approx(1 / 4)


def test_one_clustering_is_asked_for_its_precision():
    world = blocks(3, 20)
    for index in ("b_cubed_precision", "pair_precision"):
        asked = cm.questions(world["after"], n=10**6, index=index)
        found = cm.judge(asked, answer(asked, world["truth"]))
        wanted = getattr(cm, index)(world["truth"], world["after"])
        assert tuple(found.change[2:5]) == pytest.approx([wanted] * 3)
        assert found.verdict == ""
        assert "Recall: not known" in repr(found)
    with pytest.raises(cm.InputError, match="there is no pair to judge"):
        cm.questions([0, 1, 2])


labels = st.integers(0, 3)


@settings(max_examples=40, deadline=None)
@example([(0, 1, 0, 1, "x"), (0, 2, 0, 1, "x"), (1, 0, 0, 1, "y")], False)  # nothing of y changed, which is known
@given(
    st.lists(
        st.tuples(labels, labels, labels, st.sampled_from([1, 2, 5]), st.sampled_from("xy")), min_size=2, max_size=9
    ),
    st.booleans(),
)
def test_all_pairs_judged_give_the_change_by_brute_force(rows, weighted):
    before, after, truth, weights, slices = (list(column) for column in zip(*rows, strict=True))
    world = {"before": before, "after": after, "truth": truth, "slices": slices}
    world["weights"] = weights if weighted else None
    try:
        asked = cm.questions(before, after, n=10**4, weights=world["weights"], by=slices)
    except cm.InputError as error:
        assert "0 records affected" in str(error)
        return
    found = cm.judge(asked, answer(asked, truth))
    assert found.change.value == pytest.approx(float(change(world)), abs=1e-12)
    for name, one in found.slices.items():
        assert one["b_cubed_precision"].value == pytest.approx(float(change(world, name)), abs=1e-12)
    whole = cm.questions(before, after, n=10**4, weights=world["weights"], unit="record")
    if len(whole):
        again = cm.judge(whole, answer(whole, truth))
        assert again.change.value == pytest.approx(float(change(world)), abs=1e-12)


@pytest.fixture(scope="module")
def world():
    return blocks(1)


@pytest.fixture(scope="module")
def asked(world):
    return cm.questions(world["before"], world["after"], n=200, seed=7)


@pytest.fixture
def answers(asked, world):
    return answer(asked, world["truth"])


def test_a_sample_comes_near_and_says_so(asked, world, answers):
    found = cm.judge(asked, answers)
    truth = float(change(world))
    assert found.change.low < truth < found.change.high
    assert found.verdict == "better"
    assert found.change.n == sum(one.draws + (one.share is not None) for one in asked.table)
    text = repr(found)
    assert "B-cubed precision" in text
    assert "better" in text
    assert "good share" in text
    assert "<script" not in found._repr_html_()
    assert found.title in found._repr_html_()
    need("pandas")
    assert found.to_pandas()["estimate"].tolist() == list(found.estimates)


def test_what_pairs_cannot_tell_is_refused(asked, answers, world):
    found = cm.judge(asked, answers)
    with pytest.raises(cm.UnsupportedTableError, match="Pairs inside clusters say nothing about records that neither"):
        found["pair_recall"]
    with pytest.raises(cm.UnsupportedTableError, match="depends on unknown entity sizes; unit='record' gives it"):
        found["b_cubed_recall"]
    pairs = cm.questions(world["before"], world["after"], index="pair_precision", n=100)
    with pytest.raises(cm.UnsupportedTableError, match=r"Known: pair recall × \d\.\d{3} \[\d"):
        cm.judge(pairs, answer(pairs, world["truth"]))["adjusted_rand"]
    for index in ("b_cubed_recall", "adjusted_rand", "b_cubed_f"):
        with pytest.raises(cm.InputError, match="say nothing about records that neither clustering joined"):
            cm.questions([0, 0], [0, 1], index=index)
    with pytest.raises(cm.InputError, match="cannot be estimated from judged pairs"):
        cm.questions([0, 0], [0, 1], index="purity")


def test_answers_to_other_questions_are_refused(asked, answers, world):
    other = cm.questions(world["before"], world["after"], n=200, seed=8)
    rows = {"left": [], "right": [], "answer": [], "sheet": []}
    for (left, right), same in answers.items():
        for name, value in zip(rows, (left, right, "s" if same else "d", asked.design.fingerprint), strict=True):
            rows[name].append(value)
    frame = need("pandas").DataFrame(rows)
    assert cm.judge(asked, frame).change.value == cm.judge(asked, answers).change.value
    with pytest.raises(cm.InputError, match="fingerprints differ: these answers belong to other questions; draw anew"):
        cm.judge(other, frame)
    with pytest.raises(cm.InputError, match="fingerprints differ"):
        cm.judge(asked, {("no", "where"): "same"})


def test_pairs_that_somebody_chose_are_examples_only(asked, answers):
    found = cm.judge(asked, answers | {("no", "where"): "same"})
    assert any("1 answered pair(s) were not drawn and have no known probability" in note for note in found.notes)
    assert found.change == cm.judge(asked, answers).change
    with pytest.raises(cm.InputError, match="no known probability"):
        cm.judge([("a", "b")], answers)


def test_few_unanswered_questions_count_as_unknown_and_many_are_refused(asked, answers):
    pairs = list(answers)
    few = {pair: answers[pair] for pair in pairs[: int(0.9 * len(pairs))]}
    found = cm.judge(asked, few)
    assert any("have no answer, and count as unknown" in note for note in found.notes)
    whole = cm.judge(asked, answers).change
    assert found.change.high - found.change.low > 1.3 * (whole.high - whole.low)
    dropped = cm.judge(asked, few, unknown="drop").change
    assert found.change.low < dropped.low < dropped.high < found.change.high
    half = {pair: answers[pair] for pair in pairs[: len(pairs) // 2]}
    wanted = -(-4 * len(pairs) // 5) - len(half)
    with pytest.raises(cm.InputError, match=f"answer {wanted} more"):
        cm.judge(asked, half)


def test_a_kind_without_an_answer_has_limits_from_0_to_1(world):
    asked = cm.questions(world["before"], world["after"], n=200)
    kinds = {one.pair: one.kind for one in asked.table}
    said = {
        pair: "unknown" if kinds[texts_of(pair)] == "grown" else same
        for pair, same in answer(asked, world["truth"]).items()
    }
    found = cm.judge(asked, said, unknown="drop")
    assert "no question on 'grown' pairs: limits 0 to 1" in found.notes
    mass = {one.kind: one.mass for one in asked.design.strata}["grown"]
    assert found.change.high - found.change.low > mass


def test_an_accuracy_is_known_or_measured_and_must_fit(asked, answers):
    plain = cm.judge(asked, answers).change
    known = cm.judge(asked, answers, sensitivity=0.995, specificity=0.99)
    assert known.change.value != plain.value
    assert any("as given" in note for note in known.notes)
    with pytest.raises(cm.InputError, match="answers do not fit this accuracy"):
        cm.judge(asked, answers, sensitivity=0.6, specificity=0.6)
    with pytest.raises(cm.InputError, match="sensitivity='high' must be between 0 and 1"):
        cm.judge(asked, answers, sensitivity="high", specificity=0.9)
    with pytest.raises(cm.InputError, match="belong together"):
        cm.judge(asked, answers, sensitivity=0.9)
    measured = cm.judge(asked, answers, gold=answers)
    assert measured.change.value == pytest.approx(plain.value)
    assert measured.change.low <= plain.low
    assert measured.change.high > plain.high
    with pytest.raises(cm.InputError, match="either measured by gold, or given"):
        cm.judge(asked, answers, gold=answers, sensitivity=0.9, specificity=0.9)
    with pytest.raises(cm.InputError, match="at least 10 are needed"):
        cm.judge(asked, answers, gold=dict(list(answers.items())[:5]))


def test_looks_make_intervals_wider(asked, answers):
    one, three = (cm.judge(asked, answers, looks=looks) for looks in (1, 3))
    assert three.level == pytest.approx(1 - 0.05 / 3)
    assert three.change.low < one.change.low
    assert any("3 looks" in note for note in three.notes)
    for wrong in ({"looks": 0}, {"looks": True}, {"unknown": "guess"}, {"level": 2.0}):
        with pytest.raises(cm.InputError):
            cm.judge(asked, answers, **wrong)


def test_where_all_agree_it_is_said_how_much_can_be_wrong():
    before = [place // 2 for place in range(2000)]
    after = [place // 4 for place in range(2000)]
    asked = cm.questions(before, after, n=100)
    found = cm.judge(asked, dict.fromkeys(answer(asked, before), "same"))
    merges = found["good_merges"].n
    most = float(jeffreys(0, merges, 0.95)[1])
    assert f"No wrong merge among {merges}: at most {100 * most:.1f} %" in found.notes


def test_several_judges_decide_by_majority(asked, answers, tmp_path):
    wrong = {pair: not same for pair, same in answers.items()}
    files = []
    for name, said in (("ada", answers), ("bob", wrong), ("eve", answers)):
        lines = [f"{left},{right},{'same' if same else 'd'}" for (left, right), same in said.items()]
        files.append(tmp_path / f"{name}.csv")
        files[-1].write_text("left,right,answer\n" + "\n".join(lines) + "\n")
    found = cm.judge(asked, files)
    assert found.change.value == cm.judge(asked, answers).change.value
    assert [row.judge for row in found.judges] == ["ada", "bob", "eve"]
    assert found.agreement == (len(asked), pytest.approx(1 / 3))
    assert [row.agreement for row in found.judges] == pytest.approx([0.5, 0, 0.5])
    assert "3 judges (33 % agreement" in found.title
    tie = cm.judge(asked, files[:2])
    assert tie.counts["unknown"] == len(asked)
    assert tie.verdict == "not clear"


def test_of_one_judge_the_last_answer_counts(asked, answers):
    pair = next(iter(answers))
    frame = need("pandas").DataFrame(
        [(left, right, same, "ada") for (left, right), same in answers.items()] + [(*pair, not answers[pair], "ada")],
        columns=["left", "right", "answer", "judge"],
    )
    found = cm.judge(asked, frame)
    assert found._verdicts.said[texts_of(pair)] == ("different" if answers[pair] else "same")
    assert any("1 answer(s) were changed by their judge" in note for note in found.notes)


def test_each_file_or_mapping_of_a_list_is_of_another_judge(asked, answers, tmp_path):
    wrong = {pair: not same for pair, same in answers.items()}
    found = cm.judge(asked, [answers, dict(answers), wrong])
    assert [one.judge for one in found.judges] == ["judge", "judge (2)", "judge (3)"]
    assert found.change == cm.judge(asked, answers).change
    for folder, said in (("a", answers), ("b", answers), ("c", wrong)):
        (tmp_path / folder).mkdir()
        lines = (f"{left},{right},{same}\n" for (left, right), same in said.items())
        (tmp_path / folder / "sheet.csv").write_text("".join(["left,right,answer\n", *lines]))
    found = cm.judge(asked, [tmp_path / folder / "sheet.csv" for folder in "abc"])
    assert [one.judge for one in found.judges] == ["sheet", "sheet (2)", "sheet (3)"]
    assert found.change == cm.judge(asked, answers).change


def test_an_answer_that_is_there_twice_counts_once_and_was_not_changed(asked, answers, tmp_path):
    file = tmp_path / "ada.csv"
    file.write_text("".join(["left,right,answer\n", *(f"{a},{b},{same}\n" for (a, b), same in answers.items())]))
    found = cm.judge(asked, [file, file])
    assert found.change == cm.judge(asked, file).change
    assert f"{len(answers):,} answer(s) occur twice, by the same judge; each counts once" in found.notes
    assert not any("changed" in note for note in found.notes)


def test_an_answer_with_other_ids_than_its_question_is_refused(tmp_path):
    asked = cm.questions([0, 0, 0, 0], [0, 1, 2, 3])
    asked.write_sheet(tmp_path / "sheet.csv", tmp_path / "key.json")
    head, *rows = ([*line.split(",")] for line in (tmp_path / "sheet.csv").read_text().splitlines())
    answer = head.index("answer")

    def judge(*ids):
        lines = [head, *([*row[:answer], "s", *row[answer + 1 :]] for row in rows)]
        lines[2][1:3] = [str(one) for one in ids] or lines[2][1:3]
        (tmp_path / "saved.csv").write_text("".join(",".join(line) + "\n" for line in lines))
        return cm.judge(tmp_path / "key.json", tmp_path / "saved.csv")

    one = asked.table[1]
    right = judge()
    assert right.counts["answered"] == len(asked)
    assert judge(one.right, one.left).to_json() == judge("", "").to_json() == right.to_json()
    for wrong in ("r9999", ""):
        with pytest.raises(
            cm.InputError, match=rf"saved\.csv, row 3: question 2 is about {one.left} and {one.right}, not .*{wrong}"
        ):
            judge(one.left, wrong)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", r"saved\.csv is empty; a file of answers is CSV"),
        ("\n", r"saved\.csv is empty"),
        ('{"kind": "questions"}', "is JSON, perhaps the key of the sheet"),
        ("<!doctype html>", "is a page, perhaps the sheet itself"),
        ("left,right\n", "there is no column 'answer'"),
        ("left,right,answer\n", "none of the 6 questions has an answer; write same, different or"),
        ("left,right,answer\n0,1,\n", "none of the 6 questions has an answer"),
        ("left,right,answer\n0,1,s\n", "1 of 6 questions have an answer, which is too few"),
    ],
)
def test_a_file_without_answers_is_called_what_it_is(tmp_path, text, why):
    (tmp_path / "saved.csv").write_text(text)
    with pytest.raises(cm.InputError, match=why):
        cm.judge(cm.questions([0, 0, 0, 0], [0, 1, 2, 3]), [tmp_path / "saved.csv"])


def test_stored_answers_to_all_questions_need_no_others(tmp_path):
    said = dict.fromkeys([("0", "1"), ("0", "2"), ("1", "2")], "same")
    asked = cm.questions([0, 0, 0], [0, 1, 2], store=said)
    asked.write_sheet(tmp_path / "sheet.csv", tmp_path / "key.json")
    assert cm.judge(tmp_path / "key.json", [tmp_path / "sheet.csv"]).counts["answered"] == 3
    with pytest.raises(cm.InputError, match=r"sheet\.csv is no key, since it is not JSON; the key, .* comes first"):
        cm.judge(tmp_path / "sheet.csv", tmp_path / "key.json")


def test_a_slice_without_an_answer_is_not_known_and_its_interval_holds_all_that_is_possible():
    before, after = [i // 6 for i in range(60)], [i // 3 for i in range(60)]
    asked = cm.questions(before, after, n=10, by=[f"s{i // 12}" for i in range(60)])
    found = cm.judge(asked, {one.pair: after[int(one.left)] == after[int(one.right)] for one in asked.table})
    unseen = [name for name, one in found.slices.items() if not one["b_cubed_precision"].n]
    assert unseen
    for name in unseen:
        one = found.slices[name]["b_cubed_precision"]
        assert one.low <= 0.5 <= one.high
        assert f"{name}: not known, none judged" in repr(found)


def test_no_change_is_neither_better_nor_worse():
    before, after = ([int(one) for one in text] for text in ("302332321121", "021200230232"))
    asked = cm.questions(before, after)
    found = cm.judge(asked, {one.pair: False for one in asked.table})
    assert -1e-12 < found.change.high < 0, "both are as many clusters: what is left is rounding"
    assert found.verdict == "not clear"
    assert "-0.0" not in repr(found)
    assert "+0.0 points" in repr(found)


def test_a_ratio_of_nothing_to_nothing_is_not_known():
    asked = cm.questions([0, 0, 2, 2], [0, 1, 2, 2], index="pair_precision")
    found = cm.judge(asked, {one.pair: False for one in asked.table})
    ratio = found["recall_ratio"]
    assert ratio.value != ratio.value
    assert (ratio.low, ratio.high) == (0, float("inf"))
    assert "pair recall after / before  not known" in repr(found)
    need("jsonschema").validate(json.loads(found.to_json()), cm.json_schema())


@pytest.mark.parametrize(("before", "after", "side"), [("abcd", "aabb", "before"), ("aabb", "abcd", "after")])
def test_a_side_without_pairs_has_no_pair_precision(before, after, side):
    with pytest.raises(cm.InputError, match=f"{side} joins no pair: every record has a cluster of its own"):
        cm.questions(list(before), list(after), index="pair_precision")
    assert len(cm.questions(list(before), list(after))) == 2


@pytest.mark.parametrize("frames", [False, True])
def test_a_sheet_does_not_show_the_clusters(tmp_path, frames):
    rows = {"old": [(i, i // 2) for i in range(20)], "new": [(i, i // 3) for i in range(18)]}
    for name, listed in rows.items():
        lines = (f"{i},{cluster}\n" for i, cluster in listed)
        (tmp_path / f"{name}.csv").write_text("".join(["id,cluster\n", *lines]))
    (tmp_path / "both.csv").write_text("id,cluster,name\n" + "".join(f"{i},{i},n{i}\n" for i in range(20)))
    old, new, both = (tmp_path / f"{name}.csv" for name in ("old", "new", "both"))
    if frames:
        old, new, both = map(need("pandas").read_csv, (old, new, both))
    asked = cm.questions(old, new, on="id", records=both)
    assert asked.shown["1"] == {"name": "n1"}
    assert asked.notes == ("2 record(s) are in one clustering only, and left out",)
    assert not cm.questions(old, new, on="id", records=both, unmatched="singletons").notes
    with pytest.raises(cm.InputError, match="judges must not see which clustering joins a pair"):
        cm.questions(old, new, on="id", records=both, show=["name", "cluster"])


def test_what_no_answer_denies_is_bounded_as_in_the_interval_beside_it():
    asked = cm.questions([0] * 30, list(range(30)), n=100)
    found = cm.judge(asked, {one.pair: "?" if place < 10 else "different" for place, one in enumerate(asked.table)})
    [note] = [one for one in found.notes if one.startswith("No wrong split")]
    least = found["good_splits"].low
    assert note.endswith(f"at most {100 * (1 - least):.1f} %")
    assert least < 0.91


def test_contradictions_are_listed_with_the_chain_and_not_repaired():
    asked = cm.questions([0, 0, 0, 0], [0, 1, 2, 3])
    said = {(one.left, one.right): "same" for one in asked.table}
    [odd] = [pair for pair in said if set(pair) == {0, 3}]
    said[odd] = "different"
    found = cm.judge(asked, said)
    [one] = found.contradictions
    assert {one.left, one.right} == {0, 3}
    assert len(one.chain) == 3
    assert "ask again: 0 and 3" in repr(found)
    assert found["good_splits"].value == pytest.approx(1 / 6)


def test_examples_of_good_and_bad(asked, answers, world):
    found = cm.judge(asked, answers)
    for row in found.examples("merge", good=False):
        assert row["kind"] == "merge"
        assert world["truth"][row["left"]] != world["truth"][row["right"]]
    counts = [len(found.examples("split", good=good)) for good in (True, False, None)]
    assert counts[0] + counts[1] == counts[2] == sum(one.kind == "split" for one in asked.table)


def test_nothing_changed_is_nothing_to_judge():
    with pytest.raises(cm.InputError, match="0 records affected: nothing to judge"):
        cm.questions([0, 0, 1], ["a", "a", "b"])
    with pytest.raises(cm.InputError, match="0 records affected: nothing to judge"):
        cm.questions([0, 0, 1], ["a", "a", "b"], unit="record")


def test_stored_answers_are_looked_up_after_drawing(asked, answers, world, tmp_path):
    pairs = list(answers.items())[:150]
    lines = [f"{left},{right},{'s' if same else 'd'},ada,7" for (left, right), same in pairs]
    store = tmp_path / "store.csv"
    store.write_text("left,right,answer,judge,seed\n" + "\n".join(lines))
    again = cm.questions(world["before"], world["after"], n=200, seed=7, store=store)
    assert [one.pair for one in again.table] == [one.pair for one in asked.table]
    assert len(again.open) == len(again) - 150
    assert "if they guided the change, use a new seed" in again.notes[0]
    assert "150 answered before" in again.title
    rest = {pair: same for pair, same in answers.items() if texts_of(pair) in {one.pair for one in again.open}}
    assert cm.judge(again, rest).change == cm.judge(asked, answers).change
    fresh = cm.questions(world["before"], world["after"], n=200, seed=8, store=store)
    assert not fresh.notes
    assert len(fresh.open) > 0.5 * len(fresh)


def test_stored_answers_on_records_that_have_changed_are_asked_again():
    records = {str(place): {"name": f"record {place}"} for place in range(4)}
    asked = cm.questions([0, 0, 0, 0], [0, 1, 2, 3], records=records)
    sheet = asked.to_dict() | {"answer": ["s"] * len(asked)}
    store = need("pandas").DataFrame(sheet)
    assert not cm.questions([0, 0, 0, 0], [0, 1, 2, 3], records=records, store=store).open
    changed = records | {"0": {"name": "another"}}
    again = cm.questions([0, 0, 0, 0], [0, 1, 2, 3], records=changed, store=store)
    assert [set(one.pair) >= {"0"} for one in again.open] == [True] * 3


@pytest.mark.parametrize(
    ("answers", "why"),
    [
        ({("a", "b"): "perhaps"}, "'perhaps' is no answer; write same, different"),
        ({"ab": "same"}, "is no pair of ids"),
        (7, "pass a file that the sheet saved"),
        ([], "pass a file that the sheet saved"),
        ("nowhere.csv", "cannot be read"),
    ],
)
def test_answers_that_are_none_are_refused(answers, why):
    with pytest.raises(cm.InputError, match=why):
        read_answers(answers)


def test_files_of_answers_are_read_as_people_save_them(tmp_path):
    file = tmp_path / "saved.csv"
    file.write_bytes("\ufeffleft;right;answer;judge\r\n'=a;b;S;'+ada\r\nb;c;;ada\r\nc;d;?;\r\n".encode())
    first, second = read_answers(file)
    assert (first.pair, first.said, first.judge) == (("=a", "b"), "same", "+ada")
    assert (second.said, second.judge) == ("unknown", "saved")
    [plain] = read_answers(need("pandas").DataFrame({"left": ["'=a"], "right": ["b"], "answer": ["d"]}))
    assert plain.pair == ("'=a", "b")
    file.write_text("a,b\n1,2\n")
    with pytest.raises(cm.InputError, match="there is no column 'left'"):
        read_answers(file)
    file.write_bytes(b"left,right,answer\n\xff,b,s\n")
    with pytest.raises(cm.InputError, match="is not UTF-8"):
        read_answers(file)


def test_the_key_is_read_back_and_must_be_whole(asked, answers, tmp_path):
    asked.write_sheet(tmp_path / "sheet.csv", tmp_path / "key.json")
    again = cm.judge(tmp_path / "key.json", answers)
    assert again.to_json() == cm.judge(asked, answers).to_json()
    document = json.loads((tmp_path / "key.json").read_text())
    for change_it, why in (
        (lambda d: d["questions"].pop(), "damaged"),
        (lambda d: d["design"].pop("seed"), "damaged"),
        (lambda d: d.update(kind="evaluation"), "no key of questions"),
        (lambda d: d.update(schema=99), "schema 99"),
    ):
        other = json.loads(json.dumps(document))
        change_it(other)
        (tmp_path / "other.json").write_text(json.dumps(other))
        with pytest.raises(cm.InputError, match=why):
            cm.judge(tmp_path / "other.json", answers)
    (tmp_path / "other.json").write_text("no")
    with pytest.raises(cm.InputError, match="not JSON"):
        cm.judge(tmp_path / "other.json", answers)
    with pytest.raises(cm.InputError, match="cannot be read"):
        cm.judge(tmp_path / "nowhere.json", answers)
    with pytest.raises(cm.InputError, match=r"key\.json exists already"):
        asked.write_sheet(tmp_path / "another.csv", tmp_path / "key.json")
    assert not (tmp_path / "another.csv").exists()
    with pytest.raises(cm.InputError, match="another file than the sheet"):
        asked.write_sheet(tmp_path / "one.csv", tmp_path / "one.csv")


@pytest.mark.parametrize("unit", ["pair", "record"])
def test_every_value_of_the_key_is_sealed(unit):
    asked = cm.questions([0, 0, 0, 1, 1, 1, 2], [0, 0, 1, 1, 1, 2, 2], 5, unit=unit)
    key = json.loads(asked.to_json())

    def places(value, path=()):
        inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        return [path, *(place for name, one in inside for place in places(one, (*path, name)))]

    for place in places(key)[1:]:
        for wrong in (None, -1, 1e308, "x", [], {"x": 1}):
            changed = copy.deepcopy(key)
            holder = functools.reduce(operator.getitem, place[:-1], changed)
            if holder[place[-1]] == wrong:
                continue
            holder[place[-1]] = wrong
            with pytest.raises(cm.InputError, match=r"damaged|no key of questions|has schema"):
                cm.Questions.from_json(json.dumps(changed))
    assert cm.Questions.from_json(json.dumps(key, indent=3)).to_json() == asked.to_json()


def test_ids_with_line_breaks_come_back_from_the_sheet(tmp_path):
    before = {f"a\r{number}\r\n\n": number // 3 for number in range(6)}
    asked = cm.questions(before, {name: number % 2 for number, name in enumerate(before)}, 5)
    asked.write_sheet(tmp_path / "sheet.csv", tmp_path / "key.json")
    with (tmp_path / "sheet.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    with (tmp_path / "answers.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(row | {"answer": "same"} for row in rows)
    judged = cm.judge(tmp_path / "key.json", tmp_path / "answers.csv")
    assert judged.judges[0].answers == len(rows)
    assert not any("not drawn" in note for note in judged.notes)


def test_a_key_of_many_brackets_is_refused():
    with pytest.raises(cm.InputError, match="not JSON"):
        cm.Questions.from_json("[" * 100_000)


def test_the_sheet_hides_what_the_key_knows(asked):
    sheet = asked.to_dict()
    assert set(sheet) == {"question", "left", "right", "answer", "sheet", "seed", "left_print", "right_print"}
    assert "split" not in str(sheet)


@pytest.mark.parametrize(
    ("row", "columns"),
    [
        (Stratum, STRATUM),
        (Question, QUESTION),
        (SampledRecord, SAMPLED),
        (Estimate, ESTIMATE),
        (JudgeRow, JUDGE),
        (Contradiction, CONTRADICTION),
    ],
)
def test_the_columns_are_the_fields_of_the_rows(row, columns):
    assert tuple(columns) == row._fields


def test_documents_are_as_the_schema_says(asked, answers, world):
    validator = need("jsonschema").Draft202012Validator(cm.json_schema())
    design = cm.json_schema()["$defs"]["questions"]["properties"]["design"]
    assert (
        design["required"] == list(design["properties"]) == [field.name for field in dataclasses.fields(QuestionDesign)]
    )
    validator.validate(json.loads(asked.to_json()))
    validator.validate(json.loads(cm.judge(asked, answers).to_json()))
    whole = cm.questions(world["before"], world["after"], n=10, unit="record", seed=3)
    validator.validate(json.loads(whole.to_json()))
    pairs = cm.questions(GOLDEN[3]["before"], GOLDEN[3]["after"], index="pair_precision")
    document = json.loads(cm.judge(pairs, answer(pairs, GOLDEN[3]["truth"])).to_json())
    validator.validate(document)
    for broken in ({"estimates": None}, {"design": {}}, {"counts": {}}):
        assert not validator.is_valid(document | broken)


def test_a_slice_in_which_a_clustering_joins_no_pair():
    asked = cm.questions([0, 0, 1, 1, 2, 3], [0, 0, 1, 1, 2, 2], n=50, index="pair_precision", by=[*"aaaabb"])
    found = cm.judge(asked, {(one.left, one.right): True for one in asked.table})
    assert "b: one of the clusterings joins no pair of this slice" in repr(found)
    assert "pair_precision" not in json.loads(found.to_json())["slices"]["b"]
