"""Scores of a whole transcript: one number for each run, computed from its noisy values.

The likelihood ratio follows from the claimed law: given all earlier steps, a step has law N(0, sigma^2) along the
canary without the record and (1 - q) N(0, sigma^2) + q N(1, sigma^2) with it. So the log ratio is the sum over steps of
log(1 - q + q e^((x - 1/2) / sigma^2)) (Nasr et al. 2023, arXiv 2302.07956, section 5, in units of the clipping norm).
It is the most powerful test of the claimed law (Neyman and Pearson). The other scores are for implementations that
deviate from the claim: values of the wrong size, or one step that reveals everything.

A score does not know the side of its transcripts. NaN counts as a large value, so that diverged runs are distinguished
from others.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from dpverify.core.subjects import Float

Kind = Literal["likelihood ratio", "energy", "largest"]

LARGEST = 1e9
"""In clipping norms: larger values and NaN are replaced by this one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """A score of transcripts: one number for each run.

    Attributes
    ----------
    kind : str
        ``likelihood ratio``; ``energy``, the sum of squares over steps; ``largest`` value of any step.
    column : int
        Index of the number that is used of each step.
    sign : float
        +1 or -1: the direction of the canary.
    centre : float
        The noise-free value of a step without the canary: the sum of the others.
    rate, sigma : float
        Parameters of the claim.
    """

    kind: Kind
    column: int
    sign: float
    centre: float
    rate: float
    sigma: float

    def of(self, traces: Float) -> Float:
        """Scores of transcripts of shape (n, steps, k): shape (n,)."""
        x = self.sign * (traces[:, :, self.column] - self.centre)
        x = np.clip(np.nan_to_num(x, nan=LARGEST), -LARGEST, LARGEST)
        if self.kind == "energy":
            return np.asarray(np.sum(x * x, axis=1))
        if self.kind == "largest":
            return np.asarray(np.max(x, axis=1))
        u = (x - 0.5) / self.sigma**2
        if self.rate == 1.0:
            return np.asarray(np.sum(u, axis=1))
        # log(1 - q + q e^u); beyond 40 it is u + log q to the last digit
        near = np.log1p(self.rate * np.expm1(np.minimum(u, 40.0)))
        return np.asarray(np.sum(near + np.maximum(u - 40.0, 0.0), axis=1))

    def record(self) -> dict[str, Any]:
        """Everything needed to compute the score again, as plain JSON."""
        return {
            "kind": self.kind,
            "column": self.column,
            "sign": self.sign,
            "centre": self.centre,
            "rate": self.rate,
            "sigma": self.sigma,
        }

    def text(self) -> str:
        """A description for people."""
        what = {"likelihood ratio": "log-likelihood ratio", "energy": "sum of squares", "largest": "largest value"}
        return f"{what[self.kind]} of all steps{', sign turned' if self.sign < 0 else ''}"


def scores_for(d0: Float, *, rate: float, sigma: float) -> list[Score]:
    """The scores to try, the claimed likelihood ratio first; `d0` are pilot transcripts without the canary."""
    found = []
    for column in range(d0.shape[2]):
        values = d0[:, :, column]
        values = values[np.isfinite(values)]
        middle = float(np.median(values)) if values.size else 0.0
        if abs(middle) <= 6.0 * sigma * math.sqrt(math.pi / 2 / max(values.size, 1)):
            middle = 0.0  # apparently blank records
        middle = min(max(middle, -LARGEST), LARGEST)
        base: dict[str, Any] = {"column": column, "centre": middle, "rate": rate, "sigma": sigma}
        found += [Score(kind="likelihood ratio", sign=sign, **base) for sign in (1.0, -1.0)]
        found += [Score(kind="largest", sign=sign, **base) for sign in (1.0, -1.0)]
        found.append(Score(kind="energy", sign=1.0, **base))
    return found
