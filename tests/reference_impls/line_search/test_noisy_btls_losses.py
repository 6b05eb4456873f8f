"""NoisyBTLS on tabulated losses."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dpverify.core.claim import SearchSpace
from dpverify.core.errors import InputError
from dpverify.datasets.neighbors.losses import GRID, TabulatedLosses
from reference_impls.line_search.noisy_btls_losses import NoisyBtlsLosses

TABLE = np.array([[3, 0.5, 0.25, 1.0], [1, 2.0, 0.0, 0.5], [2, -1.0, 0.75, 3.0]])


def test_queries_by_hand() -> None:
    mechanism = NoisyBtlsLosses(max_it=2, clip=1.0, alpha=0.25, beta=0.5, eta0=2.0, gradient_norm=2.0)
    at_w = 3 * 0.5 + 1 * 1.0 + 2 * -1.0  # clipped from above only
    first, second = 3 * 0.25 + 0.0 + 2 * 0.75, 3 * 1.0 + 0.5 + 2 * 1.0
    assert mechanism.query(TABLE).tolist() == [at_w - first - 0.25 * 2 * 4, at_w - second - 0.25 * 1 * 4]


def test_counted_records_are_repeated_records() -> None:
    mechanism = NoisyBtlsLosses(max_it=2)
    repeated = np.repeat(TABLE, TABLE[:, 0].astype(int), axis=0)
    repeated[:, 0] = 1
    assert np.array_equal(mechanism.query(repeated), mechanism.query(TABLE))


def test_without_clipping() -> None:
    mechanism = NoisyBtlsLosses(max_it=2, clip=math.inf, alpha=0.0)
    assert mechanism.query(TABLE).tolist() == [1.5 - 2.25, 1.5 - 9.5]


def test_no_records_have_queries_too() -> None:
    assert NoisyBtlsLosses(max_it=2, alpha=0.0).query(np.zeros((0, 4))).tolist() == [0.0, 0.0]


def test_the_public_term_is_that_of_the_paper_up_to_the_grid() -> None:
    mechanism = NoisyBtlsLosses(max_it=200, alpha=0.5, beta=0.8, eta0=1.0, gradient_norm=1.7)
    found = -mechanism.query(np.zeros((0, 202)))
    assert found == pytest.approx(0.5 * 0.8 ** np.arange(200) * 1.7**2, abs=GRID / 2)


@pytest.mark.parametrize(
    "wrong", [TABLE[:, :-1], np.ones(4), TABLE * 1.5, np.where(TABLE == 0.5, np.inf, TABLE), np.zeros((1, 4))]
)
def test_other_data_sets_are_refused(wrong: np.ndarray) -> None:
    with pytest.raises(InputError, match="count, loss at w, losses at the 2 candidates"):
        NoisyBtlsLosses(max_it=2).query(wrong)
    with pytest.raises(InputError, match="clip"):
        NoisyBtlsLosses(clip=0.0)


@pytest.mark.parametrize(("low", "share"), [(0.0, 0.75), (-1.0, 1.5)])
def test_what_one_record_costs(low: float, share: float) -> None:
    """The derivation in claims.py: epsilon_1 + epsilon_2 for losses in [0, Delta], twice that for |f| <= Delta.

    Never above it on any candidate (1e-9 for the quadrature), and met by the best of them.
    """
    mechanism, space = NoisyBtlsLosses(budget=1.0, max_it=12), SearchSpace(size=12, low=low, high=1.0)
    found = []
    for pair in TabulatedLosses().candidates(space, limit=120, rng=np.random.default_rng(0)):
        laws = mechanism.output_law(pair.d0).against(mechanism.output_law(pair.d1))
        found += [laws.epsilon(0.0).value, laws.swap().epsilon(0.0).value]
    assert max(found) <= share * (1 + 1e-9)
    assert max(found) > share * (1 - 1e-9)
