"""The program asks and judges: from two files to a sheet, and from answers to a decision."""

from __future__ import annotations

import json

import pytest
from worlds import answer, blocks

import clustermark as cm
from clustermark.cli import spell
from clustermark.errors import spell as spell_parts
from clustermark.releases.judgements.answers import other_questions_error
from program import mistake, result, run, write_csv

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    here = tmp_path_factory.mktemp("judged")
    world = blocks(2, 60)
    rows = list(enumerate(zip(world["before"], world["after"], strict=True)))
    write_csv(here / "old.csv", "id,cluster", [(i, b) for i, (b, _) in rows])
    write_csv(here / "new.csv", "id,cluster", [(i, a) for i, (_, a) in rows])
    write_csv(here / "names.csv", "id,name,city", [(i, f"name {i}", "Lille") for i, _ in rows])
    done = run("questions", "old.csv", "new.csv", "--on", "id", "-n", 150, "--seed", 7, "--records", "names.csv",
               "--show", "name", "-o", "sheet.html", cwd=here)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "wrote sheet.html for judges, and sheet.key.json, which they must not see" in done.stderr
    assert "clustermark: taking column" in done.stderr
    asked = cm.Questions.from_json((here / "sheet.key.json").read_text())
    said = answer(asked, {str(i): label for i, label in enumerate(world["truth"])})  # ids of CSV are texts
    for name, flip in (("answers", False), ("wrong", True)):
        lines = [(left, right, "s" if same != flip else "d") for (left, right), same in said.items()]
        write_csv(here / f"{name}.csv", "left,right,answer", lines)
    return here


def test_a_sheet_shows_what_was_asked_for_and_the_key_lies_beside_it(folder):
    page = (folder / "sheet.html").read_text()
    assert "name 1" in page
    assert "Lille" not in page
    assert '"split"' not in page
    assert "exists already" in mistake("questions", "old.csv", "new.csv", "--on", "id", "-o", "sheet.html", cwd=folder)
    assert "no format" in mistake("questions", "old.csv", "new.csv", "--on", "id", "-o", "sheet.pdf", cwd=folder)
    taken = mistake("questions", "old.csv", "new.csv", "--on", "id", "-o", "sheet.csv", cwd=folder)
    assert "sheet.key.json: the file exists already; choose another name by --key, or --force" in taken


def test_answers_to_other_questions_are_led_to_the_option_of_the_program():
    assert "pass them as --store: stored" in spell_parts(other_questions_error().args, spell)


def test_the_program_judges_as_python_does(folder):
    text = result("judge", "sheet.key.json", "answers.csv", cwd=folder)
    found = cm.judge(folder / "sheet.key.json", folder / "answers.csv")
    assert found.title in text
    assert "better" in text
    assert "--index pair_precision" in text
    document = json.loads(result("judge", "sheet.key.json", "answers.csv", "--format", "json", cwd=folder))
    assert document == json.loads(found.to_json())
    assert result("judge", "sheet.key.json", "answers.csv", "-f", "csv", cwd=folder) == found.to_csv()
    page = result("judge", "sheet.key.json", "answers.csv", "-f", "html", "--title", "<i>", cwd=folder)
    assert page.strip() == found.report("<i>").strip()
    done = run("judge", "sheet.key.json", "answers.csv", "--title", "no page", cwd=folder)
    assert "--title is that of a page" in done.stderr
    done = run("judge", "sheet.key.json", "answers.csv", "--plan", 0.02, cwd=folder)
    assert f"about {found.plan(0.02):,} questions make an interval of ± 2 points" in done.stderr


def test_a_page_shows_the_records_that_are_named_again(folder):
    plain = result("judge", "sheet.key.json", "answers.csv", "-f", "html", cwd=folder)
    assert "name 1" not in plain
    shown = ("--records", "names.csv", "--show", "name")
    page = result("judge", "sheet.key.json", "answers.csv", "-f", "html", *shown, cwd=folder)
    assert "name: name 1" in page
    assert "Lille" not in page
    said = mistake("judge", "sheet.key.json", "answers.csv", "--show", "name", cwd=folder)
    assert "--show names columns of --records" in said
    write_csv(folder / "few.csv", "id,name", [(0, "nobody")])
    said = mistake("judge", "sheet.key.json", "answers.csv", "--records", "few.csv", cwd=folder)
    assert "records: there is none for" in " ".join(said.split())


def test_a_release_that_is_worse_fails(folder):
    fails = ["--fail-on-worse", "b_cubed_precision"]
    assert run("judge", "sheet.key.json", "answers.csv", *fails, "--margin", 0.01, cwd=folder).returncode == 0
    done = run("judge", "sheet.key.json", "wrong.csv", *fails, "--margin", 0.01, cwd=folder)
    assert done.returncode == 1
    assert "b_cubed_precision is worse by more than 1 points: -" in done.stderr
    done = run("judge", "sheet.key.json", "answers.csv", *fails, "--looks", 1, "--margin", 0, cwd=folder)
    assert done.returncode == 0
    assert "b_cubed_precision is not worse by more than 0 points: +" in done.stderr
    refused = mistake("judge", "sheet.key.json", "wrong.csv", *fails, "--margin", 3, cwd=folder)
    assert "--margin 3.0 must be less than 1, which is 100 points; did you mean 0.03?" in " ".join(refused.split())
    refused = mistake("judge", "sheet.key.json", "answers.csv", "--fail-on-worse", "b_cubed_recall", cwd=folder)
    assert "depends on unknown entity sizes" in " ".join(refused.split())
    refused = mistake("judge", "sheet.key.json", "answers.csv", "--fail-on-worse", "good_share", cwd=folder)
    assert "no change of an index" in " ".join(refused.split())
    assert "P(loss > 0.1)" in result("judge", "sheet.key.json", "answers.csv", "--margin", 0.1, cwd=folder)
    assert "cannot be read" in mistake("judge", "nowhere.json", "answers.csv", cwd=folder)


def test_ids_of_one_side_are_left_out_as_the_help_says(folder):
    help_text = " ".join(result("questions", "--help", cwd=folder).split())
    assert "What becomes of records that one side lacks. [default: drop]" in help_text
    write_csv(folder / "less.csv", "id,cluster", [(i, i // 2) for i in range(20)])
    asked = ("questions", "old.csv", "less.csv", "--on", "id", "-n", 20)
    assert result(*asked, "-o", "dropped.csv", cwd=folder) == ""
    assert "the ids differ: 542 occur in old.csv only" in " ".join(
        mistake(*asked, "-o", "no.csv", "--unmatched", "error", cwd=folder).split()
    )


def test_one_clustering_and_stored_answers(folder):
    lacking = mistake("questions", "names.csv", "--on", "id", "-o", "none.csv", cwd=folder)
    assert "name the column with the clusters by --new" in " ".join(lacking.split())
    text = result("questions", "new.csv", "--on", "id", "-n", 20, "-o", "one.csv", "--store", "answers.csv", cwd=folder)
    assert text == ""
    asked = cm.Questions.from_json((folder / "one.key.json").read_text())
    assert asked.design.alone
    assert (folder / "one.csv").read_text().startswith("question,left,right,answer,sheet,seed,left_print,right_print\n")
