"""Probabilities of the stopping law with Laplace noise as finite sums, in ball arithmetic: no quadrature, no tails.

Between two kinks (0 and the levels) every factor of `stopping_ball`'s integrand is an exponential or one minus an
exponential. Multiplied out it is a polynomial in decay = exp(-(z - low) / s) times one or two powers of growth =
exp((z - high) / s) times the threshold's density, and each term has an elementary integral, also on the two unbounded
pieces. So the probability is a sum of as many terms as there are kinks times levels, and what a ball is wide by is
rounding alone.

Terms alternate in sign: of n levels, Sum |terms| <= 3^n * |sum| at every z, since (1 + h) / (1 - h) <= 3 for h <= 1/2.
Bits are added for that; too few would widen the ball and break no proof. Limits: cost grows with the square of the
number of levels, whatever their values: above `MOST_LEVELS` the integral is the quicker. Not to be confused with
`stopping_quadrature`'s panels, which end at the same kinks and are estimates.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TypeAlias

import flint

Counted: TypeAlias = tuple[float, int]  # a level, and how often it comes
Piece: TypeAlias = tuple[float | None, float | None]  # its two ends; None: unbounded there

MOST_LEVELS = 200
_BITS_A_LEVEL = 2  # at least log2(3)
_SPARE_BITS = 32


def laplace_probability(
    threshold_scale: float, query_scale: float, before: Sequence[Counted], stopping: Sequence[Counted] | None
) -> flint.arb:
    """A ball around P(not stopping at any level of `before`, then stopping at one of `stopping`; None: no more asked).

    Parameters
    ----------
    threshold_scale, query_scale : float
        Laplace scales of the threshold's noise and of each query's; taken as the rational numbers that they are.
    before, stopping : sequences of (level, count)
        Levels minus the public threshold, finite.

    Returns
    -------
    flint.arb
        At the caller's working precision (``flint.ctx.prec``), which holds as well for its relative radius.
    """
    count = sum(times for _, times in [*before, *(stopping or [])])
    with flint.ctx.workprec(flint.ctx.prec + _BITS_A_LEVEL * count + _SPARE_BITS):
        scales = flint.arb(threshold_scale), flint.arb(query_scale)
        kinks = sorted({0.0, *(level for level, _ in [*before, *(stopping or [])])})
        pieces: list[Piece] = [(None, kinks[0]), *pairwise(kinks), (kinks[-1], None)]
        total = sum((_piece(scales, before, stopping, piece) for piece in pieces), flint.arb(0))
    return +total


def _piece(
    scales: tuple[flint.arb, flint.arb], before: Sequence[Counted], stopping: Sequence[Counted] | None, piece: Piece
) -> flint.arb:
    """The integral over one piece."""
    passed, grown = _product(before, piece, scales[1])
    if stopping is None:
        return _integral(scales, passed, grown, piece)
    # passed * (1 - product of F): where no level of `stopping` lies above, the 1 goes before anything is rounded.
    product, more = _product(stopping, piece, scales[1])
    if more == 0:
        return _integral(scales, passed * (1 - product), grown, piece)
    return _integral(scales, passed, grown, piece) - _integral(scales, passed * product, grown + more, piece)


def _product(levels: Sequence[Counted], piece: Piece, query_scale: flint.arb) -> tuple[flint.arb_poly, int]:
    """The product of F(z - level) as a polynomial in decay and the power of growth that it is multiplied by."""
    low, high = piece
    product, power = flint.arb_poly([1]), 0
    for level, count in levels:
        if low is not None and low >= level:
            half = ((flint.arb(level) - low) / query_scale).exp() / 2
            product *= flint.arb_poly([1, -half]) ** count
        else:
            assert high is not None and high <= level
            half = ((flint.arb(high) - level) / query_scale).exp() / 2
            product *= half**count
            power += count
    return product, power


def _integral(scales: tuple[flint.arb, flint.arb], polynomial: flint.arb_poly, power: int, piece: Piece) -> flint.arb:
    """The integral of polynomial(decay) * growth^power * density over the piece.

    Each term is an exponential of z: anchored at the end where it is the larger, its integral there is
    (1 - e^(-|rate| length)) / |rate|, or the length at rate 0, which is told exactly.
    """
    threshold_scale, query_scale = scales
    low, high = piece
    sign = 1 if high is not None and high <= 0 else -1
    length = None if low is None or high is None else flint.arb(high) - low
    step = None if length is None else (-length / query_scale).exp()  # decay at `high`, growth at `low`
    at_low = None if low is None else (sign * flint.arb(low) / threshold_scale).exp()
    at_high = None if high is None else (sign * flint.arb(high) / threshold_scale).exp()
    if at_low is not None and step is not None:
        at_low *= step**power
    total = flint.arb(0)
    for degree, coefficient in enumerate(polynomial.coeffs()):
        # Over the product of the scales: doubles are rational numbers, and their sum is 0 only where it is exactly 0.
        rate = ((power - degree) * threshold_scale + sign * query_scale) / (threshold_scale * query_scale)
        if rate > 0:
            assert at_high is not None
            end = at_high if step is None else at_high * step**degree
        else:
            assert at_low is not None
            end = at_low
        if rate.is_zero():
            assert length is not None
            share = length
        elif length is None:
            share = 1 / abs(rate)
        else:
            share = -(-abs(rate) * length).expm1() / abs(rate)
        total += coefficient * end * share
    return total / (2 * threshold_scale)
