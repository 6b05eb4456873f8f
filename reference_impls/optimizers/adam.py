"""Adam (Kingma & Ba 2014) without privacy, a baseline of ADADP and ADPSGD: DP-Adam without noise and clipping."""

from __future__ import annotations

import math
from typing import Any

from dpverify.core.registry import Registry
from reference_impls.optimizers.dp_adam import DpAdam


def adam(**settings: Any) -> DpAdam:
    """Adam on Poisson batches of true gradients; `settings` as :class:`DpAdam`'s, without noise and clipping."""
    return DpAdam(noise_multiplier=0.0, clip=math.inf, **settings)


def register(registry: Registry) -> None:
    """Register the subject."""
    registry.mechanisms.add("adam", adam)
