"""Lists of pairs whose ids have several parts, such as source and id, closed transitively into clusters.

A part of an id has a column on each side of a pair. Engines join and compare the parts one by one; only the clusters
are named by one text, which is JSON.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clustermark._kernel import connect
from clustermark.engines.engine import Relation
from clustermark.engines.label_types import Kinds, type_of
from clustermark.errors import InputError, Mention
from clustermark.sources.columns import require
from clustermark.sources.pair_lists import (
    SCORE,
    cluster_column,
    compare_columns,
    id_column,
    keep_scores,
    refuse_bad_pairs,
    refuse_many,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clustermark.engines.engine import Kind, Workspace
    from clustermark.sources.columns import HasColumns

SPLINK_KEYS = ("source_dataset", "unique_id")
"""The columns of the ids of Splink's link jobs; in pairs their names end in _l and _r."""


def find_splink_keys(pairs: HasColumns, plain: HasColumns) -> tuple[tuple[str, str], ...] | None:
    """Return the columns of the ids if both sources have those of a link job of Splink; else None."""
    ends = [f"{key}_{end}" for key in SPLINK_KEYS for end in "lr"]
    found = set(ends) <= set(pairs.kinds) and set(SPLINK_KEYS) <= set(plain.kinds)
    return tuple((key, key) for key in SPLINK_KEYS) if found else None


def close_pairs_of_parts(
    workspace: Workspace, relation: Relation, side: str, on: Sequence[str], threshold: float | None, most: int
) -> Relation:
    """Return the clusters of a list of pairs: every id of the list, a column for each part, with its cluster.

    on: the columns of the ids on the other side, after which the columns of the result are named.
    threshold, most: as for `pair_lists.close_pairs`.
    """
    left, right, score = find_columns(relation, on, threshold)
    dialect = workspace.dialect
    compared = [compare_columns(workspace, relation, *names) for names in zip(left, right, strict=True)]
    kinds_of_parts: list[Kind] = [kind for kind, _, _ in compared]
    a, b = [one for _, one, _ in compared], [one for _, _, one in compared]
    workspace.purpose = "pairs must be of two ids"
    refuse_bad_pairs(workspace, relation, [*a, *b])
    n = int(workspace.row(f"SELECT CAST(COUNT(*) AS BIGINT) AS n FROM {relation.sql}", (0,))[0])
    refuse_many(relation.called, n, most)

    workspace.purpose = "number the ids, and fetch the pairs, which are closed into clusters in memory"
    parts = ["i", *(f"i{part}" for part in range(1, len(on)))]  # Polars numbers rows by a column i
    names = ", ".join(parts)
    ends = [", ".join(f"{one} AS {part}" for one, part in zip(end, parts, strict=True)) for end in (a, b)]
    ids = workspace.materialise(
        f"ids_{side}" if not workspace.has(f"ids_{side}") else f"ids_{side}_{len(workspace.statements)}",
        f"SELECT {names}, {dialect.numbered} - 1 AS k FROM (SELECT {ends[0]} FROM {relation.sql} UNION "
        f"SELECT {ends[1]} FROM {relation.sql}) x",
    )
    scored, score_of = (f", {dialect.name(score)} AS s", ", e.s AS s") if score is not None else ("", "")
    both = ", ".join(
        f"{one} AS {letter}{place}" for letter, end in (("l", a), ("r", b)) for place, one in enumerate(end)
    )
    meets = [
        " AND ".join(f"e.{letter}{place} = {table}.{part}" for place, part in enumerate(parts))
        for letter, table in (("l", "x"), ("r", "y"))
    ]
    edges = workspace.fetch(
        f"SELECT x.k AS a, y.k AS b{score_of} FROM (SELECT {both}{scored} FROM {relation.sql}) e "
        f"JOIN {ids} x ON {meets[0]} JOIN {ids} y ON {meets[1]}"
    )
    joined, others = (np.asarray(edges[end], np.int64) for end in ("a", "b"))
    if score is not None and threshold is not None:
        enough = keep_scores(edges["s"], relation.called, score, threshold)
        joined, others = joined[enough], others[enough]
    n_ids = int(workspace.row(f"SELECT COUNT(*) AS n FROM {ids}", (0,))[0])
    clusters = connect(joined, others, n_ids)
    numbers = workspace.register({"k": np.arange(n_ids), "c": clusters})
    members = f"{ids} x JOIN {numbers} z ON x.k = z.k"
    firsts = _first_ids(members, parts)
    label = _label(workspace, firsts, parts, kinds_of_parts, len(np.unique(clusters)))
    named = [id_column(key, dialect) for key in on]
    own = ", ".join(f"x.{part} AS {dialect.name(name)}" for part, name in zip(parts, named, strict=True))
    cluster = cluster_column_of(on)
    sql = f"(SELECT {own}, {label} AS {cluster} FROM {members} JOIN {firsts} f ON z.c = f.c) clustermark_pairs"
    kinds = Kinds()
    for name, kind, column in zip(named, kinds_of_parts, left, strict=True):
        kinds[name], kinds.types[name] = kind, type_of(relation.kinds, column)
    kinds[cluster], kinds.types[cluster] = "text", dialect.text
    return Relation(sql, kinds, relation.called, untyped=relation.untyped)


def cluster_column_of(on: Sequence[str]) -> str:
    """Return the name of the column of clusters; it differs from those of the ids."""
    return next((name for name in map(cluster_column, on) if name != "cluster"), "cluster")


def find_columns(
    relation: HasColumns, on: Sequence[str], threshold: float | None
) -> tuple[list[str], list[str], str | None]:
    """Return the columns of both ids, and of the score if there is a threshold: by Splink's names, or by order."""
    names, n = list(relation.kinds), len(on)
    left, right = ([f"{key}_{end}" for key in on] for end in "lr")
    scored = threshold is not None
    if not {*left, *right} <= set(names) or (scored and SCORE not in names):
        left, right, score = names[:n], names[n : 2 * n], names[-1]
        found = len(names) == 2 * n + scored
    else:
        score, found = SCORE, scored or len(names) == 2 * n
    if not found:
        keys, ends = ", ".join(on), ", ".join([*left, *right])
        raise InputError(
            f"{relation.called}: ids of {n} parts ({keys}) have {2 * n} columns in a list of pairs, called {ends} or "
            f"in this order{f', and a score, called {SCORE} or the last' if scored else ''}; this has {len(names)}: "
            f"{', '.join(map(repr, names))}",
            *([] if scored else [". If one is a score, name the lowest that counts by ", Mention("threshold")]),
        )
    for column in (*left, *right, *([score] if scored else [])):
        require(relation, "pairs", column)
    return left, right, score if scored else None


def _first_ids(members: str, parts: Sequence[str]) -> str:
    """Return a relation with the first id of each cluster, in the order of its parts."""
    firsts = f"(SELECT z.c AS c, MIN(x.{parts[0]}) AS {parts[0]} FROM {members} GROUP BY z.c)"
    for place in range(1, len(parts)):
        known = [f"f.{part}" for part in parts[:place]]
        same = " AND ".join(f"x.{part} = f.{part}" for part in parts[:place])
        kept = ", ".join(f"{one} AS {part}" for one, part in zip(known, parts, strict=False))
        firsts = (
            f"(SELECT z.c AS c, {kept}, MIN(x.{parts[place]}) AS {parts[place]} FROM {members} JOIN {firsts} f "
            f"ON z.c = f.c AND {same} GROUP BY z.c, {', '.join(known)})"
        )
    return firsts


def _label(workspace: Workspace, firsts: str, parts: Sequence[str], kinds: Sequence[Kind], n: int) -> str:
    """Return an expression for the name of a cluster: its first id as JSON, or a number if two such texts are equal."""
    dialect = workspace.dialect
    texts = [dialect.show(f"f.{part}", kind) for part, kind in zip(parts, kinds, strict=True)]
    quoted = [f"'\"' || {text} || '\"'" if kind == "text" else text for text, kind in zip(texts, kinds, strict=True)]
    listed = " || ', ' || ".join(quoted)
    label = f"'[' || {listed} || ']'"
    workspace.purpose = "names of clusters must differ"
    sql = f"SELECT CAST(COUNT(*) AS BIGINT) AS n FROM (SELECT DISTINCT {label} AS c FROM {firsts} f) x"
    return label if int(workspace.row(sql, (n,))[0]) == n else f"CAST(f.c AS {dialect.text})"
