"""One direction alone, against closed forms: normal noise, a mass at +inf, an infinite loss; and finer grids."""

import math

import numpy as np
import pytest
from scipy.stats import norm

from dpverify.accounting.loss_direction import LARGEST_GRID, WIDTH, Direction
from dpverify.accounting.loss_finite import FiniteLoss
from dpverify.accounting.loss_gaussian import GaussianLoss

with np.errstate(divide="ignore"):
    TENTH = FiniteLoss(log_p=np.log([0.9, 0.1]), log_q=np.log([1.0, 0.0]), error=0.0)  # a tenth at +inf
    ALWAYS = FiniteLoss(log_p=np.log([0.0, 1.0]), log_q=np.log([1.0, 0.0]), error=0.0)


def refined(losses, width=WIDTH):
    return Direction.refined(losses, width=width, largest_grid=LARGEST_GRID, floor=0.0)


@pytest.mark.parametrize("epsilon", [0.0, 0.5, 2.0])
def test_normal_noise(epsilon):
    mu = 0.3 * math.sqrt(10)
    truth = norm.sf(epsilon / mu - mu / 2) - math.exp(epsilon) * norm.sf(epsilon / mu + mu / 2)
    one = refined(((GaussianLoss(mu=0.3), 10),))
    low, high = one.delta(epsilon)
    assert low <= truth <= high <= low * 1.01
    low, high = one.epsilon(truth)
    assert low <= epsilon + 1e-9 and epsilon - 1e-9 <= high <= low + 0.01


def test_a_narrower_bracket_takes_a_finer_grid():
    grids = [refined(((GaussianLoss(mu=0.05), 400),), width=width).h for width in (0.1, 1e-3, 1e-5)]
    assert grids == sorted(grids, reverse=True)
    assert grids[-1] < grids[0]


def test_infinite_losses():
    one = refined(((TENTH, 2),))
    low, high = one.delta(0.5)
    assert low <= 1 - 0.9**2 <= high <= low * 1.01
    assert one.epsilon(0.1) == (math.inf, math.inf)
    assert one.epsilon(0.2)[1] == 0
    certain = refined(((ALWAYS, 1), (TENTH, 2)))
    assert certain.delta(3.0) == (1.0, 1.0)
    assert certain.epsilon(0.9) == (math.inf, math.inf)
