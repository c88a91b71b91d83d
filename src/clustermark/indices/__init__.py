"""The indices, one file a family, each declared once. Importing this room declares them all, in this order."""

from clustermark.indices import pairs

from clustermark.indices import chance, jci  # isort: skip

__all__ = ["chance", "jci", "pairs"]
