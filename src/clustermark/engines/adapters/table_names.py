"""Tables and queries, as users name them beside a connection."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clustermark.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clustermark.engines.dialect import Dialect

_QUERY = re.compile(r"\s*(SELECT|WITH|VALUES|FROM|TABLE)\s", re.IGNORECASE)


def table_or_query(parts: Sequence[object], dialect: Dialect) -> tuple[str, str]:
    """Return the table or query for a FROM clause, and its name in messages.

    A text that begins like a query is a query; any other is the name of one table. A schema may come before a table.
    """
    texts = [part for part in parts if isinstance(part, str) and part]
    if not 1 <= len(parts) <= 2 or len(texts) < len(parts):
        raise InputError('a table beside a connection is (connection, "table"), (connection, "schema", "table") or '
                         '(connection, "SELECT …")')  # fmt: skip
    if is_query(parts):
        return f"({texts[0].strip().removesuffix(';')}\n) clustermark_query", "the query"  # a comment may end the query
    return ".".join(dialect.name(part) for part in texts), ".".join(texts)


def is_query(parts: Sequence[object]) -> bool:
    """Return whether the source beside a connection is a query."""
    return len(parts) == 1 and isinstance(parts[0], str) and _QUERY.match(parts[0]) is not None
