"""The contingency: the interface of a table, its implementations, and its computation from labels in memory."""
