"""Ranges that parameters of lemmas are allowed, as annotations of their fields.

A lemma is claimed over a box of its own parameters, under the relation ``numbers``: there are no data sets. Which
neighbour relation it speaks of stands in its statement.
"""

from __future__ import annotations

from typing import Annotated

from dpverify.core.rules import Between

TINY, HUGE = 1e-300, 1e6
"""Ends of ranges that mean "above 0" and "finite": lemmas are searched within them only."""

AboveZero = Annotated[float, Between(TINY, HUGE)]
"""A number above 0, at most HUGE."""
FromZero = Annotated[float, Between(0, HUGE)]
"""A number of at least 0, at most HUGE."""
FromOne = Annotated[float, Between(1, HUGE)]
"""A number of at least 1, at most HUGE: mostly a count, rounded."""
FromTwo = Annotated[float, Between(2, HUGE)]
"""A number of at least 2, at most HUGE: mostly a whole Renyi order, rounded."""
RenyiOrder = Annotated[float, Between(1 + 1e-9, HUGE)]
"""A Renyi order above 1, at most HUGE."""
InsideUnit = Annotated[float, Between(TINY, 1 - 1e-9)]
"""A number above 0 and below 1: mostly a delta."""
Signed = Annotated[float, Between(-1, 1)]
"""A number in [-1, 1]: mostly a record's only feature."""
