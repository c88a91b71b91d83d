"""Displays in the manner of scikit-learn's: made from an estimator or from predictions, and plotted repeatedly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark.compat.sklearn_points import silhouette_samples
from clustermark.compat.sklearn_scorers import predict_labels
from clustermark.compat.sklearn_scores import sort_table
from clustermark.errors import InputError
from clustermark.labels import label_list, read_labels
from clustermark.results.frames import optional
from clustermark.tables.tabulation import crosstab

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from clustermark.labels.conversion import Labels

_NORMALIZE = {"true": (1, True), "pred": (0, True), "all": (None, False)}
_MOST_TEXTS = 900
"""Maximum number of cells that are labelled with their values by default."""


class ContingencyDisplay:
    """A contingency table as an image, as scikit-learn's `ConfusionMatrixDisplay` shows a confusion matrix.

    Make it by `from_predictions` or `from_estimator`. After `plot`, `ax_`, `figure_`, `im_` and `text_` (None without
    values) are the parts of the drawing.

    contingency: rows of true clusters, columns of predicted clusters. true_labels, pred_labels: their names.
    """

    def __init__(
        self,
        contingency: Any,
        *,
        true_labels: Sequence[Any] | None = None,
        pred_labels: Sequence[Any] | None = None,
    ) -> None:
        self.contingency: NDArray[Any] = np.asarray(contingency)
        if self.contingency.ndim != 2:
            raise InputError("contingency: pass a matrix, such as contingency_matrix(labels_true, labels_pred)")
        rows, columns = self.contingency.shape
        self.true_labels = list(range(rows)) if true_labels is None else list(true_labels)
        self.pred_labels = list(range(columns)) if pred_labels is None else list(pred_labels)
        for name, labels, n in (("true_labels", self.true_labels, rows), ("pred_labels", self.pred_labels, columns)):
            if len(labels) != n:
                raise InputError(f"{name}: there are {len(labels)} names for {n} clusters; pass one for each")

    @classmethod
    def from_predictions(
        cls, y_true: Labels, y_pred: Labels, *, normalize: str | None = None, match: bool = True, **options: Any
    ) -> ContingencyDisplay:
        """Count the points of two labelings, and plot the table.

        normalize: "true" for shares of the true clusters, "pred" for those of the predicted ones, "all" for those of
            all points.
        match: whether predicted clusters come in the order of the true clusters that contain most of them.
        options: those of `plot`.
        """
        if normalize not in (None, *_NORMALIZE):
            raise InputError(f"normalize={normalize!r} must be 'true', 'pred', 'all' or None")
        cells, true, pred = sort_table(crosstab(y_true, y_pred))
        counts = cells.toarray()
        if match:
            order = np.lexsort((-counts.max(axis=0), counts.argmax(axis=0)))
            counts, pred = counts[:, order], [pred[place] for place in order.tolist()]
        if normalize is not None:
            axis, keep = _NORMALIZE[normalize]
            counts = counts / counts.sum(axis=axis, keepdims=keep)
        return cls(counts, true_labels=true, pred_labels=pred).plot(**options)

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Labels, **options: Any) -> ContingencyDisplay:
        """Do the same with the clusters that a fitted estimator predicts for X, or has for it in `labels_`."""
        return cls.from_predictions(y, predict_labels(estimator, X), **options)

    def plot(
        self,
        *,
        include_values: bool | None = None,
        cmap: Any = "Blues",
        values_format: str | None = None,
        xticks_rotation: float | str = "horizontal",
        ax: Any = None,
        colorbar: bool = True,
        im_kw: dict[str, Any] | None = None,
        text_kw: dict[str, Any] | None = None,
    ) -> ContingencyDisplay:
        """Plot the table, into `ax` if it is given, and return the display.

        include_values: whether cells contain their numbers; by default those of tables of up to 900 cells do.
        """
        self.figure_, self.ax_ = _axes(ax)
        matrix = self.contingency
        self.im_ = self.ax_.imshow(matrix, **{"cmap": cmap, "interpolation": "nearest"} | (im_kw or {}))
        self.text_ = None
        if matrix.size <= _MOST_TEXTS if include_values is None else include_values:
            self.text_ = self._write_values(values_format, text_kw or {})
        if colorbar:
            self.figure_.colorbar(self.im_, ax=self.ax_)
        rows, columns = matrix.shape
        self.ax_.set(
            xticks=range(columns), yticks=range(rows), xlabel="Predicted cluster", ylabel="True cluster",
            xticklabels=list(map(str, self.pred_labels)), yticklabels=list(map(str, self.true_labels)),
        )  # fmt: skip
        named: dict[Any, float] = {"horizontal": 0, "vertical": 90}
        self.ax_.tick_params(axis="x", labelrotation=named.get(xticks_rotation, xticks_rotation))
        return self

    def _write_values(self, values_format: str | None, text_kw: dict[str, Any]) -> NDArray[Any]:
        matrix = self.contingency
        whole = matrix.dtype.kind in "iub"
        texts = np.empty(matrix.shape, object)
        dark = (float(matrix.max()) + float(matrix.min())) / 2
        for (row, column), value in np.ndenumerate(matrix):
            colour = self.im_.cmap(self.im_.cmap.N if value <= dark else 0)
            text = format(value, values_format or ("d" if whole else ".2g"))
            texts[row, column] = self.ax_.text(
                column, row, text, **{"ha": "center", "va": "center", "color": colour} | text_kw
            )
        return texts


class SilhouetteDisplay:
    """The silhouettes of all points by cluster, the widest first; a line is their mean.

    Make it by `from_predictions` or `from_estimator`. After `plot`, `ax_`, `figure_`, `bars_` (one collection for each
    cluster) and `line_` are the parts of the drawing.

    silhouettes: the value of each point, as of `silhouette_samples`. labels: the cluster of each point.
    """

    def __init__(self, silhouettes: Any, labels: Labels) -> None:
        self.silhouettes: NDArray[np.float64] = np.asarray(silhouettes, np.float64)
        side = read_labels(labels, "labels")
        if self.silhouettes.shape != (len(side),):
            raise InputError(
                f"silhouettes has the shape {self.silhouettes.shape} for {len(side):,} labels; pass one for each point"
            )
        self.labels = label_list(side.values, side.codes)
        _, self.clusters, _ = sort_table(crosstab(self.labels, self.labels))
        """The labels of the clusters, in the order of the bars from the top."""
        self.silhouette_score = float(self.silhouettes.mean())

    @classmethod
    def from_predictions(
        cls,
        X: Any,
        labels: Labels,
        *,
        metric: Any = "euclidean",
        metric_kw: dict[str, Any] | None = None,
        **options: Any,
    ) -> SilhouetteDisplay:
        """Measure the silhouettes of points, and plot them.

        metric, metric_kw: as in `silhouette_samples`. options: those of `plot`.
        """
        return cls(silhouette_samples(X, labels, metric=metric, **(metric_kw or {})), labels).plot(**options)

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: object = None, **options: Any) -> SilhouetteDisplay:
        """Do the same with the clusters that a fitted estimator predicts for X, or has for it in `labels_`."""
        del y
        return cls.from_predictions(X, predict_labels(estimator, X), **options)

    def plot(
        self, *, ax: Any = None, colors: Sequence[Any] | None = None, line_kw: dict[str, Any] | None = None
    ) -> SilhouetteDisplay:
        """Plot the silhouettes, into `ax` if it is given, and return the display.

        colors: a colour for each cluster; by default those of the current style in turn.
        """
        self.figure_, self.ax_ = _axes(ax)
        codes = {label: code for code, label in enumerate(self.clusters)}
        place = np.array([codes[label] for label in self.labels], np.intp)
        order = np.lexsort((self.silhouettes, -place))  # from the bottom: the last cluster first, its narrowest first
        gap = max(1.0, len(order) / 100)
        self.bars_: list[Any] = []
        middles: list[float] = []
        start = 0.0
        for code in range(len(self.clusters) - 1, -1, -1):
            widths = self.silhouettes[order[place[order] == code]]
            heights = start + np.arange(len(widths) + 1)
            shown = np.append(widths, widths[-1:])
            colour = f"C{code % 10}" if colors is None else colors[code % len(colors)]
            self.bars_.insert(0, self.ax_.fill_betweenx(heights, 0, shown, step="post", color=colour, linewidth=0))
            middles.insert(0, start + len(widths) / 2)
            start += len(widths) + gap
        self.line_ = self.ax_.axvline(
            self.silhouette_score, **{"color": "black", "linestyle": "--", "linewidth": 1} | (line_kw or {})
        )
        self.ax_.set(
            xlabel="Silhouette", ylabel="Cluster", yticks=middles, yticklabels=list(map(str, self.clusters)),
            xlim=(min(0.0, float(self.silhouettes.min())), 1), ylim=(0, max(start - gap, 1)),
        )  # fmt: skip
        return self


def _axes(ax: Any) -> tuple[Any, Any]:
    """Return a figure and its axes: the given ones, or new ones of pyplot, which notebooks show."""
    if ax is None:
        figure, ax = optional("matplotlib.pyplot", "a display").subplots()
        return figure, ax
    return ax.figure, ax
