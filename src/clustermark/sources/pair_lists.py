"""Lists of pairs (id, id) that belong together, closed transitively into clusters."""

from __future__ import annotations

import sys
from math import inf, nextafter
from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark._kernel import connect
from clustermark.engines.engine import Relation, Workspace
from clustermark.engines.label_types import Kinds, type_of
from clustermark.engines.pushdown.ids import JoinColumn, first_row, match_columns
from clustermark.errors import ClustermarkWarning, InputError, Mention, warn_user
from clustermark.results.values import threshold_text
from clustermark.sources.columns import require

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from clustermark.engines.dialect import Dialect
    from clustermark.engines.engine import Kind
    from clustermark.sources.columns import HasColumns

SPLINK = ("unique_id_l", "unique_id_r", "match_probability")
"""The columns of scored pairs that Splink writes."""
SCORE = SPLINK[2]
MAX_PAIRS = Workspace.limits.pairs


def cluster_column(on: str) -> str:
    """Return the name of the column of clusters in a closed list; it differs from the column of ids in any case."""
    return "cluster" if on.casefold() != "cluster" else "cluster_of_pairs"


def id_column(on: str, dialect: Dialect) -> str:
    """Return the name of the column of ids in a closed list: that of the other side, if the engine allows it."""
    return f"{on}_of_pairs" if on.lower() in dialect.unaliased else on


def close_pairs(
    workspace: Workspace,
    relation: Relation,
    side: str,
    on: str,
    threshold: float | None,
    known: JoinColumn | None,
    most: int,
) -> Relation:
    """Return the clusters of a list of pairs: every id of the list with its cluster, which is named after its first id.

    The engine numbers the ids, so that only integers are fetched.
    threshold: the list has scores, and pairs with lower ones are ignored; their ids become clusters of one id.
    known: the ids of the other side, if that is no list of pairs. most: the maximum number of pairs.
    """
    left, right, score = find_pair_columns(relation, threshold)
    dialect = workspace.dialect
    kind, a, b = compare_columns(workspace, relation, left, right)
    workspace.purpose = "pairs must be of two ids"
    refuse_bad_pairs(workspace, relation, [a, b])
    named = id_column(on, dialect)
    ids_alike, kinds = Kinds(), Kinds()
    for some, columns in ((ids_alike, ("l", "r")), (kinds, (named, cluster_column(on)))):
        for column in columns:
            some[column], some.types[column] = kind, type_of(relation.kinds, left)
    workspace.purpose = "labels must not be taken for pairs"
    spelt = f"(SELECT {a} AS l, {b} AS r FROM {relation.sql}) clustermark_ids"
    n = _refuse_labels(workspace, relation._replace(sql=spelt, kinds=ids_alike), (left, right), on, known)
    refuse_many(relation.called, n, most)
    workspace.purpose = "number the ids, and fetch the pairs, which are closed into clusters in memory"
    ids = workspace.materialise(
        f"ids_{side}" if not workspace.has(f"ids_{side}") else f"ids_{side}_{len(workspace.statements)}",
        f"SELECT i, {dialect.numbered} - 1 AS k FROM (SELECT {a} AS i FROM {relation.sql} UNION "
        f"SELECT {b} AS i FROM {relation.sql}) x",
    )
    scored, score_of = (f", {dialect.name(score)} AS s", ", e.s AS s") if score is not None else ("", "")
    edges = workspace.fetch(
        f"SELECT x.k AS a, y.k AS b{score_of} FROM (SELECT {a} AS l, {b} AS r{scored} FROM {relation.sql}) e "
        f"JOIN {ids} x ON e.l = x.i JOIN {ids} y ON e.r = y.i"
    )
    joined, others = (np.asarray(edges[end], np.int64) for end in ("a", "b"))
    if score is not None and threshold is not None:
        enough = keep_scores(edges["s"], relation.called, score, threshold)
        joined, others = joined[enough], others[enough]
    n = int(workspace.row(f"SELECT COUNT(*) AS n FROM {ids}", (0,))[0])
    numbers = workspace.register({"k": np.arange(n), "c": connect(joined, others, n)})
    members = f"{ids} x JOIN {numbers} z ON x.k = z.k"
    firsts = f"(SELECT z.c AS c, MIN(x.i) AS first_id FROM {members} GROUP BY z.c) f"
    both = f"x.i AS {dialect.name(named)}, f.first_id AS {cluster_column(on)}"
    sql = f"(SELECT {both} FROM {members} JOIN {firsts} ON z.c = f.c) clustermark_pairs"
    return Relation(sql, kinds, relation.called, untyped=relation.untyped)


def refuse_many(called: str, n: int, most: int) -> None:
    """Raise an error for more pairs than the memory may hold."""
    if n > most:
        raise InputError(
            f"{called}: {n:,} pairs are more than {most:,}; they are closed in memory, where each takes 24 "
            "bytes. Leave out pairs of low score, or allow more by ",
            Mention("max_cells"),
        )


def keep_scores(column: Any, called: str, score: str, threshold: float) -> NDArray[np.bool_]:
    """Return a mask of the pairs with at least this score; warn if there is none."""
    scores = read_scores(column, f"{called}: column {score!r}", ordered=False)
    enough: NDArray[np.bool_] = scores >= threshold
    if len(scores) and not enough.any():
        warn_user(_no_pair_warning(called, threshold, float(scores.max())))
    return enough


def _no_pair_warning(called: str, threshold: float, highest: float) -> ClustermarkWarning:
    """Return the warning that no pair counts, as where scores are not on the scale of the threshold."""
    return ClustermarkWarning(
        f"no pair of {called} reaches ",
        Mention("threshold", threshold),
        f", since the highest score is {threshold_text(highest)}; so every id is a cluster of its own",
    )


def share_threshold(
    truth: HasColumns, prediction: HasColumns, threshold: float | None, parts: int = 1
) -> dict[str, float | None]:
    """Return the threshold of each of two lists; None for a list without scores. Their ids have this many parts."""
    scored = {
        side: len(one.kinds) == 2 * parts + 1 or all(name in one.kinds for name in SPLINK)
        for side, one in (("true", truth), ("pred", prediction))
    }
    return {side: threshold if has or not any(scored.values()) else None for side, has in scored.items()}


def find_pair_columns(relation: HasColumns, threshold: float | None) -> tuple[str, str, str | None]:
    """Return the columns of the two ids, and of the score if there is a threshold: by Splink's names, or by order."""
    names = list(relation.kinds)
    if threshold is not None and all(name in names for name in SPLINK):
        names = list(SPLINK)
    wanted = 2 if threshold is None else 3
    if len(names) != wanted:
        scored = [", or name the lowest score that counts by ", Mention("threshold")] if len(names) == 3 else []
        text = "two columns, id and id" if threshold is None else "three columns, id, id and score, where it is cut"
        raise InputError(
            f"{relation.called}: a list of pairs has {text}; this has {len(names)}: {', '.join(map(repr, names))}",
            *scored,
        )
    for column in names:
        require(relation, "pairs", column)
    return names[0], names[1], names[2] if threshold is not None else None


def compare_columns(workspace: Workspace, relation: Relation, left: str, right: str) -> tuple[Kind, str, str]:
    """Return the kind of the ids of both columns, and expressions for which equal ids are equal."""
    one, other = JoinColumn(relation, left), JoinColumn(relation, right)
    if one.kind == other.kind and one.type == other.type and one.kind not in ("text", "float"):
        return one.kind, workspace.dialect.name(left), workspace.dialect.name(right)
    ids = match_columns(workspace, "i", one, other)
    return ids.kind, ids.values(ids.true, workspace.dialect), ids.values(ids.pred, workspace.dialect)


def refuse_bad_pairs(workspace: Workspace, relation: Relation, ids: Sequence[str]) -> None:
    """Raise an error for pairs that lack an id; `ids` are expressions for all columns of ids."""
    lacking = " OR ".join(f"{one} IS NULL" for one in ids)
    found = workspace.row(f"SELECT COUNT(*) AS n FROM {relation.sql} WHERE {lacking}", (0,))[0]
    if found:
        where = first_row(workspace, relation, lacking)
        raise InputError(f"{relation.called}: {int(found):,} row(s) lack an id{where}; every pair needs two")


def _refuse_labels(
    workspace: Workspace, pairs: Relation, names: tuple[str, str], on: str, known: JoinColumn | None
) -> int:
    """Raise an error for labels in place of pairs; return the number of pairs.

    `pairs` has the columns l and r; `names` are their original names. In labels, ids occur once, clusters repeat;
    the column of ids has the same name as on the other side, or only its values occur there.
    """
    counts = ("CAST(COUNT(*) AS BIGINT) AS n", *(f"CAST(COUNT(DISTINCT {one}) AS BIGINT) AS d{one}" for one in "lr"))
    n, *distinct = workspace.row(f"SELECT {', '.join(counts)} FROM {pairs.sql}", (0, 0, 0))
    for ids, labels in ((0, 1), (1, 0)):
        if distinct[labels] < distinct[ids] == n and (
            names[ids] == on
            or (
                known is not None
                and _share_ids(workspace, JoinColumn(pairs, "lr"[ids]), known)
                and not _share_ids(workspace, JoinColumn(pairs, "lr"[labels]), known)
            )
        ):
            raise InputError(
                f"{pairs.called}: this looks like labels, not pairs: column {names[ids]!r} has each id once, and "
                f"column {names[labels]!r} repeats clusters; leave out ",
                Mention("pairs"),
                ". If these are pairs after all, add one of an id with itself, which joins nothing",
            )
    return int(n)


def _share_ids(workspace: Workspace, one: JoinColumn, other: JoinColumn) -> bool:
    ids = match_columns(workspace, "i", one, other)
    sides = [f"(SELECT {ids.values(side, workspace.dialect)} AS i FROM {side.relation.sql})" for side in (one, other)]
    met = f"SELECT x.i AS i FROM {sides[0]} x JOIN {sides[1]} y ON x.i = y.i LIMIT 1"
    return bool(workspace.row(f"SELECT COUNT(*) AS n FROM ({met}) z", (1,))[0])


def at_least(number: Any) -> float:
    """Return the lowest float that is not below a number: integers may lie between two floats.

    >>> at_least(2**60 + 1) > 2**60, at_least(0.5)
    (True, 0.5)
    """
    try:
        nearest = float(number)
    except OverflowError:
        return inf if number > 0 else -sys.float_info.max
    return nearest if nearest >= number else nextafter(nearest, inf)


def read_scores(column: Any, called: str, *, ordered: bool = True) -> NDArray[np.float64]:
    """Return scores as numbers; every pair needs one.

    ordered: whether the position of a score is that of its pair, so that a message may state it.
    """
    if hasattr(column, "null_count") and hasattr(column, "to_pylist"):  # Arrow data, where nulls would raise an error
        column = column.to_pylist() if column.null_count else column
    if hasattr(column, "to_numpy"):
        column = column.to_numpy()
    array = np.asarray(column)
    if array.dtype.kind not in "fiub":
        try:
            array = np.array([np.nan if x is None or x == "" else x for x in array.tolist()], np.float64)
        except (TypeError, ValueError, OverflowError):
            raise InputError(f"{called}: these are no numbers, so they cannot be scores of pairs") from None
    scores = np.ascontiguousarray(array, np.float64)
    if array.dtype.kind in "iu" and any(int(scores[i]) != int(array[i]) for i in np.flatnonzero(abs(scores) > 2**53)):
        raise InputError(
            f"{called}: whole numbers above 2**53 are rounded as scores, and some become equal; make them smaller"
        )
    if scores.ndim != 1:
        raise InputError(f"{called}: scores must be one number a pair, in one dimension")
    if len(scores) and np.isnan(scores.min()):  # the minimum is NaN if any score is
        missing = np.isnan(scores)
        where = f", the first at position {int(missing.argmax())}" if ordered else ""
        raise InputError(
            f"{called}: {np.count_nonzero(missing):,} pair(s) have no score{where}; give them one, or leave them out"
        )
    return scores
