"""A ``numpy.random.Generator`` that passes every call on to another one, with its noise altered.

Altered are noise with a location and a scale (normal, Laplace, Gumbel, logistic, exponential), uniform numbers in
[0, 1), and geometric numbers; integers, choices and permutations are passed on as they are. Limits: numbers that are
drawn from the bit generator itself (by a jitted kernel, say) are not altered.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

LOCATED = ("normal", "laplace", "gumbel", "logistic")
SCALED = ("exponential", "rayleigh")
STANDARD = {"standard_normal": "normal", "standard_exponential": "exponential"}


@dataclass(frozen=True, kw_only=True)
class Alteration:
    """An alteration of each call."""

    scale: Callable[[Any], Any] | None = None
    """``scale(b) -> b'`` of noise with a scale."""
    uniform: Callable[[Any], Any] | None = None
    """``uniform(u) -> u'`` of numbers in [0, 1)."""
    chance: Callable[[Any], Any] | None = None
    """``chance(p) -> p'`` of geometric numbers."""
    sign: bool = False
    """Whether noise around a location only adds, and never subtracts."""
    once: bool = False
    """Whether all numbers of one law are one number, drawn once."""


class AlteredGenerator(np.random.Generator):
    """Passes calls on to `inner`, altered.

    Parameters
    ----------
    inner : Generator
        Where numbers come from; a recording one stays one.
    alteration : Alteration
        What becomes of each call.
    """

    def __init__(self, inner: np.random.Generator, alteration: Alteration) -> None:
        super().__init__(np.random.PCG64(0))
        self.inner, self.alteration = inner, alteration
        self._drawn: dict[str, Any] = {}

    @property
    def bit_generator(self) -> np.random.BitGenerator:
        """The bit generator beneath."""
        return self.inner.bit_generator

    def spawn(self, n_children: int) -> list[np.random.Generator]:
        """Spawned generators are altered, too."""
        return [AlteredGenerator(child, self.alteration) for child in self.inner.spawn(n_children)]

    def noise(self, method: str, loc: Any, scale: Any, size: Any) -> Any:
        """Noise of one law around `loc`."""
        altered = self.alteration
        scale = scale if altered.scale is None else altered.scale(scale)
        if altered.once:
            return self._spread(self._one(method, ()), loc, scale, size)
        centre = () if method in SCALED else (loc,)
        if not altered.sign or not centre:
            return getattr(self.inner, method)(*centre, scale, size=size)
        return loc + abs(getattr(self.inner, method)(0.0, scale, size=_shape(loc, scale, size)))

    def uniforms(self, size: Any, low: Any = 0.0, width: Any = 1.0) -> Any:
        """Numbers in [low, low + width)."""
        altered = self.alteration
        drawn = self._spread(self._one("random", ()), 0.0, 1.0, size) if altered.once else self.inner.random(size)
        return low + width * (drawn if altered.uniform is None else altered.uniform(drawn))

    def geometrics(self, p: Any, size: Any = None) -> Any:
        """Return counts of trials."""
        p = p if self.alteration.chance is None else self.alteration.chance(p)
        if self.alteration.once:
            return self._spread(self._one("geometric", (p,)), 0, 1, size)
        return self.inner.geometric(p, size)

    def _one(self, method: str, given: tuple[Any, ...]) -> Any:
        """The one number of this law."""
        if method not in self._drawn:
            self._drawn[method] = getattr(self.inner, method)(*given)
        return self._drawn[method]

    @staticmethod
    def _spread(unit: Any, loc: Any, scale: Any, size: Any) -> Any:
        """``loc + scale * unit`` in the asked shape."""
        shape = _shape(loc, scale, size)
        found = loc + scale * unit
        return found if shape is None or np.shape(found) == shape else np.full(shape, found)


def _shape(loc: Any, scale: Any, size: Any) -> tuple[int, ...] | None:
    """Return the shape of the numbers that are asked for; None for a single one."""
    if size is not None:
        return (int(size),) if isinstance(size, int | np.integer) else tuple(size)
    return np.broadcast_shapes(np.shape(loc), np.shape(scale)) or None


def _bound(method: str, names: tuple[str, ...], defaults: tuple[Any, ...]) -> Callable[..., Any]:
    """A method with named arguments that are altered; a call with any other argument is passed on as it is."""
    original = getattr(np.random.Generator, method)

    def draw(self: AlteredGenerator, *given: Any, **named: Any) -> Any:
        words = dict(zip(names, given, strict=False)) | named
        if len(given) > len(names) or not set(words) <= set(names):
            return getattr(self.inner, method)(*given, **named)
        first, second, size = (words.get(name, default) for name, default in zip(names, defaults, strict=True))
        if method == "uniform":
            return self.uniforms(size, first, second - first)
        return self.noise(STANDARD.get(method, method), first, second, size)

    return functools.wraps(original)(draw)


def _random(self: AlteredGenerator, size: Any = None, *given: Any, **named: Any) -> Any:
    return self.inner.random(size, *given, **named) if given or named else self.uniforms(size)


def _passed_on(method: str) -> Callable[..., Any]:
    def draw(self: AlteredGenerator, *given: Any, **named: Any) -> Any:
        return getattr(self.inner, method)(*given, **named)

    return functools.wraps(getattr(np.random.Generator, method))(draw)


def _one_argument(method: str) -> Callable[..., Any]:
    """``exponential(scale, size)`` and the standard laws, which have neither location nor scale."""
    scaled = method in SCALED

    def draw(self: AlteredGenerator, first: Any = None, size: Any = None, *given: Any, **named: Any) -> Any:
        if given or (set(named) - {"scale"} if scaled else named):
            rest = (first, size, *given) if scaled else (first, *given)
            return getattr(self.inner, method)(*rest, **named)
        if scaled:
            scale = named.get("scale", 1.0 if first is None else first)
            return self.noise(method, 0.0, scale, size)
        return self.noise(STANDARD[method], 0.0, 1.0, first if size is None else size)

    return functools.wraps(getattr(np.random.Generator, method))(draw)


def _alter_all() -> None:
    """Override every public method of numpy's generator, those of later versions too."""
    own = {"random": _random, "geometric": AlteredGenerator.geometrics}
    own |= {method: _bound(method, ("loc", "scale", "size"), (0.0, 1.0, None)) for method in LOCATED}
    own["uniform"] = _bound("uniform", ("low", "high", "size"), (0.0, 1.0, None))
    own |= {method: _one_argument(method) for method in (*SCALED, *STANDARD)}
    for method, _ in inspect.getmembers(np.random.Generator, callable):
        if not method.startswith("_") and method != "spawn":
            setattr(AlteredGenerator, method, own.get(method) or _passed_on(method))


_alter_all()
