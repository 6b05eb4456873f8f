"""Deviations that would have been seen with 80 % power, were they there: what a scheme that is not ruled out may hide.

Each is that of one test at its level: the smallest deviation of the mean, of trials that are otherwise as the scheme
says. Deviations that no test looks at (inclusion that depends on three records at once, say) are not bounded by them.
"""

from __future__ import annotations

from dataclasses import dataclass

from dpverify.loaders.observed import Observed
from dpverify.loaders.tails import at_least, upper_tail

POWER = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Visible:
    """A deviation that would be seen.

    Attributes
    ----------
    words : str
        What it is of.
    size : float or None
        Relative deviation, or correlation, that would have been seen; None where none would.
    fine : bool
        Whether it is of single records or pairs, which a short reading cannot show: without it the rest is a pass.
    """

    words: str
    size: float | None
    fine: bool = False


def visible_mean(trials: int, p: float, *, level: float, exact: bool) -> float | None:
    """The smallest mean above p that is told from it with 80 % power by one two-sided test; None where none is."""
    if trials <= 0 or not 0 < p < 1:
        return None
    least, high = int(trials * p), trials
    if upper_tail(high, trials, p, exact=exact) > level / 2:
        return None
    while high - least > 1:
        count = (least + high) // 2
        least, high = (least, count) if upper_tail(count, trials, p, exact=exact) <= level / 2 else (count, high)
    below, above = p, 1.0
    for _ in range(60):
        middle = (below + above) / 2
        below, above = (below, middle) if at_least(high, trials, middle) >= POWER else (middle, above)
    return above


def visible_in_rates(seen: Observed, *, level: float, given: bool = False, exact: bool = False) -> list[Visible]:
    """Deviations from a scheme where each record is in each batch with one probability.

    Parameters
    ----------
    level : float
        Error probability of one test.
    given : bool
        Whether the rate was tested, too.
    exact : bool
        Whether the tests' tails are binomial.
    """
    n, batches = seen.records, seen.batches
    rate = min(1.0, seen.total / (n * batches))
    square = rate * rate
    spread = rate * (1.0 - rate)

    def relative(found: float | None) -> float | None:
        return None if found is None else found / rate - 1.0

    def correlation(found: float | None) -> float | None:
        return None if found is None or not spread else min((found - square) / spread, 10.0)

    rows = [
        Visible(
            words="rate of a single record",
            size=relative(visible_mean(batches, rate, level=level / n, exact=True)),
            fine=True,
        )
    ]
    if given:
        found = visible_mean(n * batches, rate, level=level, exact=True)
        rows.insert(0, Visible(words="rate", size=relative(found)))
    if batches > 1:
        pairs = (batches // 2) * seen.width
        found = visible_mean(pairs, square, level=level, exact=exact)
        rows.append(
            Visible(words="correlation of a record's inclusion in neighbouring batches", size=correlation(found))
        )
    if n > 1:
        pairs = (seen.width // 2) * batches
        found = visible_mean(pairs, square, level=level, exact=exact)
        rows.append(Visible(words="correlation of neighbouring records in a batch", size=correlation(found)))
    if seen.together is not None:
        found = visible_mean(seen.together_of, square, level=level / seen.together.size, exact=True)
        rows.append(Visible(words="correlation of any two records in a batch", size=correlation(found), fine=True))
    return rows


def visible_in_blocks(seen: Observed, *, level: float, exact: bool = False) -> list[Visible]:
    """Deviations from a scheme that takes each record once a pass, at any place: of blocks of records and of places."""
    share = 1.0 / max(1, len(seen.block_positions(8)))
    found = visible_mean(seen.blocks(8)[0][2] * seen.passes, share, level=level, exact=exact)
    size = None if found is None else found / share - 1.0
    return [Visible(words="share of a block of records in a block of positions", size=size)]
