"""Measure the intervals and probabilities of `compare_datasets` where two methods are equally good.

python benchmarks/signed_ranks.py       10,000 draws of each world; some minutes
python benchmarks/signed_ranks.py 400   a quick run
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np

from clustermark.uncertainty.signed_ranks import shift_below, signed_rank_effect

if TYPE_CHECKING:
    from collections.abc import Callable

WORLDS: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "normal": lambda rng, n: rng.normal(0, 1, n),
    "heavy tails (Student's t, 2 degrees of freedom)": lambda rng, n: rng.standard_t(2, n),
    "rounded to about ten values": lambda rng, n: np.round(rng.normal(0, 1.5, n)) / 10,
    "two in five without a difference": lambda rng, n: rng.normal(0, 1, n) * (rng.random(n) < 0.6),
    "spreads that differ between data sets": lambda rng, n: rng.laplace(0, 1, n) * rng.lognormal(0, 1, n),
}
SETS = (6, 8, 15, 40)


def measure(draw: Callable[[np.random.Generator, int], np.ndarray], n: int, draws: int) -> tuple[float, list[float]]:
    """Return the coverage of 0, and how often P(better) of either method is above 97.5, 95, 90 and 75 %, by method."""
    rng = np.random.default_rng(n)
    held, better = 0, np.zeros(draws)
    for place in range(draws):
        differences = draw(rng, n)
        found = signed_rank_effect(differences)
        held += found.low <= 0 <= found.high
        better[place] = 1 - shift_below(differences, 0.0)
    sure = [float(((better > level) | (better < 1 - level)).mean() / 2) for level in (0.975, 0.95, 0.9, 0.75)]
    return held / draws, sure


if __name__ == "__main__":
    draws = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    print("| differences | data sets | interval covers | better > 97.5 % | > 95 % | > 90 % | > 75 % |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for name, world in WORLDS.items():
        for n in SETS:
            held, sure = measure(world, n, draws)
            print(
                f"| {name} | {n} | {100 * held:.1f} | " + " | ".join(f"{100 * one:.1f}" for one in sure) + " |",
                flush=True,
            )
