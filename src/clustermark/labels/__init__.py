"""Labels of any kind, read as integer codes: lists, NumPy, pandas, polars, Arrow, tensors, mappings."""

from clustermark.labels.conversion import (
    check_same_index,
    is_pandas_series,
    read_counts,
    read_labels,
    read_pair,
    read_weights,
)
from clustermark.labels.labeling import ABSENT, MISSING, Labeling, label_list
from clustermark.labels.lists_and_arrays import is_missing

__all__ = [
    "ABSENT",
    "MISSING",
    "Labeling",
    "check_same_index",
    "is_missing",
    "is_pandas_series",
    "label_list",
    "read_counts",
    "read_labels",
    "read_pair",
    "read_weights",
]
