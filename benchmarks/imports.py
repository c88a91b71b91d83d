"""What the first name of clustermark that needs NumPy costs beside importing NumPy: the best of many fresh processes.

python benchmarks/imports.py        with the package installed, so that its bytecode is compiled
"""

from __future__ import annotations

import subprocess
import sys
import time


def seconds(statement: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", statement], check=True)
    return time.perf_counter() - start


if __name__ == "__main__":
    statements = ("pass", "import numpy", "import clustermark; clustermark.crosstab")
    runs = [[seconds(statement) for statement in statements] for _ in range(25)]
    bare, numpy, ours = (min(times) for times in zip(*runs, strict=True))
    print("| import | milliseconds beyond starting Python |\n|---|---|")
    print(f"| numpy | {(numpy - bare) * 1e3:.1f} |\n| clustermark (NumPy included) | {(ours - bare) * 1e3:.1f} |")
    print(f"\n{(ours - bare) / (numpy - bare):.2f} times `import numpy`.")
