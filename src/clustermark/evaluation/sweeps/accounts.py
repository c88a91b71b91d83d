"""Accounts of scored pairs: the pairs as they are, where true pairs are lost, false merges, calibration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark.errors import InputError
from clustermark.results.frames import Columnar
from clustermark.results.text import align
from clustermark.tables.columnar import label_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from clustermark.evaluation.sweeps.records import Records


class KnownPairs(NamedTuple):
    """The distinct pairs of two records that count, each with its highest score, from the highest down."""

    left: NDArray[np.int32]
    right: NDArray[np.int32]
    scores: NDArray[np.float64]
    true: NDArray[np.bool_]

    @classmethod
    def of(
        cls,
        records: Records,
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
        """How many have at least this score."""
        return int(np.searchsorted(-self.scores, -threshold, side="right"))


class RawPairs(Columnar):
    """The scored pairs as they are, without closing them: how many of those above a threshold are true.

    Records that the pairs do not name, and pairs that were never scored, count against recall.
    """

    def __init__(self, pairs: KnownPairs, true_pairs: int, sign: int) -> None:
        """Count the pairs; `PairSweep.raw` does so."""
        ends = pairs.scores[1:] != pairs.scores[:-1]
        last = np.flatnonzero(np.append(ends, True)[: len(pairs.scores)])
        self._thresholds = sign * pairs.scores[last]
        self._pairs = last + 1
        self._true = np.cumsum(pairs.true, dtype=np.int64)[last]
        self._all_true = true_pairs

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns: threshold, pairs, true_pairs, precision, recall and f_measure."""
        with np.errstate(divide="ignore", invalid="ignore"):
            recall = self._true / np.float64(self._all_true) if self._all_true else np.ones(len(self._true))
            f = 2 * self._true / (self._pairs + np.float64(self._all_true))
        columns = (self._thresholds, self._pairs, self._true, self._true / self._pairs, recall, f)
        names = ("threshold", "pairs", "true_pairs", "precision", "recall", "f_measure")
        return {name: column.tolist() for name, column in zip(names, columns, strict=True)}

    def best(self) -> dict[str, float]:
        """The row with the best F-measure; of several the strictest."""
        columns = self.to_dict()
        if not columns["f_measure"]:
            raise InputError("no scored pair has two records with a true label, so no threshold is best")
        place = int(np.argmax(columns["f_measure"]))
        return {name: column[place] for name, column in columns.items()}

    def __len__(self) -> int:
        return len(self._thresholds)

    def __repr__(self) -> str:
        head = f"{len(self):,} thresholds of the raw pairs; {self._all_true:,} true pairs"
        if not len(self):
            return head
        row = self.best()
        return (
            f"{head}\nbest F-measure {row['f_measure']:.6f} at threshold {row['threshold']:.6g}: precision "
            f"{row['precision']:.4f}, recall {row['recall']:.4f}"
        )


class Losses(NamedTuple):
    """Where true pairs are found and lost at a threshold, and where false pairs come from; numbers of pairs of records.

    true_pairs = found + regained + scored_below + never_proposed.
    """

    threshold: float
    true_pairs: int
    found: int
    """True pairs with a score that is good enough."""
    regained: int
    """True pairs without such a score that closing put together."""
    scored_below: int
    """True pairs that were scored, but not well enough, and are lost."""
    never_proposed: int
    """True pairs that were never scored, and are lost."""
    false_scored: int
    """False pairs with a score that is good enough."""
    falsely_added: int
    """False pairs that closing added."""

    def __repr__(self) -> str:
        rows = [
            ("found by their score", self.found),
            ("regained by closing", self.regained),
            ("lost: scored below", self.scored_below),
            ("lost: never proposed", self.never_proposed),
            ("false, by their score", self.false_scored),
            ("false, added by closing", self.falsely_added),
        ]
        head = f"threshold {self.threshold:.6g}, {self.true_pairs:,} true pairs"
        return f"{head}\n{align([(what, f'{n:,}') for what, n in rows])}"


def count_losses(pairs: KnownPairs, clusters: NDArray[Any], threshold: float, totals: tuple[int, int, int]) -> Losses:
    """The account of a threshold.

    totals: the pairs of points that are together in truth, in the prediction, and in both.
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
    """A scored pair that joined two clusters, and what it did."""

    left: Any
    right: Any
    score: float
    false_pairs: int
    """Pairs of records that are apart in truth and that it put together."""
    true_pairs: int


class FalseMerges(Columnar):
    """The scored pairs that put most pairs of records together that are apart in truth, the worst first."""

    def __init__(self, rows: list[FalseMerge], total: int) -> None:
        """Hold the rows; `PairSweep.false_merges` finds them."""
        self._rows = rows
        self._total = total

    def __iter__(self) -> Iterator[FalseMerge]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, place: int) -> FalseMerge:
        return self._rows[place]

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns: left, right, score, false_pairs, true_pairs."""
        return {name: [getattr(row, name) for row in self._rows] for name in FalseMerge._fields}

    def __repr__(self) -> str:
        head = f"{self._total:,} false pairs; the scored pairs that caused most of them"
        lines = [FalseMerge._fields, *(_merge_line(row) for row in self._rows)]
        return f"{head}\n{align(lines)}" if self._rows else f"{self._total:,} false pairs"


def _merge_line(row: FalseMerge) -> tuple[str, ...]:
    return (
        label_text(row.left),
        label_text(row.right),
        f"{row.score:.4g}",
        f"{row.false_pairs:,}",
        f"{row.true_pairs:,}",
    )


class Calibration(Columnar):
    """Whether pairs of probability p are true pairs in the share p of cases, by bins of equal width."""

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
        """Expected calibration error: how far the shares are from the probabilities, on average over pairs."""

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns: low and high of the bin, pairs, mean_probability, share_true."""
        columns = (self._low, self._high, self._pairs, self._mean, self._share)
        names = ("low", "high", "pairs", "mean_probability", "share_true")
        return {name: column.tolist() for name, column in zip(names, columns, strict=True)}

    def __repr__(self) -> str:
        rows = zip(*self.to_dict().values(), strict=True)
        lines = [("probability", "pairs", "mean", "share true")]
        lines += [(f"{a:.2f}–{b:.2f}", f"{n:,}", f"{mean:.3f}", f"{share:.3f}") for a, b, n, mean, share in rows]
        return f"Brier score {self.brier:.4f}, calibration error {self.error:.4f}\n{align(lines)}"
