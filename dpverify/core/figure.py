"""A figure of the ledger: curves that are computed where the algorithm is, drawn where reports are made.

Beside the algorithm stands what is drawn, as numbers; nothing here knows how it will look. A figure decides nothing and
no auditor sees one. Not to be confused with the trade-off picture that every privacy audit carries in its record.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from dpverify.core.errors import InputError
from dpverify.core.fields import Checked

Kind = Literal["claimed", "found", "dots", "bound"]
"""What a curve is: what the paper claims, what is true (or was measured), single points, or a bound that holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve(Checked):
    """One curve: points by increasing x; those that are not finite are left out (and break a line).

    Raises
    ------
    InputError
        For a curve without points.
    """

    label: str
    points: tuple[tuple[float, float], ...]
    kind: Kind = "found"

    def validate(self) -> None:
        """There is something to draw."""
        if not any(math.isfinite(x) and math.isfinite(y) for x, y in self.points):
            raise InputError(f"the curve {self.label!r} without a finite point", allowed="one at least")


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure(Checked):
    """One picture beside some claims.

    Attributes
    ----------
    title : str
        What it shows, in a line.
    claims : tuple of str
        Ids of the rows that it stands beside; the first says on which paper's page.
    x, y : str
        What the axes are, with units.
    curves : callable
        Computes them; deterministic, a few seconds at most.
    note : str
        What to see in it, and what it was computed from, in a sentence or two.
    log_x, log_y : bool
        Logarithmic axes.
    level : float or None
        A horizontal line, such as 1 where ratios of what is found to what is claimed are drawn.
    """

    title: str
    claims: tuple[str, ...]
    x: str
    y: str
    curves: Callable[[], tuple[Curve, ...]]
    note: str
    log_x: bool = False
    log_y: bool = False
    level: float | None = None

    def validate(self) -> None:
        """It stands beside a claim."""
        if not self.claims:
            raise InputError(f"the figure {self.title!r} beside no claim", allowed="ids of claims")
