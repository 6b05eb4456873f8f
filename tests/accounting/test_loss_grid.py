"""The laws above and below a two-point loss, by hand; and the order between them on normal noise."""

import math

import numpy as np
import pytest

from dpverify.accounting.loss_grid import above, below, cut
from dpverify.accounting.loss_sources import FiniteLoss, GaussianLoss

P, Q = np.array([0.75, 0.25]), np.array([0.25, 0.75])  # losses log 3 and -log 3
LAW = FiniteLoss(log_p=np.log(P), log_q=np.log(Q), error=0.0)


def excess(law, epsilon):
    return float(np.sum(law.p * np.maximum(-np.expm1(epsilon - law.losses()), 0.0))) + law.infinite


def test_above_keeps_the_mean_of_the_ratio():
    law = above(cut(LAW, 1.0, 1e-30), 1.0)
    # log 3 lies between 1 and 2, -log 3 between -2 and -1: each is spread so that e^-L keeps its mean.
    share = (math.exp(-1) - 1 / 3) / (math.exp(-1) - math.exp(-2))
    left = (math.exp(2) - 3) / (math.exp(2) - math.exp(1))
    masses = dict(zip(np.round(law.losses()).tolist(), law.p.tolist(), strict=True))
    assert masses[2.0] == pytest.approx(0.75 * share, rel=1e-12)
    assert masses[1.0] == pytest.approx(0.75 * (1 - share), rel=1e-12)
    assert masses[-1.0] == pytest.approx(0.25 * left, rel=1e-12)
    assert float(np.sum(law.p * np.exp(-law.losses()))) == pytest.approx(1.0, abs=1e-12)


def test_below_puts_its_best_loss_on_the_grid():
    law = below(cut(LAW, 1.0, 1e-30), 1.0)
    # A grid through -log 3 drops log 3 by 2 log 3 - 2 at 3/4 of the mass; one through log 3 costs 1/4 of 3 - 2 log 3.
    top = law.losses()[law.p > 0.5]
    assert top == pytest.approx(2 - math.log(3), abs=1e-8)
    rest = law.losses()[(law.p > 0.1) & (law.p < 0.5)]
    assert rest == pytest.approx(-math.log(3), abs=1e-8) and rest[0] <= -math.log(3)


def test_an_outcome_that_q_lacks_is_infinite():
    law = FiniteLoss(log_p=np.log([0.5, 0.5]), log_q=np.array([0.0, -np.inf]), error=0.0)
    pieces = cut(law, 0.5, 1e-30)
    assert above(pieces, 0.5).infinite == below(pieces, 0.5).infinite == pytest.approx(0.5)


@pytest.mark.parametrize("h", [0.5, 0.01])
@pytest.mark.parametrize("epsilon", [0.0, 0.3, 2.0])
def test_the_truth_of_normal_noise_lies_between(h, epsilon):
    pieces = cut(GaussianLoss(mu=1.0), h, 1e-30)
    phi = lambda x: math.erfc(-x / math.sqrt(2)) / 2  # noqa: E731
    truth = phi(0.5 - epsilon) - math.exp(epsilon) * phi(-0.5 - epsilon)
    low, high = excess(below(pieces, h), epsilon), excess(above(pieces, h), epsilon)
    assert low * (1 - 1e-12) <= truth <= high * (1 + 1e-12)
    assert high - low < h
