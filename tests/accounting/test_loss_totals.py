"""The largest sum, its mass at +inf and the spacing of its atoms: by hand."""

import math

import numpy as np
import pytest

from dpverify.accounting.loss_gaussian import GaussianLoss
from dpverify.accounting.loss_sources import FiniteLoss, LaplaceLoss
from dpverify.accounting.loss_totals import certain, infinite_mass, largest, spacing

with np.errstate(divide="ignore"):
    TENTH = FiniteLoss(log_p=np.log([0.9, 0.1]), log_q=np.log([1.0, 0.0]), error=0.0)  # a tenth at +inf
    ALWAYS = FiniteLoss(log_p=np.log([0.0, 1.0]), log_q=np.log([1.0, 0.0]), error=0.0)
ODDS = FiniteLoss(log_p=np.log([0.75, 0.25]), log_q=np.log([0.25, 0.75]), error=0.0)  # log 3 and -log 3
FALLING = FiniteLoss(log_p=np.log([0.2, 0.3]), log_q=np.log([0.4, 0.6]), error=0.0)  # -log 2 always


def test_the_largest_sum():
    low, high = largest(((ODDS, 2), (LaplaceLoss(shift=0.5), 3)))
    assert low <= 2 * math.log(3) + 1.5 <= high
    assert high - low < 1e-13
    assert largest(((ODDS, 1), (GaussianLoss(mu=1.0), 1))) == (math.inf, math.inf)
    assert largest(((FALLING, 5),)) == (0.0, 0.0)
    assert largest(()) == (0.0, 0.0)


def test_the_mass_at_infinity():
    assert infinite_mass(((TENTH, 3), (ODDS, 9))) == pytest.approx(1 - 0.9**3, rel=1e-14)
    assert infinite_mass(((ODDS, 9),)) == infinite_mass(()) == 0
    assert infinite_mass(((ALWAYS, 1), (TENTH, 1))) == 1


def test_what_is_certain():
    assert certain(((ODDS, 2), (ALWAYS, 1)))
    assert not certain(((ODDS, 2), (TENTH, 5), (GaussianLoss(mu=1.0), 1)))


def test_the_spacing_is_that_of_the_most_frequent_atoms():
    assert spacing(((ODDS, 5), (LaplaceLoss(shift=0.5), 2))) == pytest.approx(2 * math.log(3))
    assert spacing(((ODDS, 5), (LaplaceLoss(shift=0.5), 6))) == pytest.approx(1.0)
    assert spacing(((GaussianLoss(mu=1.0), 7), (TENTH, 9))) == 1.0
