"""Laws with a density: Laplace and Gaussian noise around a vector, and any density on the line.

Basis: closed forms where both sides are one family with one scale (`laplace`, `gaussian`); otherwise, and
on the line only, numerical integration (`density_pair`), whose error is an estimate. Coordinates are independent.
Not to be confused with the law of a floating-point sampler: these are the real-number mechanisms.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from dpverify.core.errors import InputError, UnsupportedError
from dpverify.core.fields import Checked
from dpverify.core.rules import Positive
from dpverify.core.subjects import Float, LawPair
from dpverify.laws.composite import compare_laws
from dpverify.laws.density_pair import DensityPair, integrate, panel_edges
from dpverify.laws.shift_pair import GaussianPair, LaplacePair, checked_vectors

_MASS_TOLERANCE = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DensityLaw(Checked):
    """Any law on the line that has a density."""

    log_density: Callable[[Float], Float]
    """Natural log of the density, vectorised, called inside the support only; -inf is allowed."""
    kinks: tuple[float, ...] = ()
    """Points where the density is not smooth, and peaks that integration must not miss."""
    support: tuple[float, float] = (-math.inf, math.inf)
    """The interval outside of which the density is exactly 0."""
    scale: Positive = 1.0
    """The shortest length on which the density bends."""
    decay_scale: float | None = None
    """s when the density is A e^(x/s) + B e^(-x/s) between kinks (Laplace noise and its mixtures), on the whole
    line."""
    defect: float = field(init=False)
    """How far the integral is from 1, with the error of that integral."""

    def validate(self) -> None:
        """It integrates to 1 over its support."""
        if not self.support[0] < self.support[1]:
            raise InputError(f"support {self.support}", allowed="low < high")
        edges = panel_edges(self.kinks, self.scale, self.support)
        mass, error = integrate(lambda x: np.exp(self.log_at(x)), edges)
        if not abs(mass - 1) <= _MASS_TOLERANCE:
            raise InputError(
                f"a density with integral {mass:.9g}",
                allowed="1 up to 1e-6",
                remedy="normalise it, or name its peaks as kinks and its shortest length as scale",
            )
        object.__setattr__(self, "defect", abs(mass - 1) + error)

    def log_at(self, points: Float) -> Float:
        """The log-density anywhere, -inf outside the support; same shape as `points`."""
        low, high = self.support
        inside = (points >= low) & (points <= high)
        values = np.full(points.shape, -np.inf)
        with np.errstate(divide="ignore"):  # log 0 at an end of the support
            values[inside] = self.log_density(points[inside])
        return values

    def flat(self) -> DensityLaw:
        """Itself: it is a density on the line."""
        return self

    def against(self, other: object) -> LawPair:
        """The pair (self, other); raises UnsupportedError when `other` has no density on the line."""
        if isinstance(other, DensityLaw):
            return DensityPair(p=self, q=other)
        return compare_laws(self, other)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _AdditiveLaw(Checked):
    """Independent noise of one family around `locations`, shape (k,); `scales` is one number or shape (k,)."""

    locations: Float
    scales: Float
    closed: ClassVar[type[LaplacePair] | type[GaussianPair]]
    """The family's pair at equal scales."""

    def validate(self) -> None:
        """One scale for each coordinate."""
        places, widths = checked_vectors(self.locations, self.scales)
        object.__setattr__(self, "locations", places)
        object.__setattr__(self, "scales", widths)

    def against(self, other: object) -> LawPair:
        """The pair (self, other): closed forms for equal scales, else both as densities on the line."""
        if isinstance(other, type(self)) and np.array_equal(self.scales, other.scales):
            return self.closed(p_locations=self.locations, q_locations=other.locations, scales=self.scales)
        return compare_laws(self, other)

    def _single(self) -> tuple[float, float]:
        if self.locations.size > 1:
            raise UnsupportedError(f"noise in {self.locations.size} dimensions is not a density on the line")
        return float(self.locations[0]), float(self.scales[0])


class LaplaceLaw(_AdditiveLaw):
    """Independent Laplace noise around `locations`, shape (k,); `scales` is one number or shape (k,)."""

    __slots__ = ()
    closed = LaplacePair

    def flat(self) -> DensityLaw:
        """The density on the line; UnsupportedError in more dimensions."""
        place, width = self._single()
        return DensityLaw(
            log_density=lambda x: -np.abs(x - place) / width - math.log(2 * width),
            kinks=(place,),
            scale=width,
            decay_scale=width,
        )


class GaussianLaw(_AdditiveLaw):
    """Independent Gaussian noise around `locations`, shape (k,); `scales` (standard deviations): one or shape (k,)."""

    __slots__ = ()
    closed = GaussianPair

    def flat(self) -> DensityLaw:
        """The density on the line; UnsupportedError in more dimensions."""
        place, width = self._single()
        return DensityLaw(
            log_density=lambda x: -(((x - place) / width) ** 2) / 2 - math.log(width * math.sqrt(2 * math.pi)),
            kinks=(place,),
            scale=width,
        )
