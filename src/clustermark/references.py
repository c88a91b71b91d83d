"""Where the indices were published."""

from __future__ import annotations

from typing import NamedTuple


class Reference(NamedTuple):
    """One publication."""

    citation: str
    url: str = ""

    def __str__(self) -> str:
        return f"{self.citation} {self.url}".strip()


def _doi(citation: str, doi: str) -> Reference:
    return Reference(citation, f"https://doi.org/{doi}")


REFERENCES: dict[str, Reference] = {
    "dice1945": _doi(
        "Dice (1945). Measures of the amount of ecologic association between species. Ecology 26(3).", "10.2307/1932409"
    ),
    "fowlkes1983": _doi(
        "Fowlkes & Mallows (1983). A method for comparing two hierarchical clusterings. JASA 78(383).",
        "10.1080/01621459.1983.10478008",
    ),
    "hubert1985": _doi(
        "Hubert & Arabie (1985). Comparing partitions. Journal of Classification 2.", "10.1007/BF01908075"
    ),
    "jaccard1912": _doi(
        "Jaccard (1912). The distribution of the flora in the alpine zone. New Phytologist 11(2).",
        "10.1111/j.1469-8137.1912.tb05611.x",
    ),
    "jci": Reference(
        "Wiredu-Aidoo. Jaccard-Concentration Index.", "https://github.com/RandyWAidoo/Jaccard-Concentration-Index"
    ),
    "kendall1938": _doi(
        "Kendall (1938). A new measure of rank correlation. Biometrika 30(1-2); adapted to partitions by permetrics.",
        "10.1093/biomet/30.1-2.81",
    ),
    "rand1971": _doi(
        "Rand (1971). Objective criteria for the evaluation of clustering methods. JASA 66(336).",
        "10.1080/01621459.1971.10482356",
    ),
    "rijsbergen1979": Reference("van Rijsbergen (1979). Information Retrieval, 2nd edition. Butterworths."),
    "wallace1983": _doi(
        "Wallace (1983). Comment on Fowlkes & Mallows. JASA 78(383).", "10.1080/01621459.1983.10478009"
    ),
}
