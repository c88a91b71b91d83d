"""Make src/clustermark/data/digits.csv: the handwritten digits of scikit-learn, clustered by three algorithms.

Needs scikit-learn. The file is committed and part of the package, so there is no need to run this script.

python examples/make_digits.py [FILE]
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans
from sklearn.datasets import load_digits

SHIPPED = Path(__file__).parent.parent / "src" / "clustermark" / "data" / "digits.csv"


def main(target: Path) -> None:
    digits = load_digits()
    columns = {
        "digit": digits.target,
        "kmeans": KMeans(n_clusters=10, n_init=10, random_state=0).fit_predict(digits.data),
        "ward": AgglomerativeClustering(n_clusters=10).fit_predict(digits.data),
        "dbscan": DBSCAN(eps=21, min_samples=5).fit_predict(digits.data),
    }
    with target.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    print(f"{len(digits.target)} rows in {target.name}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else SHIPPED)
