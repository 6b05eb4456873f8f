"""The first so many distinct pairs of a stream of proposals, whatever the relation."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np

from dpverify.core.subjects import Pair


def distinct(proposals: Iterable[Pair], limit: int, *, ordered: bool) -> list[Pair]:
    """At most `limit` pairs of arrays that differ from one another and whose two sides differ.

    With ``ordered=False`` a pair and its swap count as one: auditors look at both directions of a pair anyway.
    """
    kept: list[Pair] = []
    seen: set[Hashable] = set()
    for pair in proposals:
        if len(kept) >= limit:
            break
        sides = [(np.shape(side), np.asarray(side).tobytes()) for side in (pair.d0, pair.d1)]
        key = tuple(sides if ordered else sorted(sides))
        if sides[0] != sides[1] and key not in seen:
            seen.add(key)
            kept.append(pair)
    return kept
