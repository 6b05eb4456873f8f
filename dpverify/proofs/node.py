"""One value of a proof."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, Protocol

import numpy as np

from dpverify.proofs.operations import PYTHON_INT
from dpverify.proofs.ranges import Range

Level = Literal["public", "record", "private", "draw"]


@dataclass(eq=False, slots=True)
class Node:
    """One value of the program.

    Attributes
    ----------
    shape : tuple of int
        Of a record: of what one record has.
    kind : str
        The type: ``float64``, ``int`` (Python's), ``int64``, ``bool`` ...
    range : Range
        What it can be; of private values and draws nothing is said.
    part : Node or None
        What one record puts into a private value.
    law, scale, fresh
        Of a draw: its law, the node that scales it (None: 1) and which draws its elements are.
    most : float
        Of a private value: no element of it is larger, on any data set of the domain.
    size_power : tuple of fraction and int, or None
        (c, k) where the value is c n**k, n the public number of records.
    norm : float
        The largest L2 norm that a record of the domain has.
    """

    op: str
    inputs: tuple[Node, ...]
    params: Mapping[str, Any]
    level: Level
    shape: tuple[int, ...]
    kind: str
    range: Range
    part: Node | None = None
    most: float = math.inf
    law: str = ""
    scale: Node | None = None
    fresh: Any = None
    size_power: tuple[Fraction, int] | None = None
    norm: float = math.inf


class Maker(Protocol):
    """The program that a rule makes its values in: the relation, the fields, and what has been drawn and released."""

    relation: str
    fields: Mapping[str, Mapping[str, Any]]
    nodes: list[Node]
    releases: list[tuple[Node, str, Node]]
    spent: set[int]
    drawn: int
    texts: dict[str, int]

    def make(self, op: str, /, *inputs: Node, **params: Any) -> Node:
        """The value of an operation, checked; one Node for one value."""
        ...


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


def type_name(value: Any) -> str:
    """The type of a known number or array, as `Node.kind` says it."""
    if isinstance(value, bool | np.bool_):
        return "bool"
    if isinstance(value, int):
        return PYTHON_INT
    return "float64" if isinstance(value, float) else str(np.asarray(value).dtype)


def plain(value: Any) -> Any:
    """Numbers and nested lists, as JSON has them; NaN and infinities as texts."""
    if isinstance(value, np.ndarray | list | tuple):
        return [plain(each) for each in value]
    value = value.item() if isinstance(value, np.generic) else value
    return repr(value) if isinstance(value, float) and not math.isfinite(value) else value


def values(told: Any, kind: str) -> Any:
    """The array that `plain` wrote."""
    dtype = object if kind == PYTHON_INT else np.dtype(kind)
    array = np.asarray(told if kind == PYTHON_INT else _numbers(told), dtype=dtype)
    return array


def _numbers(told: Any) -> Any:
    return (
        [_numbers(each) for each in told] if isinstance(told, list) else float(told) if isinstance(told, str) else told
    )
