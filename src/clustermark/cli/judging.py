"""The commands on two releases without a truth: pairs for people to judge, and the results of their answers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from clustermark.cli import FAILED, FINE
from clustermark.cli import shared_options as options
from clustermark.cli.run import EVERY_FORMAT, PAGES, Outcome, check_ending, command, refuse_overwriting
from clustermark.errors import InputError
from clustermark.options import COMPARED, POLICIES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clustermark.cli.run import Run
    from clustermark.releases.judgements.judging import Judgements
    from clustermark.releases.judgements.questionnaire import Questions


@command(
    examples="""
clustermark questions old.csv new.csv --on id -n 300 --seed 7 -o sheet.html
clustermark questions old.csv new.csv --on id --records people.csv --show name --show city -o people.html
clustermark questions new.csv --on id --index pair_precision -o sheet.csv""",
    default="sheet.html",
)
@click.argument("sources", nargs=-1, required=True, metavar="OLD [NEW]", type=click.Path())
@options.option("--old", metavar="COL", group=COMPARED, help="The column with the clusters before.")
@options.option("--new", metavar="COL", group=COMPARED, help="The column with the clusters after.")
@options.offer_all(without=("true", "pred", "unmatched"))
@options.option(
    "--unmatched",
    type=click.Choice(["drop", "singletons", "error"]),
    group=POLICIES,
    help="What becomes of records that one side lacks.  [default: drop]",
)
@options.option("-n", type=click.IntRange(min=1), metavar="N", help="How many, about.  [default: 300]")
@options.option(
    "--half-width",
    type=options.POSITIVE,
    metavar="X",
    help="Instead of -n: as many as an interval of ± X needs, such as 0.01 for one point.",
)
@options.option(
    "--seed",
    type=int,
    default=0,
    show_default=True,
    help="The same seed draws the same pairs. Take a new one if answers to the last guided the change.",
)
@options.option(
    "--index",
    type=click.Choice(["b_cubed_precision", "pair_precision"]),
    default="b_cubed_precision",
    show_default=True,
    help="The index to estimate; pair_precision also gives the ratio of recalls.",
)
@options.option(
    "--unit",
    type=click.Choice(["pair", "record"]),
    default="pair",
    show_default=True,
    help="What is drawn: pairs, or records with all that share a cluster with them in either clustering.",
)
@options.option("--by", metavar="COL", group=COMPARED, help="A column of slices, which are reported separately.")
@options.shown
@options.option(
    "--store",
    multiple=True,
    metavar="FILE",
    group=COMPARED,
    help="Answers of earlier rounds; repeat it for more files.",
)
@options.option("--key", metavar="FILE", help="Where the key is written.  [default: beside the sheet, as .key.json]")
@options.option("--title", metavar="TEXT", help="The title of the sheet.")
def questions(
    run: Run,
    sources: tuple[str, ...],
    n: int | None,
    half_width: float | None,
    store: tuple[str, ...],
    key: str | None,
    title: str | None,
    **how: Any,
) -> None:
    """Draw pairs of records for people to judge: compare two clusterings, or measure the precision of one.

    OLD holds the clusters before and NEW those after, joined by --on; or OLD holds both, in the columns --old and
    --new; or one clustering only. In --pairs and --noise-…, true is OLD and pred is NEW. Ids that one side lacks are
    left out, unless --unmatched says otherwise. Two files are written: the sheet, .html or .csv, and its key. Judges
    get the sheet and not the key.
    """
    output = str(run.output)
    key = key or key_beside(output)
    check_ending(output, (*PAGES, ".csv"))
    refuse_overwriting(key, run.force, " by --key", [sources, store, how.get("records")])
    if n is not None and half_width is not None:
        raise click.UsageError("--half-width says how many questions there are; leave out -n")
    asked = {name: how.pop(name) for name in ("seed", "index", "unit", "by", "records", "show", "old", "new")}
    asked |= {"n": n, "half_width": half_width, "store": list(store) or None}
    found = _ask(run, sources, asked, **how)
    found.write_sheet(output, key, overwrite=run.force, title=title)
    run.repeat_notices(found)
    run.note(f"{found.title}; wrote {output} for judges, and {key}, which they must not see")


def _ask(run: Run, files: Sequence[str], asked: dict[str, Any], **given: Any) -> Questions:
    """Return the questions for the options of the command line."""
    from clustermark.cli.input import BEFORE_AND_AFTER, open_files, refuse_unread, tell_guesses
    from clustermark.releases.judgements.asking import questions as draw_questions

    chosen = options.table_options(given)
    refuse_unread(given)
    sources = open_files(files, chosen.setdefault("reading", {}))
    asked |= {name: value for name, value in chosen.items() if value not in (None, {})}
    with run.progress(f"reading {' and '.join(map(str, sources))}") as tell:
        asked |= {"progress": tell} if tell is not None else {}
        asking = draw_questions(sources[0], sources[1] if len(sources) == 2 else None, **asked)
    tell_guesses(run, asking.record.settings, BEFORE_AND_AFTER)
    return asking


def key_beside(output: str) -> str:
    """Return the default name of the key.

    >>> key_beside("round 2/sheet.html")
    'round 2/sheet.key.json'
    """
    return str(Path(output).with_suffix(".key.json"))


@command(
    *EVERY_FORMAT,
    examples="""
clustermark judge key.json answers.csv
clustermark judge key.json ada.csv bob.csv --gold expert.csv -o judged.html
clustermark judge key.json answers.csv --records people.csv --show name,city -o judged.html
clustermark judge key.json answers.csv --fail-on-worse b_cubed_precision --margin 0.03""",
)
@click.argument("key", metavar="KEY", type=click.Path())
@click.argument("answers", nargs=-1, required=True, metavar="ANSWERS...", type=click.Path())
@options.option("--gold", metavar="FILE", help="Right answers to some pairs, by which judges are measured.")
@options.option(
    "--sensitivity", type=float, metavar="X", help="The share of same pairs that judges call the same, if known."
)
@options.option("--specificity", type=float, metavar="X", help="The share of different pairs that they call different.")
@options.option(
    "--unknown",
    type=click.Choice(["bounds", "drop"]),
    default="bounds",
    show_default=True,
    help="Unknown answers: the worse of both for each limit, or left out.",
)
@options.option(
    "--looks", type=click.IntRange(min=1), default=1, show_default=True, help="How often you look before you decide."
)
@options.level_option("The level of intervals: how often they contain the value for all pairs.")
@options.option(
    "--fail-on-worse",
    metavar="INDEX",
    help="Exit with 1 unless it is sure that this index, which was judged, is not worse by more than the margin.",
)
@options.option(
    "--margin",
    type=click.FloatRange(min=0),
    default=0.0,
    metavar="X",
    help="A loss up to this margin does not matter in practice, such as 0.03 for three points; also the probability of "
    "a larger loss.  [default: 0]",
)
@options.option(
    "--plan",
    type=options.POSITIVE,
    metavar="X",
    help="Say how many questions an interval of ± X needs, by these answers.",
)
@options.option("--title", metavar="TEXT", help="The title of the page, where the output is one (.html).")
@options.shown
def judge(
    run: Run,
    key: str,
    answers: tuple[str, ...],
    fail_on_worse: str | None,
    margin: float,
    plan: float | None,
    title: str | None,
    records: str | None,
    show: list[str] | None,
    **how: Any,
) -> Outcome:
    """Decide from answers whether the new clustering is better.

    KEY was written beside the sheet; ANSWERS are the files that judges saved, of one judge or of several.
    """
    from clustermark.releases.judgements.judging import judge as judge_answers

    if title and run.shape != "html":
        raise click.UsageError("--title is that of a page; write one by -o judged.html")
    if show and records is None:
        raise click.UsageError("--show names columns of --records; give both, or leave it out")
    found = judge_answers(key, list(answers), margin=margin or None, **how)
    if records is not None:
        found.questions.show_records(records, show)
    passed, sentences = (True, []) if fail_on_worse is None else _decide(found, fail_on_worse, margin)
    if plan is not None:
        sentences.append(f"about {found.plan(plan):,} questions make an interval of ± {100 * plan:g} points (--plan)")
    return Outcome(found, FINE if passed else FAILED, tuple(sentences), how={"html": {"title": title}})


def _decide(found: Judgements, index: str, margin: float) -> tuple[bool, list[str]]:
    """Return whether an index is certainly not worse by more than a margin, and a sentence with this result."""
    from clustermark.releases.judgements.judgements_document import estimate_texts
    from clustermark.results.values import EQUAL

    estimate = found[index]
    if estimate.scale != "change":
        raise InputError(
            f"--fail-on-worse {index}: this is no change of an index; choose {found.questions.design.index}"
        )
    span = " ".join(estimate_texts(estimate, margin)[1:])
    edge = -margin - EQUAL
    passed = estimate.low >= edge
    sure = "is not worse" if passed else "is worse" if estimate.high < edge else "may be worse"
    return passed, [f"{index} {sure} by more than {100 * margin:g} points: {span} (--fail-on-worse)"]


@command(
    *EVERY_FORMAT,
    examples="""
clustermark monitor series.csv
clustermark monitor series.csv --method obrien_fleming --looks 12
clustermark monitor may.json june.json july.json --about release -o releases.html""",
)
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path())
@options.option("--index", metavar="NAME", help="The index, where a result has several.")
@options.option(
    "--about",
    type=click.Choice(["mean", "release"]),
    default="mean",
    show_default=True,
    help="The mean difference of all releases so far, or each release by itself.",
)
@options.option(
    "--method",
    type=click.Choice(["sequence", "obrien_fleming", "pocock"]),
    default="sequence",
    show_default=True,
    help="A confidence sequence, which holds at any number of looks; or limits for the planned looks.",
)
@options.option(
    "--looks", type=click.IntRange(min=1), default=20, show_default=True, metavar="N", help="The planned looks."
)
@options.level_option("The probability that all limits hold, if nothing changes.")
@options.option("--target", type=float, metavar="X", help="The score from which differences are taken.")
@options.option("--fail-on-worse", is_flag=True, help="Exit with 1 if a release was shown to be worse.")
def monitor(run: Run, files: tuple[str, ...], fail_on_worse: bool, **how: Any) -> Any:  # noqa: ARG001
    """Follow a series of releases with limits that hold at every look.

    FILE is the JSON of a result of `judge`, of `changes` with a truth, of `estimate` or of `score --intervals`, one for
    each release in order of time; or one file of CSV with the columns release, difference and standard_error.
    """
    from clustermark.releases.monitoring import monitor as follow

    found = follow(files[0] if len(files) == 1 and files[0].lower().endswith(".csv") else list(files), **how)
    failed = (f"worse since {found.alarm} (--fail-on-worse)",) if fail_on_worse and found.alarm is not None else ()
    return Outcome(found, FAILED if failed else FINE, failed)
