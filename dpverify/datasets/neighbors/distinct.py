"""The first so many distinct pairs of a stream of proposals, whatever the relation."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any

import numpy as np

from dpverify.core.subjects import Pair


def array_content(side: Any) -> Hashable:
    """Shape and numbers of an array."""
    return np.shape(side), np.asarray(side).tobytes()


def distinct(
    proposals: Iterable[Pair], limit: int, *, ordered: bool, content: Callable[[Any], Hashable] = array_content
) -> list[Pair]:
    """At most `limit` pairs that differ from one another and whose two sides differ, as their `content` tells.

    With ``ordered=False`` a pair and its swap count as one: auditors look at both directions of a pair anyway.
    """
    kept: list[Pair] = []
    seen: set[Hashable] = set()
    for pair in proposals:
        if len(kept) >= limit:
            break
        sides: list[Any] = [content(side) for side in (pair.d0, pair.d1)]
        key = tuple(sides if ordered else sorted(sides))
        if sides[0] != sides[1] and key not in seen:
            seen.add(key)
            kept.append(pair)
    return kept
