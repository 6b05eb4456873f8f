"""Arrays of noisy numbers: numpy arrays of dtype object that know which functions keep the account.

Sums, differences and scalings go element by element through :class:`Traced`; so do clipping, rounding and bounds, whose
results are noisy numbers of a law that is not looked into. Every other function takes the bare numbers, which is a
hidden coin, and gives plain arrays.

``counts += rng.laplace(size=3)`` cannot write noisy numbers into an array of float64: the name gets a new array, and
the old one stays as it was. Where the program has another name for it, the run differs from the untouched program's and
is not believed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dpverify.recording.traced_number import Traced, rough, untraced

_KEEPING = (np.add, np.subtract, np.multiply, np.divide, np.negative, np.positive, np.matmul)
_RISING = ("maximum", "minimum", "fmax", "fmin", "clip", "rint", "floor", "ceil", "trunc")


class TracedArray(np.ndarray[Any, np.dtype[Any]]):
    """An array of dtype object with noisy numbers in it."""

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **named: Any) -> Any:
        """What numpy asks when a function meets one of these arrays."""
        return applied(ufunc, method, inputs, named)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        """The same for functions that are made of others: what comes out stays an array of this kind."""
        return _wrapped(super().__array_function__(func, types, args, kwargs))

    def astype(self, dtype: Any, *given: Any, **named: Any) -> Any:
        """Floats stay noisy numbers, integers are noisy numbers cut off; for other types the bare numbers are taken."""
        kind = np.dtype(dtype).kind
        if kind == "f":
            return self.copy()
        if kind == "i":
            return _wrapped(np.frompyfunc(_cut_off, 1, 1)(self.view(np.ndarray)))
        return np.asarray(super().astype(dtype, *given, **named))


def applied(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """A numpy function on arrays some of which hold noisy numbers, or on noisy numbers themselves."""
    outs = named.pop("out", ())
    if ufunc in _KEEPING or (ufunc.__name__ in _RISING and method == "__call__"):
        given = [_objects(each) for each in inputs]
        kept = [each.view(np.ndarray) for each in outs if isinstance(each, np.ndarray) and each.dtype == object]
        into = {"out": tuple(kept)} if kept else {}
        with np.errstate(all="ignore"):  # comparisons of Python's with a NaN would be told as numpy's
            if ufunc in _KEEPING:
                return _wrapped(getattr(ufunc, method)(*given, **named, **into))
            return _wrapped(np.frompyfunc(_bounded(ufunc), len(given), 1)(*given, **into))
    bare = [_bare(each, ufunc.__name__) for each in inputs]
    return getattr(ufunc, method)(*bare, **named, **({"out": outs} if outs else {}))


def _objects(value: Any) -> Any:
    if isinstance(value, Traced):
        alone = np.empty((), dtype=object)
        alone[()] = value
        return alone
    return value.view(np.ndarray) if isinstance(value, TracedArray) else value


def _bare(value: Any, how: str) -> Any:
    """Plain numbers, out of the account."""
    if isinstance(value, Traced):
        return value.bare(f"put through {how}")
    if isinstance(value, TracedArray):
        return np.array([untraced(each, f"put through {how}") for each in value.ravel()]).reshape(value.shape)
    return value


def _wrapped(found: Any) -> Any:
    return found.view(TracedArray) if isinstance(found, np.ndarray) and found.dtype == object else found


def _bounded(original: Callable[..., Any]) -> Callable[..., Any]:
    """A function of numbers that rises with each: kept where one of them is noisy."""

    def bounded(*given: Any) -> Any:
        noisy = [each for each in given if isinstance(each, Traced)]
        if not noisy:
            return float(original(*given))
        if len(noisy) > 1:
            return float(original(*(untraced(each, "compared") for each in given)))
        return rough(
            noisy[0],
            lambda value: float(original(*(value if each is noisy[0] else each for each in given))),
            "compared",
        )

    return bounded


def _cut_off(value: Any) -> Any:
    return rough(value, int, "converted to an int") if isinstance(value, Traced) else int(value)


def _register() -> None:
    """A single noisy number answers numpy's functions as an array of one does."""

    def of_number(self: Traced, ufunc: np.ufunc, method: str, *inputs: Any, **named: Any) -> Any:
        return applied(ufunc, method, inputs, named)

    setattr(Traced, "__array_ufunc__", of_number)  # noqa: B010 - the arrays know the numbers, not the other way round


_register()
