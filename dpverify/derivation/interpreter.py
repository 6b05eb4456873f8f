"""Reads a function statement by statement; what the language has beyond this room stops the derivation.

Known values are plain Python objects and are computed by Python; all others are `dpverify.derivation.values.Lifted`.
There is no ``try``, no ``with``, no ``yield``, no class, no ``del``, no ``global``: none of them has a rule.
"""

from __future__ import annotations

import ast
import builtins
import types
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any

import numpy as np

from dpverify.derivation import functions, items, known, loops, membership, released
from dpverify.derivation.expressions import EXPRESSIONS
from dpverify.derivation.frames import UNBOUND, Frame, Local, bound, of_outside, own_names
from dpverify.derivation.homes import NUMPY, UNKNOWN, is_array, joined, refuse
from dpverify.derivation.machine import Machine
from dpverify.derivation.operators import BINARY, elementwise, taken
from dpverify.derivation.signals import ReturnSignal
from dpverify.derivation.source import Definition, definition_of, module_of
from dpverify.derivation.statements import STATEMENTS
from dpverify.derivation.stop import NotDerivedError
from dpverify.derivation.values import (
    CELLS,
    DataColumn,
    DataColumns,
    Fields,
    Lifted,
    NoiseDraw,
    OnceOnly,
    OneRecord,
    Private,
    Public,
    Unusable,
)

MOST_CALLS = 60
"""Calls within one another."""

MOST_FACTORS = 8
"""Of a power of a record: it is read as a product."""


@dataclass(eq=False)
class Interpreter:
    """Reads one path."""

    machine: Machine

    def call(self, function: Any, given: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """The value of a call."""
        if isinstance(function, Local):
            names = bound(
                function.definition.args, given, named, function.defaults, function.keyword_defaults, function.name
            )
            frame = Frame(function.frame.file, function.frame.globals, function.frame, names)
            return self._run(function.definition, frame)
        if type(function) is types.MethodType and not functions.has_rule(function):
            of_outside(function)
            return self.call(function.__func__, [function.__self__, *given], named)
        if type(function) is types.FunctionType and not functions.has_rule(function):
            definition = definition_of(function)
            _check_plain(function, definition)
            for each in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
                of_outside(each)
            self.machine.modules[module_of(function)] = None
            names = bound(
                definition.args,
                given,
                named,
                function.__defaults__ or (),
                function.__kwdefaults__ or {},
                function.__name__,
            )
            cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
            outer = {name: _content(name, cell) for name, cell in cells}
            return self._run(definition, Frame(function.__code__.co_filename, function.__globals__, outer, names))
        if not functions.has_rule(function) and type(type(function)) is type:
            method = items.held(type(function), "__call__")
            if type(method) is types.FunctionType:
                return self.call(method, [function, *given], named)
        return functions.call(self, function, given, named)

    def _run(self, definition: Definition, frame: Frame) -> Any:
        machine = self.machine
        machine.depth += 1
        caller = machine.place
        if machine.depth > MOST_CALLS:
            raise NotDerivedError(f"more than {MOST_CALLS} calls within one another")
        try:
            _refuse_scopes(definition)
            if isinstance(definition, ast.Lambda):
                return self.value(definition.body, frame)
            frame.local = frozenset(loops.assigned(definition.body)) | frozenset(frame.names)
            try:
                self.block(definition.body, frame)
            except ReturnSignal as returned:
                return returned.value
            return None
        finally:
            machine.depth -= 1
            machine.place = caller

    def block(self, statements: Sequence[ast.stmt], frame: Frame) -> None:
        """Statements after one another."""
        for statement in statements:
            self.machine.step()
            self.machine.place = f"{_line(statement, frame)}: {ast.unparse(statement).splitlines()[0]}"
            with _placed(statement, frame):
                handler = STATEMENTS.get(type(statement))
                if handler is None:
                    raise NotDerivedError(f"a {type(statement).__name__.lower()} statement has no rule")
                handler(self, statement, frame)

    def value(self, node: ast.expr, frame: Frame) -> Any:
        """The value of an expression."""
        handler = EXPRESSIONS.get(type(node))
        if handler is None:
            raise NotDerivedError(f"the expression {type(node).__name__} has no rule")
        found = handler(self, node, frame)
        if isinstance(found, Unusable):
            raise NotDerivedError(found.why)
        return found

    def peek(self, node: ast.expr, frame: Frame) -> Any:
        """The value of an operand that is not kept: an array that a name holds does not get a second name."""
        if isinstance(node, ast.Name):
            found = frame.read(node.id)
            if isinstance(found, Unusable):
                raise NotDerivedError(found.why)
            return found
        return self.value(node, frame)

    def binary(self, operator: ast.operator, left: Any, right: Any) -> Any:
        """An operator between two values."""
        if not isinstance(left, Lifted) and not isinstance(right, Lifted):
            return self._known_binary(operator, left, right)
        kind = type(operator)
        if kind in (ast.Div, ast.FloorDiv, ast.Mod):
            self._check_divisor(left, right)
        if kind in BINARY:
            return self.machine.own(elementwise(self.machine, BINARY[kind], left, right))
        if kind is ast.Pow and type(right) in (int, float) and right == 2:
            base = elementwise(self.machine, "as_float", left) if type(right) is float else left
            return self.machine.own(elementwise(self.machine, "square", base))
        if (
            kind is ast.Pow
            and type(right) is int
            and right in (1, *range(3, MOST_FACTORS + 1))
            and isinstance(left, OneRecord | DataColumn)
        ):
            factors = [left] * right if right > 1 else [left, 1]
            return self.machine.own(reduce(partial(elementwise, self.machine, "multiply"), factors))
        if kind is ast.Pow and type(right) is float and right == 0.5 and self._never_negative(left):
            return self.machine.own(elementwise(self.machine, "sqrt", left))
        if kind in (ast.BitAnd, ast.BitOr):
            nodes = [self.machine.node(each) for each in (left, right)]
            if all(each.kind == "bool" for each in nodes):
                return elementwise(self.machine, "logical_and" if kind is ast.BitAnd else "logical_or", left, right)
        if kind in (ast.Mod, ast.FloorDiv) and isinstance(left, OneRecord | DataColumn):
            return elementwise(self.machine, "mod" if kind is ast.Mod else "floor_divide", left, right)
        if kind is ast.MatMult:
            return items.product(self, left, right)
        if kind is ast.Pow and type(right) is not int and not (is_array(left) or is_array(right)):
            raise NotDerivedError("a power that may be a complex number", "numpy.power, or math.sqrt")
        if released.all_public(left, right) and kind in released.PUBLIC_OPERATORS:
            home = joined([left, right])
            if home == UNKNOWN:
                refuse(kind.__name__)
            return released.public_call(self, released.PUBLIC_OPERATORS[kind], [left, right], {}, home=home)
        raise NotDerivedError(f"the operator {kind.__name__} of {_words(left)} and {_words(right)} has no rule")

    def _check_divisor(self, left: Any, value: Any) -> None:
        """Refuse a divisor that may be 0: Python raises, numpy warns, and which of them it is may tell of records."""
        if released.all_public(left, value) and joined([left, value]) == NUMPY:
            return
        if not is_array(value) and isinstance(value, Public):
            if not self.machine.is_never_zero(value.node):
                raise NotDerivedError("a division by a released value that may be 0", "max(n, 1)")
        elif type(value) in (int, float, np.float64, np.int64) and value == 0:
            raise NotDerivedError("a division by 0")

    def _never_negative(self, value: Any) -> bool:
        return bool((self.machine.node(value).range.lo >= 0).all())

    def _known_binary(self, operator: ast.operator, left: Any, right: Any) -> Any:
        for each in (left, right):
            if not known.plain(each) and not (type(each) in (list, tuple) and isinstance(operator, ast.Add | ast.Mult)):
                raise NotDerivedError(f"an operator on a {type(each).__name__}")
        if isinstance(operator, ast.Pow | ast.LShift) and not _small_power(left, right):
            raise NotDerivedError("a power that is too large")
        if isinstance(operator, ast.Mult) and any(isinstance(each, list | tuple | str) for each in (left, right)):
            times = right if isinstance(left, list | tuple | str) else left
            repeated = left if times is right else right
            if type(times) is not int or times * max(len(repeated), 1) > 100_000:
                raise NotDerivedError("a sequence repeated too often")
        found = known.compute(known.OPERATORS[type(operator)], left, right)
        return self.machine.own(found) if type(found) in (list, np.ndarray) else found

    def store(self, target: ast.expr, value: Any, frame: Frame) -> None:
        """Assign a value to a target."""
        if isinstance(target, ast.Name):
            frame.names[target.id] = value
        elif isinstance(target, ast.Tuple | ast.List):
            values = self.items(value)
            if any(isinstance(each, ast.Starred) for each in target.elts) or len(values) != len(target.elts):
                raise NotDerivedError("a sequence that is taken apart has another length, or a starred name")
            for each, item in zip(target.elts, values, strict=True):
                self.store(each, item, frame)
        elif isinstance(target, ast.Subscript):
            self.store_item(target, value, frame)
        else:
            raise NotDerivedError(
                "an attribute is changed: what outlives the call is output", "keep it in a local variable"
            )

    def store_item(self, target: ast.Subscript, value: Any, frame: Frame) -> None:
        """Assign an item of a list, a dict or an array that this call made."""
        holder = self.peek(target.value, frame)
        key = membership.resolved(self.machine, holder, self.value(target.slice, frame))
        self.store_at(target, holder, key, value, frame)

    def store_at(self, target: ast.Subscript, holder: Any, key: Any, value: Any, frame: Frame) -> None:
        """The same, at a place that was evaluated before."""
        self.machine.share(value)
        if isinstance(holder, list | dict):
            self._store_in_list(holder, key, value)
            return
        own = isinstance(target.value, ast.Name) and target.value.id in frame.names
        if not own or id(holder) not in self.machine.fresh:
            raise NotDerivedError(
                "an item of what this function did not make, or of an array with two names, is changed"
            )
        if self.machine.record is not None:
            raise NotDerivedError(
                "an array is changed in a loop over records", "count in a list, or use numpy.histogram"
            )
        assert isinstance(target.value, ast.Name)
        if isinstance(key, Public) and key.array and key.node.kind == "bool":
            frame.names[target.value.id] = self.machine.own(items.with_items_where(self, holder, key, value))
            return
        if not is_array(holder) or not _known_key(key):
            raise NotDerivedError("an item is changed at a place that is not known")
        frame.names[target.value.id] = self.machine.own(items.with_item(self, holder, key, value))

    def _store_in_list(self, holder: Any, key: Any, value: Any) -> None:
        if not isinstance(holder, CELLS):
            self.machine.check_change(holder)
        elif isinstance(holder, dict) and key not in holder:
            raise NotDerivedError("a dict gets a key in a loop over records", "give it all keys before the loop")
        if isinstance(holder, list):
            if type(key) is not int or not -len(holder) <= key < len(holder):
                raise NotDerivedError("a place outside of the list, or that is not known")
        elif type(key) not in (int, str):
            raise NotDerivedError("a place that is not known")
        holder[key] = value

    def items(self, value: Any) -> list[Any]:
        """The elements of what can be gone through without a loop over records."""
        machine = self.machine
        if isinstance(value, Private | Public | NoiseDraw | OneRecord) and value.array and value.node.shape:
            form, array = type(value), len(value.node.shape) > 1
            return [form(taken(machine, value.node, place), array, NUMPY) for place in range(value.node.shape[0])]
        if isinstance(value, Fields) and value.places:
            return [OneRecord(node, bool(node.shape), value.home) for node in value.by_name.values()]
        if isinstance(value, DataColumns) and not value.named:
            return list(value.by_name.values())
        if isinstance(value, OnceOnly):
            if value.used or value.within is not machine.record:
                raise NotDerivedError("an iterator is gone through twice, or for each record", "make it a list")
            value.used = True
            return value.values
        if isinstance(value, Lifted):
            raise NotDerivedError(f"{value.described()} is gone through", "loop over the data itself, in one `for`")
        if type(value) in (list, tuple, range, dict, str) or known.plain_array(value):
            if len(value) > 100_000:
                raise NotDerivedError("more than 100,000 steps")
            return list(value)
        if type(value) in known.VIEWS:
            return list(value)
        raise NotDerivedError(f"a {type(value).__name__} is gone through")


def _check_plain(function: types.FunctionType, definition: Definition) -> None:
    """The names that Python gives to every module must be Python's own, and what a function keeps of plain types."""
    names, defaults, keywords = function.__globals__, function.__defaults__, function.__kwdefaults__
    if type(names) is not dict or type(defaults) not in (tuple, type(None)) or type(keywords) not in (dict, type(None)):
        raise NotDerivedError("a function with globals or defaults of their own types")
    own_names(names)
    own_names(keywords or {})
    arguments = definition.args
    if set(keywords or ()) - {each.arg for each in arguments.kwonlyargs} or len(defaults or ()) > len(
        (*arguments.posonlyargs, *arguments.args)
    ):
        raise NotDerivedError("a function with defaults of what are no parameters of it")
    found = names.get("__builtins__", builtins)
    given: Any = getattr(function, "__builtins__", None)
    if given is not vars(builtins) or (found is not builtins and found is not vars(builtins)):
        raise NotDerivedError("a module with builtins of its own")


def _refuse_scopes(definition: Definition) -> None:
    """Return what changes the meaning of a whole function, wherever it stands in it."""
    for each in ast.walk(definition):
        if isinstance(each, ast.Yield | ast.YieldFrom | ast.Await | ast.NamedExpr) or (
            isinstance(each, ast.stmt) and type(each) not in (*STATEMENTS, ast.Raise)
        ):
            raise NotDerivedError(f"a function with `{type(each).__name__.lower()}` has no rule")
        if getattr(each, "type_params", None):
            raise NotDerivedError("a function with parameters of its type")
        for name in _names_of(each):
            if name.startswith("__"):
                raise NotDerivedError(f"the name {name}, which means something else within a class")


def _names_of(node: ast.AST) -> list[str]:
    """Names in a node that Python changes where they begin with two underscores."""
    if isinstance(node, ast.Name):
        return [node.id]
    if isinstance(node, ast.Attribute):
        return [node.attr]
    made = [node.arg] if isinstance(node, ast.arg) else [node.name] if isinstance(node, ast.FunctionDef) else []
    made += [node.name, node.asname or ""] if isinstance(node, ast.alias) else []
    return [each for each in made if not each.endswith("__")]


def _content(name: str, cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return UNBOUND


def _words(value: Any) -> str:
    return value.described() if isinstance(value, Lifted) else f"a known {type(value).__name__}"


def _small_power(left: Any, right: Any) -> bool:
    if type(left) is int and type(right) is int:
        return abs(left).bit_length() * abs(right) < 10_000
    return True


def _known_key(key: Any) -> bool:
    known_one = type(key) in (int, np.int64, slice, type(None)) and known.plain(key)
    return known_one or (type(key) is tuple and all(map(_known_key, key)))


def _line(statement: ast.stmt, frame: Frame) -> str:
    return f"{frame.file.rpartition('/')[2]}:{statement.lineno}"


@contextmanager
def _placed(statement: ast.stmt, frame: Frame) -> Iterator[None]:
    try:
        yield
    except NotDerivedError as stop:
        if not stop.place:
            stop.place = _line(statement, frame)
            stop.code = ast.unparse(statement).splitlines()[0]
        raise
