"""evaluate(): the scores of one table, looked up by name and readable when printed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark.contingency import Contingency, Labels, crosstab
from clustermark.errors import InputError
from clustermark.facts import interval
from clustermark.registry import Index, catalogue, parse

if TYPE_CHECKING:
    from clustermark.policies import MissingPolicy, Noise, UnmatchedPolicy


class Evaluation(Mapping[str, float]):
    """The scores of one table. A mapping from the name of an index to its score; any of its names will do.

    >>> scores = evaluate([0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2])
    >>> scores["jaccard"], scores["Tanimoto"], scores["ARS"]
    (0.4, 0.4, 0.4444444444444444)
    >>> scores.n_given, scores.n_used, scores.n_noise, scores.n_dropped
    (6, 6, 0, 0)
    """

    def __init__(self, table: Contingency, indices: Sequence[Index[...]], refused: Mapping[str, str]) -> None:
        self.table = table
        self.indices = tuple({index.label: index for index in indices}.values())
        self.refused = dict(refused)
        """Indices of the default panel that have no meaning on this table, with the reason."""
        self._scores = {index.label: index.of(table) for index in self.indices}

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

    @property
    def clusters(self) -> list[dict[str, Any]]:
        """One row for each labelled predicted cluster, in sorted order: its closest true cluster, and how close it is.

        >>> evaluate([0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2]).clusters[1]["closest"]
        1
        """
        return cluster_rows(self.table)

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
        return self._scores | self._counts()

    def _counts(self) -> dict[str, int]:
        names = ("n_given", "n_used", "n_noise", "n_dropped", "n_unmatched")
        return {name: getattr(self, name) for name in names}

    def _headline(self) -> str:
        counts = self._counts()
        true, pred = self.table.n_true_clusters, self.table.n_pred_clusters
        said = [f"{self.n_used:,} points, {true:,} true and {pred:,} predicted clusters"]
        said += ["weighted"] if self.table.weights is not None else []
        named = ("noise",) if self.table.names_noise else ()  # a noise label that never occurs should not go unnoticed
        said += [
            f"{counts['n_' + what]:,} {what}"
            for what in ("noise", "dropped", "unmatched")
            if counts["n_" + what] or what in named
        ]
        return "; ".join(said)

    def _rows(self) -> list[tuple[str, str, str]]:
        return [(i.label, f"{self._scores[i.label]:.6f}", interval(i.bounds_on(self.table))) for i in self.indices]

    def _left_out(self) -> list[str]:
        """A line for each reason, with the indices it concerns."""
        by_reason: dict[str, list[str]] = {}
        for name, reason in self.refused.items():
            by_reason.setdefault(reason.removeprefix(f"{name} "), []).append(name)
        return [f"left out: {', '.join(names)}: {reason}" for reason, names in by_reason.items()]

    def __repr__(self) -> str:
        width = max((len(label) for label in self._scores), default=0)
        lines = [self._headline()]
        lines += [f"{label.ljust(width)}  {score:>10}  {bounds}" for label, score, bounds in self._rows()]
        lines += self._left_out()
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from html import escape

        rows = "".join(
            f"<tr><td>{escape(label)}</td><td style='text-align:right'>{score}</td><td>{escape(bounds)}</td></tr>"
            for label, score, bounds in self._rows()
        )
        notes = "".join(f"<p>{escape(line)}</p>" for line in self._left_out())
        head = "<tr><th>index</th><th>score</th><th>range</th></tr>"
        return f"<table><caption>{escape(self._headline())}</caption>{head}{rows}</table>{notes}"


def evaluate(
    y_true: Labels,
    y_pred: Labels,
    indices: Sequence[str | Index[...]] | str | None = None,
    *,
    counts: Any = None,
    weights: Any = None,
    noise_true: Noise | None = None,
    noise_pred: Noise | None = None,
    missing: MissingPolicy = "error",
    unmatched: UnmatchedPolicy = "error",
    threads: int | None = None,
) -> Evaluation:
    """All scores of a prediction against the truth, from one table.

    indices: names such as "jaccard" or "f_measure(beta=2)", or indices themselves; by default all of them,
        but those that may have to draw random tables.
    The other options are those of `crosstab`.

    >>> evaluate([0, 0, 1, 1], [0, 0, 1, 2], ["jaccard", "f_measure(beta=2)"])
    4 points, 2 true and 3 predicted clusters
    jaccard              0.500000  [0, 1]
    f_measure(beta=2)    0.555556  [0, 1]
    """
    if isinstance(y_true, Contingency):
        raise InputError("evaluate takes labels; a table that is already there goes to evaluate_table(table, indices)")
    table = crosstab(
        y_true,
        y_pred,
        counts=counts,
        weights=weights,
        noise_true=noise_true,
        noise_pred=noise_pred,
        missing=missing,
        unmatched=unmatched,
        threads=threads,
    )
    return evaluate_table(table, indices)


def evaluate_table(table: Contingency, indices: Sequence[str | Index[...]] | str | None = None) -> Evaluation:
    """All scores of a table that is already there."""
    if not isinstance(table, Contingency):
        raise InputError("evaluate_table takes a table from crosstab(y_true, y_pred); labels go to evaluate")
    if indices is None or (isinstance(indices, str) and indices == "all"):
        refused = {index.name: reason for index in catalogue() if (reason := _left_out(index, table))}
        return Evaluation(table, [index for index in catalogue() if index.name not in refused], refused)
    if isinstance(indices, str | Index):
        indices = [indices]
    if not isinstance(indices, Iterable):
        raise InputError(f"indices={indices!r} must be a list of names of indices, such as ['jaccard', 'rand']")
    return Evaluation(table, [_index_of(wanted) for wanted in indices], {})


def _left_out(index: Index[...], table: Contingency) -> str:
    if index.facts.may_sample:
        return "it may have to draw random tables, which takes long; name it to have it"
    return index.refusal(table)


def _index_of(wanted: object) -> Index[...]:
    return wanted if isinstance(wanted, Index) else parse(wanted)


def cluster_rows(table: Contingency) -> list[dict[str, Any]]:
    """Of each labelled predicted cluster: its size, its closest true cluster by Jaccard, and how close they are."""
    from clustermark.views.overlaps import overlaps_of

    true_names, pred_names = table._tabulation.true_names, table._tabulation.pred_names
    true_order = true_names.sorted_order()
    ranks = np.empty(len(true_names), np.int32)
    ranks[true_order] = np.arange(len(ranks))
    overlaps = overlaps_of(table, ranks)
    true_labels, pred_labels = true_names.listed(), pred_names.listed()
    unscored = table._tabulation.unscored
    columns = [column for column in pred_names.sorted_order().tolist() if unscored is None or not unscored[column]]
    best, sizes, shared = overlaps.best_rows.tolist(), overlaps.sizes.tolist(), overlaps.intersections.tolist()
    parts = zip(overlaps.max_jaccard.tolist(), overlaps.concentration.tolist(), overlaps.score.tolist(), strict=True)
    measures = list(parts)
    return [
        {
            "cluster": pred_labels[column],
            "size": sizes[column],
            "share": sizes[column] / overlaps.n_scored,
            "closest": true_labels[best[column]] if best[column] >= 0 else None,
            "closest_index": int(ranks[best[column]]) if best[column] >= 0 else None,
            "overlap": shared[column],
            "max_jaccard": measures[column][0],
            "concentration": measures[column][1],
            "jaccard_concentration": measures[column][2],
        }
        for column in columns
    ]
