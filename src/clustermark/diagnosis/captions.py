"""Labels and numbers as people read them: short, harmless, the same in charts and on the page."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from math import inf, isnan
from typing import TYPE_CHECKING, Any

from clustermark.results.values import count_text, label_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clustermark.diagnosis import Side

IN_SENTENCES = {"adjusted_rand": "adjusted Rand index"}
"""What an index is called within a sentence; others by their label or title."""


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
