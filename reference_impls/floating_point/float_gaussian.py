"""The Gaussian mechanism with three samplers in doubles: Box-Muller, the polar method, numpy's ziggurat.

Wrong line: ``answer + sigma * normal``, rounded to the grid of the sum, whatever the sampler. Source: Jin, McMurtry,
Rubinstein, Ohrimenko, "Are We There Yet? Timing and Floating-Point Attacks on Differential Privacy Systems" (S&P 2022),
for Box-Muller, polar and ziggurat samplers; Delta-Siege (CCS 2023) audits them on bits; Opacus issue 616. The grids
are those of `float_laplace`: at the answers 0 and 1, outputs within 1/4 of 0 are multiples of 2^-53 under 1, and mostly
are not under 0. So delta is at least half the probability of that interval, for every epsilon.

Samplers: Box-Muller sqrt(-2 ln u) cos(2 pi v) (Box, Muller 1958); polar (Marsaglia, Bray 1964): a point of the unit
disc; ziggurat (Marsaglia, Tsang 2000) as ``Generator.standard_normal`` has it. Limits: one query.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from dpverify.core.fields import Checked
from dpverify.core.registry import Registry
from dpverify.core.rules import OneOf, Positive
from dpverify.core.subjects import Dataset
from dpverify.definitions.pure_dp import ApproxDP
from reference_impls.mechanisms.gaussian import exact_sigma
from reference_impls.mechanisms.inputs import Float, single_answer
from reference_impls.mechanisms.mechanism_claims import add_claim


def box_muller(size: int, *, rng: np.random.Generator) -> Float:
    """Standard normals, shape (size,)."""
    u, v = 1.0 - rng.random(size), rng.random(size)
    return np.sqrt(-2.0 * np.log(u)) * np.cos(2.0 * np.pi * v)


def polar(size: int, *, rng: np.random.Generator) -> Float:
    """Standard normals, shape (size,)."""
    out, made = np.empty(size), 0
    while made < size:
        x, y = rng.uniform(-1.0, 1.0, (2, 2 * (size - made) + 8))
        square = x * x + y * y
        kept = (square > 0.0) & (square < 1.0)
        found = (x[kept] * np.sqrt(-2.0 * np.log(square[kept]) / square[kept]))[: size - made]
        out[made : made + found.size] = found
        made += found.size
    return out


def ziggurat(size: int, *, rng: np.random.Generator) -> Float:
    """Standard normals, shape (size,)."""
    return rng.standard_normal(size)


SAMPLERS: dict[str, Callable[..., Float]] = {"box-muller": box_muller, "polar": polar, "ziggurat": ziggurat}


@dataclass(frozen=True, slots=True, kw_only=True)
class FloatGaussian(Checked):
    """Subject ``float-gaussian``. Data sets: one query answer; outputs: float64, shape (size,).

    Attributes
    ----------
    sigma : float
        Standard deviation of the noise, for sensitivity 1; > 0.
    sampler : str
        ``box-muller``, ``polar`` or ``ziggurat``.
    """

    sigma: Positive = 1.0
    sampler: Annotated[str, OneOf(tuple(SAMPLERS))] = "box-muller"

    def query(self, dataset: Dataset) -> Float:
        """The answer, shape (1,)."""
        return single_answer(dataset)

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Float:
        """Independent noisy answers, shape (size,)."""
        return single_answer(dataset) + self.sigma * SAMPLERS[self.sampler](size, rng=rng)


def impossible_at_least(sigma: float) -> float:
    """A lower bound on how often an output at answer 0 is impossible at 1: half of what comes within 1/4 of 0."""
    return math.erf(0.25 / (sigma * math.sqrt(2.0))) / 2.0


def register(registry: Registry) -> None:
    """Register the mechanism and a broken claim for each sampler."""
    registry.known_broken.add("float-gaussian", FloatGaussian)
    epsilon, delta = 1.0, 1e-5
    for sampler in SAMPLERS:
        add_claim(
            registry,
            f"float-gaussian-{sampler}",
            "broken",
            guarantee=ApproxDP(epsilon=epsilon, delta=delta),
            parameters={"sigma": exact_sigma(epsilon, delta), "sampler": sampler},
            relation="one-query",
            size=1,
            subject="float-gaussian",
            source=("Jin et al. 2022", "section V"),
            statement=f"A query of sensitivity 1 with Gaussian noise by {sampler} in doubles is (epsilon, delta)-DP.",
            suites=("floating-point",),
        )
