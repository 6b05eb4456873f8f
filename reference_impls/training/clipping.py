"""Clipping thresholds as fields, and the condition that noise puts on them."""

from __future__ import annotations

import math
from typing import Annotated

from dpverify.core.errors import InputError
from dpverify.core.rules import Between

Clip = Annotated[float, Between(0, math.inf, open="low", remedy="inf for no clipping")]
"""A bound on the L2 norm of a record's gradient: a number > 0, inf for no clipping."""


def need_finite_clip(algorithm: object) -> None:
    """InputError when `clip` is inf: noise is scaled to it, so a noisy algorithm needs a finite one."""
    clip = getattr(algorithm, "clip")  # noqa: B009  # of any algorithm that clips
    if math.isinf(clip):
        raise InputError(
            f"{type(algorithm).__name__}: clip = {clip} with noise",
            allowed="a finite number > 0",
            remedy="give a finite clip, which bounds the sensitivity that the noise is scaled to, or take no noise",
        )
