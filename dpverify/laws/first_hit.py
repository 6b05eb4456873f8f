"""The exact law of the first hit of a sparse-vector technique: its query, branch, and bin of the released value.

A noisy threshold z is drawn; each query in turn tries its branches with fresh noise, and the first that clears the
threshold by the branch's offset is the hit. Given z all these noises are independent (Dwork and Roth 2014, § 3.6; Lyu,
Su, Li 2017, Figure 1), so each probability is one integral over z of a product of Laplace windows:
`first_hit_quadrature` does them all, `first_hit_ball` encloses chosen ones with proof.

The first hit and its bin are a *function of the output*: by data processing no divergence between two of these laws
exceeds the mechanism's. All numbers of a pair are therefore **lower bounds** on the mechanism's: enough to refute, and
no certificate (see `coarse`). They are those of the mechanism if a run ends with its first hit and releases only the
bin.

Assumes Laplace noise with public scales, and bins that are public (chosen without the data). Not to be confused with
`stopping`, whose law is that of a whole output: no branches, no released value.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import flint
import numpy as np

from dpverify.core.errors import InputError, UnsupportedError
from dpverify.core.evidence import Enclosed, Measure
from dpverify.core.fields import Checked
from dpverify.core.rules import Finite, Positive
from dpverify.core.subjects import Float
from dpverify.laws import first_hit_ball
from dpverify.laws.balls import enclosed_ball, working_precision
from dpverify.laws.coarse import CoarsePair
from dpverify.laws.first_hit_quadrature import integrate, log_windows
from dpverify.laws.integrated_law import IntegratedLaw

Release = Literal["gap", "value", "fresh"]

_UNIT = 2.0**-53


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch(Checked):
    """One try of a query: a hit where level + noise >= z + offset."""

    scale: Positive
    """Laplace scale of its noise, > 0."""
    offset: Finite = 0.0
    """By how much the noisy threshold must be cleared; finite."""
    release: Release = "gap"
    """What goes out with a hit: level + noise - z, level + noise, or level + noise drawn anew. A technique that
    releases nothing has a gap in a single bin."""
    edges: tuple[float, ...] = ()
    """Where bins of the released number end, strictly increasing and finite (of a gap: > offset). There is one bin more
    than edges. Values count from the public threshold, as the levels do."""
    fresh_scale: float = math.nan
    """Laplace scale of the noise drawn anew, > 0; for "fresh" only."""

    def validate(self) -> None:
        """The fresh noise belongs to the release, and the bins to its range."""
        if (self.release == "fresh") != (0 < self.fresh_scale < math.inf):
            raise InputError(f"fresh_scale {self.fresh_scale}", allowed='a finite number > 0, for release "fresh" only')
        bounds = np.array([self.offset if self.release == "gap" else -math.inf, *self.edges, math.inf])
        if not np.all(bounds[1:] > bounds[:-1]):
            raise InputError(f"edges {self.edges}", allowed="finite, strictly increasing, those of a gap > offset")

    @property
    def bins(self) -> int:
        """How many bins the released number has."""
        return len(self.edges) + 1

    def ends(self, bin_: int) -> tuple[float, float]:
        """Lower and upper end of a bin; a gap starts at the offset."""
        least = self.offset if self.release == "gap" else -math.inf
        return (least, *self.edges)[bin_], (*self.edges, math.inf)[bin_]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FirstHitLaw(IntegratedLaw):
    """The law of (query, branch, bin) of the first hit, and last of "never": m * marks + 1 of them, bins fastest.

    Attributes
    ----------
    threshold_scale : float
        Laplace scale of the threshold's noise, > 0.
    levels : ndarray, shape (m,)
        Query answers minus the public threshold; finite. Copied and frozen.
    branches : tuple of Branch
        At least one, in the order in which each query tries them.
    """

    threshold_scale: Positive
    branches: tuple[Branch, ...]

    def validate(self) -> None:
        """Check that there are branches."""
        if not self.branches:
            raise InputError("no branches", allowed="at least one")

    @property
    def marks(self) -> int:
        """How many outcomes a query has: the bins of all branches."""
        return sum(branch.bins for branch in self.branches)

    def outcome(self, number: int) -> tuple[int, int, int] | None:
        """(query, branch, bin) of an outcome by its number; None for "never", the last."""
        query, mark = divmod(number, self.marks)
        if query == self.levels.size:
            return None
        for which, branch in enumerate(self.branches):
            if mark < branch.bins:
                return query, which, mark
            mark -= branch.bins
        raise AssertionError(number)

    def against(self, other: object) -> FirstHitPair:
        """The pair (self, other).

        Raises
        ------
        UnsupportedError
            Unless `other` is the first-hit law of equally many queries with the same bins (its noise may differ).
        """
        if not isinstance(other, FirstHitLaw) or other._space() != self._space():
            raise UnsupportedError(
                f"the first-hit law of {self.levels.size} queries can be compared only with another one of "
                f"{self.levels.size} queries and the same bins"
            )
        return FirstHitPair(p=self, q=other, cells=self._cells(other))

    def _space(self) -> tuple[object, ...]:
        return self.levels.size, *((branch.release, branch.edges) for branch in self.branches)

    def _integrate(self) -> tuple[Float, Float]:
        kept = [() if branch.release == "fresh" else branch.edges for branch in self.branches]
        edges = np.array([edge for each in kept for edge in each], dtype=np.float64)
        starts = np.cumsum([0, *(len(each) for each in kept)])
        scales = np.array([branch.scale for branch in self.branches])
        offsets = np.array([branch.offset for branch in self.branches])
        moving = np.array([branch.release != "value" for branch in self.branches])
        distinct = np.unique(self.levels)
        parts = [np.zeros(1)]
        for branch, own in zip(self.branches, kept, strict=True):
            parts.append(distinct - branch.offset)
            own_edges = np.array(own)
            parts.append(own_edges - branch.offset if branch.release == "value" else np.add.outer(distinct, -own_edges))
        kinks = np.unique(np.concatenate([part.ravel() for part in parts]))
        logs, relative = integrate(self.threshold_scale, self.levels, offsets, scales, moving, starts, edges, kinks)
        # Rounding: of the sums of logs, m products, the exponents of a panel, and places over scales.
        farthest = max(abs(kinks[0]), abs(kinks[-1])) * (1.0 / self.threshold_scale + self.levels.size / scales.min())
        errors = relative + 8 * _UNIT * (np.abs(logs) + self.levels.size * scales.size + farthest + 64.0)
        logs, errors = self._with_fresh(logs), self._repeated(errors)
        logs.flags.writeable = errors.flags.writeable = False
        return logs, errors

    def _with_fresh(self, logs: Float) -> Float:
        """A newly drawn released value is independent of everything before: each of its bins has a share of the hit."""
        if all(branch.release != "fresh" for branch in self.branches):
            return logs
        rows = logs[:-1].reshape(self.levels.size, -1)
        columns, at = [], 0
        for branch in self.branches:
            if branch.release != "fresh":
                columns.append(rows[:, at : at + branch.bins])
                at += branch.bins
                continue
            ends = np.array([-math.inf, *branch.edges, math.inf])
            columns.append(rows[:, at : at + 1] + log_windows(self.levels, branch.fresh_scale, ends))
            at += 1
        return np.append(np.hstack(columns), logs[-1])

    def _repeated(self, errors: Float) -> Float:
        """Errors of hits, one for each bin of the newly drawn value."""
        counts = [n for b in self.branches for n in ([b.bins] if b.release == "fresh" else [1] * b.bins)]
        return np.repeat(errors, [*counts * self.levels.size, 1])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FirstHitPair(CoarsePair):
    """Two first-hit laws (P, Q) compared: a `LawPair`. Divergences are of P from Q, in nats.

    Every number is a lower bound on that of the mechanisms' whole outputs (data processing), up to the estimated error
    of the quadrature; `prove` makes it a proved one.
    """

    p: FirstHitLaw
    q: FirstHitLaw
    """`p`, `q`: of equally many queries and the same bins."""

    def swap(self) -> FirstHitPair:
        """The pair (Q, P)."""
        return FirstHitPair(p=self.q, q=self.p, cells=self.cells.swap())

    def prove(self, measure: Measure) -> Enclosed | None:
        """A proved enclosure of a **lower bound** on pure epsilon (or the infinite Renyi order): the log-ratio of the
        one outcome that the float laws point at. None for other measures, and where balls cannot hold the kinks.

        `lower` is a proved lower bound on the mechanisms' epsilon; `upper` must not be used to certify.
        """
        pure = measure.kind == "epsilon" and measure.argument == 0
        if not pure and not (measure.kind == "renyi" and measure.argument == math.inf):
            return None
        best = int(np.argmax(self.p.log_probabilities() - self.q.log_probabilities()))
        with working_precision(first_hit_ball.PRECISION):
            p, q = first_hit_ball.probability(self.p, best), first_hit_ball.probability(self.q, best)
            return None if p is None or q is None else enclosed_ball((p / q).log().max(flint.arb(0)))
