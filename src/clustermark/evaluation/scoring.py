"""The loop that scores a subject of any kind by several indices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from clustermark.errors import InputError
from clustermark.registry import Index, choose_indices

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from clustermark.subjects.subject import Subject


NAME_IT = "name it to have it computed"
"""Advice for an index that is left out because it takes long."""


class Scored(NamedTuple):
    """The scores of a subject, and the indices that were left out, with the reason."""

    scores: Mapping[Index[...], float]
    refused: Mapping[str, str]


class Scorer:
    """A computation of scores; a subclass estimates some of them."""

    def cost(self, index: Index[...], subject: Any) -> str:
        """Return why an index takes long, and what to do; empty if it does not."""
        reason = index.cost(subject)
        return f"{reason}; {NAME_IT}" if reason else ""

    def score(self, index: Index[...], subject: Any) -> float:
        """Return the score of a subject."""
        return index.of(subject)

    def insists(self, index: Index[...], subject: Any) -> bool:  # noqa: ARG002
        """Return whether an error of this index is raised although the index was not named."""
        return False


EXACT = Scorer()


def score(
    subject: Any,
    kind: Subject[Any],
    indices: Sequence[str | Index[...]] | str | None,
    progress: Callable[[float], None] | None = None,
    scorer: Scorer = EXACT,
) -> Scored:
    """Score a subject by the indices that are named; by default by the panel of its kind, or by "all".

    A named index is scored or raises an error. Other indices are left out if they have no meaning here or take long.
    `progress` is called with the share that is done.
    """
    chosen, named = choose_indices(kind, indices)
    scores, refused = dict[Index[...], float](), dict[str, str]()
    try:
        for place, index in enumerate(chosen):
            if progress is not None:
                subject.progress = share_of(progress, place, len(chosen))
                subject.progress(0.0)
            if not named and (reason := index.refusal(subject) or scorer.cost(index, subject)):
                refused[index.label] = reason
                continue
            try:
                scores[index] = scorer.score(index, subject)
            except InputError as error:
                refusable = isinstance(error, kind.left_out_for) and not isinstance(error, _ProgressError)
                if named or not refusable or scorer.insists(index, subject):
                    raise
                refused[index.label] = str(error)
    finally:
        if progress is not None:
            subject.progress = None
    return Scored(scores, refused)


class _ProgressError(InputError):
    """Failure of a function passed as `progress`."""


def share_of(progress: Callable[[float], None], place: int, parts: int) -> Callable[[float], None]:
    """Return a function that converts the share of one part that is done to that of all parts and reports it."""

    def tell(share: float) -> None:
        try:
            progress((place + share) / parts)
        except ZeroDivisionError as error:  # otherwise it would be caught as an undefined score
            raise _ProgressError(f"progress: the function divides by 0 ({error})") from error

    return tell
