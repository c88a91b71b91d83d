"""The Jaccard-Concentration Index without one component, and of chosen components, against tables made anew."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clustermark as cm
from clustermark.registry import index_of
from clustermark.registry.array_scores import ArrayScores
from clustermark.statistics.units import NoClosedFormError
from clustermark.uncertainty.entries import Cells
from clustermark.uncertainty.overlaps_by_component import PredictedOverlaps
from clustermark.uncertainty.samples import ComponentSample, ResampledComponents
from clustermark.uncertainty.spread import Jackknife, _recompute

INDICES = [index_of(name) for name in ("jaccard_concentration", "mean_concentration", "max_jaccard")]


@st.composite
def samples(draw: st.DrawFn, *, lone: bool = True) -> ComponentSample:
    """Return the components of blocks that share no cluster; some labels of either side may be singletons."""
    true, pred = [], []
    for block in range(draw(st.integers(2, 8))):
        size = draw(st.integers(1, 7))
        for labels, last in ((true, 1), (pred, 2)):
            mine = [3 * block + k for k in range(last + 1)] + ([-1] if lone else [])
            labels += [draw(st.sampled_from(mine)) for _ in range(size)]
    return ComponentSample(cm.crosstab(true, pred, noise={-1: "singletons"}))


@settings(max_examples=80, deadline=None)
@given(samples())
def test_it_is_that_of_the_table_without_the_component(sample: ComponentSample):
    for index in INDICES:
        left = Jackknife(sample).of(index, 0.0).left_out
        assert np.allclose(left, _recompute(sample, index), rtol=0, atol=1e-12, equal_nan=True), index.label


@settings(max_examples=40, deadline=None)
@given(samples(lone=False), st.data())
def test_it_is_that_of_the_table_of_chosen_components(sample: ComponentSample, data: st.DataObject):
    n = len(sample.multiplicity)
    chosen = np.array(data.draw(st.lists(st.lists(st.integers(0, 1), min_size=n, max_size=n), min_size=1, max_size=4)))
    chosen = chosen[chosen.any(axis=1)]
    if len(chosen):
        units = ResampledComponents(sample.table.to_memory(), sample.groups, chosen)
        for index in INDICES:
            wanted = [index.of(sample.take(row)) for row in chosen]
            assert np.allclose(ArrayScores(units).of(index), wanted, rtol=0, atol=1e-12), index.label


def test_tables_with_too_many_numbers_of_true_clusters_are_refused():
    overlaps = PredictedOverlaps(Cells(cm.crosstab([0, 1, 2, 3], [0, 0, 1, 1]).to_memory()))
    assert overlaps.numbers_of(np.array([2.0, 3.0, 2.0]), most_terms=4) == [2, 3]
    with pytest.raises(NoClosedFormError, match="too many concentrations"):
        overlaps.numbers_of(np.array([2.0, 3.0, 2.0]), most_terms=3)
