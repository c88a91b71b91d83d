"""Tables whose scores cancel: rare classes, nearly independent or nearly identical labelings, counts near 2^60."""

from __future__ import annotations

from random import Random

QUARTER = 10**15 // 4
TABLES = {
    "near 2^60, hardly dependent": [[2**58 + 3 * 10**9, 2**58 - 3 * 10**9], [2**58 - 3 * 10**9, 2**58 + 3 * 10**9]],
    "rare classes": [[5 * 10**11, 5 * 10**11, 2], [1, 3, 5]],
    "rare classes of 10^15": [[5 * 10**14, 5 * 10**14, 2], [1, 3, 5]],
    "10^15, hardly dependent": [
        [QUARTER + 4 * 10**6, QUARTER - 4 * 10**6],
        [QUARTER - 4 * 10**6, QUARTER + 4 * 10**6],
    ],
    "10^15, dependent by a point": [[QUARTER + 1, QUARTER - 1], [QUARTER - 1, QUARTER + 1]],
    "10^15, unequal, dependent by a point": [[10**14 + 1, 2 * 10**14], [3 * 10**14, 6 * 10**14]],
    "10^9, hardly dependent": [[250_000_300, 249_999_700], [249_999_700, 250_000_300]],
    "10^18, one point apart": [[5 * 10**17, 0], [1, 5 * 10**17 - 1]],
    "10^18, two points apart": [[6 * 10**17, 1], [1, 4 * 10**17 - 2]],
    "10^15, unlike sizes, a few points apart": [[5 * 10**14, 3, 0], [0, 3 * 10**14 + 1, 2], [1, 0, 2 * 10**14]],
    "10^15, six points apart": [[5 * 10**14, 0, 0, 3], [0, 3 * 10**14 + 7, 2, 0], [0, 0, 2 * 10**14, 1]],
    "10^12, finer by a little": [[10**12, 0, 0, 7], [0, 10**11, 3, 0]],
    "independent": [[2, 4, 6], [3, 6, 9]],
    "independent, 10^15": [[10**14, 2 * 10**14], [2 * 10**14, 4 * 10**14]],
    "independent, sizes that do not divide": [[35, 21, 14], [55, 33, 22]],
    "near 2^61, finer": [[2**60 + 1, 2**57 - 5, 0], [0, 0, 2**59 + 3]],
    "identical near 2^60": [[2**58 + 3, 0, 0], [0, 2**58 + 5, 0], [0, 0, 2**58 + 7]],
    "one cluster against three": [[2**53 + 1, 2**53 + 3, 10**15]],
    "alone against together": [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 10**15]],
    "skewed": [[10**15, 10**3, 1], [10**6, 10**9, 10], [7, 10**2, 10**12]],
    "nearly one cluster": [[10**15, 1], [1, 1]],
    "nearly the opposite": [[1, 10**15], [10**15, 1]],
    "worse than chance by a point": [[QUARTER, QUARTER + 1], [QUARTER + 1, QUARTER]],
    "matched hardly better than chance": [[3 * 10**14 + 1, 3 * 10**14, 3 * 10**14], [1, 1, 2], [2, 1, 1]],
}


def drawn(seed):
    """A table of up to 4 × 4 clusters with counts of all sizes: diagonal, scattered, or near an outer product."""
    random = Random(seed)
    rows, columns = random.randint(2, 4), random.randint(2, 4)
    top = random.choice([3, 12, 10**3, 10**6, 10**9, 10**12, 10**14])
    kind = random.randrange(3)
    if kind == 0:
        return [[random.randint(0, top) if random.random() < 0.8 else 0 for _ in range(columns)] for _ in range(rows)]
    if kind == 1:
        return [[top + random.randint(0, 9) if i == j else random.randint(0, 2) for j in range(columns)]
                for i in range(rows)]  # fmt: skip
    side = max(2, int(top**0.5))
    a, b = ([random.randint(1, side) for _ in range(k)] for k in (rows, columns))
    return [[x * y + random.randint(0, 1) for y in b] for x in a]


TABLES |= {f"drawn {seed}": drawn(seed) for seed in range(60)}
