"""A table in other forms: matrices, columns, grids of text and of HTML for notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark._kernel import ABSENT, LONE
from clustermark.errors import InputError, Mention
from clustermark.labels import Labeling, read_counts, read_labels
from clustermark.labels.conversion import read_sparse
from clustermark.results.values import label_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from clustermark.results.html import Html
    from clustermark.tables.cells import CellTable
    from clustermark.tables.contingency import Contingency

_SHADE = "0,114,178"
_DARKEST = 0.45
"""Opacity of the darkest shade; black and white text stay readable on it."""
_WIDTH = 12
_SHOWN_LIMIT = 15
_GRID_LIMIT = 10
_LINES_LIMIT = 2**30


def read_matrix(
    matrix: Any, true_labels: Sequence[Any] | None, pred_labels: Sequence[Any] | None
) -> tuple[Labeling, Labeling, NDArray[np.int64]]:
    """Return the non-zero entries of a dense or SciPy sparse matrix of counts, as two labelings and the counts."""
    if hasattr(matrix, "index") and hasattr(matrix, "columns"):  # a pandas DataFrame has the names of its lines
        true_labels = matrix.index.tolist() if true_labels is None else true_labels
        pred_labels = matrix.columns.tolist() if pred_labels is None else pred_labels
    if hasattr(matrix, "tocoo"):
        sparse = read_sparse(matrix, "matrix").tocoo()
        rows, columns, counts, shape = sparse.coords[0], sparse.coords[1], sparse.data, sparse.shape
    else:
        try:
            dense = np.asarray(matrix)
        except ValueError as error:
            raise InputError(f"matrix: not a matrix, its rows have different lengths ({error})") from error
        if dense.ndim != 2:
            raise InputError(f"matrix: must have two dimensions, truth in the rows; got {dense.ndim}")
        rows, columns = np.nonzero(dense)
        counts, shape = dense[rows, columns], dense.shape
    if not len(counts):
        raise InputError("matrix: it holds no points")
    for row, column, count in _wrong_counts(rows, columns, np.asarray(counts)):
        raise InputError(f"matrix: {count} in row {row}, column {column} is not a whole number >= 0 of points")
    return (
        _line_labels(np.asarray(rows), true_labels, shape[0], "true_labels"),
        _line_labels(np.asarray(columns), pred_labels, shape[1], "pred_labels"),
        read_counts(counts, len(counts), "matrix"),
    )


def _wrong_counts(rows: NDArray[Any], columns: NDArray[Any], counts: NDArray[Any]) -> Iterator[tuple[int, int, object]]:
    if counts.dtype.kind in "iuf":
        for place in np.flatnonzero(~((counts >= 0) & (counts == np.trunc(counts)))):
            yield int(rows[place]), int(columns[place]), counts[place].item()


def _line_labels(lines: NDArray[Any], labels: Sequence[Any] | None, n: int, name: str) -> Labeling:
    if labels is None:
        return Labeling(lines, None)
    coded = read_labels(list(labels), name)
    if len(coded) != n or coded.n_missing or len(set(coded.codes.tolist())) != n:
        raise InputError(f"{name}: must be {n} different labels, none missing, one for each line of the matrix")
    return Labeling(lines, list(labels))


def to_scipy(table: CellTable) -> Any:
    """Return a SciPy sparse array of counts, or of weights if there are weights."""
    from scipy.sparse import coo_array

    cells = table.kernel_cells
    if (cells.rows == ABSENT).any() or (cells.columns == ABSENT).any():
        raise InputError("to_scipy: unmatched items have no place in a matrix; choose ", Mention("unmatched", "drop"))
    rows, columns, counts = cells.rows, cells.columns, cells.counts
    values: NDArray[Any] = counts if cells.weights is None else cells.weights
    lone = (rows == LONE) | (columns == LONE)
    if lone.any():
        if int(counts[lone].max()) > _LINES_LIMIT or len(lone) > _LINES_LIMIT:
            raise InputError(f"to_scipy: more than {_LINES_LIMIT:,} points are singletons; use to_dict()")
        # each point with a cluster of its own gets a separate line, after the labelled ones
        times = np.where(lone, counts, 1)
        values = np.repeat(np.where(lone, values / counts if cells.weights is not None else 1, values), times)
        rows, columns = np.repeat(rows, times), np.repeat(columns, times)
    rows, n_rows = _lines(rows, cells.n_rows)
    columns, n_columns = _lines(columns, cells.n_columns)
    return coo_array((values, (rows, columns)), shape=(n_rows, n_columns)).tocsr()


def _lines(numbers: NDArray[np.int32], n: int) -> tuple[NDArray[np.int32], int]:
    lone = numbers == LONE
    if not lone.any():
        return numbers, n
    lines = numbers.copy()
    n_lone = int(np.count_nonzero(lone))
    lines[lone] = np.arange(n, n + n_lone, dtype=np.int32)
    return lines, n + n_lone


def to_columns(table: CellTable) -> dict[str, list[Any]]:
    """Return the cells as named columns of plain Python values."""
    cells = table.kernel_cells
    columns = {
        "true": _name_lines(cells.rows, table.true_names.to_list()),
        "pred": _name_lines(cells.columns, table.pred_names.to_list()),
        "n": cells.counts.tolist(),
    }
    if cells.weights is not None:
        columns["weight"] = cells.weights.tolist()
    if (cells.rows < 0).any() or (cells.columns < 0).any():
        columns["true_is"] = _kinds(cells.rows)
        columns["pred_is"] = _kinds(cells.columns)
    return columns


def _name_lines(numbers: NDArray[np.int32], labels: list[Any]) -> list[Any]:
    return [labels[number] if number >= 0 else None for number in numbers.tolist()]


def _kinds(numbers: NDArray[np.int32]) -> list[str]:
    kinds = {LONE: "singletons", ABSENT: "absent"}
    return [kinds.get(number, "cluster") for number in numbers.tolist()]


def draw_grid(contingency: Contingency) -> str:
    """Return the grid of a small table with its labels, after a line break; an empty text for a large one."""
    if max(contingency.n_true_clusters, contingency.n_pred_clusters) > _GRID_LIMIT:
        return ""
    table = contingency.to_memory()
    cells = table.kernel_cells
    if (cells.rows < 0).any() or (cells.columns < 0).any():
        return ""
    drawn = [["·"] * cells.n_columns for _ in range(cells.n_rows)]
    values = cells.counts.tolist() if cells.weights is None else [f"{w:g}" for w in cells.weights.tolist()]
    for row, column, value in zip(cells.rows.tolist(), cells.columns.tolist(), values, strict=True):
        drawn[row][column] = str(value)
    lines = [["true \\ pred", *(label_text(label, _WIDTH) for label in table.pred_names.to_list())]]
    lines += [
        [label_text(label, _WIDTH), *drawn_row]
        for label, drawn_row in zip(table.true_names.to_list(), drawn, strict=True)
    ]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "".join(
        "\n" + "  ".join(text.rjust(width) for text, width in zip(line, widths, strict=True)) for line in lines
    )


def show_grid(contingency: Contingency, headline: str) -> Html:
    """Return a table of at most 15 × 15 clusters as HTML, shaded by Jaccard; of a larger one the headline only."""
    from clustermark.results.html import h

    if max(contingency.n_true_clusters, contingency.n_pred_clusters) > _SHOWN_LIMIT:
        return h("table", h("caption", headline))
    table = contingency.to_memory()
    cells = table.kernel_cells
    if (cells.rows < 0).any() or (cells.columns < 0).any():
        return h("table", h("caption", headline))
    counts = np.zeros((cells.n_rows, cells.n_columns), object)
    counts[cells.rows, cells.columns] = cells.counts if cells.weights is None else cells.weights
    union = counts.sum(1)[:, None] + counts.sum(0) - counts
    jaccard = (counts / union).astype(float)
    heads = ("true \\ predicted", *(label_text(label, _WIDTH) for label in table.pred_names.to_list()))
    lines = (
        h("tr", h("td", label_text(label, _WIDTH)), map(_shaded, *both))
        for label, *both in zip(table.true_names.to_list(), counts.tolist(), jaccard.tolist(), strict=True)
    )
    caption = h("caption", f"{headline}; shaded by Jaccard")
    return h("table", caption, h("tr", (h("th", head) for head in heads)), lines)


def _shaded(count: float, share: float) -> Html:
    from clustermark.results.html import h

    style = f"text-align:right;background:rgba({_SHADE},{_DARKEST * share:.3f})"
    return h("td", f"{count:,}" if count else None, style=style)
