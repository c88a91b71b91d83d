"""Documents that are read again: any change of a key is refused, any other change is refused in words or taken."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import clustermark as cm

if TYPE_CHECKING:
    import random

VALUES = [
    None,
    True,
    0,
    -1,
    1,
    2,
    7,
    0.5,
    -1e9,
    1e308,
    float("inf"),
    float("nan"),
    "",
    "x",
    [],
    {},
    [1],
    {"x": 1},
    2**70,
]
FREE = {"version", "notes", "settings"}
"""Facts of a key that are shown and do not enter estimates."""


def places(document: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the path of every value in a document."""
    inside = (
        document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    )
    return [path, *(place for key, value in inside for place in places(value, (*path, key)))]


def change(rng: random.Random, document: Any) -> tuple[Any, ...]:
    """Change, remove or add one value; return its path."""
    place = rng.choice(places(document)[1:])
    holder = document
    for key in place[:-1]:
        holder = holder[key]
    key, how = place[-1], rng.randrange(4)
    if how == 0:
        del holder[key]
    elif how == 1 and isinstance(holder, list):
        holder.append(holder[key])
    elif how == 2 and isinstance(holder, dict):
        holder[f"{key}_"] = holder[key]
    else:
        holder[key] = rng.choice(VALUES)
    return place


def labelings(rng: random.Random, n: int) -> list[list[int]]:
    return [[rng.randrange(4) for _ in range(n)] for _ in range(2)]


def fuzz_key(rng: random.Random) -> None:
    """A changed key of questions is refused, or is the same."""
    before, after = labelings(rng, 12)
    asked = cm.questions(before, after, 10, rng.randrange(5), unit=rng.choice(["pair", "record"]))
    text = asked.to_json()
    document = json.loads(text)
    place = change(rng, document)
    try:
        read = cm.Questions.from_json(json.dumps(document))
    except cm.InputError as error:
        assert len(str(error)) > 20
    else:
        same = read.design == asked.design and read.table == asked.table
        assert same or place[0] in FREE, place


def fuzz_evaluation(rng: random.Random) -> None:
    """A changed evaluation is read or refused in words."""
    document = json.loads(cm.evaluate(*labelings(rng, 9)).to_json())
    for _ in range(rng.choice([1, 1, 3])):
        change(rng, document)
    text = json.dumps(document)
    if rng.random() < 0.2:
        place = rng.randrange(len(text))
        text = text[:place] + rng.choice(["", "[" * 100_000, '"', "\0", "\ud800", text]) + text[place + 1 :]
    try:
        cm.Evaluation.from_json(text)
    except cm.InputError as error:
        assert len(str(error)) > 20


FUZZERS = {"key": fuzz_key, "evaluation": fuzz_evaluation}
