"""The options that commands share, and the functions that read their values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

import click

from clustermark.cli.parsing import (
    NOISE,
    complete_index,
    plugins,
    read_id_columns,
    read_indices,
    read_noise,
    read_thresholds,
)
from clustermark.options import (
    COMPARED,
    ID_COLUMNS,
    POLICIES,
    declared_options,
    default_text,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from clustermark.options import Declared

OUTPUT = "Output"
"""The heading of options without another one."""
FORMATS = {
    ".txt": "table",
    ".json": "json",
    ".csv": "csv",
    ".md": "markdown",
    ".tex": "latex",
    ".html": "html",
    ".htm": "html",
}
"""The formats by the ending of a file name."""


class GroupedOption(click.Option):
    """An option with the heading under which help lists it."""

    def __init__(self, *arguments: Any, group: str = OUTPUT, **details: Any) -> None:
        super().__init__(*arguments, **details)
        self.group = group


def option(*names: str, **details: Any) -> Callable[[Any], Any]:
    """Return an option of a command."""
    return click.option(*names, cls=GroupedOption, **details)


SHARE = click.FloatRange(0, 1, min_open=True, max_open=True)
"""A number between 0 and 1, without these."""
POSITIVE = click.FloatRange(min=0, min_open=True)


def level_option(about: str) -> Callable[[Any], Any]:
    """Return the option --level, which is about this."""
    return option("--level", type=SHARE, default=0.95, show_default=True, help=about)


def _together(*options: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def dress(command: Any) -> Any:
        for one in reversed(options):
            command = one(command)
        return command

    return dress


quiet = option("-q", "--quiet", is_flag=True, help="Print nothing on standard error except errors.")


def _offer(one: Declared) -> Callable[[Any], Any]:
    """Return the option of the command line for an option of the table."""
    kinds = {one.type, *get_args(one.type)}
    details: dict[str, Any] = {"metavar": one.option.value or None}
    if one.choices:
        details |= {"type": click.Choice(one.choices)}
    elif int in kinds:
        details |= {"type": click.IntRange(min=1)}
    elif float in kinds:
        details |= {"type": float}
    elif one.option.value == NOISE:
        details |= {"multiple": True, "callback": read_noise}
    elif one.option.value == ID_COLUMNS:
        details |= {"multiple": True, "callback": read_id_columns}
    meaning, default = one.option.meaning, default_text(one.option)
    details["help"] = f"{meaning[:1].upper()}{meaning[1:]}." + (f"  [default: {default}]" if default else "")
    return option("/".join(one.flags), default=None, group=one.option.group, **details)


def table_options(given: dict[str, Any]) -> dict[str, Any]:
    """Remove the options of the table from those of a command, and return them; reading options are under `reading`."""
    taken: dict[str, Any] = {}
    for one in declared_options().values():
        if one.flags:
            taken[one.name] = given.pop(one.name, None)
        for key, part in one.parts.items():
            value = given.pop(part.flags[0].strip("-").replace("-", "_"), None) if part.flags else None
            if value is not None:
                taken.setdefault(one.name, {})[key] = value
    return taken


def offer_all(*, without: Sequence[str] = (), only: Sequence[str] = ()) -> Callable[[Any], Any]:
    """Return a decorator that adds options of the table to a command: all, all without some, or only some."""

    def dress(command: Any) -> Any:
        offered = []
        for one in declared_options().values():
            if one.name not in without and (not only or one.name in only):
                offered += [_offer(part) for part in (one, *one.parts.values()) if part.flags]
        return _together(*offered)(command)

    return dress


def _offer_noise(group: str, text: str = "What becomes of a noise label: cluster, singletons or drop.") -> Any:
    return option("--noise", multiple=True, metavar=NOISE, callback=read_noise, group=group, help=text)


compared = _together(
    click.argument("sources", nargs=-1, required=True, metavar="FILE [PRED]", type=click.Path()),
    offer_all(),
)
"""The inputs of a comparison: for every command that reads files."""

_COLUMN: dict[str, Any] = {"metavar": "COL", "group": COMPARED}
_ONE_SOURCE = ("pred", "on", "pairs", "push_down", "unmatched")
planned_columns = _together(
    option("--pred", multiple=True, **_COLUMN, help="A column with predicted labels; repeat it for each prediction."),
    offer_all(without=("pred", "push_down")),
)
"""The options of `compared_columns`, for a command that can do without files."""
compared_columns = _together(
    click.argument("sources", nargs=-1, required=True, metavar="FILE [PRED]...", type=click.Path()),
    planned_columns,
)
"""A truth and several predictions: columns of one file, or separate files."""
related_columns = _together(
    click.argument("file", metavar="FILE"),
    option("--pred", multiple=True, **_COLUMN, help="A column with labels; repeat it for each labeling."),
    offer_all(without=(*_ONE_SOURCE, "true", "noise_true", "noise_pred")),
)
"""Several columns of labels of one file, none of which is the truth."""

_SWEPT = ("true", "on", "counts", "weights", "noise", "noise_true", "missing", "unmatched", "reading", "engine")
swept = _together(
    click.argument("sources", nargs=2, required=True, metavar="TRUTH PAIRS"),
    offer_all(only=_SWEPT),
)
"""The inputs of a sweep: a truth and a list of scored pairs."""


clustered_points = _together(
    click.argument("file", metavar="FILE"),
    option("--labels", required=True, **_COLUMN, help="The column with the cluster of each point."),
    option(
        "--features",
        multiple=True,
        metavar="COL",
        group=COMPARED,
        help="A column with numbers, or a pattern such as 'x*'; repeat it for more.  [default: all but the labels]",
    ),
    offer_all(only=("missing", "reading", "engine", "memory", "temporary")),
    _offer_noise(COMPARED),
)
"""The points and the labels of a file."""


described_records = _together(
    click.argument("file", metavar="FILE"),
    option("--labels", required=True, **_COLUMN, help="The column with the cluster of each record."),
    option(
        "--column",
        "columns",
        multiple=True,
        metavar="COL",
        group=COMPARED,
        help="A column to look at; repeat it for more.  [default: all but the labels]",
    ),
    option("--counts", **_COLUMN, help="The column that says how many records a row stands for."),
    offer_all(only=("missing", "reading", "engine")),
    _offer_noise(POLICIES),
)
"""The records of a file and their clusters."""


def sweep_options(given: dict[str, Any]) -> dict[str, Any]:
    """Convert the options of `swept`, `clustered_points` or `described_records` to those of the library functions."""
    reading = declared_options()["reading"].parts
    flags = {part.flags[0].strip("-").replace("-", "_"): key for key, part in reading.items()}
    chosen = {key: given.pop(flag) for flag, key in flags.items()}
    told = {name: value for name, value in given.items() if value not in (None, {})}
    return told | {"reading": {key: value for key, value in chosen.items() if value is not None}}


chosen_indices = _together(
    plugins,
    option(
        "-i",
        "--index",
        "indices",
        multiple=True,
        metavar="NAME",
        callback=read_indices,
        shell_complete=complete_index,
        help="An index, such as jaccard or 'f_measure(beta=2)'; repeat it for more, or say all.  [default: the panel]",
    ),
)
written = _together(
    option("-o", "--output", type=click.Path(dir_okay=False), metavar="FILE", help="Write to this new file."),
    option("--force", is_flag=True, help="Overwrite the output if it exists."),
)
safe = option(
    "--safe",
    is_flag=True,
    help="Put an apostrophe before ids and labels that a spreadsheet would run as formulas.  [default: they stay as "
    "they are, for programs that join them by id]",
)


def read_shown(_: click.Context, __: click.Parameter, texts: Sequence[str]) -> list[str] | None:
    """Return the columns in texts such as "name,city"; a name with a comma is quoted as in CSV."""
    import csv

    return [name for row in csv.reader(texts) for name in row if name] or None


shown = _together(
    option("--records", metavar="FILE", group=COMPARED, help="The file with the records to show beside ids."),
    option(
        "--show",
        multiple=True,
        metavar="COL",
        group=COMPARED,
        callback=read_shown,
        help="A column of the records to show, or several as name,city.  [default: all of --records]",
    ),
)


def take_records(given: dict[str, Any]) -> dict[str, Any]:
    """Remove the options of `shown` from those of a command, and return those of `splits`; empty if none was given."""
    taken = {name: given.pop(name) for name in ("records", "show")}
    return {} if taken == {"records": None, "show": None} else taken


_SURE: dict[str, Any] = {"group": "How sure", "default": None}
sampled = _together(
    option(
        "--unit",
        type=click.Choice(["point", "component"]),
        **_SURE,
        help="What was sampled: points, or clusters with all that they share points with.  "
        "[default: point; to compare: component if most clusters hold five points or fewer]",
    ),
    option(
        "--groups",
        metavar="COL",
        multiple=True,
        group="How sure",
        help="What was sampled: the groups of rows in this column, such as documents or patients; repeat it where two "
        "were, such as documents and annotators.",
    ),
    option(
        "--level",
        type=SHARE,
        **_SURE,
        help="The level of intervals and tests.  [default: 0.95]",
    ),
)
"""The sampling unit of intervals, and their level."""
interval_kind = _together(
    option(
        "--target",
        type=click.Choice(["sample", "population"]),
        **_SURE,
        help="Target of intervals: samples of this size, or the population of all points.  [default: sample]",
    ),
    option(
        "--method",
        type=click.Choice(["jackknife", "half-sampling", "bootstrap"]),
        **_SURE,
        help="How intervals are made.  [default: jackknife]",
    ),
)
"""The target and the method of intervals."""
intervals = _together(
    option(
        "--intervals",
        is_flag=True,
        group="How sure",
        help="An interval around each score; implied by the other options of intervals. `coverage` checks how often "
        "they hold.",
    ),
    sampled,
    interval_kind,
    option(
        "--simultaneous",
        is_flag=True,
        default=None,
        group="How sure",
        help="Intervals that hold all at once at the level, and not each for itself.",
    ),
    option(
        "--draws",
        type=click.IntRange(min=20),
        **_SURE,
        metavar="N",
        help="The number of random samples, for the last two methods.",
    ),
    option(
        "--seed",
        type=click.IntRange(min=0),
        **_SURE,
        metavar="N",
        help="The seed of the random samples.  [default: 0]",
    ),
)


def sampling_options(given: dict[str, Any]) -> dict[str, Any]:
    """Remove the options of `sampled` from those of a command, and return those that were given, as for intervals."""
    chosen = {name: given.pop(name) for name in ("unit", "groups", "level")}
    if chosen["unit"] and chosen["groups"]:
        raise click.UsageError("--unit and --groups both say what was sampled; give one of them")
    given_groups = chosen.pop("groups")  # one column, or one for each time that the option is given
    groups = [given_groups] if isinstance(given_groups, str) else list(given_groups or ())
    if len(groups) > 2:
        raise click.UsageError(f"--groups was given {len(groups)} times; at most two groupings are crossed")
    for name in groups:
        if name in ("point", "component"):
            raise click.UsageError(f"--groups {name}: a column of this name is taken for --unit; rename it")
    if groups:
        chosen["unit"] = groups if len(groups) > 1 else groups[0]
    return {name: value for name, value in chosen.items() if value is not None}


def interval_options(given: dict[str, Any]) -> dict[str, Any] | bool:
    """Return the same for the options of `intervals`: False without intervals, otherwise True or their options."""
    chosen = sampling_options(given)
    asked = given.pop("intervals")
    more = {name: given.pop(name) for name in ("target", "method", "draws", "seed", "simultaneous")}
    return chosen | {name: value for name, value in more.items() if value is not None} or asked


thresholds = _together(
    option(
        "--fail-under",
        multiple=True,
        metavar="NAME=X",
        callback=read_thresholds,
        help="Exit with 1 if this score is under X; for indices where higher is better.",
    ),
    option(
        "--fail-over",
        multiple=True,
        metavar="NAME=X",
        callback=read_thresholds,
        help="Exit with 1 if this score is over X; for indices where lower is better.",
    ),
)


shown_thresholds = _together(
    option(
        "--fail-under",
        multiple=True,
        metavar="NAME=X",
        callback=read_thresholds,
        help="Exit with 1 unless the interval of this score lies at X or above; for indices where higher is better.",
    ),
    option(
        "--fail-over",
        multiple=True,
        metavar="NAME=X",
        callback=read_thresholds,
        help="Exit with 1 unless the interval of this score lies at X or below; for indices where lower is better.",
    ),
)
"""The same for scores that are estimated: an uncertain one fails."""


def formats(*offered: str) -> Callable[[Any], Any]:
    """Return the option --format with these choices, and --output, whose name determines the default format."""
    return _together(
        option(
            "-f",
            "--format",
            "shape",
            type=click.Choice(offered),
            help="How to write the result.  [default: by the name of the output, else table]",
        ),
        written,
    )
