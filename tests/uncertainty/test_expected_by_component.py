"""Expected mutual information without one component, against tables made anew."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clustermark as cm
from clustermark.registry import index_of
from clustermark.statistics.units import NoClosedFormError
from clustermark.uncertainty.expected_by_component import SizesByComponent, expected_without_components
from clustermark.uncertainty.samples import ComponentSample
from clustermark.uncertainty.spread import Jackknife, _recompute

AMI = index_of("adjusted_mutual_information")


@st.composite
def samples(draw: st.DrawFn) -> ComponentSample:
    """Return the components of blocks that share no cluster; some true labels are singletons."""
    true, pred = [], []
    for block in range(draw(st.integers(2, 9))):
        size = draw(st.integers(1, 7))
        true += [draw(st.sampled_from([-1, 2 * block, 2 * block + 1])) for _ in range(size)]
        pred += [3 * block + draw(st.integers(0, 2)) for _ in range(size)]
    return ComponentSample(cm.crosstab(true, pred, noise_true={-1: "singletons"}))


@settings(max_examples=60, deadline=None)
@given(samples())
def test_it_is_that_of_the_table_without_the_component(sample: ComponentSample):
    closed = Jackknife(sample).of(AMI, 0.0).left_out
    assert np.allclose(closed, _recompute(sample, AMI), rtol=0, atol=1e-10, equal_nan=True)


def test_components_of_too_many_sizes_are_refused():
    """Two components of two points and one of one: sizes 1 and 2 on both sides, and 3 or 4 points that are left."""
    size, once = np.array([2, 2, 1]), np.ones(3, np.int64)
    side = SizesByComponent(np.arange(3), size, once)
    with pytest.raises(NoClosedFormError, match="has too many terms without one component"):
        expected_without_components((side, side), 5 - size, once, most_terms=9)
    assert len(expected_without_components((side, side), 5 - size, once, most_terms=10)) == 3
