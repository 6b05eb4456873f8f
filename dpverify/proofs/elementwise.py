"""Elementwise operations: of public values and of the generic record, of sums over the records, and of noise."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dpverify.proofs import ranges
from dpverify.proofs.node import Maker, Node
from dpverify.proofs.norms import Ranges
from dpverify.proofs.operations import ELEMENTWISE, LARGEST, NUMBER, PYTHON_INT, ProofError, limits, range_of, type_of
from dpverify.proofs.ranges import Range

MOST_WITHOUT_WRAP = 2.0**29
"""Of what one record puts into a sum of integers, and of public numbers beside it."""


def elementwise(program: Maker, op: str, inputs: tuple[Node, ...], params: Mapping[str, Any]) -> Node:
    """The rule of all elementwise operations."""
    levels = {each.level for each in inputs}
    if "draw" in levels:
        return _of_draws(program, op, inputs)
    if "private" in levels:
        return _of_private(program, op, inputs)
    operation, kind = ELEMENTWISE[op], type_of(op, [each.kind for each in inputs])
    shape = np.broadcast_shapes(*(each.shape for each in inputs))
    same = len(inputs) == 2 and inputs[0] is inputs[1]
    found = range_of(op, kind, [each.range for each in inputs], same=same)
    found = Range(np.broadcast_to(found.lo, shape), np.broadcast_to(found.hi, shape), found.nan)
    record = any(each.level == "record" for each in inputs)
    node = Node(op, inputs, params, "record" if record else "public", shape, kind, found)
    if record:
        node.range = Ranges().fresh(node) if op in ("where", "choose") else found
        operands = tuple(given_range(program, each, params) for each in inputs)
        _check_record(op, operation.arithmetic, [each.kind for each in inputs], kind, operands, same)
        return node
    low, high = limits(kind)
    if high < math.inf and bool(found.nan or (found.lo < low).any() or (found.hi > high).any()):
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


def _check_fits(what: str, found: Range, kind: str) -> None:
    low, high = limits(kind)
    if high < math.inf and kind != "bool" and bool((found.lo < low).any() or (found.hi > high).any()):
        raise ProofError(f"{what} may lie outside of {kind}")


def _power(op: str, inputs: Sequence[Node]) -> tuple[float, int] | None:
    (a, j), (b, k) = (each.size_power or (0.0, 0) for each in inputs)
    if op == "multiply":
        return a * b, j + k
    return (a / b, j - k) if b > 0 else None


def _of_private(program: Maker, op: str, inputs: tuple[Node, ...]) -> Node:
    """Sums, differences and public multiples of private values."""
    for each in inputs:
        if each.level not in ("private", "public"):
            raise ProofError(f"{op} of a sum over records and one record: its part would depend on the others")
    parts = [each.part for each in inputs]
    shape = np.broadcast_shapes(*(each.shape for each in inputs))
    kind = type_of(op, [each.kind for each in inputs])
    if op == "negative":
        part = program.make("negative", floating(program, parts[0]))
    elif op in ("add", "subtract"):
        zero = zero_of(program)
        first, second = (zero if each is None else floating(program, each) for each in parts)
        part = program.make(op, first, second)
    elif op == "multiply" and sum(each is not None for each in parts) == 1:
        first, second = (a if b is None else floating(program, b) for a, b in zip(inputs, parts, strict=True))
        part = program.make(op, first, second)
    elif op == "divide" and parts[1] is None:
        part = program.make(op, floating(program, parts[0]), inputs[1])
    elif op in ("as_float", "loose"):
        part = floating(program, parts[0])
    else:
        raise ProofError(f"{op} of a sum over records: no rule says how far one record moves it")
    if limits(kind)[1] < math.inf and any(bool((each.most > MOST_WITHOUT_WRAP).any()) for each in sizes(part, inputs)):
        raise ProofError(f"{op} of a sum may wrap round in {kind}")
    return private(op, inputs, {}, spread(program, part, shape), kind)


def sizes(part: Node, inputs: Sequence[Node]) -> list[Range]:
    """Return the ranges of what one record puts in, and of public numbers beside it."""
    return [part.range, *(each.range for each in inputs if each.level == "public")]


def zero_of(program: Maker) -> Node:
    """A public 0."""
    return program.make("constant", value=0.0, type="float64")


def floating(program: Maker, part: Node | None) -> Node:
    """Return what one record puts in, as a double."""
    assert part is not None
    return part if part.kind == "float64" else program.make("as_float", part)


def spread(program: Maker, node: Node, shape: tuple[int, ...]) -> Node:
    """The same value in a larger shape."""
    if node.shape == shape:
        return node
    places = np.broadcast_to(np.arange(math.prod(node.shape)).reshape(node.shape), shape)
    return program.make("take", node, places=places.ravel().tolist(), shape=list(shape))


def private(op: str, inputs: tuple[Node, ...], params: Mapping[str, Any], part: Node, kind: str) -> Node:
    """A private value with what one record puts into it."""
    return Node(op, inputs, params, "private", part.shape, kind, ranges.anything(part.shape), part=part)


def _of_draws(program: Maker, op: str, inputs: tuple[Node, ...]) -> Node:
    """Public multiples of a draw, its negative, and the difference of two one-sided geometric draws."""
    if op == "negative" and inputs[0].law != "one-sided":
        (draw,) = inputs
        return draw_of(op, inputs, draw.law, draw.scale, draw.fresh, draw.kind, draw.shape)
    if len(inputs) != 2:
        raise ProofError(f"{op} of a draw: no rule")
    first, second = inputs
    if op == "multiply" and {first.level, second.level} == {"draw", "public"}:
        draw, factor = (first, second) if first.level == "draw" else (second, first)
        if draw.law not in ("laplace", "normal"):
            raise ProofError(f"a multiple of {draw.law} noise")
        if np.broadcast_shapes(draw.shape, factor.shape) != draw.shape:
            raise ProofError("one draw for several numbers")
        scale = factor if draw.scale is None else program.make("multiply", draw.scale, factor)
        return draw_of(op, inputs, draw.law, scale, draw.fresh, "float64", draw.shape)
    one_sided = all(each.level == "draw" and each.law == "one-sided" for each in inputs)
    if op == "subtract" and one_sided and first.scale is second.scale and first.shape == second.shape:
        both = np.stack([first.fresh, second.fresh])
        if len(np.unique(both)) != both.size:
            raise ProofError("the same draw twice")
        return draw_of(op, inputs, "geometric", first.scale, both, first.kind, first.shape)
    raise ProofError(f"{op} of a draw: no rule")


def draw_of(op: str, inputs: tuple[Node, ...], law: str, scale: Node | None, fresh: Any, kind: str, shape: Any) -> Node:
    """A draw, or a part or multiple of one."""
    node = Node(op, inputs, {}, "draw", tuple(shape), kind, ranges.anything(tuple(shape)))
    node.law, node.scale, node.fresh = law, scale, fresh
    return node
