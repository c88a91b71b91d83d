"""The SQL dialects of the engines: quoting of names, texts and numbers; and tables and queries as users name them."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from clustermark.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Dialect(NamedTuple):
    """The SQL constructs in which engines differ; all other SQL is common to them."""

    double: str = "DOUBLE"
    text: str = "VARCHAR"
    wide: str = "DECIMAL(38, 0)"
    """The type of the widest exact integer; empty where an engine has no integers of more than 64 bits."""
    unsigned: str = ""
    """The unsigned integer type of 64 bits; empty where an engine has none."""
    quote: str = '"'
    """The quotation mark around a name; it is doubled within a name."""
    unaliased: tuple[str, ...] = ()
    """Names that are allowed for a column of a table, but not for a column of a subquery; case is ignored."""
    refused: str = ""
    """A text that no name may contain, because the engine would substitute something for it."""
    escapes: bool = False
    """Whether the meaning of backslashes and quotes in a text depends on the version and the settings."""
    nan: str = "isnan({})"
    """Expression for whether a floating-point number is NaN."""
    exactly: str = "{}"
    """Expression for a text that is compared byte by byte, whatever the collation of its column."""
    parsed: str = "TRY_CAST(TRIM({}) AS {})"
    """Expression that parses a text as a number or gives NULL; empty where an engine has no such function."""
    temporary: str = ""
    """The keyword for temporary tables, which stands before TABLE."""
    numbered: str = "row_number() OVER ()"
    """Expression for a distinct number of each row, in any order."""
    hashed: str = ""
    """Expression for a few digits of a hexadecimal number as an integer; empty without it or md5."""
    shown: Mapping[str, str] = MappingProxyType({})
    """By kind: the expression that makes a value a text, if a cast makes different values equal."""

    def show(self, column: str, kind: str) -> str:
        """Return an expression for the values of a column as texts that are compared byte by byte."""
        shown = column if kind == "text" else self.shown.get(kind, f"CAST({{}} AS {self.text})").format(column)
        return self.exactly.format(shown)

    def name(self, identifier: str) -> str:
        """Return the quoted name of a table or column; a dot is a part of the name."""
        if "\0" in identifier:
            raise InputError(f"the name {identifier!r} has a NUL character in it, which no engine takes")
        if self.refused and self.refused in identifier:
            raise InputError(
                f"the name {identifier!r} has {self.refused!r} in it, which the engine takes for a variable; rename it"
            )
        return self.quote + identifier.replace(self.quote, self.quote * 2) + self.quote

    def literal(self, value: str | int) -> str:
        """Return the literal of a text or an integer."""
        if isinstance(value, int):
            return str(int(value))
        if "\0" in value:
            raise InputError(f"the text {value!r} has a NUL character in it, which no engine takes")
        if self.escapes and any(mark in value for mark in "\\'$"):
            return f"CAST(X'{value.encode().hex()}' AS {self.text})"
        return "'" + value.replace("'", "''") + "'"

    def constant(self, value: str | None) -> str:
        """Return a column with the same text in each row, or NULL in each row."""
        return f"CAST({'NULL' if value is None else self.literal(value)} AS {self.text})"


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
