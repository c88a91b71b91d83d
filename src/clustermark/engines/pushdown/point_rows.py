"""The statement with one row per point: t, p, and optionally c (its count), w (its weight), s (its side)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clustermark.engines.pushdown.ids import JoinColumn, match_columns, refuse_bad_ids
from clustermark.errors import InputError, Mention

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clustermark.engines.dialect import Dialect
    from clustermark.engines.engine import Kind, Relation, Workspace
    from clustermark.engines.pushdown.ids import IdColumn
    from clustermark.sources.columns import Columns

BOTH, TRUE_ONLY, PRED_ONLY = 0, 1, 2


class PointRows(NamedTuple):
    """A SELECT of one row per point, and the facts known about its columns."""

    sql: str
    true_kind: Kind
    pred_kind: Kind
    counted: bool
    weighted: bool
    joined: bool
    """Whether s says on which sides an item occurs."""
    sources: dict[str, tuple[Relation, str]]
    """Relation and column of "true", "pred", "counts" and "weights", for messages."""
    ids: tuple[IdColumn, ...] = ()
    """The columns by which two relations are joined."""


def from_one(relation: Relation, columns: Columns, dialect: Dialect) -> PointRows:
    """Return points whose two labels are in one row."""
    assert columns.true is not None and columns.pred is not None  # noqa: PT018  # `of_one` saw to it
    parts = [
        f"{label(dialect, dialect.name(columns.true), relation.kinds[columns.true])} AS t",
        f"{label(dialect, dialect.name(columns.pred), relation.kinds[columns.pred])} AS p",
    ]
    sources = {"true": (relation, columns.true), "pred": (relation, columns.pred)}
    parts += select_numbers(relation, columns, dialect, sources)
    return PointRows(
        f"SELECT {', '.join(parts)} FROM {relation.sql}",
        label_kind(relation.kinds[columns.true]),
        label_kind(relation.kinds[columns.pred]),
        columns.counts is not None,
        columns.weights is not None,
        False,
        sources,
    )


def select_numbers(
    relation: Relation, columns: Columns, dialect: Dialect, sources: dict[str, tuple[Relation, str]]
) -> list[str]:
    """Return the counts c and the weights w that a relation has; `sources` is filled with their columns."""
    parts = []
    for what, letter in (("counts", "c"), ("weights", "w")):
        column = getattr(columns, what)
        if column in relation.kinds:
            parts.append(f"{number_of(dialect, relation, column, what)} AS {letter}")
            sources.setdefault(what, (relation, column))
    return parts


def with_ids(points: PointRows, names: Sequence[str], workspace: Workspace) -> PointRows:
    """Return points of one relation with columns of ids, without checking that these are present and unique."""
    relation = points.sources["true"][0]
    ids = tuple(
        match_columns(
            workspace, "i" if len(names) == 1 else f"i{place}", JoinColumn(relation, name), JoinColumn(relation, name)
        )
        for place, name in enumerate(names)
    )
    picked = ", ".join(f"{one.values(one.true, workspace.dialect)} AS {one.name}" for one in ids)
    return points._replace(sql=points.sql.replace("SELECT ", f"SELECT {picked}, ", 1), ids=ids)


def with_columns(points: PointRows, names: Sequence[str], dialect: Dialect) -> PointRows:
    """Return points of one relation with more of its columns, unchanged: x0, x1, …."""
    picked = ", ".join(f"{dialect.name(name)} AS x{place}" for place, name in enumerate(names))
    return points._replace(sql=points.sql.replace("SELECT ", f"SELECT {picked}, ", 1))


def with_slices(points: PointRows, relation: Relation, side: str, column: str, dialect: Dialect) -> PointRows:
    """Return points with the slice of each, g: a column of one side, "true" or "pred", as texts."""
    shown = f"{dialect.show(dialect.name(column), relation.kinds[column])} AS g"
    if not points.joined:
        return points._replace(sql=points.sql.replace("SELECT ", f"SELECT {shown}, ", 1))
    keys = ", ".join(f"{one.values(getattr(one, side), dialect)} AS {one.name}" for one in points.ids)
    equal = " AND ".join(f"q.{one.name} = h.{one.name}" for one in points.ids)
    slices = f"(SELECT {keys}, {shown} FROM {relation.sql})"
    return points._replace(sql=f"SELECT q.*, h.g AS g FROM ({points.sql}) q LEFT JOIN {slices} h ON {equal}")


def from_two(truth: Relation, prediction: Relation, columns: Columns, workspace: Workspace) -> PointRows:
    """Return points whose labels are in two relations, joined by id; raise an error for missing or repeated ids."""
    assert columns.true is not None and columns.pred is not None and columns.on is not None  # noqa: PT018
    dialect = workspace.dialect
    workspace.purpose = "ids must be there and be unique"
    ids = tuple(
        match_columns(
            workspace,
            "i" if len(columns.on) == 1 else f"i{place}",
            JoinColumn(truth, true),
            JoinColumn(prediction, pred),
        )
        for place, (true, pred) in enumerate(columns.on)
    )
    for side in ([one.true for one in ids], [one.pred for one in ids]):
        refuse_bad_ids(workspace, ids, side)
    sources = {"true": (truth, columns.true), "pred": (prediction, columns.pred)}
    sides = []
    for relation, column, short in ((truth, columns.true, "t"), (prediction, columns.pred, "p")):
        parts = [
            *(f"{one.values(one.true if short == 't' else one.pred, dialect)} AS {one.name}" for one in ids),
            f"{label(dialect, dialect.name(column), relation.kinds[column])} AS {short}",
            *select_numbers(relation, columns, dialect, sources),
        ]
        sides.append(f"(SELECT {', '.join(parts)} FROM {relation.sql})")
    first = ids[0].name
    chosen = [
        f"CASE WHEN x.{first} IS NULL THEN {PRED_ONLY} WHEN y.{first} IS NULL THEN {TRUE_ONLY} ELSE {BOTH} END AS s",
        *(
            _either(columns, truth, prediction, what, letter, first)
            for what, letter in (("counts", "c"), ("weights", "w"))
        ),
    ]
    named = [f"COALESCE(x.{one.name}, y.{one.name}) AS {one.name}" for one in ids]
    picked = ", ".join([*named, "x.t AS t", "y.p AS p", *(part for part in chosen if part)])
    equal = " AND ".join(f"x.{one.name} = y.{one.name}" for one in ids)
    sql = f"SELECT {picked} FROM {sides[0]} x FULL OUTER JOIN {sides[1]} y ON {equal}"
    return PointRows(
        sql,
        label_kind(truth.kinds[columns.true]),
        label_kind(prediction.kinds[columns.pred]),
        columns.counts is not None,
        columns.weights is not None,
        True,
        sources,
        ids,
    )


def _either(columns: Columns, truth: Relation, prediction: Relation, what: str, letter: str, item: str) -> str:
    """Return a number that one relation or both have; NULL where these differ, which is an error later."""
    column = getattr(columns, what)
    if column is None:
        return ""
    places = [f"{side}.{letter}" for side, of in (("x", truth), ("y", prediction)) if column in of.kinds]
    if len(places) == 1:
        return f"{places[0]} AS {letter}"
    true, pred = places
    same = f"WHEN {true} = {pred} THEN {true}"
    return f"CASE WHEN y.{item} IS NULL THEN {true} WHEN x.{item} IS NULL THEN {pred} {same} END AS {letter}"


def label_kind(kind: Kind) -> Kind:
    """Return the kind of a label after `label`: everything except texts, numbers and truth values becomes text."""
    return kind if kind in ("integer", "float", "boolean") else "text"


def label(dialect: Dialect, column: str, kind: Kind) -> str:
    """Return a label: NaN becomes a missing label, and values of other types become text."""
    if kind == "float":
        return f"CASE WHEN {dialect.nan.format(column)} THEN NULL ELSE {column} END"
    return column if kind in ("integer", "boolean") else dialect.show(column, kind)


def number_of(dialect: Dialect, relation: Relation, column: str, what: str) -> str:
    """Return a count or a weight; NULL where a text is not a number, and -1 where a number is not a count."""
    kind, quoted = relation.kinds[column], dialect.name(column)
    if kind == "text" and dialect.parsed:
        real = text_number(dialect, quoted)
        # 1e3 is a valid count; past 2**53 a double may differ from the number that is written
        rounded = f"CASE WHEN {real} < 9007199254740992 THEN CAST({real} AS BIGINT) ELSE -1 END"
        whole = f"COALESCE({dialect.parsed.format(quoted, 'BIGINT')}, {rounded})"
        return _exact_count(real, whole) if what == "counts" else real
    if kind in ("decimal", "wide") and what == "counts":
        return _exact_count(f"CAST({quoted} AS {dialect.double})", f"CAST({quoted} AS BIGINT)")
    if kind not in ("integer", "float", "decimal", "wide"):
        raise InputError(f"{relation.called}: ", Mention(what, column), " holds no numbers; choose a column that does")
    return quoted if kind == "integer" else f"CAST({quoted} AS {dialect.double})"


def _exact_count(real: str, whole: str) -> str:
    """Return a count as an integer: a floating-point number cannot represent odd counts past 2**53."""
    return f"CASE WHEN {real} = FLOOR({real}) AND {real} >= 0 AND {real} < 9.2E18 THEN {whole} ELSE -1 END"


def text_number(dialect: Dialect, quoted: str) -> str:
    """Return a number written as text, or NULL; DuckDB would move a bare cast into its reader, which raises errors."""
    return dialect.parsed.format(quoted, dialect.double)
