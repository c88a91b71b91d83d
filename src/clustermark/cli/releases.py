"""The commands on two releases of a clustering: changes, and ids that last."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from warnings import catch_warnings

import click

from clustermark.cli import FAILED, FINE, parsing, spell
from clustermark.cli import shared_options as options
from clustermark.cli.run import EVERY_FORMAT, Outcome, command
from clustermark.errors import InputError
from clustermark.errors import spell as spell_parts
from clustermark.options import COMPARED, POLICIES, read_options

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from clustermark.cli.run import Run
    from clustermark.registry import Index
    from clustermark.releases.against_truth import AgainstTruth, GateAnswer
    from clustermark.releases.before_after import Changes

_COLUMN: dict[str, Any] = {"metavar": "COL", "group": COMPARED}
_SIDES = {"old": "true", "new": "pred", "both": "both"}
"""The sides, as named by options of a table."""
LISTS = ("events", "before", "after", "slices", "truth")


@command(
    *EVERY_FORMAT,
    examples="""
clustermark changes old.csv new.csv --on id
clustermark changes old.csv new.csv --on id --truth truth.csv --fail-on-worse b_cubed_f --margin 0.01
clustermark changes old.csv new.csv --on id --truth truth.csv --fail-unless-better b_cubed_f
clustermark changes old.csv new.csv --on id --by city --records people.csv --format markdown
clustermark changes both.csv --old last_month --new today -o changes.html
clustermark changes old.csv new.csv --on id --list events -k 100 -o events.csv

Exit codes: 0 fine; 1 not shown what --fail-on-worse, --fail-unless-better or --fail-unless-equivalent asks; 2 a mistake
in what was asked or given.""",
)
@click.argument("sources", nargs=-1, required=True, metavar="FILE [AFTER]", type=click.Path())
@options.option("--old", **_COLUMN, help="The column with the clusters before.")
@options.option("--new", **_COLUMN, help="The column with the clusters after.")
@options.option("--truth", metavar="FILE", group=COMPARED, help="A file with true labels of the records, or of some.")
@options.option("--true", **_COLUMN, help="The column with the true labels.")
@options.option("--by", **_COLUMN, help="Also the impact on the records of each value of this column.")
@options.option("--records", metavar="FILE", group=COMPARED, help="The file that has the column of --by.")
@options.option(
    "--pairs",
    type=click.Choice(list(_SIDES)),
    group=COMPARED,
    help="This side is a list of pairs of ids that belong together; whatever is connected by pairs is one cluster.",
)
@options.offer_all(without=("true", "pred", "unmatched", "pairs"))
@options.option(
    "--unmatched",
    type=click.Choice(["drop", "singletons", "error"]),
    group=POLICIES,
    help="What becomes of records that one side lacks: they are counted and named in any case.  [default: drop]",
)
@options.chosen_indices
@options.option(
    "--unit",
    type=click.Choice(["point", "component"]),
    help="With a truth: what was sampled, points or clusters with all that they share points with.  "
    "[default: component if most clusters hold five points or fewer, else point]",
)
@options.level_option("With a truth: the level of intervals.")
@options.option(
    "--fail-on-worse",
    metavar="NAME",
    shell_complete=parsing.complete_index,
    help="Exit with 1 unless this index is shown, against the truth, not to be worse by --margin.",
)
@options.option(
    "--fail-unless-better",
    metavar="NAME",
    shell_complete=parsing.complete_index,
    help="Exit with 1 unless this index is shown, against the truth, to be better, by more than a given --margin.",
)
@options.option(
    "--fail-unless-equivalent",
    metavar="NAME",
    shell_complete=parsing.complete_index,
    help="Exit with 1 unless this index is shown, against the truth, to differ by less than --margin.",
)
@options.option(
    "--margin",
    type=options.POSITIVE,
    metavar="X",
    help="With a truth: a difference up to this does not matter in practice, such as 0.03 for three points; also the "
    "probability of a larger loss of each index.  [default: 0.01, for --fail-unless-better 0]",
)
@options.option("--list", "what", type=click.Choice(LISTS), help="One list alone: events, clusters of a side, …")
@options.option(
    "-k", type=click.IntRange(min=1), metavar="N", help="How many of each list.  [default: 10; with --list all]"
)
@options.option("--title", metavar="TEXT", help="The title of the page, where the output is one (.html).")
def changes(
    run: Run,
    sources: tuple[str, ...],
    what: str | None,
    k: int | None,
    title: str | None,
    margin: float | None,
    **how: Any,
) -> Outcome:
    """Compare the clusters before with those after: splits, merges, and the number of records affected.

    FILE holds both columns of clusters, or those before only; then AFTER holds those after, joined by --on. With the
    true labels, also report whether the change was right.
    """
    if title and run.shape != "html":
        raise click.UsageError("--title is that of a page; write one by -o changes.html")
    if what and run.shape not in ("table", "csv"):
        raise click.UsageError(f"--list is for tables and CSV; {run.shape} has all lists")
    if how["indices"] == "all":
        raise click.UsageError("-i all is too much here; name a few indices")
    gates = {gate: name for gate in _GATES if (name := how.pop(gate)) is not None}
    for name in gates.values():
        _check_margin(margin, name)
    found = _read_changes(run, sources, wanted=gates, margin=margin, **how)
    answers = _answers(found, gates, margin)
    remarks = [
        f"{answer.sentence}{'' if answer.shown else f' (--{gate})'.replace('_', '-')}"
        for gate, answer in answers.items()
        if not (answer.shown and run.quiet)
    ]
    passed = all(answer.shown for answer in answers.values())
    return _written(run, found, what, k, title)._replace(code=FINE if passed else FAILED, remarks=tuple(remarks))


def _check_margin(margin: float | None, name: str) -> None:
    """Raise an error for a margin that is impossible, before anything is read."""
    from clustermark.evaluation.differences import check_margin
    from clustermark.registry import parse

    if margin is not None:
        check_margin(margin, parse(name).facts.bounds)


_GATES: dict[str, tuple[float, Callable[[AgainstTruth, Index[...], float], GateAnswer]]] = {
    "fail_on_worse": (0.01, lambda truth, index, margin: truth.not_worse(index, margin)),
    "fail_unless_better": (0.0, lambda truth, index, margin: truth.better(index, margin)),
    "fail_unless_equivalent": (0.01, lambda truth, index, margin: truth.equivalent(index, margin)),
}
"""The options that decide on the exit code, each with its default margin and its test."""


def _answers(found: Changes, gates: Mapping[str, str], margin: float | None) -> dict[str, GateAnswer]:
    """Return the answer to each of these options, which name an index."""
    from clustermark.registry import parse

    answers = {}
    for gate, name in gates.items():
        assert found.truth is not None  # `_read_changes` refuses these options without a truth
        default, test = _GATES[gate]
        answers[gate] = test(found.truth, parse(name), default if margin is None else margin)
    return answers


def _read_changes(
    run: Run,
    files: Sequence[str],
    *,
    indices: Sequence[Index[...]] | None,
    wanted: Mapping[str, str],
    margin: float | None,
    level: float,
    unit: Any,
    **given: Any,
) -> Changes:
    """Return the changes for the options of the command line."""
    from clustermark.cli.input import BEFORE_AND_AFTER, open_files, refuse_unread, tell_guesses
    from clustermark.registry import parse
    from clustermark.releases.against_truth import PANEL
    from clustermark.releases.before_after import read_changes
    from clustermark.releases.release_records import ChangeRequest
    from clustermark.uncertainty.interval import IntervalRequest

    own = {name: given.pop(name) for name in ("truth", "by", "records", "old", "new", "true")}
    unmatched = given.pop("unmatched") or "drop"
    if own["truth"] is None and own["true"] is None:
        if wanted:
            raise InputError(
                f"--{next(iter(wanted)).replace('_', '-')} needs a truth, by --truth or --true: the two clusterings "
                "alone do not show whether the change is an improvement"
            )
        if margin is not None:
            raise InputError("--margin is about scores against a truth; give one by --truth or --true")
        if indices is not None:
            raise InputError("-i names what is scored against a truth; give one by --truth or --true")
    if wanted:
        every = (*(indices or map(parse, PANEL)), *map(parse, wanted.values()))
        indices = list({one.label: one for one in every}.values())
    given["pairs"] = _SIDES.get(given["pairs"])
    taken = options.table_options(given)
    refuse_unread(given)
    chosen = read_options(taken | {"unmatched": unmatched})
    chosen = {name: value for name, value in chosen.items() if value not in ({}, None)}
    reading = chosen.setdefault("reading", {})
    opened = open_files(files, reading)
    doing = f"comparing {' and '.join(map(str, opened))}"
    with run.progress(doing) as tell, catch_warnings(record=True) as warned:
        given = {name: value for name, value in chosen.items() if value != {}} | _progress(tell)
        asked = ChangeRequest(**own, options=given)
        request = IntervalRequest(level, unit)
        after = opened[1] if len(opened) == 2 else None
        found = read_changes(opened[0], after, asked, indices, request, margin=margin, sources=True)
        found.summary()
    tell_guesses(run, found.table.settings, BEFORE_AND_AFTER)
    run.note(*(f"note: {one.message}" for one in warned))
    run.note(*(f"note: {spell_parts(parts, spell)}" for parts in found.tell_noise()))
    return found


def _progress(tell: Any) -> dict[str, Any]:
    return {} if tell is None else {"progress": tell}


def _written(run: Run, found: Changes, what: str | None, k: int | None, title: str | None) -> Outcome:
    """Return the changes with up to `k` rows of each list, or the one list that is requested."""
    if what is not None or run.shape == "csv":
        return Outcome(_list(found, what or "events", k))
    below: tuple[Any, ...] = ()
    if run.shape == "table":
        some = found.clusters("before", k or 10) if found.event_counts is None else found.events(k or 10)
        below = (some,) if len(some) else ()
    how: dict[str, dict[str, Any]] = {"json": {"k": k or 10}, "markdown": {"k": k or 5}, "html": {"title": title}}
    return Outcome(found, below=below, how=how)


def _list(found: Changes, what: str, k: int | None) -> Any:
    if what == "events":
        return found.events(k)
    if what == "slices":
        if found.slices is None:
            raise InputError("--list slices: name the column of the slices by --by")
        return found.slices[:k]
    if what == "truth":
        if found.truth is None:
            raise InputError("--list truth: give the true labels by --truth or --true")
        return found.truth.clusters(k)
    return found.clusters("before" if what == "before" else "after", k)


@command(
    "csv",  # by default, because programs read it
    *(one for one in EVERY_FORMAT if one != "csv"),
    examples="""
clustermark relabel new.csv --like old.csv --on id -o lasting.csv
clustermark relabel new.csv --like old.csv --on id --ids""",
)
@click.argument("file", metavar="NEW")
@options.option("--like", metavar="FILE", group=COMPARED, help="The file with the old clusters.")
@options.option("--new", "new_column", **_COLUMN, help="The column with the new clusters.")
@options.option("--old", "old_column", **_COLUMN, help="The column with the old clusters.")
@options.offer_all(only=("on", "reading", "engine"))
@options.option(
    "--noise",
    multiple=True,
    metavar="LABEL",
    group=POLICIES,
    help="A label that names no cluster, such as -1; it is kept.",
)
@options.option("--ids", is_flag=True, help="The fate of every id instead: kept, born or retired.")
@options.safe
def relabel(
    run: Run,
    file: str,
    like: str | None,
    new_column: str | None,
    old_column: str | None,
    noise: tuple[str, ...],
    ids: bool,
    safe: bool,
    **how: Any,
) -> Any:
    """Give the clusters of NEW the ids of the old ones that they continue, and write the records with them as CSV.

    Old and new clusters are matched one to one such that most records keep their id; a cluster without a match gets a
    fresh id that no old cluster has.
    """
    from clustermark.cli.input import open_files
    from clustermark.diagnosis.members import ClusterLabels
    from clustermark.releases.lasting_ids import relabel_sources

    if ids and run.output is None and not run.asked:
        run.shape = "table"
    if safe and run.shape != "csv":
        raise click.UsageError("--safe is about CSV; leave it out")
    run.safe = safe
    chosen = options.sweep_options(how)
    reading = chosen.pop("reading")
    opened = open_files([file] if like is None else [file, like], reading)
    given = chosen | ({"reading": reading} if reading else {})
    with run.progress(f"matching {' and '.join(map(str, opened))}"):
        labels: list[Any] = [value for text in noise for value in _both_kinds(text)]
        found = relabel_sources(
            *(opened[0], opened[1] if like else None, given),
            new_column=new_column,
            old_column=old_column,
            noise=dict.fromkeys(labels, "drop"),
        )
    sentence = f"{found.headline}{f'; wrote {run.output}' if run.to_file and run.shape != 'html' else ''}"
    return Outcome(found if ids else ClusterLabels(found.label_columns()), remarks=() if run.quiet else (sentence,))


def _both_kinds(text: str) -> list[Any]:
    """Return a label as it was typed: a text, and an integer if it is one."""
    try:
        return [text, int(text)]
    except ValueError:
        return [text]
