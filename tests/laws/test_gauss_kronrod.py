import numpy as np
import pytest
from numpy.polynomial.legendre import leggauss

from dpverify.laws.gauss_kronrod import PAIR_7, PAIR_15, PAIR_21

PAIRS = [(PAIR_7, 3, 10), (PAIR_15, 7, 22), (PAIR_21, 10, 31)]


@pytest.mark.parametrize(("pair", "gauss", "degree"), PAIRS)
def test_rules_are_exact_up_to_their_degrees(pair, gauss, degree):
    x, kronrod, difference = pair
    for power in range(degree + 1):
        exact = 0.0 if power % 2 else 2.0 / (power + 1)
        assert kronrod @ x**power == pytest.approx(exact, abs=1e-15)
        if power < 2 * gauss:
            assert difference @ x**power == pytest.approx(0.0, abs=1e-15)
    assert abs(difference @ x ** (2 * gauss)) > 1e-8


@pytest.mark.parametrize(("pair", "gauss", "degree"), PAIRS)
def test_the_cheaper_rule_is_that_of_gauss(pair, gauss, degree):
    x, kronrod, difference = pair
    weights = kronrod - difference
    inner = np.abs(weights) > 1e-15
    order = np.argsort(x[inner])
    nodes, expected = leggauss(gauss)
    np.testing.assert_allclose(x[inner][order], nodes, atol=1e-15)
    np.testing.assert_allclose(weights[inner][order], expected, atol=1e-15)
