"""An index corrected for chance: (score - mean) / (best - mean), with the mean over permutations."""

from __future__ import annotations

from fractions import Fraction
from math import isfinite
from typing import TYPE_CHECKING, Any

from clustermark.errors import InputError, UndefinedIndexError, require_whole

if TYPE_CHECKING:
    from clustermark.registry.definition import Index
    from clustermark.tables.contingency import Contingency

DRAWS = 1_000


class AdjustedScore(float):
    """A corrected score, with the details of its correction."""

    score: float
    """Score of the index itself."""
    expected: float
    """The mean of that over permutations."""
    standard_error: float
    """Standard error of the corrected score where the mean comes from random tables; 0 where it is exact."""
    exact: Fraction | None
    """The corrected score as a fraction, where score and mean are exact."""
    draws: int | None
    method: str
    """"exact" or "random tables"."""
    seed: int | None


class AdjustedIndex:
    """An index corrected for chance: call it on labels, or take `.of(table)`."""

    def __init__(self, index: Index[...], model: str, draws: int, seed: int) -> None:
        if model != "permutation":
            raise InputError(f"model={model!r} is not known; choose 'permutation'")
        require_whole("draws", draws, 20)
        require_whole("seed", seed, 0)
        if index.best is None or not isfinite(index.best):
            raise InputError(f"{index.name} has no best value, so nothing to be corrected towards")
        self.index, self.model, self.draws, self.seed = index, model, draws, seed

    @property
    def label(self) -> str:
        """The index with `.adjust()`, as it is written."""
        return f"{self.index.label}.adjust()"

    def __repr__(self) -> str:
        return f"<index {self.label}>"

    def __call__(self, y_true: Any, y_pred: Any) -> AdjustedScore:
        """The corrected score of two labelings."""
        from clustermark.tables.tabulation import crosstab

        return self.of(crosstab(y_true, y_pred))

    def of(self, table: Contingency) -> AdjustedScore:
        """The corrected score of a table."""
        from clustermark.registry.expectations import check_permutable, expect

        check_permutable(self.index, table)
        best, score = self.index.best, self.index.of(table)
        expected = expect(self.index, table, self.draws, self.seed)
        if not isfinite(expected.mean):
            raise UndefinedIndexError(f"{self.label} is undefined: its mean over permutations is {expected.mean}")
        span = (best or 0.0) - float(expected.mean)
        if abs(span) < 1e-14:
            raise UndefinedIndexError(f"{self.label} is undefined: every permutation scores best")
        exact = self._exact(table, expected.mean)
        adjusted = AdjustedScore((score - float(expected.mean)) / span if exact is None else exact)
        adjusted.score, adjusted.expected = score, float(expected.mean)
        adjusted.standard_error = abs((best or 0.0) - score) / span**2 * expected.error
        adjusted.exact = exact
        adjusted.draws, adjusted.method = expected.draws, expected.method
        adjusted.seed = None if expected.draws is None else self.seed
        return adjusted

    def _exact(self, table: Contingency, mean: Any) -> Fraction | None:
        if not isinstance(mean, Fraction) or not self.index.rational:
            return None
        best = Fraction(self.index.best or 0)
        return (self.index.exact(table) - mean) / (best - mean)
