"""The notation of the values of options on a command line, and how they are read."""

from __future__ import annotations

from math import inf, isnan
from typing import TYPE_CHECKING, NamedTuple, get_args

import click

from clustermark.errors import InputError
from clustermark.options import NoisePolicy, WrittenLabel

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from click.shell_completion import CompletionItem

    from clustermark.registry import Index
    from clustermark.uncertainty.interval import Interval

NOISE = "LABEL=POLICY"


def split_names(texts: Iterable[str]) -> list[str]:
    """Return the names in texts such as "jaccard,f_measure(beta=2)"; a comma within brackets does not separate names.

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
    """Return the requested indices: None for the panel, "all", or a list."""
    names = split_names(texts)
    if not names:
        return None
    if "all" in names:
        if len(names) > 1:
            raise InputError("-i all takes no other index: it is every index but those that may draw random tables")
        return "all"
    from clustermark.registry import parse

    return [parse(name) for name in names]


class Threshold(NamedTuple):
    """A value that a score must reach, or must not exceed."""

    wanted: Index[...]
    limit: float
    option: str

    def failure(self, score: float) -> str:
        """Return how the score fails; empty if it does not."""
        if self.option == "--fail-under" and score < self.limit:
            return f"{self.wanted.label} is {score!r}, under {self.limit!r} ({self.option})"
        if self.option == "--fail-over" and score > self.limit:
            return f"{self.wanted.label} is {score!r}, over {self.limit!r} ({self.option})"
        return ""

    def failure_of(self, found: Interval) -> str:
        """Return how an estimate fails: its interval must lie on the good side of the limit; empty if it does not."""
        from clustermark.results.values import decimals_apart

        known = [one for one in (found.low, found.high) if one is not None]
        digits = decimals_apart([found.score, *known], [self.limit])
        text = f"{self.wanted.label} is about {found.score:.{digits}f}"
        if found.low is None or found.high is None:
            why = "; ".join(found.notes) or "no interval can be given"
            return f"{text}, and whether that fails {self.option} {self.limit!r} is not known: {why}"
        worst = found.low if self.option == "--fail-under" else found.high
        side = "under" if self.option == "--fail-under" else "over"
        if not self.failure(worst):
            return ""
        interval = f"[{found.low:.{digits}f}, {found.high:.{digits}f}]"
        return f"{text} {interval}, which may be {side} {self.limit!r} ({self.option})"


def read_thresholds(_: click.Context, parameter: click.Parameter, texts: Sequence[str]) -> list[Threshold]:
    """Return the thresholds in texts such as "adjusted_rand=0.9"; each must be on the worse side of its index."""
    return [_threshold(parameter.opts[0], text) for text in texts]


def _threshold(option: str, text: str) -> Threshold:
    from clustermark.registry import parse

    name, _, limit = text.rpartition("=")
    try:
        threshold = Threshold(parse(name.strip()), float(limit), option)
        if isnan(threshold.limit):
            raise ValueError("NaN cannot be a threshold")
    except ValueError as error:
        if isinstance(error, InputError) and name:
            raise
        raise InputError(f"{option} {text!r} is not an index and a number; write it like adjusted_rand=0.9") from None
    better = threshold.wanted.facts.higher_is_better
    if better is not None and better != (option == "--fail-under"):
        right, word = ("--fail-over", "lower") if option == "--fail-under" else ("--fail-under", "higher")
        raise InputError(f"{option} {text}: for {threshold.wanted.name}, {word} is better; use {right} {text}")
    low, high = threshold.wanted.facts.bounds
    if threshold.limit > high if option == "--fail-under" else threshold.limit < low:
        percent = f"; did you mean {threshold.limit / 100:g}?" if high < threshold.limit <= 100 * high else ""
        raise InputError(
            f"{option} {text}: {threshold.wanted.label} lies in [{low:g}, {high:g}], so this fails always{percent}"
        )
    return threshold


def read_costs(_: click.Context, __: click.Parameter, text: str | None) -> tuple[float, float] | None:
    """Return the costs of a false pair and of a lost pair, from a text such as "5:1"."""
    if text is None:
        return None
    try:
        false_merge, false_split = map(float, text.split(":"))
        if not (0 <= false_merge < inf and 0 <= false_split < inf):
            raise ValueError("no cost")
    except ValueError:
        raise InputError(f"--cost {text!r} must be two costs, such as 5:1 where a false pair costs five") from None
    return false_merge, false_split


def read_noise(_: click.Context, parameter: click.Parameter, texts: Sequence[str]) -> dict[str, str]:
    """Return the labels of noise and their policies, from texts such as "-1=singletons"."""
    noise: dict[str, str] = {}
    policies = get_args(NoisePolicy)
    for text in texts:
        label, equals, policy = text.rpartition("=")
        if not equals or policy not in policies:
            raise InputError(
                f"{parameter.opts[0]} {text!r} must be {NOISE}, such as -1=singletons; the policy is one of "
                f"{', '.join(policies)}"
            )
        if noise.setdefault(WrittenLabel(label), policy) != policy:
            raise InputError(f"{parameter.opts[0]} {label!r} has two policies, {noise[label]} and {policy}; give one")
    return noise


def read_id_columns(_: click.Context, parameter: click.Parameter, texts: Sequence[str]) -> dict[str, str] | None:
    """Return the columns of an id, from texts such as "id", or "id=record" if their names differ between the sides."""
    columns: dict[str, str] = {}
    for text in texts:
        true, equals, pred = text.partition("=")
        if not true or (equals and not pred):
            raise InputError(f"{parameter.opts[0]} {text!r} must be a column, or TRUE=PRED, such as id=record")
        columns[true] = pred or true
    return columns or None


def complete_index(_: click.Context, __: click.Parameter, begun: str) -> list[CompletionItem]:
    """Return the names of indices that begin like this, with their titles."""
    from click.shell_completion import CompletionItem

    from clustermark.registry import catalogue

    head, comma, last = begun.rpartition(",")
    return [
        CompletionItem(head + comma + index.name, help=index.facts.title)
        for index in catalogue("all")
        if index.name.startswith(last)
    ]


def _load_plugins(_: click.Context, parameter: click.Parameter, names: Sequence[str]) -> None:
    if not names:
        return
    from clustermark.registry.plugins import load_plugin

    for name in names:
        try:
            load_plugin(name)
        except InputError as error:
            raise InputError(f"{parameter.opts[0]} {error}") from error


plugins = click.option(
    "--plugin",
    multiple=True,
    metavar="MODULE",
    type=click.Path(),
    is_eager=True,  # -i looks up indices while it is read
    expose_value=False,
    callback=_load_plugins,
    help="Load indices of your own: a module, or the path of a .py file; repeat it for more.",
)
