"""Scores are the same bits as before: a set of tables, written by tests/frozen/write.py, with all that was found.

The data holds the bits of one kind of machine; elsewhere a logarithm may be rounded otherwise.
"""

from __future__ import annotations

import gzip
import json
import platform

import pytest

import clustermark as cm
from frozen.measuring import DATA, attempted, findings, inputs, label, scores

CHANGED: dict[str, str] = {
    "verdict": "names the worst clusters and those found nearly exactly, and neither error where both scores are low",
}
"""Intended changes since then, and why: an index by its label, or anything else as the failure names it."""

FROZEN = json.loads(gzip.decompress(DATA.read_bytes()))
VARIANTS = {label(variant): variant for variant in FROZEN["indices"]}
TABLES = {name: stored for name, stored in FROZEN["tables"].items() if "raises" not in stored}
REFUSED = {name: stored for name, stored in FROZEN["tables"].items() if "raises" in stored}

pytestmark = pytest.mark.skipif(
    [platform.system(), platform.machine()] != FROZEN["machine"],
    reason=f"the bits are those of {' on '.join(FROZEN['machine'])}",
)


def flat(found):
    """The findings by name; those that have parts are told apart, as in sklearn.rand_score."""
    named = {}
    for what, value in found.items():
        parts = value if isinstance(value, dict) else {"": value}
        named |= {f"{what}.{part}" if part else what: entry for part, entry in parts.items()}
    return named


def hold(name, expected, got):
    """Fail with a line for each entry that is not what it was."""
    wrong = [
        f"{name}: {what}: expected {expected.get(what)}, got {got.get(what)}"
        for what in {**expected, **got}
        if what.removeprefix("panel.") not in CHANGED and expected.get(what) != got.get(what)
    ]
    assert not wrong, "\n" + "\n".join(wrong)


@pytest.mark.parametrize("name", TABLES)
def test_scores_are_the_same_bits(name):
    stored = zip(VARIANTS, TABLES[name]["scores"], strict=True)
    expected = {index: score for index, score in stored if score is not None}
    table = cm.crosstab(**inputs(TABLES[name]["input"]))
    got = scores(table, [VARIANTS[index] for index in expected])
    hold(name, expected, dict(zip(expected, got, strict=True)))


@pytest.mark.parametrize("name", TABLES)
def test_what_else_is_found_is_the_same(name):
    stored = TABLES[name]
    hold(name, flat(stored["found"]), flat(findings(inputs(stored["input"]), stored["extras"])))


@pytest.mark.parametrize("name", REFUSED)
def test_what_was_refused_is_refused(name):
    hold(name, {"error": REFUSED[name]["raises"]}, {"error": attempted(cm.crosstab, **inputs(REFUSED[name]["input"]))})


def test_no_index_is_lost():
    assert {name for name, _ in VARIANTS.values()} <= {index.name for index in cm.catalogue()}


def test_what_was_changed_is_frozen():
    assert set(CHANGED) <= {*VARIANTS, *(what for stored in TABLES.values() for what in flat(stored["found"]))}
