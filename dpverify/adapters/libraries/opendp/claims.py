"""What an OpenDP measurement claims: its privacy map at d_in, read in its output measure.

Every reading here is implied by the library's claim, so that what refutes the reading refutes the claim. Two measures
have no guarantee of their own in dpverify, and are read at one point: a privacy profile (``SmoothedMaxDivergence``) at
delta = 0.05, and approximate zCDP as the (epsilon, delta) that it implies (Bun and Steinke 2016, Lemma 8.8; the
conversion is that of Canonne, Kamath and Steinke 2020).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpverify.core.subjects import Guarantee
from dpverify.definitions.pure_dp import ApproxDP, PureDP
from dpverify.definitions.rdp import RDP, ZCDP

POINT = 0.05
"""The delta at which a profile is read, and what is added to the delta of approximate zCDP: large, so that few draws
see a violation there."""

ORDER = 2.0
"""The order at which a Renyi curve is read."""


def guarantee_of(measure: Any, loss: Any) -> tuple[Guarantee, str]:
    """The guarantee and, where it is only implied by the claim, how; from a measure and what the privacy map gave.

    LookupError for a measure that is not known here, and a loss that promises nothing.
    """
    kind = repr(measure).replace("()", "")
    if kind == "MaxDivergence":
        return PureDP(epsilon=_finite(loss)), ""
    if kind == "ZeroConcentratedDivergence":
        return ZCDP(rho=_finite(loss)), ""
    if kind == "Approximate(MaxDivergence)":
        epsilon, delta = loss
        return _approximate(_finite(epsilon), delta), ""
    if kind == "Approximate(ZeroConcentratedDivergence)":
        rho, delta = loss
        found = _approximate(_implied_epsilon(_finite(rho)), delta + POINT)
        return found, f"implied by ({rho:.6g}, {delta:.3g})-approximate zCDP"
    if kind == "SmoothedMaxDivergence":
        return _approximate(_finite(loss.epsilon(POINT)), POINT), f"the privacy profile at delta = {POINT:g}"
    if kind == "RenyiDivergence":
        return RDP(order=ORDER, epsilon=_finite(loss(ORDER))), f"the Renyi curve at order {ORDER:g}"
    raise LookupError(f"the privacy measure {kind} has no guarantee here")


def _finite(loss: float) -> float:
    if not math.isfinite(loss):
        raise LookupError(f"the privacy map gives {loss}, which promises nothing")
    return float(loss)


def _approximate(epsilon: float, delta: float) -> Guarantee:
    if not 0.0 <= delta < 1.0:
        raise LookupError(f"the privacy map gives delta = {delta:g}, which promises nothing")
    return ApproxDP(epsilon=epsilon, delta=float(delta)) if delta > 0 else PureDP(epsilon=epsilon)


def _implied_epsilon(rho: float) -> float:
    """An epsilon at which rho-zCDP implies a delta of at most `POINT`: from above.

    Canonne, Kamath, Steinke 2020, Proposition 12: each order alpha gives a valid epsilon, so the best of a grid errs on
    the safe side.
    """
    order = 1.0 + np.geomspace(1e-3, 1e3, 2000)
    log_delta = math.log(POINT)
    epsilons = order * rho - (log_delta + np.log(order - 1.0) - order * np.log1p(-1.0 / order)) / (order - 1.0)
    return float(np.maximum(epsilons, 0.0).min())
