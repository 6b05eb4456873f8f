"""Outputs without noise: a law on one point, such as the exact part of an output that is otherwise noisy.

Basis: two points are equal and the sides cannot be distinguished, or they differ and the sides are always
distinguished: a pair of tables of one outcome, or of two that exclude one another. Both are exact, so all their
divergences are proved. Assumes that the point is what is released, bit by bit (0 and -0 are one number). Often confused
with a density that is very narrow: against such a law a point is incomparable (UnsupportedError), not close.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Annotated, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from dpverify.core.errors import InputError
from dpverify.core.fields import Checked
from dpverify.core.rules import REFUSED, Rule
from dpverify.core.subjects import LawPair
from dpverify.laws.composite import compare_laws
from dpverify.laws.discrete import DiscreteLaw


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PointLaw(Checked):
    """All mass on `place`, shape (k,), finite."""

    place: FiniteVector

    def against(self, other: object) -> LawPair:
        """The pair (self, other); raises UnsupportedError unless `other` is a point too."""
        if not isinstance(other, PointLaw):
            return compare_laws(self, other)
        return _pair(np.array_equal(self.place, other.place))


@cache
def _pair(same: bool) -> LawPair:
    one, none = Fraction(1), Fraction(0)
    if same:
        return DiscreteLaw.from_fractions([one]).against(DiscreteLaw.from_fractions([one]))
    return DiscreteLaw.from_fractions([one, none]).against(DiscreteLaw.from_fractions([none, one]))


@dataclass(frozen=True, slots=True)
class Vector(Rule):
    """Finite numbers, shape (k,), k >= 1."""

    def kept(self, value: Any) -> Any:
        """A read-only copy, float64."""
        array = np.array(value, dtype=np.float64)
        if array.ndim != 1 or array.size == 0 or not np.isfinite(array).all():
            return REFUSED
        array.flags.writeable = False
        return array

    @property
    def allowed(self) -> str:
        """The allowed values, for messages."""
        return "finite numbers, shape (k,), k >= 1"

    def refuse(self, where: str, value: Any) -> NoReturn:
        """Names the shape; the numbers may be many."""
        raise InputError(f"{where} of shape {np.shape(value)}", allowed=self.allowed)


FiniteVector = Annotated[NDArray[np.float64], Vector()]
"""A vector of finite numbers, shape (k,), k >= 1; copied and read-only."""
