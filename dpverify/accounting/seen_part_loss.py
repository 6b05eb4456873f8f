"""The privacy loss where one of several mechanisms answers, drawn with public weights, and which one is seen.

Basis: the events of the whole are those of the parts, so H(x) = sum_i w_i H_i(x), and the loss under P (under Q) is
that of part i with probability w_i. Where the part is not seen, no event is worth more (joint convexity). Not to be
confused with ``loss_sources.GaussianMixtureLoss``, whose output does not tell the part.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpverify.accounting.privacy_loss import UNIT, Atoms, LossLaw, Masses
from dpverify.core.subjects import Float


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenPartLoss:
    """Part i with probability weights[i] > 0, the weights summing to 1 up to rounding."""

    weights: tuple[float, ...]
    parts: tuple[LossLaw, ...]

    def atoms(self) -> Atoms:
        """The atoms of each part, by its weight."""
        found = [part.atoms() for part in self.parts]
        return Atoms(
            p=np.concatenate([weight * each.p for weight, each in zip(self.weights, found, strict=True)]),
            loss=np.concatenate([each.loss for each in found]),
            p_error=max(each.p_error for each in found) + 4 * UNIT * (1 + len(found)),
            loss_error=max(each.loss_error for each in found),
        )

    def masses(self, thresholds: Float) -> Masses | None:
        """The masses of each part, by its weight."""
        found = [(weight, part.masses(thresholds)) for weight, part in zip(self.weights, self.parts, strict=True)]
        moved = [(weight, each) for weight, each in found if each is not None]
        if not moved:
            return None
        p, q = (sum(weight * getattr(each, law) for weight, each in moved) for law in ("p", "q"))
        rounding = 4 * UNIT * (1 + len(moved))
        p_error, q_error = (
            sum(weight * getattr(each, f"{law}_error") for weight, each in moved) + rounding * _smaller_tail(cells)
            for law, cells in (("p", p), ("q", q))
        )
        return Masses(p=p, q=q, p_error=p_error, q_error=q_error)

    def extent(self, tail: float) -> tuple[float, float]:
        """The widest of the parts' extents."""
        low, high = zip(*(part.extent(tail) for part in self.parts), strict=True)
        return min(low), max(high)

    def bounds(self) -> tuple[float, float]:
        """The least and the greatest of the parts' bounds."""
        low, high = zip(*(part.bounds() for part in self.parts), strict=True)
        return min(low), max(high)


def _smaller_tail(cells: Float) -> Float:
    """The mass below or above each threshold, whichever is smaller."""
    below, above = np.cumsum(cells)[:-1], np.cumsum(cells[::-1])[::-1][1:]
    return np.minimum(below, above)
