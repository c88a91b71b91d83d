"""Print the coverage of each package, from the data of `make coverage`."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path, PurePath

REPORT = Path("build/coverage.json")
COUNTED = ("num_statements", "covered_lines", "num_branches", "covered_branches")


def package(file: str) -> str:
    parts = PurePath(file).parts
    inside = parts[len(parts) - parts[::-1].index("clustermark") :]
    return inside[0]


def percent(counts: Counter[str]) -> str:
    possible = counts["num_statements"] + counts["num_branches"]
    return f"{(counts['covered_lines'] + counts['covered_branches']) / possible:8.1%}" if possible else "       –"


def main() -> None:
    subprocess.run([sys.executable, "-m", "coverage", "json", "-q", "-o", REPORT], check=True)
    packages: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for file, found in json.loads(REPORT.read_text(encoding="utf-8"))["files"].items():
        counts = {name: found["summary"][name] for name in COUNTED}
        packages[package(file)].update(counts)
        packages["total"].update(counts)
    total = packages.pop("total")
    print(f"{'package':<16}{'lines':>8}{'branches':>10}{'covered':>9}")
    for name, counts in [*sorted(packages.items()), ("total", total)]:
        print(f"{name:<16}{counts['num_statements']:>8}{counts['num_branches']:>10} {percent(counts)}")


if __name__ == "__main__":
    main()
