"""The first step of ADP-SGD on linear losses, and its exact law: ledger rows AP-THM41 and AP-ADAGRAD.

Losses f(theta; x) = x theta_1 have gradient x e_1 everywhere, so a data set is the n numbers x in [-G, G], G = 1, and
a step releases a mixture over the record drawn: (eta / b) N(x e_1, (alpha_1 sigma)^2 I) with sigma from (6) for all T
steps. What one of T releases leaks, all of them leak: a violation here refutes Theorem 4.1 at that n, T,
epsilon and delta; no violation says nothing about the whole run.

The output is the first coordinate where d = 1, else the sum of squares of the other d - 1: no record's gradient
touches them, and yet their sum is (eta alpha_1 sigma / b)^2 chi^2. Laws are in public cells, so that divergences can
be proved; each is a lower bound. With b public (``follows="nothing"``; the repaired AdaGrad-norm, too, whose release
is post-processing of such a step) the others carry nothing; with b from the raw gradient (``"gradient"``) they carry
its length, the more clearly the larger d, whatever sigma is.

Not to be confused with the composed law of all steps with b public,
:meth:`~reference_impls.optimizers.adp_sgd_training.AdpSgdTraining.attained`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Any, Literal

import flint
import numpy as np
from numpy.typing import NDArray
from scipy import special

from dpverify.core.errors import InputError
from dpverify.core.fields import Checked
from dpverify.core.rules import Count
from dpverify.core.subjects import Dataset
from dpverify.laws.balls import exact_ball, working_precision
from dpverify.laws.coarse import CoarseLaw, mixed_gaussian_cells
from dpverify.laws.discrete import DiscreteLaw
from dpverify.laws.product import MixtureLaw
from reference_impls.optimizers.ada_grad import AdaGrad
from reference_impls.optimizers.adp_sgd_schedules import Alpha

Float = NDArray[np.float64]
SPREADS = np.linspace(-6.0, 6.0, 7)
"""Edges of cells around a place, in units of a spread."""
_RELATIVE = 1e-11
"""Bound on the relative error of chi-square probabilities (observed: 4e-14 up to 10^4 degrees of freedom)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AdpSgdStep(Checked):
    """Subject ``adp-sgd-step``. Data set: n numbers in [-1, 1], n >= `batch_size`.

    Attributes
    ----------
    follows : "nothing" or "gradient"
        Whether b_1 is sqrt(b_0^2 + C), or as :class:`~reference_impls.optimizers.ada_grad.AdaGrad` makes it.
    dimension : int
        d.
    epsilon, delta, steps, alpha, batch_size
        As AdaGrad's; a batch is all alike but for one record.
    b0_squared, nu, beta, growth
        As AdaGrad's; b_t = sqrt(b_0^2 + C t) is also the polynomial schedule.
    """

    follows: Literal["nothing", "gradient"] = "nothing"
    dimension: Count = 1
    epsilon: float = 12.8
    delta: float = 1e-5
    steps: int = 11700
    alpha: Alpha = "sqrt-b"
    batch_size: int = 1
    b0_squared: float = 20.0
    nu: float = 1e-5
    beta: float = 1.0
    growth: float = 1.0

    def validate(self) -> None:
        """There is noise, and the training loop accepts the settings."""
        if self.alpha == "zero":
            raise InputError("alpha = 'zero'", allowed="sqrt-b, one", remedy="without noise there is no law")
        _training(self)

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> NDArray[Any]:
        """Independent looks at the release, float64, shape (size, 1)."""
        values, counts, steps, scale = self._parts(dataset)
        which = rng.choice(values.size, size=size, p=counts / counts.sum())
        if self.dimension == 1:
            seen = steps[which] * (values[which] + scale * rng.standard_normal(size))
        else:
            seen = (steps[which] * scale) ** 2 * rng.chisquare(self.dimension - 1, size)
        return np.asarray(seen[:, None])

    def output_law(self, dataset: Dataset) -> CoarseLaw:
        """The law of the cell."""
        values, counts, steps, scale = self._parts(dataset)
        ends = self._steps(np.array([0.0, 1.0]))  # b follows |x| alone
        if self.dimension == 1:
            places = np.linspace(-1.0, 1.0, 3)[:, None] + scale * SPREADS
            edges = np.unique(np.concatenate([step * places.ravel() for step in set(ends.tolist())]))
            edges = edges[np.append(True, np.diff(edges) > 1e-6 * scale * ends.min())]
            return mixed_gaussian_cells(steps * values, steps * scale, counts, edges)
        free = self.dimension - 1
        middle = np.maximum(free + math.sqrt(2.0 * free) * SPREADS, free * 0.01)
        edges = np.unique(np.concatenate([(step * scale) ** 2 * middle for step in set(ends.tolist())]))
        parts = [_square_cells(free, step * scale, edges) for step in steps.tolist()]
        weights = tuple(Fraction(count, int(counts.sum())) for count in counts.tolist())
        mixed = MixtureLaw(laws=tuple(parts), weights=weights).flat()
        if not isinstance(mixed, DiscreteLaw):
            raise TypeError("a mixture of tables is a table")
        return CoarseLaw(cells=mixed, partition=edges.tobytes())

    def _parts(self, dataset: Dataset) -> tuple[Float, NDArray[np.int64], Float, float]:
        """The different mean gradients of a batch, which of n draws have them, their steps eta / b_1, and alpha_1
        sigma."""
        numbers = np.asarray(dataset, dtype=np.float64)
        if numbers.ndim != 1 or not (np.abs(numbers) <= 1.0).all():
            raise InputError(f"a data set of shape {numbers.shape}", allowed="a vector of numbers in [-1, 1]")
        if numbers.size < self.batch_size:
            raise InputError(f"{numbers.size} records", allowed=f"at least batch_size = {self.batch_size}")
        values, counts = np.unique(numbers, return_counts=True)
        counts = counts.astype(np.int64)
        if self.batch_size > 1:
            if values.size > 2 or (values.size == 2 and counts.min() > 1):
                raise InputError("a batch of different records", allowed="records that are all alike but for one")
            if values.size == 2:
                most, odd = values[np.argsort(-counts, kind="stable")]
                values = np.array([most, most + (odd - most) / self.batch_size])
                counts = np.array([numbers.size - self.batch_size, self.batch_size])
                if not counts[0]:
                    values, counts = values[1:], counts[1:]
        return values, counts, self._steps(values), _noise(self, numbers.size)

    def _steps(self, values: Float) -> Float:
        if self.follows == "nothing":
            return np.full(values.size, 1.0 / math.sqrt(self.b0_squared + self.growth))
        return 1.0 / np.sqrt(self.b0_squared + np.maximum(self.beta * values**2, self.nu))  # beta_0 = beta


@cache
def _training(step: AdpSgdStep) -> AdaGrad:
    return AdaGrad(
        epsilon=step.epsilon,
        delta=step.delta,
        steps=step.steps,
        alpha=step.alpha,
        batch_size=step.batch_size,
        b0_squared=step.b0_squared,
        nu=step.nu,
        beta=step.beta,
        growth=step.growth,
    )


@cache
def _noise(step: AdpSgdStep, rows: int) -> float:
    """The noise of the first step, alpha_1 sigma."""
    training = _training(step)
    return float(training.alphas[0]) * training.noise_scale(rows)


def _square_cells(free: int, spread: float, edges: Float) -> DiscreteLaw:
    """Cells of spread^2 times a chi-square variable; InputError for one that is lighter than doubles can tell."""
    cuts = edges / spread**2
    below, above = special.chdtr(free, cuts), special.chdtrc(free, cuts)
    low = cuts[1:] < free  # the lighter tails
    cells = np.concatenate([below[:1], np.where(low, np.diff(below), -np.diff(above)), above[-1:]])
    if not (cells > 1e-290).all():
        raise InputError("a cell of no weight", allowed="spreads that are alike", remedy="a smaller beta or dimension")
    share = np.min(cells[1:-1] / np.where(low, below[1:], above[:-1]))

    def enclose() -> list[flint.arb]:
        exact = [Fraction(edge) / (2 * Fraction(spread) ** 2) for edge in edges.tolist()]
        with working_precision(flint.ctx.prec + 4 * math.ceil(float(exact[-1]))):  # what cancels in the series
            balls = [exact_ball(cut).gamma_lower(flint.arb(free) / 2, regularized=1) for cut in exact]
            return [balls[0], *(after - before for before, after in pairwise(balls)), 1 - balls[-1]]

    return DiscreteLaw(log_probabilities=np.log(cells), error=_RELATIVE / float(share), enclose=enclose)
