"""AM-RATE (a): the inequalities behind Theorem 4.2 of DISS on runs of ssADMM whose every number is known.

``AM-RATE.a-path`` is the first inequality of (4.12), before expectations, on one run with noise and mini-batches, any
point in the optimum's place and any weight beta of the constraint: everything in fractions.

``AM-RATE.a`` is the last display. One record and no noise, so that the run is its own expectation; the loss is flat
from 1.5 on and the optimum is known. The print has ``rho d_y*^2 / 2`` where its own previous line has ``rho |x* -
z^0|^2 / 2``: from the second line of (4.12) on, the distance is that of the dual variable. With a small l1 the dual
optimum is small, the printed bound hardly grows with rho, and x moves by no more than C / rho a step. Averages as
printed, (1/t) times t - 1 terms; ``AM-RATE-R.a`` has the distance and the averages of the proof.

d_X is 1.5, or the farthest that the run goes from x* where that is more. See
:mod:`reference_impls.papers.diss.lemmas.admm.rate`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any

import flint

from dpverify.core.evidence import Enclosed
from dpverify.core.fields import Checked
from dpverify.core.rules import Between, NonNegative, OneOf, Positive, Probability
from dpverify.laws.balls import at_working_precision
from dpverify.sampling.streams import stream
from reference_impls.papers.diss.lemmas.admm.rate import theorem_steps
from reference_impls.papers.diss.lemmas.admm.scalar_run import Number, UndecidedError, huber_loss, mean, scalar_run
from reference_impls.papers.enclosures import quotient
from reference_impls.papers.equal_up_to_rounding import EqualUpToRounding, sizes

FLAT = 1.5
"""From where on the loss of a record of 1 is 0."""
FLOAT_ERROR = 1e-11
"""Of a run in doubles, absolute: its numbers are about 1."""
DISTANCES = ("dual", "primal")
ITERATIONS, RECORDS, BATCH = 6, 2, 1
"""Of the runs in fractions."""


@dataclass(frozen=True, kw_only=True)
class LastDisplay(Checked):
    """Subject ``admm-rate-display``: the gap of the averages under the last display of Theorem 4.2's proof.

    Attributes
    ----------
    distance : "dual" or "primal"
        As printed (and the averages as printed), or as the proof has it.
    rho, l1 : float
        Penalty > 0; lambda in [0, 1].
    iterations : float
        t, rounded, >= 1.
    """

    distance: Annotated[str, OneOf(DISTANCES)] = "dual"
    rho: Positive = 0.25
    l1: Probability = 0.0001
    iterations: Annotated[float, Between(1, 1e5)] = 100.0

    @property
    def steps(self) -> tuple[float, ...]:
        """eta^k of the theorem for d_X = 1.5."""
        return theorem_steps(max(round(self.iterations), 1), squared=1.0, diameter=FLAT)

    def sides(self, number: Any) -> tuple[Number, Number]:
        """The gap and its bound, with `number` (float, flint.arb) around every constant."""
        rho, l1, steps = number(self.rho), number(self.l1), [number(eta) for eta in self.steps]
        run = scalar_run([number(1.0)], steps, rho=rho, l1=l1)
        t, optimum = len(steps), number(FLAT) - l1
        if self.distance == "dual":
            smooth, other = (sum(each, number(0.0)) / t for each in (run.x[1:-1], run.z[:-1]))
        else:
            smooth, other = mean(run.x[:-1]), mean(run.z)
        gap = huber_loss(smooth) + l1 * abs(other) - huber_loss(optimum) - l1 * optimum
        diameter = number(FLAT)
        for x in run.x:
            away = abs(x - optimum)
            diameter = away if away > diameter else diameter
        far = l1 if self.distance == "dual" else optimum  # |y^0 - y*| or |x* - z^0|
        bound = sum(steps, number(0.0)) / 2 + diameter * diameter / (2 * steps[-1]) + rho * far * far / 2
        return gap, bound / t

    def printed(self) -> Enclosed:
        """The bound as printed."""
        return Enclosed(value=self.sides(float)[1])

    def truth(self) -> Enclosed:
        """The gap that the bound is about."""
        return Enclosed(value=max(self.sides(float)[0], 0.0), error=FLOAT_ERROR)

    @at_working_precision
    def proved_ratio(self) -> Enclosed | None:
        """The run in balls; None where a branch cannot be decided."""
        try:
            return quotient(*self.sides(flint.arb))
        except UndecidedError:
            return None


@dataclass(frozen=True, kw_only=True)
class FirstInequality(EqualUpToRounding):
    """Subject ``admm-rate-path``: the first inequality of (4.12) along one run, in fractions.

    What is allowed is the sum of the magnitudes of all terms, what is found that plus left minus right.

    Attributes
    ----------
    seed : float
        Rounded: which records, batches and noise.
    eta, rho : float
        First learning rate, falling like 1 / sqrt(k); penalty; > 0.
    l1, beta, sigma : float
        lambda, weight of the constraint, noise; >= 0.
    point : float
        What stands in the optimum's place.
    """

    seed: float = 0.0
    eta: Positive = 1.0
    rho: Positive = 0.25
    l1: NonNegative = 0.0001
    beta: NonNegative = 1.0
    sigma: NonNegative = 0.01
    point: float = 1.5

    def squares(self, eta: Fraction, gradient: Fraction) -> Fraction:
        """The first term of the right-hand side."""
        return eta * gradient * gradient / 2

    def sides(self) -> tuple[Fraction, Fraction]:
        """In units of the terms."""
        rng = stream(round(self.seed), "a run in fractions")
        records = [_short(float(a)) for a in rng.uniform(-0.5, 1.0, RECORDS)]
        batches = [rng.choice(RECORDS, BATCH, replace=False).tolist() for _ in range(ITERATIONS)]
        noise = [_short(self.sigma * float(unit)) for unit in rng.standard_normal(ITERATIONS)]
        steps = [_short(self.eta / math.sqrt(k + 1)) for k in range(ITERATIONS)]
        rho, l1, beta, point = (_short(each) for each in (self.rho, self.l1, self.beta, self.point))
        run = scalar_run(records, steps, rho=rho, l1=l1, batches=batches, noise=noise)
        value = mean(huber_loss(a * mean(run.x[:-1])) for a in records)
        left = [value, l1 * abs(mean(run.z)), beta * abs(mean(run.x[1:]) - mean(run.z))]
        left += [-mean(huber_loss(a * point) for a in records), -l1 * abs(point)]
        right = [rho * point**2 / 2, beta**2 / (2 * rho)]
        for k, eta in enumerate(steps):
            right += [self.squares(eta, run.noisy[k]), (run.x[k] - point) ** 2 / (2 * eta)]
            right += [-((run.x[k + 1] - point) ** 2) / (2 * eta)]
            right += [(run.noisy[k] - run.exact[k]) * (point - run.x[k])]
        right = [each / ITERATIONS for each in right]
        terms = sizes(*left, *right)
        return terms + sum(left) - sum(right), terms


def _short(number: float) -> Fraction:
    """The number to the next multiple of 2^-24 (above 0 where it is): products of many stay short."""
    return Fraction(max(round(abs(number) * 2**24), 1 if number else 0) * (1 if number > 0 else -1), 2**24)
