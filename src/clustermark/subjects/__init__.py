"""The kinds of comparison that statistics read; each is made once from data."""
