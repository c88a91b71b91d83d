"""How sure a score is: intervals and tests, made from cells and never from points."""
