"""The scores of one comparison that is none of two partitions: as a mapping, text, a table for notebooks, JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple
from warnings import catch_warnings, warn

from clustermark.errors import ClustermarkWarning, InputError
from clustermark.registry import Index, catalogue, index_of, is_ours, read_indices
from clustermark.registry.facts import interval
from clustermark.report.record import Score
from clustermark.results.frames import Columnar
from clustermark.results.json import SCHEMA, current_version, for_json, json_text
from clustermark.results.text import align
from clustermark.tables.notebook import html_table

if TYPE_CHECKING:
    from clustermark.registry.facts import Facts
    from clustermark.subjects.comparison import Comparison

_BETTER = {True: "higher is better", False: "lower is better", None: ""}


class ScoreList(Columnar, Mapping[str, float]):
    """A mapping from the name of an index to its score; any name of the index will do."""

    kind = ""
    """What JSON calls it."""

    def __init__(self, headline: str, counts: Mapping[str, Any], scores: Scores | Found) -> None:
        self.headline = headline
        """What was scored, in one line."""
        self.notes = scores.notes
        """What to know before the scores are believed."""
        self.refused = scores.refused
        """Indices that belong to the choice and were left out, with the reason."""
        self.indices = tuple(index for index, _ in scores.values)
        """The indices that were scored."""
        self._counts = dict(counts)
        self._scores = {index.label: value for index, value in scores.values}

    def __getitem__(self, name: str | Index[...]) -> float:
        label = name if isinstance(name, str) and name in self._scores else index_of(name).label
        if label not in self._scores:
            reason = self.refused.get(label)
            raise KeyError(f"{label} was left out: {reason}" if reason else f"{label} was not evaluated")
        return self._scores[label]

    def __iter__(self) -> Iterator[str]:
        return iter(self._scores)

    def __len__(self) -> int:
        return len(self._scores)

    def __contains__(self, name: object) -> bool:
        try:
            self[name]  # type: ignore[index]
        except (KeyError, InputError):
            return False
        return True

    def to_dict(self) -> dict[str, float]:
        """The scores by name."""
        return dict(self._scores)

    def _listed(self) -> list[Score]:
        return [
            Score(
                index.label,
                index.title,
                self._scores[index.label],
                float(index.bounds[0]),
                float(index.bounds[1]),
                index.higher_is_better,
                index.family,
                index.options,
            )
            for index in self.indices
        ]

    def _export_columns(self) -> dict[str, list[Any]]:
        """One row an index."""
        listed = self._listed()
        fields = ("label", "title", "value", "low", "high", "higher_is_better")
        heads = {"label": "index", "value": "score"}
        return {heads.get(field, field): [getattr(one, field) for one in listed] for field in fields}

    def to_document(self) -> dict[str, Any]:
        """What `to_json` writes."""
        plain = {one.label: {k: v for k, v in one._asdict().items() if k not in ("label", "interval")}
                 for one in self._listed()}  # fmt: skip
        said = {"kind": self.kind, "schema": SCHEMA, "version": current_version(), **self._counts}
        return dict(for_json(said | {"notes": self.notes, "scores": plain, "refused": self.refused}))

    def to_json(self, indent: int | None = None) -> str:
        """One JSON object, as `json_schema()` describes it; infinite scores are texts."""
        return json_text(self.to_document(), indent)

    def describe_scores(self) -> list[tuple[str, str, str]]:
        """The name of each index, its score, and its range with the better end, as texts."""
        return [
            (one.label, f"{one.value:.6f}" if abs(one.value) < 1e6 else f"{one.value:.6g}",
             f"{interval((one.low, one.high))}, {_BETTER[one.higher_is_better]}".rstrip(", "))
            for one in self._listed()
        ]  # fmt: skip

    def _below(self) -> list[str]:
        reasons: dict[str, list[str]] = {}
        for name, reason in self.refused.items():
            reasons.setdefault(reason, []).append(name)
        left = (f"left out: {', '.join(names)}: {reason}" for reason, names in reasons.items())
        return [*(f"note: {note}" for note in self.notes), *left]

    def __repr__(self) -> str:
        rows = [("index", "score", "range"), *self.describe_scores()]
        scores = align([row[:2] for row in rows]).split("\n")
        lines = [f"{text}  {row[2]}" for text, row in zip(scores, rows, strict=True)]
        return "\n".join([self.headline, *lines, *self._below()])

    def to_html(self) -> str:
        """An HTML table of the scores, as a notebook shows it."""
        return html_table(self.headline, ["index", "score", "range"], self.describe_scores(), self._below())

    def _repr_html_(self) -> str:
        return self.to_html()


class Found(NamedTuple):
    """What `Scores` finds, for who finds it in another way."""

    values: list[tuple[Index[...], float]]
    notes: list[str]
    refused: dict[str, str]


class Scores:
    """The scores of chosen indices of a comparison, why others were left out, and what was warned of."""

    def __init__(
        self,
        made: Any,
        kind: Comparison[Any],
        indices: Sequence[str | Index[...]] | str | None,
        otherwise: str,
        progress: Callable[[float], None] | None = None,
    ) -> None:
        """Score a comparison. otherwise: what scores the other indices, for the error that names one of these."""
        self.values: list[tuple[Index[...], float]] = []
        self.notes: list[str] = []
        self.refused: dict[str, str] = {}
        chosen, named = choose_indices(kind, indices, otherwise)
        for place, index in enumerate(chosen):
            if progress is not None:
                made.progress = tell_in_parts(progress, place, len(chosen))
                made.progress(0.0)
            with catch_warnings(record=True, action="always", category=ClustermarkWarning) as warned:
                try:
                    self.values.append((index, index.of(made)))
                except InputError as error:
                    if named:
                        raise
                    self.refused[index.label] = str(error)
            for one in warned:
                if isinstance(one.message, ClustermarkWarning):
                    self.notes.append(str(one.message))
                else:
                    warn(one.message, stacklevel=2)
        if progress is not None:
            made.progress = None


def tell_in_parts(progress: Callable[[float], None], place: int, parts: int) -> Callable[[float], None]:
    """A function that takes the share of one part that is done, and tells that of all parts."""

    def tell(share: float) -> None:
        try:
            progress((place + share) / parts)
        except ZeroDivisionError as error:  # which would pass for an index that is undefined
            raise InputError(f"progress: the function divides by 0 ({error})") from error

    return tell


def choose_indices(
    kind: Comparison[Any], indices: Sequence[str | Index[...]] | str | None, otherwise: str
) -> tuple[list[Index[...]], bool]:
    """The indices, and whether they were named."""
    every = [index for index in catalogue(kind.name) if _serves(index, kind)]
    if is_ours(indices):
        return [index for index in every if indices or _facts_of(index, kind).panel], False
    wanted = read_indices(indices)
    for index in wanted:
        if not _serves(index, kind):
            known = ", ".join(one.name for one in every)
            raise InputError(f"indices: {index.label} is not computed from {kind.words}; {otherwise}. Here are {known}")
    return wanted, True


def _facts_of(index: Index[...], kind: Comparison[Any]) -> Facts:
    return next(use.facts for use in index.uses if use.comparison is kind)


def _serves(index: Index[...], kind: Comparison[Any]) -> bool:
    return any(use.comparison is kind for use in index.uses)
