"""Likelihood of the values that one run released, under a run on another data set, up to the first hidden coin.

A run that replays the shown values states for each number how likely it is on its data set: certain, impossible, or
with a noise density. From the answers on two data sets follows the log-ratio of their densities at the shown values,
the most powerful score for distinguishing the two (Neyman and Pearson).

The score is a function of the shown values and of independent coins; it does not use the draws of the run that showed
them. So counts of it are valid even for programs whose randomness is not recorded. Wrong laws and rounding cost power
only. The score is not always a likelihood: for an unspecified law a Laplace density is used.
"""

from __future__ import annotations

import math
from typing import Any

from dpverify.core.transcript import GAUSSIAN, StepLaw
from dpverify.recording.compare_runs import print_alike

Shown = tuple[tuple[str, tuple[Any, ...]], ...]
"""Names and plain parts of all values that a run showed, in order, the result last."""

Answer = bool | float | None
"""True: certainly this number. False: certainly another. A float: the log-density of the noise. None: unknown."""


def is_certain(part: Any, shown: Any) -> Answer:
    """Tell whether a part without noise equals the shown one."""
    return print_alike(part, shown)


def follows(value: float, slack: float, shown: Any) -> Answer:
    """Tell whether a number that follows from released noise equals the shown one, up to rounding."""
    if not _is_number(shown):
        return False
    away = abs(value - float(shown))
    return None if math.isnan(away) else away <= slack


def by_noise(law: StepLaw, clean: float, scale: float, shown: Any) -> Answer:
    """Log-density of the noise that would give the shown number."""
    if not _is_number(shown):
        return False
    if not (math.isfinite(clean) and math.isfinite(scale) and scale > 0.0):
        return None
    away = abs(float(shown) - clean) / scale
    if not math.isfinite(away):
        return False
    return -math.log(scale) - (0.5 * away * away + _ROOT if law == GAUSSIAN else away + _TWO)


def log_ratio(ours: tuple[Answer, ...], theirs: tuple[Answer, ...]) -> float:
    """Log-likelihood ratio of the shown values, as far as known on both data sets; infinite where one excludes them."""
    total = 0.0
    for one, other in zip(ours, theirs, strict=False):
        if one is False and other is False:
            break
        if one is False or other is False:
            return -math.inf if one is False else math.inf
        if one is None or other is None or (one is True and other is True):
            continue
        if one is True or other is True:  # certain on one side, probability 0 under continuous noise on the other
            return math.inf if one is True else -math.inf
        total += one - other
    return total


def _is_number(part: Any) -> bool:
    return isinstance(part, int | float)


_TWO, _ROOT = math.log(2.0), 0.5 * math.log(2.0 * math.pi)
