"""Accounts of scored pairs: pairs without closing, lost and false pairs, false merges, calibration."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

import numpy as np

from clustermark.errors import InputError
from clustermark.results.data import Column, Table
from clustermark.results.document import SUMMARY, Chart, Document, Grid, Head, Section, Value
from clustermark.results.result import Result
from clustermark.results.rows import Rows, grid_of
from clustermark.results.text import align
from clustermark.results.values import threshold_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from clustermark.evaluation.best_threshold import BestInterval
    from clustermark.evaluation.curves import Choice
    from clustermark.evaluation.pair_partitions import PairRecords
    from clustermark.evaluation.pair_sweep import PairSweep
    from clustermark.registry import Index
    from clustermark.results.data import Columns
    from clustermark.results.document import View


_MOST_SHOWN = 200
"""Maximal number of thresholds of raw pairs on a page."""


class KnownPairs(NamedTuple):
    """The distinct pairs of two records that count, each with its highest score, in descending order."""

    left: NDArray[np.int32]
    right: NDArray[np.int32]
    scores: NDArray[np.float64]
    true: NDArray[np.bool_]

    @classmethod
    def of(
        cls,
        records: PairRecords,
        labels: NDArray[np.int32],
        repeated: NDArray[np.bool_],
        sources: NDArray[np.int32] | None = None,
    ) -> KnownPairs:
        """Leave out repeats, pairs of a record with itself, records without truth, and pairs within a source."""
        known = ~repeated & (labels[records.left] >= 0) & (labels[records.right] >= 0)
        if sources is not None:
            known &= sources[records.left] != sources[records.right]
        order = np.flatnonzero(known)[np.argsort(-records.scores[known], kind="stable")]
        left, right = records.left[order], records.right[order]
        return cls(left, right, records.scores[order], labels[left] == labels[right])

    def down_to(self, threshold: float) -> int:
        """Return the number of pairs with at least this score."""
        return int(np.searchsorted(-self.scores, -threshold, side="right"))


class RawPairs(Result):
    """The scored pairs without transitive closure: how many of those above a threshold are true.

    Records that the pairs do not name, and pairs that were never scored, count against recall.
    """

    KIND = "raw_pairs"
    FACTS: ClassVar[Columns] = {"all_true_pairs": Column("count", doc="the true pairs, scored or not")}
    TABLES: ClassVar[dict[str, Columns]] = {
        "thresholds": {
            "threshold": Column("threshold"),
            "pairs": Column("count"),
            "true_pairs": Column("count"),
            "precision": Column("score"),
            "recall": Column("score"),
            "f_measure": Column("score"),
        }
    }
    MAIN = "thresholds"

    def __init__(self, pairs: KnownPairs, true_pairs: int, sign: int) -> None:
        """Count the pairs; `PairSweep.raw` does so."""
        ends = pairs.scores[1:] != pairs.scores[:-1]
        last = np.flatnonzero(np.append(ends, True)[: len(pairs.scores)])
        self._thresholds = sign * pairs.scores[last]
        self._pairs = last + 1
        self._true = np.cumsum(pairs.true, dtype=np.int64)[last]
        self._all_true = true_pairs

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the columns: threshold, pairs, true_pairs, precision, recall and f_measure."""
        with np.errstate(divide="ignore", invalid="ignore"):
            recall = self._true / np.float64(self._all_true) if self._all_true else np.ones(len(self._true))
            f = 2 * self._true / (self._pairs + np.float64(self._all_true))
        columns = (self._thresholds, self._pairs, self._true, self._true / self._pairs, recall, f)
        names = ("threshold", "pairs", "true_pairs", "precision", "recall", "f_measure")
        return {name: column.tolist() for name, column in zip(names, columns, strict=True)}

    def best(self) -> dict[str, float]:
        """Return the row with the best F-measure; of equals the strictest."""
        columns = self.to_dict()
        if not columns["f_measure"]:
            raise InputError("no scored pair has two records with a true label, so no threshold is best")
        place = int(np.argmax(columns["f_measure"]))
        return {name: column[place] for name, column in columns.items()}

    def __len__(self) -> int:
        return len(self._thresholds)

    def facts(self) -> dict[str, int]:
        """Return the number of true pairs, scored or not."""
        return {"all_true_pairs": self._all_true}

    def tables(self) -> dict[str, Table]:
        """Return the thresholds."""
        columns = self.to_dict()
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        return {"thresholds": Table(self.TABLES["thresholds"], rows)}

    def document(self, view: View = SUMMARY) -> Document:  # noqa: ARG002
        """Return the document of text, notebook, Markdown, LaTeX and page: the best threshold, and some others."""
        return Document(
            "Pairs without closing",
            f"{len(self):,} thresholds of the raw pairs; {self._all_true:,} true pairs",
            [Section("best", "Best threshold", lambda: self._grids(1), level="summary"),
             Section("all", "Thresholds", lambda: self._grids(_MOST_SHOWN))],
        )  # fmt: skip

    def _grids(self, most: int) -> list[Grid]:
        table = self.tables()["thresholds"]
        if not len(table):
            return []
        if most == 1:
            return [grid_of(Table(table.columns, [self.best()]), "The best F-measure")]
        return [grid_of(Table(table.columns, table.rows[:: -(-len(table) // most)], len(table)), "Thresholds")]


class Losses(NamedTuple):
    """Numbers of pairs of records at a threshold: true pairs by how they are found or lost, false pairs by origin.

    true_pairs = found + regained + scored_below + never_proposed.
    """

    threshold: float
    true_pairs: int
    found: int
    """True pairs with a good enough score."""
    regained: int
    """True pairs without a good enough score that the closure puts together."""
    scored_below: int
    """True pairs with too low a score, which are lost."""
    never_proposed: int
    """True pairs that were never scored, which are lost."""
    false_scored: int
    """False pairs with a good enough score."""
    falsely_added: int
    """False pairs that the closure adds."""

    def __repr__(self) -> str:
        rows = [
            ("found by their score", self.found),
            ("regained by closing", self.regained),
            ("lost: scored below", self.scored_below),
            ("lost: never proposed", self.never_proposed),
            ("false, by their score", self.false_scored),
            ("false, added by closing", self.falsely_added),
        ]
        head = f"threshold {threshold_text(self.threshold)}, {self.true_pairs:,} true pairs"
        return f"{head}\n{align([(what, f'{n:,}') for what, n in rows])}"


def count_losses(pairs: KnownPairs, clusters: NDArray[Any], threshold: float, totals: tuple[int, int, int]) -> Losses:
    """Count the losses at a threshold.

    totals: the numbers of pairs of points that are together in truth, in the prediction, and in both.
    """
    together_true, together_pred, together_both = totals
    n = pairs.down_to(threshold)
    found = int(np.count_nonzero(pairs.true[:n]))
    below = pairs.true.copy()
    below[:n] = False
    below &= clusters[pairs.left] != clusters[pairs.right]
    scored_below = int(np.count_nonzero(below))
    return Losses(
        threshold=threshold,
        true_pairs=together_true,
        found=found,
        regained=together_both - found,
        scored_below=scored_below,
        never_proposed=together_true - together_both - scored_below,
        false_scored=n - found,
        falsely_added=together_pred - together_both - (n - found),
    )


class FalseMerge(NamedTuple):
    """A scored pair that joined two clusters, with the pairs of records that it put together."""

    left: Any
    right: Any
    score: float
    false_pairs: int
    """Pairs of records that it put together and that are apart in truth."""
    true_pairs: int


MERGE: Columns = {
    "left": Column("any", doc="an id; one of two parts is an array"),
    "right": Column("any", doc="an id; one of two parts is an array"),
    "score": Column("threshold"),
    "false_pairs": Column("count", doc="pairs of records that are apart in truth and that it put together"),
    "true_pairs": Column("count"),
}


class FalseMerges(Rows[FalseMerge]):
    """The scored pairs that put together most pairs of records that are apart in truth, the worst first."""

    KIND = "false_merges"
    COLUMNS = MERGE
    TITLE = "False merges"
    ID_COLUMNS = ("left", "right")
    FACTS: ClassVar[Columns] = {"total": Column("count", doc="all false pairs")}

    def __init__(self, rows: list[FalseMerge], total: int, on: object = None) -> None:
        super().__init__(rows)
        self._total, self.on = total, on

    def facts(self) -> dict[str, int]:
        """Return the number of all false pairs."""
        return {"total": self._total}

    @property
    def headline(self) -> str:
        """Number of all false pairs."""
        return f"{self._total:,} false pairs" + ("; the scored pairs that caused most of them" if len(self) else "")

    def grid(self) -> Grid:
        """Return the pairs."""
        return merges_grid(self)


def merges_grid(merges: FalseMerges) -> Grid:
    """Return scored pairs with the pairs of records that they put together."""
    heads = [Head("left", "label"), Head("right", "label"), Head("score", "threshold")]
    heads += [Head("false pairs", "count"), Head("true pairs", "count")]
    empty = "No pair puts records together that are apart in truth."
    return Grid(heads, [tuple(row) for row in merges], "False merges", empty)


class Calibration(Result):
    """A comparison, in bins of equal width, of the probabilities of pairs with the share of true pairs."""

    KIND = "calibration"
    FACTS: ClassVar[Columns] = {
        "brier": Column("number", doc="mean squared difference of probability and truth; 0 is best"),
        "error": Column("number", doc="expected calibration error"),
    }
    TABLES: ClassVar[dict[str, Columns]] = {
        "bins": {
            "low": Column("number"),
            "high": Column("number"),
            "pairs": Column("count"),
            "mean_probability": Column("share"),
            "share_true": Column("share"),
        }
    }
    MAIN = "bins"

    def __init__(self, scores: NDArray[np.float64], true: NDArray[np.bool_], bins: int) -> None:
        """Fill the bins; `PairSweep.calibration` does so."""
        place = np.minimum((scores * bins).astype(np.int64), bins - 1)
        pairs = np.bincount(place, minlength=bins)
        kept = pairs > 0
        self._low = np.arange(bins)[kept] / bins
        self._high = (np.arange(bins)[kept] + 1) / bins
        self._pairs = pairs[kept]
        self._mean = np.bincount(place, scores, bins)[kept] / self._pairs
        self._share = np.bincount(place, true, bins)[kept] / self._pairs
        self.brier = float(np.mean((scores - true) ** 2))
        """Mean squared difference of probability and truth; 0 is best."""
        self.error = float((self._pairs * abs(self._mean - self._share)).sum() / len(scores))
        """Expected calibration error: mean difference of shares and probabilities over pairs."""

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the columns: low and high of the bin, pairs, mean_probability, share_true."""
        columns = (self._low, self._high, self._pairs, self._mean, self._share)
        names = ("low", "high", "pairs", "mean_probability", "share_true")
        return {name: column.tolist() for name, column in zip(names, columns, strict=True)}

    def facts(self) -> dict[str, float]:
        """Return the Brier score and the calibration error."""
        return {"brier": self.brier, "error": self.error}

    def tables(self) -> dict[str, Table]:
        """Return the bins."""
        columns = self.to_dict()
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        return {"bins": Table(self.TABLES["bins"], rows)}

    def document(self, view: View = SUMMARY) -> Document:  # noqa: ARG002
        """Return the document of text, notebook, Markdown, LaTeX and page."""
        from clustermark.evaluation.sweep_charts import draw_calibration

        scores = Value(self.brier, fine=True), Value(self.error, fine=True)
        chart = Chart("calibration-curve", (5.6, 4.4), lambda ax: draw_calibration(ax, self))
        return Document(
            "Calibration",
            ["Brier score ", scores[0], ", calibration error ", scores[1]],
            [Section("bins", "Bins", lambda: [calibration_grid(self), chart], level="summary")],
        )


def calibration_grid(found: Calibration) -> Grid:
    """Return the bins with their mean probability and their share of true pairs."""
    heads = [Head("probability"), Head("pairs", "count"), Head("mean", "score"), Head("share true", "score")]
    bins = zip(*found.to_dict().values(), strict=True)
    rows = [[f"{low:.2f}–{high:.2f}", pairs, mean, share] for low, high, pairs, mean, share in bins]
    return Grid(heads, rows, "Calibration")


_Answer = TypeVar("_Answer")
_PRECISIONS = (0.9, 0.95, 0.99)
_COSTS = {
    "least cost, false and lost pairs alike": (1.0, 1.0),
    "least cost, a false pair costs five lost ones": (5.0, 1.0),
    "least cost, a lost pair costs five false ones": (1.0, 5.0),
}


class Answers(NamedTuple):
    """The best threshold by an index with further results; a text is the reason why a result is not available."""

    best: Choice
    operating: dict[str, Choice | str]
    """Thresholds of several operating points, by their description."""
    interval: BestInterval | str
    losses: Losses | str
    raw: dict[str, float] | str
    """Best threshold of the pairs without closure."""
    calibration: Calibration | str
    merges: FalseMerges | str

    def for_json(self) -> dict[str, Any]:
        """Return the available results as they are written to JSON."""
        found = {"interval": self.interval, "losses": self.losses}
        answers: dict[str, Any] = {name: one for name, one in found.items() if not isinstance(one, str)}
        answers["operating_points"] = {wish: one for wish, one in self.operating.items() if not isinstance(one, str)}
        if not isinstance(self.calibration, str):
            facts = {"brier": self.calibration.brier, "error": self.calibration.error}
            answers["calibration"] = facts | {"bins": self.calibration.to_dict()}
        if not isinstance(self.merges, str):
            answers["false_merges"] = self.merges
        return answers


class OnPage(NamedTuple):
    """Further rows and the seed that a page of a sweep is asked for."""

    precision: float | None = None
    cost: tuple[float, float] | None = None
    """Cost of a false pair, and of a lost one."""
    at: float | None = None
    seed: int = 0
    """Seed of the interval."""


def answer(sweep: PairSweep, by: Index[...], wanted: OnPage) -> Answers:
    """Compute all results of a sweep that a page shows."""
    best = sweep.best(by)
    wishes: dict[str, Callable[[], Choice]] = {}
    if wanted.at is not None:
        wishes["the threshold that was asked for"] = partial(_choose_at, sweep, wanted.at)
    first = () if wanted.precision is None else (wanted.precision,)
    for precision in (*first, *(one for one in _PRECISIONS if one not in first)):
        wishes[f"pair precision of at least {precision:g}"] = partial(sweep.reach, precision)
    costs = dict(_COSTS)
    if wanted.cost is not None and wanted.cost not in costs.values():
        merge, split = wanted.cost
        costs = {f"least cost, a false pair {merge:g} and a lost one {split:g}": wanted.cost} | costs
    for words, (merge, split) in costs.items():
        wishes[words] = partial(sweep.cheapest, false_merge=merge, false_split=split)
    return Answers(
        best,
        {words: _try(wish) for words, wish in wishes.items()},
        _try(partial(sweep.interval, by, seed=wanted.seed)),
        _try(partial(sweep.losses, best.threshold)),
        _try(lambda: sweep.raw.best()),  # noqa: PLW0108  (`raw` itself may raise)
        _try(sweep.calibration),
        _try(partial(sweep.false_merges, best.threshold)),
    )


def _choose_at(sweep: PairSweep, threshold: float) -> Choice:
    from clustermark.evaluation.curves import Choice

    scores = sweep.scores(threshold)
    by = next(iter(scores))
    return Choice(threshold, by, scores[by], scores)


def _try(ask: Callable[[], _Answer]) -> _Answer | str:
    try:
        return ask()
    except InputError as refusal:
        return str(refusal)
