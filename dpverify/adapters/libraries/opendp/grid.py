"""Builds every constructor of a module over a grid: input spaces, privacy measures, and values by parameter name.

The constructor's own signature says which parameters it needs; OpenDP itself refuses what does not fit (another type,
another metric), so nothing here says which constructor goes with which domain. A required parameter whose name has no
values here makes the constructor one that is not examined, with that reason.

Transformations are built in the same way, and where an output space takes Laplace or Gaussian noise, the chain is a
measurement whose map is the library's claim: so their stability maps are audited.
"""

from __future__ import annotations

import inspect
import itertools
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dpverify.adapters.libraries.opendp.spaces import Space, measures, spaces

VARIED: dict[str, Sequence[Any]] = {
    "scale": (1.0, 0.5, 4.0),
    "prob": (0.75, 0.6),
    "f": (0.5, 0.8),
    "k": (2,),
    "alpha": (0.5, 0.25),
    "negate": (False, True),
    "optimize": ("max", "min"),
    "categories": (["a", "b", "c"], [0, 1, 2]),
    "d_in": (1.0,),
    "d_out": ((1.0, 1e-2),),
    "population_size": (10,),
    "delta": (1e-2,),
    "stop_probability": (0.5,),
}
"""By parameter name: values that are each a point of the grid; the first one is that of the quick profile, but for
choices (`CHOICES`), which are all of it."""

CHOICES = ("negate", "optimize", "categories", "output_measure", "MO")

OTHERWISE: dict[str, dict[str, Sequence[Any]]] = {
    "make_noisy_top_k": {"scale": (2.0, 1.0)},
    "make_randomized_response_bitvec": {"f": (0.9, 0.5)},
}
"""By constructor: other values, where those above give an epsilon that few draws can exceed by a factor of two."""

TYPED: dict[str, Sequence[Any]] = {
    "threshold": (4.0, 2),
    "candidates": ([0, 1, 2, 3], [0.0, 1.0, 2.0, 3.0]),
    "total_limit": (8, 8.0),
    "value_limit": (8, 8.0),
}
"""By parameter name: the same value in the types that a domain may want; the first that is accepted is taken."""

OPTIONAL = ("MO", "negate", "optimize", "value_limit")
"""Parameters with a default that are part of the grid all the same."""


class UnknownParameterError(LookupError):
    """A required parameter that has no values here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One point of the grid."""

    constructor: Callable[..., Any]
    """Of the library."""
    words: Mapping[str, Any]
    """Its arguments."""
    space: Space | None = None
    """The input space among them."""
    quick: bool = True
    """Whether all its values are first ones."""

    def make(self, **changed: Any) -> Any:
        """What the constructor makes, with some arguments changed."""
        return self.constructor(**{**self.words, **changed})

    @property
    def name(self) -> str:
        """Of the constructor."""
        return str(self.constructor.__name__)


def constructors(module: Any) -> list[Callable[..., Any]]:
    """The public ``make_*`` functions of a module."""
    return [getattr(module, name) for name in sorted(dir(module)) if re.match(r"make_", name)]


def points(
    constructor: Callable[..., Any], dp: Any, *, more: Mapping[str, Sequence[Any]] | None = None, quick: bool = False
) -> Iterator[tuple[Point, Any]]:
    """The points that the library accepts, each with what was made.

    Parameters
    ----------
    more : mapping
        Values for further parameters, such as measurements for a combinator.
    quick : bool
        First values alone, and spaces whose numbers are of one type.

    Raises
    ------
    UnknownParameterError
        For a required parameter without values.
    """
    parameters = inspect.signature(constructor).parameters
    axes: list[list[tuple[str, Any, bool]]] = []
    typed: list[tuple[str, Sequence[Any]]] = []
    known = {**VARIED, **OTHERWISE.get(constructor.__name__, {}), **_measures(dp), **(more or {})}
    for name, parameter in parameters.items():
        if name in ("input_domain", "input_metric"):
            continue
        if parameter.default is not parameter.empty and name not in OPTIONAL:
            continue
        if name in TYPED and name not in (more or {}):
            typed.append((name, TYPED[name]))
        elif name in known:
            first = known[name][0]
            axis = [(name, each, name in CHOICES or each is first) for each in known[name]]
            axes.append([each for each in axis if each[2] or not quick])
        else:
            raise UnknownParameterError(name)
    inner = {"input_domain", "input_metric"} <= set(parameters)
    for space in (each for each in spaces(dp) if each.alike or not quick) if inner else [None]:
        at = {} if space is None else {"input_domain": space.domain, "input_metric": space.metric}
        for chosen in itertools.product(*axes):
            words = {**at, **{name: value for name, value, _ in chosen}}
            found = _first_accepted(constructor, words, typed)
            if found is not None:
                plain = all(first for _, _, first in chosen)
                yield Point(constructor=constructor, words=found[0], space=space, quick=plain), found[1]


def _first_accepted(
    constructor: Callable[..., Any], words: Mapping[str, Any], typed: Sequence[tuple[str, Sequence[Any]]]
) -> tuple[dict[str, Any], Any] | None:
    for values in itertools.product(*(choices for _, choices in typed)):
        tried = {**words, **{name: value for (name, _), value in zip(typed, values, strict=True)}}
        try:
            return tried, constructor(**tried)
        except Exception:  # noqa: BLE001 - the library says that this point does not fit
            continue
    return None


def _measures(dp: Any) -> dict[str, list[Any]]:
    found = measures(dp)
    return {"output_measure": found, "MO": [str(each.type) for each in found]}


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
