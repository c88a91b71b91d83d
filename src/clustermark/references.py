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
    "albatineh2006": _doi(
        "Albatineh, Niewiadomska-Bugaj & Mihalko (2006). On similarity indices and correction for chance agreement. "
        "Journal of Classification 23.",
        "10.1007/s00357-006-0017-z",
    ),
    "baulieu1989": _doi(
        "Baulieu (1989). A classification of presence/absence based dissimilarity coefficients. "
        "Journal of Classification 6.",
        "10.1007/BF01908601",
    ),
    "braunblanquet1932": Reference("Braun-Blanquet (1932). Plant Sociology. McGraw-Hill."),
    "dice1945": _doi(
        "Dice (1945). Measures of the amount of ecologic association between species. Ecology 26(3).", "10.2307/1932409"
    ),
    "fager1963": _doi(
        "Fager & McGowan (1963). Zooplankton species groups in the North Pacific. Science 140(3566).",
        "10.1126/science.140.3566.453",
    ),
    "fowlkes1983": _doi(
        "Fowlkes & Mallows (1983). A method for comparing two hierarchical clusterings. JASA 78(383).",
        "10.1080/01621459.1983.10478008",
    ),
    "gates2017": Reference(
        "Gates & Ahn (2017). The impact of random models on clustering similarity. JMLR 18(87).",
        "https://jmlr.org/papers/v18/15-627.html",
    ),
    "gosgens2021": Reference(
        "Gösgens, Tikhonov & Prokhorenkova (2021). Systematic analysis of cluster similarity indices. ICML.",
        "https://proceedings.mlr.press/v139/gosgens21a.html",
    ),
    "hamann1961": Reference(
        "Hamann (1961). Merkmalsbestand und Verwandtschaftsbeziehungen der Farinosae. Willdenowia 2."
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
    "jiang2004": _doi(
        "Jiang, Tang & Zhang (2004). Cluster analysis for gene expression data: a survey. IEEE TKDE 16(11).",
        "10.1109/TKDE.2004.68",
    ),
    "katz1953": _doi(
        "Katz & Powell (1953). A proposed index of the conformity of one sociometric measurement to another. "
        "Psychometrika 18.",
        "10.1007/BF02289063",
    ),
    "kendall1938": _doi(
        "Kendall (1938). A new measure of rank correlation. Biometrika 30(1-2); adapted to partitions by permetrics.",
        "10.1093/biomet/30.1-2.81",
    ),
    "kulczynski1927": Reference(
        "Kulczyński (1927). Die Pflanzenassoziationen der Pieninen. "
        "Bulletin International de l'Académie Polonaise des Sciences et des Lettres B, suppl. 2."
    ),
    "lerman1988": Reference(
        "Lerman (1988). Comparing partitions (mathematical and statistical aspects). In Bock (ed.), Classification and "
        "Related Methods of Data Analysis. North-Holland."
    ),
    "loevinger1947": _doi(
        "Loevinger (1947). A systematic approach to the construction and evaluation of tests of ability. "
        "Psychological Monographs 61(4).",
        "10.1037/h0093565",
    ),
    "maxwell1968": _doi(
        "Maxwell & Pilliner (1968). Deriving coefficients of reliability and agreement for ratings. "
        "British Journal of Mathematical and Statistical Psychology 21.",
        "10.1111/j.2044-8317.1968.tb00401.x",
    ),
    "mcconnaughey1964": Reference(
        "McConnaughey (1964). The determination and analysis of plankton communities. "
        "Marine Research in Indonesia, special number."
    ),
    "mcnemar1947": _doi(
        "McNemar (1947). Note on the sampling error of the difference between correlated proportions or percentages. "
        "Psychometrika 12.",
        "10.1007/BF02295996",
    ),
    "mirkin1996": _doi(
        "Mirkin (1996). Mathematical Classification and Clustering. Kluwer.", "10.1007/978-1-4613-0457-9"
    ),
    "morey1984": _doi(
        "Morey & Agresti (1984). The measurement of classification agreement: an adjustment to the Rand statistic for "
        "chance agreement. Educational and Psychological Measurement 44.",
        "10.1177/0013164484441003",
    ),
    "peirce1884": _doi(
        "Peirce (1884). The numerical measure of the success of predictions. Science 4(93).",
        "10.1126/science.ns-4.93.453-a",
    ),
    "powers2011": Reference(
        "Powers (2011). Evaluation: from precision, recall and F-measure to ROC, informedness, markedness and "
        "correlation. Journal of Machine Learning Technologies 2(1).",
        "https://arxiv.org/abs/2010.16061",
    ),
    "rand1971": _doi(
        "Rand (1971). Objective criteria for the evaluation of clustering methods. JASA 66(336).",
        "10.1080/01621459.1971.10482356",
    ),
    "rijsbergen1979": Reference("van Rijsbergen (1979). Information Retrieval, 2nd edition. Butterworths."),
    "robert1976": _doi(
        "Robert & Escoufier (1976). A unifying tool for linear multivariate statistical methods: the RV-coefficient. "
        "Applied Statistics 25(3).",
        "10.2307/2347233",
    ),
    "rogers1960": _doi(
        "Rogers & Tanimoto (1960). A computer program for classifying plants. Science 132(3434).",
        "10.1126/science.132.3434.1115",
    ),
    "russell1940": Reference(
        "Russell & Rao (1940). On habitat and association of species of anopheline larvae in south-eastern Madras. "
        "Journal of the Malaria Institute of India 3."
    ),
    "severiano2011": _doi(
        "Severiano, Pinto, Ramirez & Carriço (2011). Adjusted Wallace coefficient as a measure of congruence between "
        "typing methods. Journal of Clinical Microbiology 49(11).",
        "10.1128/JCM.00624-11",
    ),
    "simpson1943": _doi(
        "Simpson (1943). Mammals and the nature of continents. American Journal of Science 241.", "10.2475/ajs.241.1.1"
    ),
    "sokal1963": Reference("Sokal & Sneath (1963). Principles of Numerical Taxonomy. Freeman."),
    "sundqvist2023": _doi(
        "Sundqvist, Chiquet & Rigaill (2023). Adjusting the adjusted Rand index. Computational Statistics 38.",
        "10.1007/s00180-022-01230-7",
    ),
    "tversky1977": _doi(
        "Tversky (1977). Features of similarity. Psychological Review 84(4).", "10.1037/0033-295X.84.4.327"
    ),
    "wagner2007": Reference("Wagner & Wagner (2007). Comparing clusterings: an overview. Universität Karlsruhe."),
    "wallace1983": _doi(
        "Wallace (1983). Comment on Fowlkes & Mallows. JASA 78(383).", "10.1080/01621459.1983.10478009"
    ),
    "yule1900": _doi(
        "Yule (1900). On the association of attributes in statistics. Philosophical Transactions A 194.",
        "10.1098/rsta.1900.0019",
    ),
    "yule1912": _doi(
        "Yule (1912). On the methods of measuring association between two attributes. "
        "Journal of the Royal Statistical Society 75(6).",
        "10.2307/2340126",
    ),
}
