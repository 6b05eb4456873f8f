"""How many counted runs a side would do, where those that there were could refute nothing."""

from __future__ import annotations

from collections.abc import Callable


def runs_needed(suffices: Callable[[int], bool], *, above: int, most: int) -> int | None:
    """A number of runs that suffices, of two digits, an eighth above the least at most; None where `most` does not.

    Parameters
    ----------
    suffices : callable
        Whether so many runs could refute the claim by a perfect attack; monotone.
    above : int
        A number that does not suffice.
    """
    low, high = above, above
    while not suffices(high):
        if high == most:
            return None
        low, high = high, min(2 * high, most)
    while high - low > max(1, high // 100):
        middle = (low + high) // 2
        low, high = (low, middle) if suffices(middle) else (middle, high)
    return min(_rounded(high), most)


def _rounded(runs: int) -> int:
    """Round up to two digits."""
    step = int(10 ** max(0, len(str(runs)) - 2))
    return -(-runs // step) * step
