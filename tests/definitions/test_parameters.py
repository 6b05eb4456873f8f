import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.core.errors import InputError
from dpverify.core.rules import Share
from dpverify.definitions.parameters import Parametrised, sentence, written
from dpverify.definitions.pure_dp import PureDP


@pytest.mark.parametrize(
    ("value", "text"), [(1, "1"), (0.1, "0.1"), (1e-5, "1e-05"), (math.inf, "inf"), (1e22, "1e+22")]
)
def test_written(value: float, text: str) -> None:
    assert written(value) == text


def test_sentence() -> None:
    assert sentence("X", a=(2.0, 0.5), b=(1.0,), c="l2") == 'X(a=(2, 0.5), b=(1,), c="l2")'


@given(st.floats(allow_nan=False))
def test_written_is_exact(value: float) -> None:
    assert float(written(value)) == value


FREE = PureDP(epsilon=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outer(Parametrised):
    rate: Share
    words: str = "a"
    inner: Parametrised = FREE


def test_the_text_has_all_parameters_as_plain_numbers() -> None:
    assert Outer(rate=np.float32(1)).text() == 'Outer(rate=1, words="a", inner=PureDP(epsilon=0))'
    assert Outer(rate=0.5, inner=PureDP(epsilon=2)).text() == 'Outer(rate=0.5, words="a", inner=PureDP(epsilon=2))'


@pytest.mark.parametrize("value", [1, 1.0, np.float64(1), np.float32(1), np.int64(1), Fraction(1)])
def test_numbers_of_all_kinds(value: float) -> None:
    result = PureDP(epsilon=value).epsilon
    assert type(result) is float
    assert result == 1


@pytest.mark.parametrize("value", [-1, math.nan, math.inf, "1", None, True, 1j, (1,), np.array([1.0])])
def test_what_is_no_number_is_refused_with_its_value(value: float) -> None:
    with pytest.raises(InputError, match=r"^PureDP: epsilon = .*allowed: a finite number >= 0"):
        PureDP(epsilon=value)
