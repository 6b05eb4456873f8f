"""Nested lists, tuples and dicts of arrays: their leaves in order, one vector of them, and its rounding."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from dpverify.core.errors import InputError
from dpverify.core.subjects import Float

UNITS = {"float64": 2.0**-53, "float32": 2.0**-24, "float16": 2.0**-11, "bfloat16": 2.0**-8}
"""Half of the distance between 1 and the next number, by the dtype's name."""

DOUBLE, FINEST = np.dtype(np.float64), UNITS["float64"]
FORMS = "an array, or lists, tuples and dicts of arrays"


def leaves(tree: Any, name: str = "") -> list[tuple[str, Any]]:
    """The leaves with their names, such as ``layer.weight`` or ``0.1``, in the order of the tree."""
    if isinstance(tree, Mapping):
        parts = [(str(key), value) for key, value in tree.items()]
    elif isinstance(tree, list | tuple):
        parts = [(str(place), value) for place, value in enumerate(tree)]
    else:
        return [(name, tree)]
    return [leaf for key, value in parts for leaf in leaves(value, f"{name}.{key}" if name else key)]


def rebuilt(tree: Any, change: Callable[[str, Any], Any], name: str = "") -> Any:
    """The tree with every leaf changed by ``change(name, leaf)``."""
    if isinstance(tree, Mapping):
        items = {key: rebuilt(value, change, f"{name}.{key}" if name else str(key)) for key, value in tree.items()}
        return items if type(tree) is dict else type(tree)(items)  # type: ignore[call-arg]  # as dicts are made
    if isinstance(tree, list | tuple):
        parts = [rebuilt(part, change, f"{name}.{place}" if name else str(place)) for place, part in enumerate(tree)]
        if hasattr(tree, "_fields"):
            return type(tree)(*parts)
        return parts if isinstance(tree, list) else tuple(parts)
    return change(name, tree)


def array(leaf: Any) -> np.ndarray[Any, Any]:
    """A leaf as a NumPy array, of torch's and JAX's arrays, too."""
    if hasattr(leaf, "detach"):
        leaf = leaf.detach().cpu()
        leaf = leaf.float() if "bfloat16" in str(leaf.dtype) else leaf
    return np.asarray(leaf)


def is_float(leaf: Any) -> bool:
    """Tell whether a leaf holds floating-point numbers."""
    dtype = getattr(leaf, "dtype", "")
    return isinstance(leaf, float) or getattr(dtype, "kind", "") == "f" or "float" in str(dtype)


def unit(leaf: Any) -> float:
    """The rounding of a leaf's dtype; that of doubles where it has none of its own."""
    dtype = getattr(leaf, "dtype", DOUBLE)
    return FINEST if dtype is DOUBLE else UNITS.get(str(dtype).removeprefix("torch."), FINEST)


def vector(tree: Any, *, what: str, like: list[tuple[str, int]] | None = None) -> tuple[Float, list[tuple[str, int]]]:
    """(all numbers as one vector of doubles, names and sizes of its leaves), in the order of `like` where names agree.

    Raises
    ------
    InputError
        For leaves that are no numbers, and where the sizes are not those of `like`.
    """
    found: dict[str, Float] = {}
    for name, leaf in leaves(tree):
        try:
            held = array(leaf)
        except (TypeError, ValueError) as problem:
            raise InputError(f"{what}: {name or 'it'} is a {type(leaf).__name__}", allowed=FORMS) from problem
        if held.dtype.kind not in "fiub" and "float" not in str(held.dtype):
            raise InputError(f"{what}: {name or 'it'} is a {type(leaf).__name__} of dtype {held.dtype}", allowed=FORMS)
        found[name] = held.astype(np.float64).ravel()
    sizes = [(name, value.size) for name, value in found.items()]
    if like is not None and {name for name, _ in like} == set(found):
        sizes = [(name, found[name].size) for name, _ in like]
    if like is not None and sum(size for _, size in sizes) != sum(size for _, size in like):
        raise InputError(
            f"{what} has {sum(size for _, size in sizes)} numbers",
            allowed=f"always as many, {sum(size for _, size in like)}",
        )
    return np.concatenate([found[name] for name, _ in sizes] or [np.zeros(0)]), sizes


def told_unit(values: Float) -> float:
    """The coarsest rounding that all numbers agree with, as those do that passed through float32; inf without any."""
    known = values[np.isfinite(values) & (values != 0)]
    if not known.size:
        return math.inf
    with np.errstate(over="ignore"):
        single = known.astype(np.float32)
        if not np.array_equal(single, known):
            return FINEST
        if not np.any(single.view(np.uint32) & 0xFFFF):
            return UNITS["bfloat16"]
        return UNITS["float16"] if np.array_equal(known.astype(np.float16), known) else UNITS["float32"]
