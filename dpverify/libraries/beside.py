"""A library's accountants beside ours, on the Poisson-subsampled Gaussian mechanism: which side each errs on.

Ours is a bracket, from the best lower to the best upper bound of all accountants that apply (`side_by_side`). A number
below the bracket promises more than is true; one above it is safe, and loose by what it is above; one inside it cannot
be told from the truth.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dpverify.accounting.side_by_side import account
from dpverify.adapters.libraries.offered import Library
from dpverify.core.errors import one_line

SETTINGS = ((0.25, 1.0, 4, 0.05), (0.01, 1.0, 1000, 1e-5), (0.004, 0.7, 5000, 1e-5), (1.0, 10.0, 100, 1e-6))
"""Rate, noise multiplier, steps, delta."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """One number of one accountant."""

    accountant: str
    """Of the library."""
    rate: float
    noise: float
    steps: int
    delta: float
    """`rate`, `noise`, `steps`, `delta`: where."""
    epsilon: float | None
    """What it gives; None where it fails."""
    lower: float
    upper: float
    """`lower`, `upper`: our bracket."""
    side: str
    """``below``, ``inside``, ``above``, or why there is no number."""


def side_of(epsilon: float, lower: float, upper: float) -> str:
    """Say on which side a number lies; the ends of the bracket are inside."""
    return "below" if epsilon < lower else "above" if epsilon > upper else "inside"


def beside(library: Library) -> list[Beside]:
    """Every accountant of the library at every setting; empty where it has none."""
    accountants: Mapping[str, Any] = library.accountants()
    rows = []
    for rate, noise, steps, delta in SETTINGS if accountants else ():
        lower, upper = _bracket(rate, noise, steps, delta)
        for name, accountant in accountants.items():
            epsilon, said = None, ""
            try:
                epsilon = float(accountant(rate, noise, steps, delta))
            except Exception as problem:  # noqa: BLE001 - said in the table
                said = one_line(f"{type(problem).__name__}: {problem}")[:120]
            side = said if epsilon is None else side_of(epsilon, lower, upper)
            rows.append(
                Beside(
                    accountant=name,
                    rate=rate,
                    noise=noise,
                    steps=steps,
                    delta=delta,
                    epsilon=epsilon,
                    lower=lower,
                    upper=upper,
                    side=side,
                )
            )
    return rows


def _bracket(rate: float, noise: float, steps: int, delta: float) -> tuple[float, float]:
    step = f"gaussian(sigma={noise})" if rate == 1.0 else f"poisson-gaussian(q={rate}, sigma={noise})"
    found = account(f"{step}*{steps}", delta=delta)
    above, below = found.highest, found.lowest
    return (0.0 if above is None else above.bracket.lower), (float("inf") if below is None else below.bracket.upper)
