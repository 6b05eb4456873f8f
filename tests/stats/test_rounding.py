"""Directed nudges and log-space arithmetic."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.core.errors import InputError
from dpverify.stats.rounding import down, log1mexp, up

finite = st.floats(allow_nan=False, allow_infinity=False)


def test_nudges_at_the_edges():
    assert float(down(0.0, 1)) == -math.ulp(0.0)
    assert float(up(1.0, 1)) == math.nextafter(1.0, 2.0)
    assert float(down(1.0, 1)) <= math.nextafter(1.0, 0.0)
    assert float(down(-math.inf, 3)) == -math.inf
    assert float(up(math.inf, 3)) == math.inf
    assert math.isnan(float(up(math.nan, 1)))
    assert float(up(np.finfo(float).max, 1)) == math.inf


def test_log1mexp_closed_forms():
    assert float(log1mexp(0.0)) == -math.inf
    assert float(log1mexp(-math.inf)) == 0.0
    assert float(log1mexp(math.log(0.5))) == pytest.approx(math.log(0.5), rel=1e-15)
    assert float(log1mexp(-1e-300)) == pytest.approx(math.log(1e-300), rel=1e-15)
    assert float(log1mexp(-50.0)) == pytest.approx(-math.exp(-50.0), rel=1e-14)


def test_bad_input_is_told():
    with pytest.raises(InputError, match="x <= 0"):
        log1mexp(0.1)


@given(finite, st.integers(0, 8))
def test_nudges_go_outward_by_at_least_what_is_asked(x, ulps):
    lower, higher = float(down(x, ulps)), float(up(x, ulps))
    below, above = x, x
    for _ in range(ulps):
        below, above = math.nextafter(below, -math.inf), math.nextafter(above, math.inf)
    assert lower <= below
    assert higher >= above
    assert x - lower <= 2 * ulps * math.ulp(x) or math.isinf(lower)


@given(st.floats(-700.0, -1e-12))
def test_log1mexp_undoes_itself(x):
    y = float(log1mexp(x))
    if y < -1e-290:
        assert float(log1mexp(y)) == pytest.approx(x, rel=1e-9)
