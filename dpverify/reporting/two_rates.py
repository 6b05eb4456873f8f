"""What two probabilities of one event say of a measure, as a formula with its numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import NormalDist

from dpverify.reporting.formatting import number

_NORMAL = NormalDist()


@dataclass(frozen=True, slots=True, kw_only=True)
class Formula:
    """A lower bound on a measure from two probabilities p and q of one event.

    Attributes
    ----------
    value : callable
        The bound at (p, q); -inf or nan where the two say nothing.
    text : callable
        The formula, from the texts of p and q.
    """

    value: Callable[[float, float], float]
    text: Callable[[str, str], str]


def formulas(kind: str, argument: float) -> Iterator[Formula]:
    """All that bound the measure, from the event and from its complement; none for a kind that no event bounds."""
    if kind == "epsilon":
        less = f" - {number(argument, 6)}" if argument else ""
        yield Formula(
            value=lambda p, q: _log_ratio(p - argument, q),
            text=lambda p, q: f"ln(({p}{less}) / {q})" if less else f"ln({p} / {q})",
        )
        yield Formula(
            value=lambda p, q: _log_ratio(1.0 - q - argument, 1.0 - p),
            text=lambda p, q: f"ln((1 - {q}{less}) / (1 - {p}))",
        )
    elif kind == "delta":
        times = f"e^{number(argument, 6)}"
        yield Formula(
            value=lambda p, q: p - math.exp(argument) * q,
            text=lambda p, q: f"{p} - {times} * {q}",
        )
        yield Formula(
            value=lambda p, q: 1.0 - q - math.exp(argument) * (1.0 - p),
            text=lambda p, q: f"(1 - {q}) - {times} * (1 - {p})",
        )
    elif kind == "mu":
        yield Formula(
            value=lambda p, q: _quantile(p) - _quantile(q),
            text=lambda p, q: f"z({p}) - z({q}), z the quantile of a standard normal number",
        )
    elif kind == "renyi":
        yield Formula(value=lambda p, q: _renyi(p, q, argument), text=lambda p, q: _renyi_text(p, q, argument))
        yield Formula(value=lambda p, q: _renyi(q, p, argument), text=lambda p, q: _renyi_text(q, p, argument))


def _log_ratio(p: float, q: float) -> float:
    if not p > 0.0:
        return -math.inf
    return math.log(p / q) if q > 0.0 else math.inf


def _quantile(rate: float) -> float:
    if 0.0 < rate < 1.0:
        return _NORMAL.inv_cdf(rate)
    return math.inf if rate >= 1.0 else -math.inf


def _renyi(p: float, q: float, order: float) -> float:
    total = _term(p, q, order) + _term(1.0 - p, 1.0 - q, order)
    return math.log(total) / (order - 1.0) if math.isfinite(total) and order > 1.0 else total


def _term(p: float, q: float, order: float) -> float:
    if p <= 0.0:
        return 0.0
    return math.exp(order * math.log(p) + (1.0 - order) * math.log(q)) if q > 0.0 else math.inf


def _renyi_text(p: str, q: str, order: float) -> str:
    a = number(order, 6)
    return f"ln({p}^{a} * {q}^(1 - {a}) + (1 - {p})^{a} * (1 - {q})^(1 - {a})) / ({a} - 1)"
