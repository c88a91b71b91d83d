"""What a page says of the best threshold of scored pairs: each answer, or why there is none."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from clustermark.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from clustermark.evaluation.sweeps.accounts import Calibration, FalseMerges, Losses
    from clustermark.evaluation.sweeps.curves import Choice
    from clustermark.evaluation.sweeps.optimism import BestInterval
    from clustermark.evaluation.sweeps.pair_sweep import PairSweep
    from clustermark.registry import Index

_Answer = TypeVar("_Answer")
_PRECISIONS = (0.9, 0.95, 0.99)
_COSTS = {
    "least cost, false and lost pairs alike": (1.0, 1.0),
    "least cost, a false pair costs five lost ones": (5.0, 1.0),
    "least cost, a lost pair costs five false ones": (1.0, 5.0),
}


class Answers(NamedTuple):
    """The best threshold by an index, and what there is to know of it; a text says why something cannot be had."""

    best: Choice
    operating: dict[str, Choice | str]
    """The threshold for each of some wishes, by the words for it."""
    interval: BestInterval | str
    losses: Losses | str
    raw: dict[str, float] | str
    """The best threshold of the pairs without closing them."""
    calibration: Calibration | str
    merges: FalseMerges | str

    def for_json(self) -> dict[str, Any]:
        """What was answered, as JSON has it."""
        found = {"interval": self.interval, "losses": self.losses}
        answers: dict[str, Any] = {name: one for name, one in found.items() if not isinstance(one, str)}
        answers["operating_points"] = {wish: one for wish, one in self.operating.items() if not isinstance(one, str)}
        if not isinstance(self.calibration, str):
            said = {"brier": self.calibration.brier, "error": self.calibration.error}
            answers["calibration"] = said | {"bins": self.calibration.to_dict()}
        if not isinstance(self.merges, str):
            answers["false_merges"] = self.merges
        return answers


def answer(sweep: PairSweep, by: Index[...]) -> Answers:
    """Ask a sweep everything that a page shows."""
    best = sweep.best(by)
    wishes: dict[str, Callable[[], Choice]] = {
        f"pair precision of at least {wanted:g}": partial(sweep.reach, wanted) for wanted in _PRECISIONS
    }
    for words, (merge, split) in _COSTS.items():
        wishes[words] = partial(sweep.cheapest, false_merge=merge, false_split=split)
    return Answers(
        best,
        {words: _try(wish) for words, wish in wishes.items()},
        _try(partial(sweep.interval, by)),
        _try(partial(sweep.losses, best.threshold)),
        _try(lambda: sweep.raw.best()),  # noqa: PLW0108  (`raw` itself may say why there is none)
        _try(sweep.calibration),
        _try(partial(sweep.false_merges, best.threshold)),
    )


def _try(ask: Callable[[], _Answer]) -> _Answer | str:
    try:
        return ask()
    except InputError as refusal:
        return str(refusal)
