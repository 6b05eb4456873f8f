"""The step-size rule of ADADP: one full step is compared with two half steps (extrapolation).

From theta, a step of size eta along G_1 gives theta_1; a half step along G_1 and another along G_2, taken at the half
step, give hat-theta_1. Their distance err estimates the local error, and eta is multiplied by tol / err, held within
[alpha_min, alpha_max] (ADADP, "Motivation", Algorithms 1 and 2).

``error="plain"`` is (3), the L2 distance: half the local error, whose estimate is 2 (hat-theta_1 - theta_1) (`factor`).
``error="relative"`` is the L2 norm of (6), ``|hat-theta_i - theta_i| / max(1, |theta_i|)``; the stored text lost the
hat of one of the two; the denominator is read as the full step's, the first argument of err in Algorithm 2.

The print leaves two cases open. For err = 0, eta grows here by alpha_max (without bound while nothing moves). For err =
nan, eta shrinks by alpha_min, and the step is discarded where steps can be. The text updates if err < tol, Algorithm 1
discards if err > tol; at equality, where they differ, Algorithm 1 is followed.

The authors' code (github.com/DPBayes/ADADP) differs from Algorithm 2: it goes on from hat-theta_1 (`halves`), takes the
root of tol / err (`root`, as is usual for a method of order one, whose err is of order eta^2), and discards.

Not to be confused with step-size rules that look at the loss: this one sees two gradients and two points.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dpverify.core.fields import Checked
from dpverify.core.rules import Between, OneOf, Positive, Share
from dpverify.recording.tape import Tape

Float = NDArray[np.float64]
Shrink = Share
"""The least factor of a step size, alpha_min in (0, 1]."""
Growth = Annotated[float, Between(1, math.inf, open="high")]
"""The largest factor of a step size, alpha_max >= 1."""
ErrorKind = Annotated[str, OneOf(("relative", "plain"))]
"""(6) or (3)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRule(Checked):
    """The rule and its parameters.

    Attributes
    ----------
    tol : float
        The local error aimed at, > 0.
    alpha_min, alpha_max : float
        The least and most that a step size is multiplied by, 0 < alpha_min <= 1 <= alpha_max < inf.
    error : str
        ``relative`` (6) or ``plain`` (3).
    factor : float
        Multiplies the error, > 0: 1 as printed, 2 for the estimate of the local error itself.
    discard : bool
        Whether a step with err > tol is not taken (Algorithm 1).
    halves : bool
        Whether the run goes on from the two half steps, not from the full one.
    root : bool
        Whether the step size is multiplied by the root of tol / err.
    """

    tol: Positive = 1.0
    alpha_min: Shrink = 0.9
    alpha_max: Growth = 1.1
    error: ErrorKind = "relative"
    factor: Positive = 1.0
    discard: bool = False
    halves: bool = False
    root: bool = False

    def advanced(
        self, weights: Float, step: float, gradient: Callable[[Float], Float], tape: Tape
    ) -> tuple[Float, float]:
        """One iteration: the next weights, shape (d,), and the next step size.

        `gradient` is called twice, at the weights and then at the half step. The tape is told the step size, the error
        and, where steps can be discarded, the answer (1: taken).
        """
        half = 0.5 * step
        first = gradient(weights)
        full = weights - step * first
        between = weights - half * first
        halves = between - half * gradient(between)
        error = self.factor * local_error(full, halves, self.error == "relative")
        tape.publish("step-size", step)
        tape.publish("error", error)
        taken = not self.discard or error <= self.tol
        if self.discard:
            tape.publish("answer", float(taken))
        if taken:
            weights = halves if self.halves else full
        return weights, float(adapted(step, error, self.tol, self.alpha_min, self.alpha_max, self.root))


@njit(cache=True, nogil=True)
def local_error(full: Float, halves: Float, relative: bool) -> float:
    """The L2 norm of the difference, (3), or of (6); vectors of shape (d,)."""
    total = 0.0
    for j in range(full.size):
        part = halves[j] - full[j]
        if relative:
            part /= max(1.0, abs(full[j]))
        total += part * part
    return math.sqrt(total)


@njit(cache=True, nogil=True)
def adapted(step: float, error: float, tol: float, low: float, high: float, root: bool) -> float:
    """The next step size: min(max(tol / err, low), high) times this one."""
    if error == 0.0:
        return high * step
    ratio = math.sqrt(tol / error) if root else tol / error
    if not ratio >= low:  # true for nan, too
        ratio = low
    return min(ratio, high) * step
