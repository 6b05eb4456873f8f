"""How large what one record puts into a value can be: ranges under conditions, and norms.

A condition narrows what it compares: where ``x < 0`` holds, x is below 0. Norms of arrays are bounded by the ranges of
their elements, or by the way they are made (one bin of a histogram; a row that is scaled down to a norm).
Side of the error: too large, never too small.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from dpverify.proofs import ranges
from dpverify.proofs.node import Node
from dpverify.proofs.operations import ELEMENTWISE, range_of
from dpverify.proofs.ranges import TINY, Range, product, quotient


@dataclass(slots=True)
class Ranges:
    """Ranges of nodes where some conditions hold."""

    narrowed: Mapping[Node, Range] = field(default_factory=dict)
    _known: dict[Node, Range] = field(default_factory=dict)

    def of(self, node: Node) -> Range:
        """The range of a node here."""
        if not self.narrowed or node.level != "record":
            return self.narrowed.get(node, node.range)
        if node not in self._known:
            found = self.fresh(node)
            here = self.narrowed.get(node)
            self._known[node] = found if here is None else ranges.meet(found, here) or here
        return self._known[node]

    def fresh(self, node: Node) -> Range:
        """The range of a record's value from those of its operands here."""
        if node.op in ("where", "choose"):
            condition, first, second = node.inputs
            yes, no = (self.where(condition, truth) for truth in (True, False))
            cases = [there.of(case) for there, case in ((yes, first), (no, second)) if there is not None]
            found = ranges.hull(cases[0], cases[-1]) if cases else node.range
            return _in_shape(found, node)
        if node.op in ELEMENTWISE:
            same = len(node.inputs) == 2 and node.inputs[0] is node.inputs[1]
            found = range_of(node.op, node.kind, [self.of(each) for each in node.inputs], same=same)
            return _in_shape(found, node)
        if node.op == "is_text":
            code = ranges.of(node.params["code"])
            return ranges.equal(self.of(node.inputs[0]), code)
        if node.op == "one_hot":
            return _of_bins(self.of(node.inputs[0]), np.asarray(node.params["edges"], dtype=float))
        if node.op == "take":
            whole, places = self.of(node.inputs[0]), np.asarray(node.params["places"], dtype=np.int64)
            lo, hi = (each.reshape(-1)[places].reshape(node.shape) for each in (whole.lo, whole.hi))
            return Range(lo, hi, whole.nan)
        if node.op == "stack":
            parts = [self.of(each) for each in node.inputs]
            lo, hi = (
                np.concatenate([getattr(each, end).reshape(-1) for each in parts]).reshape(node.shape)
                for end in ("lo", "hi")
            )
            return Range(lo, hi, any(each.nan for each in parts))
        return node.range

    def where(self, condition: Node, truth: bool) -> Ranges | None:
        """Here and where a condition holds, or does not; None where that cannot be."""
        found = self.of(condition)
        if condition.shape == () and found.truth is not None and found.truth is not truth:
            return None
        if condition.shape != ():
            return self
        narrowed = dict(self.narrowed)
        for node, limit in self._limits(condition, truth):
            here = ranges.meet(Ranges(narrowed).of(node), limit)
            if here is None:
                return None
            narrowed[node] = here
        return Ranges(narrowed)

    def _limits(self, condition: Node, truth: bool) -> list[tuple[Node, Range]]:
        """Return what a condition says of the values that it compares."""
        operands = condition.inputs
        if condition.op == "logical_not":
            return self._limits(operands[0], not truth)
        if condition.op in ("logical_and", "logical_or") and truth is (condition.op == "logical_and"):
            return [limit for each in operands for limit in self._limits(each, truth)]
        if condition.op in ("where", "choose"):
            return self._of_choice(condition, truth)
        if condition.op in ("less", "less_equal"):
            return self._of_order(operands[0], operands[1], truth)
        if condition.op == "equal" and truth and operands[0] is operands[1]:
            return [(operands[0], Range(np.array(-math.inf), np.array(math.inf)))]  # NaN equals nothing
        if condition.op == "equal" and truth:
            return self._of_order(operands[0], operands[1], True) + self._of_order(operands[1], operands[0], True)
        if condition.op == "is_text":
            return [(operands[0], self._of_text(operands[0], float(condition.params["code"]), truth))]
        if condition.op in ("isnan", "isfinite") and truth is (condition.op == "isfinite"):
            most = np.finfo(np.float64).max if truth else math.inf
            return [(operands[0], Range(np.array(-most), np.array(most)))]
        return []

    def _of_choice(self, condition: Node, truth: bool) -> list[tuple[Node, Range]]:
        """Return what holds where a choice between two conditions does, if only one of them can."""
        asked, *cases = condition.inputs
        if any(each.shape != () for each in condition.inputs):
            return []
        possible = []
        for side, case in zip((True, False), cases, strict=True):
            there = self.where(asked, side)
            if there is not None and there.of(case).truth is not (not truth):
                possible.append((side, case))
        if len(possible) != 1:
            return []
        ((side, case),) = possible
        return self._limits(asked, side) + self._limits(case, truth)

    def _of_text(self, value: Node, code: float, truth: bool) -> Range:
        """Codes are whole numbers: what a text is not takes an end away."""
        here = self.of(value)
        low, high = (code, code) if truth else (-math.inf, math.inf)
        if not truth and here.lo == code:
            low = code + 1
        if not truth and here.hi == code:
            high = code - 1
        return Range(np.array(low), np.array(high))

    def _of_order(self, small: Node, large: Node, truth: bool) -> list[tuple[Node, Range]]:
        """Small <= large, or (where a NaN is none of them) not."""
        a, b = self.of(small), self.of(large)
        infinity = np.array(math.inf)
        if truth:
            return [(small, Range(-infinity, b.hi)), (large, Range(a.lo, infinity))]
        limits = []
        if not b.nan:
            limits.append((small, Range(b.lo, infinity, a.nan)))
        if not a.nan:
            limits.append((large, Range(-infinity, a.hi, b.nan)))
        return limits


def _of_bins(value: Range, edges: ranges.Float) -> Range:
    """Tell which bins a value may lie in, and in which it surely does; the last one is closed."""
    closed = np.arange(len(edges) - 1) == len(edges) - 2
    some = (value.hi >= edges[:-1]) & ((value.lo < edges[1:]) | (closed & (value.lo <= edges[1:])))
    sure = (value.lo >= edges[:-1]) & ((value.hi < edges[1:]) | (closed & (value.hi <= edges[1:])))
    return Range(np.where(sure & some & ~np.bool_(value.nan), 1.0, 0.0), np.where(some, 1.0, 0.0))


def _in_shape(found: Range, node: Node) -> Range:
    return Range(np.broadcast_to(found.lo, node.shape), np.broadcast_to(found.hi, node.shape), found.nan)


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


def norm_of(node: Node) -> Node | None:
    """The vector whose L2 norm this is: ``norm(v)``, ``sqrt(sum(v ** 2))``; None where it is none."""
    if node.op == "norm":
        return node.inputs[0]
    if node.op != "sqrt" or node.inputs[0].op != "reduce_sum":
        return None
    (squares,) = node.inputs[0].inputs
    if squares.op == "square" and len(squares.shape) == 1:
        return squares.inputs[0]
    own = squares.op == "multiply" and squares.inputs[0] is squares.inputs[1] and len(squares.shape) == 1
    return squares.inputs[0] if own else None


LEAST_DIVISOR = 2.0**-400
"""Norms below it may be wrong by far: squares of doubles underflow."""

LEAST_CLIP = 2.0**-100
"""Of what a norm is divided by: a vector whose norm underflows, over `LEAST_DIVISOR`, is far below it."""

NO_BOUND = (math.inf, math.inf)


def _by_making(node: Node, here: Ranges) -> tuple[float, float]:
    if node.level != "record":
        return NO_BOUND
    if node.op == "one_hot":
        return 1.0, 1.0
    if node.op in ("negative", "as_float", "loose"):
        return norms(node.inputs[0], here)
    if node.op in ("add", "subtract"):
        (a, b), (c, d) = (_repeated(each, node, here) for each in node.inputs)
        return a + c, b + d
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
    return one * times, two * math.sqrt(times) * (1 + 2.0**-50)


def _of_selection(node: Node, here: Ranges) -> tuple[float, float]:
    places = node.params["places"]
    times = max(np.bincount(places).max(), 1) if len(places) else 1
    one, two = norms(node.inputs[0], here)
    return one * times, two * math.sqrt(times) * (1 + 2.0**-50 if times > 1 else 1)


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
        if bool(size.nan or (ranges.absolute(size).lo <= 0).any()):
            return NO_BOUND
        factor = quotient(1.0, float(ranges.absolute(size).lo.min()))
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

    def over(self, node: Node) -> float:
        """Upper bound on norm / node, for node > 0; infinity where there is none."""
        node = _scalar(node) or node
        if self._is_norm(node):
            return 1.0
        found = self.here.of(node)
        if node.op in ("maximum", "python_max"):
            return min(self.over(each) for each in node.inputs)
        if node.op == "add":
            for each, other in (node.inputs, node.inputs[::-1]):
                if bool((self.here.of(other).lo >= 0).all()):
                    bound = self.over(each)
                    if bound < math.inf:
                        return bound
        if node.op == "divide" and bool((self.here.of(node.inputs[1]).lo >= LEAST_CLIP).all()):
            return product(self.over(node.inputs[0]), float(self.here.of(node.inputs[1]).hi.max()))
        if found.nan or bool((found.lo <= 0).any()):
            return math.inf
        return quotient(norms(self.vector, self.here)[1], float(found.lo.min()))
