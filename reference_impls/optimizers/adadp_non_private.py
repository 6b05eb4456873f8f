"""ADADP without privacy: Algorithm 2 without noise and clipping, with Algorithm 1's discard, and tol = 0.1.

ADADP's federated clients run it on their own records (section "Adaptive federated averaging"), in shuffled batches of
10; tol is that of all experiments without privacy.

Without the discard it need not converge: near an optimum err falls below tol whatever eta is, eta grows past 2 / L, and
the iterates leave until err is large again. With the discard, they end at a distance of about tol.

It is not private. Not to be confused with Algorithm 1 on whole gradients
(:mod:`reference_impls.optimizers.adadp_extrapolation`).
"""

from __future__ import annotations

import math
from typing import Any

from dpverify.core.registry import Registry
from reference_impls.optimizers.adadp import Adadp


def adadp_non_private(**settings: Any) -> Adadp:
    """The algorithm; `settings` as :class:`~reference_impls.optimizers.adadp.Adadp`'s, without noise and clipping."""
    own = {"batch_size": 10, "sampling": "shuffled", "tol": 0.1, "discard": True}
    return Adadp(**{**own, **settings}, noise_multiplier=0.0, clip=math.inf)


def register(registry: Registry) -> None:
    """Register the subject."""
    registry.mechanisms.add("adadp-non-private", adadp_non_private)
