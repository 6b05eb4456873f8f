"""The tilted transform against convolution by hand, and its cumulants against a two-point law's closed form."""

import math

import numpy as np
import pytest

from dpverify.accounting.loss_grid import GridLaw
from dpverify.accounting.loss_sum import GridTooLargeError, RoundingError, add, cumulant, tilt_for, window

H = 0.25
FIRST = GridLaw(first=-2, h=H, offset=0.0, p=np.array([0.1, 0.0, 0.2, 0.3, 0.35]), infinite=0.05, relative=0.0)
SECOND = GridLaw(first=-1, h=H, offset=0.01, p=np.array([0.25, 0.0, 0.75]), infinite=0.0, relative=0.0)
LAWS = ((FIRST, 2), (SECOND, 3))


def twin():
    """Losses and masses of the sum, one convolution after the other."""
    masses = np.ones(1)
    for law, count in LAWS:
        for _ in range(count):
            masses = np.convolve(masses, law.p)
    return (2 * -2 + 3 * -1 + np.arange(masses.size)) * H + 3 * 0.01, masses


@pytest.mark.parametrize("tilt", [0.0, 1.5])
@pytest.mark.parametrize("epsilon", [0.0, 0.6, 1.3, 2.0])
def test_delta_is_that_of_the_convolution(tilt, epsilon):
    losses, masses = twin()
    truth = float(np.sum(masses * np.maximum(-np.expm1(epsilon - losses), 0.0))) + 1 - 0.95**2
    low, high = add(LAWS, tilt).delta(epsilon)
    assert low <= truth * (1 + 1e-14) and truth * (1 - 1e-14) <= high
    assert high - low < 1e-11


def test_cumulants_of_two_points():
    law = GridLaw(first=0, h=1.0, offset=0.0, p=np.array([0.75, 0.25]), infinite=0.0, relative=0.0)
    value, mean, variance = cumulant(law, 2.0)
    share = 0.25 * math.exp(2) / (0.75 + 0.25 * math.exp(2))
    assert value == pytest.approx(math.log(0.75 + 0.25 * math.exp(2)), rel=1e-14)
    assert mean == pytest.approx(share, rel=1e-14)
    assert variance == pytest.approx(share * (1 - share), rel=1e-14)


def test_the_tilted_mean_is_near_the_epsilon_asked_for():
    tilt = tilt_for(LAWS, epsilon=1.2)
    assert sum(count * cumulant(law, tilt)[1] for law, count in LAWS) == pytest.approx(1.2, abs=0.05)


def test_the_window_holds_all_losses_of_a_short_sum():
    losses, _ = twin()
    low, high = window(LAWS, 0.0)
    assert low <= losses[0] and losses[-1] <= high


def test_what_does_not_fit_or_has_no_digits_is_refused():
    with pytest.raises(GridTooLargeError):
        add(LAWS, 0.0, largest=8)
    with pytest.raises(RoundingError):
        add(((FIRST, 10**18),), 0.0)
