"""Methods for a scored table: intervals of its scores, and tests against chance."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from clustermark.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clustermark.registry import Index
    from clustermark.tables.contingency import Contingency
    from clustermark.uncertainty.interval import Interval, Intervals, Method, Request, Target, Unit
    from clustermark.uncertainty.samples import GroupedPoints
    from clustermark.uncertainty.significance import ChanceTest

    Groups = Sequence[Any] | Mapping[Any, Any] | str
    """The group of each point, by position or by id; or the name of a column of them."""


class IntervalMethods(ABC):
    """Mixin with intervals and tests, for a class that has a table and indices."""

    @property
    @abstractmethod
    def table(self) -> Contingency:
        """The table that was scored."""

    @property
    @abstractmethod
    def indices(self) -> tuple[Index[...], ...]:
        """The indices that were evaluated."""

    @abstractmethod
    def _units(self, unit: Any) -> Unit | GroupedPoints:
        """Groups of points as the table has them; any other unit is returned as it is."""

    def interval(
        self,
        index: str | Index[...],
        *,
        level: float = 0.95,
        unit: Unit | Groups = "point",
        target: Target = "sample",
        method: Method = "jackknife",
        draws: int | None = None,
        seed: int | None = None,
    ) -> Interval:
        """The score of an index, which need not be among those evaluated, and how sure it is.

        level: how often intervals made this way hold what they are about.
        unit: what was sampled. "point": points, of clusters that occur again and again; "component": clusters, such as
            entities or documents, with all that they share points with; or the group of each point, as a list or the
            name of a column: documents, patients, blocks.
        target: "sample": what a new sample of this size scores on average; "population": what all points would score
            that there could be, for indices whose bias can be corrected.
        method: "jackknife": by leaving out one unit at a time, without random numbers; "half-sampling": by scoring
            random halves; "bootstrap": by drawing units with replacement, for pairs of points and for components.
        draws, seed: how many random samples, and the seed of their random numbers, 0 by default.

        `low` and `high` are None where there is no interval; `notes` says why. Combinations that are never
        possible raise an error.

        >>> from clustermark import evaluate
        >>> evaluate([0] * 40 + [1] * 40, [0] * 34 + [1] * 43 + [0] * 3).interval("adjusted_rand")
        95 % interval by the jackknife over 80 points
        index                            score  standard error
        adjusted_rand  0.5955 [0.3301, 0.7737]           0.113
        """
        from clustermark.uncertainty.interval import score_interval

        options = {"level": level, "target": target, "method": method, "draws": draws, "seed": seed}
        return score_interval(self.table, index, unit=self._units(unit), **options)  # type: ignore[arg-type]

    def intervals(
        self, indices: Sequence[str | Index[...]] | str | Index[...] | None = None, **options: Any
    ) -> Intervals:
        """The intervals of all indices that were evaluated, or of these; options as in `interval`.

        Indices that have no interval are under `refused`, with the reason.
        """
        from clustermark.registry import read_indices
        from clustermark.uncertainty.interval import make_intervals

        chosen = self.indices if indices is None else read_indices(indices)
        return make_intervals(self.table, chosen, self._request(options))

    def _request(self, options: dict[str, Any]) -> Request:
        from clustermark.uncertainty.interval import Request

        known = ("level", "unit", "target", "method", "draws", "seed")
        if any(name not in known for name in options):
            raise InputError(f"intervals: the options are {', '.join(known)}; got {', '.join(options)}")
        chosen: dict[str, Any] = options | {"unit": self._units(options.get("unit", "point"))}
        return Request(**chosen)

    def test(self, index: str | Index[...], *, draws: int | None = None, seed: int = 0) -> ChanceTest:
        """Whether the score of an index is better than chance: how many labelings of the same cluster sizes score so.

        draws: random tables at most, 9,999 by default, and fewer where tables are large; drawing stops once ten of them
            score at least as well. All indices of pairs have the same p-value, and so have those of information.
        seed: of their random numbers.

        >>> from clustermark import evaluate
        >>> test = evaluate([0] * 40 + [1] * 40, [0] * 34 + [1] * 43 + [0] * 3).test("adjusted_rand")
        >>> test.p_value, test.null_mean, test.draws
        (0.0001, 0.0, 9999)
        """
        from clustermark.uncertainty.significance import chance_test

        return chance_test(self.table, index, draws=draws, seed=seed)
