"""Lists of pairs whose ids have two parts, in every engine, against clusters that are closed in the obvious way."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import clustermark as cm
from clustermark.engines.engine import FetchLimits, Workspace
from clustermark.errors import ClustermarkWarning, InputError
from clustermark.sources.contingencies import crosstab
from clustermark.tables.tabulation import crosstab as in_memory
from needs import need

pa = need("pyarrow")

KEYS = ["source_dataset", "unique_id"]
TRUTH = [("a", 1, "x"), ("a", 2, "x"), ("b", 1, "x"), ("b", 2, "y"), ("a", 3, "y"), ("b", 3, "z")]
PAIRS = [("a", 1, "b", 1, 0.9), ("b", 1, "a", 2, 0.2), ("b", 2, "a", 3, 0.7), ("a", 3, "b", 3, 0.5)]
LIST = ["source_dataset_l", "unique_id_l", "source_dataset_r", "unique_id_r"]


def close(pairs, threshold, ids):
    """Return the first id of the cluster of each id, by relabelling until nothing changes."""
    cluster = {one: one for one in ids}
    for s, i, t, j, score in [*pairs, *pairs] * len(ids):
        if score >= threshold:
            first = min(cluster[s, i], cluster[t, j])
            cluster |= {one: first for one, own in cluster.items() if own in (cluster[s, i], cluster[t, j])}
    return cluster


def columns(rows, names):
    return pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))


def truth_and_pairs(host):
    truth = host.source(columns(TRUTH, [*KEYS, "entity"]))
    splink = columns([(0.0, *row) for row in PAIRS], ["match_weight", *LIST, "match_probability"])
    return truth, host.source(splink, "pairs")


def test_scored_pairs_of_two_parts_in_any_engine(host):
    truth, pairs = truth_and_pairs(host)
    for threshold in (0.1, 0.5, 0.6, 0.8):
        clusters = close(PAIRS, threshold, [row[:2] for row in TRUTH])
        wanted = in_memory([row[2] for row in TRUTH], [clusters[row[:2]] for row in TRUTH])
        table = crosstab(truth, pairs, on=KEYS, pairs="pred", threshold=threshold, **host.options)
        assert table.profile == wanted.profile
        assert sorted(table.pred_labels) == sorted(f'["{source}", {i}]' for source, i in set(clusters.values()))
        assert table.settings["on"] == "source_dataset, unique_id"


def test_pairs_of_two_parts_without_scores_by_their_order(host):
    truth, _ = truth_and_pairs(host)
    pairs = host.source(columns([row[:4] for row in PAIRS if row[4] >= 0.5], ["a", "b", "c", "d"]), "pairs")
    table = crosstab(truth, pairs, on=KEYS, pairs="pred", unmatched="singletons", **host.options)
    clusters = close(PAIRS, 0.5, [row[:2] for row in TRUTH])
    assert table.profile == in_memory([row[2] for row in TRUTH], [clusters[row[:2]] for row in TRUTH]).profile


records = st.tuples(st.sampled_from('ab"'), st.integers(0, 4))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.dictionaries(records, st.integers(0, 3), min_size=1, max_size=12),
    st.lists(st.tuples(records, records, st.sampled_from([0.1, 0.5, 0.9])), min_size=1, max_size=12),
)
def test_random_pairs_are_closed_as_in_the_sweep(labels, found):
    pairs = [(*one, *other, score) for one, other, score in found if one in labels and other in labels]
    if not pairs:
        return
    truth = columns([(*one, str(label)) for one, label in labels.items()], [*KEYS, "entity"])
    listed = columns(pairs, [*LIST, "match_probability"])
    for threshold in (0.1, 0.5):
        clusters = close(pairs, threshold, list(labels))
        wanted = in_memory(list(map(str, labels.values())), [clusters[one] for one in labels])
        how = {"pairs": "pred", "threshold": threshold, "unmatched": "singletons"}
        table = crosstab(truth, listed, on=KEYS, **how) if any(row[4] >= threshold for row in pairs) else None
        if table is not None:
            assert table.profile == wanted.profile
            assert cm.sweep_pairs(truth, listed).at(threshold)["jaccard"] == cm.jaccard.of(wanted)


def test_the_columns_of_splink_are_found_and_others_are_named():
    truth, pairs = columns(TRUTH, [*KEYS, "entity"]), columns(PAIRS, [*LIST, "match_probability"])
    guessed = crosstab(truth, pairs, pairs="pred", threshold=0.5)
    assert guessed == crosstab(truth, pairs, on=KEYS, pairs="pred", threshold=0.5)
    renamed = truth.rename_columns(["s", "i", "entity"])
    with pytest.raises(InputError, match=r"'s'|name the column"):
        crosstab(renamed, pairs, pairs="pred", threshold=0.5)
    on = {"s": "source_dataset", "i": "unique_id"}
    assert crosstab(renamed, pairs, on=on, pairs="pred", threshold=0.5).profile == guessed.profile
    with pytest.raises(InputError, match=r"2 parts \(source_dataset, unique_id\) have 4 columns.*threshold="):
        crosstab(truth, pairs, on=KEYS, pairs="pred")
    with pytest.raises(InputError, match="have 4 columns in a list of pairs"):
        crosstab(truth, columns(TRUTH, ["a", "b", "c"]), on=KEYS, pairs="pred")
    with pytest.warns(ClustermarkWarning, match="no pair of .* reaches threshold="):
        crosstab(truth, pairs, on=KEYS, pairs="pred", threshold=7)
    lacking = columns([*PAIRS, ("a", None, "b", 1, 0.9)], [*LIST, "match_probability"])
    with pytest.raises(InputError, match="lack an id"):
        crosstab(truth, lacking, on=KEYS, pairs="pred", threshold=0.5)


def test_names_of_clusters_that_would_be_equal_become_numbers():
    labels = {('a", "b', "c"): 1, ("a", 'b", "c'): 2, ("d", "e"): 2}
    truth = columns([(*one, label) for one, label in labels.items()], [*KEYS, "entity"])
    pairs = columns([(*one, *one, 1.0) for one in labels], [*LIST, "match_probability"])
    table = crosstab(truth, pairs, pairs="pred", threshold=0.5)
    assert table.n_pred_clusters == 3
    assert table.profile == in_memory(list(labels.values()), [0, 1, 2]).profile


def test_more_pairs_than_a_memory_holds_are_refused(monkeypatch):
    monkeypatch.setattr(Workspace, "limits", FetchLimits(pairs=3))
    truth, pairs = columns(TRUTH, [*KEYS, "entity"]), columns(PAIRS, [*LIST, "match_probability"])
    with pytest.raises(InputError, match="4 pairs are more than 3"):
        crosstab(truth, pairs, pairs="pred", threshold=0.5, max_cells=3)


def test_every_reader_of_pairs_takes_ids_of_two_parts():
    truth, pairs = columns(TRUTH, [*KEYS, "entity"]), columns(PAIRS, [*LIST, "match_probability"])
    ids = [row[:2] for row in TRUTH]
    before, after = close(PAIRS, 0.8, ids), close(PAIRS, 0.5, ids)
    how = {"on": KEYS, "unmatched": "singletons"}
    wanted = {row[:2]: row[2] for row in TRUTH}
    evaluation = cm.evaluate(truth, pairs, pairs="pred", threshold=0.5, **how)
    assert "unique_id" in evaluation.report()
    assert cm.compare(truth, pairs, "rand", pairs="pred", threshold=0.5, **how).leaderboard()[0].score == cm.rand(
        list(wanted.values()), [after[one] for one in wanted]
    )
    old = columns([(*one, str(first)) for one, first in before.items()], [*KEYS, "cluster"])
    changes = cm.changes(old, pairs, on=KEYS, pairs="pred", threshold=0.5, unmatched="singletons")
    exact = cm.changes({one: str(c) for one, c in before.items()}, {one: str(c) for one, c in after.items()})
    assert (changes.split_rate, changes.merge_rate) == (exact.split_rate, exact.merge_rate)
    both = crosstab(pairs, pairs, on=KEYS, pairs="both", threshold=0.5)
    assert both.are_identical()
    asked = cm.questions(old, pairs, on=KEYS, pairs="pred", threshold=0.5, n=5, seed=1)
    assert len(asked) > 0
