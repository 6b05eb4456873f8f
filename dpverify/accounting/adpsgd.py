"""The noise of ADP-SGD: ADPSGD Theorem 4.1, equation (6), as printed.

sigma^2 = (16 G)^2 B / (n epsilon)^2 * sum over t of 1 / alpha_t^2, with B = log(16 T / (n delta)) log(1.25 / delta).
The gradient at step t gets noise of standard deviation alpha_t sigma, in the units of G. Side: printed; the theorem
states no condition on epsilon, and whether it holds is the ledger's to decide (AP-THM41). It speaks of one uniformly
drawn record a step; the paper's experiments use batches of 256 and epsilon = 16 epsilon_bar (footnote 3), with noise
multiplier 256 sigma / C_G. Not to be confused with that noise multiplier, nor with B_delta as a probability.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from dpverify.core.errors import InputError
from dpverify.core.fields import Checked
from dpverify.core.rules import Between, Count, OpenUnit, Positive

CONSTANT = 16.0
"""C_epsilon of (6): the factor of G, and what the experiments divide epsilon by."""

_BATCH = Between(1, math.inf, whole=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class AdpSgdBudget(Checked):
    """The quantities that (6) uses besides the sequence alpha.

    Attributes
    ----------
    epsilon : float
        The theorem's epsilon (not epsilon_bar), in nats, finite, > 0.
    delta : float
        In (0, 1).
    n : int
        Number of records, >= 1.
    steps : int
        T, >= 1.
    gradient_bound : float
        G (or the clipping norm C_G): the largest L2 norm of one record's gradient; finite, > 0.

    Raises
    ------
    InputError
        For anything else, or where log(16 T / (n delta)) <= 0, so that (6) asks for no noise at all.
    """

    plain_numbers: ClassVar[bool] = True

    epsilon: Positive
    delta: OpenUnit
    n: Count
    steps: Count
    gradient_bound: Positive = 1.0

    def called(self) -> str:
        """A message calls it ``ADPSGD (6)``."""
        return "ADPSGD (6)"

    def validate(self) -> None:
        """Check that the formula gives a positive noise scale."""
        if CONSTANT * self.steps <= self.n * self.delta:
            raise InputError(
                f"ADPSGD (6): 16 T / (n delta) = {CONSTANT * self.steps / (self.n * self.delta):g}",
                allowed="a ratio above 1",
                remedy="more steps, fewer records or a smaller delta",
            )

    def b_delta(self) -> float:
        """B = log(16 T / (n delta)) log(1.25 / delta) > 0."""
        return math.log(CONSTANT * self.steps / (self.n * self.delta)) * math.log(1.25 / self.delta)

    def sigma(self, alphas: Iterable[float] | None = None) -> float:
        """Standard deviation sigma of (6), in the units of G.

        Parameters
        ----------
        alphas : iterable of float, optional
            alpha_1 .. alpha_T, finite, > 0, fixed before any data is seen; all 1 (DP-SGD) when left out.

        Raises
        ------
        InputError
            Unless there are T of them, all finite and > 0.
        """
        if alphas is None:
            total = float(self.steps)
        else:
            values = [float(alpha) for alpha in alphas]
            if len(values) != self.steps or not all(alpha > 0 and math.isfinite(alpha) for alpha in values):
                raise InputError(f"{len(values)} values of alpha", allowed=f"{self.steps} finite numbers > 0")
            total = math.fsum((1 / alpha) ** 2 for alpha in values)
        return CONSTANT * self.gradient_bound / (self.n * self.epsilon) * math.sqrt(self.b_delta() * total)

    def noise_multiplier(self, batch: int, alphas: Iterable[float] | None = None) -> float:
        """batch * sigma / G: noise on the mean gradient of a batch, over what one record moves it by.

        Section 6 adds (6)'s noise to the mean over `batch` records, where one record moves it by G / batch.
        """
        return _BATCH.number("batch", batch) * self.sigma(alphas) / self.gradient_bound
