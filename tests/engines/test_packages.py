"""A package that is missing is told apart from one that cannot be loaded."""

import pytest

from clustermark.engines import engine


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (
            ModuleNotFoundError("no duckdb"),
            r"DuckDB is not installed; install it with: pip install 'clustermark\[cli\]'",
        ),
        (ImportError("failed to map segment"), "DuckDB cannot be loaded: failed to map segment"),
    ],
)
def test_why_a_package_cannot_be_used(error, text, monkeypatch):
    def fail(_):
        raise error

    monkeypatch.setattr(engine, "import_module", fail)
    with pytest.raises(ImportError, match=text):
        engine.require_package("duckdb", "DuckDB", "cli")
