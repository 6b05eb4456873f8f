"""NoisyBTLS, the noisy backtracking line search of BLSGD (Algorithm 1; DISS Algorithm 5.1), in both published versions.

Candidate step sizes ``eta_i = eta0 beta^(i-1)``, i = 1..max_it, are tried in turn. The query is the Armijo condition on
the clipped **sum** objective, ``q_i = f(w; D) - alpha eta_i |g|^2 - f(w - eta_i g; D)``; the first i with ``q_i + nu_i
>= lambda`` is released (as eta_i), or 0 when there is none. So it is AboveThreshold with threshold 0.

Laplace version: lambda ~ Lap(Delta / epsilon_1), nu_i ~ Lap(Delta / epsilon_2), with epsilon_1 = epsilon / 2 and
epsilon_2 = epsilon / 4. Gaussian version: lambda ~ N(0, Delta^2 sigma_1^2), nu_i ~ N(0, Delta^2 sigma_2^2), with
sigma_1^2 = 3 / (2 rho) and sigma_2^2 = 3 / rho.

Claimed: Theorem 1 (epsilon-DP), 2 and 3 (RDP) in :mod:`dpverify.accounting.steps.noisy_btls`. Assumed: w and g
are public (g is a noisy gradient released before), and adding or removing a record moves every query by at most Delta.

Not to be confused with the Armijo search without noise, nor with the sparse vector technique that answers several
times. The neural-network experiments return ``eta0 beta^max_it`` instead of 0: the same index, so the same privacy.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from dpverify.core.fields import Checked
from dpverify.core.rules import Between, Count, OpenUnit, Positive
from dpverify.core.subjects import Dataset
from dpverify.laws.stopping import Noise, StoppingLaw
from reference_impls.mechanisms.stopping_index import stop_counts, stop_indices

Float = NDArray[np.float64]
Integer = NDArray[np.int64]

LAPLACE_SHARE = 1.0 / 2.0
"""epsilon_1 = epsilon / 2, which leaves epsilon_2 = epsilon / 4 (a query moves by Delta, and so does the threshold)."""
GAUSSIAN_SHARE = 1.0 / 3.0
"""sigma_1^2 = 3 / (2 rho): a third of rho by (5), which leaves sigma_2^2 = 3 / rho."""


def candidate_steps(*, eta0: float, beta: float, max_it: int) -> Float:
    """eta0 beta^i, i = 0..max_it - 1, float64, by repeated multiplication as published (may underflow)."""
    steps = np.full(max_it, beta)
    steps[0] = eta0
    return np.multiply.accumulate(steps)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyBtls(Checked, ABC):
    """The noise, the candidate steps and the release; subclasses define `query`.

    Output: the index 0..max_it - 1 of the step size ``eta0 beta^index``, or max_it for "0: none found".

    Attributes
    ----------
    noise : "laplace" or "gaussian"
        The version, Laplace or Gaussian.
    budget : float
        epsilon_BT in nats (Laplace) or rho_BT (Gaussian), > 0.
    sensitivity : float
        Delta_q, > 0.
    alpha, beta : float
        Armijo's constant, >= 0, and the factor of backtracking in (0, 1).
    eta0 : float
        First candidate, > 0.
    max_it : int
        Number of candidates, >= 1.
    threshold_share : float or None
        The part of the budget that the threshold's noise uses, in (0, 1); None for the published one. For the Laplace
        version epsilon_1 = share epsilon and epsilon_2 = (1 - share) epsilon / 2, so Theorem 1's epsilon_1 + 2
        epsilon_2 stays epsilon; for the Gaussian version sigma_1^2 = 1 / (2 share rho) and sigma_2^2 = 2 / ((1 - share)
        rho), so (5) stays order * rho.
    noise_multiplier : float
        Multiplies every noise scale; anything but 1 is a deliberate fault, for the known-broken variants.
    """

    noise: Noise = "laplace"
    budget: Positive = 1.0
    sensitivity: Positive = 1.0
    alpha: Annotated[float, Between(0, math.inf, open="high", remedy="the paper takes 0.5")] = 0.5
    beta: Annotated[float, Between(0, 1, open="both", remedy="the paper takes 0.8")] = 0.8
    eta0: Positive = 1.0
    max_it: Count = 30
    threshold_share: OpenUnit | None = None
    noise_multiplier: Positive = 1.0

    @property
    def threshold_scale(self) -> float:
        """Scale of the threshold's noise: b of a Laplace, standard deviation of a Gaussian."""
        if self.noise == "laplace":
            unit = 1.0 / (self.budget * (LAPLACE_SHARE if self.threshold_share is None else self.threshold_share))
        else:
            share = GAUSSIAN_SHARE if self.threshold_share is None else self.threshold_share
            unit = math.sqrt(1.0 / (2.0 * share * self.budget))
        return self.noise_multiplier * self.sensitivity * unit

    @property
    def query_scale(self) -> float:
        """Scale of a query's noise: b of a Laplace, standard deviation of a Gaussian."""
        if self.noise == "laplace":
            share = LAPLACE_SHARE if self.threshold_share is None else self.threshold_share
            unit = 2.0 / (self.budget * (1.0 - share))
        else:
            share = GAUSSIAN_SHARE if self.threshold_share is None else self.threshold_share
            unit = math.sqrt(2.0 / ((1.0 - share) * self.budget))
        return self.noise_multiplier * self.sensitivity * unit

    @property
    def step_sizes(self) -> Float:
        """eta_1 .. eta_max_it, shape (max_it,): see `candidate_steps`."""
        return candidate_steps(eta0=self.eta0, beta=self.beta, max_it=self.max_it)

    @abstractmethod
    def query(self, dataset: Dataset) -> Float:
        """The noise-free q_1 .. q_max_it on `dataset`, float64, shape (max_it,)."""

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Integer:
        """Indices of `size` independent runs, int64, shape (size,), values 0..max_it."""
        return stop_indices(self.noise, self.query(dataset), self._scales(), size, rng=rng)

    def counts(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Integer:
        """How often each index 0..max_it came in `size` independent runs: int64, shape (max_it + 1,)."""
        return stop_counts(self.noise, self.query(dataset), self._scales(), size, rng=rng)

    def output_law(self, dataset: Dataset) -> StoppingLaw:
        """The exact law of the index on `dataset`."""
        return StoppingLaw(
            noise=self.noise,
            threshold_scale=self.threshold_scale,
            query_scale=self.query_scale,
            levels=self.query(dataset),
        )

    def _scales(self) -> tuple[float, float]:
        return self.threshold_scale, self.query_scale
