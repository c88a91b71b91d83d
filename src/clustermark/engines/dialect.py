"""How names, texts and numbers are written in the SQL of an engine."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from clustermark.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping


class Dialect(NamedTuple):
    """The few spellings in which engines differ; everything else is said in the SQL that all of them share."""

    double: str = "DOUBLE"
    text: str = "VARCHAR"
    wide: str = "DECIMAL(38, 0)"
    """The widest exact integer; empty where an engine has none of more than 64 bits."""
    unsigned: str = ""
    """The integer of 64 bits without a sign; empty where an engine has none."""
    quote: str = '"'
    """What stands around a name; doubled within it."""
    unaliased: tuple[str, ...] = ()
    """Names that a column of a table may have, and one of a subquery may not; case does not count."""
    refused: str = ""
    """What no name may hold, because the engine would put something else in its place."""
    escapes: bool = False
    """Whether backslashes and quotes in a text mean different things in different versions and settings."""
    nan: str = "isnan({})"
    """Whether a floating-point number is NaN."""
    exactly: str = "{}"
    """A text that is compared byte by byte, whatever its column asks for."""
    parsed: str = "TRY_CAST(TRIM({}) AS {})"
    """Reads a text as a number, or as NULL where it is not one; empty where an engine has no such function."""
    temporary: str = ""
    """What a table that is to vanish is called beside TABLE."""
    numbered: str = "row_number() OVER ()"
    """A number for each row, in any order."""
    hashed: str = ""
    """The first 13 digits of a hexadecimal number, as an integer; empty where an engine has no md5, or none of this."""
    shown: Mapping[str, str] = MappingProxyType({})
    """How a kind of values becomes texts, where a cast would lose a difference between two of them."""

    def show(self, column: str, kind: str) -> str:
        """The values of a column as texts that are compared byte by byte."""
        shown = column if kind == "text" else self.shown.get(kind, f"CAST({{}} AS {self.text})").format(column)
        return self.exactly.format(shown)

    def name(self, identifier: str) -> str:
        """A table or column name, quoted; a dot within it is a part of the name."""
        if "\0" in identifier:
            raise InputError(f"the name {identifier!r} has a NUL character in it, which no engine takes")
        if self.refused and self.refused in identifier:
            raise InputError(
                f"the name {identifier!r} has {self.refused!r} in it, which the engine takes for a variable; rename it"
            )
        return self.quote + identifier.replace(self.quote, self.quote * 2) + self.quote

    def literal(self, value: str | int) -> str:
        """A text or an integer."""
        if isinstance(value, int):
            return str(int(value))
        if "\0" in value:
            raise InputError(f"the text {value!r} has a NUL character in it, which no engine takes")
        if self.escapes and any(mark in value for mark in "\\'$"):
            return f"CAST(X'{value.encode().hex()}' AS {self.text})"
        return "'" + value.replace("'", "''") + "'"

    def constant(self, value: str | None) -> str:
        """A column that is the same text everywhere, or missing."""
        return f"CAST({'NULL' if value is None else self.literal(value)} AS {self.text})"
