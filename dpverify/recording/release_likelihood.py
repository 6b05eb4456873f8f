"""Likelihood of what one run released under another run, number by number, up to the first hidden random draw.

A run that is held to what was shown says of each number what it would be worth on its own data: it must be this one,
it cannot be, or noise puts it here with a density. The answers of two data sets give the log-ratio of their densities
at what was shown, the best score there is for telling the two apart (Neyman and Pearson).

The score is a function of what was shown, and of coins of its own: it does not ask who drew what in the run that
showed it. So counts of it are sound for programs whose randomness no recorder sees. Wrong laws and rounding cost power,
and nothing else. Not to be confused with a likelihood: of a law that is not looked into, a Laplace density stands in.
"""

from __future__ import annotations

import math
from typing import Any

from dpverify.core.transcript import GAUSSIAN, StepLaw
from dpverify.recording.compare_runs import alike

Shown = tuple[tuple[str, tuple[Any, ...]], ...]
"""Names and plain parts of all that a run showed, in order, the result last."""

Answer = bool | float | None
"""True: certainly this number. False: certainly not. A float: the log-density of the noise. None: nothing is known."""


def must_be(part: Any, shown: Any) -> Answer:
    """Whether a part without noise is what was shown."""
    return alike(part, shown)


def known_to_be(value: float, slack: float, shown: Any) -> Answer:
    """Whether a number that follows from released noise is what was shown, up to rounding."""
    if not _is_number(shown):
        return False
    away = abs(value - float(shown))
    return None if math.isnan(away) else away <= slack


def by_noise(law: StepLaw, clean: float, scale: float, shown: Any) -> Answer:
    """Log-density of the noise that would give what was shown."""
    if not _is_number(shown):
        return False
    if not (math.isfinite(clean) and math.isfinite(scale) and scale > 0.0):
        return None
    away = abs(float(shown) - clean) / scale
    if not math.isfinite(away):
        return False
    return -math.log(scale) - (0.5 * away * away + _ROOT if law == GAUSSIAN else away + _TWO)


def log_ratio(ours: tuple[Answer, ...], theirs: tuple[Answer, ...]) -> float:
    """Log-likelihood ratio of what was shown, as far as both data sets say; infinite where one cannot give it."""
    total = 0.0
    for one, other in zip(ours, theirs, strict=False):
        if one is False and other is False:
            break
        if one is False or other is False:
            return -math.inf if one is False else math.inf
        if one is None or other is None or (one is True and other is True):
            continue
        if one is True or other is True:  # a number that must be, beside one that noise hits with probability 0
            return math.inf if one is True else -math.inf
        total += one - other
    return total


def _is_number(part: Any) -> bool:
    return isinstance(part, int | float)


_TWO, _ROOT = math.log(2.0), 0.5 * math.log(2.0 * math.pi)
