"""Any Python callable as a mechanism: ``f(dataset, rng)``, ``f(dataset, size, rng)`` or a plain ``f(dataset)``.

Which of the three it is, is read off the parameter *names* ``rng`` and ``size``, wherever they stand. Each call gets
its own copy of the data set. Outputs may be numbers, vectors of numbers, labels (strings) or dicts of these; they must
be finite and of one type and size throughout (see `kinds`), since a change of either would itself be an event that is
lost here.
"""

from __future__ import annotations

import copy
import hashlib
import inspect
import math
from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dpverify.adapters.kinds import array_kind, mixed, number_kind
from dpverify.core.errors import InputError, one_line

Call = Literal["scalar", "batch", "plain"]
CALLS: tuple[Call, ...] = ("scalar", "batch", "plain")
_LARGEST_INTEGER = 2.0**53
_WATCHED = 64  # draws of continuous outputs that never come twice by chance


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
        self._first: tuple[str, Any] | None = None  # the kind of the first output, and the data set that it came from
        self._seen: set[bytes] = set()

    def sample(self, dataset: Any, size: int, *, rng: np.random.Generator) -> NDArray[np.float64]:
        """`size` independent outputs as float64, shape (size,) or (size, k); labels come as their codes."""
        outputs = self._draw(dataset, size, rng)
        self._fresh(outputs)
        return outputs

    def _draw(self, dataset: Any, size: int, rng: np.random.Generator) -> NDArray[np.float64]:
        if self.call == "batch":
            return self._batch(self._run(_copy(dataset), size, rng), size, dataset)
        first = self._encode(self._run(_copy(dataset), 1, rng), dataset)
        outputs = np.empty((size, *first.shape))
        outputs[0] = first
        for index in range(1, size):
            outputs[index] = self._encode(self._run(_copy(dataset), 1, rng), dataset)
        return outputs

    def _fresh(self, outputs: NDArray[np.float64]) -> None:
        """Refuse draws that came before: a mechanism that seeds itself gives dependent ones, and no bound holds."""
        first = outputs[:_WATCHED]
        if len(first) < _WATCHED or len(np.unique(first)) < _WATCHED // 2:
            return
        key = hashlib.sha256(first.tobytes()).digest()
        if key in self._seen:
            raise InputError(
                f"{self.name} gave the same {_WATCHED} outputs twice",
                allowed="independent draws at each call",
                remedy="draw from the rng that it is given, and do not seed inside",
            )
        self._seen.add(key)

    def _run(self, dataset: Any, size: int, rng: np.random.Generator) -> Any:
        given: dict[str, Any] = {"rng": rng, "size": size}
        try:
            return self.function(dataset, **{name: given[name] for name in self._keywords})
        except (Exception, SystemExit) as problem:
            raise InputError(
                f"{self.name} raised {type(problem).__name__}: {one_line(str(problem)) or '(no message)'}",
                allowed="a mechanism that returns on both data sets",
                remedy=f"call it once by hand on {_short(dataset)}",
            ) from problem

    def _batch(self, output: Any, size: int, dataset: Any) -> NDArray[np.float64]:
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
        found_kinds = mixed(output)
        if found_kinds:
            self._refuse_change(*found_kinds, dataset, dataset)
        each = f" of shape {array.shape[1:]}" if array.ndim > 1 else ""
        self._same(f"batch of {array_kind(array)} outputs{each}", dataset)
        if array.dtype.kind in "US":
            codes = [self._code(label) for label in array.reshape(-1).tolist()]
            array = np.array(codes, dtype=np.float64).reshape(array.shape)
        found = self._exactly(array)
        self._finite(found)
        return found.reshape(size, -1) if found.ndim > 1 else found

    def _encode(self, output: Any, dataset: Any) -> NDArray[np.float64]:
        kind, flat = self._flatten(output)
        array = np.array(flat, dtype=np.float64)
        self._same(kind, dataset)
        self._finite(array)
        return array

    def _flatten(self, output: Any) -> tuple[str, Any]:
        """What kind of output this is, parts and sizes included, and its numbers."""
        kind = number_kind(output)
        if kind is not None:
            return kind, self._float(output)
        if isinstance(output, str | bytes):
            return "bytes label" if isinstance(output, bytes) else "label", float(self._code(output))
        if isinstance(output, Mapping):
            names = sorted(output, key=str)
            fields = [self._flatten(output[name]) for name in names]
            form = ", ".join(f"{name!r}: {kind}" for name, (kind, _) in zip(names, fields, strict=True))
            return f"dict {{{form}}}", np.concatenate([np.atleast_1d(part) for _, part in fields]).tolist()
        try:
            items = list(output.reshape(-1) if isinstance(output, np.ndarray) else output)
        except TypeError:
            items = []
        if not items:
            raise InputError(
                f"{self.name} returned {_short(output)} ({type(output).__name__})",
                allowed="a number, a label, a vector of numbers, or a dict of these",
            )
        flat = [self._flatten(item) for item in items]
        if any(isinstance(part, list) for _, part in flat):
            raise InputError(f"{self.name} returned the nested value {_short(output)}", allowed="a flat vector")
        kinds = [kind for kind, _ in flat]
        size = output.shape if isinstance(output, np.ndarray) and output.ndim > 1 else len(items)
        what = kinds[0] if len(set(kinds)) == 1 else ", ".join(kinds)
        return f"{type(output).__name__} of {size} ({what})", [part for _, part in flat]

    def _float(self, output: Any) -> float:
        """The number as a double; one that no double holds would be mistaken for its neighbour, so it is refused."""
        try:
            found = float(output)
        except OverflowError:
            found = math.inf
        if found != output and not (math.isnan(found) and output != output):
            self._refuse_inexact(output)
        return found

    def _exactly(self, array: NDArray[Any]) -> NDArray[np.float64]:
        with np.errstate(over="ignore"):
            found = array.astype(np.float64)
        changed = (found.astype(array.dtype) != array) & (array == array) if array.dtype.kind in "iuf" else None
        if array.dtype.kind in "iu":  # the largest integers do not come back from doubles at all
            changed = np.abs(found) > _LARGEST_INTEGER
        if changed is not None and changed.any():
            self._refuse_inexact(array[changed].flat[0])
        return np.asarray(found, dtype=np.float64)

    def _refuse_inexact(self, output: Any) -> None:
        raise InputError(
            f"{self.name} returned {_short(output)}, which no 64-bit float holds",
            allowed="floats, and integers up to 2^53",
            remedy="return it as a label (a string), so that no two outputs are taken for one",
        )

    def _code(self, label: Any) -> int:
        return self.labels.setdefault(label, len(self.labels))

    def _same(self, kind: str, dataset: Any) -> None:
        if self._first is None:
            self._first = kind, dataset
        elif self._first[0] != kind:
            self._refuse_change(self._first[0], kind, self._first[1], dataset)

    def _refuse_change(self, before: str, after: str, first: Any, second: Any) -> None:
        before = _cut(before, 150)
        across = "" if _equal(first, second) else " on the other data set: that alone tells the two apart"
        raise InputError(
            f"{self.name} returned a value of type {_cut(after, 150)} after a value of type {before}{across}",
            allowed="outputs of one type and size, in every draw and on both data sets",
            remedy="convert the output (return float(...), say), pad it, or release its size as an output of its own",
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


def _equal(first: Any, second: Any) -> bool:
    """Whether two data sets are one: only for the words of a message, since copies of some objects never are equal."""
    if first is second:
        return True
    if isinstance(first, np.ndarray) or isinstance(second, np.ndarray):
        return np.array_equal(first, second)
    try:
        return bool(first == second)
    except ValueError:
        return repr(first) == repr(second)


def _short(value: object) -> str:
    return _cut(one_line(repr(value)))


def _cut(text: str, most: int = 60) -> str:
    return text if len(text) <= most else text[: most - 3] + "..."
