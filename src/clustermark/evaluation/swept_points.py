"""The points on which the labelings of a sweep are scored: those that all labelings keep, or the own points of each."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from clustermark.errors import ClustermarkWarning, InputError, Mention, warn_user
from clustermark.evaluation.internal_scoring import PointData, fits, make_points, reading_of
from clustermark.evaluation.notices import Notice, tell_left_out
from clustermark.labels import check_same_index, label_list, read_weights
from clustermark.results.values import quantity, share_text, threshold_text
from clustermark.sources.reading import Role, read_memory
from clustermark.sources.tabular import is_tabular, open_columns
from clustermark.subjects.features import choose_columns, is_sparse, read_distances, read_features
from clustermark.tables.policies import read_common_policies

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from clustermark.evaluation.internal_evaluation import InternalEvaluation
    from clustermark.sources.reading import Records
    from clustermark.tables.policies import Policies

COMMON, OWN = "common", "own"
_CHOICES: Final = (COMMON, OWN)


def check_points(points: object) -> None:
    """Refuse a choice of points that is unknown."""
    if points not in _CHOICES:
        raise InputError(
            Mention("points", points),
            " is not one of its values; choose 'common', the points that all labelings keep, or 'own'",
        )


class SweptPoints(NamedTuple):
    """The points of a sweep."""

    n_given: int
    own: dict[float, int]
    """Number of points that each labeling keeps, by its threshold; those left out are not among them."""
    kept: NDArray[np.bool_] | None = None
    """Mask of the points that all labelings keep, if scores are on these and a labeling keeps more."""
    counts: dict[str, int] | None = None
    """Numbers of points given, used, noise, dropped and unmatched, if scores are on common points only."""
    left_out: tuple[float, ...] = ()
    """Thresholds of labelings without points."""

    def coverage(self, threshold: float) -> float:
        """Return the share of the points that a labeling keeps."""
        return self.own[threshold] / self.n_given

    def notices(self) -> list[Notice]:
        """Return the notices on points that labelings leave out, and on labelings without points."""
        sentence = tell_left_out(f"the labeling {threshold_text(one)}" for one in self.left_out)
        return [*self._tell_coverage(), *(Notice("left_out", text) for text in sentence)]

    def _tell_coverage(self) -> list[Notice]:
        fewest, most = (choose(self.own, key=self.own.__getitem__) for choose in (min, max))
        if self.counts is not None:
            used, given = self.counts["used"], self.counts["given"]
            text = (
                f"Scored on the {quantity(used, 'point')} of {given:,} ({share_text(used / given)}) that all labelings "
                f"keep; the labeling {threshold_text(fewest)} alone leaves out "
                f"{share_text(1 - self.coverage(fewest))} of the points."
            )
            return [Notice("coverage", text)]
        if self.own[fewest] == self.own[most]:
            return []
        span = " to ".join(f"{self.own[level]:,} at {threshold_text(level)}" for level in (fewest, most))
        text = f"The labelings are scored on different points, from {span}: the scores cannot be compared."
        return [Notice("coverage", text)]


def choose_points(
    records: Records, roles: Mapping[float, str], truth: str, policies: Policies, points: str
) -> tuple[SweptPoints, Records]:
    """Return the points on which labelings are scored, and the records of these labelings and points.

    Labelings without points are left out with a warning, unless none is left.
    roles: the roles of the labelings, by threshold. truth: the role of the truth; empty if there is none.
    """
    empty = set(records.without_points(policies, truth))
    left_out = tuple(threshold for threshold, role in roles.items() if role in empty)
    if len(left_out) == len(roles):
        left_out = ()
    for text in tell_left_out(f"the labeling {threshold_text(one)}" for one in left_out):
        warn_user(ClustermarkWarning(text))
    gone = {roles[threshold] for threshold in left_out}
    records = replace(records, labels={role: one for role, one in records.labels.items() if role not in gone})
    own = {
        threshold: records.count_kept(role, policies, truth)
        for threshold, role in roles.items()
        if threshold not in left_out
    }
    if points == OWN and any(own.values()):
        chosen = SweptPoints(records.n_given, own, left_out=left_out)
        _warn_of_different_points(chosen)
        return chosen, records
    common = records.common(policies, truth)
    if all(n == common.points["used"] for n in own.values()):
        return SweptPoints(common.points["given"], own, left_out=left_out), records
    ids = list(records.ids) if records.ids is not None else range(records.n)
    places = {ids[place]: number for number, place in enumerate(np.flatnonzero(common.kept).tolist())}
    chosen = SweptPoints(common.points["given"], own, common.kept, common.points, left_out)
    return chosen, replace(common.records, ids=places)


def _warn_of_different_points(chosen: SweptPoints) -> None:
    for notice in chosen.notices():
        if notice.kind == "coverage":
            warn_user(ClustermarkWarning(notice.text))


_ONE = "labelings[{!r}]"


def read_swept(
    X: Any, labelings: Mapping[float, Any], points: str, how: dict[str, Any]
) -> tuple[SweptPoints, Any, dict[float, Any], dict[str, Any]]:
    """Read labelings of points: return the chosen points, their features, the labelings on them, and the options.

    how: the options of `evaluate_internal`; features and weights may be cut to the points, too.
    """
    given = PointData(X, dict(labelings), how["weights"])
    if any(isinstance(labels, str) for labels in labelings.values()):
        found, how = _read_columns(X, labelings, how)
        if found is None:
            own = dict.fromkeys(sorted(labelings), 0)
            return SweptPoints(0, own), X, given.labels, how
        given = found
    policies = read_common_policies(how["noise"], how["missing"], "error")
    roles = {threshold: _ONE.format(threshold) for threshold in sorted(labelings)}
    records = read_memory(
        ((role, Role(role, given.labels[threshold])) for threshold, role in roles.items()), {}, policies
    )
    chosen, records = choose_points(records, roles, "", policies, points)
    if chosen.kept is None:
        return chosen, given.X, {threshold: given.labels[threshold] for threshold in chosen.own}, how
    kept = np.flatnonzero(chosen.kept)
    check_same_index(given.X, next(iter(given.labels.values())), "X", "labelings")
    X, weights = _take(given.X, kept, how["metric"]), given.weights
    if weights is not None:
        weights = read_weights(weights, len(chosen.kept))[kept]
    sides = {threshold: records.labels[roles[threshold]] for threshold in chosen.own}
    labels = {threshold: label_list(side.values, side.codes) for threshold, side in sides.items()}
    return chosen, X, labels, how | {"weights": weights}


def _read_columns(
    X: Any, labelings: Mapping[float, Any], how: dict[str, Any]
) -> tuple[PointData | None, dict[str, Any]]:
    """Return the points of a source with labelings in columns, None if it is read in batches; and the options."""
    if not (is_tabular(X) and all(isinstance(name, str) for name in labelings.values())):
        raise InputError("labelings: pass labels for each threshold, or a source as X and the names of its columns")
    with open_columns(X, "points", reading_of(how)) as table:
        names, weights = list(table.kinds), how["weights"]
        beside = [*labelings.values(), *([weights] if isinstance(weights, str) else [])]
        for name in beside:
            if name not in names:
                raise InputError(f"labelings: {table.called} has no column {name!r}; there are {', '.join(names)}")
        wanted = choose_columns(names, how["features"], beside, table.called)
        if table.store is not None and not fits(table, wanted, how["batch"]):
            return None, how | {"features": wanted}
        columns = dict(zip([*wanted, *beside], table.read([*wanted, *beside]), strict=True))
        decimals = {name for name in wanted if table.kinds[name] == "decimal"}
        first = [columns[name] for name in (*wanted, beside[0], *beside[len(labelings) :])]
        points = make_points(wanted, weights, table.called, decimals, first)
    labels = {threshold: columns[name] for threshold, name in labelings.items()}
    read = dict.fromkeys(("features", "batch", "reading", "engine", "memory", "temporary"))
    return PointData(points.X, labels, points.weights), how | read | {"weights": points.weights}


def count_points(chosen: SweptPoints, evaluations: Mapping[float, InternalEvaluation]) -> SweptPoints:
    """Return the points of labelings that were read in batches, each on its own points, and warn if they differ."""
    if chosen.n_given:
        return chosen
    own = {threshold: one.n_used for threshold, one in evaluations.items()}
    counted = SweptPoints(next(iter(evaluations.values())).subject.n_given, own)
    _warn_of_different_points(counted)
    return counted


def _take(X: Any, kept: NDArray[np.intp], metric: Any) -> Any:
    """Return the features, or the distances, of some points."""
    if is_sparse(X):
        X = X.tocsr()[kept]
        return X[:, kept] if metric == "precomputed" else X
    if metric == "precomputed":
        return read_distances(X, "X")[np.ix_(kept, kept)]
    return read_features(X)[kept]
