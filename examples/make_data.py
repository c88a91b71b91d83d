"""Make src/clustermark/data/digits.csv: the handwritten digits of scikit-learn, clustered by three algorithms.

Needs scikit-learn. The file is committed, so nobody has to run this to see the demo.
"""

import csv
from pathlib import Path

from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans
from sklearn.datasets import load_digits

digits = load_digits()
columns = {
    "digit": digits.target,
    "kmeans": KMeans(n_clusters=10, n_init=10, random_state=0).fit_predict(digits.data),
    "ward": AgglomerativeClustering(n_clusters=10).fit_predict(digits.data),
    "dbscan": DBSCAN(eps=21, min_samples=5).fit_predict(digits.data),
}
target = Path(__file__).parent.parent / "src" / "clustermark" / "data" / "digits.csv"
with target.open("w", newline="") as file:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
print(f"{len(digits.target)} rows in {target.name}")
