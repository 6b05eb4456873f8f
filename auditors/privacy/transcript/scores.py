"""Scores of a whole transcript: one number a run, made from the noisy values that the run let out.

The likelihood ratio is what the claim's own law says of the transcript: given everything before it, a step shows
N(0, sigma^2) along the canary without the record and (1 - q) N(0, sigma^2) + q N(1, sigma^2) with it, so the log ratio
is the sum over steps of log(1 - q + q e^((x - 1/2) / sigma^2)) (Nasr et al. 2023, arXiv 2302.07956, section 5, in units
of the clipping norm). No test of the claim's law is better (Neyman and Pearson). The others are there for
implementations that are not what they claim: values of the wrong size, or one step that shows all.

A score never sees which side its transcripts came from. Values that are no number count as large: a run that diverged
can be told from one that did not.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from dpverify.core.subjects import Float

Kind = Literal["likelihood ratio", "energy", "largest"]

LARGEST = 1e9
"""In clipping norms: values beyond, and those that are no number, count as this."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """One number for each run.

    Attributes
    ----------
    kind : str
        ``likelihood ratio``; ``energy``, the sum of squares over steps; ``largest`` value of any step.
    column : int
        Which of the numbers of a step it looks at.
    sign : float
        +1 or -1: which way the canary points.
    centre : float
        What a step shows without the canary, but for noise: the others' sum.
    rate, sigma : float
        The claim's.
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
        """As plain JSON: all that is needed to compute it again."""
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
    """The scores to try, the claim's likelihood ratio first; `d0`: pilot transcripts without the canary."""
    found = []
    for column in range(d0.shape[2]):
        values = d0[:, :, column]
        values = values[np.isfinite(values)]
        middle = float(np.median(values)) if values.size else 0.0
        if abs(middle) <= 6.0 * sigma * math.sqrt(math.pi / 2 / max(values.size, 1)):
            middle = 0.0  # blank records, as far as can be seen
        middle = min(max(middle, -LARGEST), LARGEST)
        base: dict[str, Any] = {"column": column, "centre": middle, "rate": rate, "sigma": sigma}
        found += [Score(kind="likelihood ratio", sign=sign, **base) for sign in (1.0, -1.0)]
        found += [Score(kind="largest", sign=sign, **base) for sign in (1.0, -1.0)]
        found.append(Score(kind="energy", sign=1.0, **base))
    return found
