"""ssADMM on one coordinate in any arithmetic: floats, fractions, balls. The same lines as `ss_admm.py`.

A record is a number a in [-1, 1], label times feature; its loss is the Huberised hinge (4.16) with h-bar = 1/2, convex,
flat from 1.5 on, of slope -1 up to 0.5. So C = 1 and nothing is clipped. x^0 = z^0 = y^0 = 0.

In balls a comparison that cannot be decided raises `UndecidedError`; fractions are exact throughout.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

Number = Any
"""A float, a Fraction or an arb: what has +, -, *, / and comparisons that are True only when they are certain."""


class UndecidedError(ArithmeticError):
    """Two balls overlap, so that a comparison is not decided."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScalarRun:
    """One run of t iterations.

    Attributes
    ----------
    x : list of t + 1 numbers
        x^0 .. x^t.
    z : list of t numbers
        z^1 .. z^t.
    noisy, exact : list of t numbers
        The gradients that the steps took, and those of all records without noise.
    """

    x: list[Number]
    z: list[Number]
    noisy: list[Number]
    exact: list[Number]


def scalar_run(
    records: Sequence[Number],
    steps: Sequence[Number],
    *,
    rho: Number,
    l1: Number,
    batches: Sequence[Sequence[int]] | None = None,
    noise: Sequence[Number] | None = None,
) -> ScalarRun:
    """Algorithm 4.1; without `batches` every gradient is that of all records, without `noise` there is none.

    Written so that balls do not grow: y^{k+1} = y^k + rho (x^{k+1} - z^{k+1}) is rho times what the threshold takes.
    """
    zero = rho * 0
    x = y = z = zero
    run = ScalarRun(x=[x], z=[], noisy=[], exact=[])
    for k, eta in enumerate(steps):
        full = mean(huber_slope(a * x) * a for a in records)
        chosen = full if batches is None else mean(huber_slope(records[i] * x) * records[i] for i in batches[k])
        gradient = chosen if noise is None else chosen + noise[k]
        x = (-gradient - y + rho * z + x / eta) / (rho + 1 / eta)  # (4.8)
        point = x + y / rho
        cut = clipped(point, l1 / rho)
        z = point - cut  # (4.10)
        y = rho * cut  # (4.9)
        run.x.append(x)
        run.z.append(z)
        run.noisy.append(gradient)
        run.exact.append(full)
    return run


def huber_loss(margin: Number) -> Number:
    """(4.16) with h-bar = 1/2."""
    return _by_piece(margin, lambda w: 1 - w, lambda w: (2 * w - 3) * (2 * w - 3) / 8)


def huber_slope(margin: Number) -> Number:
    """The derivative of the huberised hinge."""
    return _by_piece(margin, lambda w: w * 0 - 1, lambda w: (2 * w - 3) / 2)


def _by_piece(w: Number, first: Callable[[Number], Number], middle: Callable[[Number], Number]) -> Number:
    if w <= 0.5:
        return first(w)
    if w >= 1.5:
        return w * 0
    if w > 0.5 and w < 1.5:
        return middle(w)
    raise UndecidedError("a margin at a kink")


def clipped(point: Number, threshold: Number) -> Number:
    """What (4.11) takes off: the point, cut at the threshold. Balls stay as tight as the threshold there."""
    if point >= threshold:
        return threshold
    if point <= -threshold:
        return -threshold
    if abs(point) <= threshold:
        return point
    raise UndecidedError("a point at the threshold")


def mean(numbers: Any) -> Number:
    """The arithmetic mean of at least one number."""
    listed = list(numbers)
    total = listed[0]
    for number in listed[1:]:
        total = total + number
    return total / len(listed)
