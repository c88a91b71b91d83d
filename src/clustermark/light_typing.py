"""Names of `typing` that classes are made with, at a fraction of the cost when the package starts.

Type checkers see the real ones. Those compile and check every annotation, which nobody asks for at run time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Annotated as Annotated
    from typing import NamedTuple as NamedTuple
    from typing import TypedDict as TypedDict
else:
    from collections import namedtuple

    class _TupleMaker(type):
        def __new__(cls, name, bases, body):
            if not bases:
                return super().__new__(cls, name, bases, body)
            fields = body["__annotations__"]
            defaults = [body.pop(field) for field in fields if field in body]
            made = namedtuple(name, fields, defaults=defaults, module=body["__module__"])
            made.__new__.__annotations__ = fields
            for key, value in body.items():
                setattr(made, key, value)
            return made

    class NamedTuple(metaclass=_TupleMaker):
        """The fields of a class, in their order, are those of a tuple."""

    class TypedDict:
        """The keys of a class are those of its bases and its own."""

        __annotations__ = {}

        def __init_subclass__(cls, *, total):
            cls.__annotations__ = cls.__base__.__annotations__ | cls.__annotations__

    class Annotated:
        """A type and what is said of it, as a tuple."""

        def __class_getitem__(cls, said):
            return said
