"""BL-AMP-SHARED: gradient and line search on one sample B, each charged as if it had a sample of its own.

Algorithm 2 subtracts amp(alpha rho_grad) for the gradient (line 7), amp of formula (4) or (5) for each search on the
same B (line 11), and amp(alpha rho_grad) for CHEB's gradient after a failed one (line 16). The pair: D' is empty and D
one record d, so the sample is empty, or d alone with probability q; no other record's membership adds any uncertainty,
and |B|, where an empty sample counts as one record, is 1 either way (with a public divisor, any number of records whose
gradient is 0 and whose loss is constant may stand beside d). With A the run's law on D' and P that with d in B, the law
on D is (1 - q) A + q P, and its divergence from A times alpha - 1 is

    log(sum over l of C(alpha, l) q^l (1 - q)^(alpha - l) E_A[(P / A)^l]).

d's gradient at w has norm C_grad, so its share of the moment is e^(l (l - 1) rho). Its loss, in [0, C_obj]:

- ``fall``: C_obj at w, and 0 at once beside it: every query moves by +Delta. ``rise``: the reverse.
- ``hinge``: the paper's own SVM, w = 0, d = (K x, 1) with K large. The loss is 1 at w; along -g it falls to 0 at once
  where the noisy gradient u along x is negative, and is clipped to 1 where it is positive. So the search moves for
  one sign of u only, which under the l-th moment has probability Phi(l sqrt(2 rho)).

All three are limits (a steeper loss; a longer x, with eta0 = K^(-1/2), so that the public term alpha eta |g|^2
vanishes): divergences are lower semicontinuous, so a limit above the sum has members of the family above it; some of
them, and how they come near it: :mod:`~reference_impls.papers.blsgd.lemmas.shared_sample_members`.

With M_l the search's moment and F_l the part of it in which the search fails, k searches have T_k = M_l - F_l + F_l G
T_(k-1), T_1 = M_l, where G is the moment of CHEB's gradient on a sample of its own (xi = 0: budgets stay; hinge with
one search only, for CHEB would turn its direction). The abstract rule, reading (b), two Gaussian releases:
:mod:`~reference_impls.papers.blsgd.lemmas.shared_gaussians`.

Truth: the divergence above, one direction of the two; exact but for rounding. ``charge="together"`` is the repair: amp
of the sum of the curves, once; ``charge="apart"`` charges each release on its own, as printed, and ``sample="own"``
gives each a sample of its own. Not to be confused with `blsgd_step`, the algorithm itself, whose samples tests hold
against these laws.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Literal

import flint
import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, log_ndtr, logsumexp

from dpverify.accounting.amplification_printed import poisson_bound
from dpverify.core.errors import InputError
from dpverify.core.evidence import Enclosed
from dpverify.core.fields import Checked
from dpverify.core.rules import Between
from dpverify.laws.balls import at_working_precision, exact_ball
from dpverify.laws.stopping import Noise, StoppingLaw
from dpverify.laws.stopping_proof import probabilities
from reference_impls.line_search.step_costs import amplified, gradient_step, printed_cost, search_step
from reference_impls.papers.accounting.lemmas.amplification_balls import poisson_ball
from reference_impls.papers.blsgd.lemmas.printed_balls import amplified_ball, gradient_curve, search_curve
from reference_impls.papers.enclosures import quotient

Float = NDArray[np.float64]
Loss = Literal["fall", "rise", "hinge"]
MOVES = {"fall": 1.0, "hinge": 1.0, "rise": -1.0}
ROUNDING = 1e-8
"""Relative error of the float truth, far above what was seen against balls."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedSample(Checked):
    """One iteration of Algorithm 2 on D = {d} and on the empty set.

    Attributes
    ----------
    q, order : float
        Sampling ratio in (0, 1); order, rounded, >= 2.
    rho_grad, budget_bt : float
        Budgets of a gradient and of a search, > 0.
    retries : float
        Searches on B at most, rounded, >= 1; 1 for the hinge.
    noise : "laplace" or "gaussian"
        Version of NoisyBTLS.
    loss : "fall", "rise" or "hinge"
        d's.
    max_it : int
        Candidates.
    sample : "shared" or "own"
        Whether the searches use the gradient's sample.
    charge : "apart" or "together"
        What is printed.
    """

    q: Annotated[float, Between(1e-9, 1 - 1e-9)] = 0.1
    order: Annotated[float, Between(2, 64)] = 2.0
    rho_grad: Annotated[float, Between(1e-12, 100)] = 2e-6
    budget_bt: Annotated[float, Between(1e-6, 100)] = 0.002
    retries: Annotated[float, Between(1, 16)] = 1.0
    noise: Noise = "laplace"
    loss: Loss = "fall"
    max_it: Annotated[int, Between(1, 1000)] = 30
    sample: Literal["shared", "own"] = "shared"
    charge: Literal["apart", "together"] = "apart"

    def validate(self) -> None:
        """Of a hinge loss there is one search."""
        if self.loss == "hinge" and round(self.retries) != 1:
            raise InputError(f"SharedSample: {self.retries} searches of a hinge", allowed="one search")

    @property
    def whole(self) -> int:
        """The order, rounded to a whole number."""
        return round(self.order)

    @property
    def searches(self) -> int:
        """At most so many."""
        return round(self.retries)

    def laws(self) -> tuple[StoppingLaw, StoppingLaw]:
        """The search's without and with d in the sample, in units of C_obj."""
        step = search_step(self.noise, self.budget_bt, self.max_it)
        if self.noise == "laplace":
            scales = 1.0 / step.epsilon_1, 1.0 / step.epsilon_2  # type: ignore[union-attr]  # of this noise
        else:
            scales = step.sigma_1, step.sigma_2  # type: ignore[union-attr]  # of this noise
        return _laws(self.noise, *scales, self.max_it, MOVES[self.loss])

    def printed(self) -> Enclosed:
        """What is subtracted: the amplified costs of k gradients and k searches, or of a B's costs together."""
        gradient, search = gradient_step(self.rho_grad), search_step(self.noise, self.budget_bt, self.max_it)
        at = (self.whole,)
        one = float(printed_cost(amplified(gradient, self.q), at)[0])
        if self.charge == "apart":
            each = one + float(printed_cost(amplified(search, self.q), at)[0])
            return Enclosed(value=self.searches * each)

        def curve(orders: Float) -> Float:
            return np.asarray(gradient.renyi(orders) + self.searches * search.printed(orders))

        together = float(poisson_bound(self.q, curve, [float(self.whole)])[0])
        return Enclosed(value=together + (self.searches - 1) * one)

    def truth(self) -> Enclosed:
        """The divergence of the mixture from the law on D'."""
        order = self.whole
        powers = np.arange(order + 1.0)
        logs = gammaln(order + 1) - gammaln(powers + 1) - gammaln(order - powers + 1)
        logs += powers * math.log(self.q) + (order - powers) * math.log1p(-self.q)
        own = powers * (powers - 1) * self.rho_grad
        again = _log_mean(logs, own)
        if self.sample == "own":
            whole = np.array([float(order)])
            value = again + float(self._searched(whole, again, present_share=self.q)[0])
        elif self.loss == "hinge":
            found, apart = self._searched(powers, again), powers * math.sqrt(2 * self.rho_grad)
            value = _log_mean(logs, own + np.logaddexp(log_ndtr(apart) + found, log_ndtr(-apart)))
        else:
            value = _log_mean(logs, own + self._searched(powers, again))
        value /= order - 1
        return Enclosed(value=value, error=ROUNDING * value + 1e-16)

    def _searched(self, powers: Float, again: float, *, present_share: float = 1.0) -> Float:
        """log T_k at each power; log G is `again`. With a share below 1, each search draws a sample of its own."""
        without, present = (law.log_probabilities() for law in self.laws())
        if present_share < 1.0:
            present = np.logaddexp(math.log1p(-present_share) + without, math.log(present_share) + present)
        terms = powers[:, None] * (present - without) + without
        moment, stopped, failed = logsumexp(terms, axis=1), logsumexp(terms[:, :-1], axis=1), terms[:, -1]
        total = moment
        for _ in range(self.searches - 1):
            total = np.logaddexp(stopped, failed + again + total)
        return np.asarray(total)

    @at_working_precision
    def proved_ratio(self) -> Enclosed | None:
        """The quotient of both sides, each computed in balls."""
        order, q, rho = self.whole, exact_ball(self.q), exact_ball(self.rho_grad)
        gradient, search = gradient_curve(self.rho_grad), search_curve(self.noise, self.budget_bt)
        one, count = amplified_ball(self.q, gradient, order), self.searches
        if self.charge == "apart":
            printed = count * (one + amplified_ball(self.q, search, order))
        else:
            together = poisson_ball(q, lambda power: gradient(power) + count * search(power), order)
            printed = together + (count - 1) * one
        without, present = (probabilities(law) for law in self.laws())
        weights = [math.comb(order, power) * q**power * (1 - q) ** (order - power) for power in range(order + 1)]
        own = [(power * (power - 1) * rho).exp() for power in range(order + 1)]
        again = sum((a * b for a, b in zip(weights, own, strict=True)), flint.arb(0))
        if self.sample == "own":
            present = [(1 - q) * a + q * p for a, p in zip(without, present, strict=True)]
            weights, own = [flint.arb(0)] * order + [flint.arb(1)], [again] * (order + 1)
        total = flint.arb(0)
        for power, weight in enumerate(weights):
            terms = [(p / a) ** power * a for a, p in zip(without, present, strict=True)]
            moment = found = sum(terms, flint.arb(0))
            for _ in range(count - 1):
                found = moment - terms[-1] + terms[-1] * again * found
            if self.loss == "hinge":
                apart = power * (2 * rho).sqrt()
                found = _normal(apart) * found + _normal(-apart)
            total += weight * own[power] * found
        return quotient(total.log() / (order - 1), printed)


@lru_cache(maxsize=256)
def _laws(noise: Noise, threshold: float, query: float, size: int, move: float) -> tuple[StoppingLaw, StoppingLaw]:
    first, second = (
        StoppingLaw(noise=noise, threshold_scale=threshold, query_scale=query, levels=np.full(size, level))
        for level in (0.0, move)
    )
    return first, second


def _log_mean(weights: Float, exponents: Float) -> float:
    """log sum of e^(weights + exponents), weights summing to 1: near 0 without cancellation."""
    small = np.abs(exponents) < 0.5
    if bool(small.all()):
        return math.log1p(float(np.sum(np.exp(weights) * np.expm1(exponents))))
    return float(logsumexp(weights + exponents))


def _normal(at: flint.arb) -> flint.arb:
    """The normal distribution function Phi."""
    return (-at / flint.arb(2).sqrt()).erfc() / 2
