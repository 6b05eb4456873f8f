"""Reads a function statement by statement; what the language has beyond this file stops the derivation.

Known values are plain Python objects and are computed by Python; all others are `dpverify.derive.values.Lifted`.
There is no ``try``, no ``with``, no ``yield``, no class, no ``del``, no ``global``: none of them has a rule.
"""

from __future__ import annotations

import ast
import builtins
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpverify.derive import calls, loops
from dpverify.derive.machine import Machine
from dpverify.derive.operators import BINARY, COMPARISONS, elementwise, is_array, taken
from dpverify.derive.source import Definition, definition_of
from dpverify.derive.stop import NotDerived
from dpverify.derive.values import Column, Draw, Fields, Lifted, Once, Private, Public, Record, State, Table, Unusable

MOST_CALLS = 60
"""Calls within one another."""

PLAIN = (bool, int, float, str, type(None), np.number, np.bool_, tuple, list, dict, range, slice)

UNBOUND = object()


class Returned(Exception):
    """A return statement."""

    def __init__(self, value: Any) -> None:
        self.value = value


class Broke(Exception):
    """A break statement."""


class Continued(Exception):
    """A continue statement."""


@dataclass(eq=False)
class Local:
    """A function that the code defines itself."""

    definition: Definition
    frame: Frame
    defaults: Sequence[Any]
    keyword_defaults: Mapping[str, Any]
    name: str


@dataclass(eq=False)
class Frame:
    """The variables of one call."""

    file: str
    globals: Mapping[str, Any]
    outer: Mapping[str, Any] | Frame = field(default_factory=dict)
    names: dict[str, Any] = field(default_factory=dict)
    local: frozenset[str] = frozenset()

    def read(self, name: str) -> Any:
        """What a name means here; NotDerived for one that means nothing."""
        if name in self.names:
            value = self.names[name]
        elif name in self.local:
            raise NotDerived(f"{name} is read before it has a value")
        elif isinstance(self.outer, Frame) and self.outer.has(name):
            value = self.outer.read(name)
        elif not isinstance(self.outer, Frame) and name in self.outer:
            value = self.outer[name]
        elif name in self.globals:
            value = self.globals[name]
        elif hasattr(builtins, name):
            value = getattr(builtins, name)
        else:
            raise NotDerived(f"the name {name} is not defined")
        if value is UNBOUND:
            raise NotDerived(f"{name} is read before it has a value")
        return value

    def has(self, name: str) -> bool:
        """Whether it is a variable of this call, or of one around it."""
        if name in self.names or name in self.local:
            return True
        return self.outer.has(name) if isinstance(self.outer, Frame) else name in self.outer


@dataclass(eq=False)
class Interpreter:
    """Reads one path."""

    machine: Machine

    def call(self, function: Any, given: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """The value of a call."""
        if isinstance(function, Local):
            bound = _bound(function.definition.args, given, named, function.defaults, function.keyword_defaults, function.name)
            frame = Frame(function.frame.file, function.frame.globals, function.frame, bound)
            return self._run(function.definition, frame)
        if type(function) is types.MethodType:
            return self.call(function.__func__, [function.__self__, *given], named)
        if type(function) is types.FunctionType and not calls.has_rule(function):
            definition = definition_of(function)
            self.machine.modules[function.__module__] = None
            bound = _bound(
                definition.args, given, named, function.__defaults__ or (), function.__kwdefaults__ or {}, function.__name__
            )
            cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
            outer = {name: _content(name, cell) for name, cell in cells}
            return self._run(definition, Frame(function.__code__.co_filename, function.__globals__, outer, bound))
        return calls.call(self, function, given, named)

    def _run(self, definition: Definition, frame: Frame) -> Any:
        machine = self.machine
        machine.depth += 1
        if machine.depth > MOST_CALLS:
            raise NotDerived(f"more than {MOST_CALLS} calls within one another")
        try:
            if isinstance(definition, ast.Lambda):
                return self.value(definition.body, frame)
            _refuse_scopes(definition)
            frame.local = frozenset(loops.assigned(definition.body)) | frozenset(frame.names)
            try:
                self.block(definition.body, frame)
            except Returned as returned:
                return returned.value
            return None
        finally:
            machine.depth -= 1

    def block(self, statements: Sequence[ast.stmt], frame: Frame) -> None:
        """Statements after one another."""
        for statement in statements:
            self.machine.step()
            with _placed(statement, frame):
                handler = _STATEMENTS.get(type(statement))
                if handler is None:
                    raise NotDerived(f"a {type(statement).__name__.lower()} statement has no rule")
                handler(self, statement, frame)

    def value(self, node: ast.expr, frame: Frame) -> Any:
        """The value of an expression."""
        handler = _EXPRESSIONS.get(type(node))
        if handler is None:
            raise NotDerived(f"the expression {type(node).__name__} has no rule")
        found = handler(self, node, frame)
        if isinstance(found, Unusable):
            raise NotDerived(found.why)
        return found

    def _peek(self, node: ast.expr, frame: Frame) -> Any:
        """The value of an operand that is not kept: an array that a name holds does not get a second name."""
        if isinstance(node, ast.Name):
            found = frame.read(node.id)
            if isinstance(found, Unusable):
                raise NotDerived(found.why)
            return found
        return self.value(node, frame)

    def binary(self, operator: ast.operator, left: Any, right: Any) -> Any:
        """An operator between two values."""
        if not isinstance(left, Lifted) and not isinstance(right, Lifted):
            return self._known_binary(operator, left, right)
        kind = type(operator)
        if kind in BINARY:
            return self.machine.own(elementwise(self.machine, BINARY[kind], left, right))
        if kind is ast.Pow and not isinstance(right, Lifted) and isinstance(right, int | float) and right in (2, 0.5, 1):
            names = {2: "square", 0.5: "sqrt"}
            return elementwise(self.machine, names[right], left) if right in names else left
        if kind in (ast.BitAnd, ast.BitOr):
            nodes = [self.machine.node(each) for each in (left, right)]
            if all(each.kind == "bool" for each in nodes):
                return elementwise(self.machine, "logical_and" if kind is ast.BitAnd else "logical_or", left, right)
        if kind is ast.MatMult:
            return calls.product(self, left, right)
        if calls.all_public(left, right) and kind in calls.PUBLIC_OPERATORS:
            return calls.public_call(self, calls.PUBLIC_OPERATORS[kind], [left, right], {})
        raise NotDerived(f"the operator {kind.__name__} of {_words(left)} and {_words(right)} has no rule")

    def _known_binary(self, operator: ast.operator, left: Any, right: Any) -> Any:
        for each in (left, right):
            if not isinstance(each, PLAIN) and not calls.plain_array(each):
                raise NotDerived(f"an operator on a {type(each).__name__}")
        if isinstance(operator, ast.Pow | ast.LShift) and not _small_power(left, right):
            raise NotDerived("a power that is too large")
        if isinstance(operator, ast.Mult) and any(isinstance(each, list | tuple | str) for each in (left, right)):
            times = right if isinstance(left, list | tuple | str) else left
            if not isinstance(times, int) or times > 100_000:
                raise NotDerived("a sequence repeated too often")
        found = _compute(calls.OPERATORS[type(operator)], left, right)
        return self.machine.own(found) if isinstance(found, list | np.ndarray) else found

    def store(self, target: ast.expr, value: Any, frame: Frame) -> None:
        """Assign."""
        if isinstance(target, ast.Name):
            frame.names[target.id] = value
        elif isinstance(target, ast.Tuple | ast.List):
            values = self.items(value)
            if any(isinstance(each, ast.Starred) for each in target.elts) or len(values) != len(target.elts):
                raise NotDerived("a sequence that is taken apart has another length, or a starred name")
            for each, item in zip(target.elts, values, strict=True):
                self.store(each, item, frame)
        elif isinstance(target, ast.Subscript):
            self._store_item(target, value, frame)
        else:
            raise NotDerived("an attribute is changed: what outlives the call is output", "keep it in a local variable")

    def _store_item(self, target: ast.Subscript, value: Any, frame: Frame) -> None:
        holder = self._peek(target.value, frame)
        key = self.value(target.slice, frame)
        if isinstance(holder, list | dict) and id(holder) in self.machine.owned:
            if self.machine.record is not None and not isinstance(holder, loops.Cells):
                raise NotDerived("a list or dict is changed in a loop over records")
            if isinstance(key, Lifted) or not isinstance(key, int | str | np.integer | tuple):
                raise NotDerived("a place that is not known")
            if isinstance(holder, list) and not (isinstance(key, int | np.integer) and -len(holder) <= key < len(holder)):
                raise NotDerived("a place outside of the list")
            holder[key] = value  # type: ignore[call-overload]
            return
        own = isinstance(target.value, ast.Name) and target.value.id in frame.names
        if not own or id(holder) not in self.machine.fresh:
            raise NotDerived("an item of what this function did not make, or of an array with two names, is changed")
        if self.machine.record is not None:
            raise NotDerived("an array is changed in a loop over records", "count in a list, or use numpy.histogram")
        if not is_array(holder) or not _known_key(key):
            raise NotDerived("an item is changed at a place that is not known")
        assert isinstance(target.value, ast.Name)
        frame.names[target.value.id] = self.machine.own(calls.with_item(self, holder, key, value))

    def items(self, value: Any) -> list[Any]:
        """The elements of what can be gone through without a loop over records."""
        machine = self.machine
        if isinstance(value, Private | Public | Draw | Record) and value.array and value.node.shape:
            form, array = type(value), len(value.node.shape) > 1
            return [form(taken(machine, value.node, place), array) for place in range(value.node.shape[0])]
        if isinstance(value, Fields) and value.places:
            return [Record(node) for node in value.by_name.values()]
        if isinstance(value, Table) and value.form == "tuple":
            return list(value.by_name.values())
        if isinstance(value, Lifted):
            raise NotDerived(f"{value.described()} is gone through", "loop over the data itself, in one `for`")
        if isinstance(value, list | tuple | range | dict | str) or calls.plain_array(value):
            if len(value) > 100_000:
                raise NotDerived("more than 100,000 steps")
            return list(value)
        if isinstance(value, Once):
            if value.used:
                raise NotDerived("an iterator is gone through twice", "make it a list")
            value.used = True
            return value.values
        if isinstance(value, calls.VIEWS):
            return list(value)
        raise NotDerived(f"a {type(value).__name__} is gone through")


def _refuse_scopes(definition: ast.FunctionDef) -> None:
    """What changes the meaning of a whole function, wherever it stands in it."""
    for each in ast.walk(definition):
        if isinstance(each, ast.Yield | ast.YieldFrom | ast.Await | ast.Nonlocal | ast.Global | ast.NamedExpr):
            raise NotDerived(f"a function with `{type(each).__name__.lower()}` has no rule")


def _content(name: str, cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return UNBOUND


def _words(value: Any) -> str:
    return value.described() if isinstance(value, Lifted) else f"a known {type(value).__name__}"


def _small_power(left: Any, right: Any) -> bool:
    if isinstance(left, int) and isinstance(right, int):
        return abs(left).bit_length() * abs(right) < 10_000
    return True


def _compute(operation: Callable[..., Any], *values: Any) -> Any:
    """A computation with known values; an exception would end every call alike."""
    try:
        with np.errstate(all="ignore"):
            return operation(*values)
    except NotDerived:
        raise
    except Exception as problem:
        raise NotDerived(f"it raises {type(problem).__name__}: {problem}") from None


def _known_key(key: Any) -> bool:
    return isinstance(key, int | slice | np.integer | type(None)) or (isinstance(key, tuple) and all(map(_known_key, key)))


def _bound(
    arguments: ast.arguments,
    given: Sequence[Any],
    named: Mapping[str, Any],
    defaults: Sequence[Any],
    keyword_defaults: Mapping[str, Any],
    name: str,
) -> dict[str, Any]:
    """The parameters' values."""
    by_place = [each.arg for each in (*arguments.posonlyargs, *arguments.args)]
    found = dict(zip(by_place[len(by_place) - len(defaults) :], defaults, strict=True)) | dict(keyword_defaults)
    if arguments.vararg is None and len(given) > len(by_place):
        raise NotDerived(f"{name} is called with too many arguments")
    found |= dict(zip(by_place, given, strict=False))
    if arguments.vararg is not None:
        found[arguments.vararg.arg] = tuple(given[len(by_place) :])
    allowed = {each.arg for each in (*arguments.args, *arguments.kwonlyargs)}
    more = {key: value for key, value in named.items() if key not in allowed}
    if set(named) & set(by_place[: len(given)]) or more and arguments.kwarg is None:
        raise NotDerived(f"{name} is called with arguments that it does not take, or twice")
    found |= {key: value for key, value in named.items() if key in allowed}
    if arguments.kwarg is not None:
        found[arguments.kwarg.arg] = more
    wanted = [*by_place, *(each.arg for each in arguments.kwonlyargs)]
    if missing := [each for each in wanted if each not in found]:
        raise NotDerived(f"{name} is called without {', '.join(missing)}")
    return found


@contextmanager
def _placed(statement: ast.stmt, frame: Frame) -> Iterator[None]:
    try:
        yield
    except NotDerived as stop:
        if not stop.place:
            stop.place = f"{frame.file.rpartition('/')[2]}:{statement.lineno}"
            stop.code = ast.unparse(statement).splitlines()[0]
        raise


def _assign(self: Interpreter, node: ast.Assign, frame: Frame) -> None:
    value = self.value(node.value, frame)
    for target in node.targets:
        self.store(target, value, frame)
    if len(node.targets) > 1:
        self.machine.fresh.discard(id(value))


def _annotated(self: Interpreter, node: ast.AnnAssign, frame: Frame) -> None:
    if node.value is not None:
        self.store(node.target, self.value(node.value, frame), frame)


def _augmented(self: Interpreter, node: ast.AugAssign, frame: Frame) -> None:
    """``a += b``: of an array it changes the array that ``a`` names, so that must have no other name."""
    target = node.target
    if isinstance(target, ast.Attribute):
        raise NotDerived("an attribute is changed: what outlives the call is output", "keep it in a local variable")
    if isinstance(target, ast.Subscript):
        holder, key = self._peek(target.value, frame), self.value(target.slice, frame)
        before = calls.item(self, holder, key)
        if is_array(before) or isinstance(before, list | dict):
            raise NotDerived("an array within an array or a list is changed in place")
        value = self.binary(node.op, before, self.value(node.value, frame))
        self._store_item(target, value, frame)
        return
    before = frame.read(target.id)
    if isinstance(before, Unusable):
        raise NotDerived(before.why)
    if isinstance(before, list | dict):
        raise NotDerived("a list is extended in place", "list.append")
    if is_array(before) and id(before) not in self.machine.fresh:
        raise NotDerived("an array that may have another name is changed in place", "a = a + b")
    value = self.binary(node.op, before, self.value(node.value, frame))
    _check_in_place(self, before, value)
    frame.names[target.id] = self.machine.own(value) if isinstance(value, Lifted | np.ndarray) else value


def _check_in_place(self: Interpreter, before: Any, value: Any) -> None:
    """In place, an array keeps its shape and its type."""
    if not is_array(before) or isinstance(before, State):
        return
    old, new = self.machine.node(before), self.machine.node(value)
    if old.shape != new.shape or old.kind != new.kind or isinstance(before, Column) != isinstance(value, Column):
        raise NotDerived("an array takes another type or shape in place", "a = a + b")


def _returned(self: Interpreter, node: ast.Return, frame: Frame) -> None:
    raise Returned(None if node.value is None else self.value(node.value, frame))


def _if(self: Interpreter, node: ast.If, frame: Frame) -> None:
    self.block(node.body if self.machine.holds(self.value(node.test, frame)) else node.orelse, frame)


def _for(self: Interpreter, node: ast.For, frame: Frame) -> None:
    if node.orelse:
        raise NotDerived("an else of a loop has no rule")
    over = self.value(node.iter, frame)
    if isinstance(over, Column | Table):
        loops.over_records(self, node, over, frame)
        return
    self.machine.fresh.discard(id(over))
    for item in _live(over) if isinstance(over, list) else self.items(over):
        self.store(node.target, item, frame)
        try:
            self.block(node.body, frame)
        except Broke:
            break
        except Continued:
            continue


def _live(over: list[Any]) -> Iterator[Any]:
    """The elements of a list that may grow meanwhile."""
    place = 0
    while place < len(over):
        yield over[place]
        place += 1


def _while(self: Interpreter, node: ast.While, frame: Frame) -> None:
    if node.orelse:
        raise NotDerived("an else of a loop has no rule")
    while True:
        self.machine.step()
        if not self.machine.holds(self.value(node.test, frame)):
            return
        try:
            self.block(node.body, frame)
        except Broke:
            return
        except Continued:
            continue


def _break(self: Interpreter, node: ast.Break, frame: Frame) -> None:
    raise Broke


def _continue(self: Interpreter, node: ast.Continue, frame: Frame) -> None:
    raise Continued


def _expression(self: Interpreter, node: ast.Expr, frame: Frame) -> None:
    self.value(node.value, frame)


def _function(self: Interpreter, node: ast.FunctionDef, frame: Frame) -> None:
    if node.decorator_list:
        raise NotDerived("a decorated function within the function")
    frame.names[node.name] = _local(self, node, node.args, frame, node.name)


def _local(self: Interpreter, node: Definition, arguments: ast.arguments, frame: Frame, name: str) -> Local:
    defaults = [self.value(each, frame) for each in arguments.defaults]
    named = {
        each.arg: self.value(default, frame)
        for each, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        if default is not None
    }
    return Local(node, frame, defaults, named, name)


def _assert(self: Interpreter, node: ast.Assert, frame: Frame) -> None:
    found = self.value(node.test, frame)
    if isinstance(found, Lifted) or not self.machine.holds(found):
        raise NotDerived("an assertion that is not known to hold")


def _import(self: Interpreter, node: ast.Import, frame: Frame) -> None:
    for each in node.names:
        module = {"numpy": np, "math": calls.math}.get(each.name)
        if module is None:
            raise NotDerived(f"an import of {each.name} within the function", "import at the top of the file")
        frame.names[each.asname or each.name] = module


_STATEMENTS: dict[type[ast.stmt], Callable[..., None]] = {
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.Return: _returned,
    ast.If: _if,
    ast.For: _for,
    ast.While: _while,
    ast.Break: _break,
    ast.Continue: _continue,
    ast.Expr: _expression,
    ast.Pass: lambda *_: None,
    ast.FunctionDef: _function,
    ast.Assert: _assert,
    ast.Import: _import,
}


def _constant(self: Interpreter, node: ast.Constant, frame: Frame) -> Any:
    if isinstance(node.value, PLAIN):
        return node.value
    raise NotDerived(f"a {type(node.value).__name__} has no rule")


def _name(self: Interpreter, node: ast.Name, frame: Frame) -> Any:
    value = frame.read(node.id)
    self.machine.fresh.discard(id(value))
    return value


def _attribute(self: Interpreter, node: ast.Attribute, frame: Frame) -> Any:
    holder = self._peek(node.value, frame)
    if node.attr not in ("shape", "size", "ndim"):
        self.machine.fresh.discard(id(holder))
    return calls.attribute(self, holder, node.attr)


def _call(self: Interpreter, node: ast.Call, frame: Frame) -> Any:
    holder = self._peek(node.func.value, frame) if isinstance(node.func, ast.Attribute) else None
    of_value = isinstance(holder, Lifted | list | dict | str) or calls.plain_array(holder)
    function: Any = None
    if isinstance(node.func, ast.Attribute):
        if not of_value:
            function = calls.attribute(self, holder, node.func.attr)
        elif not isinstance(holder, list):
            self.machine.fresh.discard(id(holder))
    else:
        function = self.value(node.func, frame)
    given: list[Any] = []
    for each in node.args:
        if isinstance(each, ast.Starred):
            given += self.items(self.value(each.value, frame))
        elif isinstance(each, ast.GeneratorExp):
            given.append(self._generated(each, frame, goes_to=None if of_value else function))
        else:
            given.append(self.value(each, frame))
    named: dict[str, Any] = {}
    for keyword in node.keywords:
        if keyword.arg is not None:
            named[keyword.arg] = self.value(keyword.value, frame)
            continue
        more = self.value(keyword.value, frame)
        if not isinstance(more, dict) or not all(isinstance(key, str) for key in more):
            raise NotDerived("keywords from what is no dict of names")
        named |= more
    if of_value:
        assert isinstance(node.func, ast.Attribute)
        return calls.method(self, holder, node.func.attr, given, named)
    return self.call(function, given, named)


def _generated(self: Interpreter, node: ast.GeneratorExp, frame: Frame, *, goes_to: Any) -> Any:
    """A generator expression, where a function with a rule goes through all of it at once."""
    if goes_to not in (sum, min, max, list, tuple):
        raise NotDerived("a generator expression that is no argument of sum, list or tuple", "a list comprehension")
    return _comprehension(self, node, frame)


Interpreter._generated = _generated  # type: ignore[attr-defined]


def _binary(self: Interpreter, node: ast.BinOp, frame: Frame) -> Any:
    return self.binary(node.op, self._peek(node.left, frame), self._peek(node.right, frame))


def _unary(self: Interpreter, node: ast.UnaryOp, frame: Frame) -> Any:
    value = self._peek(node.operand, frame)
    if not isinstance(value, Lifted):
        if not isinstance(value, PLAIN) and not calls.plain_array(value):
            raise NotDerived(f"an operator on a {type(value).__name__}")
        return _compute(calls.UNARY[type(node.op)], value)
    if isinstance(node.op, ast.USub):
        return elementwise(self.machine, "negative", value)
    if isinstance(node.op, ast.Not):
        if isinstance(value, Record | Public) and not value.node.shape:
            return type(value)(self.machine.op("logical_not", self.machine.condition(value)))
        raise NotDerived(f"not of {value.described()}")
    if isinstance(node.op, ast.Invert) and is_array(value) and self.machine.node(value).kind == "bool":
        return elementwise(self.machine, "logical_not", value)
    raise NotDerived(f"the operator {type(node.op).__name__} of {value.described()} has no rule")


def _boolean(self: Interpreter, node: ast.BoolOp, frame: Frame) -> Any:
    wanted = isinstance(node.op, ast.Or)
    for each in node.values[:-1]:
        value = self.value(each, frame)
        if self.machine.holds(value) is wanted:
            return value
    return self.value(node.values[-1], frame)


def _compare(self: Interpreter, node: ast.Compare, frame: Frame) -> Any:
    left = self._peek(node.left, frame)
    for place, (operator, each) in enumerate(zip(node.ops, node.comparators, strict=True)):
        right = self._peek(each, frame)
        found = _comparison(self, operator, left, right)
        if place == len(node.ops) - 1 or not self.machine.holds(found):
            return found
        left = right
    raise AssertionError("a comparison has an operator")


def _comparison(self: Interpreter, operator: ast.cmpop, left: Any, right: Any) -> Any:
    if not isinstance(left, Lifted) and not isinstance(right, Lifted):
        for each in (left, right):
            if not isinstance(each, PLAIN) and not calls.plain_array(each):
                raise NotDerived(f"a comparison of a {type(each).__name__}")
        if not isinstance(operator, ast.Is | ast.IsNot) and any(calls.holds_lifted(each) for each in (left, right)):
            raise NotDerived("a comparison of lists with values that are not known")
        return _compute(calls.COMPARE[type(operator)], left, right)
    if type(operator) not in COMPARISONS:
        raise NotDerived(f"`{type(operator).__name__}` of {_words(left)} has no rule")
    name, exchanged, negated = COMPARISONS[type(operator)]
    first, second = (right, left) if exchanged else (left, right)
    found = elementwise(self.machine, name, first, second)
    return elementwise(self.machine, "logical_not", found) if negated else found


def _conditional(self: Interpreter, node: ast.IfExp, frame: Frame) -> Any:
    return self.value(node.body if self.machine.holds(self.value(node.test, frame)) else node.orelse, frame)


def _subscript(self: Interpreter, node: ast.Subscript, frame: Frame) -> Any:
    holder = self._peek(node.value, frame)
    found = calls.item(self, holder, self.value(node.slice, frame))
    if is_array(found):  # a view
        self.machine.fresh.discard(id(holder))
    return found


def _slice(self: Interpreter, node: ast.Slice, frame: Frame) -> Any:
    ends = [None if each is None else self.value(each, frame) for each in (node.lower, node.upper, node.step)]
    if not all(isinstance(each, int | np.integer | type(None)) for each in ends):
        raise NotDerived("a slice with ends that are not known", "order and position of records are private")
    return slice(*ends)


def _tuple(self: Interpreter, node: ast.Tuple, frame: Frame) -> Any:
    return tuple(_elements(self, node.elts, frame))


def _list(self: Interpreter, node: ast.List, frame: Frame) -> Any:
    return self.machine.own(_elements(self, node.elts, frame))


def _elements(self: Interpreter, nodes: Sequence[ast.expr], frame: Frame) -> list[Any]:
    found: list[Any] = []
    for each in nodes:
        found += self.items(self.value(each.value, frame)) if isinstance(each, ast.Starred) else [self.value(each, frame)]
    return found


def _dict(self: Interpreter, node: ast.Dict, frame: Frame) -> Any:
    found: dict[Any, Any] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        known = None if key is None else self.value(key, frame)
        if not isinstance(known, str | int | float | tuple) or calls.holds_lifted(known):
            raise NotDerived("a dict with keys that are not known")
        found[known] = self.value(value, frame)
    return self.machine.own(found)


def _lambda(self: Interpreter, node: ast.Lambda, frame: Frame) -> Any:
    return _local(self, node, node.args, frame, "<lambda>")


def _comprehension(self: Interpreter, node: ast.ListComp | ast.GeneratorExp, frame: Frame) -> Any:
    inner = Frame(frame.file, frame.globals, frame, {}, frozenset(loops.targets(node)))
    over = self.value(node.generators[0].iter, frame)
    if isinstance(over, Column | Table):
        return loops.comprehension(self, node, over, inner)
    found: list[Any] = []
    self._comprehend(node, 0, over, inner, lambda: found.append(self.value(node.elt, inner)))
    return self.machine.own(found)


def _dict_comprehension(self: Interpreter, node: ast.DictComp, frame: Frame) -> Any:
    inner = Frame(frame.file, frame.globals, frame, {}, frozenset(loops.targets(node)))
    found: dict[Any, Any] = {}

    def add() -> None:
        key = self.value(node.key, inner)
        if not isinstance(key, str | int | float | tuple) or calls.holds_lifted(key):
            raise NotDerived("a dict with keys that are not known")
        found[key] = self.value(node.value, inner)

    self._comprehend(node, 0, self.value(node.generators[0].iter, frame), inner, add)
    return self.machine.own(found)


def _comprehend(self: Interpreter, node: Any, level: int, over: Any, frame: Frame, add: Callable[[], None]) -> None:
    generator = node.generators[level]
    if generator.is_async or isinstance(over, Column | Table):
        raise NotDerived("a comprehension over records within another one")
    for item in self.items(over):
        self.machine.step()
        self.store(generator.target, item, frame)
        if all(self.machine.holds(self.value(each, frame)) for each in generator.ifs):
            if level + 1 < len(node.generators):
                self._comprehend(node, level + 1, self.value(node.generators[level + 1].iter, frame), frame, add)
            else:
                add()


Interpreter._comprehend = _comprehend  # type: ignore[attr-defined]

_EXPRESSIONS: dict[type[ast.expr], Callable[..., Any]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Call: _call,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.BoolOp: _boolean,
    ast.Compare: _compare,
    ast.IfExp: _conditional,
    ast.Subscript: _subscript,
    ast.Slice: _slice,
    ast.Tuple: _tuple,
    ast.List: _list,
    ast.Dict: _dict,
    ast.DictComp: _dict_comprehension,
    ast.Lambda: _lambda,
    ast.ListComp: _comprehension,
}
