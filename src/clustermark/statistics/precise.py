"""Tables of numbers with twice the precision of a double."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Precise(NamedTuple):
    """Numbers as unevaluated sums of two doubles."""

    high: NDArray[np.float64]
    low: NDArray[np.float64]

    def plus(self, other: Precise) -> Precise:
        """The sum, with the rounding of the high parts kept."""
        total = self.high + other.high
        back = total - self.high
        lost = (self.high - (total - back)) + (other.high - back)
        return _normalise(total, lost + (self.low + other.low))

    def minus(self, other: Precise) -> NDArray[np.float64]:
        """The difference as a double."""
        return np.asarray((self.high - other.high) + (self.low - other.low))

    def over(self, divisor: NDArray[np.float64] | float) -> Precise:
        """The quotient; its remainder is found with exact products."""
        high = (self.high + self.low) / divisor
        product, lost = _multiply(high, divisor)
        return Precise(high, (((self.high - product) - lost) + self.low) / divisor)

    def times(self, factor: NDArray[np.float64] | float) -> Precise:
        """The product with a double."""
        high, lost = _multiply(self.high, factor)
        return _normalise(high, lost + self.low * factor)

    def total(self) -> Precise:
        """The sum over rows, by halves."""
        rows = self
        while len(rows.high) > 1:
            half = (len(rows.high) + 1) // 2
            first, second = Precise(rows.high[:half], rows.low[:half]), Precise(rows.high[half:], rows.low[half:])
            joint = Precise(first.high[: len(second.high)], first.low[: len(second.high)]).plus(second)
            rest = slice(len(second.high), half)
            rows = Precise(np.concatenate([joint.high, first.high[rest]]), np.concatenate([joint.low, first.low[rest]]))
        return Precise(rows.high[0], rows.low[0])


def _normalise(high: NDArray[np.float64], low: NDArray[np.float64]) -> Precise:
    total = high + low
    return Precise(total, low - (total - high))


def _multiply(a: Any, b: Any) -> tuple[Any, Any]:
    """A product and what it lost to rounding (Dekker)."""

    def split(x: Any) -> tuple[Any, Any]:
        far = x * 134217729.0
        high = far - (far - x)
        return high, x - high

    product = a * b
    (ah, al), (bh, bl) = split(a), split(b)
    return product, ((ah * bh - product) + ah * bl + al * bh) + al * bl
