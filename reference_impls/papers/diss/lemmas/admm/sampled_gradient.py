"""AM-SS-RDP over all sampling rates and noise: the worst canaries of an iteration of ssADMM against its printed cost.

With every other record's gradient at one place the batches are of two kinds, and the noisy mean gradient, in units of 2
C / m, is a mixture of two normal laws, q = m / n:

    among blank records:  (1 - q) N(0) + q N(1/2)   against   (1 - q) N(0) + q N(-1/2)
    among opposite ones:  (1 - q) N(0) + q N(1)     against   N(0)

both ways, of standard deviation s. Truths are trapezoid sums, whose error for such integrands falls faster than any
power of the width; proofs are made in cells, and lie below them. A search, and these two pairs of canaries: no proof of
the lemma (ACC-AMP-WOR has more mechanisms).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from dpverify.accounting.amplification_printed import without_replacement_bound
from dpverify.accounting.steps.gaussian import GaussianStep
from dpverify.core.evidence import Enclosed
from dpverify.core.fields import Checked
from dpverify.core.rules import Between
from dpverify.core.subjects import LawPair
from dpverify.laws.balls import at_working_precision, exact_ball
from dpverify.laws.coarse import gaussian_cells
from dpverify.laws.discrete import DiscreteLaw
from dpverify.laws.product import MixtureLaw
from reference_impls.papers.accounting.lemmas.amplification_balls import gaussian_ball, without_replacement_ball
from reference_impls.papers.enclosures import proved_renyi, quotient
from reference_impls.papers.ranges import HUGE, TINY, FromTwo

Float = NDArray[np.float64]
Weights = tuple[tuple[float, Fraction], ...]
POINTS, REACH = 4001, 12.0
"""Of the trapezoid sums, and how far they go beyond the outermost centre they need, in standard deviations."""
FLOAT_ERROR = 1e-9
BEYOND, WIDTH = 8.0, 0.125
"""How far the cells of a proof go beyond the centres that count, and their width, in standard deviations."""


@dataclass(frozen=True, kw_only=True)
class SampledGradient(Checked):
    """Subject ``ss-admm-sampled-gradient``.

    Attributes
    ----------
    q, noise, order : float
        m / n in (0, 1]; s = sigma m / (2 C) > 0; whole order, rounded, >= 2.
    """

    q: Annotated[float, Between(TINY, 1)] = 221 / 48842
    noise: Annotated[float, Between(1e-2, HUGE)] = 0.01 * 221 / 2
    order: FromTwo = 8.0

    @property
    def whole(self) -> int:
        """The order, rounded to a whole number."""
        return max(round(self.order), 2)

    def pairs(self) -> tuple[tuple[Weights, Weights], ...]:
        """Centres and weights of the two sides, all four comparisons."""
        q = Fraction(self.q)
        halves = [((0.0, 1 - q), (sign * 0.5, q)) for sign in (1, -1)]
        apart = (((0.0, 1 - q), (1.0, q)), ((0.0, Fraction(1)),))
        return (halves[0], halves[1]), apart, (apart[1], apart[0])

    def printed(self) -> Enclosed:
        """The bound of Lemma 2.3."""
        value = without_replacement_bound(self.q, lambda orders: orders / (2 * self.noise**2), [float(self.whole)])[0]
        return Enclosed(value=float(value), error=FLOAT_ERROR * float(value))

    def truth(self) -> Enclosed:
        """The divergence of the worst pair."""
        value = max(self._renyi(first, second) for first, second in self.pairs())
        return Enclosed(value=value, error=FLOAT_ERROR * max(value, 1e-6))

    def _renyi(self, first: Weights, second: Weights) -> float:
        reach = REACH * self.noise
        ends = self.whole * 1.0  # where the mass of P^a Q^(1 - a) may be
        x = np.linspace(-ends - reach, ends + reach, POINTS + 2 * round(ends / self.noise * POINTS / 24.0))
        p, r = self._log_density(x, first), self._log_density(x, second)
        logs = self.whole * p + (1 - self.whole) * r
        top = float(logs.max())
        total = float(np.exp(logs - top).sum() * (x[1] - x[0]))
        return max((top + float(np.log(total))) / (self.whole - 1), 0.0)

    def _log_density(self, x: Float, parts: Weights) -> Float:
        logs = [
            np.log(float(weight)) - 0.5 * ((x - centre) / self.noise) ** 2 for centre, weight in parts if weight > 0
        ]
        return np.asarray(np.logaddexp.reduce(logs) - np.log(self.noise * np.sqrt(2 * np.pi)))

    @at_working_precision
    def proved_ratio(self) -> Enclosed | None:
        """The cells' divergence over the lemma in balls."""
        pairs: list[LawPair] = []
        for first, second in self.pairs():
            laws = [self._cells(side) for side in (first, second)]
            pairs.append(laws[0].against(laws[1]))
        step = GaussianStep(sigma=self.noise)
        printed = without_replacement_ball(exact_ball(Fraction(self.q)), gaussian_ball(step), self.whole)
        return quotient(proved_renyi(pairs, float(self.whole)), printed)

    def _cells(self, parts: Weights) -> DiscreteLaw:
        reach = self.whole / self.noise + BEYOND
        edges = self.noise * np.linspace(-reach, reach, 2 * round(reach / WIDTH) + 1)
        kept = [(centre, weight) for centre, weight in parts if weight > 0]
        laws = tuple(gaussian_cells(centre, self.noise, edges).cells for centre, _ in kept)
        mixed = MixtureLaw(laws=laws, weights=tuple(weight for _, weight in kept)).flat()
        if not isinstance(mixed, DiscreteLaw):
            raise TypeError("a mixture of tables is a table")
        return mixed
