from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from numba import njit
from scipy import stats

from dpverify.core.errors import InputError
from dpverify.sampling.poisson_subset import NEVER, geometric, poisson_subset, skip_scale
from dpverify.sampling.streams import as_state, state_from, stream
from dpverify.sampling.ziggurat import exponential
from tests.sampling.fills import fill_geometric

ALARM = 1e-9  # false-alarm probability of each chi-square below (smallest expected count: 60)
RECORDS = 4

# --- closed forms ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rate", [1e-300, 1e-12, 0.1, 0.5, 0.9, 1 - 2**-53])
def test_scale_inverts_the_rate(rate: float) -> None:
    assert math.isclose(-math.expm1(-1 / skip_scale(rate)), rate, rel_tol=1e-14)


def test_rate_one_takes_all_and_rate_zero_none() -> None:
    state = state_from(stream(0, "ends"))
    out = np.full(50, -1, dtype=np.int64)
    assert poisson_subset(out, skip_scale(0.0), *state)[0] == 0
    np.testing.assert_array_equal(out, -1)
    assert poisson_subset(out, skip_scale(1.0), *state)[0] == 50
    np.testing.assert_array_equal(out, np.arange(50))
    assert geometric(skip_scale(0.0), *state)[0] == NEVER
    assert NEVER + NEVER - 1 < 2**63  # adding an index to it cannot overflow
    assert geometric(skip_scale(1.0), *state)[0] == 0
    assert 0 < geometric(skip_scale(1e-300), *state)[0] <= NEVER


@pytest.mark.parametrize("rate", [-0.1, 1.0000001, math.nan, math.inf])
def test_bad_rates_are_refused(rate: float) -> None:
    with pytest.raises(InputError, match=r"\[0, 1\]"):
        skip_scale(rate)


# --- naive twin ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rate", [0.02, 0.3, 0.97])
def test_subset_is_the_plain_loop_over_skips(rate: float) -> None:
    state = start = state_from(stream(0, "twin"))
    out, taken, index = np.empty(200, dtype=np.int64), [], -1
    count, *end = poisson_subset(out, skip_scale(rate), *start)
    while True:
        x, *rest = exponential(*state)
        state = as_state(rest)
        index += 1 + math.floor(x / -math.log1p(-rate))
        if index >= out.size:
            break
        taken.append(index)
    assert out[:count].tolist() == taken
    assert as_state(end) == state


def test_empty_data_set() -> None:
    assert poisson_subset(np.empty(0, dtype=np.int64), skip_scale(0.5), *state_from(stream(0)))[0] == 0


# --- enumeration: all subsets of four records ------------------------------------------------------------------------


@njit(nogil=True)
def count_subsets(counts: Any, draws: int, scale: float, s0: Any, s1: Any, s2: Any, s3: Any) -> None:
    out = np.empty(RECORDS, dtype=np.int64)
    for _ in range(draws):
        size, s0, s1, s2, s3 = poisson_subset(out, scale, s0, s1, s2, s3)
        code = 0
        for i in range(size):
            code |= 1 << out[i]
        counts[code] += 1


def subset_p_value(scale: float, rate: float, *, draws: int) -> float:
    counts = np.zeros(2**RECORDS, dtype=np.int64)
    count_subsets(counts, draws, scale, *state_from(stream(0, "subsets")))
    sizes = np.array([sum(bits) for bits in itertools.product((0, 1), repeat=RECORDS)])
    return float(stats.chisquare(counts, draws * rate**sizes * (1 - rate) ** (RECORDS - sizes)).pvalue)


@pytest.mark.parametrize("rate", [0.1, 0.5, 0.9])
def test_every_subset_has_its_probability(rate: float) -> None:
    assert subset_p_value(skip_scale(rate), rate, draws=1_000_000) > ALARM


@pytest.mark.parametrize("rate", [0.1, 0.5, 0.9])
def test_wrong_rates_are_caught(rate: float) -> None:
    assert subset_p_value(skip_scale(0.98 * rate), rate, draws=1_000_000) < ALARM
    assert subset_p_value(1 / rate, rate, draws=1_000_000) < ALARM  # the usual slip: log(1 - q) taken for -q


# --- independent library ---------------------------------------------------------------------------------------------


def skips(rate: float, *, size: int = 1_000_000) -> np.ndarray:
    out = np.empty(size, dtype=np.int64)
    fill_geometric(out, skip_scale(rate), *state_from(stream(0, "skips")))
    return out


def geometric_p_value(values: np.ndarray, rate: float) -> float:
    law = stats.geom(rate, loc=-1)  # scipy counts trials, from one
    last = int(law.isf(100 / values.size))
    counts = np.bincount(np.minimum(values, last + 1), minlength=last + 2)
    shares = np.append(law.pmf(np.arange(last + 1)), law.sf(last))
    return float(stats.chisquare(counts, values.size * shares).pvalue)


@pytest.mark.parametrize("rate", [0.05, 0.5, 0.8])
def test_skips_are_geometric(rate: float) -> None:
    values = skips(rate)
    assert geometric_p_value(values, rate) > ALARM
    assert geometric_p_value(values + 1, rate) < ALARM  # counting from one
    assert geometric_p_value(skips(1.03 * rate), rate) < ALARM


def test_skips_at_a_tiny_rate_are_exponential() -> None:
    """At q = 1e-9 a skip is q-exponential up to a relative error of 1e-9, far below what 200,000 draws resolve."""
    values = 1e-9 * skips(1e-9, size=200_000)
    assert stats.kstest(values, stats.expon.cdf, method="asymp").pvalue > ALARM
