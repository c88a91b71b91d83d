"""The names and signatures of the tools people come from."""
