"""The indices, a file or a folder of files a family, each declared once. A file is loaded when one of them is wanted.

A folder tells the order of its files in the catalogue: `FILES`.
"""

from importlib import import_module

from clustermark.registry.facts import FAMILIES

OTHERS = ("internal", "covers", "trees", "soft")
"""The families of other comparisons; some of them also compute indices of partitions from something else."""
PARTITIONS = tuple(family for family in FAMILIES if family not in OTHERS)


def declare(families: tuple[str, ...]) -> list[str]:
    """Declare all indices of some families; the modules of them, in the order of the catalogue."""
    modules = []
    for family in families:
        room = import_module(f"{__name__}.{family}")
        modules += [f"{room.__name__}.{file}" for file in getattr(room, "FILES", ())] or [room.__name__]
    for module in modules:
        import_module(module)
    return modules
