import math

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.definitions.curve import levels, rates, symmetric_profile, times_exp


def test_times_exp_keeps_zero_and_digits() -> None:
    assert times_exp(0.0, math.inf) == 0
    assert times_exp(0.0, 1e6) == 0
    assert times_exp(1e-300, 690.0) == pytest.approx(math.exp(690 + math.log(1e-300)), rel=1e-12)
    assert times_exp(0.3, -2.0) == pytest.approx(0.3 * math.exp(-2), rel=1e-15)
    # Where e^x itself overflows, the product of a positive rate still exceeds 1.
    assert times_exp(5e-324, 1e4) > 1


def test_symmetric_profile_is_the_complement_at_negative_epsilons() -> None:
    # Randomised response with e^1: (p, q) = (0.731, 0.269); sup over its four events, by hand.
    p, q = math.e / (1 + math.e), 1 / (1 + math.e)

    def brute(epsilon: float) -> float:
        return max(0.0, p - math.exp(epsilon) * q, q - math.exp(epsilon) * p, 1 - math.exp(epsilon))

    found = symmetric_profile([-3.0, -0.5, 0.0, 0.5, 3.0], lambda e: np.maximum(p - np.exp(e) * q, 0))
    assert np.allclose(found, [brute(x) for x in (-3.0, -0.5, 0.0, 0.5, 3.0)], atol=1e-15)


@pytest.mark.parametrize("alpha", [-1e-9, 1.0000001, math.nan])
def test_rates_outside_are_refused_with_their_value(alpha: float) -> None:
    with pytest.raises(InputError, match=f"rate of {alpha}"):
        rates([0.5, alpha])


def test_levels_refuse_nan_only() -> None:
    assert levels([-math.inf, math.inf]).shape == (2,)
    with pytest.raises(InputError):
        levels(math.nan)
