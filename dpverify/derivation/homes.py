"""Whose number a scalar is, Python's or numpy's; where it may be either, only what both compute alike has a rule.

A sum over no record keeps the type that it began with, so the type of a total may tell whether there are records.
A home that nobody stated is unknown, and an operation on it stops unless it is among those that agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dpverify.derivation.stop import NotDerivedError
from dpverify.derivation.values import Lifted, OneRecord, Private, Public
from dpverify.proofs.node import Node
from dpverify.proofs.operations import NUMBER, PYTHON_INT

PYTHON, NUMPY, UNKNOWN = "python", "numpy", ""

SMALL = 2**52
"""Integers up to here, and what is compared with them, are the same numbers as doubles."""

_COMPARED = ("less", "less_equal", "equal", "python_min", "python_max")
_ON_DOUBLES = (*_COMPARED, "add", "subtract", "multiply", "divide", "negative", "absolute")
_ON_INTEGERS = ("add", "subtract", "multiply", "negative", "absolute")
_KINDS = {"bool": "a released condition", NUMBER: "a released number that may be whole or not"}
_CONVERTED = ("as_float", "as_python_int", "loose", "logical_and", "logical_or", "logical_not", "int")


def is_array(value: Any) -> bool:
    """Tell whether the value is an array, rather than a scalar."""
    return type(value) is np.ndarray or (isinstance(value, Lifted) and getattr(value, "array", False))


def home_of(value: Any) -> str:
    """Return whose number a value is."""
    if is_array(value) or isinstance(value, np.generic):
        return NUMPY
    return getattr(value, "home", UNKNOWN) if isinstance(value, Lifted) else PYTHON


def joined(values: Sequence[Any]) -> str:
    """Return whose number the result of arithmetic is: numpy's if one operand is."""
    homes = {home_of(each) for each in values}
    return NUMPY if NUMPY in homes else PYTHON if homes == {PYTHON} else UNKNOWN


def chosen(values: Sequence[Any]) -> str:
    """Return whose number a value is that is one of these."""
    homes = {home_of(each) for each in values}
    return homes.pop() if len(homes) == 1 else UNKNOWN


def result(name: str, values: Sequence[Any]) -> str:
    """Return whose number the result of an operation is."""
    return chosen(values) if name in ("python_min", "python_max", "where", "choose") else joined(values)


def with_home(home: str, value: Any) -> Any:
    """The same scalar as a number of Python's, or of numpy's; arrays and what is known stay.

    NotDerivedError for an integer without end that would be numpy's: numpy's wrap round.
    """
    if not isinstance(value, Lifted) or is_array(value) or not hasattr(value, "home"):
        return value
    if home == NUMPY and isinstance(value, OneRecord | Private | Public) and value.node.kind == PYTHON_INT:
        raise NotDerivedError("an integer of Python's, which numpy makes its own", "float(...)")
    return replace(value, home=home)  # type: ignore[type-var]


def check_alike(name: str, values: Sequence[Any], nodes: Sequence[Node]) -> None:
    """NotDerivedError where Python and numpy may disagree about a released scalar whose home is unknown."""
    if joined(values) != UNKNOWN or name in _CONVERTED:
        return
    kinds = {node.kind for node in nodes if node.op != "constant"}
    known = [each for each in values if not isinstance(each, Lifted)]
    if kinds <= {"float64"}:
        alike = name in _ON_DOUBLES and all(type(each) in (int, float) and _exact(each) for each in known)
    else:
        alike = name in _COMPARED and kinds <= {PYTHON_INT, "int64"} and all(_small(each) for each in known)
    if not alike:
        refuse(name)


def check_whole(name: str, values: Sequence[Any], nodes: Sequence[Node]) -> None:
    """NotDerivedError for arithmetic with a released whole number or condition; the number of records may be used.

    What it gives depends on the type: Python's integers have no end, numpy's wrap round, conditions are neither.
    """
    if name in _COMPARED or name in _CONVERTED:
        return
    for value, node in zip(values, nodes, strict=True):
        if node.kind == "float64" or node.op == "constant" or node.size_power is not None:
            continue
        if name in _ON_INTEGERS and node.kind == PYTHON_INT and all(home_of(each) == PYTHON for each in values):
            continue
        if name in ("add", "subtract") and all(map(_small_or_double, values, nodes)):
            continue
        if not (name == "divide" and home_of(value) == PYTHON and double_or_small(node)):
            raise NotDerivedError(f"{name} of {_KINDS.get(node.kind, 'a released whole number')}", "float(...)")


def _small_or_double(value: Any, node: Node) -> bool:
    """Tell whether a number is a double, or one of 64 bits that is small: a place that `numpy.argmax` found."""
    if node.op == "constant" and type(value) in (int, float):
        return _small(value)
    return node.kind == "float64" or (node.kind == "int64" and bool((node.range.most <= SMALL).all()))


def check_mixed(name: str, nodes: Sequence[Node]) -> None:
    """NotDerivedError for arithmetic of conditions, or of what may be whole or not, with anything but doubles."""
    kinds = [node.kind for node in nodes]
    if (
        name not in (*_COMPARED, *_CONVERTED, "where", "choose")
        and {"bool", NUMBER} & set(kinds)
        and "float64" not in kinds
    ):
        raise NotDerivedError(f"{name} of {_KINDS[NUMBER if NUMBER in kinds else 'bool']}", "float(...)")


def double_or_small(node: Node) -> bool:
    """Tell whether a number is a double, or a small whole number that is known: ``max(1, noisy)``."""
    if node.op in ("python_min", "python_max"):
        return all(map(double_or_small, node.inputs))
    if node.op == "constant" and node.kind == PYTHON_INT:
        return bool((node.range.most <= SMALL).all())
    return node.kind == "float64"


def check_public_alike(name: str, values: Sequence[Any]) -> None:
    """The same where a released scalar meets a record, or a sum over records."""
    public = [each for each in values if isinstance(each, Public) and home_of(each) == UNKNOWN]
    if any(each.node.kind != "float64" for each in public):
        refuse(name)


def refuse(name: str) -> None:
    """Stop: whose number it is may tell of records."""
    raise NotDerivedError(
        f"{name} of a number that may be Python's or numpy's: which of them may tell whether there are records",
        "float(...) or int(...) of what is released",
    )


def _exact(value: int | float) -> bool:
    return type(value) is float or (abs(value) <= 2**1000 and int(float(value)) == value)


def _small(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) <= SMALL
