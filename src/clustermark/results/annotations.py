"""Results in the unstructured annotations of AnnData, in types that its files can contain."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark.errors import InputError, Mention
from clustermark.results.frames import optional

if TYPE_CHECKING:
    from clustermark.results.data import Table
    from clustermark.results.result import Result


def write_annotations(result: Result, adata: Any, key: str, *, overwrite: bool) -> None:
    """Write the tables of a result as data frames, and its JSON, into `adata.uns[key]`."""
    annotations = getattr(adata, "uns", None)
    if not isinstance(annotations, MutableMapping):
        raise InputError(f"adata is a {type(adata).__name__}, which has no `uns`; pass an AnnData")
    if key in annotations and not overwrite:
        raise InputError(f"adata.uns has {key!r} already; choose another ", Mention("key"), ", or pass overwrite=True")
    tables = {name: _frame(table) for name, table in result.tables().items()}
    annotations[key] = {"kind": result.KIND, "headline": result.headline, "json": result.to_json(), "tables": tables}


def _frame(table: Table) -> Any:
    pandas = optional("pandas", "to_uns")
    columns = {name: _column(values, pandas) for name, values in table.to_dict().items()}
    return pandas.DataFrame(columns, index=[str(row) for row in range(len(table))])


def _column(values: list[Any], pandas: Any) -> Any:
    """Return a column of numbers, flags or texts: a file of AnnData contains no objects of several types."""
    kinds = {type(value) for value in values if value is not None}
    complete = None not in values
    if kinds == {bool}:
        return pandas.array(values, dtype="bool" if complete else "boolean")
    if kinds and kinds <= {int, float}:
        whole = kinds == {int} and complete and all(abs(value) < 2**63 for value in values)
        floats = [np.nan if value is None else float(value) for value in values]
        return np.array(values if whole else floats, np.int64 if whole else np.float64)
    return pandas.Categorical([None if value is None else str(value) for value in values])
