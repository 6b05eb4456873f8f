"""Quantiles of the hypergeometric law are those of scipy.stats."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from dpverify.stats.intervals import hypergeometric_quantile


@pytest.mark.parametrize("total", [1, 2, 3, 10, 1000, 400_000])
def test_as_scipy_says(total):
    rng = np.random.default_rng(total)
    pairs = [*rng.integers(0, total + 1, (60, 2)), *np.minimum(rng.integers(0, total + 1, (20, 2)), 5)]
    for marked, drawn in pairs:
        for level in (0.2137, 1 - 0.8 ** (1 / 3), 0.8 ** (1 / 3), 0.9871):
            found = hypergeometric_quantile(level, total, int(marked), int(drawn))
            assert found == stats.hypergeom.ppf(level, total, marked, drawn)
