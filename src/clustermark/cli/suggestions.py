"""What somebody meant by an option that a command does not have."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Sequence

_OTHER_WORDS = {
    "--true": "truth gold reference y-true true-labels label labels",
    "--pred": "prediction predicted predictions y-pred pred-labels",
    "--on": "id ids key join by",
    "--index": "metric metrics measure measures score indices",
    "--output": "out outfile save write",
    "--force": "overwrite",
    "--delimiter": "sep separator",
    "--weights": "weight",
    "--counts": "count n",
    "--temporary": "tmp temp tmpdir temp-dir",
    "--threads": "cores jobs workers",
    "-k": "top limit",
    "--fail-under": "min minimum at-least threshold",
    "--fail-over": "max maximum at-most",
    "--quiet": "silent",
    "--explain": "sql dry-run",
}
"""What other programs, or other people, call our options."""


def suggest(unknown: str, parameters: Sequence[click.Parameter]) -> list[str]:
    """The options of a command that mean what an unknown one says: by a value, by another word, or by its letters."""
    from difflib import get_close_matches

    word = unknown.lstrip("-").replace("_", "-").lower()
    meanings = _meanings([one for one in parameters if isinstance(one, click.Option) and not one.hidden])
    if word in meanings:
        return meanings[word]
    close = get_close_matches(word, meanings, n=2, cutoff=0.7)
    return list(dict.fromkeys(meant for one in close for meant in meanings[one]))


def _meanings(options: Sequence[click.Option]) -> dict[str, list[str]]:
    """What a word can mean as an option."""
    meanings: dict[str, list[str]] = {}
    flags = {flag for one in options for flag in (*one.opts, *one.secondary_opts)}
    for one in options:
        for value in one.type.choices if isinstance(one.type, click.Choice) else ():
            meanings.setdefault(str(value), []).append(f"{max(one.opts, key=len)} {value}")
    for flag, words in _OTHER_WORDS.items():
        for word in words.split() if flag in flags else ():
            meanings.setdefault(word, [flag])
    for flag in flags:
        meanings.setdefault(flag.lstrip("-"), [flag])
    return meanings
