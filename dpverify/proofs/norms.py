"""How large what one record puts into a value can be: norms, where some conditions hold.

Norms of arrays are bounded by the ranges of their elements, or by the way they are made (one bin of a histogram; a row
that is scaled down to a norm). Side of the error: too large, never too small.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dpverify.proofs import ranges
from dpverify.proofs.narrowed import Ranges
from dpverify.proofs.node import Node, norm_of
from dpverify.proofs.range_rules import absolute
from dpverify.proofs.ranges import TINY, product, quotient

LEAST_DIVISOR = 2.0**-400
"""Norms below it may be wrong by far: squares of doubles underflow."""

LEAST_CLIP = 2.0**-100
"""Of what a norm is divided by: a vector whose norm underflows, over `LEAST_DIVISOR`, is far below it."""

NO_BOUND = (math.inf, math.inf)


def norms(node: Node, here: Ranges) -> tuple[float, float]:
    """Upper bounds on the L1 and the L2 norm of what a node can be, here."""
    most = here.of(node).most
    one = ranges.total(most.ravel().tolist())
    two = one if node.shape == () else ranges.euclidean(most)
    for each, found in here.narrowed.items():
        if norm_of(each) is node and not found.nan:
            two = min(two, max(float(found.hi), LEAST_DIVISOR))  # a norm may be 0 where its numbers are not
    made = _by_making(node, here)
    one, two = min(one, made[0]), min(two, made[1])
    return one and max(one, TINY), two and max(two, TINY)


def _by_making(node: Node, here: Ranges) -> tuple[float, float]:
    if node.level != "record":
        return NO_BOUND
    if node.op == "one_hot":
        return 1.0, 1.0
    if node.op in ("negative", "as_float", "loose"):
        return norms(node.inputs[0], here)
    if node.op in ("add", "subtract"):
        (a, b), (c, d) = (_repeated(each, node, here) for each in node.inputs)
        return ranges.total((a, c)), ranges.total((b, d))
    if node.op == "field":
        return math.inf, node.norm
    if node.op == "take":
        return _of_selection(node, here)
    if node.op == "stack":
        parts = [norms(each, here) for each in node.inputs]
        return ranges.total(one for one, _ in parts), ranges.euclidean(np.array([two for _, two in parts]))
    if node.op == "matmul":
        return _of_product(node, here)
    if node.op in ("multiply", "divide"):
        return _of_multiple(node, here)
    if node.op in ("where", "choose") and node.inputs[0].shape == ():
        return _of_cases(node, here)
    return NO_BOUND


def _of_cases(node: Node, here: Ranges) -> tuple[float, float]:
    condition, *cases = node.inputs
    bounds = [(0.0, 0.0)]
    for truth, case in zip((True, False), cases, strict=True):
        there = here.where(condition, truth)
        if there is not None:
            bounds.append(_repeated(case, node, there))
    return max(one for one, _ in bounds), max(two for _, two in bounds)


def _repeated(case: Node, node: Node, here: Ranges) -> tuple[float, float]:
    """Norms of an operand, repeated to the shape of the result."""
    times = math.prod(node.shape) / max(math.prod(case.shape), 1)
    one, two = norms(case, here)
    return (one, two) if times == 1 else (product(one, times), product(two, math.sqrt(times)))


def _of_selection(node: Node, here: Ranges) -> tuple[float, float]:
    places = node.params["places"]
    times = max(np.bincount(places).max(), 1) if len(places) else 1
    one, two = norms(node.inputs[0], here)
    return (one, two) if times == 1 else (product(one, float(times)), product(two, math.sqrt(times)))


def _of_product(node: Node, here: Ranges) -> tuple[float, float]:
    left, right = node.inputs
    matrix = np.abs(right.range.hi.reshape(right.shape[0], -1))
    if len(left.shape) != 1 or not matrix.size:
        return NO_BOUND
    one, two = norms(left, here)
    rows, columns = (max(map(ranges.total, each.tolist())) for each in (matrix, matrix.T))
    spectral = min(ranges.euclidean(matrix), math.sqrt(product(rows, columns)) * (1 + 2.0**-50))
    return product(one, rows), product(two, spectral)


def _of_multiple(node: Node, here: Ranges) -> tuple[float, float]:
    """A vector times or over a number: the number's largest size, or the number that its own norm makes small."""
    first, second = node.inputs
    if node.op == "multiply" and first.shape == () and second.shape == node.shape:
        first, second = second, first
    if node.op == "multiply" and _outer(first, second):
        (a, b), (c, d) = (norms(each, here) for each in (first, second))
        return product(a, c), product(b, d)
    scalar = _scalar(second)
    if first.shape != node.shape or scalar is None:
        return NO_BOUND
    size = here.of(scalar)
    if node.op == "divide":
        if bool(size.nan or (absolute(size).lo <= 0).any()):
            return NO_BOUND
        factor = quotient(1.0, float(absolute(size).lo.min()))
    else:
        factor = float(size.most.max())
    one, two = norms(first, here)
    scaled = product(one, factor), product(two, factor)
    if first.level == "record" and first.shape:
        own = Clipped(first, here)
        clipped = own.divided(scalar) if node.op == "divide" else own.times(scalar)
        scaled = min(scaled[0], product(clipped, math.sqrt(math.prod(first.shape)))), min(scaled[1], clipped)
    return scaled


def _outer(first: Node, second: Node) -> bool:
    """A column times a row."""
    if len(first.shape) != 2 or len(second.shape) != 2:
        return False
    return (first.shape[1] == 1 and second.shape[0] == 1) or (first.shape[0] == 1 and second.shape[1] == 1)


def _scalar(node: Node) -> Node | None:
    """The number that an array repeats."""
    while node.op == "take" and math.prod(node.inputs[0].shape) == 1:
        node = node.inputs[0]
    return node if math.prod(node.shape) == 1 else None


@dataclass(frozen=True, slots=True)
class Clipped:
    """Bounds on a vector's norm times a number that is made from that norm, such as min(1, C / norm).

    In real arithmetic; rounding of doubles may exceed them in the last place.
    """

    vector: Node
    here: Ranges

    def _is_norm(self, node: Node) -> bool:
        return norm_of(node) is self.vector

    def times(self, node: Node) -> float:
        """Upper bound on norm times node, for node >= 0; infinity where there is none."""
        node = _scalar(node) or node
        found = self.here.of(node)
        if found.nan or bool((found.lo < 0).any()):
            return math.inf
        own = product(norms(self.vector, self.here)[1], float(found.hi.max()))
        if node.op in ("minimum", "python_min"):
            return min(own, *(self.times(each) for each in node.inputs))
        if node.op == "divide" and float(self.here.of(node.inputs[0]).lo.min()) >= 0:
            return min(own, product(float(self.here.of(node.inputs[0]).hi.max()), self.divided(node.inputs[1])))
        if node.op in ("where", "choose") and node.inputs[0].shape == ():
            cases = [
                (self.here.where(node.inputs[0], truth), case)
                for truth, case in zip((True, False), node.inputs[1:], strict=True)
            ]
            return max(Clipped(self.vector, there).times(case) for there, case in cases if there is not None)
        return own

    def divided(self, node: Node) -> float:
        """Upper bound on norm / node for a whole divisor: the squares of a small vector may be 0 where it is not."""
        return self.over(node) if bool((self.here.of(node).lo >= LEAST_DIVISOR).all()) else math.inf

    def over(self, node: Node, least: float = LEAST_CLIP) -> float:
        """Upper bound on norm / node, for node > 0; infinity where there is none.

        `least`: of all numbers together that the norm may be divided by.
        """
        node = _scalar(node) or node
        found = self.here.of(node)
        if found.nan or self._is_norm(node):  # max(k, NaN) is k: nothing follows from the NaN
            return math.inf if found.nan else 1.0
        if node.op in ("maximum", "python_max"):
            return min(self.over(each, least) for each in node.inputs)
        if node.op == "add":
            pairs = (node.inputs, node.inputs[::-1])
            bounds = [self.over(each, least) for each, other in pairs if bool((self.here.of(other).lo >= 0).all())]
            if min(bounds, default=math.inf) < math.inf:
                return min(bounds)
        if node.op == "divide" and bool(((divisor := self.here.of(node.inputs[1])).lo >= least).all()):
            left = least / min(1.0, float(divisor.lo.min()))
            return product(self.over(node.inputs[0], left), float(divisor.hi.max()))
        if bool((found.lo <= 0).any()):
            return math.inf
        return quotient(norms(self.vector, self.here)[1], float(found.lo.min()))
