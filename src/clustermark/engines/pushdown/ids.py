"""Ids that identify items in two relations: the comparison of their columns, and the checks for valid ids."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark.engines.engine import OURS
from clustermark.engines.label_types import type_of
from clustermark.errors import InputError
from clustermark.labels.alignment import SHOWN, SomeIds, unlike_ids_error

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clustermark.engines.dialect import Dialect
    from clustermark.engines.engine import Kind, Relation, Workspace

_ROW = f"{OURS}row"
_UNSIGNED = ("UBIGINT", "UInt64", "uint64")
"""Names of the unsigned integer type of 64 bits in the engines."""
_NOT_AS_TEXT = ("float", "boolean", "bytes", "moment")
"""Kinds that engines write in different ways, so that they cannot be compared with texts of a file."""


class JoinColumn(NamedTuple):
    """A column of ids in one relation."""

    relation: Relation
    name: str

    @property
    def kind(self) -> Kind:
        """Kind of the values."""
        return self.relation.kinds[self.name]

    @property
    def type(self) -> str:
        """Name of the type in the engine."""
        return type_of(self.relation.kinds, self.name)


class IdColumn(NamedTuple):
    """One column of the id: its name in statements, the columns on both sides, and the kind for their comparison."""

    name: str
    true: JoinColumn
    pred: JoinColumn
    kind: Kind

    def values(self, side: JoinColumn, dialect: Dialect) -> str:
        """Return the ids of one side; NULL for NaN, and for a non-integer where the other side has integers."""
        quoted = dialect.name(side.name)
        if self.kind == "text":
            return dialect.show(quoted, side.kind)
        if side.kind != "float":
            return quoted
        if self.kind == "float":
            # -0.0 and 0.0 are the same id, which DataFusion joins as one and counts as two
            zero = f"WHEN ABS({quoted}) = 0 THEN ABS({quoted})"
            return f"CASE WHEN {dialect.nan.format(quoted)} THEN NULL {zero} ELSE {quoted} END"
        within = f"{quoted} >= 0 AND {quoted} < 1.8446744073709552E19" if self.unsigned else f"ABS({quoted}) < 9.2E18"
        kind = dialect.unsigned if self.unsigned else "BIGINT"
        return f"CASE WHEN {within} AND {quoted} = FLOOR({quoted}) THEN CAST({quoted} AS {kind}) END"

    @property
    def unsigned(self) -> bool:
        """Whether one side has unsigned integers of 64 bits, so that numbers of the other may exceed 2**63, too."""
        return bool({self.true.type, self.pred.type} & set(_UNSIGNED))


def match_columns(workspace: Workspace, name: str, true: JoinColumn, pred: JoinColumn) -> IdColumn:
    """Return the comparison of two columns that identifies equal ids; raise an error for types that are never equal."""
    kind = _compare(true, pred)
    if kind is None:
        raise unlike_ids_error(
            *(_show(workspace, [side], [workspace.dialect.name(side.name)]) for side in (true, pred))
        )
    return IdColumn(name, true, pred, kind)


def _compare(true: JoinColumn, pred: JoinColumn) -> Kind | None:
    """Return the kind for the comparison of two columns; None if they cannot be compared."""
    kinds = {true.kind, pred.kind}
    if kinds in ({"integer"}, {"float"}, {"boolean"}):
        return true.kind
    if kinds == {"integer", "float"}:
        return "integer"
    if kinds <= {"text", "category"} or all(map(_is_whole, (true, pred))):
        return "text"
    if any(one.relation.untyped and other.kind not in _NOT_AS_TEXT for one, other in ((true, pred), (pred, true))):
        return "text"
    return "text" if len(kinds) == 1 and true.type == pred.type else None


def combine_kinds(kinds: Sequence[Kind], columns: Sequence[JoinColumn]) -> Kind | None:
    """Return the common kind of several columns, given their kinds in comparison with the first; None if there is none.

    If some are compared as texts, all are, if every engine writes them in the same way.
    """
    if len(set(kinds)) == 1:
        return kinds[0]
    if "text" in kinds and not any(column.kind in _NOT_AS_TEXT for column in columns):
        return "text"
    return None


def _is_whole(column: JoinColumn) -> bool:
    """Return whether the texts of whole numbers of this type are those of integers."""
    no_digits = column.type == "numeric" or column.type.replace(" ", "").endswith((",0)", "scale=0)"))
    return column.kind in ("integer", "wide") or (column.kind == "decimal" and no_digits)


def show_ids(workspace: Workspace, ids: Sequence[IdColumn]) -> tuple[SomeIds, SomeIds]:
    """Return a few ids of both sides, for messages."""
    sides = [one.true for one in ids], [one.pred for one in ids]
    true, pred = (
        _show(workspace, side, [one.values(column, workspace.dialect) for one, column in zip(ids, side, strict=True)])
        for side in sides
    )
    return true, pred


def _show(workspace: Workspace, columns: Sequence[JoinColumn], values: Sequence[str]) -> SomeIds:
    names, picked = _name(values)
    relation = columns[0].relation
    found = workspace.fetch(
        f"SELECT {names} FROM (SELECT {picked} FROM {relation.sql}) x WHERE i0 IS NOT NULL ORDER BY {names} "
        f"LIMIT {SHOWN}"
    )
    kinds = ", ".join("text" if relation.untyped else column.type for column in columns)
    return SomeIds.of(
        [column.name for column in columns],
        relation.called,
        ids_in(found, names),
        kinds,
    )


def refuse_bad_ids(workspace: Workspace, ids: Sequence[IdColumn], columns: Sequence[JoinColumn]) -> None:
    """Raise an error if ids are missing or not unique; `columns` are those of one side."""
    relation = columns[0].relation
    values = [one.values(column, workspace.dialect) for one, column in zip(ids, columns, strict=True)]
    text = f"column {' and '.join(repr(column.name) for column in columns)}"
    lacks = " OR ".join(f"{value} IS NULL" for value in values)
    names, picked = _name(values)
    if len(values) == 1:
        lacking = f"CAST(COUNT(*) - COUNT({values[0]}) AS BIGINT)"
        distinct = f"CAST(COUNT(DISTINCT {values[0]}) AS BIGINT)"
    else:
        lacking, distinct = f"CAST(SUM(CASE WHEN {lacks} THEN 1 ELSE 0 END) AS BIGINT)", "CAST(0 AS BIGINT)"
    n, n_lacking, n_distinct = workspace.row(
        f"SELECT CAST(COUNT(*) AS BIGINT) AS n, {lacking} AS lacking, {distinct} AS d FROM {relation.sql}", (1, 0, 1)
    )
    if not n:
        raise InputError(f"{relation.called}: holds no rows; there is nothing to compare")
    if n_lacking:
        whole = [one for one, side in zip(ids, columns, strict=True) if one.kind == "integer" and side.kind == "float"]
        within = "from 0 to 1.8e19" if whole and whole[0].unsigned else "below 9.2e18"
        raise InputError(
            f"{relation.called}: {n_lacking} row(s) have no id in {text}"
            f"{f', or one that is not a whole number {within}, unlike those of the other side' if whole else ''}"
            f"{first_row(workspace, relation, lacks)}; every row needs one"
        )
    if len(values) > 1:
        sql = f"SELECT CAST(COUNT(*) AS BIGINT) AS d FROM (SELECT DISTINCT {picked} FROM {relation.sql}) x"
        n_distinct = workspace.row(sql, (1,))[0]
    if n_distinct < n:
        found = workspace.fetch(
            f"SELECT {names} FROM (SELECT {picked} FROM {relation.sql}) x GROUP BY {names} HAVING COUNT(*) > 1 "
            f"ORDER BY {names} LIMIT 1"
        )
        [twice] = ids_in(found, names)
        raise InputError(
            f"{relation.called}: the ids in {text} must be unique; {n - n_distinct} row(s) repeat one, such as "
            f"{twice!r}{_first_such(workspace, relation, values, twice)}; remove the duplicates"
        )


def _name(values: Sequence[str]) -> tuple[str, str]:
    """Return names for expressions, and the expressions under these names."""
    names = [f"i{place}" for place in range(len(values))]
    return ", ".join(names), ", ".join(f"{value} AS {name}" for value, name in zip(values, names, strict=True))


def ids_in(found: Any, names: str) -> list[Any]:
    """Return the ids in these columns of a result as Python values; tuples if there are several columns."""
    lists = [np.asarray(found[name], object).tolist() for name in names.split(", ")]
    return lists[0] if len(lists) == 1 else list(zip(*lists, strict=True))


def _first_such(workspace: Workspace, relation: Relation, values: Sequence[str], item: Any) -> str:
    parts = item if isinstance(item, tuple) else (item,)
    if not all(isinstance(part, int | str) and not isinstance(part, bool) for part in parts):
        return ""
    same = [f"{value} = {workspace.dialect.literal(part)}" for value, part in zip(values, parts, strict=True)]
    return first_row(workspace, relation, " AND ".join(same))


def first_row(workspace: Workspace, relation: Relation, condition: str) -> str:
    """Return the number of the first row that fulfils a condition, in words, if the rows have an order."""
    if relation.ordered is None:
        return ""
    numbered = f"SELECT {relation.ordered} AS {_ROW}, * FROM {relation.sql}"
    found = workspace.row(f"SELECT MIN({_ROW}) AS r FROM ({numbered}) x WHERE {condition}", (None,))[0]
    return "" if found is None else f", the first in row {int(found):,}"
