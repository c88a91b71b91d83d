"""The indices, one file a family, each declared once. Importing this room declares those of partitions, in this order.

Those of other comparisons wait until they are asked for: `declare_others`.
"""

from importlib import import_module

from clustermark.indices import pairs

from clustermark.indices import chance, information, matching, jci, elements, coreference, diarization  # isort: skip

__all__ = [
    "chance", "coreference", "declare_others", "diarization", "elements", "information", "jci", "matching", "pairs",
]  # fmt: skip
OTHERS = ("internal", "covers", "trees", "soft")
"""The families of other comparisons; some of them also compute indices of partitions from something else."""


def declare_others() -> None:
    """Declare the indices of all other comparisons."""
    for family in OTHERS:
        import_module(f"clustermark.indices.{family}")
