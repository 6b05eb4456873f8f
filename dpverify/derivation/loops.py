"""Loops and comprehensions over the records: the body is read once, on one generic record, from an unknown state.

Accepted is only what adds to a variable something that depends on this record alone, and a list that gets at most one
element for each record. Every way of the record through the body is followed.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from dpverify.derivation import homes, membership
from dpverify.derivation.homes import is_array
from dpverify.derivation.machine import MOST_BRANCHES, Machine, RecordRun, merged, next_answers
from dpverify.derivation.operators import elementwise, spread
from dpverify.derivation.reader import Reader
from dpverify.derivation.stop import NotDerivedError
from dpverify.derivation.values import (
    POSITIONS,
    CellMap,
    Cells,
    DataColumn,
    DataRows,
    Fields,
    Lifted,
    OneRecord,
    Position,
    Private,
    Public,
    RunningTotal,
    Unusable,
)
from dpverify.proofs.node import Node
from dpverify.proofs.operations import PYTHON_INT

if TYPE_CHECKING:
    from dpverify.derivation.frames import Frame

Taken = Sequence[tuple[Node, bool]]


class Appending(Lifted):
    """A list that gets elements in a loop over records."""

    def __init__(self) -> None:
        self.values: list[OneRecord] = []

    words: ClassVar[str] = "a list that grows with the records"


def assigned(statements: Sequence[ast.stmt]) -> set[str]:
    """Names that statements give a value to, but for those of functions within."""
    found: set[str] = set()
    waiting: list[ast.AST] = [*statements]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
            found.add(node.id)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
            continue
        if isinstance(node, ast.Import | ast.ImportFrom):
            found |= {(each.asname or each.name).partition(".")[0] for each in node.names}
        if isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            found.add(node.name)
        if not isinstance(node, ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            waiting.extend(ast.iter_child_nodes(node))
        elif any(isinstance(each, ast.NamedExpr) for each in ast.walk(node)):
            raise NotDerivedError("an assignment within a comprehension")
    return found


def targets(node: ast.ListComp | ast.GeneratorExp | ast.DictComp) -> set[str]:
    """Names of a comprehension's variables."""
    stores = (each for generator in node.generators for each in ast.walk(generator.target))
    return {each.id for each in stores if isinstance(each, ast.Name)}


def _item(machine: Machine, over: DataColumn | DataRows) -> Any:
    """The generic record of what is gone through, or its place."""
    if isinstance(over, DataRows) and over.form == POSITIONS:
        return Position(machine.record)
    if isinstance(over, DataColumn):
        return OneRecord(over.node, bool(over.node.shape), homes.NUMPY if over.array else over.home)
    return Fields(over.by_name, over.form != "dicts", "" if over.form == "pairs" else homes.PYTHON)


def _mask(over: DataColumn | DataRows) -> Node | None:
    return over.mask


@contextmanager
def _looking_at_one(machine: Machine) -> Iterator[None]:
    if machine.record is not None:
        raise NotDerivedError("a loop over records within another one: pairs of records meet")
    try:
        yield
    finally:
        machine.record = None


def _ways(machine: Machine, over: DataColumn | DataRows, body: Callable[[], Any]) -> list[tuple[Taken, Any]]:
    """Return what the body gives on each way of the record."""
    found: list[tuple[Taken, Any]] = []
    mask = _mask(over)
    first = [] if mask is None else [(mask, True)]
    answers: list[bool] | None = []
    if isinstance(over, DataRows) and over.form == "pairs":
        if over.used:
            raise NotDerivedError("an iterator is gone through twice")
        over.used = True
    with _looking_at_one(machine):
        while answers is not None:
            machine.record = RecordRun(answers, first, outer=frozenset(machine.owned))
            value = body()
            found.append((tuple(machine.record.taken), value))
            machine.ways.append((*first, *machine.record.taken))
            answers = next_answers(machine.record.taken)
            if len(found) > MOST_BRANCHES:
                raise NotDerivedError(f"more than {MOST_BRANCHES} ways of one record through a loop's body")
    return found


def comprehension(
    self: Reader, node: ast.ListComp | ast.GeneratorExp, over: DataColumn | DataRows, frame: Frame
) -> DataColumn | DataRows:
    """A column: one element for each record, or for those that meet the conditions."""
    if len(node.generators) != 1 or node.generators[0].is_async:
        raise NotDerivedError("a comprehension of several loops over records")
    (generator,) = node.generators

    def body() -> Any:
        self.machine.step()
        self.store(generator.target, _item(self.machine, over), frame)
        if not all(self.machine.holds(self.value(each, frame)) for each in generator.ifs):
            return None
        found = self.value(node.elt, frame)
        return found if isinstance(found, Fields) else of_record(self.machine, found)

    ways = _ways(self.machine, over, body)
    if isinstance(over, DataRows) and over.form != "pairs" and any(isinstance(each, Fields) for _, each in ways):
        return _selected(self.machine, over, ways)
    return _column(self.machine, over, ways)


def _selected(machine: Machine, over: DataRows, ways: Sequence[tuple[Taken, Any]]) -> DataRows:
    """``[row for row in data if ...]``."""
    if any(each is not None and not (isinstance(each, Fields) and each.by_name is over.by_name) for _, each in ways):
        raise NotDerivedError("a list of records and of other things")
    return DataRows(over.by_name, over.form, mask=_own_mask(machine, over, ways))


def _own_mask(machine: Machine, over: DataColumn | DataRows, ways: Sequence[tuple[Taken, Any]]) -> Node | None:
    """The condition under which a record gives an element."""
    mask = _mask(over)
    if all(each is not None for _, each in ways):
        return mask
    own = _condition(machine, [(taken, each is not None) for taken, each in ways])
    return own if mask is None else machine.op("logical_and", mask, own)


def of_record(machine: Machine, value: Any) -> OneRecord:
    """Return what one record gives, as a value of the record."""
    if isinstance(value, Lifted) and not isinstance(value, OneRecord | Public):
        raise NotDerivedError(f"for each record {value.described()}")
    node = machine.node(value)
    if node.kind == "bool" and node.level != "record" and homes.home_of(value) != homes.PYTHON:
        raise NotDerivedError("for each record a condition of numpy's", "bool(...)")
    if node.level != "record":
        node = _of_each(machine, node)
    return OneRecord(node, bool(node.shape), homes.home_of(value))


def _of_each(machine: Machine, node: Node) -> Node:
    """The same value for each record; a condition stays one, which no place in a list is."""
    one, constant = machine.op("one"), machine.program.constant
    if node.kind != "bool":
        return machine.op("multiply", one, node)
    return machine.op(
        "equal", machine.op("multiply", one, machine.op("where", node, constant(1), constant(0))), constant(1)
    )


def _column(
    machine: Machine, over: DataColumn | DataRows, ways: Sequence[tuple[Taken, OneRecord | None]]
) -> DataColumn:
    present = [(taken, each.node) for taken, each in ways if each is not None]
    if not present:
        zero = machine.op("multiply", machine.op("one"), machine.program.constant(0))
        return DataColumn(zero, machine.op("equal", zero, machine.program.constant(1)), array=False)
    if len({node.shape for _, node in present}) > 1 or len({node.kind for _, node in present}) > 1:
        raise NotDerivedError("a list of values of different shapes or types")
    filler = present[0][1]
    value = merged(machine, [(taken, filler if each is None else each.node) for taken, each in ways])
    return DataColumn(
        value,
        _own_mask(machine, over, ways),
        array=False,
        home=homes.chosen([each for _, each in ways if each is not None]),
    )


def _condition(machine: Machine, ways: Sequence[tuple[Taken, bool]]) -> Node:
    """The condition under which a way is taken that is marked."""
    taken, marked = ways[0]
    if not taken:
        return machine.program.constant(marked)
    condition = taken[0][0]
    sides = [[(rest[1:], mark) for rest, mark in ways if rest[0][1] is truth] for truth in (True, False)]
    yes, no = ({mark for _, mark in side} for side in sides)
    if yes == {True} and no == {False}:
        return condition
    if yes == {False} and no == {True}:
        return machine.op("logical_not", condition)
    if yes == no and len(yes) == 1:
        return machine.program.constant(marked)
    if {False} in (yes, no):
        first = condition if no == {False} else machine.op("logical_not", condition)
        return machine.op("logical_and", first, _condition(machine, sides[no != {False}]))
    if {True} in (yes, no):
        first = condition if yes == {True} else machine.op("logical_not", condition)
        return machine.op("logical_or", first, _condition(machine, sides[yes == {True}]))
    return machine.op("where", condition, *(_condition(machine, side) for side in sides))


def over_records(self: Reader, node: ast.For, over: DataColumn | DataRows, frame: Frame) -> None:
    """A loop over the records: what it adds to its variables becomes sums over the records."""
    from dpverify.derivation.signals import BreakSignal, ContinueSignal, ReturnSignal

    machine, changed = self.machine, assigned([node])
    before = dict(frame.names)
    started: dict[str, Any] = {}
    items = _changed_items(node.body) & set(before)
    changed |= {name for name in items if is_array(before[name])}
    for name in changed & set(before):
        started[name] = _running(machine, name, before[name])
    arrays = [name for name, each in started.items() if is_array(each)]
    for name in changed & set(before):
        if is_array(before[name]) and id(before[name]) not in machine.fresh:
            raise NotDerivedError(f"{name} is an array that may have another name, and a loop over records changes it")
    lists = {name: before[name] for name in items if type(before[name]) in (list, dict)}
    for name, known in lists.items():
        if any(is_array(each) or isinstance(each, list | dict) for _, each in _cells_of(known)):
            raise NotDerivedError(f"{name} is a list of arrays or lists, and a loop over records changes it")
        if name in changed or id(known) not in machine.fresh:
            raise NotDerivedError(f"{name} is a list that may have another name, and a loop over records changes it")

    def body() -> dict[str, Any]:
        frame.names.clear()
        frame.names.update({**before, **started})
        machine.fresh |= {id(each): each for each in started.values()}
        for name, known in lists.items():
            grows = _grows(node.body, name)
            if grows and (known or isinstance(known, dict)):
                raise NotDerivedError(f"{name} is no empty list before the loop over records that it grows in")
            own: Any = Appending() if grows else _running_cells(machine, name, known)
            frame.names[name] = own if grows else machine.own(own)
        self.store(node.target, _item(self.machine, over), frame)
        try:
            self.block(node.body, frame)
        except ContinueSignal:
            pass
        except (BreakSignal, ReturnSignal):
            raise NotDerivedError(
                "a loop over records that ends early", "order and number of records are private"
            ) from None
        if any(is_array(frame.names[name]) and id(frame.names[name]) not in machine.fresh for name in arrays):
            raise NotDerivedError("an array that a loop over records changes has another name at the end of its body")
        return dict(frame.names)

    ways = _ways(machine, over, body)
    while others := {name for name in started if not isinstance(started[name], Unusable) and _replaced(name, ways)}:
        started |= {name: Unusable(f"{name} holds what the last record left") for name in others}
        if isinstance(over, DataRows):
            over.used = False
        ways = _ways(machine, over, body)  # the next record finds something else in these names
    frame.names.clear()
    frame.names.update(before)
    for name in sorted(changed):
        finals = [(taken, each.get(name)) for taken, each in ways]
        kept = name in started and all(each is started[name] for _, each in finals)
        frame.names[name] = before[name] if kept else _after(machine, over, name, before.get(name), finals)
    for name, known in lists.items():
        finals = [(taken, each[name]) for taken, each in ways]
        if isinstance(finals[0][1], Appending):
            frame.names[name] = _grown(machine, over, finals)
            continue
        for place, value in _cells_of(known):
            after = _after(machine, over, (name, place), value, [(taken, each[place]) for taken, each in finals])
            if isinstance(after, Unusable):
                raise NotDerivedError(after.why)
            known[place] = after
            machine.share(after)


def _grown(machine: Machine, over: DataColumn | DataRows, finals: Sequence[tuple[Taken, Any]]) -> DataColumn:
    if any(not isinstance(each, Appending) or len(each.values) > 1 for _, each in finals):
        raise NotDerivedError("a list that gets more than one element for a record")
    return _column(machine, over, [(taken, each.values[0] if each.values else None) for taken, each in finals])


def _after(
    machine: Machine, over: DataColumn | DataRows, name: Any, before: Any, finals: Sequence[tuple[Taken, Any]]
) -> Any:
    """Return what a variable holds after the loop."""
    if not all(isinstance(each, RunningTotal) and each.name == name for _, each in finals):
        label = name if isinstance(name, str) else f"{name[0]}[{name[1]}]"
        return Unusable(f"{label} holds what the last record left: it is not a sum over the records")
    if all(each.added is None for _, each in finals):
        return before
    added = [(taken, each.added) for taken, each in finals]
    shape = np.broadcast_shapes(*(node.shape for _, node in added if node is not None))
    old = machine.node(before)
    if is_array(before) and shape != old.shape:
        shape = np.broadcast_shapes(shape, old.shape)
        if shape != old.shape:
            raise NotDerivedError("an array that grows in place")
    elif not is_array(before) and shape != () and old.shape != ():
        raise NotDerivedError("a running total of different shapes")
    zero = machine.op("multiply", machine.op("one"), machine.program.constant(0))
    filled = [(taken, spread(machine, zero if node is None else node, shape)) for taken, node in added]
    part = merged(machine, filled)
    mask = _mask(over)
    if mask is not None:
        part = machine.op("where", mask, part, machine.program.constant(0))
    array = is_array(before)
    if array and old.kind not in ("float64", part.kind):
        raise NotDerivedError("numbers of another type are added to an array in place")
    if not array and shape != ():
        raise NotDerivedError(
            "a running total that becomes an array with the first record", "begin with numpy.zeros(...)"
        )
    home = homes.chosen([before, *(each for _, each in finals)])
    total = Private(machine.op("sum", part), array, home)
    if not array and old.kind != "float64" and part.kind == "float64":  # without a record it stays what it was
        total = Private(machine.op("loose", total.node), home=home)
    if old.kind == "bool":
        raise NotDerivedError("a running total that begins as a condition", "begin with 0 or 0.0")
    return machine.own(elementwise(machine, "add", before, total))


def _cells_of(known: Any) -> list[tuple[Any, Any]]:
    """Places or keys with what stands there."""
    return list(known.items()) if isinstance(known, dict) else list(enumerate(known))


def _running_cells(machine: Machine, name: str, known: Any) -> Any:
    cells = [(place, _running(machine, (name, place), each)) for place, each in _cells_of(known)]
    return CellMap(cells) if isinstance(known, dict) else Cells(each for _, each in cells)


def _replaced(name: str, ways: Sequence[tuple[Taken, Mapping[str, Any]]]) -> bool:
    """Tell whether a way ends with something else in a name than what was there and what was added to it."""
    return any(not (isinstance(each[name], RunningTotal) and each[name].name == name) for _, each in ways)


def _running(machine: Machine, name: Any, before: Any) -> Any:
    """Return what a variable holds when a record comes: a number or an array that records have added to."""
    known = type(before) in (int, float, np.float64, np.int64) or type(before) is np.ndarray
    if not known and not isinstance(before, Private | Public):
        return Unusable(f"{name if isinstance(name, str) else name[0]} holds no number before the loop over records")
    return RunningTotal(name, array=is_array(before), home=homes.home_of(before), like=machine.node(before))


def check_added(machine: Machine, total: RunningTotal, right: Any) -> None:
    """Check that an array keeps its shape and its type when something is added in place."""
    assert total.like is not None
    node = machine.node(right)
    kinds = ("float64", "int64", "bool", PYTHON_INT) if total.like.kind == "float64" else (total.like.kind, PYTHON_INT)
    if np.broadcast_shapes(node.shape, total.like.shape) != total.like.shape or node.kind not in kinds:
        raise NotDerivedError("numbers of another type or shape are added to an array in place")


def added_at(self: Reader, total: RunningTotal, key: Any, operator: ast.operator, value: Any) -> Any:
    """``counts[place] += value`` in a loop over records: one number more at a place, nothing at all others."""
    machine = self.machine
    if total.like is None or not total.array or not isinstance(operator, ast.Add | ast.Sub) or is_array(value):
        raise NotDerivedError("an item is changed in a loop over records", "counts[place] += value")
    keys = key if type(key) is tuple else (key,)
    if len(keys) != len(total.like.shape):
        raise NotDerivedError("a part of an array is changed in a loop over records", "add to one place")
    lengths = total.like.shape
    found = tuple(membership.place_in(machine, each, length) for each, length in zip(keys, lengths, strict=True))
    if not all(type(each) is int and -length <= each < length for each, length in zip(found, lengths, strict=True)):
        raise NotDerivedError("a place outside of the array, or that is not known")
    part = of_record(machine, value).node
    zero = machine.program.constant(0.0 if part.kind == "float64" else np.int64(0))
    places = np.arange(int(np.prod(lengths, dtype=int))).reshape(lengths)
    at = int(places[found])
    node = machine.op("stack", *(part if place == at else zero for place in range(places.size)), shape=list(lengths))
    return self.binary(operator, total, OneRecord(node, True))


def _changed_items(statements: Sequence[ast.stmt]) -> set[str]:
    """Names of what gets elements, or other elements."""
    found = set()
    for each in (node for statement in statements for node in ast.walk(statement)):
        if isinstance(each, ast.Subscript) and isinstance(each.ctx, ast.Store) and isinstance(each.value, ast.Name):
            found.add(each.value.id)
        if isinstance(each, ast.Attribute) and each.attr == "append" and isinstance(each.value, ast.Name):
            found.add(each.value.id)
    return found


def _grows(statements: Sequence[ast.stmt], name: str) -> bool:
    return any(
        isinstance(each, ast.Attribute)
        and each.attr == "append"
        and isinstance(each.value, ast.Name)
        and each.value.id == name
        for statement in statements
        for each in ast.walk(statement)
    )
