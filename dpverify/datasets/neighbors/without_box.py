"""What generators share whose pairs are listed one by one: there is no box of numbers to search."""

from __future__ import annotations

from dpverify.core.claim import SearchSpace
from dpverify.core.errors import UnsupportedError
from dpverify.core.subjects import Float, Pair


class WithoutBox:
    """Base of a generator that only lists its pairs."""

    __slots__ = ()

    def box(self, space: SearchSpace) -> Float | None:
        """None: nothing is continuous here."""
        return None

    def decode(self, space: SearchSpace, vector: Float) -> Pair:
        """Always an UnsupportedError: there is no box."""
        raise UnsupportedError(f"{type(self).__name__} has no continuous box; list its pairs with candidates()")
