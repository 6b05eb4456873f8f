"""The program of a proof: one straight line of operations, each of which is checked when it is added.

A value is *public* (known, released, or independent of the data), a *record* (computed from one generic record and from
public values), *private* (a sum over all records, with what one record puts into it), or a *draw* of noise. Only sums
lead from records to private values, and only a release leads from private values to public ones.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from dpverify.proofs import called, noise, rules, sums
from dpverify.proofs.elementwise import elementwise
from dpverify.proofs.node import Node, plain, type_name
from dpverify.proofs.operations import ELEMENTWISE, ProofError


@dataclass(slots=True)
class ProofProgram:
    """The operations so far.

    Attributes
    ----------
    relation : str
        ``add-remove`` or ``replace``.
    fields : mapping
        Of the domain: name to ``{"shape": ..., "type": ..., "low": ..., "high": ..., "nan": ..., "norm": ...}``.
    nodes : list of Node
        In order; what a record puts into a private value is not among them.
    releases : list of (part, law, scale)
        What has been released.
    texts : dict
        Texts that a record is compared with, and their codes.
    """

    relation: str
    fields: Mapping[str, Mapping[str, Any]]
    nodes: list[Node] = field(default_factory=list)
    releases: list[tuple[Node, str, Node]] = field(default_factory=list)
    spent: set[int] = field(default_factory=set)
    drawn: int = 0
    texts: dict[str, int] = field(default_factory=dict)
    places: dict[Node, int] = field(default_factory=dict)
    _known: dict[Any, Node] = field(default_factory=dict, repr=False)

    def append(self, op: str, /, *inputs: Node, **params: Any) -> Node:
        """The value of an operation, checked and kept; ProofError where no rule allows it."""
        node = self.make(op, *inputs, **params)
        if node not in self.places:
            self.places[node] = len(self.nodes)
            self.nodes.append(node)
        return node

    def make(self, op: str, /, *inputs: Node, **params: Any) -> Node:
        """The value of an operation, checked; one Node for one value."""
        rule = _RULES.get(op)
        if rule is None and op not in ELEMENTWISE:
            raise ProofError(f"{op} has no rule")
        if op in ("draw", "random", "release", "expose"):
            assert rule is not None
            return rule(self, inputs, params)
        key = (op, tuple(map(id, inputs)), json.dumps(params, sort_keys=True))
        if key not in self._known:
            self._known[key] = rule(self, inputs, params) if rule else elementwise(self, op, inputs, params)
        return self._known[key]

    def constant(self, value: Any) -> Node:
        """A public number or array that is known."""
        return self.append("constant", value=plain(value), type=type_name(value))


_RULES: dict[str, Callable[..., Node]] = {
    "constant": rules.constant,
    "field": rules.field,
    "is_text": rules.is_text,
    "one": rules.one,
    "size": rules.size,
    "sum": sums.total,
    "take": rules.take,
    "stack": rules.stack,
    "reduce_sum": sums.reduced,
    "norm": sums.norm,
    "matmul": sums.matmul,
    "one_hot": rules.one_hot,
    "call": called.of_released,
    "draw": noise.draw,
    "random": noise.random,
    "expose": noise.expose,
    "release": noise.release,
}
