"""Additive noise of one family and one scale on both sides: the pair is known by its standardised shifts alone.

Basis: the divergences of independent additive noise depend on |x_i - y_i| / scale_i only. In doubles each
shift has a relative error of at most two units; as fractions the shifts are exact, because doubles are rational.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from dpverify.core.errors import InputError
from dpverify.core.subjects import Float


def checked_vectors(locations: ArrayLike, scales: ArrayLike) -> tuple[Float, Float]:
    """Frozen copies, both of shape (k,); a single scale is repeated."""
    places = np.atleast_1d(np.array(locations, dtype=np.float64))
    if places.ndim != 1 or places.size == 0 or not np.all(np.isfinite(places)):
        raise InputError(f"locations {locations!r}", allowed="finite numbers, shape (k,)")
    widths = np.array(scales, dtype=np.float64)
    if widths.ndim > 1 or widths.size not in (1, places.size) or not np.all((widths > 0) & np.isfinite(widths)):
        raise InputError(f"scales {scales!r}", allowed=f"finite numbers > 0, one or {places.size} of them")
    widths = np.array(np.broadcast_to(widths, places.shape))
    for array in (places, widths):
        array.flags.writeable = False
    return places, widths


def checked_rates(alpha: ArrayLike) -> Float:
    """False-positive rates as an array; InputError outside [0, 1]."""
    rates = np.asarray(alpha, dtype=np.float64)
    if not np.all((rates >= 0) & (rates <= 1)):
        raise InputError("a false-positive rate outside [0, 1]", allowed="numbers in [0, 1]")
    return rates


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ShiftPair:
    """Noise of equal scales around two vectors of locations.

    Attributes
    ----------
    p_locations, q_locations, scales : ndarray, shape (k,)
        Coordinates are independent.
    """

    p_locations: Float
    q_locations: Float
    scales: Float
    shifts: Float = field(init=False)
    """|p - q| / scale per coordinate, shape (k,)."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "shifts", np.abs(self.p_locations - self.q_locations) / self.scales)

    def swap(self) -> Self:
        """The pair (Q, P)."""
        return type(self)(p_locations=self.q_locations, q_locations=self.p_locations, scales=self.scales)

    def exact_shifts(self) -> list[Fraction]:
        """The non-zero shifts as exact fractions."""
        vectors = zip(self.p_locations.tolist(), self.q_locations.tolist(), self.scales.tolist(), strict=True)
        return [abs(Fraction(p) - Fraction(q)) / Fraction(scale) for p, q, scale in vectors if p != q]
