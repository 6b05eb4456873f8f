"""How far one replaced record moves x, z and y in one epoch of mpADMM: (4.13) to (4.15) of DISS, and corrected.

Printed: Delta(x) <= 2 C / (n (1 + eta rho)). But (4.8) divides by rho + 1 / eta, which is (1 + eta rho) / eta: the last
line of the display above (4.13) has lost the factor eta. Derived here:

    Delta(x) = 2 C eta / (n (1 + eta rho)),   Delta(z) <= Delta(x),   Delta(y) <= rho Delta(x),

attained by two opposite gradients of norm C. Printed is too small by the factor eta where eta > 1, and wastes noise
where eta < 1. It also takes eta^(k+1) for a step that is made with eta^k.

All three as one vector: soft thresholding moves each coordinate of z by a fraction t in [0, 1] of what x moves by, with
the same sign, and y then moves by rho (1 - t) times it. So ``|(dx, dz, dy)|^2 <= (1 + max(1, rho^2)) Delta(x)^2``,
which is less than the 2 + rho^2 that Theorem 4.3 adds up, and attained too.

This fraction is what "preceq" of section 4.5.2 stands for. As printed, with a strict ``|u_j| < |v_j|`` and equal signs,
it is false where both points lie beyond the threshold (equality) and where z does not move (sign of 0); with <= and
"equal sign or zero" it holds. Relation: replace. Assumes per-record gradients of norm <= C, clipped or by nature.
"""

from __future__ import annotations

import math


def printed_primal(eta: float, rho: float, clip: float, rows: int) -> float:
    """(4.13) as printed, in L2: too small for eta > 1."""
    return 2.0 * clip / (rows * (1.0 + eta * rho))


def derived_primal(eta: float, rho: float, clip: float, rows: int) -> float:
    """Delta(x) derived from (4.8), in L2: an upper bound, and attained."""
    return 2.0 * clip * eta / (rows * (1.0 + eta * rho))


def joint(primal: float, rho: float) -> float:
    """The L2 sensitivity of (x, z, y) as one vector where that of x is `primal`: an upper bound, and attained."""
    return primal * math.sqrt(1.0 + max(1.0, rho * rho))
