"""AD-TOL: the step size at which ADADP's rule comes to rest where noise dominates, eta^2 = 2 tol^2 / (sigma^2 C^2 d).

The formulas, and why, stand in :mod:`reference_impls.papers.adadp.lemmas.tolerance`. To rest, tol / err must be 1:
err = (eta / 2) |N(0, 2 sigma^2 C^2 diag(w))| with w_i = 1 for the error (3), and w_i = 1 / max(1, theta_i^2) for (6),
which Algorithm 2 takes. Where the factors [alpha_min, alpha_max] do not bind, eta^2 is 2 tol^2 / (sigma^2 C^2 X) with
X = sum of w_i chi^2_i, so E eta^2 over the formula's is d E (1 / X), at least d / sum of w_i by Jensen's inequality,
and d / (d - 2) for (3). Claimed is "approximately"; here that is taken for a factor of at most `WITHIN` either way.

**Readings.** ``plain``: with (3). ``relative``: with (6) and coordinates theta_i normal of standard deviation s, where
the mean of w is m(s) = P(|z| < 1 / s) + E(z^-2; |z| > 1 / s) / s^2. The text makes s "O(1)": sqrt(2 T / d), which is
0.3 on MNIST (100 epochs, d = 334,336). ``growth``: the noise itself, sqrt(2 T / d) tol in a coordinate: a step adds
eta^2 sigma^2 C^2 = 2 tol^2 / (d m(s)) to s^2, to first order in 1 / d, so 2 T tol^2 / d = integral of m(sqrt v) dv up
to s^2, which sums over a grid bound since m falls. ``simulated``: the rule itself, run on noise, with (3)'s formula
held against (6) at s = 0. **Repaired**, AD-TOL-R: the sum of w_i replaces d, simulated at s = 2.

Not to be confused with a claim that this step size is a good one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated

import flint
import numpy as np
from scipy.special import ndtr

from dpverify.core.evidence import Enclosed
from dpverify.core.fields import Checked
from dpverify.core.ledger_words import Shown
from dpverify.core.rules import Between
from dpverify.core.subjects import Float
from dpverify.laws.balls import at_working_precision
from dpverify.recording.tape import Tape
from reference_impls.optimizers.adadp_step_rule import StepRule
from reference_impls.papers.adadp.lemmas.accounted_epsilon import BATCH, EPOCHS, RECORDS
from reference_impls.papers.adadp.lemmas.tolerance import noise_after, stationary_step
from reference_impls.papers.enclosures import quotient

WITHIN = 1.1
"""What "approximately" is taken for; as wide as the rule's own [0.9, 1.1]."""

DIMENSION = 334_336
"""As printed for MNIST."""

SPREAD = noise_after(EPOCHS * RECORDS // (2 * BATCH), tol=1.0, dimension=DIMENSION)
"""sqrt(2 T / d) of MNIST."""

_CELLS, _MIDDLES = 400, 2000  # of the sums for the integral, in balls and in doubles


def mean_weight(spread: flint.arb) -> flint.arb:
    """m(s), the mean of 1 / max(1, theta^2) for theta normal of this standard deviation > 0; it falls in s."""
    a, root = 1 / spread, flint.arb(2).sqrt()
    tail = (a / root).erfc() / 2
    density = (-a * a / 2).exp() / (2 * flint.arb.pi()).sqrt()
    return 1 - 2 * tail + 2 * (density / a - tail) * a * a


@dataclass(frozen=True, kw_only=True)
class Stationary(Checked):
    """E eta^2 where the rule rests, over the formula's.

    Attributes
    ----------
    dimension : float
        d, rounded, >= 3.
    spread : float
        s; 0 for the error (3), or for (6) with all coordinates in [-1, 1].
    """

    dimension: Annotated[float, Between(3, 1e9)] = DIMENSION
    spread: Annotated[float, Between(0, 1e4)] = 0.0

    def printed(self) -> Enclosed:
        """The factor that "approximately" is taken to allow."""
        return Enclosed(value=WITHIN)

    @at_working_precision
    def truth(self) -> Enclosed:
        """Exact for (3), a lower bound for (6)."""
        value = float(self._ratio().mid())
        return Enclosed(value=value, error=1e-14 * value)

    @at_working_precision
    def proved_ratio(self) -> Enclosed | None:
        """The quotient of both sides, computed in balls."""
        return quotient(self._ratio(), flint.arb(WITHIN))

    def _ratio(self) -> flint.arb:
        if self.spread == 0:
            return flint.arb(round(self.dimension)) / (round(self.dimension) - 2)
        return 1 / mean_weight(flint.arb(self.spread))


@dataclass(frozen=True, kw_only=True)
class Growth(Checked):
    """The noise in a coordinate once it has this spread, over what the formula says after as many steps.

    Attributes
    ----------
    spread : float
        s, > 0.
    """

    spread: Annotated[float, Between(1e-6, 1e4)] = SPREAD

    def printed(self) -> Enclosed:
        """sqrt(2 T / d) tol at the T that it takes to get there, with what "approximately" allows."""
        ends = self.spread * (np.arange(_MIDDLES) + 0.5) / _MIDDLES
        a = 1 / ends
        tails = ndtr(-a)
        weights = 1 - 2 * tails + 2 * (np.exp(-a * a / 2) / math.sqrt(2 * math.pi) / a - tails) * a * a
        value = WITHIN * math.sqrt(2 * self.spread / _MIDDLES * float(ends @ weights))
        return Enclosed(value=value, error=1e-6 * value)

    def truth(self) -> Enclosed:
        """The standard deviation s."""
        return Enclosed(value=self.spread)

    @at_working_precision
    def proved_ratio(self) -> Enclosed | None:
        """With an upper end of the number of steps."""
        return quotient(flint.arb(self.spread), flint.arb(WITHIN) * self._most().sqrt())

    def _most(self) -> flint.arb:
        """Never below 2 T tol^2 / d: a sum over cells even in s, each with m at its left end, since m falls."""
        ends = [flint.arb(self.spread) * k / _CELLS for k in range(_CELLS + 1)]
        weights = [flint.arb(1), *(mean_weight(end) for end in ends[1:-1])]
        cells = [(after - before) * (after + before) for before, after in pairwise(ends)]
        return sum((cell * weight for cell, weight in zip(cells, weights, strict=True)), flint.arb(0))


@dataclass(frozen=True, kw_only=True)
class RuleOnNoise:
    """The rule itself, fed with noise at fixed weights: eta^2 after some iterations, over a formula's.

    Attributes
    ----------
    dimension, iterations : int
        d, and how often the rule is applied from the formula's step size on.
    spread : float
        s; 0 for weights of 0.
    tol, noise_multiplier, clip : float
        As the algorithm has them.
    counted : bool
        Whether the sum of w_i replaces d in the formula.
    draws : int
        Runs worth making.
    """

    dimension: int = 400
    iterations: int = 12
    spread: float = 0.0
    tol: float = 1.0
    noise_multiplier: float = 2.0
    clip: float = 1.0
    counted: bool = False
    draws: int = 1500

    @property
    def low(self) -> float:
        """The least value of the statistic, which is a square."""
        return 0.0

    def statistic(self, size: int, *, rng: np.random.Generator) -> Float:
        """One a run: new weights, new noise."""
        rule, found = StepRule(tol=self.tol), np.empty(size)
        scale, tape = self.noise_multiplier * self.clip, Tape.recording(rng, keep=False)
        for run in range(size):
            weights = self.spread * rng.normal(size=self.dimension)
            formula = stationary_step(
                self.tol,
                noise_multiplier=self.noise_multiplier,
                clip=self.clip,
                weights=weights if self.counted else np.zeros(self.dimension),
            )
            step = formula
            for _ in range(self.iterations):
                _, step = rule.advanced(weights, step, lambda at: scale * rng.normal(size=at.size), tape)
            found[run] = (step / formula) ** 2
        return found


def shown() -> Shown:
    """The numbers shown beside the remark on AD-TOL.relative."""
    spreads = (SPREAD, 1.0, 3.0)
    ratios = [Stationary(spread=spread).truth().value for spread in spreads]
    return Shown(
        numbers=tuple(
            (f"E eta^2 over the formula's, at least, s = {s:.3g}", r) for s, r in zip(spreads, ratios, strict=True)
        ),
        holds=ratios[0] < WITHIN < ratios[1] < ratios[2],
    )


def shown_growth() -> Shown:
    """The numbers shown beside the remark on AD-TOL.growth."""
    spreads = (SPREAD, 1.0, 3.0, 10.0)
    formulas = [Growth(spread=spread).printed().value / WITHIN for spread in spreads]
    pairs = list(zip(spreads, formulas, strict=True))
    return Shown(
        numbers=tuple((f"sqrt(2 T / d) tol when the noise is {s:.3g}", formula) for s, formula in pairs),
        holds=pairs[0][0] < WITHIN * pairs[0][1] and pairs[3][0] > 1.5 * pairs[3][1],
    )
