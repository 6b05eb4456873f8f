"""Goodness-of-fit checks that every statistical test here uses, each with a false-alarm probability of 1e-9."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

FALSE_ALARM = 1e-9
_LEAST_EXPECTED = 100.0  # cells are pooled up to this: the chi-square tail at 1e-9 is then good to a factor of about 2

Array = NDArray[np.float64]


def pooled(first: Array, second: Array, weight: Array) -> tuple[Array, Array]:
    """Both with neighbouring cells (by rising weight) joined until each has enough."""
    order = np.argsort(weight)
    cells: list[list[float]] = [[0.0, 0.0, 0.0]]
    for i in order:
        if cells[-1][2] >= _LEAST_EXPECTED:
            cells.append([0.0, 0.0, 0.0])
        cells[-1] = [cells[-1][0] + first[i], cells[-1][1] + second[i], cells[-1][2] + weight[i]]
    if len(cells) > 1 and cells[-1][2] < _LEAST_EXPECTED:
        last = cells.pop()
        cells[-1] = [a + b for a, b in zip(cells[-1], last, strict=True)]
    joined = np.array(cells)
    return joined[:, 0], joined[:, 1]


@pytest.fixture(scope="session")
def fits() -> Callable[[Array, Array], bool]:
    """``fits(counts, probabilities)``: Pearson's chi-square test; False with probability <= 1e-9 when they agree."""

    def check(counts: Array, probabilities: Array) -> bool:
        total = counts.sum()
        assert counts[probabilities == 0].sum() == 0
        seen, expected = pooled(counts.astype(float), probabilities * total, probabilities * total)
        statistic = float(np.sum((seen - expected) ** 2 / expected))
        return bool(stats.chi2.sf(statistic, len(seen) - 1) > FALSE_ALARM)

    return check


@pytest.fixture(scope="session")
def alike() -> Callable[[Array, Array], bool]:
    """``alike(counts, counts)``: two-sample chi-square test; False with probability <= 1e-9 when the laws agree."""

    def check(first: Array, second: Array) -> bool:
        shares = first.sum() / (first.sum() + second.sum())
        joint = min(shares, 1 - shares) * (first + second)  # expected of the smaller sample: no less where one has none
        one, two = pooled(first.astype(float), second.astype(float), joint)
        both = one + two
        statistic = np.sum((one - shares * both) ** 2 / (shares * both))
        statistic += np.sum((two - (1 - shares) * both) ** 2 / ((1 - shares) * both))
        return bool(stats.chi2.sf(float(statistic), len(one) - 1) > FALSE_ALARM)

    return check


@pytest.fixture(scope="session")
def follows() -> Callable[[Array, Callable[[Array], Array]], bool]:
    """``follows(values, cdf)``: Kolmogorov-Smirnov test; False with probability <= 1e-9 when the law is right."""

    def check(values: Array, cdf: Callable[[Array], Array]) -> bool:
        return bool(stats.kstest(values, cdf).pvalue > FALSE_ALARM)

    return check


@pytest.fixture(scope="session")
def same() -> Callable[[Array, Array], bool]:
    """``same(values, values)``: two-sample Kolmogorov-Smirnov; False with probability <= 1e-9 when the laws agree."""

    def check(first: Array, second: Array) -> bool:
        return bool(stats.ks_2samp(first, second, method="asymp").pvalue > FALSE_ALARM)

    return check
