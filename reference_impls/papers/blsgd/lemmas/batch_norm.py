"""BL-BATCH-NORM: a noisy gradient sum divided by the size of the very sample that was drawn (BLSGD Alg. 2, line 6).

Line 7 charges amp(alpha rho_grad), which is the cost of the *sum* g + gamma. What is released is (g + gamma) / |B|:
mean and noise alike are |B| times smaller, so that the noise's scale reveals |B|, the better the more coordinates there
are, and one record moves |B|.

The pair: D' has n records whose gradients at w are 0, D one record more, with a gradient of norm `gradient` C_grad. In
units of the sum's noise, with k others in the sample, the output is a Gaussian in p dimensions with standard deviation
1 / k and mean 0, or, with d in it, 1 / (k + 1) and mean gradient sqrt(2 rho) / (k + 1) along one direction; k is
binomial. Sufficient are the coordinate u along that direction and r, the squared length of all others: given k, r k^2
is chi-square with p - 1 degrees of freedom.

Truth: the divergence, the worse direction, between the laws of the *cell* of (u, r), not above that of the output (data
processing). In doubles with `CELLS` cells in each, in balls with `FEW`; the binomial's far tails are enclosed.

An empty sample has no quotient: ``empty="one"`` counts it as one record, ``"shown"`` makes it an outcome of its own.
``divisor="expected"`` is the repair: a public number, whatever the data, which leaves the sum query and its own curve
(:class:`~reference_impls.papers.accounting.lemmas.poisson_gaussian.PoissonGaussian`). Not to be confused with
`blsgd_step`, the algorithm itself, which tests sample beside these laws. Numbers for the
remarks: :mod:`~reference_impls.papers.blsgd.lemmas.batch_norm_remarks`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Literal

import flint
import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri, logsumexp, ndtri

from dpverify.core.evidence import Enclosed
from dpverify.core.fields import Checked
from dpverify.core.rules import Between
from dpverify.laws.balls import at_working_precision, exact_ball
from reference_impls.line_search.step_costs import amplified, gradient_step, printed_cost
from reference_impls.papers.accounting.lemmas.poisson_gaussian import PoissonGaussian
from reference_impls.papers.blsgd.lemmas.batch_norm_cells import (
    binomial,
    binomial_balls,
    chi_square_balls,
    chi_square_cells,
    normal_balls,
    normal_cells,
)
from reference_impls.papers.blsgd.lemmas.printed_balls import amplified_ball, gradient_curve
from reference_impls.papers.enclosures import quotient

Float = NDArray[np.float64]
CELLS, FEW = 40, 12
"""Cells of each of u and r: in doubles, and in balls or where sizes differ by much (then more grids overlap)."""
LEAST = 1e-280
"""Cells of less mass are left out of the float sum (a lower bound)."""
RECORDS, DIMENSION, RATIO, RHO = 48842, 124, 0.1, 2e-6
"""Adult (Table I) and section V-D at epsilon = 0.2."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NormalisedGradient(Checked):
    """Line 6 on D and D'.

    Attributes
    ----------
    records, dimension : float
        n of D', rounded, >= 1; p, rounded, >= 1.
    q, order, rho_grad : float
        Sampling ratio in (0, 1); order, rounded, >= 2; budget > 0.
    gradient : float
        Norm of d's gradient over C_grad, in [0, 1].
    divisor : "realised" or "expected"
        What the noisy sum is divided by.
    empty : "one" or "shown"
        What becomes of an empty sample.
    """

    records: Annotated[float, Between(1, 1e6)] = RECORDS
    dimension: Annotated[float, Between(1, 1e4)] = DIMENSION
    q: Annotated[float, Between(1e-6, 1 - 1e-6)] = RATIO
    order: Annotated[float, Between(2, 64)] = 2.0
    rho_grad: Annotated[float, Between(1e-12, 100)] = RHO
    gradient: Annotated[float, Between(0, 1)] = 1.0
    divisor: Literal["realised", "expected"] = "realised"
    empty: Literal["one", "shown"] = "one"

    @property
    def whole(self) -> int:
        """The order, rounded to a whole number."""
        return round(self.order)

    @property
    def apart(self) -> float:
        """d's gradient in units of the noise."""
        return self.gradient * math.sqrt(2.0 * self.rho_grad)

    def printed(self) -> Enclosed:
        """What line 7 charges."""
        return Enclosed(value=float(printed_cost(amplified(gradient_step(self.rho_grad), self.q), (self.whole,))[0]))

    def truth(self) -> Enclosed:
        """The divergence of the cells, in doubles; the larger direction."""
        if self.divisor == "expected":
            return self._sum_query().truth()
        sizes, weights, _ = binomial(round(self.records), self.q)
        without, present = self._cells(sizes, weights)
        mixed = (1.0 - self.q) * without + self.q * present
        value = max(_divergence(mixed, without, self.whole), _divergence(without, mixed, self.whole))
        return Enclosed(value=value, error=1e-6 * value)

    def _sum_query(self) -> PoissonGaussian:
        return PoissonGaussian(q=self.q, sigma=1.0 / max(self.apart, 1e-6), order=self.whole)

    def _edges(self, sizes: Float, cells: int) -> tuple[Float, Float]:
        """Inner edges of u and of r, increasing."""
        ends = max(float(sizes[0]), 1.0), float(sizes[-1]) + 1.0
        wide = ends[1] > 1.5 * ends[0]
        cells = min(cells, FEW) if wide else cells
        shares = np.linspace(0.0, 1.0, cells + 1)[1:-1]
        divisors = np.geomspace(*ends, 4) if wide else np.array([sum(ends) / 2.0])
        u = np.concatenate([ndtri(shares) / divisor for divisor in divisors])
        u = np.concatenate([u, u + self.apart / divisors[-1]]) if self.apart > 0.2 else u
        if round(self.dimension) == 1:
            return np.unique(u), np.zeros(0)
        free = round(self.dimension) - 1
        high, low = (float(chdtri(free, share)) for share in (1e-3 / cells, 1 - 1e-3 / cells))
        r = np.geomspace(low / ends[1] ** 2, high / ends[0] ** 2, 3 * cells)
        if not wide:
            r = chdtri(free, shares) / divisors**2
        return np.unique(u), np.unique(r)

    def _cells(self, sizes: Float, weights: Float) -> tuple[Float, Float]:
        """Masses of all cells without d and with d in the sample, shape (m,); "shown" has one more."""
        u, r = self._edges(sizes, CELLS)
        found = []
        for more in (0, 1):
            divisors = np.maximum(sizes + more, 1.0)
            hidden = np.zeros(sizes.size, dtype=bool) if self.empty == "one" or more else sizes == 0
            kept, missing = np.where(hidden, 0.0, weights), float(weights[hidden].sum())
            across = normal_cells(u[None, :] * divisors[:, None] - more * self.apart)
            if r.size:
                along = chi_square_cells(round(self.dimension) - 1, r[None, :] * divisors[:, None] ** 2)
                masses = np.einsum("k,ku,kr->ur", kept, across, along, optimize=True).ravel()
            else:
                masses = kept @ across
            found.append(np.append(masses, missing))
        return found[0], found[1]

    @at_working_precision
    def proved_ratio(self) -> Enclosed | None:
        """Fewer cells, in balls."""
        if self.divisor == "expected":
            return self._sum_query().proved_ratio()
        sizes, _, left_out = binomial(round(self.records), self.q)
        weights = binomial_balls(round(self.records), self.q, sizes)
        u, r = (edges.tolist() for edges in self._edges(sizes, FEW))
        order, q, spare = self.whole, exact_ball(self.q), flint.arb(0).union(flint.arb(left_out))
        laws = []
        for more in (0, 1):
            rows, missing = [], flint.arb(0)
            for size, weight in zip(sizes.tolist(), weights, strict=True):
                if self.empty == "shown" and not more and size == 0:
                    missing += weight
                    continue
                divisor = max(size + more, 1.0)
                mean = exact_ball(self.gradient) * (2 * exact_ball(self.rho_grad)).sqrt() if more else flint.arb(0)
                across = normal_balls([flint.arb(edge) * divisor - mean for edge in u])
                along = chi_square_balls(
                    round(self.dimension) - 1, [flint.arb(edge) * flint.arb(divisor) ** 2 for edge in r]
                )
                rows.append((weight, across, along))
            masses = flint.arb_mat([[w * a for a in across] for w, across, _ in rows]).transpose() * flint.arb_mat(
                [along for _, _, along in rows]
            )
            laws.append([mass + spare for mass in masses.entries()] + [missing])
        without, present = laws
        mixed = [(1 - q) * a + q * b for a, b in zip(without, present, strict=True)]
        pairs = [(a, b) for a, b in zip(mixed, without, strict=True) if a > 0 and b > 0]
        found = flint.arb(0)
        for turned in (False, True):
            total = sum(
                ((b if turned else a) ** order / (a if turned else b) ** (order - 1) for a, b in pairs), flint.arb(0)
            )
            found = found.max(total.log() / (order - 1))
        return quotient(found, amplified_ball(self.q, gradient_curve(self.rho_grad), order))


def _divergence(p: Float, q: Float, order: int) -> float:
    """Renyi divergence of two tables, from below where cells are left out."""
    kept = (p > LEAST) & (q > LEAST)
    p, q = p[kept], q[kept]
    ratio = (p - q) / q
    if float(np.abs(ratio).max()) < 0.5:
        return max(math.log1p(float(np.sum(q * (np.expm1(order * np.log1p(ratio)) - order * ratio)))), 0.0) / (
            order - 1
        )
    return max(float(logsumexp(order * np.log(p) - (order - 1) * np.log(q))), 0.0) / (order - 1)
