"""Elementwise operations: of public values and of the generic record, of sums over the records, and of noise."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dpverify.proofs import ranges
from dpverify.proofs.node import Maker, Node
from dpverify.proofs.norms import Ranges
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

MOST_WHOLE = 2.0**62
"""Of a private whole number: it fits into 64 bits, beside its noise."""

MOST_DOUBLE = 2.0**1000
"""Of a private double."""

MOST_RECORDS = 2.0**32


def elementwise(program: Maker, op: str, inputs: tuple[Node, ...], params: Mapping[str, Any]) -> Node:
    """The rule of all elementwise operations."""
    levels = {each.level for each in inputs}
    if "draw" in levels:
        return _of_draws(program, op, inputs)
    if "private" in levels:
        return _of_private(program, op, inputs)
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
        node.range = Ranges().fresh(node) if op in ("where", "choose") else found
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


def _power(op: str, inputs: Sequence[Node]) -> tuple[float, int] | None:
    (a, j), (b, k) = (each.size_power or (0.0, 0) for each in inputs)
    if op == "divide" and b <= 0:
        return None
    factor = a * b if op == "multiply" else a / b
    return (factor, j + k if op == "multiply" else j - k) if precise(factor) else None


def precise(factor: float) -> bool:
    """Tell whether a number is far from where doubles underflow or overflow, so that it was rounded by an ulp."""
    return 1e-250 < abs(factor) < 1e250


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
    elif op in ("as_float", "loose") or (op == "as_python_int" and inputs[0].kind in ("int64", PYTHON_INT)):
        part = floating(program, parts[0])
    else:
        raise ProofError(f"{op} of a sum over records: no rule says how far one record moves it")
    return private(op, inputs, {}, spread(program, part, shape), kind, _most_of(op, inputs))


def _most_of(op: str, inputs: Sequence[Node]) -> float:
    """The largest size of the result of an operation on private and public values."""
    sizes = [most_of(each) for each in inputs]
    if op in ("add", "subtract"):
        return sum(sizes)
    if op == "multiply":
        return math.prod(sizes)
    if op == "divide":
        least = float(np.min(absolute_least(inputs[1].range), initial=math.inf))
        return sizes[0] / least if least > 0 else math.inf
    return sizes[0]


def most_of(node: Node) -> float:
    """The largest size of an element of a private or a public value."""
    return node.most if node.level == "private" else float(np.max(node.range.most, initial=0.0))


def absolute_least(found: Range) -> Any:
    """The least magnitude."""
    return ranges.absolute(found).lo


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


def private(op: str, inputs: tuple[Node, ...], params: Mapping[str, Any], part: Node, kind: str, most: float) -> Node:
    """A private value with what one record puts into it; ProofError where it may wrap round or be no number."""
    whole = kind in ("int64", PYTHON_INT)
    if not most * (1 + 2.0**-40) <= (MOST_WHOLE if whole else MOST_DOUBLE):
        raise ProofError(f"{op} of a sum in {kind} may be as large as {most:g}, or no number: it may wrap round")
    return Node(op, inputs, params, "private", part.shape, kind, ranges.anything(part.shape), part=part, most=most)


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
