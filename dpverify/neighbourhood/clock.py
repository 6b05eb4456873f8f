"""Turns seconds into a number of draws, once, before the audit: the number reproduces the audit, the seconds do not.

The callable is timed on both sides of one pair, after a first call that may compile or load something, and the shorter
of two timings counts: another process may have had the machine in one of them. Limits: a
machine that is busy now gives fewer draws; a callable that is slower on other data takes longer than was asked for.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from dpverify.adapters.callable_mechanism import CallableMechanism

SIDES, CHOICE = 2.0, 2e-5
"""Calls of the mechanism for each draw a side, and the seconds that sorting and choosing take beside them."""

CALLS_OF_FEWEST = 2.7
"""Calls for each draw a side of the fewest, which are bet on for the most part."""

FEWEST, MOST = 400, 400_000
"""Draws a side, whatever the seconds: with fewer the event could refute no claim of epsilon = 1."""

BEFORE = 150
"""Calls before the audit, which look at the form of outputs and at the mechanism's randomness."""

LONG_ENOUGH = 0.02
"""Seconds that a timing must take; shorter ones are made with more draws."""

LARGEST_BATCH = 2**14

MOSTLY_DRAWS = 3.0
"""Four times the draws of a batch take so many times as long, unless it is the call itself that takes the time."""


def draws_within(
    seconds: float, subject: CallableMechanism, d0: Any, d1: Any, *, stream: Callable[..., np.random.Generator]
) -> tuple[int, float]:
    """Draws a side that take about so many seconds in all, rounded to two digits, and the seconds that one call takes.

    `seconds`: for the whole audit. `subject`: called some times on each data set; nothing of its outputs is kept.
    """
    import scipy.special  # noqa: F401 - the checks of the first large batch would load it within a timing

    each = max(_seconds_a_draw(subject, data, stream("clock", side)) for side, data in enumerate((d0, d1)))
    draws = int(min(max((seconds - BEFORE * each) / (SIDES * each + CHOICE), FEWEST), MOST))
    return int(float(f"{draws:.2g}")), each


def seconds_of_a_call(subject: CallableMechanism, data: Any, rng: np.random.Generator) -> float:
    """Return the seconds of a call that makes one output, by three of them; 0 for batches of unknown size."""
    if subject.call == "batch":
        return 0.0
    taken = []
    for _ in range(3):  # the first may compile or load something
        begun = time.perf_counter()
        subject.look(data, 1, rng=rng)
        taken.append(time.perf_counter() - begun)
    return min(taken)


def expected_seconds(draws: int, each: float) -> float:
    """Return the seconds that so many draws a side take in all, at these seconds a call."""
    return each * (BEFORE + draws * (SIDES if draws > FEWEST else CALLS_OF_FEWEST)) + draws * CHOICE


def _seconds_a_draw(subject: CallableMechanism, data: Any, rng: np.random.Generator) -> float:
    subject.sample(data, 2, rng=rng)
    size, before = 1, float("inf")
    while True:
        begun = time.perf_counter()
        subject.sample(data, size, rng=rng)
        taken = time.perf_counter() - begun
        starting = subject.call == "batch" and not subject.dependent and taken < MOSTLY_DRAWS * before
        if (taken >= LONG_ENOUGH and not starting) or size >= LARGEST_BATCH:
            begun = time.perf_counter()
            subject.sample(data, size, rng=rng)
            return max(min(taken, time.perf_counter() - begun) / size, 1e-9)
        before = taken
        size *= 4
