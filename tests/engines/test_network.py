"""No engine downloads anything that nobody asked for."""

from __future__ import annotations

import pytest

import clustermark as cm
from needs import need

duckdb = need("duckdb")


@pytest.mark.parametrize("address", ["https://example.invalid/points.parquet", "s3://bucket/points.csv"])
def test_an_extension_that_reads_the_network_is_not_installed_unasked(address, monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))  # where DuckDB keeps its extensions
    with pytest.raises(cm.InputError, match=r"its extension httpfs .* nothing is downloaded unasked"):
        cm.evaluate(address, true="label", pred="cluster")
    assert not list(tmp_path.rglob("*httpfs*"))
