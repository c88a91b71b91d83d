"""Compare the time to print the version and the help with that of importing NumPy: whole processes, one by one.

python benchmarks/startup.py        with the package installed, so that its bytecode is compiled
"""

from __future__ import annotations

import subprocess
import sys
import time

COMMANDS = {
    "python -c 'pass'": ["-c", "pass"],
    "python -c 'import numpy'": ["-c", "import numpy"],
    "clustermark --version": ["-m", "clustermark", "--version"],
    "clustermark --help": ["-m", "clustermark", "--help"],
    "clustermark score --help": ["-m", "clustermark", "score", "--help"],
}


def milliseconds(arguments: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    return (time.perf_counter() - start) * 1e3


if __name__ == "__main__":
    runs = [[milliseconds(arguments) for arguments in COMMANDS.values()] for _ in range(25)]
    best = dict(zip(COMMANDS, (min(times) for times in zip(*runs, strict=True)), strict=True))
    numpy = best["python -c 'import numpy'"]
    print("| command | milliseconds | times `import numpy` |\n|---|---|---|")
    for command, time_taken in best.items():
        print(f"| `{command}` | {time_taken:.0f} | {time_taken / numpy:.2f} |")
