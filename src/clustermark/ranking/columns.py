"""Predictions that are columns of a source: a file, a frame, a table of a database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from clustermark.errors import InputError
from clustermark.ranking.entrants import Given, read_labels_given

if TYPE_CHECKING:
    from clustermark.tables.policies import Policies


class FromColumns(NamedTuple):
    """What was read of a source, and the policies in the words of its columns."""

    given: Given
    policies: Policies


def read_columns_given(source: Any, true: str | None, pred: Any, options: Mapping[str, Any]) -> FromColumns:
    """The truth and the predictions in these columns; a mapping of names to several columns has runs of methods."""
    from clustermark.sources.several import read_several_columns

    if not isinstance(true, str):
        raise InputError("true: name the column with the true labels")
    methods = _methods(pred)
    names = list(dict.fromkeys(column for columns in methods.values() for column in columns))
    read = read_several_columns(source, true, names, options)
    predictions = {
        method: [read.labels[column] for column in columns] if len(columns) > 1 else read.labels[columns[0]]
        for method, columns in methods.items()
    }
    given = read_labels_given(read.labels[true], predictions, read.counts, read.weights, read.policies)
    return FromColumns(given._replace(settings=read.settings), read.policies)


def _methods(pred: Any) -> dict[str, list[str]]:
    if isinstance(pred, Mapping):
        methods = {str(name): [column] if isinstance(column, str) else list(column) for name, column in pred.items()}
    else:
        columns = [pred] if isinstance(pred, str) else pred if isinstance(pred, Sequence) else []
        if twice := [column for column in columns if list(columns).count(column) > 1]:
            raise InputError(f"pred: the column {twice[0]!r} is named twice; name each once")
        methods = {str(column): [column] for column in columns}
    if not methods or not all(methods.values()):
        raise InputError("pred: name the columns with the predictions, such as ['kmeans', 'ward']")
    return methods
