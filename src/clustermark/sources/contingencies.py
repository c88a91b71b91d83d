"""crosstab(): the table of two labelings, from labels in memory or from the columns of sources."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

from clustermark.errors import InputError, Mention
from clustermark.options import names_columns, read_options, refuse_for_labels, with_table_options
from clustermark.tables import tabulation as in_memory
from clustermark.tables.policies import warn_of_unmet_noise

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clustermark.labels.conversion import Labels
    from clustermark.options import TableOptions
    from clustermark.sources.columns import Words
    from clustermark.sources.recognition import Source
    from clustermark.tables.contingency import Contingency


@overload
def crosstab(
    y_true: Labels | Source,
    y_pred: Labels | Source | None = None,
    *,
    explain: Literal[False] = False,
    **options: Unpack[TableOptions],
) -> Contingency: ...
@overload
def crosstab(
    y_true: Labels | Source,
    y_pred: Labels | Source | None = None,
    *,
    explain: Literal[True],
    **options: Unpack[TableOptions],
) -> str: ...
@with_table_options
def crosstab(
    y_true: Labels | Source,
    y_pred: Labels | Source | None = None,
    *,
    explain: bool = False,
    **options: Unpack[TableOptions],
) -> Contingency | str:
    """Cross-tabulate two labelings of the same points, truth first.

    y_true, y_pred: two labelings: lists, arrays, Series, tensors, or two mappings from id to label. Or, with any of
    true, pred, on and pairs, y_true is a source that has both columns of labels, or y_true and y_pred are two sources
    with a common id. A source is the name of a file, a folder, a pattern or a list of them (CSV, TSV, JSON Lines,
    Parquet, Arrow); a data frame of pandas, Polars, Spark, DataFusion, Dask or narwhals, a table or stream of Arrow, a
    relation of DuckDB, a table of Ibis or Splink, an AnnData; or (connection, "table"),
    (connection, "schema", "table"), (connection, "SELECT …") of DuckDB, psycopg or sqlite3.
    explain: return the statements that an engine would run, as text, and run none of them.

    {options}

    >>> crosstab([0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2])
    Contingency: 6 points, 3 true × 3 predicted clusters, 4 cells
    true \\ pred  0  1  2
              0  2  ·  ·
              1  ·  2  ·
              2  ·  1  1
    >>> crosstab([0, 0, 1, 1], [7, 7, -1, -1], noise_pred={-1: "singletons"}).n_pred_clusters
    3
    """
    given = read_options(options) if options else {}
    if given and names_columns(given):
        return crosstab_columns(y_true, y_pred, given, explain=explain)
    if explain:
        raise InputError(
            Mention("explain", True),
            " is for sources of columns, which are named by ",
            Mention("true"),
            " and ",
            Mention("pred"),
        )
    if y_pred is None:
        raise InputError(
            "y_pred is None; pass two labelings, or a source and its columns by ",
            Mention("true"),
            " and ",
            Mention("pred"),
        )
    refuse_for_labels(given)
    labels: Any = (y_true, y_pred)  # without columns, a source is no labeling, and reading it raises an error
    return in_memory.crosstab(*labels, **given)


@overload
def crosstab_columns(
    source: Any, other: Any, given: dict[str, Any], words: Words | None = ..., *, explain: Literal[False] = ...
) -> Contingency: ...
@overload
def crosstab_columns(
    source: Any, other: Any, given: dict[str, Any], words: Words | None = ..., *, explain: bool
) -> Contingency | str: ...
def crosstab_columns(
    source: Any,
    other: Any,
    given: dict[str, Any],
    words: Words | None = None,
    *,
    explain: bool = False,
) -> Contingency | str:
    """Return the table of the columns of sources, or the statements that would compute it."""
    from clustermark.sources.columns import TRUTH_AND_PREDICTION
    from clustermark.sources.frames import stay_in_memory, tabulate_frames
    from clustermark.sources.request import explain_sources, read_request, tabulate_sources

    source, other = hold_streams(source, other, given)
    words = words or TRUTH_AND_PREDICTION
    request = read_request(given, words)
    if explain:
        return explain_sources(source, other, request)
    tabulate = tabulate_frames if stay_in_memory(source, other, request) else tabulate_sources
    table = tabulate(source, other, request)
    warn_of_unmet_noise(table, words.whose)
    return table


def hold_streams(source: Any, other: Any, options: Any) -> tuple[Any, Any]:
    """Return two sources, with files in place of streams that can be read only once; options then lose their format."""
    from clustermark.engines.spooled import is_stream, spool_streams

    asked = options.get("engine")
    if not (is_stream(source) or is_stream(other)) or not (asked is None or isinstance(asked, str)):
        return source, other  # to an engine of the user's own, texts are names of tables
    options["reading"] = reading = dict(options.get("reading") or {})
    first, second = spool_streams([source, other], reading)
    return first, second


def labels_of(
    source: Any, other: Any, *, beside: Sequence[str] = (), **options: Unpack[TableOptions]
) -> dict[str, Any]:
    """Return the labels of all points of sources, in memory: lists, or mappings from id where points have ids.

    beside: more columns of one source by name, returned unchanged under "beside", with labels as lists.
    """
    from clustermark.sources.frames import labels_of_frames, stay_in_memory
    from clustermark.sources.request import labels_of_sources, read_request

    request = read_request(read_options(options))
    read = labels_of_frames if stay_in_memory(source, other, request) else labels_of_sources
    return read(source, other, request, beside)
