"""Notices of a table are the same wherever its cells lie."""

import pytest
from hosts import where

from clustermark import crosstab
from clustermark.evaluation.notices import find_notices
from clustermark.tables.tabulation import crosstab as in_memory
from needs import need

pa = need("pyarrow")

COLUMNS = {
    "texts": ["noise", "a", "a", "-1", "it's", "noise", ""],
    "integers": [-1, 0, 0, -1, 2, 1, 1],
    "classes": [-1, 1, 1, -1, 1, 1, 1],
    "gaps": [None, 0, 0, 2, 2, 1, 1],
}
OPTIONS = {
    "none": {},
    "named": {"noise_true": {"noise": "singletons"}, "noise_pred": {-1: "drop"}},
    "of another type": {"noise_true": {-1: "drop"}, "noise_pred": {"-1": "drop", 8: "drop"}},
    "missing": {"missing": "drop"},
    "free": {"missing": "cluster"},
}


@pytest.mark.filterwarnings("ignore:No point of:clustermark.NoiseWarning")
@pytest.mark.parametrize("push_down", [True, False])
@where("name", OPTIONS, lambda engine, name: engine != "spark" or name == "of another type")
def test_what_is_noticed(host, name, push_down):
    source = host.source(pa.table({**COLUMNS, "integers": pa.array(COLUMNS["integers"], pa.int64())}))
    # the engine calls missing labels by a number that nobody has, which is -1 in "gaps"
    for pred in ("gaps",) if name in ("missing", "free") else ("integers", "classes"):
        made = crosstab(source, true="texts", pred=pred, push_down=push_down, **OPTIONS[name], **host.options)
        expected = in_memory(COLUMNS["texts"], COLUMNS[pred], **OPTIONS[name])
        assert find_notices(made) == find_notices(expected)
        assert made.account == expected.account
        if push_down:
            made.close()


@pytest.mark.filterwarnings("ignore:No point of:clustermark.NoiseWarning")
def test_what_is_noticed_of_something():
    noticed = {
        (name, pred): [notice.kind for notice in find_notices(in_memory(COLUMNS["texts"], COLUMNS[pred], **options))]
        for name, options in OPTIONS.items()
        for pred in ("integers", "classes", "gaps")
        if pred != "gaps" or "missing" in options
    }
    texts = ["noise"] * 3  # '-1', '' and 'noise'
    assert noticed["none", "integers"] == [*texts, "noise"]
    assert noticed["none", "classes"] == texts
    assert noticed["named", "integers"] == ["noise", "coverage"]
    assert noticed["of another type", "integers"] == ["noise", "noise", "noise_type", "noise_type", "noise_absent"]
    assert noticed["missing", "gaps"] == ["noise", "noise", "noise", "coverage"]
    assert noticed["free", "gaps"] == texts
