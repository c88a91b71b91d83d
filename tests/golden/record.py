"""Record every result in every medium again: `python tests/golden/record.py [part of a name]…`; then read the diff."""

from __future__ import annotations

import sys
from pathlib import Path

RECORDED = Path(__file__).parent / "recorded"
if __name__ == "__main__":
    sys.path.insert(0, str(RECORDED.parents[1]))

from engine_statements import STATEMENTS  # noqa: E402

from result_cases import CASES  # noqa: E402
from result_media import recorded_text  # noqa: E402

EVERYTHING = {
    **{name: lambda maker=maker: recorded_text(maker()) for name, maker in CASES.items()},
    **{f"statements/{name}": maker for name, maker in STATEMENTS.items()},
}

KINDS = sorted({name.partition("/")[0] for name in EVERYTHING})


def file_of(name: str) -> Path:
    """Return the path of the texts of a case."""
    return RECORDED / f"{name}.txt"


def record(*parts: str) -> None:
    """Write the files of the cases whose names contain one of the parts; without parts, of all cases."""
    chosen = [name for name in EVERYTHING if not parts or any(part in name for part in parts)]
    if not chosen:
        sys.exit(f"no result has {' or '.join(map(repr, parts))} in its name; the kinds are {', '.join(KINDS)}")
    for name in chosen:
        file_of(name).parent.mkdir(parents=True, exist_ok=True)
        file_of(name).write_text(EVERYTHING[name](), encoding="utf-8")
    for file in () if parts else RECORDED.rglob("*.txt"):
        if file not in map(file_of, EVERYTHING):
            file.unlink()
    sys.stdout.write(f"{len(chosen)} files recorded; read: git add -N tests/golden && git diff tests/golden\n")


if __name__ == "__main__":
    record(*sys.argv[1:])
