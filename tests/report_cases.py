"""Evaluations for the tests of the report: plain, large, hostile, weighted and degenerate ones."""

from __future__ import annotations

import time
import warnings
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

import numpy as np

import clustermark as cm

if TYPE_CHECKING:
    from collections.abc import Iterator

HOSTILE = [
    "<script>window.pwned=1</script>",
    "</script><script>window.pwned=2</script>",
    '"><img src=x onerror="window.pwned=3">',
    "' onmouseover='window.pwned=4' x='",
    "</title></style><svg onload=window.pwned=5>",
    '=HYPERLINK("http://example.org","x")',
    "+1+1|cmd",
    "@sum(a1)",
    "-1",
    "-minus",
    "\ttabbed",
    "two\nlines, and a comma",
    'say "hello"',
    "שלום עולם",
    "\u202ereversed",
    "😀 emoji",
    "nul\x00 escape\x1b bell\x07",
    "$x^2$ and $\\frac{1}$",
    "$unclosed",
    "&lt;b&gt; ]]> <!-- ${title} {braces}",
    "a very long name " * 30,
    "unbreakable" * 40,
    "",
    " ",
]


def await_truth(page, condition: str, seconds: float = 20.0) -> None:
    """Wait until `condition` holds. The browser's function for waiting needs eval, which our content policy forbids."""
    end = time.monotonic() + seconds
    while not page.evaluate(condition):
        assert time.monotonic() < end, f"not seen in {seconds:.0f} s: {condition}"
        page.wait_for_timeout(20)


@contextmanager
def empty_charts() -> Iterator[None]:
    """Make pages with their texts and empty charts, as drawing takes most of the time."""
    with patch("matplotlib.figure.Figure.savefig", lambda _, file, **__: file.write("<svg></svg>")):
        yield


def hostile_labels(n: int) -> list[str]:
    return [*HOSTILE, *(f"{HOSTILE[i % len(HOSTILE)]} {i}" for i in range(len(HOSTILE), n))]


def three() -> cm.Evaluation:
    return cm.evaluate(list("aaabbbbcc"), list("xxxyyyzzz"))


def ten() -> cm.Evaluation:
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 10, 1800)
    return cm.evaluate(truth, np.where(rng.random(1800) < 0.2, rng.integers(0, 10, 1800), truth))


def hostile() -> cm.Evaluation:
    rng = np.random.default_rng(2)
    labels = np.array(hostile_labels(2600), dtype=object)
    truth = np.repeat(np.arange(2000), rng.geometric(0.3, 2000))
    prediction = np.where(rng.random(len(truth)) < 0.2, rng.integers(0, 2600, len(truth)), truth)
    plain = {"-1": "cluster", "": "cluster"}
    return cm.evaluate(list(labels[truth]), list(labels[prediction]), noise_true=plain, noise_pred=plain)


def weighted() -> cm.Evaluation:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 30, 500)
    prediction = np.where(rng.random(500) < 0.3, rng.integers(0, 40, 500), truth)
    return cm.evaluate(truth, prediction, weights=rng.random(500) * 3)


def one_point() -> cm.Evaluation:
    return cm.evaluate(["only"], [0])


def singletons() -> cm.Evaluation:
    return cm.evaluate(range(50), range(50, 100))


def one_cluster() -> cm.Evaluation:
    return cm.evaluate([0] * 40, ["all"] * 40)


def all_noise() -> cm.Evaluation:
    return cm.evaluate([7] * 5, [-1] * 5, noise_true={7: "singletons"}, noise_pred={-1: "singletons"})


def unmatched() -> cm.Evaluation:
    truth, prediction = {i: i % 3 for i in range(30)}, {i: i % 4 for i in range(6, 36)}
    return cm.evaluate(truth, prediction, unmatched="keep")


def noticed() -> cm.Evaluation:
    """Return an evaluation with noise without a policy on one side and with one on the other, and a partial truth."""
    truth = {i: "noise" if i % 7 == 0 else f"{i % 3} <b>" for i in range(40)}
    prediction = {i: -1 if i % 5 == 0 else i % 4 for i in range(100)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cm.NoiseWarning)
        return cm.evaluate(truth, prediction, unmatched="drop", noise_pred={-1: "singletons", "<i>": "drop"})


def companies() -> cm.Evaluation:
    """Return the example of the documentation: records of companies, matched by similar spelling."""
    folder = Path(__file__).parents[1] / "examples" / "data" / "companies"
    return cm.evaluate(folder / "truth.csv", folder / "by_grams.csv", on="id")


CASES = {
    case.__name__: case
    for case in (three, ten, hostile, weighted, one_point, singletons, one_cluster, all_noise, unmatched, noticed)
}
