"""The operations of a proof: what each computes (numpy), and the range of what it can be.

Elementwise operations are the same for public values and for the generic record. `ARITHMETIC` needs finite operands and
results; the others take NaN and infinities, too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpverify.proofs import range_rules, ranges
from dpverify.proofs.ranges import Range


class ProofError(ValueError):
    """A rule does not apply; the text says which, and why."""


EXACT = 2.0**53
"""Integers below it are doubles."""

LARGEST = 2.0**900
"""Magnitude of numbers that records are turned into: their sums stay doubles."""

TEXT = "text"
"""The type of texts: a record's is compared with known texts, and nothing else is done with it."""

PYTHON_INT = "int"
"""The type of integers without end; others are numpy's."""

NUMBER = "number"
"""A number of Python's that may be an integer or a double, such as min(x, 1): numpy would take each otherwise."""

TYPES = ("float64", "int64", "bool", PYTHON_INT, NUMBER)
"""The types that are computed with; all others are converted to doubles, or stop."""


@dataclass(frozen=True, slots=True)
class Operation:
    """Says how an elementwise operation is computed, its range, and its type.

    `result` is ``bool``, ``float64``, ``common`` (the common type of the operands) or a type.
    """

    compute: Callable[..., Any]
    rule: Callable[..., Range]
    result: str = "common"
    arithmetic: bool = False


def _python_min(a: Any, b: Any) -> Any:
    return np.where(np.less(b, a), b, a)


def _python_max(a: Any, b: Any) -> Any:
    return np.where(np.greater(b, a), b, a)


def _finite_numbers(a: Any, nan: Any, plus: Any, minus: Any) -> Any:
    return np.where(np.isnan(a), nan, np.where(a == np.inf, plus, np.where(a == -np.inf, minus, a)))


def _arithmetic(compute: Callable[..., Any], rule: Callable[..., Range], result: str = "common") -> Operation:
    return Operation(compute, rule, result, arithmetic=True)


ELEMENTWISE: dict[str, Operation] = {
    "add": _arithmetic(np.add, range_rules.add),
    "subtract": _arithmetic(np.subtract, range_rules.subtract),
    "multiply": _arithmetic(np.multiply, range_rules.multiply),
    "divide": _arithmetic(np.divide, range_rules.divide, "float64"),
    "negative": _arithmetic(np.negative, range_rules.negative),
    "absolute": _arithmetic(np.absolute, range_rules.absolute),
    "square": _arithmetic(np.square, range_rules.square),
    "sqrt": _arithmetic(np.sqrt, range_rules.monotone(np.sqrt, low=0.0), "float64"),
    "exp": _arithmetic(np.exp, range_rules.monotone(np.exp), "float64"),
    "expm1": _arithmetic(np.expm1, range_rules.monotone(np.expm1), "float64"),
    "log": _arithmetic(np.log, range_rules.monotone(np.log, low=5e-324), "float64"),
    "log1p": _arithmetic(np.log1p, range_rules.monotone(np.log1p, low=-1.0 + 2.0**-53), "float64"),
    "tanh": _arithmetic(np.tanh, range_rules.monotone(np.tanh), "float64"),
    "arctan": _arithmetic(np.arctan, range_rules.monotone(np.arctan), "float64"),
    "floor": _arithmetic(np.floor, range_rules.exact(np.floor), "float64"),
    "ceil": _arithmetic(np.ceil, range_rules.exact(np.ceil), "float64"),
    "rint": _arithmetic(np.rint, range_rules.exact(np.rint), "float64"),
    "trunc": _arithmetic(np.trunc, range_rules.exact(np.trunc), "float64"),
    "minimum": Operation(np.minimum, range_rules.minimum),
    "maximum": Operation(np.maximum, range_rules.maximum),
    "python_min": Operation(_python_min, range_rules.python_min),
    "python_max": Operation(_python_max, range_rules.python_max),
    "finite_numbers": Operation(_finite_numbers, range_rules.finite_numbers, "float64"),
    "fmin": Operation(np.fmin, range_rules.fmin, "float64"),
    "fmax": Operation(np.fmax, range_rules.fmax, "float64"),
    "mod": Operation(np.mod, range_rules.modulo),
    "floor_divide": Operation(np.floor_divide, range_rules.floor_divide),
    "less": Operation(np.less, range_rules.less, "bool"),
    "less_equal": Operation(np.less_equal, range_rules.less_equal, "bool"),
    "equal": Operation(np.equal, range_rules.equal, "bool"),
    "logical_and": Operation(np.logical_and, range_rules.minimum, "bool"),
    "logical_or": Operation(np.logical_or, range_rules.maximum, "bool"),
    "logical_not": Operation(np.logical_not, range_rules.invert, "bool"),
    "isnan": Operation(np.isnan, range_rules.is_nan, "bool"),
    "isfinite": Operation(np.isfinite, range_rules.is_finite, "bool"),
    "where": Operation(np.where, range_rules.where),
    "choose": Operation(np.where, range_rules.where),
    "loose": Operation(lambda a: a, lambda a: a, NUMBER),
    "as_float": Operation(lambda a: np.asarray(a).astype(np.float64), lambda a: a, "float64"),
    "as_int": _arithmetic(lambda a: np.asarray(a).astype(np.int64), range_rules.exact(np.trunc), "int64"),
    "as_python_int": _arithmetic(lambda a: np.asarray(a).astype(np.int64), range_rules.exact(np.trunc), PYTHON_INT),
}
"""By name. Comparisons the other way round are these with the operands exchanged."""


def type_of(name: str, types: list[str]) -> str:
    """The type of the result; ProofError for types that the operation is not proved for."""
    operation = ELEMENTWISE[name]
    if TEXT in types:
        raise ProofError(f"{name} of a text")
    if name in ("where", "choose"):
        if types[0] != "bool":
            raise ProofError(f"{name} by what is no condition")
        types = types[1:]
    if name in ("choose", "python_min", "python_max"):
        return _one_of(types)
    if other := [each for each in types if each not in TYPES]:
        if name != "as_float":
            raise ProofError(f"{name} of {other[0]}: convert it to doubles first")
        return "float64"
    if name == "loose" and types[0] not in ("float64", "int64", PYTHON_INT, NUMBER):
        raise ProofError(f"{name} of {types[0]}")
    if name.startswith("logical") and set(types) != {"bool"}:
        raise ProofError(f"{name} of what is no condition")
    if name in ("isnan", "isfinite", "finite_numbers") and types[0] != "float64":
        raise ProofError(f"{name} of {types[0]}")
    if name in ("fmin", "fmax", "finite_numbers") and not (
        set(types) <= {"float64", PYTHON_INT} and "float64" in types
    ):
        raise ProofError(f"{name} of {' and '.join(types)}")
    if name in ("mod", "floor_divide") and not set(types) <= {PYTHON_INT, "int64"}:
        raise ProofError(f"{name} of {' and '.join(types)}: it is for whole numbers only")
    if operation.arithmetic and operation.result in ("common", PYTHON_INT, "int64") and set(types) == {"bool"}:
        raise ProofError(f"{name} of two conditions: numpy and Python disagree what it is")
    if operation.result == "float64" and name not in ("divide", "as_float"):
        whole = name in ("floor", "ceil", "rint", "trunc")
        if types[0] != "float64" and (whole or types[0] not in (PYTHON_INT, "int64", NUMBER)):
            raise ProofError(f"{name} of {types[0]}: the result is no double")
    return common_type(types) if operation.result == "common" else operation.result


COMPARED = ("less", "less_equal", "equal", "python_min", "python_max")


def check_compared(name: str, types: list[str], operands: Sequence[Range]) -> None:
    """ProofError where a whole number may be rounded before it is compared with a double."""
    if name not in COMPARED or not ({"float64", NUMBER} & set(types)) or set(types) <= {"float64"}:
        return
    if not any(not each.nan and bool((each.most < EXACT).all()) for each in operands):
        raise ProofError(f"{name} of a whole number and a double that may both be beyond 2**53")


def _one_of(types: list[str]) -> str:
    """Return the type of what is one of the operands, as Python has it."""
    kinds = set(types)
    if len(kinds) == 1 and kinds <= set(TYPES):
        return types[0]
    if kinds <= {"int64", PYTHON_INT}:
        return "int64"
    if kinds <= {"float64", PYTHON_INT, NUMBER}:
        return NUMBER
    raise ProofError(f"a choice between a number of type {' and one of type '.join(sorted(kinds))}")


def common_type(types: list[str]) -> str:
    """Return what numpy makes of operands of these types; a Python integer takes the other's."""
    if NUMBER in types:
        return _with_number(types)
    weak = [each for each in types if each == PYTHON_INT]
    strong = [each for each in types if each != PYTHON_INT]
    if not strong:
        return PYTHON_INT
    if weak and set(strong) == {"bool"}:
        return "int64"  # of numpy's conditions; of Python's it would have no end
    return str(np.result_type(*(np.dtype(each) for each in strong)))


def _with_number(types: list[str]) -> str:
    if "int64" in types or "bool" in types:
        raise ProofError("an integer or double of Python's beside an integer of 64 bits, or a condition")
    return "float64" if "float64" in types else NUMBER


def range_of(name: str, kind: str, operands: Sequence[Range], *, same: bool = False) -> Range:
    """Return the range of a result of this type, in real arithmetic. `same`: both operands are one value."""
    if same and name == "multiply":
        name, operands = "square", operands[:1]
    operation = ELEMENTWISE[name]
    found = operation.rule(*operands)
    return ranges.in_real_numbers(found) if operation.arithmetic and kind in ("float64", NUMBER) else found


def extent(kind: str) -> tuple[float, float]:
    """Ends that no value of the type lies beyond."""
    low, high = limits(kind)
    return low, math.nextafter(high, math.inf) if EXACT < high < math.inf else high


def limits(kind: str) -> tuple[float, float]:
    """Ends that values of the type reach; infinite for floats and Python's integers."""
    if kind in ("float64", "float32", "float16", PYTHON_INT, NUMBER, TEXT):
        return -math.inf, math.inf
    if kind == "bool":
        return 0.0, 1.0
    ends = np.iinfo(kind)
    return float(ends.min), math.nextafter(float(ends.max), 0.0) if ends.max > 2**53 else float(ends.max)
