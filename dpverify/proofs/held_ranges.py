"""Values that lie where a proof says that they lie, measured; the check computes no range."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dpverify.proofs.node import Node
from dpverify.proofs.operations import ProofError
from dpverify.proofs.replay import CLOSE, Evaluation

CHOICES = ("where", "choose")


def check_public(found: Evaluation) -> None:
    """ProofError where a released value lies outside of its range."""
    for node, value in found.known.items():
        if node.level == "public" and not bool(np.all(_inside(node, value))):
            raise ProofError(f"{node.op} gives {value!r:.40}, and the proof says that it cannot")


def check_records(found: Evaluation, nodes: Sequence[Node]) -> None:
    """ProofError where a record's value lies outside of its range, on a way on which the code computes it."""
    there: dict[Node, Any] = {}
    for node in nodes:
        if node.level == "record":
            there[node] = _there(found, node, nodes, there)
            inside = _inside(node, found.of(node)).reshape(found.size, -1).all(axis=1)
            if not bool((inside | ~there[node]).all()):
                raise ProofError(f"{node.op} of a record gives what the proof says that it cannot")


def _inside(node: Node, value: Any) -> Any:
    given = np.asarray(value)
    try:
        given = given.astype(float)
    except (OverflowError, TypeError, ValueError):
        return np.ones(given.shape, dtype=bool)
    with np.errstate(all="ignore"):
        slack = CLOSE * np.maximum(1.0, np.abs(given))
        inside = (given >= node.range.lo - slack) & (given <= node.range.hi + slack)
    return inside | (np.isnan(given) if node.range.nan else False) | np.isinf(given)


def _there(found: Evaluation, node: Node, nodes: Sequence[Node], there: dict[Node, Any]) -> Any:
    """Tell for which records the conditions hold under which a value is computed."""
    own = np.ones(found.size, dtype=bool)
    for at, truth in node.params.get("given", ()):
        own &= np.asarray(found.of(nodes[at])).astype(bool) == truth
    sides = [there.get(each, True) for each in node.inputs]
    if node.op in CHOICES and node.inputs[0].shape == ():
        asked = np.asarray(found.of(node.inputs[0])).astype(bool)
        return own & sides[0] & np.where(asked, sides[1], sides[2])
    for each in sides:
        own &= each
    return own
