"""Conditions that cannot hold together: comparisons in a circle of which one is strict, as ``x < 1`` and ``1 <= x``.

Such a way needs no run. A contradiction that is not seen here costs a proof, and nothing else.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

from dpverify.proofs.node import Node
from dpverify.proofs.operations import EXACT, PYTHON_INT

MOST_NUMBERS = 120

Edge = tuple[Any, Any, bool]
"""Smaller, larger, whether strictly so: each a node, or a number."""

WHOLE = (PYTHON_INT, "int64", "bool")


def contradictory(conditions: Sequence[tuple[Node, bool]]) -> bool:
    """Tell whether the conditions cannot all hold."""
    met = set(itertools.starmap(_plain, conditions))
    if any((node, not truth) in met for node, truth in met):
        return True
    numbers = {node for asked, truth in conditions for node in _true_operands(asked, truth)}
    edges = [edge for node, truth in conditions for edge in _edges(node, truth, numbers)]
    ends = list({end: None for edge in edges for end in edge[:2]})
    for end in [each for each in ends if isinstance(each, Node) and (each in numbers or not each.range.nan)]:
        low, high = float(end.range.lo), float(end.range.hi)
        edges += [(low, end, False)] * math.isfinite(low) + [(end, high, False)] * math.isfinite(high)
    known = sorted({each for edge in edges for each in edge[:2] if isinstance(each, float)})
    edges += [(a, b, True) for a, b in itertools.pairwise(known)]
    return _strict_circle(edges)


def _plain(node: Node, truth: bool) -> tuple[Node, bool]:
    return _plain(node.inputs[0], not truth) if node.op == "logical_not" else (node, truth)


def _true_operands(node: Node, truth: bool) -> list[Node]:
    """Operands of comparisons that hold: they are no NaN."""
    if node.op == "logical_not":
        return _true_operands(node.inputs[0], not truth)
    if node.op in ("logical_and", "logical_or") and truth is (node.op == "logical_and"):
        return [found for each in node.inputs for found in _true_operands(each, truth)]
    return list(node.inputs) if truth and node.op in ("less", "less_equal", "equal") else []


def _edges(node: Node, truth: bool, numbers: set[Node]) -> Iterator[Edge]:
    """Return what a condition says of the order of what it compares."""
    if node.shape != ():
        return
    if node.op == "logical_not":
        yield from _edges(node.inputs[0], not truth, numbers)
    elif node.op in ("logical_and", "logical_or") and truth is (node.op == "logical_and"):
        for each in node.inputs:
            yield from _edges(each, truth, numbers)
    elif node.op in ("less", "less_equal", "equal") and all(each.shape == () for each in node.inputs):
        small, large = node.inputs
        if truth:
            yield from _ordered(small, large, strict=node.op == "less")
            if node.op == "equal":
                yield from _ordered(large, small, strict=False)
        elif node.op != "equal" and not any(each.range.nan and each not in numbers for each in node.inputs):
            yield from _ordered(large, small, strict=node.op == "less_equal")


def _ordered(small: Node, large: Node, *, strict: bool) -> Iterator[Edge]:
    a, b = _end(small), _end(large)
    if strict and isinstance(b, float) and small.kind in WHOLE and abs(b) < EXACT:
        b, strict = float(math.ceil(b) - 1), False
    elif strict and isinstance(a, float) and large.kind in WHOLE and abs(a) < EXACT:
        a, strict = float(math.floor(a) + 1), False
    yield a, b, strict


def _end(node: Node) -> Any:
    """A number where it is known to the last digit, else the node."""
    return float(node.range.lo) if node.op == "constant" and bool(node.range.lo == node.range.hi) else node


def _strict_circle(edges: Sequence[Edge]) -> bool:
    """Tell whether some number would be smaller than itself."""
    places = {end: at for at, end in enumerate(dict.fromkeys(end for edge in edges for end in edge[:2]))}
    if len(places) > MOST_NUMBERS:
        return False
    strict: dict[tuple[int, int], bool] = {}
    for a, b, more in edges:
        strict[places[a], places[b]] = more or strict.get((places[a], places[b]), False)
    for through, a, b in itertools.product(range(len(places)), repeat=3):
        if (a, through) in strict and (through, b) in strict:
            more = strict[a, through] or strict[through, b]
            strict[a, b] = more or strict.get((a, b), False)
    return any(strict.get((at, at), False) for at in range(len(places)))
