"""The commands that read several columns of labels of one file: which prediction is best, which labelings are alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clustermark.cli.input import open_files, show_progress
from clustermark.cli.options import table_options
from clustermark.errors import InputError
from clustermark.options import read_options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clustermark.ranking.comparison import Comparison
    from clustermark.registry import Index
    from clustermark.similarities import SimilarityMatrix


def compare_columns(
    file: str, indices: Sequence[Index[...]] | None, *, quiet: bool, level: float, unit: Any, **given: Any
) -> Comparison:
    """The comparison that the options of the command line ask for."""
    from clustermark.ranking.contest import compare

    true, pred, source, options = _read(file, given)
    if true is None:
        raise InputError("name the column of the truth by --true, and each prediction by --pred")
    with show_progress(f"comparing {len(pred)} predictions", quiet) as tell:
        comparison = compare(
            *(source, None, indices), true=true, pred=pred, level=level, unit=unit or "point", progress=tell, **options
        )
        comparison.leaderboard()
        return comparison


def relate_columns(file: str, index: Index[...], *, quiet: bool, **given: Any) -> SimilarityMatrix:
    """The similarity matrix of the columns of a file."""
    from clustermark.similarities import similarity_matrix

    _, pred, source, options = _read(file, given | {"true": None})
    noise = options.pop("noise_pred", None)
    options.pop("noise_true", None)
    with show_progress(f"scoring {len(pred)} labelings", quiet) as tell:
        return similarity_matrix(source, index, pred=pred, noise=noise, progress=tell, **options)


def _read(file: str, given: dict[str, Any]) -> tuple[str | None, list[str], Any, dict[str, Any]]:
    """The columns of the truth and of the predictions, the file, and how it is read."""
    pred = list(given.pop("pred"))
    true = given.pop("true")
    options = read_options(table_options(given | {"pred": None, "true": None}))
    if not pred:
        raise InputError("name the columns with the predictions, each by --pred")
    reading = options.setdefault("reading", {})
    source = open_files([file], reading)[0]
    return true, pred, source, {name: value for name, value in options.items() if value != {}}


def comparison_as(shape: str, comparison: Comparison) -> str:
    """The text to deliver."""
    if shape == "json":
        return comparison.to_json(indent=2)
    if shape == "csv":
        return comparison.to_csv(safe=True)
    if shape == "latex":
        return comparison.to_latex()
    if shape == "html":
        return comparison.report()
    return repr(comparison)


def matrix_as(shape: str, matrix: SimilarityMatrix) -> str:
    """The text to deliver."""
    if shape == "json":
        return matrix.to_json(indent=2)
    if shape == "csv":
        return matrix.to_csv(safe=True)
    if shape == "latex":
        return matrix.to_latex()
    if shape == "html":
        return matrix.report()
    return repr(matrix)
