"""evaluate(): the scores of one table, looked up by name, readable when printed; and where it goes wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

from clustermark.diagnosis import ClusterTable, ErrorList, OverlapMap, PointTable, columnar, size_histogram
from clustermark.diagnosis.point_table import GivenLabels
from clustermark.errors import InputError, UnsupportedTableError
from clustermark.registry import Index, catalogue, parse
from clustermark.report import data
from clustermark.report.text import text
from clustermark.sources.crosstab import crosstab, labels_of
from clustermark.tables.contingency import Contingency

if TYPE_CHECKING:
    from os import PathLike

    from clustermark.diagnosis import Side
    from clustermark.labels.kinds import Labels
    from clustermark.report.charts.plots import Plots
    from clustermark.sources.crosstab import TableOptions
    from clustermark.sources.kinds import Source


class Evaluation(Mapping[str, float]):
    """The scores of one table. A mapping from the name of an index to its score; any of its names will do.

    >>> scores = evaluate([0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2])
    >>> scores["jaccard"], scores["Tanimoto"], scores["ARS"]
    (0.4, 0.4, 0.4444444444444444)
    >>> scores.n_given, scores.n_used, scores.n_noise, scores.n_dropped
    (6, 6, 0, 0)
    """

    def __init__(
        self,
        table: Contingency,
        indices: Sequence[Index[...]],
        refused: Mapping[str, str],
        settings: Mapping[str, Any] = MappingProxyType({}),
        given: GivenLabels | Callable[[], GivenLabels] | None = None,
        *,
        leave_out: bool = False,
    ) -> None:
        """Score a table; `evaluate` and `evaluate_table` do so.

        settings: how the data came to be compared, beside the policies, which the table knows.
        given: the labels that the table was made of, or what reads them: `points` needs them.
        leave_out: whether an index that is too much for this table is left out, and not an error.
        """
        self.table = table
        self.indices = tuple({index.label: index for index in indices}.values())
        self.refused = dict(refused)
        """Indices that belong to the choice and have no meaning on this table, with the reason."""
        self.settings: dict[str, Any] = {
            **table.settings,
            **settings,
            **data.policies(table),
            "weighted": table.weights is not None,
        }
        """How the data came to be compared: always the policies; where it came from, if that is known."""
        self._given = given
        self._scores: dict[str, float] = {}
        for index in self.indices:
            try:
                self._scores[index.label] = index.of(table)
            except UnsupportedTableError as error:
                if not leave_out:
                    raise
                self.refused[index.label] = str(error)
        self.indices = tuple(index for index in self.indices if index.label in self._scores)

    @property
    def sql(self) -> str:
        """The statements that an engine ran; empty for labels in memory."""
        return self.table.sql

    @property
    def n_given(self) -> int:
        """Points given, dropped ones included."""
        return self.table.n_given

    @property
    def n_used(self) -> int:
        """Points in the table."""
        return self.table.n_used

    @property
    def n_noise(self) -> int:
        """Points with a label named as noise."""
        return self.table.n_noise

    @property
    def n_dropped(self) -> int:
        """Points left out of the table."""
        return self.table.n_dropped

    @property
    def n_unmatched(self) -> int:
        """Items that occur on one side only."""
        return self.table.n_unmatched

    def __getitem__(self, name: str | Index[...]) -> float:
        if name in self._scores:
            return self._scores[name]  # type: ignore[index]
        try:
            wanted = _index_of(name)
        except InputError as error:
            raise KeyError(str(error)) from None
        if wanted.label in self._scores:  # defaults that are spelt out make no difference
            return self._scores[wanted.label]
        raise KeyError(f"{wanted.label} was not evaluated; this evaluation has {', '.join(self._scores)}")

    @cached_property
    def clusters(self) -> ClusterTable:
        """The labelled predicted clusters, each beside the true cluster it is closest to.

        >>> evaluate([0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2]).clusters[1].best_match
        1
        """
        return ClusterTable.of(self.table, "pred")

    @cached_property
    def classes(self) -> ClusterTable:
        """The labelled true clusters, each beside the predicted cluster it is closest to."""
        return ClusterTable.of(self.table, "true")

    def splits(self, k: int | None = 10) -> ErrorList:
        """The true clusters that lose most pairs because the prediction breaks them up; the k worst.

        >>> evaluate(["a", "a", "b", "b"], [1, 2, 3, 3]).splits()
        1 true cluster is split in the prediction
        a: 2 points, 1 pair lost, 2 predicted clusters: 1 (1 of 1), 2 (1 of 1)
        """
        return ErrorList.of(self.table, "true", k)

    def merges(self, k: int | None = 10) -> ErrorList:
        """The predicted clusters with most pairs of points that are apart in truth; the k worst."""
        return ErrorList.of(self.table, "pred", k)

    def points(
        self, y_true: Labels | None = None, y_pred: Labels | None = None, *, side: Side = "pred", k: int | None = None
    ) -> PointTable:
        """The points whose label on the other side is not the best match of their cluster; the first k of them.

        y_true, y_pred: the labels that the table was made of; `evaluate` has them, `evaluate_table` does not.
        side: whether "their cluster" is the predicted or the true one.

        >>> evaluate(["a", "a", "b", "b"], [1, 1, 1, 2]).points()
        1 point lies outside the best match of its predicted cluster
        point  true  pred  best match
        2         b     1           a
        """
        if (y_true is None) != (y_pred is None):
            raise InputError("points: pass both y_true and y_pred, or neither")
        given = self._given if y_true is None else GivenLabels(y_true, y_pred)
        given = given() if callable(given) else given
        if given is None:
            raise InputError(
                "points: this evaluation was made from a table, which knows no points; pass the labels it was made of, "
                "points(y_true, y_pred), or use evaluate(y_true, y_pred)"
            )
        return PointTable.of(self.table, given, side, k)

    def overlap_map(self, k: int = 30) -> OverlapMap:
        """The k largest clusters of each side against each other, so ordered that matches lie on the diagonal."""
        return OverlapMap.of(self.table, k)

    def sizes(self) -> dict[str, list[tuple[float, int]]]:
        """How many clusters there are of each size, on both sides: pairs (size, clusters), ascending.

        >>> evaluate([0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2]).sizes()
        {'true': [(2, 3)], 'pred': [(1, 1), (2, 1), (3, 1)]}
        """
        return {"true": size_histogram(self.table, "true"), "pred": size_histogram(self.table, "pred")}

    @cached_property
    def verdict(self) -> str:
        """How good the agreement is and what goes wrong, in one sentence.

        >>> evaluate([0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 2, 2]).verdict
        'The two clusterings are identical: all 3 true clusters are found exactly.'
        """
        from clustermark.report.verdict import verdict

        return verdict(self.table)

    def provenance(self, name: str | Index[...]) -> dict[str, Any]:
        """How one score came about: index, options, value, counts of points, policies, version."""
        return data.provenance(self, self._evaluated(name))

    def signature(self, name: str | Index[...]) -> str:
        """How one score came about, in one line to set beside it.

        >>> evaluate([0, 0, 1, 1], [0, 0, 1, 2], ["f_measure(beta=2)"], missing="drop").signature("f_measure(beta=2)")
        'f_measure(beta=2)|n_given:4|n_used:4|n_noise:0|n_dropped:0|n_unmatched:0|missing:drop|clustermark:0.1.0'
        """
        return data.signature(self, self._evaluated(name))

    def _evaluated(self, name: str | Index[...]) -> Index[...]:
        self[name]  # which says what there is, if it is not there
        known = {index.label: index for index in self.indices}
        return known[name] if name in known else known[_index_of(name).label]  # type: ignore[index]

    def __iter__(self) -> Iterator[str]:
        return iter(self._scores)

    def __len__(self) -> int:
        return len(self._scores)

    def __contains__(self, name: object) -> bool:
        try:
            self[name]  # type: ignore[index]
        except KeyError:
            return False
        return True

    def to_dict(self) -> dict[str, float]:
        """The scores by name, and how many points were given, used, noise, dropped and unmatched."""
        return self._scores | data.point_counts(self.table)

    def to_json(
        self, path: str | PathLike[str] | None = None, indent: int | None = None, *, overwrite: bool = False
    ) -> str | None:
        """One JSON object: the scores by name, the counts of points, the version and the settings.

        It is returned, or written to a path. Infinite scores are the strings "inf" and "-inf".
        """
        return columnar.written(data.json_text(self, indent), path, overwrite=overwrite)

    def to_pandas(self) -> Any:
        """A pandas DataFrame, one row an index: index, title, score, low, high, higher_is_better, family."""
        return columnar.to_pandas(data.score_columns(self))

    def to_polars(self) -> Any:
        """A polars DataFrame, one row an index."""
        return columnar.to_polars(data.score_columns(self))

    def to_arrow(self) -> Any:
        """A pyarrow Table, one row an index."""
        return columnar.to_arrow(data.score_columns(self))

    def to_csv(self, path: str | PathLike[str] | None = None, *, overwrite: bool = False) -> str | None:
        """CSV, one row an index; returned, or written to a path."""
        return columnar.written(columnar.csv_text(data.score_columns(self)), path, overwrite=overwrite)

    def to_markdown(self, digits: int = 6) -> str:
        """A Markdown table of the scores."""
        from clustermark.report.markup import markdown

        return markdown(self, digits)

    def to_latex(self, digits: int = 4) -> str:
        """A LaTeX tabular of the scores, which needs no package."""
        from clustermark.report.markup import latex

        return latex(self, digits)

    @property
    def plot(self) -> Plots:
        """Charts by matplotlib: `plot.overlaps()`, `.flow()`, `.sizes()`, `.clusters()`, `.scores()`."""
        from clustermark.report.charts.plots import Plots

        return Plots(self)

    def report(
        self, path: str | PathLike[str] | None = None, title: str | None = None, *, overwrite: bool = False
    ) -> str | None:
        """A page of HTML that shows it all, in one file that loads nothing else; returned, or written to a path."""
        from clustermark.report.page.render import html

        return columnar.written(html(self, title), path, overwrite=overwrite)

    def __repr__(self) -> str:
        return text(self)

    def _repr_html_(self) -> str:
        from clustermark.report.markup import html

        return html(self)


@overload
def evaluate(
    y_true: Labels | Source,
    y_pred: Labels | Source | None = None,
    indices: Sequence[str | Index[...]] | str | None = None,
    *,
    counts: Any = None,
    weights: Any = None,
    explain: Literal[False] = False,
    **options: Unpack[TableOptions],
) -> Evaluation: ...
@overload
def evaluate(
    y_true: Labels | Source,
    y_pred: Labels | Source | None = None,
    indices: Sequence[str | Index[...]] | str | None = None,
    *,
    counts: Any = None,
    weights: Any = None,
    explain: Literal[True],
    **options: Unpack[TableOptions],
) -> str: ...
def evaluate(
    y_true: Labels | Source,
    y_pred: Labels | Source | None = None,
    indices: Sequence[str | Index[...]] | str | None = None,
    *,
    counts: Any = None,
    weights: Any = None,
    explain: bool = False,
    **options: Unpack[TableOptions],
) -> Evaluation | str:
    """The scores of a prediction against the truth, from one table, and where it goes wrong.

    indices: names such as "jaccard" or "f_measure(beta=2)", or indices themselves; by default a panel of about twenty;
        "all" for all of them but those that may have to draw random tables.
    The other options are those of `crosstab`, and so are the sources: a file with two columns of labels,
    `evaluate("records.csv", true="entity", pred="cluster")`, or two that share an id,
    `evaluate("truth.csv", "found.parquet", on="record")`.

    >>> evaluate([0, 0, 1, 1], [0, 0, 1, 2], ["jaccard", "f_measure(beta=2)"])
    4 points, 2 true and 3 predicted clusters
    jaccard              0.500000  [0, 1]
    f_measure(beta=2)    0.555556  [0, 1]
    """
    if isinstance(y_true, Contingency):
        raise InputError("evaluate takes labels; a table that is already there goes to evaluate_table(table, indices)")
    if explain:
        return crosstab(y_true, y_pred, counts=counts, weights=weights, explain=True, **options)
    table = crosstab(y_true, y_pred, counts=counts, weights=weights, **options)
    given: GivenLabels | Callable[[], GivenLabels] = GivenLabels(y_true, y_pred, counts, weights)
    if table.sql:
        given = partial(_read, y_true, y_pred, counts=counts, weights=weights, **options)
    return Evaluation(table, *_chosen(table, indices), given=given, leave_out=_is_ours(indices))


def evaluate_table(table: Contingency, indices: Sequence[str | Index[...]] | str | None = None) -> Evaluation:
    """The scores of a table that is already there; the indices are chosen as in `evaluate`."""
    if not isinstance(table, Contingency):
        raise InputError("evaluate_table takes a table from crosstab(y_true, y_pred); labels go to evaluate")
    return Evaluation(table, *_chosen(table, indices), leave_out=_is_ours(indices))


def _read(source: Any, other: Any, **options: Any) -> GivenLabels:
    labels = labels_of(source, other, **options)
    return GivenLabels(labels["true"], labels["pred"], labels.get("counts"), labels.get("weights"))


def _is_ours(indices: object) -> bool:
    """Whether the choice of indices is ours: the panel, or all."""
    return indices is None or (isinstance(indices, str) and indices == "all")


def _chosen(table: Contingency, indices: object) -> tuple[list[Index[...]], dict[str, str]]:
    """The indices that were asked for, and those of a choice of ours that have no meaning on this table."""
    if _is_ours(indices):
        ours = [index for index in catalogue() if indices is not None or index.facts.panel]
        refused = {index.name: reason for index in ours if (reason := _left_out(index, table))}
        return [index for index in ours if index.name not in refused], refused
    if isinstance(indices, str | Index):
        indices = [indices]
    if not isinstance(indices, Iterable):
        raise InputError(f"indices={indices!r} must be a list of names of indices, such as ['jaccard', 'rand']")
    return [_index_of(wanted) for wanted in indices], {}


def _left_out(index: Index[...], table: Contingency) -> str:
    if index.facts.may_sample:
        return "it may have to draw random tables, which takes long; name it to have it"
    return index.refusal(table)


def _index_of(wanted: object) -> Index[...]:
    return wanted if isinstance(wanted, Index) else parse(wanted)
