"""Labels and numbers as people read them: short, safe, and the same in charts and on the page."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from math import inf, isnan
from typing import TYPE_CHECKING, Any

from clustermark.results.values import count_text, label_text, label_texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clustermark.diagnosis import Side

IN_SENTENCES = {"adjusted_rand": "adjusted Rand index"}
"""Name of an index within a sentence; other indices are called by their label or title."""


_THING: ContextVar[str] = ContextVar("thing", default="point")


@contextmanager
def call_points(name: str) -> Iterator[None]:
    """Use this name, such as "record", for a point in all texts made within the context."""
    before = _THING.set(name)
    try:
        yield
    finally:
        _THING.reset(before)


def thing() -> str:
    """Return the name of a point."""
    return _THING.get()


def things() -> str:
    """Return the plural of the name of a point."""
    return f"{_THING.get()}s"


def in_words(text: str, **values: Any) -> str:
    """Fill in a text: the name of points for {thing} and {things}, and other values.

    >>> in_words("{things} in {n}", n=2)
    'points in 2'
    """
    return text.format(thing=_THING.get(), things=things(), **values)


def things_text(count: float) -> str:
    """Return a number of points with their name.

    >>> things_text(1), things_text(1200)
    ('1 point', '1,200 points')
    """
    return f"{count_text(count)} {_THING.get() if count == 1 else things()}"


def clusters_clash(true_labels: Iterable[Any], pred_labels: Iterable[Any]) -> bool:
    """Return whether a name occurs on both sides, so that texts must name the side.

    >>> clusters_clash([8, 9], ["8", "x"]), clusters_clash(["a"], [1])
    (True, False)
    """
    return not set(label_texts(true_labels)).isdisjoint(label_texts(pred_labels))


def cluster_name(label: Any, side: Side, clash: bool, width: int = 120) -> str:
    """Return the name of a cluster, preceded by its side if names clash.

    >>> cluster_name(8, "pred", clash=True), cluster_name("Acme", "true", clash=False)
    ('pred 8', 'Acme')
    """
    return f"{side} {label_text(label, width)}" if clash else label_text(label, width)


def score_text(score: float) -> str:
    """Format a score with four decimals.

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
