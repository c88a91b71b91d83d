"""Predictions that are columns of sources: of one with the truth, or of others that are joined with it by id."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from clustermark.errors import InputError, Mention
from clustermark.evaluation.ranking.entrants import Given, read_labels_given
from clustermark.labels import read_labels
from clustermark.sources.request import read_written
from clustermark.tables.policies import read_policies

if TYPE_CHECKING:
    from clustermark.engines.engine import Kind
    from clustermark.tables.policies import Policies


class FromColumns(NamedTuple):
    """What was read of sources, and the policies in the words of their columns."""

    given: Given
    policies: Policies


def read_columns_given(
    source: Any, true: str | None, pred: Any, options: Mapping[str, Any], groups: str | None = None
) -> FromColumns:
    """The truth and the predictions in these columns; a mapping of names to several columns has runs of methods.

    groups: the column with the group of each row, if groups of rows were sampled.
    """
    from clustermark.sources.several import read_several_columns

    if not isinstance(true, str):
        raise InputError("true: name the column with the true labels")
    methods = _methods(pred)
    names = list(dict.fromkeys(column for columns in methods.values() for column in columns))
    read = read_several_columns(source, true, names, options, groups)
    predictions = {
        method: [read.labels[column] for column in columns] if len(columns) > 1 else read.labels[columns[0]]
        for method, columns in methods.items()
    }
    beside = None if groups is None else read.labels[groups]
    given = read_labels_given(read.labels[true], predictions, read.counts, read.weights, read.policies, beside)
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


def read_joined_given(
    source: Any, predictions: Any, pred: Any, options: Mapping[str, Any], groups: str | None = None
) -> FromColumns:
    """The truth of one source, and predictions of others by the same ids: a source, or a mapping from name to source.

    groups: the column of the truth with the group of each row, if groups of rows were sampled.
    """
    from clustermark.sources.columns import describe_id, read_id
    from clustermark.sources.crosstab import hold_streams, labels_of

    chosen: Any = dict(options)
    read: dict[str, Any] = {}
    labels: dict[str, Any] = {}
    held: dict[int, Any] = {}  # a stream can be read only once
    for method, columns in _columns_of(predictions, pred, options.get("pairs")).items():
        runs = []
        for other, column in columns:
            source, held[id(other)] = hold_streams(source, held.get(id(other), other), chosen)
            two = source, held[id(other)]
            found = labels_of(*two, **chosen | {"pred": column})
            _refuse_other_ids(read.setdefault("true", found["true"]), found["true"], other)
            for what in found.keys() & {"counts", "weights"}:
                read[what] = found[what] | read.get(what, {})  # those of the truth, and of what only predictions have
            if groups is not None and "groups" not in read:
                read["groups"] = labels_of(*two, **chosen | {"pred": column, "true": groups})["true"]
            runs.append(found["pred"])
        labels[method] = runs if len(runs) > 1 else runs[0]
    policies = _hold_policies(options, read["true"], labels)
    given = read_labels_given(
        read["true"], labels, read.get("counts"), read.get("weights"), policies, read.get("groups")
    )
    said = {"on": describe_id(on)} if (on := read_id(options.get("on"))) else {}
    return FromColumns(
        given._replace(settings=said | {name: options[name] for name in _PAIRS & options.keys()}), policies
    )


_PAIRS = {"pairs", "threshold"}


def _columns_of(predictions: Any, pred: Any, pairs: object) -> dict[str, list[tuple[Any, str | None]]]:
    """The source and the column of each run of every method."""
    if isinstance(predictions, Mapping):
        if not (pred is None or isinstance(pred, str)):
            raise InputError("pred: name the one column that all sources of predictions have")
        return {
            str(name): [(one, pred) for one in (other if isinstance(other, list) else [other])]
            for name, other in predictions.items()
        }
    methods = {"prediction": [None]} if pred is None and pairs else _methods(pred)
    return {method: [(predictions, column) for column in columns] for method, columns in methods.items()}


def _refuse_other_ids(mine: Mapping[Any, Any], theirs: Mapping[Any, Any], other: Any) -> None:
    """The ids of the truth must be the same beside every source: with one they may be numbers, with another texts."""
    if mine.keys() != theirs.keys():
        raise InputError(
            Mention("on"),
            f": beside {other if isinstance(other, str) else type(other).__name__} the ids of the truth are of another "
            "type than beside the first source; give the ids of all sources one type",
        )


def _hold_policies(options: Mapping[str, Any], true: Any, labels: Mapping[str, Any]) -> Policies:
    """The policies, with labels of noise that were typed on a command line as the sources hold them."""
    from clustermark.options import PolicyOptions

    policies = read_policies(**{name: options[name] for name in PolicyOptions.__annotations__ if name in options})
    preds = [run for runs in labels.values() for run in (runs if isinstance(runs, list) else [runs])]
    stored = [read_written(policies, _kind_of(true), _kind_of(one)) for one in preds]
    noise_pred = {label: fate for one in stored for label, fate in one.noise_pred.items()}
    return policies._replace(noise_true=stored[0].noise_true, noise_pred=noise_pred)


def _kind_of(labels: Mapping[Any, Any]) -> Kind:
    """What the labels of a source are: texts, or numbers."""
    values = read_labels(list(labels.values()), "labels").values
    first = None if values is None or not len(values) else values[0]
    return "text" if isinstance(first, str) else "float" if isinstance(first, float) else "integer"
