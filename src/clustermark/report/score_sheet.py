"""The half of an evaluation that needs no table: scores by name, counts, and all that is printed or written of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from clustermark.errors import InputError
from clustermark.registry import Index, index_of
from clustermark.report.record import Record, Score, evaluation_document
from clustermark.report.text import plain_text
from clustermark.results.files import write_text
from clustermark.results.frames import Columnar
from clustermark.results.json import json_text

if TYPE_CHECKING:
    from os import PathLike

    from clustermark.report.notices import Notice


class ScoreSheet(Columnar, Mapping[str, float]):
    """The scores of a record by name, and how many points and clusters they were made of."""

    def __init__(self, record: Record) -> None:
        self.record = record
        """What the evaluation says without its table; all that JSON holds but the verdict."""

    @cached_property
    def verdict(self) -> str:
        """How good the agreement is and what goes wrong, in one sentence."""
        raise NotImplementedError

    @property
    def refused(self) -> dict[str, str]:
        """Indices that belong to the choice and have no meaning on this table, with the reason."""
        return self.record.refused

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What to know before the scores are believed: noise that counts as a cluster, points that were left out."""
        return self.record.notices

    @property
    def settings(self) -> dict[str, Any]:
        """How the data came to be compared: always the policies; where it came from, if that is known."""
        return self.record.settings

    @property
    def version(self) -> str:
        """The version of clustermark that made the scores."""
        return self.record.version

    @property
    def n_given(self) -> int:
        """Points given, dropped ones included."""
        return self.record.points["given"]

    @property
    def n_used(self) -> int:
        """Points in the table."""
        return self.record.points["used"]

    @property
    def n_noise(self) -> int:
        """Points with a label named as noise."""
        return self.record.points["noise"]

    @property
    def n_dropped(self) -> int:
        """Points left out of the table."""
        return self.record.points["dropped"]

    @property
    def n_unmatched(self) -> int:
        """Items that occur on one side only."""
        return self.record.points["unmatched"]

    @property
    def n_true_clusters(self) -> int:
        """True clusters, points with a cluster of their own included."""
        return self.record.clusters["true"]

    @property
    def n_pred_clusters(self) -> int:
        """Predicted clusters, points with a cluster of their own included."""
        return self.record.clusters["pred"]

    def __getitem__(self, name: str | Index[...]) -> float:
        return self._score(name).value

    def _score(self, name: str | Index[...]) -> Score:
        scores = self.record.scores
        if isinstance(name, str) and name in scores:
            return scores[name]
        try:
            wanted = index_of(name)
        except InputError as error:
            raise KeyError(str(error)) from None
        if wanted.label in scores:  # defaults that are spelt out make no difference
            return scores[wanted.label]
        raise KeyError(f"{wanted.label} was not evaluated; this evaluation has {', '.join(scores)}")

    def provenance(self, name: str | Index[...]) -> dict[str, Any]:
        """How one score came about: index, options, value, counts of points and clusters, settings, version."""
        return self.record.provenance(self._score(name))

    def signature(self, name: str | Index[...]) -> str:
        """How one score came about, in one line to set beside it.

        >>> from clustermark import evaluate
        >>> evaluate([0, 0, 1, 1], [0, 0, 1, 2], ["f_measure(beta=2)"], missing="drop").signature("f_measure(beta=2)")
        'f_measure(beta=2)|n_given:4|n_used:4|n_noise:0|n_dropped:0|n_unmatched:0|missing:drop|clustermark:0.1.0'
        """
        return self.record.signature(self._score(name))

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

    def to_dict(self) -> dict[str, float]:
        """The scores by name, as `dict(evaluation)` gives them."""
        return dict(self)

    def _export_columns(self) -> dict[str, list[Any]]:
        """One row an index: index, title, score, low, high, higher_is_better, family; and intervals if asked for."""
        return self.record.columns()

    def to_json(self, indent: int | None = None) -> str:
        """One JSON object: scores, points, clusters, verdict, notices, settings, what was refused, version.

        `json_schema()` describes it and `from_json` reads it. Infinite scores are the strings "inf" and "-inf".
        """
        return json_text(evaluation_document(self.record, self.verdict), indent)

    def to_markdown(self, digits: int = 6) -> str:
        """A Markdown table of the scores."""
        from clustermark.report.markup import markdown

        return markdown(self.record, digits)

    def to_latex(self, digits: int | None = None) -> str:
        """A LaTeX tabular of the scores, which needs no package; with 4 digits, or as many as intervals warrant."""
        from clustermark.report.markup import latex

        return latex(self.record, digits)

    def to_html(self) -> str:
        """An HTML table of the scores, as a notebook shows it; `report` gives a whole page."""
        from clustermark.report.markup import html

        return html(self.record, self.verdict)

    def write_json(self, path: str | PathLike[str], *, overwrite: bool = False, indent: int | None = 2) -> None:
        """Write `to_json()` to a file, which `read_evaluation` reads."""
        write_text(self.to_json(indent) + "\n", path, overwrite=overwrite)

    def write_markdown(self, path: str | PathLike[str], *, overwrite: bool = False, digits: int = 6) -> None:
        """Write `to_markdown()` to a file."""
        write_text(self.to_markdown(digits), path, overwrite=overwrite)

    def write_latex(self, path: str | PathLike[str], *, overwrite: bool = False, digits: int | None = None) -> None:
        """Write `to_latex()` to a file."""
        write_text(self.to_latex(digits), path, overwrite=overwrite)

    def __repr__(self) -> str:
        return plain_text(self.record)

    def _repr_html_(self) -> str:
        return self.to_html()
