"""Two outcomes by hand, one of them impossible under Q; equal laws cost exactly nothing."""

import math

import numpy as np

from dpverify.accounting.loss_finite import FiniteLoss


def test_finite():
    law = FiniteLoss(log_p=np.log([0.5, 0.5]), log_q=np.array([0.0, -np.inf]), error=0.0)
    assert law.atoms().loss.tolist() == [math.log(0.5), math.inf]
    assert law.masses(np.zeros(1)) is None
    assert law.bounds()[1] == math.inf


def test_equal_laws_lose_nothing_whatever_their_error():
    logs = np.log([0.3, 0.7])
    assert FiniteLoss(log_p=logs, log_q=logs.copy(), error=1e-6).bounds() == (0.0, 0.0)
    low, high = FiniteLoss(log_p=logs, log_q=logs[::-1].copy(), error=1e-6).bounds()
    assert low < -math.log(7 / 3) - 1e-6 and math.log(7 / 3) + 1e-6 < high
