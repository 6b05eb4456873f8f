"""What Renyi audits say they would have detected: the part that the bins show, and simulated at several mechanisms.

The simulations fail with probability below 1e-8 where what is promised (0.8) is kept
(`tests.auditors.privacy.detects`).
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from auditors.privacy.renyi.auditor import RenyiAuditor
from auditors.privacy.renyi.plan import RenyiPlan, aims, part_shown
from dpverify.definitions.rdp import RDP
from dpverify.stats.epsilon import binary_renyi
from dpverify.stats.variational import Variational
from tests.auditors.privacy.detects import detections, fewest

AUDITOR = RenyiAuditor()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["response", "gaussian-renyi", "gaussian-mu"])
def test_what_it_calls_detectable_it_detects(name):
    """Measured over 50: 0.94 on randomised response, 1.00 on Gaussian noise."""
    found = detections(AUDITOR, name, trials=2000, alpha=0.05, repetitions=40)
    assert found >= fewest(40), found


@pytest.mark.parametrize("event", [False, True])
def test_of_two_outcomes_all_but_a_standard_error_is_shown(event):
    """The optimal function on two cells has the whole divergence; so has the event of one of them."""
    p, q, order = np.array([0.7, 0.3]), np.array([0.4, 0.6]), 2.0
    truth = float(binary_renyi(np.array(0.7), np.array(0.4), order))
    aim = aims(RDP(order=order, epsilon=2.0 * truth))[0]
    test = None if event else Variational.planned(np.log(p / q), p, q, order=order, trials=1000, alpha=0.05)
    plan = RenyiPlan(aim=aim, direction=0, expected=0.0, test=test, inside=np.array([True, False]))
    draws = (10**3, 10**5, 10**7)
    shown = [part_shown(plan, np.rint(np.stack([p, q]) * n).astype(np.int64)) for n in draws]
    whole = max(truth, float(binary_renyi(np.array(0.4), np.array(0.7), order))) if event else truth
    whole /= 2.0 * truth
    assert shown == sorted(shown)
    assert shown[0] < 0.97 * whole
    assert shown[-1] == pytest.approx(whole, rel=2e-3)
    assert shown[-1] < whole
    # a hundred times the draws, a tenth of the error
    assert (whole - shown[0]) / (whole - shown[1]) == pytest.approx(10.0, rel=0.2)


def test_what_shows_nothing_detects_nothing():
    aim = aims(RDP(order=2.0, epsilon=1.0))[0]
    plan = RenyiPlan(aim=aim, direction=0, expected=0.0, test=None, inside=np.array([True, False]))
    counts = np.array([[50, 50], [50, 50]])
    assert part_shown(plan, counts) == 0.0
    assert math.isfinite(aim.value(1.0))
