"""evaluate_soft(): how well two soft clusterings agree."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any

from clustermark.errors import InputError, count
from clustermark.evaluation.evaluation import Evaluation
from clustermark.evaluation.scoring import score
from clustermark.evaluation.soft.columns import read_sides
from clustermark.options import without_options
from clustermark.report.record import Record, count_points, scores_of
from clustermark.results.json import current_version
from clustermark.sources.tabular import is_tabular
from clustermark.statistics.soft import MembershipShares
from clustermark.subjects.soft import SOFT, SoftClustering, SoftPair

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from clustermark.evaluation.scoring import Scored
    from clustermark.registry import Index


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
            notices=(),
            settings={},
            refused=dict(scored.refused),
            version=current_version(),
            subject=cls.SUBJECT,
            about=f"{count(subject.n, 'item')}; {_describe(subject.u)} against {_describe(subject.v)}",
            facts={"hard": {name: side.codes is not None for name, side in sides.items()}},
        )

    @property
    def subject(self) -> SoftPair:
        """The soft clusterings that were scored."""
        pair: SoftPair = super().subject
        return pair


def _describe(side: SoftClustering) -> str:
    if side.codes is not None:
        return count(side.k, "hard cluster")
    shares = MembershipShares.of(side)
    return f"{count(side.k, 'soft cluster')} (partition coefficient {shares.squares / shares.n:.3f})"


_NOISE = dict.fromkeys(
    ("noise", "noise_true", "noise_pred"), "memberships have no label for noise; leave its column out"
)


@without_options(
    **_NOISE,
    missing="every row needs memberships; leave the others out",
    unmatched="both must have the same rows; make them agree",
)
def evaluate_soft(
    U: Any,
    V: Any = None,
    indices: Sequence[str | Index[...]] | str | None = None,
    *,
    true: str | Sequence[str] | None = None,
    pred: str | Sequence[str] | None = None,
    on: str | None = None,
    reading: Mapping[str, Any] | None = None,
    engine: str | None = None,
    progress: Callable[[float], None] | None = None,
) -> SoftEvaluation:
    """Score two soft clusterings of the same items, in the same order; truth first, where one of them is.

    U, V: a row of memberships for each item, which add up to 1; or a label for each item. Or files or data frames, of
        which `true` and `pred` name columns: one that has both sides, or one for each.
    indices: names of indices of two soft clusterings; "all"; or a panel of them if it is left out. Beyond 50,000 items
        those that compare every two items are left out unless they are named.
    true, pred: names of columns or patterns such as "t*", which match all columns but the id; one column has labels.
    on: the column of ids by which two files are joined; rows are in the same order if it is left out.
    reading, engine: how and by whom a file is read, as in `evaluate`.
    progress: a function that is called, now and then, with the share that is done.

    >>> evaluate_soft([[0.9, 0.1], [0.8, 0.2], [0.1, 0.9]], [0, 0, 1])
    3 items; 2 soft clusters (partition coefficient 0.773) against 2 hard clusters
    index                       score  range
    fuzzy_rand               0.800000  [0, 1], higher is better
    adjusted_concordance     0.590909  (−∞, 1], higher is better
    frobenius_adjusted_rand  0.778503  (−∞, 1], higher is better
    soft_nmi                 0.431980  [0, 1], higher is better
    """
    asked = {"true": true, "pred": pred, "on": on, "reading": reading, "engine": engine}
    if any(value is not None for value in asked.values()) or isinstance(U, str | PathLike):
        if not is_tabular(U) or not (V is None or is_tabular(V)):
            named = next((name for name, value in asked.items() if value is not None), "U")
            raise InputError(f"{named}= is for columns of files and data frames; U or V has none")
        options = {name: value for name, value in (("reading", reading), ("engine", engine)) if value is not None}
        U, V = read_sides(U, V, {"true": true, "pred": pred}, on, options)
    elif V is None:
        raise InputError("V is missing; pass the memberships of both sides")
    pair = SoftPair(U, V)
    return SoftEvaluation.of(pair, score(pair, SOFT, indices, progress))
