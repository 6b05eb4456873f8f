"""The curves of Figure 1 against sums that are written out."""

from __future__ import annotations

import math

import numpy as np
import pytest

from reference_impls.papers.adpsgd.step_noise import step_noise

RNG = np.random.default_rng(0)


def test_dp_sgd_has_its_own_unit():
    found = step_noise(x=3, rng=RNG, alpha="one", steps=8)
    assert found["noise"] == pytest.approx(1 / math.sqrt(1 + 3))
    assert found["spent"] == pytest.approx(math.sqrt(3 / 8))


def test_adp_sgd_spends_the_same_in_all():
    steps = 50
    eta = [1 / math.sqrt(1 + t) for t in range(1, steps + 1)]
    sigma = math.sqrt(sum(eta) / steps)  # sum of 1 / alpha^2, alpha^2 = 1 / eta
    for t in (1, 20, 50):
        found = step_noise(x=t, rng=RNG, alpha="sqrt-b", steps=steps)
        assert found["noise"] == pytest.approx(math.sqrt(eta[t - 1]) * sigma)
        assert found["spent"] == pytest.approx(math.sqrt(sum(eta[:t]) / sum(eta)))
    assert step_noise(x=steps, rng=RNG, alpha="sqrt-b", steps=steps)["spent"] == 1.0
