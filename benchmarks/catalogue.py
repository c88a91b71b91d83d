"""Compare the whole catalogue, and adjusted mutual information, with scikit-learn in the same run.

    python benchmarks/catalogue.py            everything except the long run (about five minutes)
    python benchmarks/catalogue.py --long     AMI of i mod 8000 against i mod 7000, i < 10^6: scikit-learn takes minutes

Every figure is the best of several runs in one process; prints Markdown tables.
"""

from __future__ import annotations

import sys

import numpy as np
from timing import best_of, entity_labels, moved_labels, peak_gib

import clustermark as cm
from clustermark.statistics.matching import (
    MatchedEntities,
    MatchedJaccard,
    MatchedPoints,
    MatchedProducts,
    MatchedRecall,
    MatchedSets,
)

EVERYTHING = [index for index in cm.catalogue() if not index.facts.may_sample]
MATCHINGS = [MatchedPoints, MatchedEntities, MatchedSets, MatchedJaccard, MatchedRecall, MatchedProducts]


def matches(index: cm.Index[...]) -> bool:
    return index.statistic.__module__.endswith(".matching") or index.name == "conll"


def score_all(true: object, pred: object, indices: list[cm.Index[...]]) -> None:
    table = cm.crosstab(true, pred)
    for index in indices:
        index.of(table)


def adjusted_mutual_information(long: bool) -> None:
    from sklearn.metrics import adjusted_mutual_info_score

    print("Adjusted mutual information, table included\n")
    print("| labels | clustermark | scikit-learn | times faster | difference |\n|---|---|---|---|---|")
    i = np.arange(10**6)
    cases = {"i mod 8000 against i mod 7000, i < 10^6": (i % 8000, i % 7000)} if long else {
        "10^6 points, 1,000 clusters, 20% moved": moved_labels(10**6, 1000),
        "20,000 singletons on both sides": (np.arange(20_000), np.arange(20_000)),
    }  # fmt: skip
    for name, (true, pred) in cases.items():
        ours = best_of(5, lambda t=true, p=pred: cm.adjusted_mutual_information(t, p))
        theirs = best_of(1, lambda t=true, p=pred: adjusted_mutual_info_score(t, p))
        apart = (
            abs(cm.adjusted_mutual_information(true, pred) - adjusted_mutual_info_score(true, pred))
            if not long
            else None
        )
        difference = "not measured" if apart is None else f"{apart:.1e}"
        print(f"| {name} | {ours * 1e3:.2f} ms | {theirs:.2f} s | {theirs / ours:,.0f} | {difference} |", flush=True)


def whole_catalogue() -> None:
    from sklearn.metrics import adjusted_rand_score

    print(f"\nAll {len(EVERYTHING)} indices that need no sampling, table included, against one adjusted_rand_score\n")
    print("| labels | indices | clustermark | scikit-learn | share |\n|---|---|---|---|---|")
    true, pred = moved_labels(10**7, 1000)
    theirs = best_of(2, lambda: adjusted_rand_score(true, pred))
    ours = best_of(5, lambda: score_all(true, pred, EVERYTHING))
    print(
        f"| 10^7 points, 1,000 clusters | all | {ours * 1e3:.0f} ms | {theirs:.2f} s | 1/{theirs / ours:.0f} |",
        flush=True,
    )
    true, pred = entity_labels(10**7)
    theirs = best_of(1, lambda: adjusted_rand_score(true, pred))
    unmatched = [index for index in EVERYTHING if not matches(index)]
    ours = best_of(3, lambda: score_all(true, pred, unmatched))
    share = f"1/{theirs / ours:.1f}"
    print(f"| 10^7 records, entity resolution | all but matching | {ours:.2f} s | {theirs:.2f} s | {share} |")
    print("\nOptimal matching of 10^7 records, against making their table\n")
    print("| matching | time | times the table |\n|---|---|---|")
    table = best_of(3, lambda: cm.crosstab(true, pred))
    for view in MATCHINGS:
        cost = best_of(3, lambda v=view: v.of(cm.crosstab(true, pred))) - table
        print(f"| {view.__name__} | {cost:.2f} s | {cost / table:.1f} |", flush=True)
    print(f"\nTable: {table:.2f} s. Peak memory of this process, peers included: {peak_gib():.1f} GiB.")


if __name__ == "__main__":
    if "--long" in sys.argv:
        adjusted_mutual_information(long=True)
    else:
        adjusted_mutual_information(long=False)
        whole_catalogue()
