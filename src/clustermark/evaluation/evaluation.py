"""Evaluation: the loop that scores a subject of any kind, and its scores by name, with their output in all formats."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from clustermark.diagnosis.captions import score_text
from clustermark.errors import InputError
from clustermark.evaluation import evaluation_document
from clustermark.evaluation.evaluation_document import headline
from clustermark.evaluation.record import Record, Score, read_record
from clustermark.registry import Index, choose_indices, index_of
from clustermark.results.document import SUMMARY
from clustermark.results.result import Result

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from os import PathLike
    from typing import Self

    from clustermark.evaluation.notices import Notice
    from clustermark.results.data import Columns, Table
    from clustermark.results.document import Document, Section, View
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


_CLASSES = {
    "partitions": "PartitionEvaluation",
    "points": "InternalEvaluation",
    "covers": "CoverEvaluation",
    "trees": "TreeEvaluation",
    "soft": "SoftEvaluation",
}


class Evaluation(Result, Mapping[str, float]):
    """The scores of one subject: partitions, points, covers, trees or soft clusterings.

    It maps the name of an index to its score; every name of an index is accepted. The functions `evaluate`,
    `evaluate_internal`, `evaluate_covers`, `evaluate_trees` and `evaluate_soft` return one.

    >>> from clustermark import evaluate
    >>> scores = evaluate([0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2])
    >>> scores["jaccard"], scores["Tanimoto"], scores["ARS"], scores.get("silhouette", 0.0)
    (0.4, 0.4, 0.4444444444444444, 0.0)
    """

    KIND = "evaluation"
    FACTS = evaluation_document.FACTS
    TABLES: ClassVar[dict[str, Columns]] = {}
    MAIN = "scores"
    SUBJECT: ClassVar[str] = ""
    """Kind of subject, as named by `catalogue`."""

    def __init__(
        self,
        record: Record,
        subject: Any = None,
        indices: Sequence[Index[...]] = (),
        verdict: str | None = None,
        advice: str | None = None,
    ) -> None:
        self.record = record
        """Scores and counts without the subject; JSON contains them."""
        self._subject = subject
        self._indices = tuple(indices)
        self._verdict, self._advice = verdict, advice

    @classmethod
    def of(cls, subject: Any, scored: Scored) -> Self:
        """Make the evaluation of a scored subject."""
        return cls(cls._record(subject, scored), subject, tuple(scored.scores))

    @classmethod
    def _record(cls, subject: Any, scored: Scored) -> Record:
        """Return the scores with counts, notices and settings of the subject."""
        raise NotImplementedError

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what `to_json` returned: scores, counts, settings and verdict. It has no subject.

        >>> from clustermark import evaluate
        >>> again = Evaluation.from_json(evaluate([0, 0, 1, 1], [0, 0, 1, 2], ["jaccard"]).to_json())
        >>> again["jaccard"], again.n_used
        (0.5, 4)
        """
        import clustermark

        record, verdict, advice = read_record(text)
        kind = getattr(clustermark, _CLASSES[record.subject])
        if not issubclass(kind, cls) and not issubclass(cls, kind):
            raise InputError(f"text: this is an evaluation of {record.subject}; read it by {kind.__name__}.from_json")
        made: Self = (kind if issubclass(kind, cls) else cls)(record, verdict=verdict, advice=advice)
        return made

    @property
    def subject(self) -> Any:
        """Subject that was scored."""
        if self._subject is None:
            raise InputError(
                f"this evaluation was read from JSON, which holds scores and no {self._called}; evaluate the labels "
                "again to ask for clusters, errors, charts of them or a report"
            )
        return self._subject

    _called = "subject"
    """Name of the subject in error messages."""

    @property
    def indices(self) -> tuple[Index[...], ...]:
        """Indices that were scored."""
        _ = self.subject
        return self._indices

    @property
    def headline(self) -> str:
        """Description of what was scored, in one line."""
        return headline(self.record)

    @cached_property
    def verdict(self) -> str:
        """Interpretation of the scores, in one or two sentences."""
        return self._judge() if self._verdict is None else self._verdict

    def _judge(self) -> str:
        first = next(iter(self.record.scores.values()), None)
        return "No index was scored." if first is None else f"{first.title} {score_text(first.value)}."

    @cached_property
    def advice(self) -> str:
        """Recommended next step, in one sentence derived from the numbers; empty if there is none.

        >>> from clustermark import evaluate
        >>> evaluate([0, 0, 1, 1, 2, 2], [0, 0, 0, 0, 0, 0]).advice
        'Let the method make more clusters: it made one.'
        """
        return self._advise() if self._advice is None else self._advice

    def _advise(self) -> str:
        return ""

    @property
    def refused(self) -> dict[str, str]:
        """Indices that were not requested by name and were left out, with the reason."""
        return self.record.refused

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Notices to read before trusting the scores, such as noise that counts as a cluster."""
        return self.record.notices

    @property
    def settings(self) -> dict[str, Any]:
        """Policies and options, and the source of the data if it is known."""
        return self.record.settings

    @property
    def version(self) -> str:
        """The version of clustermark that computed the scores."""
        return self.record.version

    @property
    def n_given(self) -> int:
        """The number of points given, dropped ones included. Items of covers and leaves of trees are points too."""
        return self.record.points["given"]

    @property
    def n_used(self) -> int:
        """The number of points that were scored."""
        return self.record.points["used"]

    @property
    def n_noise(self) -> int:
        """The number of points with a label that is named as noise."""
        return self.record.points["noise"]

    @property
    def n_dropped(self) -> int:
        """The number of points that were left out."""
        return self.record.points["dropped"]

    @property
    def n_unmatched(self) -> int:
        """The number of points that occur on one side only."""
        return self.record.points["unmatched"]

    def __getitem__(self, name: str | Index[...]) -> float:
        return self._score(name).value

    def _score(self, name: str | Index[...]) -> Score:
        scores = self.record.scores
        if isinstance(name, str) and name in scores:
            return scores[name]
        try:
            index = index_of(name)
            label = index.label
        except InputError as error:
            raise KeyError(str(error)) from None
        if label in scores:  # a default that is spelt out makes no difference
            return scores[label]
        if (reason := self.refused.get(label)) is not None:
            raise KeyError(f"{label} was left out: {reason}")
        ask = f"name it by indices=[{label!r}]"
        if index.comparison.name != self.record.subject and index.comparison.verb:
            ask = f"{index.comparison.verb} scores it"
        raise KeyError(f"{label} was not evaluated; {ask}. This evaluation has {', '.join(scores)}")

    def __iter__(self) -> Iterator[str]:
        return iter(self.record.scores)

    def __len__(self) -> int:
        return len(self.record.scores)

    def __contains__(self, name: object) -> bool:
        try:
            self[name]  # type: ignore[index]
        except KeyError:
            return False
        return True

    def provenance(self, name: str | Index[...]) -> dict[str, Any]:
        """Return how one score was computed: index, options, value, counts, settings, version."""
        return self.record.provenance(self._score(name))

    def signature(self, name: str | Index[...]) -> str:
        """Return how one score was computed, in one line to cite with it.

        >>> from clustermark import evaluate
        >>> evaluate([0, 0, 1, 1], [0, 0, 1, 2], ["f_measure(beta=2)"], missing="drop").signature("f_measure(beta=2)")
        'f_measure(beta=2)|n_given:4|n_used:4|n_noise:0|n_dropped:0|n_unmatched:0|missing:drop|clustermark:0.1.0'
        """
        return self.record.signature(self._score(name))

    def facts(self) -> Mapping[str, Any]:
        """Return the contents of the JSON: scores, counts, settings, notices, verdict, refused indices."""
        return evaluation_document.facts(self)

    def tables(self) -> Mapping[str, Table]:
        """Return the table of scores, one row per index."""
        return evaluation_document.tables(self)

    def document(self, view: View = SUMMARY) -> Document:  # noqa: ARG002  (the same in all media)
        """Return the document of the page."""
        return evaluation_document.document(self, self._sections(), self.advice)

    def _sections(self) -> Sequence[Section]:
        """Return the sections that pages of this kind of subject have in addition to the scores."""
        return ()

    def to_dict(self) -> dict[str, float]:  # type: ignore[override]
        """Return the scores by name, same as `dict(evaluation)`."""
        return dict(self)

    def _export_columns(self) -> dict[str, list[Any]]:
        """Return one row per index: index, title, score, low, high, higher_is_better, family; any intervals."""
        return self.record.columns()

    def __repr__(self) -> str:
        # the scores alone: a verdict may ask an engine for more, which nobody expects of a name typed at a prompt
        from clustermark.results.text import document_text

        return document_text(evaluation_document.document_of_scores(self.record))


def read_evaluation(path: str | PathLike[str]) -> Evaluation:
    """Read an evaluation that `write_json`, or a command with `-o scores.json`, wrote. It has no subject."""
    from pathlib import Path

    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"path: {path} cannot be read as text ({error})") from error
    return Evaluation.from_json(text)
