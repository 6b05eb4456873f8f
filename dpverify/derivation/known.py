"""Known values: which types Python may compute with here, and what it computes."""

from __future__ import annotations

import ast
import operator
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from dpverify.derivation.stop import NotDerivedError
from dpverify.derivation.values import Lifted

OPERATORS: dict[type[ast.operator], Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.MatMult: operator.matmul,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
}


IN_PLACE: dict[type[ast.operator], Callable[..., Any]] = {
    ast.Add: operator.iadd,
    ast.Sub: operator.isub,
    ast.Mult: operator.imul,
    ast.Div: operator.itruediv,
    ast.FloorDiv: operator.ifloordiv,
    ast.Mod: operator.imod,
    ast.Pow: operator.ipow,
    ast.MatMult: operator.imatmul,
    ast.BitAnd: operator.iand,
    ast.BitOr: operator.ior,
    ast.BitXor: operator.ixor,
    ast.LShift: operator.ilshift,
    ast.RShift: operator.irshift,
}


UNARY: dict[type[ast.unaryop], Callable[..., Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: operator.not_,
    ast.Invert: operator.invert,
}


COMPARE: dict[type[ast.cmpop], Callable[..., Any]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}


VIEWS: tuple[Any, ...] = (type({}.items()), type({}.keys()), type({}.values()))


ALIGNED = 64
"""Bytes that numpy reads at once, at most."""

NUMBERS_OF_NUMPY = tuple(np.dtype(code).type for code in "?bhilqBHILQefd")


def plain_array(value: Any) -> bool:
    """A known numpy array of numbers, and no subclass of it."""
    return type(value) is np.ndarray and value.dtype.kind in "fiub" and value.ndim > 0


def plain(value: Any) -> bool:
    """A known value of Python's or numpy's own types, to any depth."""
    if type(value) is slice:
        return all(type(each) in (int, type(None)) for each in (value.start, value.stop, value.step))
    if type(value) in (bool, int, float, str, type(None), range, type(Ellipsis)) or plain_array(value):
        return True
    if isinstance(value, np.generic):
        return type(value) in NUMBERS_OF_NUMPY
    if type(value) in (tuple, list):
        return all(map(plain, value))
    if type(value) is dict:
        return all(plain(key) and plain(each) for key, each in value.items())
    return type(value) in VIEWS and all(map(plain, value))


def replica(array: Any) -> Any:
    """A copy of a known array, ordered and aligned in memory as it is: otherwise its numbers have another sum."""
    if array.size == 0:
        return array.copy(order="K")
    low, high = np.lib.array_utils.byte_bounds(array)
    memory = np.empty(high - low + ALIGNED, dtype=np.uint8)
    begin = (low - memory.ctypes.data) % ALIGNED + array.__array_interface__["data"][0] - low
    found = np.ndarray(array.shape, array.dtype, memory, begin, array.strides)
    found[...] = array
    found.flags.writeable = array.flags.writeable
    return found


def holds_array(value: Any) -> bool:
    """Tell whether a known array is within a list, a tuple or a dict: ``out`` takes one in a tuple."""
    inner = value.values() if isinstance(value, dict) else value
    within = isinstance(value, (dict, list, tuple, *VIEWS))
    return within and any(plain_array(each) or holds_array(each) for each in inner)


def holds_lifted(value: Any) -> bool:
    """Tell whether a value that is not known is in there."""
    if isinstance(value, list | tuple):
        return any(map(holds_lifted, value))
    if isinstance(value, dict):
        return any(map(holds_lifted, value.values()))
    return any(map(holds_lifted, value)) if type(value) in VIEWS else isinstance(value, Lifted)


def compute(operation: Callable[..., Any], *values: Any) -> Any:
    """A computation with known values; one that raises or warns has no rule: in a loop it tells of records."""
    try:
        with np.errstate(all="raise"), warnings.catch_warnings():
            warnings.simplefilter("error")
            return operation(*values)
    except Exception as problem:  # noqa: BLE001 - whatever it is
        raise NotDerivedError(f"it raises {type(problem).__name__}: {problem}") from None
