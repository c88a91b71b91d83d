"""crosstab(): the table of two labelings, from labels in memory or from sources that an engine reads."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack, overload

from clustermark.errors import InputError
from clustermark.tables import contingency

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from clustermark.engines.engine import Engine
    from clustermark.labels.kinds import Labels
    from clustermark.sources.kinds import Source
    from clustermark.tables.contingency import Contingency
    from clustermark.tables.policies import MissingPolicy, Noise, UnmatchedPolicy


class TableOptions(TypedDict, total=False):
    """The options of `crosstab`, counts and weights apart."""

    true: str | None
    pred: str | None
    on: str | None
    pairs: Literal["true", "pred", "both"] | None
    noise_true: Noise | None
    noise_pred: Noise | None
    missing: MissingPolicy
    unmatched: UnmatchedPolicy
    threads: int | None
    reading: Mapping[str, Any] | None
    engine: str | Engine | None
    engine_options: Mapping[str, Any] | None
    memory: str | None
    temporary: str | None
    max_cells: int | None
    push_down: bool | None
    progress: Callable[[float], None] | None


_FOR_MEMORY = {"noise_true", "noise_pred", "missing", "unmatched", "threads"}
_FOR_COLUMNS = ("true", "pred", "on", "pairs")


@overload
def crosstab(
    y_true: Labels | Source,
    y_pred: Labels | Source | None = None,
    *,
    counts: Any = None,
    weights: Any = None,
    explain: Literal[False] = False,
    **options: Unpack[TableOptions],
) -> Contingency: ...
@overload
def crosstab(
    y_true: Labels | Source,
    y_pred: Labels | Source | None = None,
    *,
    counts: Any = None,
    weights: Any = None,
    explain: Literal[True],
    **options: Unpack[TableOptions],
) -> str: ...
def crosstab(
    y_true: Labels | Source,
    y_pred: Labels | Source | None = None,
    *,
    counts: Any = None,
    weights: Any = None,
    explain: bool = False,
    **options: Unpack[TableOptions],
) -> Contingency | str:
    """Cross-tabulate two labelings of the same points, truth first.

    counts: non-negative integers; row i stands for so many points, exactly as if it were repeated.
    weights: non-negative reals; the importance of each point. A pair weighs the product of its two points. Those that
        are not 0 must be at least 1e-35, and all together at most 1e35.
    noise_true, noise_pred: a mapping from label to policy: "cluster" (an ordinary cluster), "singletons" (each point
        its own cluster), "drop", and for the prediction "unscored" (no result and no weight, true sizes kept).
    missing: what to do with None, NaN, NaT and null: "error", "cluster", "singletons" or "drop".
    unmatched: what to do with ids that one side lacks: "error", "drop", "singletons", or "keep" (they stay in the
        table, outside the cells).
    threads: at most so many; by default as many as pay, or what the variable CLUSTERMARK_THREADS says.

    With any of the next four, y_true is a source, or y_true and y_pred are two sources with a common id; counts and
    weights are columns then. A source is the name of a file, a glob or a list of them (CSV, TSV, JSON Lines, Parquet,
    Arrow); a data frame of pandas, Polars, Spark or DataFusion, a table or stream of Arrow, a relation of DuckDB; or
    (connection, "table"), (connection, "schema", "table"), (connection, "SELECT …") of DuckDB, psycopg or sqlite3.

    true, pred: the columns with the labels. on: the column with the ids of two sources.
    pairs: "true", "pred" or "both": that side is a list of pairs (id, id) that belong together, and is closed
        transitively into clusters.
    reading: how files are read where their names do not tell: format, delimiter, encoding, header.
    engine: which engine reads files and data in memory: "duckdb" (by default), "polars", "datafusion" or "spark"; or
        an engine of your own, an object as `clustermark.engines.engine.Engine` says, whose tables are sources.
    engine_options: for Spark: "master" or "remote" and "conf" of a session that is started; "materialise": "parquet"
        and "folder" where intermediate results are to be written rather than persisted.
    memory, temporary: how much memory the embedded DuckDB may use, such as "4GB", and in which folder it may put the
        rest; threads limits it too.
    max_cells: refuse to hold more cells than that in memory.
    progress: a function that is told, now and then, what share of a long statement of the embedded DuckDB is done.
    explain: give the statements that would run, as text, and run none of them.
    push_down: whether the cells stay in the engine, which then hands over only what an index needs; by default if they
        are many: more than 16 million, or 4 million whose labels are texts.

    >>> crosstab([0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2])
    Contingency: 6 points, 3 true × 3 predicted clusters, 4 cells
    true \\ pred  0  1  2
              0  2  ·  ·
              1  ·  2  ·
              2  ·  1  1
    >>> crosstab([0, 0, 1, 1], [7, 7, -1, -1], noise_pred={-1: "singletons"}).n_pred_clusters
    3
    """
    given: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    _refuse_unknown(given)
    if any(name in given for name in _FOR_COLUMNS):
        from clustermark.sources.request import explain_sources, request_of, tabulate_sources

        request = request_of(counts=counts, weights=weights, **given)
        return (explain_sources if explain else tabulate_sources)(y_true, y_pred, request)
    if explain:
        raise InputError("explain=True is for sources that an engine reads, whose columns are named by true= and pred=")
    if y_pred is None:
        raise InputError("y_pred is None; pass two labelings, or a source and its columns by true= and pred=")
    for name in given.keys() - _FOR_MEMORY:
        raise InputError(f"{name}= is for sources that an engine reads, whose columns are named by true= and pred=")
    labels: Any = (y_true, y_pred)  # without columns, a source is no labeling, and reading it says so
    return contingency.crosstab(*labels, counts=counts, weights=weights, **given)


def labels_of(
    y_true: Any, y_pred: Any, *, counts: Any = None, weights: Any = None, **options: Unpack[TableOptions]
) -> dict[str, Any]:
    """The labels of all points of sources, in memory: lists, or for two sources mappings from id."""
    from clustermark.sources.request import labels_of_sources, request_of

    given: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    return labels_of_sources(y_true, y_pred, request_of(counts=counts, weights=weights, **given))


def _refuse_unknown(options: Mapping[str, Any]) -> None:
    known = TableOptions.__annotations__
    for name in options:
        if name not in known:
            close = get_close_matches(name, known, 1)
            hint = f"; did you mean {close[0]}=?" if close else ""
            raise InputError(f"{name}= is no option{hint} (the options are {', '.join(known)})")
