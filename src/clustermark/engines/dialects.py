"""How names, texts and numbers are written in the SQL of an engine."""

from __future__ import annotations

from typing import NamedTuple

from clustermark.errors import InputError


class Dialect(NamedTuple):
    """The few spellings in which engines differ; everything else is said in the SQL that all of them share."""

    double: str = "DOUBLE"
    text: str = "VARCHAR"
    wide: str = "DECIMAL(38, 0)"
    """The widest exact integer."""
    quote: str = '"'
    """What stands around a name; doubled within it."""
    escapes: bool = False
    """Whether a backslash in a text must be doubled."""
    nan: str = "isnan({})"
    """Whether a floating-point number is no number."""
    temporary: str = ""
    """What a table that is to vanish is called beside TABLE."""

    def name(self, identifier: str) -> str:
        """A table or column name, quoted; a dot within it is a part of the name."""
        if "\0" in identifier:
            raise InputError(f"the name {identifier!r} has a NUL character in it, which no engine takes")
        return self.quote + identifier.replace(self.quote, self.quote * 2) + self.quote

    def literal(self, value: str | int) -> str:
        """A text or an integer."""
        if isinstance(value, int):
            return str(int(value))
        if "\0" in value:
            raise InputError(f"the text {value!r} has a NUL character in it, which no engine takes")
        value = value.replace("\\", "\\\\") if self.escapes else value
        return "'" + value.replace("'", "''") + "'"
