"""The options that commands share, and how their values are read."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from clustermark.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from click.shell_completion import CompletionItem

    from clustermark.registry import Index

FORMATS_BY_SUFFIX = {".json": "json", ".csv": "csv", ".md": "markdown", ".tex": "latex"}
INPUT_FORMATS = ("csv", "tsv", "parquet", "jsonl", "arrow")
NOISE_POLICIES = ("cluster", "singletons", "drop", "unscored")


def split_names(texts: Iterable[str]) -> list[str]:
    """The names in texts such as "jaccard,f_measure(beta=2)"; a comma within brackets does not part them.

    >>> split_names(["jaccard,f_measure(beta=2)", "rand"])
    ['jaccard', 'f_measure(beta=2)', 'rand']
    """
    names = []
    for text in texts:
        depth, start = 0, 0
        for place, mark in enumerate(text):
            depth += (mark == "(") - (mark == ")")
            if mark == "," and depth == 0:
                names.append(text[start:place])
                start = place + 1
        names.append(text[start:])
    return [name.strip() for name in names if name.strip()]


def read_indices(_: click.Context, __: click.Parameter, texts: Sequence[str]) -> list[Index[...]] | str | None:
    """The indices asked for: None for the panel, "all", or a list."""
    names = split_names(texts)
    if not names:
        return None
    if "all" in names:
        if len(names) > 1:
            raise InputError("-i all stands alone: it has every index but those that may have to draw random tables")
        return "all"
    from clustermark.registry import parse

    return [parse(name) for name in names]


class Threshold(NamedTuple):
    """What a score must reach, or must not exceed."""

    wanted: Index[...]
    limit: float
    option: str

    def failure(self, score: float) -> str:
        """How the score fails; empty where it does not."""
        if self.option == "--fail-under" and score < self.limit:
            return f"{self.wanted.label} is {score!r}, under {self.limit!r} ({self.option})"
        if self.option == "--fail-over" and score > self.limit:
            return f"{self.wanted.label} is {score!r}, over {self.limit!r} ({self.option})"
        return ""


def read_thresholds(_: click.Context, parameter: click.Parameter, texts: Sequence[str]) -> list[Threshold]:
    """The thresholds in texts such as "adjusted_rand=0.9"; each must look the way in which its index gets worse."""
    return [_threshold(parameter.opts[0], text) for text in texts]


def _threshold(option: str, text: str) -> Threshold:
    from clustermark.registry import parse

    name, _, limit = text.rpartition("=")
    try:
        threshold = Threshold(parse(name.strip()), float(limit), option)
        if isnan(threshold.limit):
            raise ValueError("nothing is under or over NaN")
    except ValueError as error:
        if isinstance(error, InputError) and name:
            raise
        raise InputError(f"{option} {text!r} is not an index and a number; write it like adjusted_rand=0.9") from None
    better = threshold.wanted.facts.higher_is_better
    if better is not None and better != (option == "--fail-under"):
        right, word = ("--fail-over", "lower") if option == "--fail-under" else ("--fail-under", "higher")
        raise InputError(f"{option} {text}: of {threshold.wanted.name} {word} is better; use {right} {text}")
    return threshold


def read_noise(_: click.Context, parameter: click.Parameter, texts: Sequence[str]) -> dict[str, str]:
    """The labels of noise and their policies, from texts such as "-1=singletons"."""
    noise = {}
    for text in texts:
        label, equals, policy = text.rpartition("=")
        if not equals or policy not in NOISE_POLICIES:
            raise InputError(
                f"{parameter.opts[0]} {text!r} must be LABEL=POLICY, such as -1=singletons; "
                f"the policy is one of {', '.join(NOISE_POLICIES)}"
            )
        noise[label] = policy
    return noise


def complete_index(_: click.Context, __: click.Parameter, begun: str) -> list[CompletionItem]:
    """The names of indices that begin like this, with their titles."""
    from click.shell_completion import CompletionItem

    from clustermark.registry import catalogue

    head, comma, last = begun.rpartition(",")
    return [
        CompletionItem(head + comma + index.name, help=index.facts.title)
        for index in catalogue()
        if index.name.startswith(last)
    ]


def _together(*options: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def dress(command: Any) -> Any:
        for option in reversed(options):
            command = option(command)
        return command

    return dress


compared = _together(
    click.argument("sources", nargs=-1, required=True, metavar="FILE [PRED]"),
    click.option("--true", metavar="COL", help="The column with the true labels."),
    click.option("--pred", metavar="COL", help="The column with the predicted labels."),
    click.option("--on", metavar="COL", help="The column with the ids by which two files are joined."),
    click.option(
        "--pairs",
        type=click.Choice(["true", "pred", "both"]),
        help="This side is a list of pairs of ids that belong together, closed transitively.",
    ),
    click.option("--weights", metavar="COL", help="The column with the importance of each row, a number >= 0."),
    click.option("--counts", metavar="COL", help="The column that says how many points a row stands for."),
    click.option(
        "--noise",
        multiple=True,
        metavar="LABEL=POLICY",
        callback=read_noise,
        help="What becomes of a noise label, on both sides: cluster, singletons, drop, or unscored (prediction only).",
    ),
    click.option("--noise-true", multiple=True, metavar="LABEL=POLICY", callback=read_noise, help="In the truth only."),
    click.option(
        "--noise-pred", multiple=True, metavar="LABEL=POLICY", callback=read_noise, help="In the prediction only."
    ),
    click.option(
        "--missing",
        type=click.Choice(["error", "drop", "cluster", "singletons"]),
        default="error",
        show_default=True,
        help="What becomes of rows without a label.",
    ),
    click.option(
        "--unmatched",
        type=click.Choice(["error", "drop", "singletons", "keep"]),
        default="error",
        show_default=True,
        help="What becomes of ids that one side lacks.",
    ),
    click.option(
        "--input-format",
        type=click.Choice(INPUT_FORMATS),
        help="The format of files whose names do not tell it, and of standard input where it cannot be seen.",
    ),
    click.option("--delimiter", metavar="CHAR", help="What parts the fields of a CSV file, where we guess it wrong."),
    click.option("--encoding", metavar="NAME", help="The encoding of a CSV file, such as latin-1.  [default: utf-8]"),
    click.option("--no-header", is_flag=True, help="The first line is data; columns are column0, column1, …"),
    click.option("--memory", metavar="SIZE", help="How much memory the engine may use, such as 4GB."),
    click.option("--temporary", metavar="FOLDER", help="Where the engine may put what does not fit into memory."),
    click.option("--max-cells", type=click.IntRange(min=1), metavar="N", help="Hold at most so many cells in memory."),
    click.option("--threads", type=click.IntRange(min=1), metavar="N", help="How many threads to use."),
    click.option(
        "--engine",
        type=click.Choice(["duckdb", "polars", "datafusion", "spark"]),
        help="The engine that reads the files.  [default: duckdb]",
    ),
    click.option("--master", metavar="URL", help="Where Spark runs, such as local[2] or spark://host:7077."),
    click.option(
        "--push-down/--no-push-down",
        default=None,
        help="Whether cells stay in the engine.  [default: if they are many]",
    ),
    click.option("-q", "--quiet", is_flag=True, help="Say nothing on standard error but mistakes."),
)
"""What to compare with what, and how: for every command that reads files."""

chosen_indices = click.option(
    "-i",
    "--index",
    "indices",
    multiple=True,
    metavar="NAME",
    callback=read_indices,
    shell_complete=complete_index,
    help="An index, such as jaccard or 'f_measure(beta=2)'; repeat it for more, or say all.  [default: the panel]",
)
written = _together(
    click.option(
        "-o", "--output", type=click.Path(dir_okay=False), metavar="FILE", help="Write to this file, which is new."
    ),
    click.option("--force", is_flag=True, help="Overwrite the output if it exists."),
)
thresholds = _together(
    click.option(
        "--fail-under",
        multiple=True,
        metavar="NAME=X",
        callback=read_thresholds,
        help="Exit with 1 if this score is under X; for indices of which higher is better.",
    ),
    click.option(
        "--fail-over",
        multiple=True,
        metavar="NAME=X",
        callback=read_thresholds,
        help="Exit with 1 if this score is over X; for indices of which lower is better.",
    ),
)


def formats(*offered: str) -> Callable[[Any], Any]:
    """The option --format with these choices; by default what the name of the output says, else a table."""
    return click.option(
        "-f",
        "--format",
        "shape",
        type=click.Choice(offered),
        help="How to write the result.  [default: what the name of the output says, else table]",
    )
