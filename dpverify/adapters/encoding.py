"""What a callable returns as numbers that an audit can use: finite float64, of one type and size throughout.

Numbers stand for themselves, labels (strings) for codes in the order in which they were first seen, dicts and vectors
for their parts in a row. What no double holds exactly is refused, and so is a change of type or size (see `kinds`),
since a change of either would itself be an event that is lost here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpverify.adapters.copies import cut, equal, short
from dpverify.adapters.kinds import array_kind, mixed, number_kind
from dpverify.core.errors import InputError
from dpverify.core.masked import masked

LARGEST_INTEGER = 2.0**53


class Encoder:
    """Turns the outputs of the callable `name` into numbers.

    Attributes
    ----------
    labels : dict
        Codes given to label outputs, in the order in which they were first seen.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self.labels: dict[Any, int] = {}
        self._first: tuple[str, Any] | None = None  # the kind of the first output, and the data set that it came from

    def one(self, output: Any, dataset: Any) -> NDArray[np.float64]:
        """One output on `dataset`, shape () or (k,)."""
        kind, flat = self._flatten(output)
        array = np.array(flat, dtype=np.float64)
        self._same(kind, dataset)
        self._finite(array)
        return array

    def batch(self, output: Any, size: int, dataset: Any) -> NDArray[np.float64]:
        """A batch of `size` outputs on `dataset`, shape (size,) or (size, k)."""
        self._seen(output)
        try:
            array = np.asarray(output)
        except ValueError:
            array = np.empty(0, dtype=object)
        if array.shape[:1] != (size,) or array.dtype.kind not in "biufUS":
            raise InputError(
                f"{self._name} returned {short(output)} of shape {array.shape} and type {array.dtype} for size={size}",
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

    def _flatten(self, output: Any) -> tuple[str, Any]:
        """What kind of output this is, parts and sizes included, and its numbers."""
        self._seen(output)
        kind = number_kind(output)
        if kind is not None:
            return kind, self._float(output)
        if isinstance(output, str | bytes):
            return "bytes label" if isinstance(output, bytes) else "label", float(self._code(output))
        if isinstance(output, Mapping) and output:
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
                f"{self._name} returned {short(output)} ({type(output).__name__})",
                allowed="a number, a label, a vector of numbers, or a dict of these",
                remedy="write anything else (None, an empty list, an object) as a number or label of its own",
            )
        flat = [self._flatten(item) for item in items]
        if any(isinstance(part, list) for _, part in flat):
            raise InputError(f"{self._name} returned the nested value {short(output)}", allowed="a flat vector")
        kinds = [kind for kind, _ in flat]
        size = output.shape if isinstance(output, np.ndarray) and output.ndim > 1 else len(items)
        what = kinds[0] if len(set(kinds)) == 1 else ", ".join(kinds)
        return f"{type(output).__name__} of {size} ({what})", [part for _, part in flat]

    def _seen(self, output: Any) -> None:
        """Refuse masked values: what lies under a mask is none of the output, and which are masked may be."""
        if masked(output):
            raise InputError(
                f"{self._name} returned {short(output)}, in which values are masked",
                allowed="numbers that are all there",
                remedy="fill them with a number of their own: .filled(-1.0), say",
            )

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
            changed = np.abs(found) > LARGEST_INTEGER
        if changed is not None and changed.any():
            self._refuse_inexact(array[changed].flat[0])
        return np.asarray(found, dtype=np.float64)

    def _refuse_inexact(self, output: Any) -> None:
        raise InputError(
            f"{self._name} returned {short(output)}, which no 64-bit float holds",
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
        before = cut(before, 150)
        across = (
            "" if equal(first, second) else " on the other data set, which tells the two apart if it follows the data"
        )
        raise InputError(
            f"{self._name} returned a value of type {cut(after, 150)} after a value of type {before}{across}",
            allowed="outputs of one type and size, in every draw and on both data sets",
            remedy="convert the output (return float(...), say), pad it, or release its size as an output of its own; "
            "the method 'replay' takes outputs as they are",
        )

    def _finite(self, array: NDArray[np.float64]) -> None:
        if not np.isfinite(array).all():
            bad = array[~np.isfinite(array)].flat[0]
            raise InputError(
                f"{self._name} returned {bad}",
                allowed="finite numbers",
                remedy="map it to a label or a number: a NaN that depends on the data is a leak of its own",
            )
