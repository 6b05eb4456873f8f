"""The adaptive sparse vector technique with gap: queries far above the threshold cost half as much.

Ding, Wang, Zhang, Kifer, "Free Gap Information from the Exponential Mechanism, Sparse Vector and Report Noisy
Max" (PVLDB 13(3), 2019), Algorithm 2, with half of epsilon for the threshold, as CheckDP's adaptivesparsevector
has it: rho = Lap(2 / epsilon); each query is tried first with Lap(8 N / epsilon), "far above" when it clears
the noisy threshold by sigma (two standard deviations of that noise), then with Lap(4 N / epsilon), "above" when
it clears it at all. What goes out is the *gap* to the noisy threshold. A run ends when what is left of epsilon
could not pay for another "above" (N of these, or up to 2 N - 1 queries far above): epsilon-DP.

Outputs: float64, shape (size, 2 m): answers 0 (below), 1 (above), 2 (not reached), 3 (far above), then the gaps
(0 where there is none). The exact law is that of the first query not "below", its branch and the bin of its gap: at
N = 1 all that a run tells but the place within the bin. Ten queries of the search space reach 2.997 of 3, so 90 % of
the noise breaks the claim (3.331). Not to be confused with releasing the noisy query of the far branch
(`known_broken/adaptive_svt_leak.py`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numba import njit

from dpverify.core.registry import Registry
from dpverify.core.rules import Count, Finite
from dpverify.core.subjects import Dataset
from dpverify.laws.first_hit import Branch, FirstHitLaw
from dpverify.sampling.streams import state_from
from dpverify.sampling.ziggurat import laplace
from reference_impls.mechanisms.inputs import Float, query_vector
from reference_impls.mechanisms.mechanism_claims import add_pure_claim
from reference_impls.mechanisms.noise_scale import EpsilonScaled
from reference_impls.mechanisms.sparse_vector import BIN_EDGES

GAP_EDGES = (1.0, 2.0, 4.0, 8.0)
"""Where the bins of gaps end, beyond the least gap of the branch, in scales of its noise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AdaptiveSvt(EpsilonScaled):
    """Subject ``adaptive-svt``. Data sets: m query answers of sensitivity 1.

    Attributes
    ----------
    threshold : float
        Public threshold T.
    cutoff : int
        N, how many plain "above" the budget is enough for; at least 1.
    margin : float
        sigma over the scale of the far branch's noise, finite; the privacy proof holds for any. The paper's choice, two
        standard deviations, is 2 sqrt(2).
    leak : class attribute
        True releases the noisy query of the far branch instead of the gap, a known bug.
    """

    leak: ClassVar[bool] = False
    threshold: Finite = 0.0
    cutoff: Count = 1
    margin: Finite = 2.0 * math.sqrt(2.0)

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Float:
        """Independent outputs, shape (size, 2 m)."""
        queries = query_vector(dataset)
        out = np.empty((size, 2 * queries.size))
        near, far = self._scales()
        sigma = self.margin * far
        budget = 2 * self.cutoff
        _fill(out, queries, self.threshold, self.scale(2.0), near, far, sigma, budget, self.leak, *state_from(rng))
        return out

    def output_law(self, dataset: Dataset) -> FirstHitLaw:
        """The law of the first query not "below", of its branch and of the bin of what it released: divergences are
        **lower bounds** on those of the output."""
        near, far = self._scales()
        sigma = self.margin * far
        if self.leak:
            first = Branch(scale=far, offset=sigma, release="value", edges=tuple(edge * far for edge in BIN_EDGES))
        else:
            first = Branch(scale=far, offset=sigma, edges=tuple(sigma + edge * far for edge in GAP_EDGES))
        second = Branch(scale=near, edges=tuple(edge * near for edge in GAP_EDGES))
        levels = query_vector(dataset) - self.threshold
        return FirstHitLaw(threshold_scale=self.scale(2.0), levels=levels, branches=(first, second))

    def _scales(self) -> tuple[float, float]:
        """Of the near and the far branch."""
        return self.scale(4.0 * self.cutoff), self.scale(8.0 * self.cutoff)


@njit(cache=True, nogil=True)
def _fill(
    out: Float,
    queries: Float,
    threshold: float,
    threshold_scale: float,
    near_scale: float,
    far_scale: float,
    sigma: float,
    budget: int,
    leak: bool,
    s0: np.uint64,
    s1: np.uint64,
    s2: np.uint64,
    s3: np.uint64,
) -> None:
    """Write one run a row; "far above" costs 1 of the budget, "above" 2."""
    m = queries.size
    for trial in range(out.shape[0]):
        draw, s0, s1, s2, s3 = laplace(s0, s1, s2, s3)
        noisy_threshold = threshold + threshold_scale * draw
        left = budget
        for i in range(m):
            answer, value = 0.0, 0.0
            if left < 2:
                answer = 2.0
            else:
                draw, s0, s1, s2, s3 = laplace(s0, s1, s2, s3)
                noisy = queries[i] + far_scale * draw
                if noisy - noisy_threshold >= sigma:
                    answer = 3.0
                    value = noisy if leak else noisy - noisy_threshold
                    left -= 1
                else:
                    draw, s0, s1, s2, s3 = laplace(s0, s1, s2, s3)
                    gap = queries[i] + near_scale * draw - noisy_threshold
                    if gap >= 0.0:
                        answer, value = 1.0, gap
                        left -= 2
            out[trial, i] = answer
            out[trial, m + i] = value


def register(registry: Registry) -> None:
    """Register the mechanism, its claim and its noise deficit."""
    registry.mechanisms.add("adaptive-svt", AdaptiveSvt)
    add_pure_claim(
        registry,
        "adaptive-svt",
        "stands",
        relation="all-queries",
        size=10,
        low=-25.0,
        high=-15.0,
        epsilon=3.0,
        parameters={"threshold": -20.5, "cutoff": 1, "margin": 1.0},
        source=("Ding, Wang, Zhang, Kifer 2019", "Algorithm 2"),
        statement="The adaptive sparse vector technique with gap is epsilon-DP.",
        profile="full",
        noise_deficit="broken",
    )
