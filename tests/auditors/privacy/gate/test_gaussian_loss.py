"""The epsilon that Gaussian noise loses at a delta."""

from __future__ import annotations

import math

import pytest
from scipy import stats

from auditors.privacy.gate.gaussian_loss import gaussian_loss


@pytest.mark.parametrize("mu", [0.3, 0.5, 1.0, 3.0])
@pytest.mark.parametrize("delta", [0.05, 1e-3, 1e-6])
def test_the_profile_is_delta_there(mu, delta):
    epsilon = gaussian_loss(mu, delta=delta)
    p, q = stats.norm.sf(epsilon / mu - mu / 2), stats.norm.sf(epsilon / mu + mu / 2)
    assert p - math.exp(epsilon) * q == pytest.approx(delta, rel=1e-6)


def test_nothing_is_lost_that_delta_covers():
    assert gaussian_loss(0.0, delta=1e-6) == gaussian_loss(0.1, delta=0.05) == 0.0


def test_what_is_too_far_apart_has_no_number():
    assert gaussian_loss(math.inf, delta=1e-6) == gaussian_loss(60.0, delta=1e-6) == math.inf
