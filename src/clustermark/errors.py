"""The errors a caller can meet. Each names the argument, the place and the way out."""


class InputError(ValueError, TypeError):
    """The input cannot be used as given; the message says which argument, where, and what to do.

    It is both a `ValueError` and a `TypeError`, so either `except` clause catches it.
    """


class UnsupportedTableError(InputError):
    """An index has no meaning on this kind of table (weights, unscored noise, items of one side only)."""


class UndefinedIndexError(ZeroDivisionError, ValueError):
    """An index is 0/0 on this table, and the caller asked for an error instead of a value."""


class EngineError(RuntimeError):
    """An engine (DuckDB, Spark, Postgres, …) failed while it worked; the message says where and what it said."""


class PluginWarning(UserWarning):
    """An installed package offers indices that cannot be loaded; the message says which and why."""
