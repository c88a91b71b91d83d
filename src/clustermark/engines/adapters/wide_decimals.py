"""DuckDB relations over Parquet files with decimals of more than 38 digits, which become floating-point numbers.

Two such decimals may become equal, and the type in the relation does not show this, so its files are inspected.
"""

from __future__ import annotations

import glob
import re
from typing import TYPE_CHECKING, Any

from clustermark.engines.engine import own_name
from clustermark.engines.label_types import unsupported

if TYPE_CHECKING:
    from clustermark.engines.dialect import Dialect
    from clustermark.engines.label_types import Kinds

_QUOTED = re.compile(r"""'((?:[^']|'')+)'|"((?:[^"]|"")+)\"""")


def refuse_wide_decimals(kinds: Kinds, relation: Any, dialect: Dialect) -> None:
    """Refuse columns that may hold such decimals: those with their names, and those that no file contains."""
    doubles = [name for name in kinds if kinds.types.get(name) == "DOUBLE"]
    if not doubles or "PARQUET" not in relation.explain().upper():
        return
    alias = own_name("relation")
    views = relation.query(alias, "SELECT sql FROM duckdb_views() WHERE NOT internal").fetchall()
    texts = [relation.sql_query(), *(str(text) for (text,) in views)]
    if not (files := [file for text in texts for file in _files_in(text)]):
        return
    listed = ", ".join(map(dialect.literal, dict.fromkeys(files)))
    stored = relation.query(alias, f"SELECT name, precision FROM parquet_schema([{listed}])").fetchall()
    wide = {name for name, precision in stored if (precision or 0) > 38}
    as_they_are = {name for name, _ in stored} - wide
    for name in doubles if wide else ():
        if name not in as_they_are:
            kinds.refuse(name, unsupported("decimal of more than 38 digits", "duckdb"))


def _files_in(sql: str) -> list[str]:
    """Return the local Parquet files that a statement names."""
    quoted = (one.replace("''", "'") or other.replace('""', '"') for one, other in _QUOTED.findall(sql))
    # Path.glob rejects absolute patterns
    found = (file for pattern in quoted for file in glob.glob(pattern, recursive=True))  # noqa: PTH207
    return [file for file in found if file.lower().endswith((".parquet", ".pq"))]
