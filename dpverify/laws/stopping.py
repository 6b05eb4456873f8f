"""The exact law of the stopping index of AboveThreshold, as the sparse vector technique and NoisyBTLS use it.

The mechanism draws a noisy threshold rho, then asks levels a_0, a_1, ..., each with fresh noise nu_i, and stops at the
first i with a_i + nu_i >= rho; after the last level it says "never" (outcome m). Given rho = z the answers are
independent, so each probability is one integral over z (Dwork and Roth 2014, § 3.6; DISS (5.6)); `stopping_quadrature`
does all of them at once in log space, right in relative terms down to e^-100000, and `stopping_proof` encloses chosen
ones with proof.

Assumes: one halt (c = 1), threshold 0 (subtract any other from the levels), noise of one kind with public scales.
Limits: two laws can be compared only when both have the same number of levels. Often confused with the law of the
variants that go on after a halt or publish the noisy answer; those have other laws.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpverify.core.errors import UnsupportedError
from dpverify.core.evidence import Enclosed, Measure
from dpverify.core.rules import Positive
from dpverify.core.subjects import Float
from dpverify.laws import stopping_proof
from dpverify.laws.discrete_pair import DiscretePair
from dpverify.laws.integrated_law import IntegratedLaw
from dpverify.laws.stopping_grid import starting_grid
from dpverify.laws.stopping_quadrature import integrate

Noise = Literal["laplace", "gaussian"]

_UNIT = 2.0**-53
_REMEMBERED = 256  # laws of at most 32 (m + 1) bytes each, with their keys: 40 MB where all have 5000 levels


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StoppingLaw(IntegratedLaw):
    """The law of the first i with levels[i] + nu_i >= rho; outcomes 0..m-1, and m for "never": m + 1 probabilities.

    Attributes
    ----------
    noise : "laplace" or "gaussian"
        Kind of both rho and nu.
    threshold_scale, query_scale : float
        Laplace scales, or standard deviations, of rho and of each nu_i; both > 0.
    levels : ndarray, shape (m,)
        Query answers minus the public threshold; finite. Copied and frozen.
    """

    noise: Noise
    threshold_scale: Positive
    query_scale: Positive

    @property
    def size(self) -> int:
        """The number of levels, m."""
        return int(self.levels.size)

    def runs(self) -> tuple[Float, NDArray[np.int64]]:
        """The values of consecutive equal levels, and how long each run is."""
        starts = np.flatnonzero(np.concatenate([[True], self.levels[1:] != self.levels[:-1]]))
        return self.levels[starts], np.diff(np.append(starts, self.levels.size)).astype(np.int64)

    def against(self, other: object) -> StoppingPair:
        """The pair (self, other).

        Raises
        ------
        UnsupportedError
            Unless `other` is the stopping law of equally many levels (its noise may differ).
        """
        if not isinstance(other, StoppingLaw) or other.size != self.size:
            raise UnsupportedError(
                f"the stopping law of {self.size} levels can be compared only with another one of {self.size} levels"
            )
        return StoppingPair(p=self, q=other, discrete=self._cells(other))

    def _integrate(self) -> tuple[Float, Float]:
        gaussian = self.noise == "gaussian"
        shape = self.threshold_scale / self.query_scale
        values, counts = self.runs()
        scaled = values / self.query_scale
        logs, relative = _integrated(gaussian, shape, scaled.tobytes(), counts.tobytes())
        # Rounding: of sums of logs, of m products, and of the levels times the slopes of the factors at the peak, which
        # balance there: no more than one factor's, and the threshold density's or m factors'.
        depth = np.abs(logs)
        slope = np.sqrt(2.0 * (depth + 10.0)) if gaussian else 1.0
        moved = float(np.max(np.abs(scaled))) * slope * (1.0 + min(self.size, 1.0 / shape))
        added = 0.0 if gaussian else 0.05 * shape  # Laplace panels are at most 300 query scales long
        rounding = 8 * _UNIT * (depth + self.size + moved + added + 16.0)
        errors = relative + rounding
        errors.flags.writeable = False
        return logs, errors


@lru_cache(maxsize=_REMEMBERED)
def _integrated(gaussian: bool, shape: float, levels: bytes, counts: bytes) -> tuple[Float, Float]:
    """`integrate`, both results read-only; remembered: of the pairs that a search visits, many share a law."""
    scaled, lengths = np.frombuffer(levels), np.frombuffer(counts, dtype=np.int64)
    kinks = np.zeros(0) if gaussian else np.unique(np.append(scaled, 0.0))
    grid = starting_grid(gaussian, shape, scaled, int(lengths.sum()))
    logs, relative = integrate(gaussian, shape, scaled.copy(), lengths.copy(), kinks, grid)
    logs.flags.writeable = relative.flags.writeable = False
    return logs, relative


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StoppingPair:
    """Two stopping laws (P, Q) compared exactly: a `LawPair`. Divergences are of P from Q, in nats.

    Floats come with the estimated error of the quadrature; `prove` and `enclosure` use ball arithmetic.
    """

    p: StoppingLaw
    q: StoppingLaw
    """`p`, `q`: of equally many levels."""
    discrete: DiscretePair
    """The float laws over the outcomes 0..m."""

    def swap(self) -> StoppingPair:
        """The pair (Q, P)."""
        return StoppingPair(p=self.q, q=self.p, discrete=self.discrete.swap())

    def epsilon(self, delta: float) -> Enclosed:
        """Smallest epsilon >= 0 with P(S) <= e^epsilon Q(S) + delta for every event S; error estimated."""
        return self.discrete.epsilon(delta)

    def delta(self, epsilon: float) -> Enclosed:
        """The hockey-stick divergence at `epsilon`; error estimated."""
        return self.discrete.delta(epsilon)

    def renyi(self, order: float) -> Enclosed:
        """Renyi divergence of `order`; error estimated."""
        return self.discrete.renyi(order)

    def mu(self) -> Enclosed:
        """Smallest mu such that this direction is mu-GDP; error estimated."""
        return self.discrete.mu()

    def tradeoff(self, alpha: ArrayLike) -> Float:
        """Least false-negative rate at false-positive rate alpha (under Q)."""
        return self.discrete.tradeoff(alpha)

    def prove(self, measure: Measure) -> Enclosed | None:
        """A proved enclosure of a **lower bound** of the measure (ball arithmetic); enough to refute.

        The enclosure is of the measure of a coarser outcome: a well chosen event, or at most 48 ranges of outcomes. By
        data processing it never exceeds the measure itself, so `lower` is a proved lower bound; `upper` bounds the
        coarse measure only and must not be used to certify. `enclosure` encloses the measure itself.
        """
        return stopping_proof.lower_bound(self.p, self.q, self.discrete, measure)

    def enclosure(self, measure: Measure) -> Enclosed | None:
        """A proved enclosure of the measure itself, from every outcome's; None above 50 levels (and for ``mu``)."""
        return stopping_proof.enclosure(self.p, self.q, self.discrete, measure)
