"""Ways through the code: conditions that hold together, met by values or not, and in words."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from dpverify.proofs import ranges
from dpverify.proofs.node import Level, Node
from dpverify.proofs.operations import ELEMENTWISE
from dpverify.proofs.program import ProofProgram
from dpverify.proofs.replay import Evaluation

Condition = tuple[Node, bool]

CHOICES = ("where", "choose")

TURNING = ("square", "absolute", "exp", "tanh", "arctan")

JUMPING = {"floor": 0.0, "ceil": 0.0, "rint": 0.5, "trunc": 0.0, "as_int": 0.0, "as_python_int": 0.0}
"""At whole numbers and this much, what they give jumps."""

NAN_BELOW = {"sqrt": 0.0, "log": 0.0, "log1p": -1.0}
"""Below them there is no value: NaN goes other ways than numbers."""

BETWEEN_TWO = ("minimum", "maximum", "python_min", "python_max", "fmin", "fmax")


class Looks:
    """Gives values of several programs one number where they are computed alike.

    Random numbers are alike where they are drawn at one place: two draws of one law are two values.
    """

    def __init__(self) -> None:
        self.numbers: dict[Any, int] = {}
        self.known: dict[Node, int] = {}

    def of(self, program: ProofProgram, node: Node) -> int:
        """The number of a value."""
        if node not in self.known:
            params = json.dumps(dict(node.params), sort_keys=True)
            drawn = program.places[node] if node.op in ("draw", "random") else None
            inputs = tuple(self.of(program, each) for each in node.inputs)
            self.known[node] = self.numbers.setdefault((node.op, params, drawn, inputs), len(self.numbers))
        return self.known[node]


def apart(way: Sequence[Condition]) -> tuple[Condition, ...]:
    """The same conditions, each ``and`` that holds and each ``or`` that does not as its parts."""
    found: list[Condition] = []
    for node, truth in way:
        if node.op == "logical_not" and node.shape == ():
            found += apart([(node.inputs[0], not truth)])
        elif node.shape == () and node.op == ("logical_and" if truth else "logical_or"):
            found += apart([(each, truth) for each in node.inputs])
        else:
            found.append((node, truth))
    return tuple(found)


def words(way: Sequence[Condition]) -> str:
    """The conditions of a way, as the proof has them."""
    return " and ".join(("" if truth else "not ") + _words(node) for node, truth in way) or "no condition"


def _words(node: Node, depth: int = 4) -> str:
    if node.op == "constant" and node.shape == ():
        return f"{float(node.range.lo):.6g}"
    if node.op in ("field", "release"):
        return str(node.params.get("name") or "a record") if node.op == "field" else "what is released"
    inside = ", ".join(_words(each, depth - 1) for each in node.inputs) if depth else "..."
    return f"{node.op}({inside})"


def met_by(found: Evaluation, condition: Condition, lead: int) -> tuple[Any, Any]:
    """Tell whether a condition is met, and by how much what it compares differs; `lead`: axes of the records."""
    node, truth = condition
    met = np.asarray(found.of(node)).astype(bool) == truth
    met = met.any(axis=tuple(range(lead, met.ndim))) if met.ndim > lead else met
    if node.op not in ("less", "less_equal", "equal") or node.shape != ():
        return met, math.nan
    try:
        first, second = (np.asarray(found.of(each), dtype=float) for each in node.inputs)
    except OverflowError:  # integers beyond all doubles
        return met, math.nan
    return met, first - second


def turns(program: ProofProgram, level: Level) -> list[Condition]:
    """Conditions beside which a value that is squared, or the like, changes sign: at 0 there may be a peak."""
    found: dict[Node, Condition] = {}
    for node in program.nodes:
        inner = node.inputs[0] if node.inputs else node
        squared = node.op in TURNING or (node.op == "multiply" and inner is node.inputs[1])
        if squared and inner.level == level and inner.shape == () and inner.kind != "bool" and inner.op != "constant":
            found.setdefault(inner, (_below(inner, 0.0), True))
    return list(found.values())


def jumps(program: ProofProgram, at: Evaluation) -> list[Condition]:
    """Conditions beside which a record's value jumps: the next whole number, or multiple, above what one record has."""
    found: dict[Node, Condition] = {}
    for node in program.nodes:
        if node.level != "record" or node.inputs[:1] == () or node.inputs[0].level != "record":
            continue
        step = 1.0
        if node.op in ("mod", "floor_divide"):
            if node.inputs[1].level != "public":
                continue
            step = _first(at.of(node.inputs[1]))
        elif node.op not in JUMPING:
            continue
        with np.errstate(all="ignore"):
            number = (np.floor(_first(at.of(node.inputs[0])) / step) + 1.0 + JUMPING.get(node.op, 0.0)) * step
        if math.isfinite(number):
            found[node] = (_below(node.inputs[0], float(number)), True)
    return list(found.values())


def _first(value: Any) -> float:
    """One number of a value; NaN where it is none."""
    try:
        return float(np.ravel(value)[0])
    except (OverflowError, TypeError, ValueError, IndexError):
        return math.nan


def _below(node: Node, number: float) -> Node:
    """The condition that a value is below a number, which the proof itself does not ask."""
    end = Node("constant", (), {"value": number, "type": "float64"}, "public", (), "float64", ranges.of(number))
    can = ELEMENTWISE["less"].rule(node.range, end.range)
    return Node("less", (node, end), {}, node.level, node.shape, "bool", can)


def sides(program: ProofProgram, level: Level) -> list[Condition]:
    """Both sides of each condition and choice, and of where NaN begins, among a level's values, by their ranges."""
    found: dict[tuple[Any, bool], Condition] = {}
    for node in program.nodes:
        asked: Node = node
        key: tuple[Node, ...] = (node,)
        if node.op in BETWEEN_TWO:
            can = ELEMENTWISE["less"].rule(*(each.range for each in node.inputs))
            asked, key = Node("less", node.inputs, {}, level, node.shape, "bool", can), node.inputs
        elif node.op in NAN_BELOW and node.range.nan:
            asked = _below(node.inputs[0], NAN_BELOW[node.op])
        if node.level != level or asked.kind != "bool" or asked.op in ("constant", "field", "logical_not"):
            continue
        for truth in (True, False):
            if bool((asked.range.hi > 0 if truth else asked.range.lo < 1).any()):
                found.setdefault((key, truth), (asked, truth))
    return list(found.values())
