"""Every fault, as a program: see `trials`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parent)]

import changing_arrays  # noqa: E402
import changing_inputs  # noqa: E402
import faults_of_program  # noqa: E402

import trials  # noqa: E402

if TYPE_CHECKING:
    import random


def change_arrays(rng: random.Random) -> None:
    """The kernel, while its arrays change."""
    changing_arrays.run(changing_arrays.CASES[rng.choice(list(changing_arrays.CASES))](), 0.2)


def change_inputs(rng: random.Random) -> None:
    """Public functions, while their labels change."""
    changing_arrays.run(changing_inputs.CASES[rng.choice(list(changing_inputs.CASES))](), 0.2)


FAULTS: dict[str, trials.Trial] = {
    "arrays": change_arrays,
    "inputs": change_inputs,
    **faults_of_program.FAULTS,
}

if __name__ == "__main__":
    sys.exit(trials.main(FAULTS))
