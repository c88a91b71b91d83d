"""evaluate_soft(): score two soft clusterings, from memory or from columns of files."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark.errors import InputError, Mention, NoiseWarning, count, warn_user
from clustermark.evaluation.evaluation import Evaluation, score
from clustermark.evaluation.notices import Notice, tell_cluster_like_noise
from clustermark.evaluation.record import Record, count_points, scores_of
from clustermark.labels import label_list, read_labels
from clustermark.options import without_options
from clustermark.results.json import current_version
from clustermark.sources.by_id import read_ids
from clustermark.sources.tabular import is_tabular, open_columns
from clustermark.statistics.soft_sums import MembershipShares
from clustermark.subjects.features import choose_columns, to_numbers
from clustermark.subjects.soft_clusterings import SOFT, SoftClustering, SoftPair

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from clustermark.evaluation.evaluation import Scored
    from clustermark.registry import Index


_NOISE = dict.fromkeys(
    ("noise", "noise_true", "noise_pred"), "memberships have no label for noise; leave its column out"
)


class SoftEvaluation(Evaluation):
    """The scores of two soft clusterings of the same items."""

    SUBJECT = "soft"

    @classmethod
    def _record(cls, subject: SoftPair, scored: Scored) -> Record:
        sides = {"true": subject.u, "pred": subject.v}
        return Record(
            scores=scores_of(subject, scored.scores),
            points=count_points(subject.n),
            clusters={name: side.k for name, side in sides.items()},
            noise={},
            notices=tuple(
                Notice("noise", tell_cluster_like_noise(label, n, whose))
                for side, whose in ((subject.u, "the truth"), (subject.v, "the prediction"))
                for label, n in side.like_noise.items()
            ),
            settings={},
            refused=dict(scored.refused),
            version=current_version(),
            subject=cls.SUBJECT,
            about=f"{count(subject.n, 'item')}; {_describe(subject.u)} against {_describe(subject.v)}",
            facts={"hard": {name: side.codes is not None for name, side in sides.items()}},
        )

    @property
    def subject(self) -> SoftPair:
        """Soft clusterings that were scored."""
        pair: SoftPair = super().subject
        return pair


def _describe(side: SoftClustering) -> str:
    if side.codes is not None:
        return count(side.k, "hard cluster")
    shares = MembershipShares.of(side)
    return f"{count(side.k, 'soft cluster')} (partition coefficient {shares.squares / shares.n:.3f})"


@without_options(
    **_NOISE,
    missing="every row needs memberships; leave the others out",
    unmatched="both must have the same rows; make them agree",
)
def evaluate_soft(
    truth: Any,
    prediction: Any = None,
    indices: Sequence[str | Index[...]] | str | None = None,
    *,
    true: str | Sequence[str] | None = None,
    pred: str | Sequence[str] | None = None,
    on: str | None = None,
    reading: Mapping[str, Any] | None = None,
    engine: str | None = None,
    progress: Callable[[float], None] | None = None,
) -> SoftEvaluation:
    """Score two soft clusterings of the same items, in the same order.

    truth, prediction: a row of memberships for each item, which add up to 1; or a label for each item. Or files or data
        frames whose columns `true` and `pred` name: one for both sides, or one for each.
    indices: names of indices of two soft clusterings, or "all"; by default a panel of them. For more than 50,000 items,
        indices that compare all pairs of items are left out unless named.
    true, pred: names of columns or patterns such as "t*", which match all columns but the id; one column has labels.
    on: the column of ids by which two files are joined; by default rows must be in the same order.
    reading, engine: how and by which engine a file is read, as in `evaluate`.
    progress: a function that is called repeatedly with the share that is done.

    >>> evaluate_soft([[0.9, 0.1], [0.8, 0.2], [0.1, 0.9]], [0, 0, 1])
    3 items; 2 soft clusters (partition coefficient 0.773) against 2 hard clusters
    index                       score  range    better
    fuzzy_rand               0.800000  [0, 1]   higher
    adjusted_concordance     0.590909  (−∞, 1]  higher
    frobenius_adjusted_rand  0.778503  (−∞, 1]  higher
    soft_nmi                 0.431980  [0, 1]   higher
    """
    asked = {"true": true, "pred": pred, "on": on, "reading": reading, "engine": engine}
    if any(value is not None for value in asked.values()) or isinstance(truth, str | PathLike):
        if not is_tabular(truth) or not (prediction is None or is_tabular(prediction)):
            named = next((name for name, value in asked.items() if value is not None), "truth")
            raise InputError(f"{named}= is for columns of files and data frames; truth or prediction has none")
        options = {name: value for name, value in (("reading", reading), ("engine", engine)) if value is not None}
        truth, prediction = read_sides(truth, prediction, {"true": true, "pred": pred}, on, options)
    elif prediction is None:
        raise InputError("prediction is missing; pass the memberships of both sides")
    pair = SoftPair(truth, prediction)
    made = SoftEvaluation.of(pair, score(pair, SOFT, indices, progress))
    for notice in made.notices:
        warn_user(NoiseWarning(notice.text))
    return made


class _SideColumns(NamedTuple):
    called: str
    memberships: Any
    ids: list[Any] | None

    def make(self) -> SoftClustering:
        """Make the soft clustering; errors name the source of its columns."""
        made = SoftClustering.read(self.memberships, self.called)
        made.called = self.called
        return made


def read_sides(
    truth: Any,
    prediction: Any,
    columns: Mapping[str, str | Sequence[str] | None],
    on: str | None,
    reading: Mapping[str, Any],
) -> tuple[SoftClustering, SoftClustering]:
    """Read the memberships of both sides in the same order, from one source or from two joined by id.

    columns: for "true" and "pred", the names of columns or patterns such as "t*". A single column contains labels.
    """
    if prediction is None:
        if columns["true"] is None or columns["pred"] is None:
            raise InputError(
                Mention("true"),
                " and ",
                Mention("pred"),
                " must name the columns of both sides, where one source has them",
            )
        if on is not None:
            raise InputError(Mention("on"), " joins two sources; leave it out where one source has both sides")
        one, other = (_read_side(truth, columns[side], None, side, reading) for side in ("true", "pred"))
        return one._replace(called=f"{one.called} (truth)").make(), other._replace(
            called=f"{other.called} (prediction)"
        ).make()
    sides = [_read_side(source, columns[side], on, side, reading)
             for source, side in ((truth, "true"), (prediction, "pred"))]  # fmt: skip
    if on is not None:
        order = _match(*sides)
        sides[1] = sides[1]._replace(memberships=sides[1].memberships[order])
    return sides[0].make(), sides[1].make()


def _read_side(
    source: Any, wanted: str | Sequence[str] | None, on: str | None, side: str, reading: Mapping[str, Any]
) -> _SideColumns:
    with open_columns(source, "truth" if side == "true" else "prediction", reading) as table:
        names = list(table.kinds)
        if on is not None and on not in names:
            raise InputError(f"{table.called}: there is no column {on!r} with ids; there are {', '.join(names)}")
        chosen = choose_columns(names, wanted, [on] if on else [], table.called)
        read = table.read([*chosen, *([on] if on else [])])
        ids = None
        if on:
            known = read_ids(read.pop(), f"{table.called}, column {on!r}")
            ids = label_list(known.values, np.asarray(known.codes))
        if len(chosen) == 1:
            _refuse_fractions(read[0], chosen[0], table.called)
            labels = read_labels(read[0], f"{table.called}, column {chosen[0]!r}")
            if labels.n_missing:
                raise InputError(f"{table.called}: column {chosen[0]!r} has no label in row {labels.first_missing}")
            return _SideColumns(table.called, np.asarray(labels.codes), ids)
        holds = ("memberships", side)
        numbers = [to_numbers(column, name, table.called, holds) for column, name in zip(read, chosen, strict=True)]
        return _SideColumns(table.called, np.column_stack(numbers), ids)


def _refuse_fractions(column: Any, name: str, called: str) -> None:
    """Refuse a column with fractional numbers, which in a text file would be read as labels."""
    values = np.asarray(column.to_numpy() if hasattr(column, "to_numpy") else column)
    if values.dtype.kind in "biu":
        return
    try:
        numbers = np.array([float(value) for value in dict.fromkeys(values.tolist()) if value not in (None, "")])
    except (TypeError, ValueError):
        return
    fractions = numbers[np.isfinite(numbers) & (np.trunc(numbers) != numbers)]
    if len(fractions):
        raise InputError(
            f"{called}: column {name!r} holds {fractions[0]:g}, which is no label but a membership; a side needs a "
            "column for each of its clusters, or one of labels"
        )


def _match(truth: _SideColumns, prediction: _SideColumns) -> NDArray[np.int64]:
    """Return the position in the prediction of each id of the truth; both must have the same ids, each once."""
    true, pred = truth.ids or [], prediction.ids or []
    kinds = [{isinstance(one, str) for one in ids} for ids in (true, pred)]
    if kinds[0] != kinds[1]:  # a text file has strings where other sources have numbers
        true, pred = list(map(str, true)), list(map(str, pred))
    codes = np.asarray(read_labels([*true, *pred], "ids").codes)
    one, other = codes[: len(true)], codes[len(true) :]
    for ids, side, named in ((one, truth.called, true), (other, prediction.called, pred)):
        _, first, times = np.unique(ids, return_index=True, return_counts=True)
        if (times > 1).any():
            twice = named[int(first[times > 1].min())]
            raise InputError(f"on: {side} has the id {twice!r} in several rows; each item needs one row")
    order = np.argsort(other, kind="stable")
    at = np.minimum(np.searchsorted(other, one, sorter=order), len(other) - 1)
    lacking = other[order[at]] != one
    if lacking.any() or len(one) != len(other):
        alone = true[int(lacking.argmax())] if lacking.any() else next(iter(set(pred) - set(true)))
        raise InputError(
            f"on: the sides have different ids, such as {alone!r}; {truth.called} has {len(true):,} and "
            f"{prediction.called} has {len(pred):,}: keep the items that both have"
        )
    return order[at]
