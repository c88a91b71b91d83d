"""The step from points to cells: the engine groups the points; the cells are fetched if they are not too many."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark.engines.engine import Sharing, own_name
from clustermark.engines.pushdown.bring import collect_cells
from clustermark.engines.pushdown.ids import first_row, ids_in, show_ids
from clustermark.engines.pushdown.point_rows import BOTH, PRED_ONLY, TRUE_ONLY, number_of
from clustermark.errors import EngineError, InputError, Mention, UnsupportedTableError
from clustermark.labels import ABSENT, Labeling, read_labels
from clustermark.labels.alignment import check_matches
from clustermark.labels.labeling import with_values
from clustermark.tables.contingency import Origin
from clustermark.tables.tabulation import tabulate_codes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clustermark.engines.engine import Kind, Workspace
    from clustermark.engines.pushdown.point_rows import PointRows
    from clustermark.tables.cells import CellTable
    from clustermark.tables.policies import Policies

_ORDERED = 100_000

_MOST = 9.2e18
"""Maximum number of points: a little less than 2**63, as floating-point sums are not exact."""

_COUNT = "{0} >= 0 AND {0} < 9.2E18 AND {0} = FLOOR({0})"  # Spark cannot round down numbers that are too large
_WEIGHT = "{0} >= 0 AND {0} < 1.7E308"


class Gathered(NamedTuple):
    """Points and the cells that an engine grouped them into, before any policy, with the settings."""

    workspace: Workspace
    points: PointRows
    policies: Policies
    settings: Mapping[str, Any]
    """The settings as a table shows them."""
    name: str
    """The quoted name of the table with the columns t, p, n, and w and s if points have them."""
    cells: int
    given: int
    largest: int
    """Number of points of the largest cell."""
    missing_true: int
    missing_pred: int
    only_true: int
    only_pred: int


def gather(
    workspace: Workspace, points: PointRows, policies: Policies, settings: Mapping[str, Any] = MappingProxyType({})
) -> Gathered:
    """Group the points into cells, count them, and raise an error for what the policies forbid."""
    workspace.purpose = "group the points into cells"
    name = group_points(workspace, points, ["t", "p", *(["s"] if points.joined else [])])
    workspace.purpose = "count what was given, what is missing, what occurs on one side only"
    # a dry run assumes that every policy applies to some points
    missing, unmatched = int(policies.missing != "error"), int(points.joined and policies.unmatched != "error")
    cells, *rest = workspace.row(_summary(points, name), (1, 3, 1, missing, missing, unmatched, unmatched))
    if not cells:
        relation = points.sources["true"][0]
        raise InputError(f"{relation.called}: holds no points; there is nothing to compare")
    gathered = Gathered(workspace, points, policies, settings, name, int(cells), *(int(number) for number in rest))
    _check_policies(gathered)
    return gathered


def group_points(workspace: Workspace, points: PointRows, keys: Sequence[str]) -> str:
    """Group the points by these columns in the engine, and count them as n; return the quoted name of the table."""
    try:
        name = workspace.materialise("counted", _group_points(points, keys))
        if points.counted or points.weighted:
            _check_numbers(workspace, points, name)
    except EngineError as error:
        if points.counted and any(word in str(error).lower() for word in ("out of range", "overflow")):
            raise _too_many() from error
        raise
    return name


def _summary(points: PointRows, name: str) -> str:
    """Return the numbers of cells, of points, of points without a label, and of points on one side only."""
    only_true, only_pred = (_sum_where(f"s = {side}", points.joined) for side in (TRUE_ONLY, PRED_ONLY))
    return (
        f"SELECT CAST(COUNT(*) AS BIGINT) AS cells, CAST(COALESCE(SUM(n), 0) AS BIGINT) AS given, "
        f"CAST(COALESCE(MAX(n), 0) AS BIGINT) AS largest, "
        f"{_sum_where(_is_missing('t', PRED_ONLY, points))} AS missing_true, "
        f"{_sum_where(_is_missing('p', TRUE_ONLY, points))} AS missing_pred, "
        f"{only_true} AS only_true, {only_pred} AS only_pred FROM {name}"
    )


def _check_numbers(workspace: Workspace, points: PointRows, name: str) -> None:
    """Check that counts and weights are numbers, and that counts do not exceed the sum that engines support."""
    workspace.purpose = "counts and weights must be numbers"
    wrong, total = workspace.row(
        f"SELECT CAST(COALESCE(SUM(wrong), 0) AS BIGINT) AS wrong, COALESCE(SUM(d), 0) AS total FROM {name}", (0, 1.0)
    )
    if wrong:
        _refuse_numbers(workspace, points, int(wrong))
    if float(total) >= _MOST:
        raise _too_many()


def _too_many() -> InputError:
    return InputError(f"the counts add up to more than {_MOST:.1e}; divide them by a common factor")


def _group_points(points: PointRows, columns: Sequence[str]) -> str:
    """Return the points grouped by columns, and by their weights."""
    keys = [*columns, *(["w"] if points.weighted else [])]
    if not points.counted and not points.weighted:
        return (
            f"SELECT {', '.join(keys)}, CAST(COUNT(*) AS BIGINT) AS n FROM ({points.sql}) x GROUP BY {', '.join(keys)}"
        )
    # invalid counts are not added up, as engines differ in their treatment of infinity
    valid = f"CASE WHEN {_COUNT.format('c')} THEN c ELSE 0 END"
    count = f"CAST(SUM({valid}) AS BIGINT)" if points.counted else "CAST(COUNT(*) AS BIGINT)"
    checks = []
    if points.counted:
        checks.append(_COUNT.format("c"))
    if points.weighted:
        checks.append(_WEIGHT.format("w"))
    wrong = f"CAST(SUM(CASE WHEN {' AND '.join(checks)} THEN 0 ELSE 1 END) AS BIGINT)"
    kept = f" HAVING SUM({valid}) <> 0 OR {wrong} > 0" if points.counted else ""
    return (
        f"SELECT {', '.join(keys)}, {count} AS n, SUM({f'({valid})' if points.counted else 1} * 1.0E0) AS d, "
        f"{wrong} AS wrong FROM ({points.sql}) x "
        f"GROUP BY {', '.join(keys)}{kept}"
    )


def _sum_where(condition: str, possible: bool = True) -> str:
    if not possible:
        return "CAST(0 AS BIGINT)"
    return f"CAST(COALESCE(SUM(CASE WHEN {condition} THEN n ELSE 0 END), 0) AS BIGINT)"


def _is_missing(side: str, absent: int, points: PointRows) -> str:
    return f"{side} IS NULL AND s <> {absent}" if points.joined else f"{side} IS NULL"


def _refuse_numbers(workspace: Workspace, points: PointRows, wrong: int) -> None:
    """Raise an error for an invalid count or weight: one of a source, or one that an item of two sources lacks."""
    sides = [points.sources[side][0] for side in ("true", "pred") if side in points.sources]
    sides = sides if points.joined else sides[:1]
    rules = {"counts": ("c", _COUNT, "a whole number >= 0"), "weights": ("w", _WEIGHT, "a finite number >= 0")}
    for what, (letter, rule, wanted) in rules.items():
        if what not in points.sources:
            continue
        column = points.sources[what][1]
        for relation in sides:
            if column in relation.kinds:
                bad = _break(rule, number_of(workspace.dialect, relation, column, what))
                found = wrong if relation.once else _count(workspace, relation.sql, bad)
                if found:
                    where = first_row(workspace, relation, bad)
                    raise InputError(
                        f"{relation.called}: {found} row(s) have ",
                        Mention(what, column),
                        f" that is not {wanted}{where}; correct or remove them",
                    )
        if points.joined:
            _refuse_joined_numbers(workspace, points, Mention(what, column), _break(rule, letter))


def _refuse_joined_numbers(workspace: Workspace, points: PointRows, asked: Mention, bad: str) -> None:
    """Raise an error for different numbers of an item in two sources, or an item missing in the source with numbers."""
    for side in (BOTH, TRUE_ONLY, PRED_ONLY):
        such = f"{bad} AND s = {side}"
        if found := _count(workspace, f"({points.sql}) x", such):
            names = ", ".join(one.name for one in points.ids)
            some = workspace.fetch(f"SELECT {names} FROM ({points.sql}) x WHERE {such} ORDER BY {names} LIMIT 1")
            error = unlike_numbers_error if side == BOTH else lacking_numbers_error
            raise error(asked, found, ids_in(some, names)[0])


def _break(rule: str, number: str) -> str:
    """Return the condition that a number violates a rule, or is missing."""
    return f"NOT COALESCE({rule.format(number)}, FALSE)"


def _count(workspace: Workspace, relation: str, condition: str) -> int:
    (found,) = workspace.row(f"SELECT CAST(COUNT(*) AS BIGINT) AS n FROM {relation} WHERE {condition}", (0,))
    return int(found)


def unlike_numbers_error(asked: Mention, found: int, item: Any) -> InputError:
    """Return the error for counts or weights that differ between the sources."""
    return InputError(
        asked,
        f" is in both sources and differs for {found:,} id(s), such as {item!r}; make the numbers agree, or rename the "
        "column in one of them",
    )


def lacking_numbers_error(asked: Mention, found: int, item: Any) -> InputError:
    """Return the error for items without a count or weight, because the source with these lacks the items."""
    return InputError(
        asked, f" has no number for {found:,} id(s) of the other side, such as {item!r}; every id needs one"
    )


def most_cells_at_once(workspace: Workspace, points: PointRows) -> int:
    """Return the maximum number of cells to fetch at once, also limited by the memory of an engine in this process."""
    texts = "text" in (points.true_kind, points.pred_kind)
    limits = workspace.limits
    most = limits.text_cells if texts else limits.integer_cells
    size = limits.text_cell_bytes if texts else limits.integer_cell_bytes
    engine = workspace.engine
    if isinstance(engine, Sharing) and (memory := engine.memory) is not None:
        most = min(most, memory // size)
    return most


def _check_policies(gathered: Gathered) -> None:
    """Raise an error for what the policies forbid; it names column and row."""
    workspace, points, policies = gathered.workspace, gathered.points, gathered.policies
    for what, number in (("true", gathered.missing_true), ("pred", gathered.missing_pred)):
        if number and policies.missing == "error":
            relation, column = points.sources[what]
            missing = points_condition(workspace, relation.kinds[column], column)
            where = first_row(workspace, relation, missing)
            raise missing_labels_error(relation.called, column, number, where)
    if (gathered.only_true or gathered.only_pred) and policies.unmatched == "error":
        if gathered.given == gathered.only_true + gathered.only_pred:
            check_ids(gathered)
        truth, prediction = points.sources["true"][0], points.sources["pred"][0]
        raise unmatched_ids_error(truth.called, gathered.only_true, prediction.called, gathered.only_pred)
    for what, letter, kind in (("true", "t", points.true_kind), ("pred", "p", points.pred_kind)):
        if kind == "float":
            _refuse_fractions(gathered, what, letter)


def check_ids(gathered: Gathered) -> str:
    """Raise an error if the sides share no id, and warn if they share few; return the warning."""
    ids, only_true, only_pred = gathered.points.ids, gathered.only_true, gathered.only_pred
    if not ids or not (only_true or only_pred):
        return ""
    matched = gathered.given - only_true - only_pred
    return check_matches(matched, matched + only_true, matched + only_pred, lambda: show_ids(gathered.workspace, ids))


def missing_labels_error(called: str, column: str, number: int, where: str) -> InputError:
    """Return the error for missing labels that no policy allows."""
    return InputError(
        f"{called}: column {column!r} has {number:,} missing label(s){where}; fill them in, or choose ",
        Mention("missing", "drop", "cluster", "singletons"),
    )


def unmatched_ids_error(truth: str, only_true: int, prediction: str, only_pred: int) -> InputError:
    """Return the error for ids of one side only that no policy allows."""
    sampled = (". If the truth is known for a sample only, ", Mention("estimate()"), " gives the scores of all")
    return InputError(
        f"the ids differ: {only_true:,} occur in {truth} only and {only_pred:,} in {prediction} only; make them agree, "
        "or choose ",
        Mention("unmatched", "drop", "singletons", "keep"),
        *(() if only_true else sampled),
    )


def points_condition(workspace: Workspace, kind: Kind, column: str) -> str:
    """Return whether the label of a row is missing."""
    quoted = workspace.dialect.name(column)
    return f"({quoted} IS NULL OR {workspace.dialect.nan.format(quoted)})" if kind == "float" else f"{quoted} IS NULL"


def _refuse_fractions(gathered: Gathered, what: str, letter: str) -> None:
    workspace = gathered.workspace
    workspace.purpose = "labels must be whole numbers or texts"
    found = workspace.row(
        f"SELECT MIN({letter}) AS x FROM {gathered.name} WHERE "
        f"CASE WHEN ABS({letter}) < 9.0E18 THEN {letter} <> FLOOR({letter}) ELSE ABS({letter}) > 1.7E308 END",
        (None,),
    )[0]
    if found is not None:
        relation, column = gathered.points.sources[what]
        raise InputError(f"{relation.called}: column {column!r} holds {found}; labels must be whole numbers or texts")


def fetch_cells(gathered: Gathered, threads: int | None = None) -> CellTable:
    """Return the table in memory, from the cells that the engine counted."""
    workspace, points = gathered.workspace, gathered.points
    workspace.purpose = "fetch the cells, and compute the rest in memory"
    some = own_name("label")
    columns = workspace.fetch(
        _all_cells(points, gathered.name, ordered=gathered.cells <= _ORDERED),
        {"t": [some], "p": [some], "n": [1], "s": [BOTH], "w": [1.0]},
    )
    origin = Origin(gathered.settings, tuple(workspace.statements))
    if (collected := collect_cells(columns, gathered, origin)) is not None:
        return collected
    true, pred = (read_labels(columns[side], name) for side, name in (("t", "y_true"), ("p", "y_pred")))
    if points.joined:
        sides = np.asarray(columns["s"])
        true = _with_absent(true, sides == PRED_ONLY)
        pred = _with_absent(pred, sides == TRUE_ONLY)
    weights = columns["w"] if points.weighted else None
    return tabulate_codes(true, pred, columns["n"], weights, gathered.policies, threads, origin=origin)


def _all_cells(points: PointRows, name: str, *, ordered: bool) -> str:
    """Return the cells; small tables in a fixed order, independent of the threads of the engine."""
    keys = ["t", "p", "n", *(["s"] if points.joined else []), *(["w"] if points.weighted else [])]
    return f"SELECT {', '.join(keys)} FROM {name}{' ORDER BY t, p' if ordered else ''}"


def _with_absent(labeling: Labeling, absent: Any) -> Labeling:
    """Mark the items that this side lacks."""
    if not absent.any():
        return labeling
    labeling = with_values(labeling)
    codes = labeling.codes.astype(np.int64)
    codes[absent] = ABSENT
    return Labeling(codes, labeling.values)


def within_limit(cells: int, limit: int, why: str) -> None:
    """Raise an error if the number of cells to fetch exceeds the limit."""
    if cells > limit:
        raise UnsupportedTableError(
            f"{why} needs all {cells:,} cells of the table in memory, and the limit is {limit:,}; allow more by ",
            Mention("max_cells"),
            ", or choose indices that an engine counts where the data lies",
        )
