"""Curves over thresholds, drawn by matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark.errors import InputError
from clustermark.report.charts.plots import AGREED, INK, LINE, MUTED, PRED, TRUE
from clustermark.tables.conversions import optional

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from clustermark.registry import Index
    from clustermark.sweeps.curves import Curves

_COLOURS = (TRUE, PRED, AGREED, "#cc79a7", "#56b4e9", "#d55e00", INK, MUTED)
_SHOWN = ("pair_precision", "pair_recall", "dice", "b_cubed_f", "adjusted_rand")


class CurvePlots:
    """The charts of a sweep. Each draws on `ax`, or on a new figure, and returns the Axes."""

    def __init__(self, curves: Curves) -> None:
        self._curves = curves

    def curves(self, *indices: str | Index[...], ax: Axes | None = None) -> Axes:
        """Scores over thresholds, with a mark at the best of each; by default of a few indices."""
        own = [one.label for one in self._curves.indices]
        wanted = list(indices) or [name for name in _SHOWN if name in own] or own[:5]
        axes: Any = _new_axes() if ax is None else ax
        for place, index in enumerate(wanted):
            thresholds, scores = np.array(self._curves.curve(index), np.float64).T
            colour = _COLOURS[place % len(_COLOURS)]
            finite = np.isfinite(thresholds)
            axes.plot(thresholds[finite], scores[finite], drawstyle="steps-pre", color=colour, label=_label(index))
            best = self._curves.best(index)
            if np.isfinite(best.threshold):
                axes.plot([best.threshold], [best.score], "o", color=colour, markersize=4)
        axes.set(xlabel="threshold", ylabel="score")
        axes.legend(frameon=False, fontsize="small")
        axes.grid(color=LINE, linewidth=0.5)
        axes.set_title("Scores over thresholds", loc="left", fontsize="medium")
        return axes  # type: ignore[no-any-return]

    def tradeoff(
        self,
        recall: str | Index[...] = "pair_recall",
        precision: str | Index[...] = "pair_precision",
        ax: Axes | None = None,
    ) -> Axes:
        """Precision over recall, one point a threshold."""
        axes: Any = _new_axes() if ax is None else ax
        across, up = ([score for _, score in self._curves.curve(index)] for index in (recall, precision))
        axes.plot(across, up, color=TRUE)
        axes.set(xlabel=_label(recall), ylabel=_label(precision), xlim=(0, 1.02), ylim=(0, 1.02))
        axes.grid(color=LINE, linewidth=0.5)
        axes.set_title("What each threshold trades for what", loc="left", fontsize="medium")
        return axes  # type: ignore[no-any-return]

    def calibration(self, bins: int = 10, ax: Axes | None = None) -> Axes:
        """The share of true pairs over the probability that was given to them; for sweeps of scored pairs."""
        calibrate = getattr(self._curves, "calibration", None)
        if calibrate is None:
            raise InputError("only a sweep of scored pairs has probabilities to calibrate")
        columns = calibrate(bins).to_dict()
        axes: Any = _new_axes() if ax is None else ax
        axes.plot([0, 1], [0, 1], color=MUTED, linewidth=0.8)
        axes.plot(columns["mean_probability"], columns["share_true"], "o-", color=TRUE)
        axes.set(xlabel="probability", ylabel="share of true pairs", xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
        axes.grid(color=LINE, linewidth=0.5)
        axes.set_title("Calibration of the scores", loc="left", fontsize="medium")
        return axes  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        names = ", ".join(name for name in dir(self) if not name.startswith("_"))
        return f"Plots of a sweep: {names}"


def _new_axes() -> Any:
    return optional("matplotlib.pyplot", "plot").subplots(figsize=(6.4, 4), layout="constrained")[1]


def _label(index: Any) -> str:
    return index if isinstance(index, str) else str(index.label)
