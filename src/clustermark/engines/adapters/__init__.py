"""One module an engine: how its names, types and results become ours."""
