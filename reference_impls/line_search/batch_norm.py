"""BL-BATCH-NORM: a noisy gradient sum divided by the size of the very sample that was drawn (BLSGD Alg. 2, line 6).

Line 7 charges amp(alpha rho_grad), which pays for the *sum* g + gamma. What goes out is (g + gamma) / |B|: mean and
noise alike are |B| times smaller, so that the noise's scale tells |B|, the better the more coordinates there are, and
one record moves |B|.

The pair: D' has n records whose gradients at w are 0, D one record more, with a gradient of norm `gradient` C_grad. In
units of the sum's noise, with k others in the sample, the output is a Gaussian in p dimensions with standard deviation
1 / k and mean 0, or, with d in it, 1 / (k + 1) and mean gradient sqrt(2 rho) / (k + 1) along one direction; k is
binomial. Sufficient are the coordinate u along that direction and r, the squared length of all others: given k, r k^2
is chi-square with p - 1 degrees of freedom.

Truth: the divergence, the worse direction, between the laws of the *cell* of (u, r), not above that of the output (data
processing). In doubles with `CELLS` cells in each, in balls with `PROVED`; the binomial's far tails are enclosed.

An empty sample has no quotient: ``empty="one"`` counts it as one record, ``"shown"`` makes it an outcome of its own.
``divisor="expected"`` is the repair: a public number, whatever the data, which leaves the sum query and its own curve
(:class:`~reference_impls.accounting.poisson_gaussian.PoissonGaussian`). Not to be confused with `blsgd_step`, the
algorithm itself, which tests sample beside these laws.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import flint
import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri, gammainc, gammaincc, gammaln, logsumexp, ndtr, ndtri

from dpverify.core.claim import Claim, Reading, SearchSpace, Source
from dpverify.core.errors import InputError
from dpverify.core.measure import Enclosed
from dpverify.core.remark import Remark, Shown
from dpverify.definitions.approx_dp import ApproxDP
from dpverify.laws.balls import at_working_precision, exact_ball
from reference_impls.accounting.lemma import checked, lemma_claim, quotient, repaired
from reference_impls.accounting.poisson_gaussian import PoissonGaussian
from reference_impls.line_search.printed_balls import amplified_ball, gradient_curve
from reference_impls.line_search.spending import amplified, gradient_step, printed_cost

if TYPE_CHECKING:
    from dpverify.core.registry import Registry

Float = NDArray[np.float64]
CELLS, FEW = 40, 12
"""Cells of each of u and r: in doubles, and in balls or where sizes differ by much (then more grids overlap)."""
TAIL = 1e-20
"""Of the binomial, left out of the window and enclosed."""
LEAST = 1e-280
"""Cells of less mass are left out of the float sum (a lower bound)."""
RECORDS, DIMENSION, RATIO, RHO = 48842, 124, 0.1, 2e-6
"""Adult (Table I) and section V-D at epsilon = 0.2."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NormalisedGradient:
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

    records: float = RECORDS
    dimension: float = DIMENSION
    q: float = RATIO
    order: float = 2.0
    rho_grad: float = RHO
    gradient: float = 1.0
    divisor: Literal["realised", "expected"] = "realised"
    empty: Literal["one", "shown"] = "one"

    def __post_init__(self) -> None:
        checked(
            self,
            records=(1, 1e6),
            dimension=(1, 1e4),
            q=(1e-6, 1 - 1e-6),
            order=(2, 64),
            rho_grad=(1e-12, 100),
            gradient=(0, 1),
        )
        for name, allowed in (("divisor", ("realised", "expected")), ("empty", ("one", "shown"))):
            if getattr(self, name) not in allowed:
                raise InputError(f"NormalisedGradient: {name} = {getattr(self, name)!r}", allowed=", ".join(allowed))

    @property
    def whole(self) -> int:
        """The order."""
        return round(self.order)

    @property
    def apart(self) -> float:
        """d's gradient in units of the noise."""
        return self.gradient * math.sqrt(2.0 * self.rho_grad)

    def printed(self) -> Enclosed:
        """Line 7."""
        return Enclosed(value=float(printed_cost(amplified(gradient_step(self.rho_grad), self.q), (self.whole,))[0]))

    def truth(self) -> Enclosed:
        """The divergence of the cells, in doubles; the larger direction."""
        if self.divisor == "expected":
            return self._sum_query().truth()
        sizes, weights, _ = _binomial(round(self.records), self.q)
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
            across = _normal_cells(u[None, :] * divisors[:, None] - more * self.apart)
            if r.size:
                along = _chi_square_cells(round(self.dimension) - 1, r[None, :] * divisors[:, None] ** 2)
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
        sizes, _, left_out = _binomial(round(self.records), self.q)
        weights = _binomial_balls(round(self.records), self.q, sizes)
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
                across = _steps([(mean - flint.arb(edge) * divisor) / flint.arb(2).sqrt() for edge in u], _upper_half)
                free = round(self.dimension) - 1
                along = _steps([flint.arb(edge) * flint.arb(divisor) ** 2 / 2 for edge in r], _lower_gamma(free))
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


@lru_cache(maxsize=64)
def _binomial(records: int, q: float) -> tuple[Float, Float, float]:
    """The window of sizes around n q, their probabilities, and a bound on the mass outside."""
    middle, deviation = records * q, math.sqrt(records * q * (1.0 - q))
    # Bernstein: both tails at t are below 2 exp(-t^2 / (2 (variance + t / 3)))
    goal = math.log(2.0 / TAIL)
    reach = goal / 3.0 + math.sqrt(goal * goal / 9.0 + 2.0 * goal * deviation**2)
    sizes = np.arange(max(0, math.floor(middle - reach)), min(records, math.ceil(middle + reach)) + 1.0)
    logs = gammaln(records + 1) - gammaln(sizes + 1) - gammaln(records - sizes + 1)
    weights = np.exp(logs + sizes * math.log(q) + (records - sizes) * math.log1p(-q))
    return sizes, weights / weights.sum(), 0.0 if sizes.size == records + 1 else TAIL


def _binomial_balls(records: int, q: float, sizes: Float) -> list[flint.arb]:
    rate, first = exact_ball(q), int(sizes[0])
    choose = flint.arb(records + 1).lgamma() - flint.arb(first + 1).lgamma() - flint.arb(records - first + 1).lgamma()
    at = (choose + first * rate.log() + (records - first) * (1 - rate).log()).exp()
    found = []
    for size in range(first, int(sizes[-1]) + 1):
        found.append(at)
        at = at * (records - size) / (size + 1) * rate / (1 - rate)
    return found


def _normal_cells(edges: Float) -> Float:
    """Masses between the edges, shape (..., m) to (..., m + 1), from the nearer tail."""
    below, above = ndtr(edges), ndtr(-edges)
    return _between(below, above)


def _chi_square_cells(free: int, edges: Float) -> Float:
    shape, at = free / 2.0, edges / 2.0
    return _between(
        np.asarray(gammainc(shape, at), dtype=np.float64), np.asarray(gammaincc(shape, at), dtype=np.float64)
    )


def _between(below: Float, above: Float) -> Float:
    start = np.zeros((*below.shape[:-1], 1))
    low = np.diff(np.concatenate([start, below, start + 1.0], axis=-1))
    high = -np.diff(np.concatenate([start + 1.0, above, start], axis=-1))
    left = np.concatenate([start, below], axis=-1) < 0.5
    return np.where(left, low, high)


def _steps(places: list[flint.arb], law: Any) -> list[flint.arb]:
    values = [flint.arb(0), *(law(place) for place in places), flint.arb(1)]
    return [after - before for before, after in pairwise(values)]


def _upper_half(at: flint.arb) -> flint.arb:
    return at.erfc() / 2


def _lower_gamma(free: int) -> Any:
    shape = flint.arb(free) / 2
    return lambda at: at.gamma_lower(shape, regularized=1)


def shown_batch_norm() -> Shown:
    """What line 7 charges at order 2, and what the quotient costs, at the paper's numbers and around them."""
    own = NormalisedGradient()
    size = NormalisedGradient(gradient=0.0)
    few = NormalisedGradient(records=12.0)
    charged, paid, told, small = (float(each.value) for each in (own.printed(), own.truth(), size.truth(), few.truth()))
    later = NormalisedGradient(order=8.0)
    tight = PoissonGaussian(q=RATIO, sigma=1.0 / own.apart, order=8.0).truth().value
    numbers = (
        ("charged, order 2, n = 48842, p = 124, epsilon = 0.2", charged),
        ("cost of the quotient there", paid),
        ("of which by the sample's size alone", told),
        ("cost of the quotient, n = 12", small),
        ("order 8: cost over the tight price of the sum", later.truth().value / tight),
        ("order 8: cost over what line 7 charges", later.truth().value / later.printed().value),
    )
    return Shown(numbers=numbers, holds=charged < told < paid < small and numbers[4][1] > 1 > numbers[5][1])


def _sampled(*, q: float, rho: float, delta: float) -> Claim:
    """The algorithm itself on two records and on three, at what line 7 charges, turned by Proposition 1."""
    orders = range(2, 65)
    costs = printed_cost(amplified(gradient_step(rho), q), orders) - math.log(delta) / (np.array(orders) - 1.0)
    return Claim(
        id="BL-BATCH-NORM-SAMPLED",
        guarantee=ApproxDP(epsilon=float(costs.min()), delta=delta),
        relation="add-remove",
        subject="blsgd-step",
        parameters={"model": "logistic", "q": q, "rho_grad": rho, "retries": 0, "divisor": "realised", "l2": 0.0},
        space=SearchSpace(size=2, low=0.0, high=1.0, data="breast-cancer", generator="add-remove/table"),
        source=Source(paper="BLSGD", locus="Alg. 2 line 6"),
        statement="A noisy gradient over the realised size of the sample costs what line 7 charges; thirty dimensions.",
    )


def register(registry: Registry) -> None:
    """Offer the subject, its claims and remarks."""
    registry.add_claim(_sampled(q=0.5, rho=0.05, delta=1e-3), profile="full")
    registry.mechanisms.add("lemma-normalised-gradient", NormalisedGradient)
    own: dict[str, Any] = {
        "records": float(RECORDS),
        "dimension": float(DIMENSION),
        "q": RATIO,
        "order": 2.0,
        "rho_grad": RHO,
    }
    boxes = {
        "records": (1.0, 12.0),
        "dimension": (1.0, float(DIMENSION)),
        "q": (0.01, 0.9),
        "order": (2.0, 8.0),
        "rho_grad": (1e-6, 5.0),
    }
    for name, source, more, words in (
        ("BL-BATCH-NORM", ("BLSGD", "Alg. 2 line 6"), {}, "the realised size of the sample"),
        ("BL-BATCH-NORM-R", repaired("BLSGD Alg. 2 line 6"), {"divisor": "expected"}, "a public number"),
    ):
        claim = lemma_claim(
            name,
            subject="lemma-normalised-gradient",
            quantity="renyi",
            source=source,
            statement=f"The noisy gradient sum over {words} costs no more than amp of the sum, add-remove.",
            parameters=own | more,
        )
        few = replace(claim.space, parameters=boxes)
        readings = (
            Reading(key="a", text="Adult's n and dimension, q and epsilon = 0.2 of section V-D"),
            Reading(
                key="b",
                text="few records; an empty sample counts as one",
                parameters={"records": 12.0},
                space=few,
            ),
            Reading(
                key="c",
                text="few records; an empty sample has no quotient, and that shows",
                parameters={"records": 12.0, "empty": "shown"},
                space=few,
            ),
        )
        registry.add_claim(replace(claim, readings=readings[:2] if more else readings))
    for name in (*(f"BL-BATCH-NORM.{reading}" for reading in ("a", "b", "c")), "BL-BATCH-NORM-SAMPLED"):
        registry.remarks.add(
            name,
            Remark(
                claim=name,
                breaks=(
                    "Line 6 divides sum and noise by |B|, which the sample decides. Every coordinate then has noise "
                    "of standard deviation C_grad / (|B| sqrt(2 rho)): 124 coordinates tell |B| to 6 %, and |B| tells "
                    "of each record. Section IV-B bounds the sensitivity of the sum, and line 7 charges for the sum."
                ),
                means=(
                    "Dividing by the sample's own size gives that size away, and no budget is charged for it. At the "
                    "paper's own numbers it alone costs more, at order 2, than the gradient is charged; at the orders "
                    "that its conversion uses Lemma 4's factor 3 hides it, at its n even if |B| were shown outright. "
                    "With a tight accountant, or few records, nothing does."
                ),
                instead="Divide by the expected size q n, a public constant, as dp-blsgd-repaired does.",
                shown=shown_batch_norm,
            ),
        )
