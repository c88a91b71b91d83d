"""The frozen results of a table: reading its inputs from the data, and writing results as exact bits.

Both the script that writes the data and the test that reads it use these functions. They use little of the library, and
only public names, so that they still work when private modules change.
"""

from __future__ import annotations

import hashlib
import json
import math
import warnings
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np

import clustermark as cm
import clustermark.sklearn as cm_sklearn

DATA = Path(__file__).parent / "tables.json.gz"

Variant = tuple[str, dict[str, Any]]
"""The name of an index and the chosen options."""

AVERAGES = ("min", "geometric", "arithmetic", "max")
PLAIN_SCORES = (
    "rand_score",
    "adjusted_rand_score",
    "fowlkes_mallows_score",
    "mutual_info_score",
    "homogeneity_score",
    "completeness_score",
    "v_measure_score",
    "pair_confusion_matrix",
    "contingency_matrix",
    "homogeneity_completeness_v_measure",
)


def label(variant: Variant) -> str:
    """Return the name of an index with its options, as the library writes it."""
    name, options = variant
    chosen = ", ".join(f"{key}={value!r}" for key, value in options.items())
    return f"{name}({chosen})" if chosen else name


def bits(value: Any) -> Any:
    """Return a value as JSON without loss: floats as hexadecimal texts, arrays and tuples as lists."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, float):
        return value.hex()
    if isinstance(value, dict):
        return {str(key): bits(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [bits(entry) for entry in value]
    return value if value is None or isinstance(value, bool | int | str) else repr(value)


def digest(value: Any) -> str:
    """Return the start of the SHA-256 of a large value."""
    text = json.dumps(bits(value), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def attempted(function: Any, *args: Any, **options: Any) -> Any:
    """Return the bits of a result, or the name of the error."""
    try:
        return bits(function(*args, **options))
    except Exception as error:
        return type(error).__name__


def inputs(stored: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of `crosstab` from the data."""
    given = dict(stored)
    form = given.pop("form", "list")
    given["y_true"], given["y_pred"] = (_labels(given.pop(side), form) for side in ("true", "pred"))
    for noise in ("noise_true", "noise_pred"):
        if noise in given:
            given[noise] = dict(given[noise])  # keys of JSON are texts
    return given


def _labels(labels: Any, form: str) -> Any:
    if form == "array":
        return np.array(labels)
    if form == "nan":
        return np.array([math.nan if entry is None else entry for entry in labels])
    return labels


def scores(table: Any, variants: list[Variant]) -> list[str]:
    """Return the score of each index as bits, or the name of its error.

    NumPy's warnings are ignored: near 2**60 points adjusted_rand(model="num") divides by zero in between.
    """
    with np.errstate(all="ignore"):
        return [attempted(_score, table, *variant) for variant in variants]


def _score(table: Any, name: str, options: dict[str, Any]) -> float:
    index = cm.find(name)
    return (index.with_options(**options) if options else index).of(table)


def findings(given: dict[str, Any], extras: list[str]) -> dict[str, Any]:
    """Return the other frozen results of a table; `extras` names the slow or special ones."""
    table = cm.crosstab(**given)
    evaluation = _evaluate(**given, indices=[])
    found = {
        "points": [table.n_given, table.n_used, table.n_noise, table.n_dropped, table.n_unmatched],
        "shape": [table.n_true_clusters, table.n_pred_clusters, table.n_cells],
        "labels": digest([table.true_labels, table.pred_labels]),
        "pairs": attempted(cm.PairCounts.of, table),
        "profile": attempted(lambda: digest(table.profile)),
        "verdict": evaluation.verdict.rpartition("On these: ")[2],  # the share of the points is in "points"
        "clusters": digest(evaluation.clusters.to_dict()),
        "classes": digest(evaluation.classes.to_dict()),
        "splits": digest(_rows(evaluation.splits(None))),
        "merges": digest(_rows(evaluation.merges(None))),
    }
    return found | {extra: attempted(_EXTRAS[extra], given) for extra in extras}


def _evaluate(**given: Any) -> cm.Evaluation:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cm.NoiseWarning)
        return cm.evaluate(**given)


def _rows(errors: cm.ErrorList) -> list[dict[str, Any]]:
    """Return the rows with the fields that a part had when they were frozen."""
    known = ("cluster", "overlap", "size")
    return [row | {"parts": [{key: part[key] for key in known} for part in row["parts"]]} for row in errors.rows()]


def _panel(given: dict[str, Any]) -> Any:
    """Return the default scores of `evaluate`, and the names of the refused indices."""
    evaluation = _evaluate(**given)
    return {**evaluation, "refused": sorted(evaluation.refused)}


def _permetrics(given: dict[str, Any]) -> Any:
    """Return the scores by permetrics' names; for undefined scores also the error."""
    metric = cm.ClusteringMetric(given["y_true"], given["y_pred"])
    strict = cm.ClusteringMetric(given["y_true"], given["y_pred"], force_finite=False)
    names = sorted(name for name in metric.SUPPORT if "y_true" in signature(getattr(metric, name)).parameters)
    return {name: [attempted(getattr(one, name)) for one in (metric, strict)] for name in names}


def _sklearn(given: dict[str, Any]) -> Any:
    """Return the scores by scikit-learn's names."""
    labels = given["y_true"], given["y_pred"]
    found = {name: attempted(getattr(cm_sklearn, name), *labels) for name in PLAIN_SCORES}
    found["contingency_matrix"] = digest(found["contingency_matrix"])
    found["v_measure_score(beta=2)"] = attempted(cm_sklearn.v_measure_score, *labels, beta=2.0)
    for average in AVERAGES:
        for name in ("normalized_mutual_info_score", "adjusted_mutual_info_score"):
            found[f"{name}({average})"] = attempted(getattr(cm_sklearn, name), *labels, average_method=average)
    matrix = cm_sklearn.contingency_matrix(*labels)
    found["entropy"] = [attempted(cm_sklearn.entropy, side) for side in labels]
    found["expected"] = attempted(cm_sklearn.expected_mutual_information, matrix, int(matrix.sum()))
    return found


def _jci(given: dict[str, Any]) -> Any:
    """Return the Jaccard-Concentration Index with all its parts, without noise or with the label that is not scored."""
    noise = next(iter(given.get("noise_pred", {None: ""})))
    found = cm.jaccard_concentration_index(given["y_true"], given["y_pred"], noise, return_all=True)
    return found | {"cluster_results": digest(found["cluster_results"])}


_EXTRAS = {"panel": _panel, "permetrics": _permetrics, "sklearn": _sklearn, "jci": _jci}
