"""What the tests of the known-broken mechanisms share: the registry of this package, and a Kolmogorov-Smirnov check."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

import dpverify.datasets.neighbors
import reference_impls.known_broken
import reference_impls.mechanisms
from dpverify.core.registry import Registry, register_modules

FALSE_ALARM = 1e-9

Array = NDArray[np.float64]


@pytest.fixture(scope="session")
def registered() -> Registry:
    """Mechanisms, known-broken ones and relations; nothing else."""
    registry = Registry()
    for package in (dpverify.datasets.neighbors, reference_impls.mechanisms, reference_impls.known_broken):
        register_modules(package, registry)
    return registry


@pytest.fixture(scope="session")
def follows() -> Callable[[Array, Callable[[Array], Array]], bool]:
    """``follows(values, cdf)``: Kolmogorov-Smirnov test; False with probability <= 1e-9 when the law is right."""

    def check(values: Array, cdf: Callable[[Array], Array]) -> bool:
        return bool(stats.kstest(values, cdf).pvalue > FALSE_ALARM)

    return check
