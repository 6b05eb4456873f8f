"""AD-2MOMENTS, AD-POST, AD-HALF: what an iteration of ADADP costs, and what more its step sizes let out.

**AD-2MOMENTS** (Theorem 2). G_2 is a sum at a point that G_1 chose, so it is a batch of a mechanism that adapts to the
first: its gradients may be as long as C or shorter, depending on G_1. The pair looked at: G_1 of a record of length C,
then one of length C where G_1 came out above a cut, and of `low` times C below it. Conditioned on G_1 the second
moment is at most that of length C, and so the joint one at most the product: an equality at low = 1. At whole orders
all is a finite sum: E_Q (M / Q)^a 1(x > cut) = sum_k C(a, k) (1 - q)^(a - k) q^k e^(k (k - 1) / 2 s) P(N(k, s) > cut).
Records added or removed; the accountant's pair.

**AD-POST** (section "Adaptive DP algorithm"). Iterates, step sizes and errors are functions of the noisy sums alone:
runs on other data that are given the same noisy sums show the same bits.

**AD-HALF** (after Theorem 2). T iterations are accounted as 2 T steps of DP-SGD, and where 2 |B| divides N an epoch
has N / (2 |B|) iterations, with as many noisy sums of as many records as DP-SGD.

Not to be confused with what the rate |B| / N shows of N, nor with the sampling: :mod:`adadp_shuffled`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from dataclasses import replace as replaced
from functools import cached_property
from typing import TYPE_CHECKING

import flint
import numpy as np

from dpverify.accounting.accountants.moments import MomentsAccountant
from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep
from dpverify.core.claim import Claim, Reading, SearchSpace, Source
from dpverify.core.measure import Enclosed
from dpverify.datasets.table import Table
from dpverify.definitions.upper_bound import UpperBound
from dpverify.laws.balls import at_working_precision
from dpverify.sampling.streams import stream
from reference_impls.accounting.lemma import checked, lemma_claim, quotient
from reference_impls.optimizers.adadp import Adadp
from reference_impls.optimizers.adadp_accounted import BATCH, DELTA, EPOCHS, RECORDS, SIGMAS
from reference_impls.optimizers.dp_sgd import DpSgd
from reference_impls.optimizers.dp_sgd_shuffled import DpSgdShuffled

if TYPE_CHECKING:
    from dpverify.core.registry import Registry

RATE = BATCH / RECORDS


@dataclass(frozen=True, kw_only=True)
class TwoMoments:
    """One iteration at one moment.

    Attributes
    ----------
    sigma : float
        Noise multiplier; the theorem asks for at least 1.
    q : float
        Sampling rate, in (0, 1).
    order : float
        Rounded, >= 2: lambda + 1.
    low : float
        Length of the second gradient over C where G_1 is below the cut, in [0, 1].
    cut : float
        In units of C.
    """

    sigma: float = SIGMAS[0]
    q: float = RATE
    order: float = 17.0
    low: float = 1.0
    cut: float = 0.0

    def __post_init__(self) -> None:
        checked(self, sigma=(0.3, 1e3), q=(1e-9, 1 - 1e-9), order=(2, 128), low=(0, 1), cut=(-1e3, 1e3))

    @property
    def whole(self) -> int:
        """The order."""
        return round(self.order)

    def printed(self) -> Enclosed:
        """2 alpha_M(lambda) / lambda: the algorithm's own composition of an iteration, by its Renyi curve."""
        algorithm = Adadp(steps=1, rate=self.q, noise_multiplier=self.sigma)
        (part,) = algorithm.composition(round(1 / self.q)).parts
        assert isinstance(part.step, PoissonGaussianStep)
        value = part.count * float(part.step.renyi(np.array([float(self.whole)]))[0])
        return Enclosed(value=value, error=1e-9 * value)

    @at_working_precision
    def truth(self) -> Enclosed:
        """The joint divergence of (G_1, G_2)."""
        value = float(self._joint().mid())
        return Enclosed(value=value, error=1e-12 * value)

    @at_working_precision
    def proved_ratio(self) -> Enclosed | None:
        """Both as finite sums in balls."""
        one = self._moment(flint.arb(1)).log() / (self.whole - 1)
        return quotient(self._joint(), 2 * one)

    def _joint(self) -> flint.arb:
        above = self._above()
        low, high = self._moment(flint.arb(self.low)), self._moment(flint.arb(1))
        return (above * high + (high - above) * low).log() / (self.whole - 1)

    def _terms(self, length: flint.arb) -> list[flint.arb]:
        q, s, a = flint.arb(self.q), flint.arb(self.sigma) ** 2, self.whole
        return [
            math.comb(a, k) * (1 - q) ** (a - k) * q**k * (length**2 * (k * (k - 1)) / (2 * s)).exp()
            for k in range(a + 1)
        ]

    def _moment(self, length: flint.arb) -> flint.arb:
        """E_Q (M / Q)^order for a gradient of this length."""
        return sum(self._terms(length), flint.arb(0))

    def _above(self) -> flint.arb:
        """The part of the first sum's moment where it is above the cut."""
        root = flint.arb(2).sqrt() * flint.arb(self.sigma)
        tails = [((flint.arb(self.cut) - k) / root).erfc() / 2 for k in range(self.whole + 1)]
        return sum((term * tail for term, tail in zip(self._terms(flint.arb(1)), tails, strict=True)), flint.arb(0))


@dataclass(frozen=True, kw_only=True)
class PostProcessed:
    """A run on one random table, and a run on another that is given the first one's noisy sums.

    Attributes
    ----------
    seed : float
        Rounded; of tables and draws.
    rows, columns, steps : float
        Rounded, >= 1.
    sigma, initial_step, tol : float
        As the algorithm has them.
    text, error, sampling : str
        As the algorithm has them.
    """

    seed: float = 0.0
    rows: float = 12.0
    columns: float = 4.0
    steps: float = 6.0
    sigma: float = SIGMAS[0]
    initial_step: float = 0.1
    tol: float = 1.0
    text: str = "paper"
    error: str = "relative"
    sampling: str = "shuffled"

    def __post_init__(self) -> None:
        checked(self, seed=(0, 1e9), rows=(1, 1e4), columns=(1, 1e3), steps=(1, 1e4))

    @property
    def algorithm(self) -> Adadp:
        """The published loop."""
        return Adadp(
            batch_size=max(1, round(self.rows) // 3),
            sampling=self.sampling,
            noise_multiplier=self.sigma,
            initial_step=self.initial_step,
            tol=self.tol,
            steps=round(self.steps),
            text=self.text,
            error=self.error,
        )

    def table(self, which: str) -> Table:
        """One of the two tables."""
        rng = stream(round(self.seed), "adadp-post", which)
        features = rng.normal(size=(round(self.rows), round(self.columns)))
        return Table(features=features, labels=np.where(rng.random(round(self.rows)) < 0.5, -1.0, 1.0), name=which)

    @cached_property
    def difference(self) -> float:
        """The largest one between what the two runs show: iterates, step sizes, errors, answers."""
        first = self.algorithm.transcript(self.table("first"), rng=stream(round(self.seed), "adadp-post"))
        second = self.algorithm.replay(self.table("second"), replaced(first, held=True))
        shown = [
            (first.iterates, second.iterates),
            *((first.public[name], second.public[name]) for name in first.public),
        ]
        return max(float(np.abs(np.asarray(a, float) - np.asarray(b, float)).max()) for a, b in shown)

    def printed(self) -> Enclosed:
        """The same bits."""
        return Enclosed(value=0.0)

    def truth(self) -> Enclosed:
        """The difference."""
        return Enclosed(value=self.difference)

    def proved_ratio(self) -> Enclosed | None:
        """Two programs' outputs are the numbers that they are: any difference is one."""
        return Enclosed(value=math.inf, proved=True) if self.difference > 0 else None


@dataclass(frozen=True, kw_only=True)
class HalfAsMany:
    """T iterations of ADADP against 2 T steps of DP-SGD: what the accountant says of either.

    Attributes
    ----------
    steps : float
        T, rounded.
    q, sigma, delta : float
        Of both.
    """

    steps: float = EPOCHS * RECORDS / BATCH / 2
    q: float = RATE
    sigma: float = SIGMAS[0]
    delta: float = DELTA

    def __post_init__(self) -> None:
        checked(self, steps=(1, 1e7), q=(1e-9, 1), sigma=(0.3, 1e3), delta=(1e-300, 0.5))

    def printed(self) -> Enclosed:
        """No difference."""
        return Enclosed(value=0.0)

    def truth(self) -> Enclosed:
        """Of the two epsilons."""
        steps, rows = round(self.steps), max(2, round(1 / self.q))
        ours = Adadp(steps=steps, rate=self.q, noise_multiplier=self.sigma).composition(rows)
        theirs = DpSgd(steps=2 * steps, rate=self.q, noise_multiplier=self.sigma).composition(rows)
        found = [MomentsAccountant().compose(each).epsilon(self.delta).upper for each in (ours, theirs)]
        return Enclosed(value=0.0 if found[0] == found[1] else abs(found[0] - found[1]))

    def proved_ratio(self) -> Enclosed | None:
        """Equal accounts need none; two that differ are what they are."""
        return Enclosed(value=math.inf, proved=True) if self.truth().value > 0 else None


@dataclass(frozen=True, kw_only=True)
class EqualCost:
    """An epoch of ADADP against one of DP-SGD, both run on shuffled batches and looked at.

    Attributes
    ----------
    seed, half, batch_size : float
        Rounded; N = 2 `half` |B| records, so `half` iterations an epoch.
    """

    seed: float = 0.0
    half: float = 5.0
    batch_size: float = 4.0

    def __post_init__(self) -> None:
        checked(self, seed=(0, 1e9), half=(1, 1e4), batch_size=(1, 1e4))

    def printed(self) -> Enclosed:
        """No difference."""
        return Enclosed(value=0.0)

    def truth(self) -> Enclosed:
        """Of the noisy sums, and of the orders drawn (each is read to its end, so the records are as many)."""
        half, size = round(self.half), round(self.batch_size)
        rng = stream(round(self.seed), "adadp-half")
        table = Table(features=rng.normal(size=(2 * half * size, 2)), labels=np.ones(2 * half * size), name="epoch")
        runs = (
            Adadp(steps=half, batch_size=size, sampling="shuffled").transcript(table, rng=rng),
            DpSgdShuffled(steps=2 * half, batch_size=size).transcript(table, rng=rng),
        )
        sums = [len(run.released("gradient")) for run in runs]
        orders = [sum(draw.kind == "permutation" for draw in run.draws) for run in runs]
        return Enclosed(value=float(abs(sums[0] - sums[1]) + abs(orders[0] - orders[1]) + abs(sums[0] - 2 * half)))

    def proved_ratio(self) -> Enclosed | None:
        """Counts are exact."""
        return Enclosed(value=math.inf, proved=True) if self.truth().value > 0 else None


def register(registry: Registry) -> None:
    """Offer the subjects and the claims."""
    registry.mechanisms.add("lemma-two-moments", TwoMoments)
    registry.mechanisms.add("twins-adadp-held", PostProcessed)
    registry.mechanisms.add("lemma-half-as-many", HalfAsMany)
    registry.mechanisms.add("twins-adadp-epoch", EqualCost)
    registry.add_claim(
        lemma_claim(
            "AD-2MOMENTS",
            subject="lemma-two-moments",
            quantity="renyi",
            source=("ADADP", "Thm 2"),
            statement="An iteration's moments are at most twice those of a Poisson-sampled Gaussian, for sigma >= 1.",
            parameters={"sigma": SIGMAS[0], "q": RATE, "order": 17.0, "low": 1.0, "cut": 0.0},
            boxes={
                "sigma": (1.0, 20.0),
                "q": (1e-4, 0.99),
                "order": (2.0, 48.0),
                "low": (0.0, 1.0),
                "cut": (-10.0, 50.0),
            },
        )
    )
    boxes = {
        "seed": (0.0, 1e6),
        "rows": (3.0, 40.0),
        "columns": (1.0, 12.0),
        "steps": (1.0, 12.0),
        "sigma": (0.5, 8.0),
        "initial_step": (1e-3, 10.0),
        "tol": (1e-2, 10.0),
    }
    registry.add_claim(
        Claim(
            id="AD-POST",
            guarantee=UpperBound(quantity="difference"),
            relation="numbers",
            subject="twins-adadp-held",
            parameters={"sigma": SIGMAS[0], "initial_step": 0.1, "tol": 1.0},
            space=SearchSpace(parameters=boxes),
            source=Source(paper="ADADP", locus="Adaptive DP algorithm"),
            statement="Iterates, step sizes and errors are functions of the noisy sums: the same sums, the same bits.",
            readings=(
                Reading(key="paper", text="Algorithm 2"),
                Reading(key="plain", text="with the error (3)", parameters={"error": "plain"}),
                Reading(
                    key="code", text="the authors' code: it discards, and steps by halves", parameters={"text": "code"}
                ),
            ),
        )
    )
    registry.add_claim(
        Claim(
            id="AD-HALF",
            guarantee=UpperBound(quantity="difference"),
            relation="numbers",
            subject="lemma-half-as-many",
            source=Source(paper="ADADP", locus="after Thm 2, Experiments"),
            statement="T iterations cost what 2 T steps of DP-SGD cost.",
            readings=(
                Reading(
                    key="privacy",
                    text="the accounted epsilon",
                    parameters={"steps": EPOCHS * RECORDS / BATCH / 2, "q": RATE, "sigma": SIGMAS[0], "delta": DELTA},
                    space=SearchSpace(
                        parameters={"steps": (1.0, 1e5), "q": (1e-4, 1.0), "sigma": (1.0, 8.0), "delta": (1e-10, 0.1)}
                    ),
                ),
                Reading(
                    key="gradients",
                    text="gradients an epoch, where 2 |B| divides N",
                    subject="twins-adadp-epoch",
                    parameters={"half": 5.0, "batch_size": 4.0},
                    space=SearchSpace(parameters={"seed": (0.0, 1e6), "half": (1.0, 10.0), "batch_size": (1.0, 8.0)}),
                ),
            ),
        )
    )
