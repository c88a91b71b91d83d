"""Worlds of points with a document and an annotator each, whose errors depend on both; `coverage.py` simulates them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import clustermark as cm

_SHARES = (0.4, 0.3, 0.2, 0.1)
INDICES = ("adjusted_rand", "b_cubed_f", "pair_precision", "nmi")


class CrossedWorld(NamedTuple):
    """The numbers of documents, annotators, and points of each cell, and the effects on the logit of the error rate."""

    documents: int
    annotators: int
    points: int
    by_document: float
    """Standard deviation of the effects of documents."""
    by_annotator: float
    seen: float = 1.0
    """The share of documents that each annotator has seen."""

    def draw(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Draw true and predicted labels, documents and annotators."""
        sizes = self.documents, self.annotators
        of_document = self.by_document * rng.standard_normal(self.documents)
        of_annotator = self.by_annotator * rng.standard_normal(self.annotators)
        chosen = np.repeat((rng.random(sizes) < self.seen).ravel(), self.points)
        document, annotator = (np.repeat(numbers.ravel(), self.points)[chosen] for numbers in np.indices(sizes))
        true = rng.choice(len(_SHARES), len(document), p=_SHARES)
        rate = 1 / (1 + np.exp(1.4 - of_document[document] - of_annotator[annotator]))
        pred = np.where(rng.random(len(document)) < rate, rng.integers(0, len(_SHARES), len(document)), true)
        return true, pred, document, annotator


WORLDS = (
    CrossedWorld(30, 6, 8, 0.5, 0.5),
    CrossedWorld(40, 12, 5, 0.8, 0.4),
    CrossedWorld(40, 12, 10, 0.8, 0.4, seen=0.3),
    CrossedWorld(30, 10, 8, 0.0, 0.6),
    CrossedWorld(30, 10, 8, 0.0, 0.0),
)


def crossed_table(draws: int) -> None:
    """Print the coverage of intervals over both kinds of groups, over one of them, and over points."""
    print(
        "\n| documents × annotators | effects | crossed | documents | annotators | points |\n|---|---|---|---|---|---|"
    )
    indices = [cm.find(name) for name in INDICES]
    for world in WORLDS:
        rng = np.random.default_rng(11)
        target = np.mean([_scores(world.draw(rng), indices) for _ in range(4_000)], axis=0)
        held: list[list[list[float]]] = [[], [], [], []]
        for _ in range(draws):
            true, pred, document, annotator = world.draw(rng)
            table = cm.evaluate(true, pred, indices)
            for kind, unit in enumerate(([document, annotator], document, annotator, "point")):
                made = [table.interval(index, unit=unit) for index in indices]
                held[kind].append([_holds(one, score) for one, score in zip(made, target, strict=True)])
        shares = [_said(np.array(kind)) for kind in held]
        seen = f", {world.seen:.0%} of cells" if world.seen < 1 else ""
        effects = f"{world.by_document:g}, {world.by_annotator:g}"
        print(f"| {world.documents} × {world.annotators}{seen} | {effects} | {' | '.join(shares)} |", flush=True)


def _scores(drawn: tuple[np.ndarray, ...], indices: list[cm.Index]) -> list[float]:
    table = cm.crosstab(drawn[0], drawn[1])
    return [index.of(table) for index in indices]


def _holds(found: cm.Interval, target: float) -> float:
    return np.nan if found.low is None else float(found.low <= target <= found.high)


def _said(held: np.ndarray) -> str:
    """Return the lowest and the highest coverage among the indices."""
    if np.isnan(held).all():
        return "–"
    shares = 100 * np.nanmean(held, axis=0)
    return f"{shares.min():.1f}–{shares.max():.1f}"
