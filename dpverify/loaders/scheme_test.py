"""One test of a scheme: a count that was seen, what the scheme expects of it, and its p-value."""

from __future__ import annotations

import math
from dataclasses import dataclass

from dpverify.loaders.tails import two_sided

RATE = "the sampling rate"
SIZES = "batch sizes"
RECORDS = "records taken unequally often"
PASSES = "records never or several times in a pass"
STEPS = "inclusion depends on other batches"
PAIRS = "inclusion depends on other records"
ORDER = "the place in a pass depends on the record"
REPEATS = "batches come again"

KINDS = (RATE, REPEATS, PASSES, STEPS, PAIRS, RECORDS, ORDER, SIZES)
"""In the order in which they are told; what is impossible comes before what is improbable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemeTest:
    """An observation, and how probable it is under the scheme.

    Attributes
    ----------
    kind : str
        Which deviation it shows: one of the words of this module.
    words : str
        What was counted, with both numbers.
    p : float
        Never below the p-value; 0 where the scheme excludes what was seen.
    """

    kind: str
    words: str
    p: float


def fact(kind: str, words: str, *, impossible: bool, p: float = 0.0) -> SchemeTest:
    """Something that the scheme excludes, or allows with probability `p` at most; p-value 1 where it was not seen."""
    return SchemeTest(kind=kind, words=words, p=min(1.0, p) if impossible else 1.0)


def counted(
    kind: str,
    what: str,
    count: int,
    trials: int,
    low: float,
    high: float | None = None,
    *,
    exact: bool = True,
    times: float = 1.0,
) -> SchemeTest:
    """A count of `trials` with a mean between trials * low and trials * high; `times` for the largest of so many."""
    high = low if high is None else high
    p = two_sided(count, trials, low, high, exact=exact)
    expected = trials * (low + high) / 2.0
    return SchemeTest(kind=kind, words=f"{what}: {count} where {shown(expected)} are expected", p=min(1.0, p * times))


def shown(value: float) -> str:
    """An expected number: whole from 100 on, else to three digits."""
    if value >= 100 or value == math.floor(value):
        return f"{value:.0f}" if value < 1e12 else f"{value:.3g}"
    return f"{value:.3g}"
