"""Labels and numbers as people read them: short, harmless, the same in charts and on the page."""

from __future__ import annotations

import re
from contextlib import contextmanager
from contextvars import ContextVar
from math import inf, isnan
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clustermark.diagnosis import Part, Side

# what XML forbids, what has no place in UTF-8, and what would reorder the text around it
_UNPRINTABLE = "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]"
_REORDERING = "[\u202a-\u202e\u2066-\u2069]"
STEERING = "[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]"
"""Beyond ASCII, what a terminal takes for an order, and what reorders the text around it."""
_BREAKS = "[\t\n\r\u2028\u2029]+"


IN_SENTENCES = {"adjusted_rand": "adjusted Rand index"}
"""What an index is called within a sentence; others by their label or title."""


def plain(text: object) -> str:
    """Any object as one line of characters that XML and UTF-8 can hold.

    >>> plain("two\\nlines\\x00")
    'two lines�'
    """
    one_line = re.sub(_REORDERING, "", re.sub(_BREAKS, " ", str(text)))
    return re.sub(_UNPRINTABLE, "\ufffd", one_line)


_THING: ContextVar[str] = ContextVar("thing", default="point")


@contextmanager
def call_points(name: str) -> Iterator[None]:
    """Call a point so in all that is worded within, as "record"."""
    before = _THING.set(name)
    try:
        yield
    finally:
        _THING.reset(before)


def thing() -> str:
    """What a point is called."""
    return _THING.get()


def things() -> str:
    """What points are called."""
    return f"{_THING.get()}s"


def in_words(text: str, **values: Any) -> str:
    """A text of ours with what points are called in place of {thing} and {things}, and with other values.

    >>> in_words("{things} in {n}", n=2)
    'points in 2'
    """
    return text.format(thing=_THING.get(), things=things(), **values)


def things_text(count: float) -> str:
    """So many points, by what they are called.

    >>> things_text(1), things_text(1200)
    ('1 point', '1,200 points')
    """
    return f"{count_text(count)} {_THING.get() if count == 1 else things()}"


def label_text(label: Any, width: int = 120) -> str:
    """A label, cut in the middle to so many characters; a missing or empty one is named in brackets.

    >>> label_text("Saint-Germain-en-Laye", 12), label_text(None), label_text("")
    ('Saint-G…Laye', '(missing)', '(empty)')
    """
    text = "(missing)" if label is None else plain(label)
    text = text if text.strip() else "(empty)"
    if len(text) <= width:
        return text
    end = (width - 1) * 2 // 5  # names of a kind often differ in their ends
    return f"{text[: width - 1 - end]}…{text[len(text) - end :]}"


def lone_ids(parts: Iterable[Part], limit: int = 3) -> str:
    """The ids of points that have a cluster of their own, in brackets; empty where they are not known."""
    ids = [label_text(part.point, 40) for part in parts if part.point is not None]
    return f" ({', '.join(ids[:limit])}{', …' if len(ids) > limit else ''})" if ids else ""


def count_text(count: float) -> str:
    """A number of points or pairs; weights may be fractions.

    >>> count_text(1234567), count_text(2.5), count_text(3.0), count_text(12345.678), count_text(1e-7)
    ('1,234,567', '2.5', '3', '12,345.7', '1e-07')
    """
    if isinstance(count, int):
        return f"{count:,}"
    return f"{count:,.1f}".removesuffix(".0") if 100 <= abs(count) < 1e15 else f"{count:.4g}"


def settings_text(value: object) -> str:
    """The value of a setting.

    >>> settings_text({-1: "drop"}), settings_text({}), settings_text(["true", "pred"]), settings_text(True)
    ('-1: drop', 'none', 'true, pred', 'yes')
    """
    if isinstance(value, dict):
        value = [f"{key}: {item}" for key, item in value.items()]
    if isinstance(value, list | tuple):
        value = ", ".join(map(str, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None or value == "" else plain(value)


def clusters_clash(true_labels: Iterable[Any], pred_labels: Iterable[Any]) -> bool:
    """Whether a name occurs on both sides, so that the side must be said.

    >>> clusters_clash([8, 9], ["8", "x"]), clusters_clash(["a"], [1])
    (True, False)
    """
    return not {label_text(label) for label in true_labels}.isdisjoint(label_text(label) for label in pred_labels)


def cluster_name(label: Any, side: Side, clash: bool, width: int = 120) -> str:
    """What to call a cluster; with its side before it where names occur on both.

    >>> cluster_name(8, "pred", clash=True), cluster_name("Acme", "true", clash=False)
    ('pred 8', 'Acme')
    """
    return f"{side} {label_text(label, width)}" if clash else label_text(label, width)


def score_text(score: float) -> str:
    """A score to four decimals.

    >>> score_text(2 / 3), score_text(float("inf")), score_text(-0.00001), score_text(1234567.8)
    ('0.6667', '∞', '0.0000', '1,234,567.8')
    """
    if isnan(score):
        return "–"
    if score in (inf, -inf):
        return "∞" if score > 0 else "−∞"
    if abs(score) >= 1e5:
        return f"{score:,.1f}" if abs(score) < 1e15 else f"{score:.4g}"
    return f"{score:.4f}".replace("-0.0000", "0.0000").replace("-", "−")


def share_text(share: float) -> str:
    """A share as a percentage that never rounds to all or nothing.

    >>> [share_text(x) for x in (0.0, 1e-9, 0.0123, 0.5, 0.99999, 1.0)]
    ['0%', '<0.1%', '1.2%', '50.0%', '>99.9%', '100%']
    """
    if 0 < share < 0.001:
        return "<0.1%"
    if 0.999 < share < 1:
        return ">99.9%"
    return f"{100 * share:.0f}%" if share in (0, 1) else f"{100 * share:.1f}%"
