"""All formats of values for readers."""

from __future__ import annotations

import re
from math import inf, isfinite, isnan
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from clustermark.results.data import Kind

Medium: TypeAlias = Literal["sentence", "table", "interval", "scores"] | int
"""Place of a number: in a sentence, in a table, beside an interval or another score that it is compared with, or in
the table of scores of an evaluation. An integer is a number of decimals."""

EQUAL = 1e-12
"""A difference of at most this size may be due to rounding."""
_MOST_DECIMALS = 13

TEXTUAL = frozenset({"label", "name", "text", "texts", "flag", "any"})
"""Kinds that are not numbers."""

_DIGITS: dict[Medium, int] = {"sentence": 2, "table": 3, "interval": 4, "scores": 6}
# forbidden in XML, not encodable in UTF-8, or able to reorder the text around it
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_REORDERING = re.compile("[\u202a-\u202e\u2066-\u2069]")
_BREAKS = re.compile("[\t\n\r\u2028\u2029]+")


def value_text(value: Any, kind: Kind, medium: Medium = "table", width: int = 32) -> str:
    """Format a value of a kind for readers; labels are cut to a width, and names, as indices have, to twice that.

    >>> value_text(2 / 3, "score", "sentence"), value_text(2 / 3, "score"), value_text(2 / 3, "score", "interval")
    ('0.67', '0.667', '0.6667')
    >>> value_text(1e-9, "share"), value_text(1e-9, "p"), value_text(1234567, "count"), value_text(True, "flag")
    ('<0.1%', '<0.0001', '1,234,567', 'yes')
    >>> value_text(None, "score"), value_text(None, "label"), value_text(["a", "b"], "texts")
    ('–', '(missing)', 'a; b')
    """
    if kind == "label" or (kind == "name" and value is not None):
        return label_text(value, width if kind == "label" else 2 * width)
    if value is None:
        return "–"
    if isinstance(value, str) and kind not in TEXTUAL:  # a word in place of a number
        return plain(value)
    if kind in ("score", "error"):
        return score_text(float(value), _DIGITS[medium] if isinstance(medium, str) else medium)
    return _WRITERS.get(kind, plain)(value)


def plain(text: object) -> str:
    """Return any object as one line of characters that XML and UTF-8 allow.

    >>> plain("two\\nlines\\x00")
    'two lines�'
    """
    text = str(text)
    if text.isprintable():  # none of the characters below is printable
        return text
    one_line = _REORDERING.sub("", _BREAKS.sub(" ", text))
    return _UNPRINTABLE.sub("\ufffd", one_line)


def label_text(label: Any, width: int = 120) -> str:
    """Format a label, cut in the middle to a width; a missing or empty one is named in brackets.

    >>> label_text("Saint-Germain-en-Laye", 12), label_text(None), label_text("")
    ('Saint-G…Laye', '(missing)', '(empty)')
    """
    text = "(missing)" if label is None else plain(label)
    text = text if text.strip() else "(empty)"
    if len(text) <= width:
        return text
    end = (width - 1) * 2 // 5  # names of the same kind often differ at their ends
    return f"{text[: width - 1 - end]}…{text[len(text) - end :]}"


def label_texts(labels: Iterable[Any], width: int = 120) -> list[str]:
    """Format labels, as `label_text` does."""
    return [label_text(label, width) for label in labels]


def short_label(label: Any) -> str:
    """Return a label for a list or a narrow column."""
    return label_text(label, 32)


def count_text(count: float) -> str:
    """Format a number of points or pairs, or another amount; weights may be fractions.

    >>> count_text(1234567), count_text(2.5), count_text(3.0), count_text(12345.678), count_text(1e-7)
    ('1,234,567', '2.5', '3', '12,345.7', '1e-07')
    """
    if isinstance(count, int):
        return f"{count:,}"
    if isnan(count):
        return "–"
    if count in (inf, -inf):
        return "∞" if count > 0 else "-∞"
    return f"{count:,.1f}".removesuffix(".0") if 100 <= abs(count) < 1e15 else f"{count:.4g}"


def quantity(n: int, noun: str) -> str:
    """Format a number of things.

    >>> quantity(1, "point"), quantity(1200, "point")
    ('1 point', '1,200 points')
    """
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def number_text(number: float) -> str:
    """Format a number with up to six significant digits.

    >>> number_text(0.123456789), number_text(float("-inf")), number_text(12)
    ('0.123457', '-∞', '12')
    """
    return f"{number:.6g}".replace("inf", "∞").replace("nan", "–")


def threshold_text(threshold: float) -> str:
    """Format a threshold with the fewest digits that are read as the same number, so that it can be given again.

    >>> threshold_text(0.67), threshold_text(0.999999998661838), threshold_text(12.0), threshold_text(float("inf"))
    ('0.67', '0.999999998661838', '12', 'inf')
    """
    return repr(float(threshold)).removesuffix(".0")


def score_text(score: float, digits: int = 4) -> str:
    """Format a score with this many decimals; a large one as an amount.

    >>> score_text(2 / 3), score_text(float("inf")), score_text(-0.00001), score_text(1234567.8)
    ('0.6667', '∞', '0.0000', '1,234,567.8')
    """
    if isnan(score) or score in (inf, -inf) or abs(score) >= 1e5:
        return count_text(float(score))
    text = f"{score:.{digits}f}"
    return text.removeprefix("-") if not text.strip("-0.") else text


def decimals_apart(numbers: Iterable[float], edges: Iterable[float] = (0.0,), fewest: int = 4) -> int:
    """Return how many decimals show on which side of each edge a number lies, at least `fewest`.

    A number within 1e-12 of an edge is on it; an infinite or undefined one needs no decimals.

    >>> decimals_apart([0.1, -0.00002]), decimals_apart([0.1, 0.0]), decimals_apart([-0.0601], [-0.06], 2)
    (5, 4, 4)
    """
    edges = tuple(edges)
    apart = [(x, edge) for x in numbers if isfinite(x) for edge in edges if abs(x - edge) > EQUAL]

    def shows(digits: int) -> bool:
        moved = [(x - edge, round(x, digits) - edge) for x, edge in apart]
        return all(abs(rounded) > EQUAL and (exact > 0) == (rounded > 0) for exact, rounded in moved)

    return next((digits for digits in range(fewest, _MOST_DECIMALS) if shows(digits)), _MOST_DECIMALS)


def share_text(share: float) -> str:
    """Format a share as a percentage that is never rounded to 0% or 100%.

    >>> [share_text(x) for x in (0.0, 1e-9, 0.0123, 0.5, 0.99999, 1.0)]
    ['0%', '<0.1%', '1.2%', '50.0%', '>99.9%', '100%']
    """
    if 0 < share < 0.001:
        return "<0.1%"
    if 0.999 < share < 1:
        return ">99.9%"
    return f"{100 * share:.0f}%" if share in (0, 1) else f"{100 * share:.1f}%"


def settings_text(value: object) -> str:
    """Format the value of a setting.

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


def _p_text(p: float) -> str:
    return "<0.0001" if p < 1e-4 else f"{p:.4f}"


_WRITERS: dict[str, Callable[[Any], str]] = {
    "texts": lambda texts: plain("; ".join(map(str, texts))),
    "flag": lambda flag: "yes" if flag else "no",
    "count": count_text,
    "amount": count_text,
    "number": number_text,
    "threshold": threshold_text,
    "share": share_text,
    "p": _p_text,
    "any": settings_text,
}
