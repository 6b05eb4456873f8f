"""Elementwise operations: of public values and of the generic record."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from dpverify.proofs.linear import MOST_WHOLE, of_draws, of_private
from dpverify.proofs.narrowed import Ranges, within_type
from dpverify.proofs.node import Maker, Node
from dpverify.proofs.operations import (
    ELEMENTWISE,
    LARGEST,
    NUMBER,
    PYTHON_INT,
    ProofError,
    check_compared,
    extent,
    limits,
    range_of,
    type_of,
)
from dpverify.proofs.ranges import Range


def elementwise(program: Maker, op: str, inputs: tuple[Node, ...], params: Mapping[str, Any]) -> Node:
    """The rule of all elementwise operations."""
    levels = {each.level for each in inputs}
    if "draw" in levels:
        return of_draws(program, op, inputs)
    if "private" in levels:
        return of_private(program, op, inputs)
    if op in ("mod", "floor_divide") and inputs[1].op != "constant":
        raise ProofError(f"{op} by what is no known number")
    operation, kind = ELEMENTWISE[op], type_of(op, [each.kind for each in inputs])
    shape = np.broadcast_shapes(*(each.shape for each in inputs))
    same = len(inputs) == 2 and inputs[0] is inputs[1]
    found = range_of(op, kind, [each.range for each in inputs], same=same)
    found = Range(np.broadcast_to(found.lo, shape), np.broadcast_to(found.hi, shape), found.nan)
    record = any(each.level == "record" for each in inputs)
    kinds = [each.kind for each in inputs]
    operands = tuple(given_range(program, each, params) for each in inputs)
    check_compared(op, kinds, operands)
    _check_whole(op, kinds, kind, operands, found)
    node = Node(op, inputs, params, "record" if record else "public", shape, kind, found)
    if record:
        node.range = Ranges().fresh(node) if op in ("where", "choose") else within_type(found, kind)
        _check_record(op, operation.arithmetic, kinds, kind, operands, same)
        if not node.range.nan and not bool((node.range.lo <= node.range.hi).all()):
            raise ProofError(f"{op} of a record whose range is not known")
        return node
    low, high = limits(kind)
    if high < math.inf and bool(found.nan or (found.lo < low).any() or (found.hi > high).any()):
        low, high = extent(kind)
        node.range = Range(np.full(shape, low), np.full(shape, high))  # it may have wrapped round
    if op in ("multiply", "divide") and all(each.size_power for each in inputs):
        node.size_power = _power(op, inputs)
    return node


def given_range(program: Maker, node: Node, params: Mapping[str, Any]) -> Range:
    """The range where the conditions hold under which the operation is carried out."""
    where = Ranges()
    for at, truth in params.get("given", ()):
        narrowed = where.where(program.nodes[at], bool(truth))
        if narrowed is None:
            return Range(np.zeros(node.shape), np.zeros(node.shape))
        where = narrowed
    return where.of(node)


def _check_record(
    op: str, arithmetic: bool, types: list[str], kind: str, operands: Sequence[Range], same: bool
) -> None:
    """ProofError where an operation on a record may raise, warn, wrap, or be no number."""
    if op in ("where", "choose"):
        return
    if op in ("mod", "floor_divide") and not (
        bool((operands[1].lo == operands[1].hi).all() and (operands[1].lo >= 1).all())
    ):
        raise ProofError(f"{op} by what is no known positive whole number")
    found = range_of(op, kind, operands, same=same)
    if arithmetic and not all(each.finite for each in operands):
        raise ProofError(f"{op} of a record that may be NaN or infinite")
    if arithmetic and (not found.finite or bool((found.most > LARGEST).any())):
        raise ProofError(f"{op} of a record may be no number, or too large")
    if arithmetic:
        _check_fits(op, found, kind)
    for each, name in zip(operands, types, strict=True):
        if name in (PYTHON_INT, NUMBER) and kind != name and not each.finite and set(types) != {PYTHON_INT}:
            raise ProofError("a Python integer that may be too large to meet a double")
        if name in (PYTHON_INT, NUMBER) and "bool" in types and bool((each.most >= 2.0**62).any()):
            raise ProofError("a Python integer that may be too large to meet a condition")
        if name == PYTHON_INT and kind != "bool":
            _check_fits("a Python integer", each, kind)
            if kind == "float64" and not each.finite:
                raise ProofError("an integer that may be too large for a double")


def _check_whole(op: str, kinds: Sequence[str], kind: str, operands: Sequence[Range], found: Range) -> None:
    """ProofError where Python's integers have no end, and numpy's would have one: which of them it is is not known."""
    first = 1 if op in ("where", "choose") else 0
    types = set(kinds[first:])
    if kind != "int64" or PYTHON_INT not in types or types == {PYTHON_INT}:
        return
    python = [each for each, name in zip(operands[first:], kinds[first:], strict=True) if name == PYTHON_INT]
    if any(bool((each.most > MOST_WHOLE).any()) for each in (*python, *([found] if "bool" in types else []))):
        raise ProofError(f"{op} of a Python integer that may be beyond 64 bits")


def _check_fits(what: str, found: Range, kind: str) -> None:
    low, high = limits(kind)
    if high < math.inf and kind != "bool" and bool((found.lo < low).any() or (found.hi > high).any()):
        raise ProofError(f"{what} may lie outside of {kind}")


def _power(op: str, inputs: Sequence[Node]) -> tuple[Fraction, int] | None:
    (a, j), (b, k) = (each.size_power or (Fraction(0), 0) for each in inputs)
    if op == "divide" and b <= 0:
        return None
    factor = a * b if op == "multiply" else a / b
    return (factor, j + k if op == "multiply" else j - k) if precise(factor) else None


def precise(factor: Fraction) -> bool:
    """Tell whether a number is far from where doubles underflow or overflow, so that it was rounded by an ulp."""
    return 1e-250 < abs(factor) < 1e250
