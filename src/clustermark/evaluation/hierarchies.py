"""evaluate_trees(): agreement of a tree with another, or with data on its leaves; and the Bk curve."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, overload
from warnings import catch_warnings, warn

import numpy as np

from clustermark.errors import ClustermarkWarning, InputError, count
from clustermark.evaluation.evaluation import Evaluation, score
from clustermark.evaluation.notices import Notice
from clustermark.evaluation.record import Record, count_points, scores_of
from clustermark.indices.arithmetic import over_root
from clustermark.options import without_options
from clustermark.results.canvas import MUTED, TRUE, Drawn, calm, draw_nothing, draw_on
from clustermark.results.data import Column, Table
from clustermark.results.document import SUMMARY, Document, Grid, Head, Section
from clustermark.results.json import current_version
from clustermark.results.result import Result
from clustermark.statistics.tree_clusters import Cuts
from clustermark.subjects.tree_comparisons import (
    LABELED_TREE,
    TREE_DISTANCES,
    TREE_SIMILARITIES,
    TREES,
    TreeDistances,
    TreeLabels,
    TreePair,
    TreeSimilarities,
)
from clustermark.subjects.tree_inputs import count_leaves

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from clustermark.evaluation.evaluation import Scored
    from clustermark.labels.conversion import Labels
    from clustermark.registry import Index
    from clustermark.results.data import Columns
    from clustermark.results.document import Body, View
    from clustermark.subjects.subject import Subject

_SHOWN = 10


class BkCurve(Result):
    """The Fowlkes–Mallows index of two trees cut into k clusters, for every k, and its value expected by chance.

    >>> curve = bk_curve([[0, 1], [2, [3, 4]]], [[0, 1, 2], [3, 4]])
    >>> curve.k.tolist(), curve.score.round(3).tolist()
    ([2, 3, 4], [0.5, 0.408, 1.0])
    """

    KIND = "bk_curve"
    FACTS: ClassVar[Columns] = {"leaves": Column("count")}
    TABLES: ClassVar[dict[str, Columns]] = {
        "cuts": {
            "k": Column("count", doc="the number of clusters"),
            "score": Column("score"),
            "expectation": Column("score"),
            "variance": Column("number"),
            "tied": Column("flag", doc="whether merges of the same height lie on both sides of the cut"),
        }
    }
    MAIN = "cuts"

    def __init__(self, pair: TreePair) -> None:
        self._cuts, self._in_doubles = Cuts.of(pair), pair.n <= pair.limits.in_doubles
        n = pair.n
        self.n = n
        """Number of leaves."""
        self.k: NDArray[np.int64] = np.arange(2, n)
        """Numbers of clusters, from 2 to n - 1."""

    def __len__(self) -> int:
        return len(self.k)

    def _at_every_k(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return values that are known after each merge in the order of ascending k, from 2."""
        return values[: self.n - 2][::-1]

    @cached_property
    def score(self) -> NDArray[np.float64]:
        """Index at each k."""
        counts = [self._at_every_k(count) for count in (self._cuts.together, self._cuts.pairs_a, self._cuts.pairs_b)]
        if self._in_doubles:
            together, a, b = (count.astype(np.float64) for count in counts)
            return np.asarray(np.sqrt(together * together / (a * b)), np.float64)
        columns = zip(*(count.tolist() for count in counts), strict=True)
        return np.array([over_root(together, a * b) for together, a, b in columns], np.float64)

    @cached_property
    def expectation(self) -> NDArray[np.float64]:
        """Mean of the index over all permutations of the leaves of a tree."""
        a, b = (self._at_every_k(pairs).astype(np.float64) for pairs in (self._cuts.pairs_a, self._cuts.pairs_b))
        return np.asarray(np.sqrt(a * b) / (self.n * (self.n - 1) / 2), np.float64)

    @cached_property
    def variance(self) -> NDArray[np.float64]:
        """Variance of the index over all permutations of the leaves of a tree."""
        return self._at_every_k(self._cuts.variance)

    @cached_property
    def tied(self) -> NDArray[np.bool_]:
        """Whether merges of the same height lie on both sides of each cut, so that it depends on their order."""
        return self._cuts.tied

    def band(self, deviations: float = 1.96) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the expectation minus and plus `deviations` standard deviations, clipped to [0, 1]."""
        spread = deviations * np.sqrt(self.variance)
        return np.maximum(self.expectation - spread, 0), np.minimum(self.expectation + spread, 1)

    def facts(self) -> dict[str, Any]:
        """Return the number of leaves."""
        return {"leaves": self.n}

    def tables(self) -> dict[str, Table]:
        """Return the cuts."""
        names = self.TABLES["cuts"]
        columns = (getattr(self, name).tolist() for name in names)
        return {"cuts": Table(names, [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)])}

    @property
    def headline(self) -> str:
        """Description of the curve, in one line."""
        tied = int(np.count_nonzero(self.tied))
        text = f"; {tied:,} between merges of the same height, decided by their order" if tied else ""
        return f"Bk of two trees of {count_leaves(self.n)} at {count(len(self), 'cut')}{text}"

    def document(self, view: View = SUMMARY) -> Document:  # noqa: ARG002
        """Return the document of text, notebook, Markdown, LaTeX and page."""
        title = "Fowlkes–Mallows index at every number of clusters"
        return Document(title, self.headline, [Section("cuts", title, self._bodies, level="summary")])

    def _bodies(self) -> list[Body]:
        columns = {name: column for name, column in self.TABLES["cuts"].items() if name != "tied"}
        heads = [Head(name, column.kind) for name, column in columns.items()]
        rows = [[row[name] for name in columns] for row in self.tables()["cuts"][:_SHOWN]]
        return [Grid(heads, rows, "Cuts", total=len(self))]

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the curve, its expectation and a band of 1.96 standard deviations around it; needs matplotlib."""
        return draw_on(ax, (6.4, 4), lambda ax: _draw_bk(ax, self))


def _draw_bk(ax: Axes, curve: BkCurve) -> Drawn:
    """Draw the index over the number of clusters, with a line and a band of values expected by chance."""
    title = "Agreement of two trees, cut into k clusters"
    if not len(curve):
        return draw_nothing(ax, title, "Fewer than three leaves: there is nothing to cut.")
    low, high = curve.band()
    dots = "o" if len(curve) <= 40 else ""
    ax.fill_between(curve.k, low, high, color=MUTED, alpha=0.2, linewidth=0, label="1.96 standard deviations about it")
    ax.plot(curve.k, curve.expectation, color=MUTED, linestyle="--", label="expected by chance")
    ax.plot(curve.k, curve.score, color=TRUE, marker=dots, markersize=4, label="Bk")
    if curve.tied.any():
        ax.plot(curve.k[curve.tied], curve.score[curve.tied], "x", color=TRUE, label="cut among equal heights")
    ax.set(ylim=(0, 1.02), xlabel="clusters, k", ylabel="Fowlkes–Mallows index")
    if len(curve) > 200:
        ax.set_xscale("log")
    ax.legend(frameon=False, loc="best")
    calm(ax)
    above = int(np.count_nonzero(curve.score > high))
    return Drawn(
        title, f"{above:,} of {len(curve):,} cuts agree more than chance, by over 1.96 standard deviations.", {}
    )


def bk_curve(tree: Any, other: Any = None) -> BkCurve:
    """Compute the Fowlkes–Mallows index of two trees cut into k clusters, for every k at once.

    tree, other: trees over the same leaves, as `Tree` takes them; or a TreePair alone.

    >>> bk_curve([[0, 1], [2, [3, 4]]], [[0, 1, 2], [3, 4]]).score.round(3).tolist()
    [0.5, 0.408, 1.0]
    """
    return BkCurve(tree if isinstance(tree, TreePair) and other is None else TreePair(tree, other))


Compared: TypeAlias = "TreePair | TreeLabels | TreeDistances | TreeSimilarities"


class TreeEvaluation(Evaluation):
    """The scores of a tree against another, or against the classes, distances or similarities of its leaves."""

    SUBJECT = "trees"

    @classmethod
    def _record(cls, subject: Compared, scored: Scored) -> Record:
        trees = [subject.a, subject.b] if isinstance(subject, TreePair) else [subject.tree]
        branches = [len(tree.heights) for tree in trees]
        told = [f"{n:,}" for n in branches[:-1]] + [count(branches[-1], "branch", "branches")]
        kinds = "two trees" if isinstance(subject, TreePair) else "a tree"
        text = f"{kinds} of {count_leaves(trees[0].n)}, {' and '.join(told)}"
        against = {TreePair: "tree", TreeLabels: "labels", TreeDistances: "distances"}.get(
            type(subject), "similarities"
        )
        if isinstance(subject, TreeLabels):
            text += f", and {count(subject.k, 'class', 'classes')}"
        elif not isinstance(subject, TreePair):
            text += f", and their {against}"
        return Record(
            scores=scores_of(subject, scored.scores),
            points=count_points(trees[0].n),
            clusters={"true": subject.k} if isinstance(subject, TreeLabels) else {},
            noise={},
            notices=(),
            settings={"against": against},
            refused=dict(scored.refused),
            version=current_version(),
            subject=cls.SUBJECT,
            about=text,
            facts={"branches": branches},
        )


class TreePairEvaluation(TreeEvaluation):
    """The scores of two trees."""

    @property
    def subject(self) -> TreePair:
        """Trees that were scored."""
        pair: TreePair = super().subject
        return pair

    @cached_property
    def curve(self) -> BkCurve:
        """Fowlkes–Mallows index at every cut."""
        return BkCurve(self.subject)


_NOISE = dict.fromkeys(
    ("noise", "noise_true", "noise_pred"), "a tree has all leaves; leave noise out of the tree and of the labels"
)


@overload
def evaluate_trees(
    tree: Any,
    other: Any,
    indices: Sequence[str | Index[...]] | str | None = None,
    *,
    progress: Callable[[float], None] | None = None,
) -> TreePairEvaluation: ...
@overload
def evaluate_trees(
    tree: Any,
    other: Any = None,
    indices: Sequence[str | Index[...]] | str | None = None,
    *,
    labels: Labels | None = None,
    distances: Any = None,
    similarities: Any = None,
    progress: Callable[[float], None] | None = None,
) -> TreeEvaluation: ...
@without_options(
    **_NOISE,
    missing="every leaf needs a label; leave the others out of the tree",
    unmatched="both must have the same leaves; make them agree",
)
def evaluate_trees(
    tree: Any,
    other: Any = None,
    indices: Sequence[str | Index[...]] | str | None = None,
    *,
    labels: Labels | None = None,
    distances: Any = None,
    similarities: Any = None,
    progress: Callable[[float], None] | None = None,
) -> TreeEvaluation:
    """Score a hierarchy against another one, or against the classes, distances or similarities of its leaves.

    tree, other: a SciPy linkage, scikit-learn's `children_` or an estimator that has it, nested lists, or a `Tree`.
    indices: names of indices of trees, or "all"; by default a panel of them.
    labels: the class of each leaf, or a mapping from the name of a leaf to its class.
    distances: the distances of the leaves, as a square matrix or as returned by `pdist`.
    similarities: the similarities of the leaves, as a symmetric matrix, dense or sparse.
    progress: a function that is called repeatedly with the share that is done.

    >>> evaluate_trees([[0, 1], [2, [3, 4]]], [[0, 1], [[2, 3], 4]])
    two trees of 5 leaves, 4 and 4 branches
    index                      score  range    better
    cophenetic_correlation  0.843750  [-1, 1]  higher
    baker_gamma             0.937500  [-1, 1]  higher
    fowlkes_mallows_bk      1.000000  [0, 1]   higher
    robinson_foulds         2.000000  [0, ∞)   lower
    """
    given = {"other": other, "labels": labels, "distances": distances, "similarities": similarities}
    named = [name for name, value in given.items() if value is not None]
    if len(named) != 1:
        text = ", ".join(named) or "nothing"
        raise InputError(f"tree: give one thing to compare it with, {', '.join(given)}; got {text}")
    kind = _KINDS[named[0]]
    made = kind.make(tree, given[named[0]])
    with catch_warnings(record=True, action="always", category=ClustermarkWarning) as warned:
        scored = score(made, kind, indices, progress)
    notices = [Notice("ties", str(one.message)) for one in warned if isinstance(one.message, ClustermarkWarning)]
    for one in warned:
        if not isinstance(one.message, ClustermarkWarning):
            warn(one.message, stacklevel=2)
    found = (TreePairEvaluation if isinstance(made, TreePair) else TreeEvaluation).of(made, scored)
    found.record = found.record._replace(notices=tuple(notices))
    return found


_KINDS: dict[str, Subject[Any]] = {
    "other": TREES,
    "labels": LABELED_TREE,
    "distances": TREE_DISTANCES,
    "similarities": TREE_SIMILARITIES,
}
