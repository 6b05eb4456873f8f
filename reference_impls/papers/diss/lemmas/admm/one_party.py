"""AM-ONEPARTY: "with one party DP-ADMM reduces to DP-SGD with q = 1" (DISS, section 4.6.4), by twin runs.

One run of :class:`~reference_impls.admm.dp_admm.DpAdmm`, and one of DP-SGD with its draws (noise on w is minus a step
times noise on the gradient), step size eta / (1 + eta rho) and twice the noise multiplier, since DP-SGD counts in C and
a replaced record moves a sum by 2 C.

(smooth) lambda = 0, against :class:`~reference_impls.optimizers.dp_sgd.DpSgd`. (l1) lambda > 0, against the DP-SGD that
the chapter compares with, whose step is proximal (4.17): DP-ADMM as it is known takes a subgradient of the regulariser
instead, so the two differ by about lambda eta a step. The paper on DP-ADMM is not among the texts at hand.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpverify.core.ledger_words import Shown
from dpverify.core.rules import NonNegative, Positive
from dpverify.core.transcript import Draw, Transcript
from dpverify.datasets.table import Table
from dpverify.sampling.streams import stream
from reference_impls.admm.dp_admm import DpAdmm
from reference_impls.optimizers.dp_sgd import DpSgd
from reference_impls.optimizers.proximal_dp_sgd import ProximalDpSgd
from reference_impls.papers.equal_up_to_rounding import EqualUpToRounding

ROWS, COLUMNS, ROUNDS = 6, 2, 3
ALLOWED = Fraction(1, 10**11)
"""Of the largest coordinate: a few hundred operations an iteration, whose roundings no step enlarges."""


@dataclass(frozen=True, kw_only=True)
class OneParty(EqualUpToRounding):
    """Subject ``admm-one-party``: the largest difference of two runs' iterates.

    Attributes
    ----------
    seed : float
        Rounded: records and noise.
    eta, rho, clip, noise : float
        Learning rate, penalty, C, noise multiplier; > 0.
    l1 : float
        lambda, >= 0; above 0 the twin takes proximal steps.
    """

    seed: float = 0.0
    eta: Positive = 1.0
    rho: Positive = 0.25
    clip: Positive = 1.0
    noise: Positive = 1.0
    l1: NonNegative = 0.0

    def paths(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Iterates of DP-ADMM and of DP-SGD, shape (rounds + 1, d) each."""
        rng = stream(round(self.seed), "one party")
        table = Table(features=rng.standard_normal((ROWS, COLUMNS)), labels=rng.choice([-1.0, 1.0], ROWS)).normalised()
        shared = {"rho": self.rho, "clip": self.clip, "l1": self.l1, "initial_step": self.eta, "schedule": "constant"}
        admm = DpAdmm(rounds=ROUNDS, parties=1, noise_multiplier=self.noise, **shared).transcript(table, rng=rng)  # type: ignore[arg-type]  # one dict of settings
        draws = []
        for draw in admm.draws:
            draws.append(Draw(name="batch", kind="poisson-subset", values=np.arange(ROWS)))
            draws.append(Draw(name="gradient", kind="normal", values=-draw.values))
        step, twice = self.eta / (1.0 + self.eta * self.rho), 2.0 * self.noise
        plain = DpSgd(steps=ROUNDS, rate=1.0, clip=self.clip, noise_multiplier=twice, step_size=step)
        proximal = ProximalDpSgd(
            steps=ROUNDS,
            batch_size=ROWS,
            clip=self.clip,
            noise_multiplier=twice,
            step_size=step,
            schedule="constant",
            l1=self.l1,
        )
        empty = Transcript(result=admm.result, iterates=admm.iterates, draws=tuple(draws))
        return admm.iterates, (proximal if self.l1 else plain).replay(table, empty).iterates

    def sides(self) -> tuple[Fraction, Fraction]:
        """The largest difference, and the share of the largest coordinate that rounding may make."""
        first, second = self.paths()
        apart = max(
            abs(Fraction(a) - Fraction(b)) for a, b in zip(first.ravel().tolist(), second.ravel().tolist(), strict=True)
        )
        return apart, ALLOWED * Fraction(max(float(np.abs(first).max()), float(np.abs(second).max())))


def shown() -> Shown:
    """The numbers shown beside the remark on AM-ONEPARTY.l1."""
    same, apart = OneParty(), OneParty(l1=0.001)
    gaps = [float(np.abs(np.subtract(*each.paths())).max()) for each in (same, apart)]
    numbers = (
        ("largest difference of iterates, lambda = 0", gaps[0]),
        ("largest difference, lambda = 0.001, proximal DP-SGD", gaps[1]),
        ("largest coordinate there", float(np.abs(apart.paths()[0]).max())),
    )
    return Shown(numbers=numbers, holds=gaps[0] < 1e-12 < 1e-5 < gaps[1] < 1e-2)
