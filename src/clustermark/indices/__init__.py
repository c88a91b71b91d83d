"""The indices, one file a family, each declared once. Importing this room declares them all, in this order."""

from clustermark.indices import pairs

from clustermark.indices import chance, information, matching, jci, elements, coreference, diarization, internal, covers  # isort: skip

__all__ = [
    "chance", "coreference", "covers", "diarization", "elements", "information", "internal", "jci", "matching", "pairs",
]  # fmt: skip
