"""Transformations of OpenDP followed by noise: whether their stability maps hold.

Every public ``make_*`` of ``opendp.transformations`` is built over the grid, and where its output space takes Laplace
or Gaussian noise, the chain is a measurement whose map is the library's claim.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from typing import Any

from dpverify.adapters.libraries.opendp.grid import Point, UnknownParameterError, constructors, points

VALUES: dict[str, Sequence[Any]] = {
    "bounds": ((0, 3), (0.0, 3.0)),
    "categories": (["a", "b"], [0, 3], [False, True]),
    "constant": (1, 1.0),
    "size": (4,),
    "value": ("a", 0, True),
    "edges": ([1, 2], [1.0, 2.0]),
    "TOA": ("i32", "f64"),
    "TO": ("i32", "f64"),
    "MO": ("L1Distance<i32>", "L1Distance<f64>", "L2Distance<i32>", "L2Distance<f64>"),
    "TV": ("i32",),
    "leaf_count": (2,),
    "branching_factor": (2,),
}
"""Of the transformations' parameters, beside those of the grid."""

NOISE = ("make_laplace", "make_gaussian")


def chained(dp: Any, *, quick: bool) -> Iterator[tuple[Point, Any, Any]]:
    """Points of the transformations' grid, each with the transformation and the noise that goes on it."""
    for constructor in constructors(dp.t):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                made = list(points(constructor, dp, more=VALUES, quick=quick))
            except UnknownParameterError:
                continue
            for point, transformation in made:
                if point.space is None or not hasattr(transformation, "output_space"):
                    continue
                noise = _noise(dp, transformation)
                if noise is not None:
                    yield point, transformation, noise


def _noise(dp: Any, transformation: Any) -> Any:
    """``noise(scale)`` on the output of a transformation; None where neither kind of noise fits."""
    for name in NOISE:
        then = getattr(dp.m, name)

        def noise(scale: float, then: Any = then) -> Any:
            return then(*transformation.output_space, scale)

        try:
            noise(1.0)
        except Exception:  # noqa: BLE001 - the library says that it does not fit
            continue
        return noise
    return None
