"""Directed nudges."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dpverify.stats.rounding import down, up

finite = st.floats(allow_nan=False, allow_infinity=False)


def test_nudges_at_the_edges():
    assert float(down(0.0, 1)) == -math.ulp(0.0)
    assert float(up(1.0, 1)) == math.nextafter(1.0, 2.0)
    assert float(down(1.0, 1)) <= math.nextafter(1.0, 0.0)
    assert float(down(-math.inf, 3)) == -math.inf
    assert float(up(math.inf, 3)) == math.inf
    assert math.isnan(float(up(math.nan, 1)))
    assert float(up(np.finfo(float).max, 1)) == math.inf


@given(finite, st.integers(0, 8))
def test_nudges_go_outward_by_at_least_what_is_asked(x, ulps):
    lower, higher = float(down(x, ulps)), float(up(x, ulps))
    below, above = x, x
    for _ in range(ulps):
        below, above = math.nextafter(below, -math.inf), math.nextafter(above, math.inf)
    assert lower <= below
    assert higher >= above
    assert x - lower <= 2 * ulps * math.ulp(x) or math.isinf(lower)
