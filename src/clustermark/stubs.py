"""Public names of a package that its stub lists: each is imported when it is first used (PEP 562)."""

from __future__ import annotations

TYPE_CHECKING = False  # `import clustermark` takes less time than the import of typing
if TYPE_CHECKING:
    from collections.abc import Callable


def attach_stub(package: str, file: str) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` of a package, as `lazy_loader` does, without its dependencies.

    package, file: `__name__` and `__file__` of the package. The stub is in the same folder and has lines of the form
        `from module import name as name, other as other`; names may follow on more lines in parentheses. Modules of
        the package itself are listed too, but are not part of `__all__`.
    """
    homes = _read_homes(f"{file.rpartition('.')[0]}.pyi")

    def get_name(name: str) -> object:
        """Import a name of the stub when it is first used."""
        import sys
        from importlib import import_module

        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home = homes[name]
        value = import_module(f"{package}.{name}") if home == package else getattr(import_module(home), name)
        setattr(sys.modules[package], name, value)
        return value

    def list_names() -> list[str]:
        """List the public names, and the attributes of every module."""
        return sorted([*homes, "__all__", "__doc__", "__file__", "__name__", "__path__"])

    return get_name, list_names, sorted(name for name, home in homes.items() if home != package)


def _read_homes(path: str) -> dict[str, str]:
    """Return the module of each name of a stub. Only string methods: `re` and `pathlib` take 5 ms to import."""
    with open(path, encoding="utf-8") as stub:  # noqa: PTH123
        statements = stub.read().split("\nfrom ")[1:]
    homes = {}
    for statement in statements:
        module, _, names = statement.partition(" import ")
        names = names[1:].partition(")")[0] if names.startswith("(") else names.partition("\n")[0]
        homes.update({name.rpartition(" as ")[2].strip(): module for name in names.split(",") if name.strip()})
    return homes
