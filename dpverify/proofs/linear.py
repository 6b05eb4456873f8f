"""Elementwise operations of sums over the records, and of noise: sums, differences and public multiples."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dpverify.proofs import ranges
from dpverify.proofs.node import Maker, Node
from dpverify.proofs.operations import PYTHON_INT, ProofError, type_of
from dpverify.proofs.range_rules import absolute
from dpverify.proofs.ranges import Range

MOST_WHOLE = 2.0**62
"""Of a private whole number: it fits into 64 bits, beside its noise."""


MOST_DOUBLE = 2.0**1000
"""Of a private double."""


MOST_RECORDS = 2.0**32


def of_private(program: Maker, op: str, inputs: tuple[Node, ...]) -> Node:
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
    return absolute(found).lo


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


def of_draws(program: Maker, op: str, inputs: tuple[Node, ...]) -> Node:
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
