"""The contingency and its kinds: what a table answers, and how one is made of labels in memory."""
