"""Which functions are known, by kind: called with known values, or elementwise operations of a proof."""

from __future__ import annotations

import math
import types
from collections.abc import Sequence
from typing import Any

import numpy as np

from dpverify.derivation.homes import is_array

_NUMPY_KNOWN = (
    *("zeros", "ones", "full", "arange", "linspace", "eye", "array", "asarray", "logspace"),
    *("geomspace", "full_like", "zeros_like", "ones_like", "concatenate", "stack", "hstack", "vstack", "diag"),
    *("shape", "ndim", "size", "array_equal", "float64", "int64"),
    *("sqrt", "exp", "log", "log1p", "expm1", "abs", "absolute", "minimum", "maximum"),
    *("clip", "sum", "mean", "prod", "cumsum", "dot", "outer", "max", "min"),
    *("diff", "floor", "ceil", "rint", "round", "where", "power", "square", "sign"),
    *("tanh", "sin", "cos", "isfinite", "isnan", "argmax", "argmin", "sort", "all"),
    *("any", "count_nonzero"),
)


KNOWN = (
    {getattr(np, name) for name in _NUMPY_KNOWN}
    | {each for each in vars(math).values() if isinstance(each, types.BuiltinFunctionType)}
    | {abs, min, max, sum, len, range, int, float, bool, str, round, sorted, list, tuple, dict}
    | {all, any, divmod, pow, isinstance, np.linalg.norm, np.linalg.inv, np.linalg.solve, np.linalg.matrix_rank}
)
"""Called with known values only."""


ONE = {
    np.abs: "absolute",
    abs: "absolute",
    math.fabs: "absolute",
    np.sqrt: "sqrt",
    math.sqrt: "sqrt",
    np.exp: "exp",
    math.exp: "exp",
    np.expm1: "expm1",
    math.expm1: "expm1",
    np.log: "log",
    math.log: "log",
    np.log1p: "log1p",
    math.log1p: "log1p",
    np.tanh: "tanh",
    math.tanh: "tanh",
    np.arctan: "arctan",
    math.atan: "arctan",
    np.floor: "floor",
    np.ceil: "ceil",
    np.rint: "rint",
    np.trunc: "trunc",
    np.square: "square",
    np.negative: "negative",
    np.isnan: "isnan",
    math.isnan: "isnan",
    np.isfinite: "isfinite",
    math.isfinite: "isfinite",
    np.logical_not: "logical_not",
    float: "as_float",
    np.float64: "as_float",
}


TWO = {
    np.add: "add",
    np.subtract: "subtract",
    np.multiply: "multiply",
    np.divide: "divide",
    np.minimum: "minimum",
    np.maximum: "maximum",
    np.fmin: "fmin",
    np.fmax: "fmax",
    np.less: "less",
    np.less_equal: "less_equal",
    np.equal: "equal",
    np.logical_and: "logical_and",
    np.logical_or: "logical_or",
}


KNOWN |= {*ONE, *TWO}
"""What is known, numpy computes: of Python's integers it makes its own, which wrap round."""


KEYWORDS = {
    "axis",
    "keepdims",
    "dtype",
    "num",
    "endpoint",
    "start",
    "ndigits",
    "decimals",
    "fill_value",
    "shape",
    "base",
}
"""Keywords of functions of known values; no other is passed on (``out`` would change its argument)."""


NUMBERS = (float, int, bool, np.float64, np.int64)


def is_number_type(value: Any) -> bool:
    """Tell whether the value is one of the types of numbers itself: another may say that it is equal."""
    return any(value is each for each in NUMBERS)


CREATES: set[Any] = {
    np.zeros,
    np.ones,
    np.full,
    np.arange,
    np.linspace,
    np.eye,
    np.zeros_like,
    np.ones_like,
    np.full_like,
}
CREATES |= {list, sorted, dict}
"""What they return did not exist before."""


_INPUTS: dict[int, int] = {id(np.clip): 3, id(np.dot): 2, id(np.outer): 2}
_INPUTS |= {id(each): 1 for each in (np.sort, np.argsort, np.cumsum, np.sum, np.mean, np.max, np.min, np.argmax)}
_INPUTS |= {id(each): 1 for each in (np.argmin, np.var, np.std, np.median)}


def returns_new(function: Any, given: Sequence[Any]) -> bool:
    """Tell whether a function keeps none of these arguments: its result is a number, or an array of its own.

    What stands behind the arrays that it takes is where it writes to. `numpy.round` of integers is the array itself
    before numpy 2.4.
    """
    inputs = function.nin if type(function) is np.ufunc else _INPUTS.get(id(function), 0)
    return inputs > 0 and not any(is_array(each) for each in given[inputs:])
