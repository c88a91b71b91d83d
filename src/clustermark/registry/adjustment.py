"""An index corrected for chance: what it scores beyond its mean over permutations, as a share of what is possible."""

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
    """A number that also says how it was corrected."""

    score: float
    """What the index itself scores."""
    expected: float
    """The mean of that over permutations."""
    standard_error: float
    """Of the corrected score, because the mean was found from random tables; 0 where it is exact."""
    exact: Fraction | None
    """The corrected score as a fraction, where all of it is known exactly."""
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
        """How it is written."""
        return f"{self.index.label}.adjust()"

    def __repr__(self) -> str:
        return f"<index {self.label}>"

    def __call__(self, y_true: Any, y_pred: Any) -> AdjustedScore:
        """The corrected score of two labelings."""
        from clustermark.tables.crosstab import crosstab

        return self.of(crosstab(y_true, y_pred))

    def of(self, table: Contingency) -> AdjustedScore:
        """The corrected score of a table."""
        from clustermark.registry.expectations import check_permutable, expect

        check_permutable(self.index, table)
        best, score = self.index.best, self.index.of(table)
        expected = expect(self.index, table, self.draws, self.seed)
        if not isfinite(expected.mean):
            raise UndefinedIndexError(f"{self.label} is undefined: its mean over permutations is {expected.mean}")
        room = (best or 0.0) - float(expected.mean)
        if abs(room) < 1e-14:
            raise UndefinedIndexError(f"{self.label} is undefined: every permutation scores best")
        exact = self._exact(table, expected.mean)
        adjusted = AdjustedScore((score - float(expected.mean)) / room if exact is None else exact)
        adjusted.score, adjusted.expected = score, float(expected.mean)
        adjusted.standard_error = abs((best or 0.0) - score) / room**2 * expected.error
        adjusted.exact = exact
        adjusted.draws, adjusted.method = expected.draws, expected.method
        adjusted.seed = None if expected.draws is None else self.seed
        return adjusted

    def _exact(self, table: Contingency, mean: Any) -> Fraction | None:
        if not isinstance(mean, Fraction) or not self.index.rational:
            return None
        best = Fraction(self.index.best or 0)
        return (self.index.exact(table) - mean) / (best - mean)
