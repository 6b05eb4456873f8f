from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import integrate, stats

from dpverify.core.errors import InputError
from dpverify.core.evidence import Measure
from dpverify.laws.balls import working_precision
from dpverify.laws.laplace_quotient import LaplaceQuotient

EDGES = np.array([-100.0, -20.0, -5.0, -1.0, -0.25, 0.0, 0.25, 1.0, 5.0, 20.0, 100.0])
PURE = Measure(kind="epsilon", argument=0.0, claimed=1.0)


def quotient(s: float, c: float, a: float = 2.0, b: float = 2.0) -> LaplaceQuotient:
    return LaplaceQuotient(numerator=s, denominator=c, numerator_scale=a, denominator_scale=b)


def by_quadrature(law: LaplaceQuotient, r: float) -> float:
    """The integral over the denominator as it is defined."""
    s, c, a, b = law.numerator, law.denominator, law.numerator_scale, law.denominator_scale
    floor = stats.laplace.cdf((1.0 - c) / b) * stats.laplace.cdf((r - s) / a)
    kinks = sorted({1.0, max(c, 1.0), max(s / r, 1.0) if r else 1.0, max(c, 1.0) + 100.0 * b})
    pieces = (
        integrate.quad(lambda t: stats.laplace.pdf(t, c, b) * stats.laplace.cdf((r * t - s) / a), low, high, epsabs=0)
        for low, high in pairwise(kinks)
    )
    return float(floor + sum(value for value, _ in pieces))


@pytest.mark.parametrize("s", [-1.5, 0.0, 2.0])
@pytest.mark.parametrize("c", [-3.0, 1.0, 4.0])
@pytest.mark.parametrize("r", [-3.0, -1.0, 0.0, 0.4, 1.0, 2.5])  # 1 = a / b: a rate of exactly 0
def test_the_closed_form_is_the_integral(s: float, c: float, r: float) -> None:
    law = quotient(s, c)
    found = math.exp(float(law.log_below(np.array([r]))[0]))
    assert found == pytest.approx(by_quadrature(law, r), rel=1e-7)


def test_a_denominator_far_below_its_floor_leaves_the_noisy_numerator() -> None:
    law = quotient(1.0, -400.0)
    found = law.log_below(EDGES)
    np.testing.assert_allclose(found, stats.laplace.logcdf(EDGES, 1.0, 2.0), rtol=1e-12)


def test_a_denominator_without_noise_in_the_limit() -> None:
    law = quotient(3.0, 4.0, b=1e-9)
    np.testing.assert_allclose(np.exp(law.log_below(EDGES)), stats.laplace.cdf(EDGES, 0.75, 0.5), rtol=1e-6)


@given(s=st.floats(-50, 50), c=st.floats(-20, 60), a=st.floats(0.1, 20), b=st.floats(0.1, 20), place=st.floats(-10, 10))
@example(s=2.0, c=0.0, a=1.0, b=1.0, place=1e-308)  # a kink at s / r that no double holds
@example(s=-2.0, c=3.0, a=1.0, b=1.0, place=-5e-324)
def test_floats_lie_within_their_error_of_the_balls(s: float, c: float, a: float, b: float, place: float) -> None:
    table = quotient(s, c, a, b).cells(place + a * EDGES).cells
    assert table.enclose is not None
    with working_precision():
        balls = table.enclose()
        assert all(bool(ball > 0) for ball in balls)
        assert sum(balls) == 1 or abs(float(sum(balls).mid()) - 1.0) < 1e-30
        logs = np.array([float(ball.log().mid()) for ball in balls])
    assert np.abs(logs - table.log_probabilities).max() <= table.error
    assert table.error < 1e-6


@pytest.mark.parametrize("gap", [1e-3, 1e-6, 1e-9])
@pytest.mark.parametrize(("s", "c"), [(2.0, 2.0), (-31.0, 4.5), (17.3, -9.0), (40.7, 55.1)])
def test_edges_a_hair_apart_widen_the_error_by_as_much_as_is_lost(s: float, c: float, gap: float) -> None:
    for place in (-6.1, 0.3, 0.9, 7.7):
        table = quotient(s, c, 3.1, 1.7).cells(np.array([place, place + gap])).cells
        assert table.enclose is not None
        with working_precision():
            differences = [
                abs(float((ball.log() - float(log)).mid()))
                for ball, log in zip(table.enclose(), table.log_probabilities, strict=True)
            ]
        assert max(differences) <= table.error


def test_far_tails_are_right_in_relative_terms() -> None:
    # e^-800 is no double; its logarithm is.
    law = quotient(400.0, 400.0)
    table = law.cells(np.array([-1000.0, -500.0, 0.0, 500.0])).cells
    assert table.log_probabilities[0] < -800.0
    assert table.enclose is not None
    with working_precision():
        exact = float(table.enclose()[0].log().mid())
    assert table.log_probabilities[0] == pytest.approx(exact, rel=1e-13)


def test_the_far_lower_tail_spends_both_halves() -> None:
    # One more record of 1: the sum and the count move by one each, at 1/2 epsilon each.
    far = 2.0 * np.array([-64.0, -32.0, -8.0, 0.0, 8.0])
    pair = quotient(2.0, 2.0).cells(far).against(quotient(3.0, 3.0).cells(far))
    proof = pair.prove(PURE)
    assert proof is not None
    assert proof.lower == pytest.approx(1.0, abs=1e-12)
    assert pair.enclosure(PURE) is None


@pytest.mark.parametrize("bad", [{"a": 0.0}, {"b": math.inf}, {"s": math.nan}, {"c": math.inf}])
def test_bad_numbers_are_refused(bad: dict[str, float]) -> None:
    with pytest.raises(InputError):
        quotient(**{"s": 1.0, "c": 1.0, **bad})


@pytest.mark.parametrize("edges", [[], [1.0, 1.0], [2.0, 1.0], [0.0, math.inf], [[0.0]]])
def test_bad_edges_are_refused(edges: list[float]) -> None:
    with pytest.raises(InputError):
        quotient(1.0, 1.0).cells(np.array(edges))
