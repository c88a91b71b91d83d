"""Every fuzzer, as a program: see `trials`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parent)]

import fuzz_decisions  # noqa: E402
import fuzz_files  # noqa: E402
import fuzz_kernel  # noqa: E402
import fuzz_keys  # noqa: E402
import fuzz_names  # noqa: E402
import fuzz_points  # noqa: E402
import fuzz_tables  # noqa: E402

import trials  # noqa: E402

FUZZERS: dict[str, trials.Trial] = {
    **fuzz_tables.FUZZERS,
    **fuzz_kernel.FUZZERS,
    **fuzz_points.FUZZERS,
    **fuzz_decisions.FUZZERS,
    **fuzz_files.FUZZERS,
    **fuzz_keys.FUZZERS,
    **fuzz_names.FUZZERS,
}

if __name__ == "__main__":
    sys.exit(trials.main(FUZZERS))
