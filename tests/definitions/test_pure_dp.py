import math

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.core.evidence import Measure
from dpverify.definitions.pure_dp import PureDP


def test_closed_form() -> None:
    claim = PureDP(epsilon=math.log(3))
    assert np.allclose(claim.tradeoff([0, 0.1, 0.25, 0.5, 1]), [1, 0.7, 0.25, 1 / 6, 0], atol=1e-15)
    # Randomised response with 3/4 and 1/4: delta(0) is its total variation.
    assert float(claim.delta(0.0)) == pytest.approx(0.5)
    assert float(claim.delta(math.log(2))) == pytest.approx(0.25)
    assert float(claim.delta(math.log(3))) == 0
    assert float(claim.delta(50.0)) == 0


def test_no_epsilon_is_guessing() -> None:
    claim = PureDP(epsilon=0)
    assert np.array_equal(claim.tradeoff([0, 0.3, 1]), [1, 0.7, 0])
    assert float(claim.delta(0.0)) == 0


def test_a_huge_epsilon_neither_overflows_nor_promises() -> None:
    claim = PureDP(epsilon=1000)
    assert np.array_equal(claim.tradeoff([0, 1e-300, 0.5, 1]), [1, 0, 0, 0])
    assert float(claim.delta(0.0)) == 1


def test_measure_and_text() -> None:
    assert PureDP(epsilon=1).text() == "PureDP(epsilon=1)"
    assert PureDP(epsilon=1).measures() == (Measure(kind="epsilon", argument=0.0, claimed=1.0),)


@pytest.mark.parametrize("epsilon", [-1, math.nan, math.inf, "1", None])
def test_refused(epsilon: float) -> None:
    with pytest.raises(InputError, match="PureDP: epsilon"):
        PureDP(epsilon=epsilon)


def test_scaled():
    assert PureDP(epsilon=0.5).scaled(3.0) == PureDP(epsilon=1.5)
