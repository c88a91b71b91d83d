"""The scores of points and their clusters, in the format asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clustermark.cli.input import open_files
from clustermark.cli.options import sweep_options
from clustermark.cli.progress import show_progress

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clustermark.evaluation.internal.results import InternalEvaluation
    from clustermark.registry import Index


def evaluate_points(
    file: str,
    indices: Sequence[Index[...]] | str | None,
    *,
    labels: str,
    features: Sequence[str],
    noise: Mapping[str, Any],
    quiet: bool,
    **given: Any,
) -> InternalEvaluation:
    """The evaluation that the options of the command line ask for."""
    from clustermark.evaluation.internal.evaluation import evaluate_internal

    chosen = sweep_options(given)
    source = open_files([file], chosen["reading"])[0]
    with show_progress(f"scoring the points of {file}", quiet) as tell:
        return evaluate_internal(
            *(source, labels, indices),
            features=list(features) or None,
            noise=_in_both_types(noise),
            progress=tell,
            **chosen,
        )


def _in_both_types(noise: Mapping[str, Any]) -> dict[Any, Any]:
    """A label typed on the command line may be a number or a text in the file."""
    numbers = {int(label): policy for label, policy in noise.items() if label.removeprefix("-").isdecimal()}
    return {str(label): policy for label, policy in noise.items()} | numbers
