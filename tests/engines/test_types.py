"""Labels of types that only engines know become texts, and large unsigned integers stay whole."""

import datetime as dt
import decimal

from hosts import on, where

from clustermark.sources.contingencies import crosstab
from clustermark.tables.tabulation import crosstab as in_memory
from needs import need

pa = need("pyarrow")

DAY, HOUR = dt.date(2020, 1, 31), dt.datetime(2020, 1, 31, 12, 30)
TYPED = {
    "date": pa.array([DAY, DAY, dt.date(1999, 12, 31), None]),
    "timestamp": pa.array([HOUR, HOUR, HOUR + dt.timedelta(microseconds=1), None]),
    "decimal": pa.array([decimal.Decimal("1.50"), decimal.Decimal("1.50"), decimal.Decimal("-2.25"), None]),
    "binary": pa.array([b"ab", b"ab", b"c", None]),
    "dictionary": pa.array(["x", "x", "y", None]).dictionary_encode(),
    "unsigned": pa.array([2**64 - 1, 2**64 - 1, 2**63, None], pa.uint64()),
    "small": pa.array([255, 255, 0, None], pa.uint8()),
    "truth value": pa.array([True, True, False, None]),
}
EXPECTED = in_memory(["x", "x", "y", None], [1, 2, 2, 1], missing="cluster")


def has_type(name, kind):
    return name not in ("sqlite", "postgres") and (name != "spark" or kind not in ("unsigned", "small"))


@where("kind", TYPED, has_type)
def test_labels_of_other_types(host, kind):
    source = host.source(pa.table({"t": TYPED[kind], "p": [1, 2, 2, 1]}))
    table = crosstab(source, true="t", pred="p", missing="cluster", **host.options)
    assert table.profile == EXPECTED.profile
    if kind == "unsigned":
        assert set(table.true_labels) == {2**64 - 1, 2**63, None}


@on("duckdb-relation")
def test_decimals_are_counts_too(host):
    source = host.source(pa.table({"t": list("ab"), "p": [1, 2], "n": [decimal.Decimal("2.00"), decimal.Decimal(3)]}))
    assert crosstab(source, true="t", pred="p", counts="n") == in_memory(list("ab"), [1, 2], counts=[2, 3])
