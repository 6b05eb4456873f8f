"""Learning rates of chapter 4 of DISS.

constant    eta_0 (section 4.6.4, mpADMM).
epoch       eta_0 / h, h = 1 + floor(k m / n) the expected epoch of iteration k (section 4.6.4, ssADMM and DP-SGD).
root        eta_0 / sqrt(k + 1), the O(1 / sqrt(k)) of Theorem 4.2, which prints sqrt(k) and counts from k = 0.

No schedule rises, which Theorem 4.2 needs and does not say. The chapter prints no eta_0.
"""

from __future__ import annotations

import math

from dpverify.core.errors import InputError

SCHEDULES = ("constant", "epoch", "root")


def step_sizes(schedule: str, initial: float, steps: int, *, batch: int = 1, rows: int = 1) -> tuple[float, ...]:
    """The learning rates eta^0 .. eta^(steps - 1) for batches of `batch` out of `rows` records.

    Raises
    ------
    InputError
        For an unknown schedule.
    """
    if schedule == "constant":
        return (initial,) * steps
    if schedule == "epoch":
        return tuple(initial / (1 + k * batch // rows) for k in range(steps))
    if schedule == "root":
        return tuple(initial / math.sqrt(k + 1) for k in range(steps))
    raise InputError(f"schedule {schedule!r}", allowed=", ".join(SCHEDULES))
