"""The statement that gives one row a point: t, p, and where asked for c (how often), w (its weight), s (its side)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clustermark.engines.engine import OURS
from clustermark.errors import InputError, Mention

if TYPE_CHECKING:
    from clustermark.engines.dialect import Dialect
    from clustermark.engines.engine import Kind, Relation, Workspace
    from clustermark.sources.columns import Columns

BOTH, TRUE_ONLY, PRED_ONLY = 0, 1, 2

_ROW = f"{OURS}row"


class Points(NamedTuple):
    """A SELECT of one row a point, and what is known of its columns."""

    sql: str
    true_kind: Kind
    pred_kind: Kind
    counted: bool
    weighted: bool
    joined: bool
    """Whether s says on which sides an item occurs."""
    sources: dict[str, tuple[Relation, str]]
    """Relation and column of "true", "pred", "counts" and "weights", for messages."""


def from_one(relation: Relation, columns: Columns, dialect: Dialect) -> Points:
    """Points whose two labels stand in one row."""
    assert columns.true is not None and columns.pred is not None  # noqa: PT018  # `of_one` saw to it
    parts = [
        f"{label(dialect, dialect.name(columns.true), relation.kinds[columns.true])} AS t",
        f"{label(dialect, dialect.name(columns.pred), relation.kinds[columns.pred])} AS p",
    ]
    sources = {"true": (relation, columns.true), "pred": (relation, columns.pred)}
    for what, short in (("counts", "c"), ("weights", "w")):
        column = getattr(columns, what)
        if column is not None:
            parts.append(f"{number(dialect, relation, column, what)} AS {short}")
            sources[what] = (relation, column)
    return Points(
        f"SELECT {', '.join(parts)} FROM {relation.sql}",
        label_kind(relation.kinds[columns.true]),
        label_kind(relation.kinds[columns.pred]),
        columns.counts is not None,
        columns.weights is not None,
        False,
        sources,
    )


def from_two(truth: Relation, prediction: Relation, columns: Columns, workspace: Workspace) -> Points:
    """Points whose labels stand in two relations, found by id; the ids must be there and be unique."""
    assert columns.true is not None and columns.pred is not None and columns.on is not None  # noqa: PT018
    dialect = workspace.dialect
    workspace.purpose = "ids must be there and be unique"
    as_text = truth.kinds[columns.on] != prediction.kinds[columns.on]
    for relation in (truth, prediction):
        _refuse_bad_ids(workspace, relation, columns.on, as_text=as_text)
    sources = {"true": (truth, columns.true), "pred": (prediction, columns.pred)}
    sides = []
    for relation, column, short in ((truth, columns.true, "t"), (prediction, columns.pred, "p")):
        parts = [
            f"{_id(dialect, relation, columns.on, as_text=as_text)} AS i",
            f"{label(dialect, dialect.name(column), relation.kinds[column])} AS {short}",
        ]
        for what, letter in (("counts", "c"), ("weights", "w")):
            name = getattr(columns, what)
            if name in relation.kinds:
                parts.append(f"{number(dialect, relation, name, what)} AS {letter}")
                sources.setdefault(what, (relation, name))
        sides.append(f"(SELECT {', '.join(parts)} FROM {relation.sql})")
    chosen = [
        f"CASE WHEN x.i IS NULL THEN {PRED_ONLY} WHEN y.i IS NULL THEN {TRUE_ONLY} ELSE {BOTH} END AS s",
        *(_either(columns, truth, prediction, what, letter) for what, letter in (("counts", "c"), ("weights", "w"))),
    ]
    picked = ", ".join(["COALESCE(x.i, y.i) AS i", "x.t AS t", "y.p AS p", *(part for part in chosen if part)])
    sql = f"SELECT {picked} FROM {sides[0]} x FULL OUTER JOIN {sides[1]} y ON x.i = y.i"
    return Points(
        sql,
        label_kind(truth.kinds[columns.true]),
        label_kind(prediction.kinds[columns.pred]),
        columns.counts is not None,
        columns.weights is not None,
        True,
        sources,
    )


def _either(columns: Columns, truth: Relation, prediction: Relation, what: str, letter: str) -> str:
    """A number that stands in one of the relations, or in both: then the truth's counts where it has the item."""
    column = getattr(columns, what)
    if column is None:
        return ""
    places = [f"{side}.{letter}" for side, of in (("x", truth), ("y", prediction)) if column in of.kinds]
    return f"COALESCE({', '.join(places)}) AS {letter}" if len(places) > 1 else f"{places[0]} AS {letter}"


def label_kind(kind: Kind) -> Kind:
    """What a label is after `label`: everything that is not text, number or truth value is shown as text."""
    return "text" if kind == "other" else kind


def label(dialect: Dialect, column: str, kind: Kind) -> str:
    """A label: NaN is a missing label, and what an engine alone knows becomes text."""
    if kind == "float":
        return f"CASE WHEN {dialect.nan.format(column)} THEN NULL ELSE {column} END"
    if kind == "other":
        column = f"CAST({column} AS {dialect.text})"
    return dialect.exactly.format(column) if kind in ("other", "text") else column


def number(dialect: Dialect, relation: Relation, column: str, what: str) -> str:
    """A count or a weight; NULL where a text is none, and -1 where it is no count."""
    kind, quoted = relation.kinds[column], dialect.name(column)
    if kind == "text" and dialect.parsed:
        real = text_number(dialect, quoted)
        whole = f"COALESCE({dialect.parsed.format(quoted, 'BIGINT')}, CAST({real} AS BIGINT))"
        return _exact_count(real, whole) if what == "counts" else real
    if kind == "other" and what == "counts":
        return _exact_count(f"CAST({quoted} AS {dialect.double})", f"CAST({quoted} AS BIGINT)")
    if kind not in ("integer", "float", "other"):
        raise InputError(
            f"{relation.said}: ", Mention(what, column), " holds no numbers; choose or make a column that does"
        )
    return quoted if kind == "integer" else f"CAST({quoted} AS {dialect.double})"


def _exact_count(real: str, whole: str) -> str:
    """A count as an integer: a floating-point number knows no odd counts past 2**53."""
    return f"CASE WHEN {real} = FLOOR({real}) AND {real} >= 0 AND {real} < 4.0E18 THEN {whole} ELSE -1 END"


def text_number(dialect: Dialect, quoted: str) -> str:
    """A number written as text, or NULL; a bare cast would be moved into DuckDB's reader, which does not try."""
    return dialect.parsed.format(quoted, dialect.double)


def _id(dialect: Dialect, relation: Relation, on: str, *, as_text: bool) -> str:
    column, kind = dialect.name(on), relation.kinds[on]
    if as_text and kind != "text":
        column = f"CAST({column} AS {dialect.text})"
    return dialect.exactly.format(column) if as_text or kind == "text" else column


def _refuse_bad_ids(workspace: Workspace, relation: Relation, on: str, *, as_text: bool) -> None:
    dialect = workspace.dialect
    quoted = _id(dialect, relation, on, as_text=as_text)
    rows, lacking, distinct = workspace.row(
        f"SELECT CAST(COUNT(*) AS BIGINT) AS n, CAST(COUNT(*) - COUNT({quoted}) AS BIGINT) AS lacking, "
        f"CAST(COUNT(DISTINCT {quoted}) AS BIGINT) AS d FROM {relation.sql}",
        (1, 0, 1),
    )
    if not rows:
        raise InputError(f"{relation.said}: holds no rows; there is nothing to compare")
    if lacking:
        where = first_row(workspace, relation, f"{quoted} IS NULL")
        raise InputError(f"{relation.said}: {lacking} row(s) have no id in column {on!r}{where}; every row needs one")
    if distinct < rows:
        twice = workspace.row(
            f"SELECT MIN(i) AS i FROM (SELECT {quoted} AS i FROM {relation.sql} "
            f"GROUP BY {quoted} HAVING COUNT(*) > 1) x",
            (None,),
        )[0]
        shown = twice if isinstance(twice, str) else plain_number(twice)
        where = first_row(workspace, relation, f"{quoted} = {dialect.literal(shown)}")
        raise InputError(
            f"{relation.said}: the ids in column {on!r} must be unique; {rows - distinct} row(s) repeat one, "
            f"such as {shown!r}{where}; remove the duplicates"
        )


def plain_number(value: object) -> int | str:
    """An id as a Python integer, or as text."""
    try:
        return int(value)  # type: ignore[call-overload,no-any-return]
    except (TypeError, ValueError):
        return str(value)


def first_row(workspace: Workspace, relation: Relation, condition: str) -> str:
    """Where the first such row is, in words, if the rows have an order."""
    if relation.ordered is None:
        return ""
    numbered = f"SELECT {relation.ordered} AS {_ROW}, * FROM {relation.sql}"
    found = workspace.row(f"SELECT MIN({_ROW}) AS r FROM ({numbered}) x WHERE {condition}", (None,))[0]
    return "" if found is None else f", the first in row {int(found):,}"
