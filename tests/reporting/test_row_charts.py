"""The privacy profile: the claimed curve in closed form, and the shown one from limits of both rates."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dpverify.core.plugins import registry
from dpverify.definitions.grammar import parse_guarantee
from dpverify.reporting.row_charts import FLOOR, MOST, privacy_profile


def profile(text, box=None):
    return privacy_profile(parse_guarantee(text, registry().definitions.mapping()), box)


def test_the_claimed_curve_of_a_gaussian_mechanism_in_closed_form():
    (claimed,) = profile("GDP(mu=1)").series
    at = np.array(claimed.x)
    exact = stats.norm.cdf(0.5 - at) - np.exp(at) * stats.norm.cdf(-0.5 - at)
    assert np.allclose(claimed.y, np.maximum(exact, FLOOR), rtol=1e-6)
    assert claimed.y[-1] == FLOOR  # the picture goes on until nothing is left to see


def test_a_pure_claim_ends_at_its_epsilon():
    (claimed,) = profile("PureDP(epsilon=2)").series
    assert 2.0 < claimed.x[-1] < 2.5
    assert all((y == FLOOR) == (x >= 2.0) for x, y in zip(claimed.x, claimed.y, strict=True))


@pytest.mark.parametrize("text", ["ApproxDP(epsilon=1, delta=1e-5)", "ZCDP(rho=0.5)", "RDP(order=2, epsilon=0.5)"])
def test_every_kind_of_claim_has_one_that_falls(text):
    (claimed,) = profile(text).series
    assert 0.0 < claimed.x[-1] <= MOST
    assert all(a >= b for a, b in zip(claimed.y, claimed.y[1:], strict=False))
    assert claimed.y[0] > claimed.y[-1] >= FLOOR


@given(fpr=st.floats(1e-6, 1.0), fnr=st.floats(1e-6, 1.0))
def test_what_is_shown_is_a_lower_bound_for_every_mechanism_with_such_rates(fpr, fnr):
    chart = profile("PureDP(epsilon=1)", {"fpr_high": fpr, "fnr_high": fnr})
    for shown in chart.series[1:]:
        for at, least in zip(shown.x, shown.y, strict=True):
            truth = max(1.0 - fnr - math.exp(at) * fpr, 1.0 - fpr - math.exp(at) * fnr, 0.0)
            assert least <= max(truth, FLOOR) + 1e-12


def test_a_refutation_lies_above_the_claim_and_what_says_nothing_has_no_curve():
    claimed, shown = profile("PureDP(epsilon=1)", {"fpr_high": 0.01, "fnr_high": 0.5}).series
    above = [y > c for y, c in zip(shown.y, claimed.y, strict=False)]
    assert any(above)
    assert len(profile("PureDP(epsilon=1)", {"fpr_high": 0.6, "fnr_high": 0.6}).series) == 1


def test_a_bound_without_rates_is_a_line_at_its_delta_and_ends_at_the_bound():
    found = parse_guarantee("PureDP(epsilon=1)", registry().definitions.mapping())
    claimed, shown = privacy_profile(found, None, epsilon=(3.0, 1e-3)).series
    assert (shown.x, shown.y) == ([0.0, 3.0], [1e-3, 1e-3])
    assert "more than 0.001, up to" in shown.label
    assert (
        "more than 0, up to" in privacy_profile(found, None, epsilon=(3.0, 0.0)).series[1].label
    )  # drawn at the floor
    assert claimed.x[-1] > 3.0
    assert len(privacy_profile(found, None, epsilon=(0.0, 0.0)).series) == 1
    assert len(privacy_profile(found, None, epsilon=(math.inf, 0.0)).series) == 1
