"""The rules of sums: over all records, along an axis, as a norm, and with the columns of a matrix."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dpverify.proofs import ranges
from dpverify.proofs.linear import MOST_RECORDS, floating, private
from dpverify.proofs.node import Maker, Node
from dpverify.proofs.operations import LARGEST, NUMBER, PYTHON_INT, ProofError, limits
from dpverify.proofs.ranges import Range


def total(program: Maker, inputs: Sequence[Node], params: Mapping[str, Any]) -> Node:
    """The sum over all records."""
    (part,) = inputs
    if part.level != "record":
        raise ProofError("a sum over records of what is no record's")
    if part.kind not in ("float64", "int64", PYTHON_INT, NUMBER):
        raise ProofError(f"a sum in {part.kind}: convert it to doubles first")
    kind = part.kind
    if not part.range.finite or bool((part.range.most > LARGEST).any()):
        raise ProofError("a sum of records that may be NaN, infinite or too large")
    return private("sum", (part,), params, part, kind, MOST_RECORDS * float(part.range.most.max(initial=0.0)))


def reduced(program: Maker, inputs: Sequence[Node], params: Mapping[str, Any]) -> Node:
    """The sum along an axis of the value (of a record: of what one record has)."""
    (whole,) = inputs
    axis = int(params["axis"])
    if whole.level == "draw" or not 0 <= axis < len(whole.shape):
        raise ProofError("a sum along an axis that there is not")
    shape = whole.shape[:axis] + whole.shape[axis + 1 :]
    kind = whole.kind
    if kind not in ("float64", "int64"):
        raise ProofError(f"a sum within a record in {kind}: convert it to doubles first")
    if whole.part is not None:
        part = program.make("reduce_sum", floating(program, whole.part), **params)
        return private("reduce_sum", (whole,), params, part, kind, whole.most * whole.shape[axis])
    with np.errstate(all="ignore"):
        slack = whole.shape[axis] * 2.0**-52 * whole.range.most.sum(axis)
        lo, hi = whole.range.lo.sum(axis), whole.range.hi.sum(axis)
        lo = np.where((whole.range.lo >= 0).all(axis), np.maximum(lo - slack, 0.0), lo - slack)
    found = Range(lo, hi + slack, whole.range.nan) if whole.range.finite else ranges.anything(shape)
    unclear = not whole.range.finite or bool((whole.range.most > LARGEST).any()) or kind in ("float32", "float16")
    if whole.level == "record" and unclear:
        raise ProofError("a sum within a record that may be NaN, infinite or too large")
    low, high = limits(kind)
    if bool((found.lo < low).any() or (found.hi > high).any()):
        raise ProofError(f"a sum along an axis may wrap round in {kind}")
    return Node("reduce_sum", (whole,), params, whole.level, shape, kind, found)


def norm(program: Maker, inputs: Sequence[Node], params: Mapping[str, Any]) -> Node:
    """The L2 norm of all that one record has."""
    (whole,) = inputs
    if whole.level not in ("record", "public") or whole.kind not in ("float64", "int64"):
        raise ProofError(f"the norm of a {whole.level} value of type {whole.kind}")
    most = ranges.euclidean(whole.range.most)
    if whole.level == "record" and not most <= math.sqrt(LARGEST):
        raise ProofError("a norm of numbers that may be NaN, infinite or too large to be squared")
    found = Range(np.array(0.0), np.array(most if most <= math.sqrt(LARGEST) else math.inf), whole.range.nan)
    return Node("norm", (whole,), params, whole.level, (), "float64", ranges.outward(found, ulps=8, always=True))


def matmul(program: Maker, inputs: tuple[Node, ...], params: Mapping[str, Any]) -> Node:
    """A row or a matrix times a public matrix or vector that is known."""
    left, right = inputs
    if right.op != "constant" or left.level == "draw" or not left.shape or left.shape[-1] != right.shape[0]:
        raise ProofError("a matrix product with what is no known public matrix of the right shape")
    if len(right.shape) not in (1, 2) or len(left.shape) > 2 or not right.range.finite:
        raise ProofError("a matrix product of more than two dimensions")
    shape = left.shape[:-1] + right.shape[1:]
    if left.kind != "float64" and right.kind != "float64":
        raise ProofError("a matrix product of integers: it may wrap round")
    if left.part is not None:
        part, most = (
            program.make("matmul", floating(program, left.part), right),
            left.most * float(right.range.most.sum()),
        )
        return private("matmul", inputs, params, part, "float64", most)
    if left.level == "record" and (not left.range.finite or left.kind != "float64"):
        raise ProofError("a matrix product of records that are no finite doubles")
    matrix = right.range.hi
    up, down = np.maximum(matrix, 0.0), np.minimum(matrix, 0.0)
    with np.errstate(all="ignore"):
        lo = left.range.lo @ up + left.range.hi @ down
        hi = left.range.hi @ up + left.range.lo @ down
        slack = (left.shape[-1] + 2) * 2.0**-53 * (left.range.most @ np.abs(matrix)) + ranges.TINY
    found = Range(lo - slack, hi + slack, left.range.nan) if left.range.finite else ranges.anything(shape)
    if left.level == "record" and (not found.finite or bool((found.most > LARGEST).any())):
        raise ProofError("a matrix product that may be too large")
    return Node("matmul", inputs, params, left.level, shape, "float64", found)
