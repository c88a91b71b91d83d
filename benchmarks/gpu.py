"""Time the scores of labels on a CUDA device beside torchmetrics and copying to the CPU.

    python benchmarks/gpu.py

Needs a GPU, torch and torchmetrics. Prints milliseconds of the wall clock, best of several calls, as a Markdown table.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import torch
from torchmetrics.functional.clustering import adjusted_rand_score

import clustermark as cm

if TYPE_CHECKING:
    from collections.abc import Callable

PAIRS = [index for index in cm.catalogue() if index.family == "pairs"]
LABELS = [(n, 50, 0.2) for n in (10**4, 10**6, 10**7)]
LABELS += [(10**8, k, moved) for k, moved in ((10, 0.2), (100, 0.2), (1000, 0.2), (1000, 1.0), (10**6, 0.2))]


def best(call: Callable[[], object], times: int = 10) -> float:
    """Return the milliseconds of the fastest call, after two others."""
    taken = []
    for _ in range(times + 2):
        torch.cuda.synchronize()
        began = time.perf_counter()
        call()
        torch.cuda.synchronize()
        taken.append(time.perf_counter() - began)
    return 1e3 * min(taken[2:])


def draw(n: int, k: int, moved: float) -> tuple[torch.Tensor, torch.Tensor]:
    """Return labels of k clusters, and the same with a share moved at random."""
    true = torch.randint(0, k, (n,), device="cuda")
    return true, torch.where(torch.rand(n, device="cuda") < moved, torch.randint(0, k, (n,), device="cuda"), true)


def measure(true: torch.Tensor, pred: torch.Tensor, *, torchmetrics: bool) -> list[float]:
    """Return the times of our scores, of reading both arrays, of torchmetrics and of copying."""
    return [
        best(lambda: cm.adjusted_rand(true, pred)),
        best(lambda: cm.evaluate(true, pred, PAIRS)),
        best(lambda: (true.aminmax(), pred.aminmax())),
        best(lambda: adjusted_rand_score(pred, true), 3) if torchmetrics else float("nan"),
        best(lambda: (true.cpu(), pred.cpu()), 2),
    ]


def main() -> None:
    """Print the table."""
    print("| points | clusters | moved | ARI | all pair indices | reading | torchmetrics | copy to the CPU |")
    print("|---|---|---|---|---|---|---|---|")
    for n, k, moved in LABELS:
        true, pred = draw(n, k, moved)
        times = measure(true, pred, torchmetrics=k <= 1000)
        print(f"| {n:,} | {k:,} | {moved:.0%} | " + " | ".join(f"{time:.3f}" for time in times) + " |", flush=True)


if __name__ == "__main__":
    main()
