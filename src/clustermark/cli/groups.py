"""The command that says who suffers: quality by cluster size, by columns of the records, and subgroups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from clustermark.cli import options
from clustermark.cli.helpful import Command
from clustermark.cli.output import deliver, format_of, is_terminal, refuse_overwriting
from clustermark.cli.plugins import plugins
from clustermark.cli.terminal import suit_output
from clustermark.options import COMPARED

if TYPE_CHECKING:
    from clustermark.diagnosis import Side
    from clustermark.diagnosis.quality import GroupTable
    from clustermark.diagnosis.subgroups import Subgroups
    from clustermark.evaluation.partitions import Evaluation

_COLUMN: dict[str, Any] = {"metavar": "COL", "group": COMPARED}


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  clustermark groups data.csv --true label --pred cluster
  clustermark groups truth.csv pred.csv --on id --by city --records people.csv
  clustermark groups truth.csv pred.csv --on id --by city --by name --records people.csv -o groups.csv
  clustermark groups truth.csv pred.csv --on id --find --records people.csv --seed 7""",
)
@options.compared
@plugins
@options.option(
    "--by",
    multiple=True,
    **_COLUMN,
    help="A column of the records; repeat it for groups of several together.  [default: the size of the cluster]",
)
@options.option("--records", metavar="FILE", group=COMPARED, help="The file that has these columns, with the ids.")
@options.option("--records-id", **_COLUMN, help="The column of ids in that file.  [default: that of --on, or id]")
@options.option("--side", type=click.Choice(["true", "pred"]), help="Whose size counts.  [default: true]")
@options.option(
    "--find",
    is_flag=True,
    help="Find groups that suffer more than the rest on one half of the clusters, and confirm them on the other.",
)
@options.option(
    "-k", type=click.IntRange(min=1), default=None, metavar="N", help="With --find: groups at most.  [default: 5]"
)
@options.option(
    "--seed", type=click.IntRange(min=0), default=None, metavar="N", help="With --find: of the halves.  [default: 0]"
)
@options.option(
    "--bins",
    type=click.IntRange(min=0, max=1000),
    default=5,
    show_default=True,
    metavar="N",
    help="In how many bins numbers come, if a column has more than 12 different ones; 0 for none.",
)
@options.option(
    "--level",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="Of intervals and tests.",
)
@options.formats("table", "json", "csv")
def groups(
    sources: tuple[str, ...],
    by: tuple[str, ...],
    records: str | None,
    records_id: str | None,
    side: Side | None,
    find: bool,
    k: int | None,
    seed: int | None,
    bins: int,
    level: float,
    shape: str | None,
    output: str | None,
    force: bool,
    **how: Any,
) -> None:
    """Who suffers: the quality of a prediction by the size of clusters, or by columns of the records.

    A point counts with all its partners, those of other groups too; precision and recall are those of its pairs, B³ F
    is the harmonic mean of B-cubed precision and recall.
    """
    from clustermark.cli.input import evaluate_files

    if side and (by or find):
        raise click.UsageError("--side says whose size makes the groups; leave it out, or --by and --find")
    if not find and (k, seed) != (None, None):
        raise click.UsageError("-k and --seed are for --find; leave them out, or give that")
    if not (by or find) and (records or records_id):
        raise click.UsageError("--records has columns; name them by --by, or look for groups by --find")
    refuse_overwriting(output, force)
    shape = format_of(shape, output)
    evaluation = evaluate_files(sources, [], **how)
    asked: dict[str, Any] = {"records": records, "on": records_id, "bins": bins, "level": level}
    found: GroupTable | Subgroups
    if find:
        found = evaluation.subgroups(list(by) or None, k=k or 5, seed=seed or 0, **asked)
    elif by:
        found = evaluation.by(list(by), **asked)
    else:
        found = evaluation.by_size(side or "true", level=level)
    safe = output not in (None, "-")
    deliver(_groups_as(shape, evaluation, found, safe=safe, to_terminal=is_terminal(output)), output, shape)


def _groups_as(
    shape: str, evaluation: Evaluation, found: GroupTable | Subgroups, *, safe: bool, to_terminal: bool
) -> str:
    from clustermark.cli.layout import Column, table
    from clustermark.cli.scores import head_text
    from clustermark.diagnosis.quality import GroupTable
    from clustermark.report.record import groups_document
    from clustermark.results.json import json_text

    if shape == "csv":
        return found.to_csv(safe=safe)
    if shape == "json":
        both = (found, None) if isinstance(found, GroupTable) else (None, found)
        return json_text(groups_document(evaluation.record, *both), indent=2)
    sheet = found.sheet()
    head = f"{head_text(evaluation.record, to_terminal=to_terminal)}\n{suit_output(sheet.caption)}\n"
    notes = "".join(f"{suit_output(note)}\n" for note in sheet.notes)
    if not sheet.lines:
        return head + notes
    columns = [
        Column(title, "right" if place else "left", folds=not place) for place, title in enumerate(sheet.lines[0])
    ]
    return head + table(columns, sheet.lines[1:], to_terminal=to_terminal) + notes
