"""The main job on shipped data: three clusterings of 1,797 handwritten digits, judged against the digits themselves.

Run it with `make demo`.
"""

import csv
from pathlib import Path

import clustermark

with (Path(clustermark.__file__).parent / "data" / "digits.csv").open() as file:
    rows = list(csv.DictReader(file))
digit = [row["digit"] for row in rows]
CHOSEN = [
    "adjusted_rand",
    "adjusted_mutual_information",
    "homogeneity",
    "completeness",
    "v_measure",
    "pair_precision",
    "pair_recall",
    "dice",
    "jaccard",
    "b_cubed_precision",
    "b_cubed_recall",
    "purity",
    "matching_accuracy",
    "element_centric",
    "jaccard_concentration",
]

for algorithm in ("kmeans", "ward"):
    print(f"\n{algorithm} against the digits")
    print(clustermark.evaluate(digit, [row[algorithm] for row in rows], CHOSEN))

print("\ndbscan against the digits; its noise (-1) counts as points on their own")
dbscan = [row["dbscan"] for row in rows]
print(clustermark.evaluate(digit, dbscan, CHOSEN, noise_pred={"-1": "singletons"}))

print("\nThe clusters of kmeans, and the digit each is closest to")
result = clustermark.jaccard_concentration_index(
    digit, [row["kmeans"] for row in rows], return_all=True, ordered_labels=sorted(set(digit))
)
for number, cluster in enumerate(result["cluster_results"]):
    print(
        f"  cluster {number}: closest to digit {cluster['closest_label']}, "
        f"Jaccard {cluster['max_jaccard_index']:.3f}, concentration {cluster['concentration']:.3f}"
    )
