"""Unpacks arrays: numpy arrays of every type, scipy's sparse ones, and tensors of already loaded libraries.

No optional package is imported here: a callable that returns its objects has imported it.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpverify.adapters.scalars import read_scalar
from dpverify.adapters.unpacked_containers import joined_kinds
from dpverify.adapters.unpacked_value import (
    MOST_NUMBERS,
    CannotReadError,
    TooManyError,
    Unpacked,
    array_kind,
    attributes,
    refuse_attributes,
)
from dpverify.core.masked import has_mask

LARGEST_INTEGER = 2.0**53

_MAPPED = ("_mmap", "filename", "mode", "offset")
"""What numpy keeps of the file below a memmap; its numbers alone are audited."""


def read_array(value: Any) -> Unpacked | None:
    """Unpack an array or tensor; None for other values."""
    if isinstance(value, np.ndarray | np.void | np.datetime64 | np.timedelta64):
        return _numpy(value)
    sparse = sys.modules.get("scipy.sparse")
    if sparse is not None and sparse.issparse(value):
        refuse_attributes(value)
        return _sparse(value)
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, getattr(torch, "Tensor", ())):
        return _tensor(value)
    jax = sys.modules.get("jax")
    if jax is not None and isinstance(value, getattr(jax, "Array", ())):
        return Unpacked("jax array", wraps=np.asarray(value))
    return None


def _numpy(value: Any) -> Unpacked:
    array = unmasked(value)
    if array.size > MOST_NUMBERS:
        raise TooManyError(array.size)
    size = array.shape if array.ndim > 1 else array.size
    name = f"{type(value).__name__} of {size}"
    if array.dtype.kind in "biufUSc":
        parts = complex_parts(array) if array.dtype.kind == "c" else [array]
        kinds, found = zip(*(numbers(part) for part in parts), strict=True)
        kind = array.dtype.name if array.dtype.kind == "c" else joined_kinds(list(kinds))
        odd = [each for each in kinds if " beyond " in each or " between " in each] if array.dtype.kind == "c" else []
        return Unpacked(f"{name} ({', '.join([kind, *odd])})", _joined(found))
    if array.dtype.kind in "mM":
        kind, found = numbers(array.view(np.int64))
        return Unpacked(f"{name} ({array.dtype}{kind.removeprefix('int')})", _joined([found]))
    if array.dtype.kind == "V" and array.dtype.names:
        fields = [(f"[{field!r}]", np.ascontiguousarray(array[field])) for field in array.dtype.names]
        return Unpacked(f"{name} ({array.dtype})", inside=fields)
    if array.dtype.kind == "V":
        return Unpacked(f"{name} ({array.dtype})", (array.tobytes(),))
    if array.dtype.kind == "O":
        return _objects(name, array.reshape(-1).tolist())
    return _objects(f"{name} ({array.dtype})", array.astype(object).reshape(-1).tolist())


def unmasked(value: Any) -> NDArray[Any]:
    """An array of the values alone; CannotReadError for what they do not say: masked values, attributes, metadata."""
    if has_mask(value):
        raise CannotReadError("in which values are masked", "fill them with a number of their own: .filled(-1.0), say")
    if type(value) is not np.ndarray and isinstance(value, np.ndarray):
        refuse_attributes(value, _MAPPED if type(value) is np.memmap else ())
        if isinstance(value, np.ma.MaskedArray) and _beside_a_mask(value):
            raise CannotReadError("which carries a fill value or more beside its values", "return .filled()")
    copied = isinstance(value, np.memmap) and value.size <= MOST_NUMBERS  # the next call may write its file
    array = np.array(value) if copied else np.asarray(value)
    if array.dtype.metadata:
        raise CannotReadError("of which the dtype carries metadata", "return a plain array: .astype(float)")
    return array


def _beside_a_mask(value: Any) -> bool:
    filled = vars(value).get("_fill_value")
    usual = filled is None or repr(filled[()]) == repr(np.ma.array([], dtype=value.dtype).fill_value)
    return not usual or any(vars(value).get(name) for name in ("_optinfo", "_basedict"))


def is_view(output: Any) -> bool:
    """Whether an array in an output is a view of more bytes than its numbers have (``.base``, gaps between fields)."""
    if isinstance(output, dict | list | tuple):
        return any(map(is_view, output.values() if isinstance(output, dict) else output))
    if isinstance(output, memoryview):
        return memoryview(output.obj).nbytes > output.nbytes
    if not isinstance(output, np.ndarray):
        return False
    fields, below = output.dtype.fields or {}, output
    while isinstance(below.base, np.ndarray | memoryview):
        below = below.base
    gaps = bool(fields) and sum(kind.itemsize for kind, *_ in fields.values()) < output.dtype.itemsize
    return gaps or below.nbytes > output.nbytes


def _objects(name: str, items: list[Any]) -> Unpacked:
    read = [read_scalar(item) for item in items]
    if any(each is None for each in read):
        return Unpacked(f"{name} (object)", inside=[(f"[{i}]", item) for i, item in enumerate(items)])
    kinds = [each.kind for each in read if each is not None]
    what = f" ({joined_kinds(kinds)})" if kinds else " (object)"
    return Unpacked(f"{name}{what}", [atom for each in read if each is not None for atom in each.atoms])


def complex_parts(array: NDArray[Any]) -> list[NDArray[Any]]:
    """Real and imaginary parts of complex numbers, as float64."""
    return [array.real, array.imag]


def numbers(array: NDArray[Any]) -> tuple[str, Any]:
    """The kind of numbers or labels, and the floats or label of each.

    Shape (size,), or (size, 2) where a number does not fit into a double.
    """
    kind, flat = array_kind(array), array.reshape(-1)
    if array.dtype.kind in "US":
        return kind, flat.tolist()
    with np.errstate(over="ignore"):
        near = flat.astype(np.float64)
    if array.dtype.kind in "iu" and array.dtype.itemsize == 8 and (np.abs(near) > LARGEST_INTEGER).any():
        high = flat // 2**32
        return f"{kind} between doubles", np.stack([high.astype(np.float64), (flat % 2**32).astype(np.float64)], axis=1)
    if array.dtype.kind == "f" and array.dtype.itemsize > 8:
        inexact = (near.astype(array.dtype) != flat) & (flat == flat)
        if (inexact & np.isinf(near)).any():
            raise CannotReadError("of which numbers are beyond all doubles", "return them as labels (strings)")
        if inexact.any():
            missing = np.where(np.isfinite(near), flat - near.astype(array.dtype), 0.0).astype(np.float64)
            if ((near.astype(array.dtype) + missing != flat) & (flat == flat)).any():
                raise CannotReadError("of which two doubles do not hold the numbers", "return them as labels (strings)")
            return f"{kind} between doubles", np.stack([near, missing], axis=1)
    return kind, near


def _joined(found: Any) -> Any:
    """Join the unpacked values of several arrays."""
    if all(isinstance(each, np.ndarray) for each in found):
        return np.concatenate([each.reshape(-1) for each in found])
    return [atom for each in found for atom in each]


def _sparse(value: Any) -> Unpacked:
    """Row, column and value of all stored entries, including zeros."""
    stored = value.tocoo()
    places = stored.coords if hasattr(stored, "coords") else (stored.row, stored.col)
    inside = [*((f".axis{i}", np.asarray(place)) for i, place in enumerate(places)), (".data", stored.data)]
    return Unpacked(f"{type(value).__name__} of {value.shape} ({value.dtype})", inside=inside)


def _tensor(value: Any) -> Unpacked:
    if "strided" not in str(value.layout) or getattr(value, "is_quantized", False):
        raise CannotReadError(f"of which a tensor has the layout {value.layout}", "return a dense one: .to_dense()")
    plain = value.detach().cpu()
    refuse_attributes(value, attributes(plain))
    if "bfloat16" in str(value.dtype):
        plain = plain.float()  # exact
    return Unpacked(f"tensor ({value.dtype})", wraps=np.asarray(plain.numpy()))
