"""What tests of several rooms share: whether outputs have the first hits of a law; a small labelled table."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from dpverify.datasets.table import Table
from dpverify.laws.first_hit import FirstHitLaw

FALSE_ALARM = 1e-9
_LEAST_EXPECTED = 100.0  # rarer outcomes are pooled: the chi-square tail at 1e-9 is then good to a factor of about 2

Array = NDArray[np.float64]


def first_hits(law: FirstHitLaw, out: Array, threshold: float, branches: dict[float, int]) -> NDArray[np.int64]:
    """How often each outcome of `law` came among outputs of shape (size, 2 m), with the branch of each answer."""
    m = law.levels.size
    hit = np.isin(out[:, :m], list(branches))
    query = hit.argmax(axis=1)
    rows = np.arange(len(out))
    answer, number = out[rows, query], out[rows, m + query]
    codes = np.full(len(out), m * law.marks)
    first = 0
    for which, branch in enumerate(law.branches):
        moved = number - (0.0 if branch.release == "gap" else threshold)
        bins = np.searchsorted(branch.edges, moved, side="right")
        here = hit.any(axis=1) & (answer == next(key for key, value in branches.items() if value == which))
        codes[here] = (query * law.marks + first + bins)[here]
        first += branch.bins
    return np.bincount(codes, minlength=m * law.marks + 1)


@pytest.fixture(scope="session")
def hits_fit() -> Callable[..., bool]:
    """``hits_fit(law, outputs, threshold, {answer: branch})``: Pearson's chi-square test of the first hits; False with
    probability <= 1e-9 when the law is right."""

    def check(law: FirstHitLaw, out: Array, threshold: float, branches: dict[float, int]) -> bool:
        seen = first_hits(law, out, threshold, branches)
        expected = len(out) * np.exp(law.log_probabilities())
        assert seen.size == expected.size
        rare = expected < _LEAST_EXPECTED
        if expected[rare].sum() < _LEAST_EXPECTED:  # with the rarest of the others
            rare[np.argmin(np.where(rare, np.inf, expected))] = True
        assert np.count_nonzero(~rare) >= 10
        seen, expected = (np.append(each[~rare], each[rare].sum()) for each in (seen, expected))
        return bool(stats.chi2.sf(np.sum((seen - expected) ** 2 / expected), seen.size - 1) > FALSE_ALARM)

    return check


@pytest.fixture(scope="session")
def small() -> Table:
    """Thirty records, three columns; the labels can nearly be told apart."""
    at = np.arange(30.0)
    features = np.stack([np.sin(1.3 * at), np.cos(2.1 * at), np.sin(0.7 * at + 1.0)], axis=1) / np.sqrt(3.0)
    labels = np.where(features @ np.array([1.0, -2.0, 0.5]) + 0.2 * np.sin(9.0 * at) >= 0, 1.0, -1.0)
    return Table(features=features, labels=labels, name="small")
