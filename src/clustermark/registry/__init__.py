"""The class of indices, their declaration, and their lookup by name.

>>> find("ARS").name, parse("f_measure(beta=2)").label
('adjusted_rand', 'f_measure(beta=2)')
"""

from clustermark.registry.declaration import PartitionIndex, declare, index
from clustermark.registry.definition import Index
from clustermark.registry.lookup import (
    Catalogue,
    catalogue,
    choose_indices,
    find,
    index_of,
    is_ours,
    list_panel,
    parse,
    read_indices,
    with_chosen_options,
)

__all__ = [
    "Catalogue",
    "Index",
    "PartitionIndex",
    "catalogue",
    "choose_indices",
    "declare",
    "find",
    "index",
    "index_of",
    "is_ours",
    "list_panel",
    "parse",
    "read_indices",
    "with_chosen_options",
]
