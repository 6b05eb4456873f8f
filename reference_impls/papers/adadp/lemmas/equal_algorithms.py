"""AD-SCALE and AD-FED-EQ: two sentences of ADADP that say two algorithms are the same, which run here side by side.

**AD-SCALE** (after (6)): "the factor 1/|B| is dropped, as it only scales the learning rate". Readings:

- ``code``: the algorithm with noisy sums over the nominal |B|, and eta_0 |B| times as large; |B| is a power of 2, so
  that doubles can be asked for the same bits.
- ``nominal``: the same recursion in exact fractions, in one dimension (where (6) needs no root), any |B|.
- ``realised``: sums over the batch's own size, as "compute the average" over a Poisson sample has it. No learning rate
  replaces that: the first step fixes the factor, and a later batch of another size makes another step.

**AD-FED-EQ** ("Adaptive federated averaging"): the client's update is said to be Algorithm 2 with C = inf and no noise;
the sentence before adds the condition err < tol, which Algorithm 2 omits. Reading ``printed`` as the sentence stands;
``-R`` with the discard of Algorithm 1 on both sides. One client, one round: batches of equal records whatever their
order, squared loss, so that err is (eta |B|)^2 / 4 over max(1, eta |B|) at the first iteration.

Not to be confused with equal accuracy, or equal costs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Annotated

import numpy as np

from dpverify.core.ledger_words import Shown
from dpverify.core.rules import Between
from dpverify.datasets.table import Table
from dpverify.sampling.streams import stream
from reference_impls.federated.adaptive import FederatedAdaptive
from reference_impls.optimizers.adadp import Adadp
from reference_impls.optimizers.adadp_non_private import adadp_non_private
from reference_impls.papers.exactly_equal import ExactlyEqual

TOL, STEP, BATCH = 0.1, 0.1, 10
"""tol of the experiments without privacy, eta_0, and |B| of the federated ones."""


@dataclass(frozen=True, kw_only=True)
class ScaledRuns(ExactlyEqual):
    """The published loop with and without the divisor, on one random table and the same draws.

    Attributes
    ----------
    seed, rows, steps : float
        Rounded.
    doublings : float
        Rounded: |B| is 2 to this.
    initial_step, tol, sigma : float
        As the algorithm has them, without the divisor.
    """

    seed: Annotated[float, Between(0, 1e9)] = 0.0
    rows: Annotated[float, Between(2, 1e5)] = 40.0
    steps: Annotated[float, Between(1, 1e4)] = 8.0
    doublings: Annotated[float, Between(0, 16)] = 3.0
    initial_step: float = 0.1
    tol: float = 1.0
    sigma: float = 2.0

    @cached_property
    def difference(self) -> float:
        """The largest one of iterates, and of the step size times |B|."""
        size, rng = 2 ** round(self.doublings), stream(round(self.seed), "adadp-scale", "table")
        features = rng.normal(size=(round(self.rows), 3))
        labels = np.where(rng.random(round(self.rows)) < 0.5, -1.0, 1.0)
        table = Table(features=features, labels=labels, name="random")
        plain = Adadp(
            batch_size=size,
            steps=round(self.steps),
            noise_multiplier=self.sigma,
            initial_step=self.initial_step,
            tol=self.tol,
        )
        divided = replace(plain, divisor=float(size), initial_step=size * self.initial_step)
        first, second = (one.transcript(table, rng=stream(round(self.seed), "adadp-scale")) for one in (plain, divided))
        moved = float(np.abs(first.iterates - second.iterates).max())
        return max(moved, float(np.abs(size * first.step_sizes - second.step_sizes).max()))


def exact_iterates(sums: Sequence[Fraction], divisors: Sequence[int], step: Fraction, tol: Fraction) -> list[Fraction]:
    """Algorithm 2 in one dimension from 0, error (6), alpha in [0.9, 1.1]: its iterates, exactly.

    `sums` and `divisors`: of G_1, G_2 of each iteration, in turn; a linear loss, so that they do not depend on theta.
    """
    theta, iterates = Fraction(0), []
    for place in range(0, len(sums), 2):
        first, second = (sums[place + turn] / divisors[place + turn] for turn in (0, 1))
        full = theta - step * first
        halves = theta - step * first / 2 - step * second / 2
        error = abs(full - halves) / max(Fraction(1), abs(full))
        ratio = Fraction(11, 10) if error == 0 else tol / error
        step *= min(max(ratio, Fraction(9, 10)), Fraction(11, 10))
        theta = full
        iterates.append(theta)
    return iterates


@dataclass(frozen=True, kw_only=True)
class ScaledExactly(ExactlyEqual):
    """Two iterations in fractions, sums over |B| against sums with a learning rate that much smaller.

    Attributes
    ----------
    first, second, third, fourth : float
        Rounded, >= 1: how many records the batches have. A record adds -1 to its sum, the noise is `noise` times 1, -2,
        3, -4.
    step, tol, noise : float
        eta_0 with the divisor, tol, and the noise.
    nominal : float
        The divisor; 0 for each batch's own size.
    """

    first: Annotated[float, Between(1, 1e6)] = 3.0
    second: Annotated[float, Between(1, 1e6)] = 5.0
    third: Annotated[float, Between(1, 1e6)] = 4.0
    fourth: Annotated[float, Between(1, 1e6)] = 6.0
    step: Annotated[float, Between(1e-9, 1e6)] = 0.1
    tol: Annotated[float, Between(1e-9, 1e6)] = 1.0
    noise: Annotated[float, Between(0, 1e6)] = 2.0
    nominal: Annotated[float, Between(0, 1e6)] = 200.0

    @cached_property
    def difference(self) -> float:
        """The largest one of the iterates, the scale being what makes the first of them equal."""
        sizes = [round(each) for each in (self.first, self.second, self.third, self.fourth)]
        noise = Fraction(self.noise)
        sums = [-size + noise * part for size, part in zip(sizes, (1, -2, 3, -4), strict=True)]
        divisors = [round(self.nominal) or size for size in sizes]
        step, tol = Fraction(self.step), Fraction(self.tol)
        divided = exact_iterates(sums, divisors, step, tol)
        dropped = exact_iterates(sums, [1] * len(sums), step / divisors[0], tol)
        return float(max(abs(one - other) for one, other in zip(divided, dropped, strict=True)))


@dataclass(frozen=True, kw_only=True)
class ClientUpdate(ExactlyEqual):
    """A client's round against Algorithm 2 at C = inf, sigma = 0, on records that are all alike.

    Attributes
    ----------
    step, tol : float
        eta_0, tol.
    batch_size, batches : float
        Rounded, >= 1; twice as many batches are an epoch.
    discard : bool
        Whether Algorithm 2 is run with the discard of Algorithm 1.
    """

    step: Annotated[float, Between(1e-9, 1e6)] = STEP
    tol: Annotated[float, Between(1e-9, 1e6)] = TOL
    batch_size: Annotated[float, Between(1, 1e5)] = BATCH
    batches: Annotated[float, Between(1, 1e4)] = 2.0
    discard: bool = False

    @cached_property
    def difference(self) -> float:
        """Of the weights after the round."""
        size, iterations = round(self.batch_size), round(self.batches)
        rows = 2 * size * iterations
        table = Table(features=np.ones((rows, 1)), labels=np.ones(rows), name="alike")
        shared = {"model": "squared", "batch_size": size, "tol": self.tol}
        client = FederatedAdaptive(rounds=1, step_size=self.step, **shared)  # type: ignore[arg-type]  # of mixed kinds
        theirs = client.train((table,), rng=stream(0, "adadp-federated"))
        algorithm = adadp_non_private(initial_step=self.step, steps=iterations, discard=self.discard, **shared)
        ours = algorithm.train(table, rng=stream(0, "adadp-federated"))
        return float(np.abs(theirs - ours).max())


def first_error(step: float, size: int) -> float:
    """Err of the first iteration on records that are all alike."""
    return (step * size) ** 2 / 4 / max(1.0, step * size)


def shown_realised() -> Shown:
    """The numbers shown beside the remark on AD-SCALE.realised."""
    own = ScaledExactly(nominal=0.0)
    alike = ScaledExactly(nominal=0.0, second=own.first, third=own.first, fourth=own.first)
    fixed = ScaledExactly()
    return Shown(
        numbers=(
            ("second iterate, batches of 3, 5, 4, 6, off by", own.difference),
            ("the same with batches of one size, off by", alike.difference),
            ("with the fixed divisor 200, off by", fixed.difference),
        ),
        holds=own.difference > 0 and alike.difference == fixed.difference == 0,
    )


def shown_client() -> Shown:
    """The numbers shown beside the remark on AD-FED-EQ."""
    own, mended = ClientUpdate(), ClientUpdate(discard=True)
    error = first_error(own.step, round(own.batch_size))
    return Shown(
        numbers=(
            ("tol", own.tol),
            ("err of the first iteration", error),
            ("weights differ by", own.difference),
            ("with the discard on both sides by", mended.difference),
        ),
        holds=error > own.tol and own.difference > 0 and mended.difference == 0,
    )
