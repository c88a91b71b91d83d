"""Statistics: what an index reads of a table. Each is made by `of(table)`, once a table."""
