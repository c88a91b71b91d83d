"""Types of an index of another comparison; checked by mypy and pyright, never run."""

from collections.abc import Callable, Sequence
from typing import Concatenate, Generic, NamedTuple, ParamSpec, Self, TypeVar, Unpack, assert_type, overload

import clustermark as cm
from clustermark.labels.conversion import Labels
from clustermark.options import LabelOptions
from clustermark.registry import Index, PartitionIndex, declare
from clustermark.registry.declaration import Declaration
from clustermark.statistics import PairCounts, Sizes, Statistic, Takes
from clustermark.subjects.subject import Subject

Points = Sequence[float]
P = ParamSpec("P")


class Geometry:
    def __init__(self, X: Points, labels: Labels) -> None: ...


GEOMETRY = Subject(Geometry, ("X", "labels"), Geometry, lambda X, labels: True, "a Geometry(X, labels)")


class Scatter(NamedTuple):
    within: float

    @classmethod
    def takes(cls) -> Takes:
        return Takes(comparison=GEOMETRY)

    @classmethod
    def of(cls, comparison: Geometry, /) -> Self:
        raise NotImplementedError

    @classmethod
    def exact(cls, comparison: Geometry, /) -> Self:
        raise NotImplementedError


class GeometryIndex(Index[Concatenate[Points, Labels, P]], Generic[P]):
    def __call__(self, X: Points, labels: Labels, *args: P.args, **options: P.kwargs) -> float:
        raise NotImplementedError


G = TypeVar("G", bound=Statistic[Geometry])


def geometry_index(
    statistic: type[G], **facts: Unpack[Declaration]
) -> Callable[[Callable[Concatenate[G, P], float]], GeometryIndex[P]]:
    return declare(GeometryIndex, statistic, facts)


@geometry_index(Scatter, title="Scatter", formula="within")
def scatter(s: Scatter, *, scale: float = 1.0) -> float:
    return s.within * scale


assert_type(scatter([0.0], [1], scale=2.0), float)
assert_type(scatter.strict(X=[0.0], labels=["a"]), float)
scatter([0.0], [1], beta=2.0)  # type: ignore[call-arg] # pyright: ignore[reportCallIssue]
scatter(["a"], [1])  # type: ignore[list-item] # pyright: ignore[reportArgumentType]


class EitherIndex(PartitionIndex[P]):
    """An index that takes two partitions, or points and labels."""

    @overload
    def __call__(self, y_true: Labels, y_pred: Labels, *args: P.args, **options: P.kwargs) -> float: ...
    @overload
    def __call__(self, y_true: Labels, y_pred: Labels, **policies: Unpack[LabelOptions]) -> float: ...
    @overload
    def __call__(self, X: Points, labels: Labels, *args: P.args, **options: P.kwargs) -> float: ...
    def __call__(self, *inputs: object, **options: object) -> float:
        raise NotImplementedError


def of_either(either: EitherIndex[[]]) -> None:
    assert_type(either(y_true=[0], y_pred=[0]), float)
    assert_type(either(X=[0.5], labels=[0]), float)
    either(X=["a"], labels=[0])  # type: ignore[list-item] # pyright: ignore[reportArgumentType]


@cm.index(PairCounts, title="Pairs kept", formula="yy / (yy + yn)", symmetric=False)
def pairs_kept(p: PairCounts, *, times: int = 1) -> float:
    return p.yy / (p.yy + p.yn) * times


assert_type(pairs_kept([0, 1], [0, 1], times=2), float)
pairs_kept([0, 1], [0, 1], beta=2)  # type: ignore[call-overload] # pyright: ignore[reportCallIssue]
cm.index(PairCounts, title="Pairs kept")  # type: ignore[call-arg] # pyright: ignore[reportCallIssue]
cm.index(PairCounts, title="x", formula="yy", colour="red")  # type: ignore[call-arg] # pyright: ignore[reportCallIssue]
cm.index(Scatter, title="x", formula="yy")  # type: ignore[type-var] # pyright: ignore[reportArgumentType]


@cm.index(PairCounts, title="x", formula="yy")  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
def of_another_statistic(s: Sizes) -> float:
    return s.n


assert_type(cm.cophenetic_correlation([[0, 1], 2], [[0, 2], 1], method="spearman"), float)
assert_type(cm.dendrogram_purity.strict(tree=[[0, 1], 2], labels=[0, 0, 1]), float)
assert_type(cm.partition_coefficient([[0.5, 0.5]]), float)
assert_type(cm.evaluate_trees([[0, 1], 2], [[0, 2], 1]).curve, cm.BkCurve)
of_leaves = cm.evaluate_trees([[0, 1], 2], labels=[0, 0, 1])
assert_type(of_leaves, cm.TreeEvaluation)
of_leaves.curve  # type: ignore[attr-defined] # pyright: ignore[reportAttributeAccessIssue]
of_covers = cm.evaluate_covers([{0, 1}], [{0}, {1}])
assert_type(of_covers.subject, cm.CoverTable)
of_covers.splits()  # type: ignore[attr-defined] # pyright: ignore[reportAttributeAccessIssue]
assert_type(cm.evaluate_internal([[0.0], [1.0]], [0, 1]).subject, cm.Geometry)
assert_type(cm.evaluate_soft([[0.5, 0.5]], [0]).subject, cm.SoftPair)
assert_type(cm.evaluate_soft([0, 1], [0, 1])["fuzzy_rand"], float)
assert_type(cm.omega([{0, 1}], cm.Cover([{0}, {1}]), items=range(3)), float)
assert_type(cm.average_f1([{0, 1}], [{0}, {1}]), float)
assert_type(cm.average_f1({"a": [0]}, cm.Cover([{0}]), items=range(3)), float)
assert_type(cm.element_centric([0, 1], [0, 0], alpha=0.5), float)
assert_type(cm.element_centric.of(cm.CoverTable([{0}], [{0}]), alpha=0.5), float)
assert_type(cm.element_centric.of(cm.crosstab([0], [0])), float)
cm.average_f1([0, 1], [0, 0], items=range(3))  # type: ignore[arg-type] # pyright: ignore[reportArgumentType, reportCallIssue]
cm.omega.of(cm.crosstab([0], [0]))  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
