"""Questions on two files, and what answers to them say, in the format asked for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from clustermark.cli import spell
from clustermark.cli.formats import render
from clustermark.cli.input import BEFORE_AND_AFTER, open_files, tell_guesses
from clustermark.cli.layout import Column, paragraph, table
from clustermark.cli.options import table_options
from clustermark.cli.progress import show_progress
from clustermark.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clustermark.releases.judgements.judgement_results import Judgements
    from clustermark.releases.judgements.questionnaire import Questions


def ask_files(files: Sequence[str], *, quiet: bool, asked: dict[str, Any], **options: Any) -> Questions:
    """The questions that the options of the command line ask for."""
    from clustermark.releases.judgements.asking import questions

    asked |= {name: options.pop(name) for name in ("old", "new")}
    chosen = table_options(options)
    if options:  # as with all commands: nobody would read it
        raise TypeError(f"no option of the table: {', '.join(options)}; name it among the parameters of the command")
    sources = open_files(files, chosen.setdefault("reading", {}))
    given: dict[str, Any] = asked | {name: value for name, value in chosen.items() if value not in (None, {})}
    with show_progress(f"reading {' and '.join(map(str, sources))}", quiet) as tell:
        given |= {"progress": tell} if tell is not None else {}
        asking = questions(sources[0], sources[1] if len(sources) == 2 else None, **given)
    if not quiet:
        tell_guesses(asking.record.settings, BEFORE_AND_AFTER)
    return asking


def key_beside(output: str) -> str:
    """The name of the key, if nobody gave one.

    >>> key_beside("round 2/sheet.html")
    'round 2/sheet.key.json'
    """
    return str(Path(output).with_suffix(".key.json"))


def judgements_as(shape: str, found: Judgements, *, title: str | None, to_terminal: bool) -> str:
    """The text to deliver."""
    if shape == "html":
        return found.report(title)
    if shape != "table":
        return render(shape, found, safe=False)
    columns = [Column("", style="cyan"), Column("estimate", style="bold"), Column("interval"), Column("")]
    rows = [tuple(line) for line in found.lines()]
    notes = [paragraph(line, to_terminal=to_terminal) for line in found.remarks(spell)]
    return "\n".join([found.title, "", table(columns, rows, to_terminal=to_terminal), *notes, ""])


def decide(found: Judgements, index: str, margin: float) -> tuple[bool, str]:
    """Whether it is sure that an index is not worse by more than a margin, and the sentence that says so."""
    from clustermark.releases.judgements.judgement_results import ROUNDED, describe

    estimate = found[index]
    if estimate.scale != "change":
        raise InputError(
            f"--fail-on-worse {index}: this is no change of an index; choose {found.questions.design.index}"
        )
    span = " ".join(describe(estimate)[1:])
    edge = -margin - ROUNDED
    passed = estimate.low >= edge
    sure = "is not worse" if passed else "is worse" if estimate.high < edge else "may be worse"
    return passed, f"{index} {sure} by more than {100 * margin:.1f} points: {span} (--fail-on-worse)"
