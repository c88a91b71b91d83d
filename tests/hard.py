"""Tables with cancellation in scores: rare classes, nearly independent or identical labelings, counts near 2^60."""

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
    "finer, 1048 points": [[788, 258, 0], [0, 0, 2]],
    "finer, 10^12": [[200_792_608_213, 564_547_359_286, 0, 875_602_029_383], [0, 0, 2, 0]],
    "one cluster against two, 10^17": [[134_325_288_888_996_944, 52_738_093_395_777_247]],
    "one cluster against three, 10^17": [
        [137_358_924_197_557_563, 50_170_224_790_693_980, 129_273_030_137_008_581],
    ],
    "one cluster, 10^16": [[9_209_809_933_827_681]],
    "one cluster, 10^17": [[37_196_148_194_334_556]],
    "a point apart, exchanged": [[0, 1, 560_024], [0, 293_636, 0]],
    "nearly one cluster": [[10**15, 1], [1, 1]],
    "nearly the opposite": [[1, 10**15], [10**15, 1]],
    "worse than chance by a point": [[QUARTER, QUARTER + 1], [QUARTER + 1, QUARTER]],
    "matched hardly better than chance": [[3 * 10**14 + 1, 3 * 10**14, 3 * 10**14], [1, 1, 2], [2, 1, 1]],
}


def drawn(seed):
    """Draw a table of up to 4 × 4 clusters with counts of all sizes: diagonal, scattered, or near an outer product."""
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


def draw_ordered(seed):
    """Draw a prediction that is identical, finer or coarser than the truth, with counts of all sizes."""
    random = Random(seed)
    top = random.choice([20, 10**3, 10**6, 10**9, 10**12, 10**15, 2**57])
    counts = [max(1, int(top ** random.random())) for _ in range(random.randint(1, 5))]
    if seed % 3 == 0:
        return [[n if i == j else 0 for j in range(len(counts))] for i, n in enumerate(counts)]
    whole = [random.randrange(3) for _ in counts]
    finer = [[n if cluster == i else 0 for cluster, n in zip(whole, counts, strict=True)] for i in sorted(set(whole))]
    return finer if seed % 3 == 1 else [list(column) for column in zip(*finer, strict=True)]


TABLES |= {f"drawn {seed}": drawn(seed) for seed in range(60)}
