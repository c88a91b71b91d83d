"""An evaluation for programs: JSON, columns, and how each number came about."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import isfinite
from typing import TYPE_CHECKING, Any

from clustermark.diagnosis.columnar import label_text

if TYPE_CHECKING:
    from clustermark.evaluation import Evaluation
    from clustermark.registry import Index
    from clustermark.tables.contingency import Contingency

COUNTS = ("n_given", "n_used", "n_noise", "n_dropped", "n_unmatched")


def point_counts(table: Contingency) -> dict[str, int]:
    """How many points were given, used, noise, dropped and unmatched."""
    return {name: getattr(table, name) for name in COUNTS}


def policies(table: Contingency) -> dict[str, Any]:
    """What was done with noise, missing labels and unmatched items."""
    chosen = table.policies
    return chosen._asdict() | {"noise_true": dict(chosen.noise_true), "noise_pred": dict(chosen.noise_pred)}


def version() -> str:
    """The version of clustermark."""
    from clustermark import __version__

    return __version__


def score_columns(evaluation: Evaluation) -> dict[str, list[Any]]:
    """The scores as columns, one row an index."""
    indices = evaluation.indices
    bounds = [index.bounds_on(evaluation.table) for index in indices]
    return {
        "index": [index.label for index in indices],
        "title": [index.facts.title for index in indices],
        "score": [evaluation[index.label] for index in indices],
        "low": [low for low, _ in bounds],
        "high": [high for _, high in bounds],
        "higher_is_better": [index.facts.higher_is_better for index in indices],
        "family": [index.facts.family for index in indices],
    }


def json_text(evaluation: Evaluation, indent: int | None = None) -> str:
    """One JSON object: the scores by name, the counts of points, the version and the settings."""
    said = {"version": version(), "settings": evaluation.settings}
    return json.dumps(_for_json(evaluation.to_dict() | said), indent=indent, ensure_ascii=False, allow_nan=False)


def _for_json(value: Any) -> Any:
    """JSON has no infinity, no keys but strings, and no objects of ours."""
    if isinstance(value, Mapping):
        return {str(key): _for_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_for_json(item) for item in value]
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


def provenance(evaluation: Evaluation, index: Index[...]) -> dict[str, Any]:
    """How one score came about."""
    return {
        "index": index.name,
        "title": index.facts.title,
        "options": index.options,
        "value": evaluation[index],
        **point_counts(evaluation.table),
        "policies": policies(evaluation.table),
        "weighted": evaluation.table.weights is not None,
        "version": version(),
    }


def signature(evaluation: Evaluation, index: Index[...]) -> str:
    """How one score came about, in one line to set beside it."""
    counts = [f"{name}:{count}" for name, count in point_counts(evaluation.table).items()]
    chosen = [
        f"{name}:{_in_a_word(policy)}"
        for name, policy in policies(evaluation.table).items()
        if policy and policy != "error"
    ]
    weighted = ["weighted"] if evaluation.table.weights is not None else []
    return "|".join([index.label, *counts, *chosen, *weighted, f"clustermark:{version()}"])


def _in_a_word(policy: Any) -> str:
    if isinstance(policy, str):
        return policy
    return ",".join(f"{label_text(label)}={how}" for label, how in policy.items())
