"""Compare the time of the first score with that of importing NumPy: processor time, the least of many new processes.

python benchmarks/imports.py        with the package installed, so that its bytecode is compiled
"""

from __future__ import annotations

import resource
import subprocess
import sys

NUMPY = "import numpy"
STATEMENTS = {
    "`import clustermark`": "import clustermark",
    "the first score, `jaccard`": "import clustermark; clustermark.jaccard([0, 0], [0, 1])",
    "the first `evaluate`": "import clustermark; clustermark.evaluate([0, 0], [0, 1])",
    'all indices, `catalogue("all")`': "import clustermark; clustermark.catalogue('all')",
}


def milliseconds(statement: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", statement], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1e3


if __name__ == "__main__":
    runs = [[milliseconds(statement) for statement in ("pass", NUMPY, *STATEMENTS.values())] for _ in range(25)]
    bare, numpy, *ours = (min(times) for times in zip(*runs, strict=True))
    print("| new process | milliseconds beyond starting Python | times `import numpy` |\n|---|---|---|")
    print(f"| `import numpy` | {numpy - bare:.1f} | 1.00 |")
    for name, time in zip(STATEMENTS, ours, strict=True):
        print(f"| {name} | {time - bare:.1f} | {(time - bare) / (numpy - bare):.2f} |")
