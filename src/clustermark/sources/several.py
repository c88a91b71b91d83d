"""Several columns of labels of one source: its distinct rows, counted where the data is stored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark.engines.pushdown import point_rows
from clustermark.engines.pushdown.gather import group_points, missing_labels_error, points_condition, within_limit
from clustermark.engines.pushdown.ids import first_row
from clustermark.errors import InputError, Mention
from clustermark.labels import read_labels
from clustermark.sources import columns
from clustermark.sources.frames import read_frame_columns, stay_in_memory
from clustermark.sources.reading import Records, shrink
from clustermark.sources.recognition import open_workspace, relation_of
from clustermark.sources.request import read_request, read_written
from clustermark.tables.policies import PLAIN

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clustermark.engines.engine import Kind, Relation, Workspace
    from clustermark.sources.reading import Role
    from clustermark.sources.request import Request
    from clustermark.tables.policies import Policies


class SeveralColumns(NamedTuple):
    """Labels of each row by column name, with the count and the weight of each row."""

    labels: dict[str, Any]
    counts: Any
    weights: Any
    policies: Policies
    """The policies, with noise labels as the columns contain them."""
    settings: dict[str, Any]


def read_several_columns(
    source: Any,
    true: str | None,
    pred: Sequence[str],
    given: Mapping[str, Any],
    beside: Sequence[str] = (),
    *,
    words: Mapping[str, str] | None = None,
) -> SeveralColumns:
    """Return the labels of a source: a truth, if one is named, and predictions.

    given: the options of `crosstab` without `true` and `pred`. beside: more columns, which are not of labels.
    words: the options that name the columns, for messages.
    """
    for name in ("on", "pairs"):
        if name in given:
            raise InputError(Mention(name), " joins two sources; the predictions must be columns of one source")
    for name in pred:
        if not isinstance(name, str):
            raise InputError(f"pred: {name!r} is not the name of a column")
    twice = [name for name in pred if list(pred).count(name) > 1 or name == true]
    if twice:
        raise InputError(f"pred: the column {twice[0]!r} is named twice; name each once")
    request = read_request(given)
    names = [*([] if true is None else [true]), *pred]
    names += [name for name in dict.fromkeys(beside) if name not in names]
    named = ({} if true is None else {"true": true}) | {"columns": list(pred)}
    called = dict(words or {name: _word(name, named) for name in names})
    if stay_in_memory(source, None, request):
        read = read_frame_columns(source, called, request.columns)
        counts, weights = (read.pop(f"{what}=", None) for what in ("counts", "weights"))
        settings = {"source": f"the {type(source).__name__}"} | named
        return SeveralColumns(read, counts, weights, request.policies, settings)
    with open_workspace(source, None, request) as workspace:
        return _fetch(workspace, source, called, named, request)


def read_columns(roles: Mapping[str, Role], options: Mapping[str, Any], beside: Sequence[str] = ()) -> Records:
    """Read roles that are columns of one source; the points are its distinct rows."""
    labelled = {name: role for name, role in roles.items() if name not in beside}
    true = next((role.column for role in labelled.values() if role.option == "true"), None)
    pred: list[Any] = [role.column for role in labelled.values() if role.option == "pred"]
    source = next(iter(labelled.values())).given
    more: dict[str, Any] = {name: roles[name].column for name in beside}
    read = read_several_columns(source, true, list(dict.fromkeys(pred)), options, list(more.values()))
    return Records(
        {name: shrink(read_labels(read.labels[str(role.column)], role.called)) for name, role in labelled.items()},
        {name: role.called for name, role in roles.items()},
        counts=read.counts,
        weights=read.weights,
        beside={name: read.labels[column] for name, column in more.items()},
        policies=PLAIN if read.policies == PLAIN else read.policies,
        settings=read.settings,
    )


def _fetch(
    workspace: Workspace, source: Any, called: Mapping[str, str], named: dict[str, Any], request: Request
) -> SeveralColumns:
    names = list(called)
    relation, asked = relation_of(workspace, source, request), request.columns
    for what, column in (
        *((word, name) for name, word in called.items()),
        *asked.settings().items(),
    ):
        columns.require(relation, what, column)
    selected = _select(workspace, relation, names, asked)
    letters = [f"l{place}" for place in range(len(names))]
    workspace.purpose = "group the points into distinct rows of labels"
    name = group_points(workspace, selected, letters)
    workspace.purpose = "count the distinct rows"
    (rows,) = workspace.row(f"SELECT CAST(COUNT(*) AS BIGINT) AS x FROM {name}", (1,))
    if not rows:
        raise InputError(f"{relation.called}: holds no points; there is nothing to compare")
    within_limit(int(rows), request.max_cells, "comparing many predictions")
    workspace.purpose = "fetch the distinct rows, and compute the rest in memory"
    keys = [*letters, "n", *(["w"] if selected.weighted else [])]
    fetched = workspace.fetch(f"SELECT {', '.join(keys)} FROM {name} ORDER BY {', '.join(letters)}")
    labels = dict(zip(names, (fetched[letter] for letter in letters), strict=True))
    labelled = [name for name in names if name == named.get("true") or name in named["columns"]]
    if request.policies.missing == "error":
        _refuse_missing(workspace, relation, {name: labels[name] for name in labelled}, np.asarray(fetched["n"]))
    settings = {"source": relation.called} | named | {"engine": workspace.engine.name}
    policies = _store_noise(request.policies, relation, labelled, named.get("true"))
    return SeveralColumns(labels, fetched["n"], fetched["w"] if selected.weighted else None, policies, settings)


def _word(name: str, named: Mapping[str, Any]) -> str:
    """Return the role of a column, for messages."""
    return "true" if named.get("true") == name else "pred" if name in named["columns"] else "unit"


def _select(
    workspace: Workspace, relation: Relation, names: Sequence[str], asked: columns.Columns
) -> point_rows.PointRows:
    dialect = workspace.dialect
    parts = [
        f"{point_rows.label(dialect, dialect.name(name), relation.kinds[name])} AS l{place}"
        for place, name in enumerate(names)
    ]
    sources = {"true": (relation, names[0])}
    parts += point_rows.select_numbers(relation, asked, dialect, sources)
    kind: Kind = "text"
    sql = f"SELECT {', '.join(parts)} FROM {relation.sql}"
    return point_rows.PointRows(sql, kind, kind, asked.counts is not None, asked.weights is not None, False, sources)


def _refuse_missing(workspace: Workspace, relation: Relation, labels: dict[str, Any], counts: Any) -> None:
    for name, column in labels.items():
        read = read_labels(column, name)
        if read.n_missing:
            where = first_row(workspace, relation, points_condition(workspace, relation.kinds[name], name))
            raise missing_labels_error(relation.called, name, int(counts[read.codes == -1].sum()), where)


def _store_noise(policies: Policies, relation: Relation, names: Sequence[str], true: str | None) -> Policies:
    """Return the policies with noise labels as the columns contain them; predictions may have several types."""
    noise: dict[str, dict[Any, str]] = {"noise_true": {}, "noise_pred": {}}
    for name in names:
        kind = point_rows.label_kind(relation.kinds[name])
        stored = read_written(policies, kind, kind)
        for side in ("noise_true",) if name == true else ("noise_pred",) if true else tuple(noise):
            noise[side] |= getattr(stored, side)
    return policies._replace(noise_true=noise["noise_true"], noise_pred=noise["noise_pred"])
