"""Arrays of noisy numbers: numpy arrays of dtype object that keep the noise traced where a function allows it.

Sums, differences and scaling are applied to each :class:`Traced` element. So are clipping, rounding and bounds, whose
results are noisy with an unspecified law. Any other function takes the plain numbers, which is a hidden coin, and
returns plain arrays.

``counts += rng.laplace(size=3)`` cannot write noisy numbers into a float64 array: the name is bound to a new array, and
the old array is unchanged. Where the program has another name for the old array, the run differs from that of the
unchanged program, and its findings are dropped.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dpverify.recording.traced_number import Traced, after_monotone, untraced

_KEEPING = (np.add, np.subtract, np.multiply, np.divide, np.negative, np.positive, np.matmul)
_RISING = ("maximum", "minimum", "fmax", "fmin", "clip", "rint", "floor", "ceil", "trunc")


class TracedArray(np.ndarray[Any, np.dtype[Any]]):
    """An array of dtype object with noisy numbers in it."""

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **named: Any) -> Any:
        """Called by numpy when a ufunc is applied to such an array."""
        return applied(ufunc, method, inputs, named)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        """Called by numpy for its other functions; results stay arrays of this class."""
        return _wrapped(super().__array_function__(func, types, args, kwargs))

    def astype(self, dtype: Any, *given: Any, **named: Any) -> Any:
        """Convert to floats (noisy) or integers (noisy, truncated); other types take the plain numbers."""
        kind = np.dtype(dtype).kind
        if kind == "f":
            return self.copy()
        if kind == "i":
            return _wrapped(np.frompyfunc(_cut_off, 1, 1)(self.view(np.ndarray)))
        return np.asarray(super().astype(dtype, *given, **named))


def applied(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Apply a numpy function to arguments that contain noisy numbers or arrays of them."""
    outs = named.pop("out", ())
    if ufunc in _KEEPING or (ufunc.__name__ in _RISING and method == "__call__"):
        given = [_objects(each) for each in inputs]
        kept = [each.view(np.ndarray) for each in outs if isinstance(each, np.ndarray) and each.dtype == object]
        into = {"out": tuple(kept)} if kept else {}
        with np.errstate(all="ignore"):  # comparisons with a NaN would give numpy's warnings
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
    """The plain numbers, no longer traced."""
    if isinstance(value, Traced):
        return value.bare(f"put through {how}")
    if isinstance(value, TracedArray):
        return np.array([untraced(each, f"put through {how}") for each in value.ravel()]).reshape(value.shape)
    return value


def _wrapped(found: Any) -> Any:
    return found.view(TracedArray) if isinstance(found, np.ndarray) and found.dtype == object else found


def _bounded(original: Callable[..., Any]) -> Callable[..., Any]:
    """A function that increases in each argument; the result is traced where one argument is noisy."""

    def bounded(*given: Any) -> Any:
        noisy = [each for each in given if isinstance(each, Traced)]
        if not noisy:
            return float(original(*given))
        if len(noisy) > 1:
            return float(original(*(untraced(each, "compared") for each in given)))
        return after_monotone(
            noisy[0],
            lambda value: float(original(*(value if each is noisy[0] else each for each in given))),
            "compared",
        )

    return bounded


def _cut_off(value: Any) -> Any:
    return after_monotone(value, int, "converted to an int") if isinstance(value, Traced) else int(value)


def _register() -> None:
    """Make numpy's functions work on a single noisy number as on an array of one element."""

    def of_number(self: Traced, ufunc: np.ufunc, method: str, *inputs: Any, **named: Any) -> Any:
        return applied(ufunc, method, inputs, named)

    setattr(Traced, "__array_ufunc__", of_number)  # noqa: B010 - the arrays know the numbers, not the other way round


_register()
