"""Lists of pairs (id, id) that belong together, closed transitively into clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark.engines.engine import Relation
from clustermark.engines.label_types import Kinds, type_of
from clustermark.engines.pushdown.ids import Column, first_row, match_columns
from clustermark.errors import InputError
from clustermark.sources.columns import require

if TYPE_CHECKING:
    from clustermark.engines.engine import Kind, Workspace


def cluster_column(on: str) -> str:
    """What the column of a closed list with the clusters is called, beside the column of ids; case does not count."""
    return "cluster" if on.casefold() != "cluster" else "cluster_of_pairs"


def close_pairs(workspace: Workspace, relation: Relation, side: str, on: str) -> Relation:
    """The clusters of a list of pairs: every id that occurs in it, with its cluster, which is called like its first id.

    The ids are numbered by the engine, so that only numbers come over.
    """
    left, right = _two_columns(relation)
    dialect = workspace.dialect
    kind, a, b = _compare(workspace, relation, left, right)
    workspace.purpose = "pairs must be of two ids"
    _refuse_bad_pairs(workspace, relation, a, b)
    workspace.purpose = "number the ids; the pairs come over, and are closed into clusters in memory"
    ids = workspace.materialise(
        f"ids_{side}",
        f"SELECT i, {dialect.numbered} - 1 AS k FROM (SELECT {a} AS i FROM {relation.sql} UNION "
        f"SELECT {b} AS i FROM {relation.sql}) x",
    )
    edges = workspace.fetch(
        f"SELECT x.k AS a, y.k AS b FROM (SELECT {a} AS l, {b} AS r FROM {relation.sql}) e "
        f"JOIN {ids} x ON e.l = x.i JOIN {ids} y ON e.r = y.i"
    )
    n = int(workspace.row(f"SELECT COUNT(*) AS n FROM {ids}", (0,))[0])
    numbers = workspace.register({"k": np.arange(n), "c": _components(edges["a"], edges["b"], n)})
    named = dialect.name(on)
    members = f"{ids} x JOIN {numbers} z ON x.k = z.k"
    firsts = f"(SELECT z.c AS c, MIN(x.i) AS first_id FROM {members} GROUP BY z.c) f"
    clusters = f"SELECT x.i AS {named}, f.first_id AS {cluster_column(on)} FROM {members} JOIN {firsts} ON z.c = f.c"
    sql = f"({clusters}) clustermark_pairs"
    kinds = Kinds()
    for column in (on, cluster_column(on)):
        kinds[column], kinds.types[column] = kind, type_of(relation.kinds, left)
    return Relation(sql, kinds, relation.said, untyped=relation.untyped)


def _two_columns(relation: Relation) -> tuple[str, str]:
    if len(relation.kinds) != 2:
        raise InputError(
            f"{relation.said}: a list of pairs has two columns, id and id; this has {len(relation.kinds)}: "
            f"{', '.join(map(repr, relation.kinds))}"
        )
    left, right = relation.kinds
    for column in (left, right):
        require(relation, "pairs", column)
    return left, right


def _compare(workspace: Workspace, relation: Relation, left: str, right: str) -> tuple[Kind, str, str]:
    """What the ids of both columns are, and how each is spelt so that equal ids are equal."""
    one, other = Column(relation, left), Column(relation, right)
    if one.kind == other.kind and one.type == other.type and one.kind not in ("text", "float"):
        return one.kind, workspace.dialect.name(left), workspace.dialect.name(right)
    ids = match_columns(workspace, "i", one, other)
    return ids.kind, ids.values(ids.true, workspace.dialect), ids.values(ids.pred, workspace.dialect)


def _refuse_bad_pairs(workspace: Workspace, relation: Relation, a: str, b: str) -> None:
    lacking = f"{a} IS NULL OR {b} IS NULL"
    found = workspace.row(f"SELECT COUNT(*) AS n FROM {relation.sql} WHERE {lacking}", (0,))[0]
    if found:
        where = first_row(workspace, relation, lacking)
        raise InputError(f"{relation.said}: {int(found):,} row(s) lack an id{where}; every pair needs two")


def _components(a: Any, b: Any, n: int) -> Any:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(len(a), np.int8), (np.asarray(a), np.asarray(b))), shape=(n, n))
    return connected_components(graph, directed=False)[1].astype(np.int64)
