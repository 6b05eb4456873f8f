"""What these tests share: a Kolmogorov-Smirnov check, and the package's own registry."""

from __future__ import annotations

import pytest
from scipy import stats

import dpverify.datasets.neighbors
import reference_impls.floating_point
from dpverify.core.registry import Registry, register_modules

FALSE_ALARM = 1e-9


@pytest.fixture(scope="session")
def registered():
    """The mechanisms of this package, and relations."""
    registry = Registry()
    for package in (dpverify.datasets.neighbors, reference_impls.floating_point):
        register_modules(package, registry)
    return registry


@pytest.fixture(scope="session")
def follows():
    """``follows(values, cdf)``: Kolmogorov-Smirnov test; False with probability <= 1e-9 when the law is right."""
    return lambda values, cdf: bool(stats.kstest(values, cdf).pvalue > FALSE_ALARM)
