"""Any Python callable as a mechanism: ``f(dataset, rng)``, ``f(dataset, size, rng)`` or a plain ``f(dataset)``.

Which of the three it is, is read off the parameter *names* ``rng`` and ``size``, wherever they stand. Each call gets
its own copy of the data set. Outputs may be numbers, vectors of numbers, labels (strings) or dicts of these; they must
be finite and of one type and size throughout, since a change of either would itself be an event that is lost here.
"""

from __future__ import annotations

import copy
import inspect
import numbers
from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dpverify.core.errors import InputError, one_line

Call = Literal["scalar", "batch", "plain"]
CALLS: tuple[Call, ...] = ("scalar", "batch", "plain")


class CallableMechanism:
    """A user's callable with the capability ``sample``.

    Parameters
    ----------
    function : callable
        The mechanism.
    call : "scalar", "batch", "plain" or None
        How it is called; None reads it off its parameters' names.

    Attributes
    ----------
    reproducible : bool
        False for a plain callable: its randomness is its own, so a seed gives nothing back.
    labels : dict
        Codes given to label outputs, in the order in which they were first seen.

    Raises
    ------
    InputError
        When the callable has other parameters without a default, raises, or returns what no audit can use.
    """

    def __init__(self, function: Callable[..., Any], *, call: Call | None = None) -> None:
        if not callable(function):
            raise InputError(f"the mechanism {function!r} is not callable", allowed="a function of (dataset, rng)")
        self.function = function
        self.name = getattr(function, "__qualname__", type(function).__qualname__)
        self._keywords, found = _signature(function, self.name)
        self.call: Call = call or found
        if self.call not in CALLS:
            raise InputError(f"call {self.call!r}", allowed=", ".join(CALLS))
        self._keywords &= {"scalar": {"rng"}, "batch": {"rng", "size"}, "plain": set()}[self.call]
        if self.call == "batch" and "size" not in self._keywords:
            raise InputError(f"{self.name} has no parameter called size", allowed="call='scalar' or call='plain'")
        self.reproducible = "rng" in self._keywords
        self.labels: dict[Any, int] = {}
        self._shape: tuple[str, Any] | None = None

    def sample(self, dataset: Any, size: int, *, rng: np.random.Generator) -> NDArray[np.float64]:
        """`size` independent outputs as float64, shape (size,) or (size, k); labels come as their codes."""
        if self.call == "batch":
            return self._batch(self._run(_copy(dataset), size, rng), size)
        first = self._encode(self._run(_copy(dataset), 1, rng))
        outputs = np.empty((size, *first.shape))
        outputs[0] = first
        for index in range(1, size):
            outputs[index] = self._encode(self._run(_copy(dataset), 1, rng))
        return outputs

    def _run(self, dataset: Any, size: int, rng: np.random.Generator) -> Any:
        given: dict[str, Any] = {"rng": rng, "size": size}
        try:
            return self.function(dataset, **{name: given[name] for name in self._keywords})
        except Exception as problem:
            raise InputError(
                f"{self.name} raised {type(problem).__name__}: {one_line(str(problem)) or '(no message)'}",
                allowed="a mechanism that returns on both data sets",
                remedy=f"call it once by hand on {_short(dataset)}",
            ) from problem

    def _batch(self, output: Any, size: int) -> NDArray[np.float64]:
        try:
            array = np.asarray(output)
        except ValueError:
            array = np.empty(0, dtype=object)
        if array.shape[:1] != (size,) or array.dtype.kind not in "biufUS":
            raise InputError(
                f"{self.name} returned {_short(output)} of shape {array.shape} and type {array.dtype} for size={size}",
                allowed=f"an array of numbers or labels of shape ({size},) or ({size}, k)",
                remedy="pass call='scalar' if it makes one output a call",
            )
        if array.dtype.kind in "US":
            flat = [self._code(label) for label in array.reshape(-1).tolist()]
            array = np.array(flat, dtype=np.float64).reshape(array.shape)
        array = array.astype(np.float64).reshape(size, -1) if array.ndim > 1 else array.astype(np.float64)
        self._same("array", array.shape[1:])
        self._finite(array)
        return array

    def _encode(self, output: Any) -> NDArray[np.float64]:
        kind, flat = self._flatten(output)
        array = np.array(flat, dtype=np.float64)
        self._same(kind, array.shape)
        self._finite(array)
        return array

    def _flatten(self, output: Any) -> tuple[str, Any]:
        if isinstance(output, bool | np.bool_ | numbers.Real | np.number) and not isinstance(output, complex):
            return "number", float(output)
        if isinstance(output, str | bytes):
            return "label", float(self._code(output))
        if isinstance(output, Mapping):
            names = sorted(output, key=str)
            parts = [self._flatten(output[name])[1] for name in names]
            return f"dict with the keys {names}", np.concatenate([np.atleast_1d(part) for part in parts]).tolist()
        try:
            items = list(output.reshape(-1).tolist() if isinstance(output, np.ndarray) else output)
        except TypeError:
            items = []
        if not items:
            raise InputError(
                f"{self.name} returned {_short(output)} ({type(output).__name__})",
                allowed="a number, a label, a vector of numbers, or a dict of these",
            )
        parts = [self._flatten(item)[1] for item in items]
        if any(isinstance(part, list) for part in parts):
            raise InputError(f"{self.name} returned the nested value {_short(output)}", allowed="a flat vector")
        return "vector", parts

    def _code(self, label: Any) -> int:
        return self.labels.setdefault(label, len(self.labels))

    def _same(self, kind: str, shape: Any) -> None:
        if self._shape is None:
            self._shape = (kind, shape)
        elif self._shape != (kind, shape):
            raise InputError(
                f"{self.name} returned a {kind} of shape {shape} after a {self._shape[0]} of shape {self._shape[1]}",
                allowed="outputs of one type and size, on both data sets",
                remedy="pad the output, or release its size as an output of its own",
            )

    def _finite(self, array: NDArray[np.float64]) -> None:
        if not np.isfinite(array).all():
            bad = array[~np.isfinite(array)].flat[0]
            raise InputError(
                f"{self.name} returned {bad}",
                allowed="finite numbers",
                remedy="map it to a label or a number: a NaN that depends on the data is a leak of its own",
            )


def _signature(function: Callable[..., Any], name: str) -> tuple[set[str], Call]:
    """The keywords among rng and size that the callable takes, and so its kind."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return set(), "plain"
    keywords = {item.name for item in parameters if item.name in ("rng", "size")}
    required = [
        item.name
        for item in parameters
        if item.default is item.empty
        and item.kind in (item.POSITIONAL_ONLY, item.POSITIONAL_OR_KEYWORD, item.KEYWORD_ONLY)
        and item.name not in keywords
    ]
    positional = any(item.kind is item.VAR_POSITIONAL for item in parameters)
    if len(required) > 1:
        raise InputError(
            f"{name} needs {', '.join(required[1:])} beside the data set",
            allowed="f(dataset, rng), f(dataset, size, rng) or f(dataset)",
            remedy=f"bind them: functools.partial({name}, {required[1]}=...)",
        )
    if not required and not positional and not any(item.name not in keywords for item in parameters):
        raise InputError(f"{name} takes no data set", allowed="f(dataset, rng), f(dataset, size, rng) or f(dataset)")
    return keywords, "batch" if "size" in keywords else ("scalar" if "rng" in keywords else "plain")


def _copy(dataset: Any) -> Any:
    if isinstance(dataset, np.ndarray):
        return dataset.copy()
    if isinstance(dataset, list) and all(isinstance(item, int | float | str) for item in dataset):
        return dataset.copy()
    return copy.deepcopy(dataset)


def _short(value: object) -> str:
    text = one_line(repr(value))
    return text if len(text) <= 60 else text[:57] + "..."
