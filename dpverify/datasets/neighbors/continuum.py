"""What generators of continuously many pairs share: a list of plain ones first, then points of the box at random."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator
from itertools import chain
from typing import Any, ClassVar

import numpy as np

from dpverify.core.claim import SearchSpace
from dpverify.core.errors import UnsupportedError
from dpverify.core.subjects import Float, Pair


class Continuum(ABC):
    """Base of a generator; a subclass gives the box, decodes its points, and lists what to look at first."""

    __slots__ = ()

    directed: ClassVar[bool] = False
    """Whether a pair and its swap are listed as two (auditors look at both directions of a pair anyway)."""

    def count(self, space: SearchSpace) -> int | None:
        """None: the pairs are a continuum."""
        return None

    def candidates(self, space: SearchSpace, *, limit: int, rng: np.random.Generator) -> list[Pair]:
        """At most `limit` pairs, all distinct: the listed ones in their order, then random ones."""
        return distinct(chain(self.listed(space), self.drawn(space, 4 * limit, rng=rng)), limit, ordered=self.directed)

    @abstractmethod
    def box(self, space: SearchSpace) -> Float | None:
        """Bounds of the points that `decode` takes, shape (k, 2); None where there is nothing to search."""

    @abstractmethod
    def decode(self, space: SearchSpace, vector: Float) -> Pair:
        """The pair at a point of the box, shape (k,)."""

    @abstractmethod
    def listed(self, space: SearchSpace) -> Iterator[Pair]:
        """Plain and extreme pairs, the likeliest first; some may be equal."""

    def drawn(self, space: SearchSpace, attempts: int, *, rng: np.random.Generator) -> Iterator[Pair]:
        """So many random pairs."""
        return (self.decode(space, self.point(space, rng=rng)) for _ in range(attempts))

    def point(self, space: SearchSpace, *, rng: np.random.Generator) -> Float:
        """A uniform point of the box."""
        box = self.box(space)
        assert box is not None, "nothing to draw from"  # subclasses without a box draw nothing
        return rng.uniform(box[:, 0], box[:, 1])


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


class WithoutBox:
    """Base of a generator that only lists its pairs."""

    __slots__ = ()

    def box(self, space: SearchSpace) -> Float | None:
        """None: nothing is continuous here."""
        return None

    def decode(self, space: SearchSpace, vector: Float) -> Pair:
        """Always an UnsupportedError: there is no box."""
        raise UnsupportedError(f"{type(self).__name__} has no continuous box; list its pairs with candidates()")
