"""A number that keeps track of the noise in it: ``clean + sum of coefficient x unit noise``, through arithmetic.

In a recorded run noise consists of such numbers. Addition, subtraction and scaling keep the noise traced. Rounding and
bounding give a number with new noise of an unspecified law. Any other operation (comparison, conversion, product of
two, formatting) takes the plain number: from then on the noise may decide what happens, and the recorder notes a coin.
The plain number cannot be reached in any other way.

Arrays of them are numpy arrays of dtype object. Values are computed by the same operations as without tracing, so a run
gives the same bits.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from numbers import Real
from typing import Any, Protocol

import numpy as np

Parts = tuple[tuple[int, float], ...]

UNIT = 2.0**-52
"""Twice the relative rounding error of one operation."""


class NoiseAccount(Protocol):
    """Interface of the recorder that is notified when a plain number is taken."""

    def bare(self, number: Traced, how: str) -> float:
        """The plain number; from here on its noise may decide what the program does."""
        ...

    def rough(self, number: Traced, apply: Callable[[float], Any], how: str) -> Any:
        """The noisy number after a monotone function: with new noise, or a plain number."""
        ...


class Traced:
    """A noisy number.

    Attributes
    ----------
    value : float
        The number as the program uses it.
    clean : float
        The number without its noise.
    parts : tuple of (int, float)
        Units of noise by number, with their coefficients; no coefficient is 0.
    error : float
        Upper bound on the rounding error of `clean` and of `value` since the noise was added.
    """

    __slots__ = ("_ledger", "clean", "error", "parts", "value")
    __array_priority__ = -1.0  # numpy arrays accept it as an element

    def __init__(self, value: float, clean: float, parts: Parts, ledger: NoiseAccount, error: float = 0.0) -> None:
        self.value, self.clean, self.parts, self._ledger, self.error = value, clean, parts, ledger, error

    @property
    def ledger(self) -> NoiseAccount:
        """The recorder of its run."""
        return self._ledger

    def _made(self, value: float, clean: float, parts: dict[int, float], error: float) -> Traced | float:
        kept = tuple((unit, factor) for unit, factor in parts.items() if factor != 0.0)
        rounded = error + UNIT * max(abs(value), abs(clean))
        return Traced(value, clean, kept, self._ledger, rounded) if kept else clean  # the noise cancelled

    def bare(self, how: str) -> float:
        """The plain number, no longer traced."""
        return self._ledger.bare(self, how)

    # ---- what keeps the account ----

    def _sum(self, other: Any, sign: float) -> Any:
        if isinstance(other, Traced):
            if other._ledger is not self._ledger:
                how = "added to one of another run"
                return self.bare(how) + sign * other.bare(how)
            parts = dict(self.parts)
            for unit, factor in other.parts:
                parts[unit] = parts.get(unit, 0.0) + sign * factor
            error = self.error + other.error
            return self._made(self.value + sign * other.value, self.clean + sign * other.clean, parts, error)
        number = _number(other)
        if number is None:
            return NotImplemented
        return self._made(self.value + sign * number, self.clean + sign * number, dict(self.parts), self.error)

    def __add__(self, other: Any) -> Any:
        return self._sum(other, 1.0)

    def __radd__(self, other: Any) -> Any:
        return self._sum(other, 1.0)

    def __sub__(self, other: Any) -> Any:
        return self._sum(other, -1.0)

    def __rsub__(self, other: Any) -> Any:
        return (-self)._sum(other, 1.0)

    def __neg__(self) -> Traced:
        parts = tuple((unit, -factor) for unit, factor in self.parts)
        return Traced(-self.value, -self.clean, parts, self._ledger, self.error)

    def __pos__(self) -> Traced:
        return self

    def _scaled(self, other: Any, apply: Callable[[float, float], float], how: str) -> Any:
        if isinstance(other, Traced):
            return apply(self.bare(how), other.bare(how))
        number = _number(other)
        if number is None:
            return NotImplemented
        parts = {unit: apply(factor, number) for unit, factor in self.parts}
        error = abs(apply(self.error, number))
        return self._made(apply(self.value, number), apply(self.clean, number), parts, error)

    def __mul__(self, other: Any) -> Any:
        return self._scaled(other, operator.mul, "multiplied by another")

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return self._scaled(other, divided, "divided by another")

    def conjugate(self) -> Traced:
        """The number itself; numpy calls this in dot products."""
        return self

    # ---- what ends it ----

    def __reduce__(self) -> Any:
        return float, (self.bare("written out"),)

    def __round__(self, digits: int | None = None) -> Any:
        return after_monotone(self, lambda value: round(value, digits), "rounded")

    def clip(self, low: Any = None, high: Any = None, **named: Any) -> Any:
        """The number clipped to bounds; ``numpy.clip`` calls this."""
        bounds = named.get("min", low), named.get("max", high)
        return after_monotone(self, lambda value: np.clip(value, *bounds).item(), "compared")

    def __deepcopy__(self, memo: Any) -> Traced:
        return self

    def __copy__(self) -> Traced:
        return self

    def __hash__(self) -> int:
        return hash(self.bare("hashed"))

    def __bool__(self) -> bool:
        return bool(self.bare("tested"))

    def __float__(self) -> float:
        return self.bare("converted to a plain float (return it as it is, or pass it through dpverify.release)")

    def __int__(self) -> int:
        return int(self.bare("converted to an int"))

    def __repr__(self) -> str:
        return repr(self.bare("written out"))

    def __format__(self, spec: str) -> str:
        return format(self.bare("written out"), spec)


def after_monotone(number: Traced, apply: Callable[[float], Any], how: str) -> Any:
    """The number after a monotone function; its noise has an unspecified law."""
    return number.ledger.rough(number, apply, how)


def divided(first: float, second: float) -> float:
    """Divide as numpy does: division by 0 gives an infinity or a NaN, and no exception."""
    with np.errstate(all="ignore"):
        return float(np.float64(first) / np.float64(second))


def _number(other: Any) -> float | None:
    if isinstance(other, np.ndarray) and other.ndim == 0 and other.dtype.kind in "biuf":
        return float(other)
    if isinstance(other, Real | np.bool_):
        return float(other)
    return None


def untraced(other: Any, how: str) -> Any:
    """The plain number of a traced one; any other value unchanged."""
    return other.bare(how) if isinstance(other, Traced) else other


def _ending(how: str, apply: Callable[..., Any]) -> Callable[..., Any]:
    """Make a method that works on the plain number, so that tracing ends."""

    def method(self: Traced, *others: Any) -> Any:
        if any(isinstance(other, np.ndarray) and other.ndim for other in others):
            return NotImplemented
        return apply(self.bare(how), *(untraced(other, how) for other in others))

    return method


def _reflected(apply: Callable[..., Any]) -> Callable[..., Any]:
    return lambda first, second: apply(second, first)


def _kept(apply: Callable[[float], Any]) -> Callable[..., Any]:
    return lambda self: after_monotone(self, apply, "rounded")


_COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")
_BINARY = {"floordiv": operator.floordiv, "mod": operator.mod, "pow": operator.pow}
_UNARY: dict[str, Callable[..., Any]] = {
    "abs": abs,
}
_ROUGH: dict[str, Callable[..., Any]] = {"floor": math.floor, "ceil": math.ceil, "trunc": math.trunc}
_OF_ARRAYS: tuple[str, ...] = ("exp", "expm1", "log", "log1p", "log2", "log10", "sqrt", "cbrt", "sin", "cos", "tan")
_OF_ARRAYS += ("sinh", "cosh", "tanh", "arctan")
for _name in _COMPARISONS:
    setattr(Traced, f"__{_name}__", _ending("compared", getattr(operator, _name)))
for _name, _apply in _BINARY.items():
    setattr(Traced, f"__{_name}__", _ending("put through a function", _apply))
    setattr(Traced, f"__r{_name}__", _ending("put through a function", _reflected(_apply)))
for _name, _apply in _UNARY.items():
    setattr(Traced, f"__{_name}__", _ending("put through a function", _apply))
for _name, _apply in _ROUGH.items():
    setattr(Traced, f"__{_name}__", _kept(_apply))
for _name in ("floor", "ceil", "rint", "trunc"):  # as for `_OF_ARRAYS`
    setattr(Traced, _name, _kept(getattr(np, _name)))
for _name in _OF_ARRAYS:  # numpy calls the method of the function's name on the elements of an array of objects
    setattr(Traced, _name, _ending("put through a function", getattr(np, _name)))
setattr(Traced, "__rtruediv__", _ending("put through a function", _reflected(divided)))  # noqa: B010 - as its like
