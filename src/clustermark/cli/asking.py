"""The commands on a change without a truth: pairs for people to judge, and what their answers tell."""

from __future__ import annotations

from typing import Any

import click

from clustermark.cli import FAILED, FINE, NAME, options
from clustermark.cli.helpful import Command
from clustermark.cli.output import PAGES, check_ending, deliver, format_of, is_terminal, refuse_overwriting
from clustermark.cli.terminal import say
from clustermark.options import COMPARED, POLICIES


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  clustermark questions old.csv new.csv --on id -n 300 --seed 7 -o sheet.html
  clustermark questions old.csv new.csv --on id --records people.csv --show name --show city -o people.html
  clustermark questions new.csv --on id --index pair_precision -o sheet.csv""",
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
@options.quiet
@options.option("-n", type=click.IntRange(min=1), metavar="N", help="How many, about.  [default: 300]")
@options.option(
    "--half-width",
    type=click.FloatRange(min=0, min_open=True),
    metavar="X",
    help="Instead of -n: as many as an interval of ± X takes, such as 0.01 for one point.",
)
@options.option(
    "--seed",
    type=int,
    default=0,
    show_default=True,
    help="The same seed asks the same pairs. Take a new one if answers to the last guided the change.",
)
@options.option(
    "--index",
    type=click.Choice(["b_cubed_precision", "pair_precision"]),
    default="b_cubed_precision",
    show_default=True,
    help="What is to be told; pair_precision also tells the ratio of recalls.",
)
@options.option(
    "--unit",
    type=click.Choice(["pair", "record"]),
    default="pair",
    show_default=True,
    help="What is drawn: pairs, or records with all that either clustering puts beside them.",
)
@options.option("--by", metavar="COL", group=COMPARED, help="A column of slices to be told apart.")
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
@options.written
def questions(
    sources: tuple[str, ...],
    n: int | None,
    half_width: float | None,
    seed: int,
    index: str,
    unit: str,
    by: str | None,
    records: str | None,
    show: list[str] | None,
    store: tuple[str, ...],
    key: str | None,
    title: str | None,
    output: str | None,
    force: bool,
    quiet: bool,
    **how: Any,
) -> None:
    """Draw pairs of records for people to judge: two clusterings are compared, or one is asked for its precision.

    OLD holds the clusters before and NEW those after, joined by --on; or OLD holds both, in the columns --old and
    --new; or one clustering only. In --pairs and --noise-…, true is OLD and pred is NEW. Ids that one side lacks are
    left out, unless --unmatched says otherwise. Two files are written: the sheet, .html or .csv, and its key. Judges
    get the sheet and not the key.
    """
    from clustermark.cli.judgements import ask_files, key_beside

    output = output or "sheet.html"
    key = key or key_beside(output)
    check_ending(output, (*PAGES, ".csv"))
    refuse_overwriting(output, force)
    refuse_overwriting(key, force, " by --key")
    if n is not None and half_width is not None:
        raise click.UsageError("--half-width says how many questions there are; leave out -n")
    asked: dict[str, Any] = {
        "n": n,
        "half_width": half_width,
        "seed": seed,
        "index": index,
        "unit": unit,
        "by": by,
        "records": records,
    }
    asked |= {"show": show, "store": list(store) or None}
    found = ask_files(sources, quiet=quiet, asked=asked, **how)
    if output.lower().endswith(".csv"):
        found.write_csv(output, key, overwrite=force)
    else:
        found.write_html(output, key, overwrite=force, title=title)
    if not quiet:
        for note in found.notes:
            say(f"{NAME}: note: {note}")
        say(f"{NAME}: {found.title}; wrote {output} for judges, and {key}, which they must not see")


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  clustermark judge key.json answers.csv
  clustermark judge key.json ada.csv bob.csv --gold expert.csv -o judged.html
  clustermark judge key.json answers.csv --fail-on-worse b_cubed_precision --margin 0.03""",
)
@click.argument("key", metavar="KEY", type=click.Path())
@click.argument("answers", nargs=-1, required=True, metavar="ANSWERS...", type=click.Path())
@options.option("--gold", metavar="FILE", help="Right answers to some pairs, by which judges are measured.")
@options.option("--sensitivity", type=float, metavar="X", help="How often judges call same pairs same, if known.")
@options.option("--specificity", type=float, metavar="X", help="How often they call different pairs different.")
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
@options.option(
    "--level",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="How often such intervals hold what all pairs would tell.",
)
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
    help="So much worse is no worse in practice, such as 0.03 for three points.  [default: 0]",
)
@options.option(
    "--plan",
    type=click.FloatRange(min=0, min_open=True),
    metavar="X",
    help="Say how many questions an interval of ± X takes, by these answers.",
)
@options.option("--title", metavar="TEXT", help="The title of the page, where the output is one (.html).")
@options.formats("table", "json", "csv", "html")
def judge(
    key: str,
    answers: tuple[str, ...],
    fail_on_worse: str | None,
    margin: float,
    plan: float | None,
    title: str | None,
    shape: str | None,
    output: str | None,
    force: bool,
    **how: Any,
) -> int:
    """Tell from answers whether the new clustering is better.

    KEY was written beside the sheet; ANSWERS are the files that judges saved, of one judge or of several.
    """
    from clustermark.cli.judgements import decide, judgements_as
    from clustermark.releases.against_truth import check_margin
    from clustermark.releases.judgements.judging import judge as judge_answers

    refuse_overwriting(output, force)
    shape = format_of(shape, output)
    if margin and fail_on_worse is None:
        raise click.UsageError("--margin belongs to --fail-on-worse; give both, or neither")
    if title and shape != "html":
        raise click.UsageError("--title is that of a page; write one by -o judged.html")
    check_margin(margin, (0.0, 1.0))
    found = judge_answers(key, list(answers), **how)
    passed, said = (True, "") if fail_on_worse is None else decide(found, fail_on_worse, margin)
    deliver(judgements_as(shape, found, title=title, to_terminal=is_terminal(output)), output, shape)
    if said:
        say(f"{NAME}: {said}")
    if plan is not None:
        say(f"{NAME}: about {found.plan(plan):,} questions make an interval of ± {100 * plan:g} points (--plan)")
    return FINE if passed else FAILED
