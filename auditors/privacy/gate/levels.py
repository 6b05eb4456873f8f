"""How the gate divides its false-alarm probability and its draws, before the first of them."""

from __future__ import annotations

from dataclasses import dataclass

REPLAY, BETS, MORE = 0.1, 0.3, 0.1
"""Shares of the false-alarm probability; the event has the rest."""

SCARCE = 1_000
"""Draws a side below which a call takes so long that the search is as short as can be, and bets have most of them."""

FEW, MANY = 50_000, 200_000
"""Draws a side below which fewer pairs are searched, and from which on more."""

SMALLEST_LOOK, LARGEST_LOOK = 64, 512
"""Draws a side of one look at a pair, twice: one part chooses an event, the other counts it."""

WHOLE = 3_072
"""Trials from which on every pair of the search gets `SMALLEST_LOOK` draws, twice, within the search's quarter."""

CLOSER, LARGEST_CLOSER = 16, 2**14
"""A closer look at the chosen pair draws this part of the draws, and at the most so many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Levels:
    """Shares of the error probability: their sum is the whole, whatever is skipped.

    Attributes
    ----------
    replay, bets, event : float
        Each step's probability to refute a true claim.
    more : float
        That of one count beside the event's: of exact values that the closer look saw, or after a second look.
    """

    replay: float
    bets: float
    event: float
    more: float

    @classmethod
    def of(cls, alpha: float, *, replayed: bool) -> Levels:
        """The division of `alpha`; a subject that cannot be replayed leaves that share to the event."""
        replay = REPLAY * alpha if replayed else 0.0
        bets, more = BETS * alpha, MORE * alpha
        return cls(replay=replay, bets=bets, event=alpha - replay - bets - more, more=more)


@dataclass(frozen=True, slots=True, kw_only=True)
class Draws:
    """Draws a side of each step. From `WHOLE` trials on, all of them together are at most the trials.

    Below that the search takes more than its quarter, `SMALLEST_LOOK` twice for each pair. The calls that find the form
    of the outputs and the order of a batch come before, and the runs of a replay on top.

    Attributes
    ----------
    pairs, look : int
        Pairs that are looked at, and draws of half a look at one of them.
    bets : int
        At the most.
    event : int
        That count the event; choosing it takes up to as many again.
    box : int
        Points of the pairs' box that are looked at beside the listed pairs.
    closer : int
        Of a closer look at the chosen pair, at the most.
    """

    pairs: int
    look: int
    bets: int
    event: int
    box: int = 0
    closer: int = 0

    @classmethod
    def of(cls, trials: int, *, searched: bool, pairs: int | None = None) -> Draws:
        """A quarter for the search (none where there is one pair), a quarter for bets, the rest for the event.

        The closer look is paid from the bets' quarter. Where draws are scarce there is none, and bets have half of all.
        So many `pairs`, where they are given, share the search's quarter; bets have half, since no event follows them.
        """
        closer = min(trials // CLOSER, LARGEST_CLOSER) if trials >= SCARCE else 0
        if not searched:
            look = min(max(trials // 16, SMALLEST_LOOK), LARGEST_LOOK)
            return cls(pairs=1, look=look, bets=trials // 3 - closer, event=trials // 4, closer=closer)
        if pairs is not None:
            look = min(max(trials // (8 * pairs), 16), LARGEST_LOOK // 4)
            return cls(pairs=pairs, look=look, bets=trials // 2, event=trials // 4, closer=closer)
        if trials < SCARCE:
            return cls(pairs=2, look=max(trials // 16, 16), bets=trials // 2, event=trials // 4)
        pairs, box = (6, 0) if trials < FEW else (10, 4 if trials >= MANY else 0)
        look = min(max(trials // (8 * (pairs + box)), SMALLEST_LOOK), LARGEST_LOOK)
        return cls(pairs=pairs, look=look, bets=trials // 4 - closer, event=trials // 4, box=box, closer=closer)
