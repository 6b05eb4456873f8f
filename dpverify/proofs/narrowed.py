"""Ranges under conditions: a condition narrows what it compares, so that where ``x < 0`` holds, x is below 0.

Side of the error: too wide, never too narrow.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from dpverify.proofs import ranges
from dpverify.proofs.node import Node
from dpverify.proofs.operations import ELEMENTWISE, extent, range_of
from dpverify.proofs.range_rules import equal
from dpverify.proofs.ranges import Range


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
            return _in_shape(within_type(found, node.kind), node)
        if node.op == "is_text":
            code = ranges.of(node.params["code"])
            return equal(self.of(node.inputs[0]), code)
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


def within_type(found: Range, kind: str) -> Range:
    """All of a type of whole numbers, where a number beyond its ends would have wrapped round."""
    low, high = extent(kind)
    if not (high < math.inf and bool(found.nan or (found.lo < low).any() or (found.hi > high).any())):
        return found
    return Range(np.full(found.lo.shape, low), np.full(found.lo.shape, high))


def _in_shape(found: Range, node: Node) -> Range:
    return Range(np.broadcast_to(found.lo, node.shape), np.broadcast_to(found.hi, node.shape), found.nan)
