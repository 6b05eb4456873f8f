from __future__ import annotations

import itertools
import math

import flint
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dpverify.accounting import subsampled_gaussian
from dpverify.accounting.lattice_sum import table
from dpverify.accounting.subsampled_gaussian import LEAST_ORDER, LEAST_SIGMA, curve_sum, reverse_curve
from dpverify.laws.balls import working_precision
from dpverify.sampling.streams import stream

TIGHT = 5e-12
"""How far above the truth a value may lie, relative, with sigma in [0.02, 80]; times 1 + 0.01 / (order - 1)."""
REACH = 16  # of the ball integral: the tails beyond are 4 Phi(-16) < 1e-56 of it, by the slopes of the exponent


def forward(q, sigma, *orders):
    return curve_sum(np.array([q]), np.array([sigma]), np.ones(1), np.array(orders, dtype=np.float64))


def backward(q, sigma, *orders):
    return reverse_curve(q, sigma, np.array(orders, dtype=np.float64))


def truth(q, sigma, order, power, near):
    """A ball around log E[L^power] / (order - 1), by complex integration; `near` is a guess at log E[L^power]."""
    with working_precision(256):
        rate, s, p = flint.arb(q), 1 / flint.arb(sigma), flint.arb(power)
        stay, shift = 1 - rate, flint.arb(near)

        def integrand(z, analytic):
            ratio = stay + rate * (s * z - s * s / 2).exp()
            return (p * ratio.log(analytic=analytic) - z * z / 2 - shift).exp()

        mode = power / sigma
        cuts = sorted({min(0.0, mode) - REACH, 0.0, mode, max(0.0, mode) + REACH})
        total = flint.arb(0)
        for low, high in itertools.pairwise(cuts):
            total += flint.acb.integral(
                integrand, low, high, rel_tol=flint.arb(2) ** -150, abs_tol=flint.arb(2) ** -170
            ).real
        total *= 1 + flint.arb(0, 1e-55)
        return ((total / (2 * flint.arb.pi()).sqrt()).log() + shift) / (flint.arb(order) - 1)


def check(found, q, sigma, order, power):
    ball = truth(q, sigma, order, power, found * (order - 1))
    with working_precision(256):
        assert ball.rad() < ball.mid() * 1e-20
        assert flint.arb(found) >= ball, (q, sigma, order)
        assert flint.arb(found) <= ball * (1 + TIGHT * (1 + 0.01 / (order - 1))), (q, sigma, order)


SETTINGS = [
    (10.0 ** rng.uniform(-6, 0), 10.0 ** rng.uniform(-1, math.log10(50)), 1 + 10.0 ** rng.uniform(-2, math.log10(511)))
    for rng in [stream(0, "subsampled Gaussian against balls")]
    for _ in range(40)
]


@pytest.mark.parametrize(("q", "sigma", "order"), SETTINGS)
def test_both_directions_lie_just_above_balls_around_the_truth(q, sigma, order):
    check(forward(q, sigma, order)[0], q, sigma, order, order)
    check(backward(q, sigma, order)[0], q, sigma, order, 1 - order)


@pytest.mark.parametrize(
    ("q", "sigma", "order"),
    [
        (0.3, 0.02, 1.01),
        (0.3, 0.1, 1.001),
        (0.02, 0.05, 1.0003),
        (0.3, 0.02, 1.5),
        (1e-6, 0.1, 512.0),
        (0.5, 0.1, 512.0),
        (1 - 1e-12, 1.0, 3.3),
        (0.01, 80.0, 1e4),
        (1e-3, 0.25, 1.02),
    ],
)
def test_corners_against_balls(q, sigma, order):
    check(forward(q, sigma, order)[0], q, sigma, order, order)
    check(backward(q, sigma, order)[0], q, sigma, order, 1 - order)


@given(st.floats(1e-6, 1), st.floats(0.1, 50))
def test_order_two_in_closed_form(q, sigma):
    found, expected = forward(q, sigma, 2.0)[0], math.log1p(q * q * math.expm1(sigma**-2))
    assert expected * (1 - 1e-13) <= found <= expected * (1 + TIGHT)


@given(st.floats(1e-5, 0.9999), st.floats(0.1, 50), st.integers(2, 300))
def test_whole_orders_by_the_binomial_sum(q, sigma, order):
    """The naive twin, in balls: the sum over j of C(k, j) (1 - q)^(k - j) q^j e^(j (j - 1) / (2 sigma^2))."""
    with working_precision(256):
        rate, square = flint.arb(q), flint.arb(sigma) ** -2
        total = sum(
            math.comb(order, j) * (1 - rate) ** (order - j) * rate**j * (j * (j - 1) * square / 2).exp()
            for j in range(order + 1)
        )
        expected = total.log() / (order - 1)
        found = forward(q, sigma, order)[0]
        assert flint.arb(found) >= expected
        assert flint.arb(found) <= expected * (1 + TIGHT)


rates, noises, powers = st.floats(1e-12, 1), st.floats(0.01, 100), st.floats(1.0001, 512)


@given(rates, noises, powers, st.floats(1, 3), st.floats(1, 3), st.floats(1, 3))
def test_monotone_in_rate_noise_and_order(q, sigma, order, more_rate, more_noise, more_order):
    base = forward(q, sigma, order)[0]
    slack = 1 + (1e-9 if sigma >= LEAST_SIGMA else 1.0)  # below it the bound is another one
    assert base <= forward(min(1.0, q * more_rate), sigma, order)[0] * slack
    assert forward(q, sigma * more_noise, order)[0] <= base * (1 + 1e-9)
    assert base <= forward(q, sigma, order * more_order)[0] * (1 + 1e-9)


@given(rates, noises, powers)
@example(1.0, 1.0, 2.0)
def test_sampling_never_hurts_and_the_base_direction_is_never_larger(q, sigma, order):
    found, back = forward(q, sigma, order)[0], backward(q, sigma, order)[0]
    whole = order / (2 * sigma**2)
    assert 0 < found <= whole * (1 + 1e-14)
    assert 0 < back <= (-math.log1p(-q) if q < 1 else whole) * (1 + 1e-14)
    if sigma >= LEAST_SIGMA:
        assert back <= found * (1 + 1e-9)


@given(st.floats(1e-6, 0.999), st.floats(0.1, 50), st.floats(1.05, 200), st.floats(0.01, 1))
def test_the_cumulant_is_convex_in_the_order(q, sigma, order, step):
    wide = np.array([order, order * (1 + step / 2), order * (1 + step)])
    low, middle, high = (wide - 1) * forward(q, sigma, *wide)
    assert middle <= (low + high) / 2 * (1 + 1e-9)


@pytest.mark.parametrize("q", [0.0, 1.0])
def test_no_sampling_and_no_record(q):
    orders = np.array([1.1, 2.0, 1e6])
    expected = q * orders / (2 * 1.5**2)
    assert forward(q, 1.5, *orders) == pytest.approx(expected, rel=1e-15)
    assert backward(q, 1.5, *orders) == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize("q", [1e-300, 1e-100, 1e-10, 0.5, 1 - 2.0**-53])
@pytest.mark.parametrize("sigma", [1e-150, 1e-3, 0.0199, 0.0201, 1.0, 79.0, 1e3, 1e60, 1e150, 1e307])
def test_extremes_give_numbers_never_below(q, sigma):
    """Never nan, never negative, never above no sampling, rising with the order; +inf only where that is too."""
    orders = np.array([1 + 1e-12, 1 + 1e-6, 1.01, 2, 3.7, 512, 1e4, 1e9, 1e100, 1e200, 1e308])
    found, back = forward(q, sigma, *orders), backward(q, sigma, *orders)
    with np.errstate(over="ignore"):
        whole = 0.5 * orders / sigma / sigma
    assert np.all(found > 0) and np.all(back > 0)  # never rounded to no cost
    assert np.all(found <= whole * (1 + 1e-14) + 1e-323)
    assert np.all(back <= -math.log1p(-q) * (1 + 1e-14))
    finite = found[np.isfinite(found)]
    assert np.all(np.diff(finite) >= -1e-9 * finite[1:])
    # From below: Jensen for the part with L > q, e^((alpha - 1) D) >= q^alpha e^(alpha (alpha - 1) / (2 sigma^2)).
    with np.errstate(over="ignore", invalid="ignore"):
        lower = whole + orders / (orders - 1) * math.log(q)
    assert np.all(~(found < lower * (1 - 1e-12)))


def test_many_settings_are_summed_with_their_counts():
    rng = stream(0, "heterogeneous")
    rates, sigmas = rng.uniform(0, 0.1, 50), rng.uniform(0.5, 5, 50)
    rates[:2] = 0.0, 1.0
    counts, orders = np.arange(50.0), np.array([1.3, 2.0, 17.0, 100.5])
    each = [n * forward(q, s, *orders) for q, s, n in zip(rates, sigmas, counts, strict=True)]
    found = curve_sum(rates, sigmas, counts, orders)
    assert found == pytest.approx(np.sum(each, axis=0), rel=1e-10)
    assert np.all(found >= np.sum(each, axis=0) * (1 - 1e-12))
    assert np.array_equal(curve_sum(rates[:0], sigmas[:0], counts[:0], orders), np.zeros(4))
    assert curve_sum(rates, sigmas, counts, orders[:0]).shape == (0,)


def test_an_order_does_not_depend_on_those_beside_it():
    orders = np.array([1.001, 1.5, 3.0, 700.0])
    together = forward(0.01, 1.1, *orders)
    for order, value in zip(orders, together, strict=True):
        assert forward(0.01, 1.1, order)[0] == pytest.approx(value, rel=TIGHT * (1 + 0.01 / (order - 1)))
    assert forward(0.01, 1.1, 1 + 1e-9)[0] <= forward(0.01, 1.1, LEAST_ORDER)[0]


def test_balls_catch_a_coarse_lattice():
    """The check can fail: a plain sum on a lattice of spacing 1.5 is off by far more than its tolerance."""
    q, sigma, order, h = 0.3, 1.0, 2.5, 1.5
    z = 0.5 + h * np.arange(-20, 21)
    ratio = 1 - q + q * np.exp(z - 0.5)
    growth = np.sum(h * np.exp(-z * z / 2) / math.sqrt(2 * math.pi) * (ratio**order - 1 - order * (ratio - 1)))
    with pytest.raises(AssertionError):
        check(math.log1p(growth) / (order - 1), q, sigma, order, order)
    assert subsampled_gaussian.TRUNCATION < TIGHT


@pytest.mark.parametrize(("q", "sigma", "order"), [(0.1, 0.5, 3.3), (0.02, 0.7, 1.5)])
def test_a_coarse_lattice_with_its_own_ripple_is_above_the_ball_and_without_it_below(q, sigma, order):
    s, spacing, reach = 1 / sigma, 1.5, 9.0
    first = math.floor((-reach - 0.5 * s) / spacing)
    rows = table(q, s, spacing, first, math.ceil((order * s + reach) / spacing) - first + 4)
    ripple = subsampled_gaussian._ripple(min(2 * math.pi / spacing, math.pi / s), spacing, 0.0)
    left = subsampled_gaussian._below(0.5 * s + first * spacing)
    bare, whole = (
        subsampled_gaussian._towards_base(order, q, s, spacing, first, rows, reach, added, left)[0]
        for added in (0.0, ripple)
    )
    ball = truth(q, sigma, order, order, whole) * (flint.arb(order) - 1)
    assert flint.arb(bare) < ball <= flint.arb(whole)


def test_the_other_direction_on_a_coarse_lattice_is_above_the_ball():
    """20.41 at order 50: the sum alone is 2e-11 of it too small, and its ripple 4e-7 is added."""
    found, share = subsampled_gaussian._from_base(50.0, 0.5, 0.5, 3.0)
    assert share > subsampled_gaussian.TRUNCATION
    ball = truth(0.5, 2.0, 50.0, -49.0, found) * 49
    assert ball <= flint.arb(found) <= ball * (1 + 1e-6)
