"""From points in an engine to cells, and from cells to what a table answers, by statements that give integers."""
