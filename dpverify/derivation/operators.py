"""Operators and elementwise functions on values that are not known: which form the result has, and which may meet."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

import numpy as np

from dpverify.derivation import homes
from dpverify.derivation.homes import is_array
from dpverify.derivation.machine import Machine
from dpverify.derivation.stop import NotDerivedError
from dpverify.derivation.values import DataColumn, Half, Lifted, NoiseDraw, OneRecord, Private, Public, RunningTotal
from dpverify.proofs.linear import most_of
from dpverify.proofs.node import Node
from dpverify.proofs.operations import ELEMENTWISE, LARGEST, NUMBER, PYTHON_INT
from dpverify.proofs.ranges import Range

BINARY: dict[type[ast.operator], str] = {ast.Add: "add", ast.Sub: "subtract", ast.Mult: "multiply", ast.Div: "divide"}
COMPARISONS: dict[type[ast.cmpop], tuple[str, bool, bool]] = {
    ast.Lt: ("less", False, False),
    ast.LtE: ("less_equal", False, False),
    ast.Gt: ("less", True, False),
    ast.GtE: ("less_equal", True, False),
    ast.Eq: ("equal", False, False),
    ast.NotEq: ("equal", False, True),
}
"""Name, whether the operands change places, whether the result is negated."""

_ASKED = ("less", "less_equal", "equal", "logical_and", "logical_or", "logical_not")


def elementwise(machine: Machine, name: str, *values: Any) -> Any:
    """The result of an operation of the proof on values of which one is not known."""
    lifted = [each for each in values if isinstance(each, Lifted)]
    if any(isinstance(each, RunningTotal) for each in lifted):
        return _changed_state(machine, name, values)
    if isinstance(values[0], Half):
        return _second_half(machine, name, values)
    if any(isinstance(each, DataColumn) for each in lifted):
        return _on_columns(machine, name, values)
    array, home = any(map(is_array, values)), homes.result(name, values)
    nodes = machine.numbers if array else machine.node
    if array and all(machine.node(each).kind == "float64" for each in values if is_array(each)):
        values = tuple(_as_double(machine, each) for each in values)
    if any(isinstance(each, OneRecord) for each in lifted):
        if any(not isinstance(each, OneRecord | Public) for each in lifted):
            other = next(each for each in lifted if not isinstance(each, OneRecord | Public))
            raise NotDerivedError(f"one record meets {other.described()}")
        homes.check_public_alike(name, values)
        operands = [nodes(each) for each in values]
        homes.check_mixed(name, operands)
        return OneRecord(machine.op(name, *operands), array, home)
    if any(isinstance(each, NoiseDraw) for each in lifted):
        return _with_draw(machine, name, values, array)
    if any(isinstance(each, Private) for each in lifted):
        if not all(isinstance(each, Private | Public) for each in lifted):
            raise NotDerivedError("a sum over the records meets a value that has no rule with it")
        homes.check_public_alike(name, values)
        return Private(machine.op(name, *map(nodes, values)), array, home)
    if all(isinstance(each, Public) for each in lifted):
        operands = [nodes(each) for each in values]
        chosen = name == "where"  # by a condition, of which nothing is computed
        homes.check_whole(name, values[chosen:], operands[chosen:])
        homes.check_alike(name, values, operands)
        found = machine.op(name, *operands)
        free = found.kind == "int64" and not array and home != homes.NUMPY
        if free and ELEMENTWISE[name].arithmetic and bool((found.range.most >= 2.0**62).any()):
            homes.refuse(name)
        return Public(found, array, home)
    raise NotDerivedError(f"{name} of {lifted[0].described()} has no rule")


def _as_double(machine: Machine, value: Any) -> Any:
    """A released scalar that is a double or a small whole number, ``max(1, noisy)``, as arrays of doubles take it."""
    if isinstance(value, Public) and value.node.kind == NUMBER and homes.double_or_small(value.node):
        return Public(machine.op("as_float", value.node), home=homes.NUMPY)
    return value


def _on_columns(machine: Machine, name: str, values: Sequence[Any]) -> DataColumn:
    if machine.record is not None:
        raise NotDerivedError("a column of the data within a loop over records: one record meets all others")
    columns = [each for each in values if isinstance(each, DataColumn)]
    first = columns[0]
    if any(each.mask is not first.mask for each in columns):
        raise NotDerivedError("columns of different selections meet")
    if not all(each.array for each in columns):
        raise NotDerivedError(
            "an operator on a list of records", "convert it with numpy.asarray, or use a comprehension"
        )
    for each in values:
        if isinstance(each, Lifted) and not isinstance(each, DataColumn | Public):
            raise NotDerivedError(f"a column of the data meets {each.described()}")
        if not isinstance(each, DataColumn) and len(machine.node(each).shape) > min(len(c.node.shape) for c in columns):
            raise NotDerivedError("a public array meets a column: it would lie along the records")
    if len({len(each.node.shape) for each in columns}) > 1:
        raise NotDerivedError("columns of different dimensions meet", "columns[:, None] makes them alike")
    given = [] if first.mask is None else [(first.mask, True)]
    operands = [machine.numbers(each) for each in values]
    homes.check_mixed(name, operands)
    return DataColumn(machine.op(name, *operands, given=given), first.mask)


def _changed_state(machine: Machine, name: str, values: Sequence[Any]) -> RunningTotal:
    """RunningTotal + what one record adds."""
    states = [each for each in values if isinstance(each, RunningTotal)]
    if (
        len(values) != 2
        or len(states) != 1
        or name not in ("add", "subtract")
        or (name == "subtract" and states[0] is values[1])
    ):
        raise NotDerivedError(
            f"{states[0].described()} is used in a loop over records", "only `total = total + g(record)` has a rule"
        )
    (state,) = states
    other = values[1] if values[0] is state else values[0]
    if isinstance(other, Lifted) and not isinstance(other, OneRecord | Public):
        raise NotDerivedError(f"a running total of {other.described()}")
    node = machine.node(other)
    _check_part(state, node, machine.where_record_is().of(node))
    if node.level == "public":
        node = machine.op("multiply", machine.op("one"), node)
    if name == "subtract":
        node = machine.op("negative", node)
    added = node if state.added is None else machine.op("add", state.added, node)
    return RunningTotal(state.name, added, state.array, homes.joined(values), state.like)


def _check_part(state: RunningTotal, node: Node, found: Range) -> None:
    """Refuse what may raise or wrap when it meets a running total, whether the result is kept or not."""
    like = state.like
    if node.kind not in ("float64", "int64", PYTHON_INT, NUMBER, "bool") or like is None:
        raise NotDerivedError(f"a running total meets a {node.kind}")
    if not found.finite or bool((found.most > (2.0**31 if node.kind == "int64" else LARGEST)).any()):
        raise NotDerivedError("a running total of records that may be NaN, infinite or too large", "clip the records")
    sizes = ((like.kind, most_of(like)), (node.kind, float(found.most.max(initial=0.0))))
    fixed = {"int64", "bool"} & {like.kind, node.kind}
    if any(kind in (PYTHON_INT, NUMBER) and not size < (2.0**62 if fixed else LARGEST) for kind, size in sizes):
        raise NotDerivedError("a running total with a Python integer that may be too large for what it meets")
    try:
        np.broadcast_shapes(like.shape, node.shape)
    except ValueError:
        raise NotDerivedError("a running total of another shape than what is added") from None


def _with_draw(machine: Machine, name: str, values: Sequence[Any], array: bool) -> Any:
    """Noise: scaled by a public number, or added to a private value, which releases it."""
    home = homes.joined(values)
    draws = [each for each in values if isinstance(each, NoiseDraw)]
    others = [each for each in values if not isinstance(each, NoiseDraw)]
    if len(draws) == 1 and len(others) == 1 and name in ("add", "subtract") and isinstance(others[0], Private):
        value, draw = machine.node(others[0]), draws[0].node
        if draw.law == "one-sided" and name == "add":
            return Half(others[0], draws[0])
        if name == "subtract" and values[0] is draws[0]:
            value = machine.op("negative", value)
        elif name == "subtract":
            draw = machine.op("negative", draw)
        shape = np.broadcast_shapes(value.shape, draw.shape)
        released = machine.op("release", spread(machine, value, shape), draw)
        machine.released.append(machine.place)
        return Public(released, array, home)
    if name in ("multiply", "negative") or (name == "subtract" and len(draws) == 2):
        return NoiseDraw(machine.op(name, *map(machine.node, values)), array, home)
    if name == "divide" and values[0] is draws[0] and len(draws) == 1:
        inverse = machine.op("divide", machine.program.constant(1.0), machine.node(values[1]))
        return NoiseDraw(machine.op("multiply", draws[0].node, inverse), array, home)
    if len(draws) == 1 and all(not isinstance(each, Lifted) or isinstance(each, Public) for each in others):
        shown = machine.op("expose", draws[0].node)
        nodes = [shown if each is draws[0] else machine.node(each) for each in values]
        homes.check_alike(name, values, nodes)
        return Public(machine.op(name, *nodes), array, homes.result(name, values))
    raise NotDerivedError(f"{name} of noise has no rule: add it to the value as it is drawn")


def _second_half(machine: Machine, name: str, values: Sequence[Any]) -> Public:
    """``value + geometric - geometric``."""
    half, other = values
    if name != "subtract" or not isinstance(half, Half) or not isinstance(other, NoiseDraw):
        raise NotDerivedError("a sum with one-sided noise: subtract a second draw of the same law")
    both = NoiseDraw(
        machine.op("subtract", half.draw.node, other.node), half.draw.array, homes.joined([half.draw, other])
    )
    found = _with_draw(machine, "add", [half.value, both], half.value.array or both.array)
    assert isinstance(found, Public)
    return found


def spread(machine: Machine, node: Node, shape: tuple[int, ...]) -> Node:
    """The value repeated to a larger shape."""
    if node.shape == shape:
        return node
    places = np.broadcast_to(np.arange(int(np.prod(node.shape, dtype=int))).reshape(node.shape), shape)
    return machine.op("take", node, places=places.ravel().tolist(), shape=list(shape))


def taken(machine: Machine, node: Node, key: Any) -> Node:
    """Return what an index or a slice of known numbers selects; of a comparison, the comparison of what it selects."""
    if node.op in _ASKED and all(each.shape in (node.shape, ()) for each in node.inputs):
        parts = [taken(machine, each, key) if each.shape == node.shape else each for each in node.inputs]
        return machine.op(node.op, *parts)
    places = np.arange(int(np.prod(node.shape, dtype=int))).reshape(node.shape)[key]
    return machine.op("take", node, places=np.ravel(places).tolist(), shape=list(np.shape(places)))


def stacked(machine: Machine, values: Sequence[Any]) -> Any:
    """An array of values that are not all known: ``numpy.array([a, b])``."""
    if any(isinstance(each, OneRecord | Public) and each.node.kind == PYTHON_INT for each in values):
        raise NotDerivedError("an array of a Python integer of a record", "convert it with float")
    nodes = [machine.numbers(each) for each in values]
    if len({each.shape for each in nodes}) != 1:
        raise NotDerivedError("an array of values of different shapes")
    kinds = {type(each) for each in values if isinstance(each, Lifted)}
    if len(kinds - {Public}) > 1 or DataColumn in kinds:
        raise NotDerivedError("an array of values of different kinds")
    form: Any = next(iter(kinds - {Public}), Public)
    node = machine.op("stack", *nodes, shape=[len(nodes), *nodes[0].shape])
    return form(node, True)
