"""Functions and classes with the names and signatures of other tools."""
