import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.core.errors import InputError
from dpverify.definitions.parameters import NON_NEGATIVE, non_negative, number, sentence, several, written


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


@pytest.mark.parametrize("value", [1, 1.0, np.float64(1), np.float32(1), np.int64(1), Fraction(1)])
def test_numbers_of_all_kinds(value: object) -> None:
    result = number("x", value, fits=non_negative, allowed=NON_NEGATIVE)
    assert type(result) is float
    assert result == 1


@pytest.mark.parametrize("value", [-1, math.nan, math.inf, "1", None, True, 1j, (1,), np.array([1.0])])
def test_what_is_no_number_is_refused_with_its_value(value: object) -> None:
    with pytest.raises(InputError, match=r"x = .*allowed: a finite number >= 0"):
        number("x", value, fits=non_negative, allowed=NON_NEGATIVE)


@pytest.mark.parametrize("values", [[1, 2], (1.0, 2.0), np.array([1, 2])])
def test_several(values: object) -> None:
    assert several("x", values, fits=non_negative, allowed=NON_NEGATIVE) == (1.0, 2.0)


@pytest.mark.parametrize("values", [3, "12", None])
def test_several_needs_a_tuple(values: object) -> None:
    with pytest.raises(InputError, match="a tuple"):
        several("x", values, fits=non_negative, allowed=NON_NEGATIVE)


def test_several_names_the_place() -> None:
    with pytest.raises(InputError, match=r"x\[1\] = -2"):
        several("x", (1, -2), fits=non_negative, allowed=NON_NEGATIVE)
