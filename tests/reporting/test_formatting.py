"""Numbers as people read them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.reporting.formatting import bound_text, number, number_down


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(1, 8))
def test_a_lower_bound_as_read_is_none_above_it_and_near(value, digits):
    read = float(number_down(value, digits))
    assert read <= value
    assert read >= value - 2 * abs(value) * 10.0 ** (1 - digits) or math.isinf(read)


@pytest.mark.parametrize(("value", "read"), [(0.1719754, "0.1719"), (0.1, "0.1"), (-1.00001, "-1.001"), (2, "2")])
def test_lower_bounds_that_fit_stay(value, read):
    assert number_down(value) == read


@pytest.mark.parametrize("value", [None, math.inf, "inf", 0.0])
def test_what_cannot_be_rounded_is_written_as_any_number(value):
    assert number_down(value) == number(value)


@pytest.mark.parametrize(
    ("verdict", "bound", "said"),
    [
        ("refuted", 1.000000000001, ("> 1", "> 1", ">1")),
        ("refuted", 1.2, ("≥ 1.2", ">= 1.2", "≥1.2")),
        ("not_refuted", 0.99999999, ("≥ 0.9999", ">= 0.9999", "≥0.9999")),
        ("certified", 1.0, ("≥ 1", ">= 1", "≥1")),
        ("unsupported", None, ("≥ -", ">= -", "≥-")),
    ],
)
def test_a_bound_that_exceeds_the_claim_is_never_shown_as_the_claim(verdict, bound, said):
    item = {"verdict": verdict, "bound": bound, "claimed": 1.0}
    assert tuple(bound_text(item, at_least=sign) for sign in ("≥ ", ">= ", "≥")) == said
