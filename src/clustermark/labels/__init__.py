"""Labels of any kind, read as integer codes: lists, NumPy, pandas, polars, Arrow, tensors, mappings."""

from clustermark.labels.labeling import ABSENT, MISSING, Labeling, label_list
from clustermark.labels.per_point import read_counts, read_weights
from clustermark.labels.reading import read_labels, read_pair

__all__ = ["ABSENT", "MISSING", "Labeling", "label_list", "read_counts", "read_labels", "read_pair", "read_weights"]
