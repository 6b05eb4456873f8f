"""Compares laws of different families: a composite law takes over, or both become one table or one density.

The closed forms of `laplace` and `gaussian` hold within one family; all other cases are handled here, so that no family
needs to know the others. Nothing is guessed: two laws that share no representation raise UnsupportedError.
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from dpverify.core.errors import UnsupportedError
from dpverify.core.subjects import LawPair


@runtime_checkable
class Composite(Protocol):
    """A law made of other laws, which can be compared with its parts."""

    def faced_by(self, law: object) -> LawPair:
        """The pair (law, self)."""
        ...


@runtime_checkable
class WithDensity(Protocol):
    """A law that can be written as one DiscreteLaw or one DensityLaw."""

    def flat(self) -> Any:
        """The same law as a table or a density; raises UnsupportedError where there is none."""
        ...


def compare_laws(p: object, q: object) -> LawPair:
    """The pair (p, q) when p's own family has no closed form for it."""
    if isinstance(q, Composite):
        return q.faced_by(p)
    return flat_pair(p, q)


def flat_pair(p: object, q: object) -> LawPair:
    """The pair (p, q) as two tables or two densities; UnsupportedError when they are not on one space."""
    if isinstance(p, WithDensity) and isinstance(q, WithDensity):
        first, second = p.flat(), q.flat()
        if type(first) is type(second):
            pair: LawPair = first.against(second)
            return pair
    raise UnsupportedError(f"no exact comparison of {type(p).__name__} with {type(q).__name__}")
