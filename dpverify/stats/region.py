"""The interface of a confidence region for two event probabilities, and the simplest region: a rectangle.

K1 ~ Bin(n1, p) counts an event under P = M(D), K2 ~ Bin(n2, q) the same event under Q = M(D'). A region holds the true
(p, q) with probability at least 1 - alpha, for every n1, n2, p and q. Every lower bound on a privacy loss increases
with p and decreases with q, so only the boundary towards small p and large q matters.

Assumptions: the event, n1, n2, alpha and the kind of region are fixed before these counts are seen (on other data), and
the two counts are independent. Limits: not anytime-valid; one direction only: the reverse (P and Q swapped, or the
complement of the event) is another region with its own counts. It is not a region for the ratio p/q.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Literal, Protocol

import numpy as np

from dpverify.core.errors import InputError
from dpverify.core.fields import Checked
from dpverify.core.rules import Between
from dpverify.stats.intervals import check_counts, check_level, clopper_pearson_lower, clopper_pearson_upper
from dpverify.stats.rounding import FloatArray

Method = Literal["joint", "split"]
Bound = Callable[[FloatArray, FloatArray], FloatArray]
ANY = -np.inf, np.inf
"""No minimum lies outside: each is computed in full."""


class Region(Protocol):
    """A set that holds the true (p, q) with probability at least 1 - alpha."""

    @property
    def alpha(self) -> float:
        """The region's error probability."""

    def corners(self) -> tuple[FloatArray, FloatArray]:
        """Corners (p_i, q_i): the region lies inside the union of the rectangles {p >= p_i, q <= q_i}."""

    def minimum(self, bound: Bound) -> float:
        """Least value of a bound over the region, or below it; `bound(p, q)` rises with p and falls with q."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RectangleRegion(Checked):
    """Clopper-Pearson for p at alpha share and for q at alpha (1 - share): a rectangle, by the union bound.

    Notes
    -----
    Side of the error: p_lower is never above and q_upper never below the exact limit.
    """

    k1: int
    n1: int
    """`k1`, `n1`: number of draws under P in which the event was seen, and number of draws."""
    k2: int
    n2: int
    """`k2`, `n2`: the same under Q."""
    alpha: float
    """Error probability of the whole region, in [1e-299, 1)."""
    share: Annotated[float, Between(0.01, 0.99, remedy="0.5 splits alpha evenly")] = 0.5
    """The part of alpha spent on p, in [0.01, 0.99], chosen before the counts are seen."""

    def validate(self) -> None:
        """Check the counts, and that both levels are large enough."""
        check_counts(self.k1, self.n1)
        check_counts(self.k2, self.n2)
        check_level(self.alpha)
        check_level(self.alpha * min(self.share, 1.0 - self.share))

    @property
    def p_lower(self) -> float:
        """Lower limit of p at alpha share."""
        return float(clopper_pearson_lower(self.k1, self.n1, alpha=self.alpha * self.share))

    @property
    def q_upper(self) -> float:
        """Upper limit of q at alpha (1 - share)."""
        return float(clopper_pearson_upper(self.k2, self.n2, alpha=self.alpha * (1.0 - self.share)))

    def corners(self) -> tuple[FloatArray, FloatArray]:
        """The one corner (p_lower, q_upper), as two arrays of shape (1,)."""
        return np.array([self.p_lower]), np.array([self.q_upper])

    def minimum(self, bound: Bound, *, unless: tuple[float, float] = ANY) -> float:
        """The bound at the corner, with `unless` or without; InputError when it gives nan."""
        return float(evaluated(bound, *self.corners())[0])


def evaluated(bound: Bound, p: FloatArray, q: FloatArray) -> FloatArray:
    """``bound(p, q)``, checked: one number for each pair and no nan (InputError otherwise)."""
    values = np.asarray(bound(p, q), dtype=np.float64)
    if values.shape != p.shape or np.isnan(values).any():
        raise InputError(
            f"a bound that gives nan or shape {values.shape} for {p.shape}",
            allowed="one number for each pair (p, q), -inf where nothing is shown",
            remedy="make the claim's curve vectorised and defined on all of [0, 1]",
        )
    return values
