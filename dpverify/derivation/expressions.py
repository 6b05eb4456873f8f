"""Expressions. What is not among them has no rule."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from dpverify.derivation import functions, items, known, loops, membership
from dpverify.derivation.frames import Frame
from dpverify.derivation.homes import PYTHON, is_array
from dpverify.derivation.known_functions import returns_new
from dpverify.derivation.operators import COMPARISONS, elementwise
from dpverify.derivation.reader import Reader
from dpverify.derivation.statements import local_function
from dpverify.derivation.stop import NotDerivedError
from dpverify.derivation.values import CELLS, NEVER_NONE, CellMap, DataColumn, DataRows, Lifted, OneRecord, Public, Size
from dpverify.proofs.operations import TEXT


def _constant(self: Reader, node: ast.Constant, frame: Frame) -> Any:
    if known.plain(node.value):
        return node.value
    raise NotDerivedError(f"a {type(node.value).__name__} has no rule")


def _name(self: Reader, node: ast.Name, frame: Frame) -> Any:
    value = frame.read(node.id)
    self.machine.share(value)
    return value


def _attribute(self: Reader, node: ast.Attribute, frame: Frame) -> Any:
    holder = self.peek(node.value, frame)
    if node.attr not in ("shape", "size", "ndim"):
        self.machine.share(holder)
    return items.attribute(self, holder, node.attr)


def _call(self: Reader, node: ast.Call, frame: Frame) -> Any:
    holder = self.peek(node.func.value, frame) if isinstance(node.func, ast.Attribute) else None
    of_value = isinstance(holder, Lifted) or type(holder) in (list, dict, str, CellMap) or known.plain_array(holder)
    if isinstance(holder, CELLS) and isinstance(node.func, ast.Attribute) and not _reads(holder, node.func.attr):
        raise NotDerivedError("a method of a list or dict that changes with the records")
    function: Any = None
    if isinstance(node.func, ast.Attribute):
        if not of_value:
            function = items.attribute(self, holder, node.func.attr)
        elif not isinstance(holder, list) and not items.returns_new(holder, node.func.attr):
            self.machine.share(holder)
    else:
        function = self.value(node.func, frame)
    may_be_new = returns_new(function, ())
    given: list[Any] = []
    for each in node.args:
        if isinstance(each, ast.Starred):
            given += self.items(self.value(each.value, frame))
        elif isinstance(each, ast.GeneratorExp):
            if len(node.args) + len(node.keywords) > 1:
                raise NotDerivedError("a generator expression beside other arguments", "a list comprehension")
            given.append(_generated(self, each, frame, goes_to=None if of_value else function))
        else:
            given.append((self.peek if may_be_new else self.value)(each, frame))
    named: dict[str, Any] = {}
    for keyword in node.keywords:
        if keyword.arg is not None and keyword.arg in named:
            raise NotDerivedError("a keyword that is given twice")
        if keyword.arg is not None:
            named[keyword.arg] = self.value(keyword.value, frame)
            continue
        more = self.value(keyword.value, frame)
        if type(more) is not dict or not all(type(key) is str for key in more):
            raise NotDerivedError("keywords from what is no dict of names")
        if set(more) & set(named):
            raise NotDerivedError("a keyword that is given twice")
        named |= more
    self.machine.share(*(() if returns_new(function, given) else given), *named.values())
    if of_value:
        assert isinstance(node.func, ast.Attribute)
        return items.method(self, holder, node.func.attr, given, named)
    return self.call(function, given, named)


def _reads(holder: Any, name: str) -> bool:
    return type(holder) is CellMap and name == "get"


def _generated(self: Reader, node: ast.GeneratorExp, frame: Frame, *, goes_to: Any) -> Any:
    """A generator expression, where a function with a rule goes through all of it at once."""
    if goes_to not in (sum, min, max, list, tuple, Counter):
        raise NotDerivedError(
            "a generator expression that is no argument of sum, list, tuple or Counter", "a list comprehension"
        )
    return _comprehension(self, node, frame)


def _binary(self: Reader, node: ast.BinOp, frame: Frame) -> Any:
    return self.binary(node.op, self.peek(node.left, frame), self.peek(node.right, frame))


def _unary(self: Reader, node: ast.UnaryOp, frame: Frame) -> Any:
    value = self.peek(node.operand, frame)
    if not isinstance(value, Lifted):
        if not known.plain(value) and not (isinstance(node.op, ast.Not) and type(value) in (list, tuple, dict)):
            raise NotDerivedError(f"an operator on a {type(value).__name__}")
        return known.compute(known.UNARY[type(node.op)], value)
    if isinstance(node.op, ast.USub):
        return elementwise(self.machine, "negative", value)
    if isinstance(node.op, ast.Not):
        if isinstance(value, OneRecord | Public) and not value.node.shape:
            return type(value)(self.machine.op("logical_not", self.machine.condition(value)), home=PYTHON)
        raise NotDerivedError(f"not of {value.described()}")
    if isinstance(node.op, ast.Invert) and is_array(value) and self.machine.node(value).kind == "bool":
        return elementwise(self.machine, "logical_not", value)
    raise NotDerivedError(f"the operator {type(node.op).__name__} of {value.described()} has no rule")


def _boolean(self: Reader, node: ast.BoolOp, frame: Frame) -> Any:
    wanted = isinstance(node.op, ast.Or)
    for each in node.values[:-1]:
        value = self.value(each, frame)
        if self.machine.holds(value) is wanted:
            return value
    return self.value(node.values[-1], frame)


def _compare(self: Reader, node: ast.Compare, frame: Frame) -> Any:
    left = self.peek(node.left, frame)
    for place, (operator, each) in enumerate(zip(node.ops, node.comparators, strict=True)):
        right = self.peek(each, frame)
        found = _comparison(self, operator, left, right)
        if place == len(node.ops) - 1 or not self.machine.holds(found):
            return found
        left = right
    raise AssertionError("a comparison has an operator")


def _comparison(self: Reader, operator: ast.cmpop, left: Any, right: Any) -> Any:
    if not isinstance(left, Lifted) and not isinstance(right, Lifted):
        for each in (left, right):
            if not known.plain(each):
                raise NotDerivedError(f"a comparison of a {type(each).__name__} that is not known whole")
        if isinstance(operator, ast.Is | ast.IsNot) and not any(
            each is None or each is True or each is False for each in (left, right)
        ):
            raise NotDerivedError(
                "`is` of numbers or texts: whether two of them are one object is Python's own affair", "=="
            )
        return known.compute(known.COMPARE[type(operator)], left, right)
    if isinstance(left, Size) or isinstance(right, Size):
        raise NotDerivedError("a comparison of size: without one, the code may do something else")
    if isinstance(operator, ast.Is | ast.IsNot) and any(
        other is None and isinstance(each, NEVER_NONE) for each, other in ((left, right), (right, left))
    ):
        return isinstance(operator, ast.IsNot)  # what holds data, noise or a generator is never None
    if isinstance(operator, ast.In | ast.NotIn):
        return membership.is_among(self.machine, left, right) is isinstance(operator, ast.In)
    texts = [each for each in (left, right) if isinstance(each, OneRecord) and each.node.kind == TEXT]
    if texts and isinstance(operator, ast.Eq | ast.NotEq):
        other = right if left is texts[0] else left
        found = membership.is_text(self.machine, texts[0], other)
        return elementwise(self.machine, "logical_not", found) if isinstance(operator, ast.NotEq) else found
    if type(operator) not in COMPARISONS:
        raise NotDerivedError(f"`{type(operator).__name__}` of {functions.words([left])} has no rule")
    name, exchanged, negated = COMPARISONS[type(operator)]
    first, second = (right, left) if exchanged else (left, right)
    found = elementwise(self.machine, name, first, second)
    return elementwise(self.machine, "logical_not", found) if negated else found


def _conditional(self: Reader, node: ast.IfExp, frame: Frame) -> Any:
    return self.value(node.body if self.machine.holds(self.value(node.test, frame)) else node.orelse, frame)


def _subscript(self: Reader, node: ast.Subscript, frame: Frame) -> Any:
    holder = self.peek(node.value, frame)
    found = items.item(self, holder, self.value(node.slice, frame))
    if is_array(found):  # a view
        self.machine.share(holder)
    return found


def _slice(self: Reader, node: ast.Slice, frame: Frame) -> Any:
    ends = [None if each is None else self.value(each, frame) for each in (node.lower, node.upper, node.step)]
    if not all(type(each) in (int, type(None)) for each in ends):
        raise NotDerivedError("a slice with ends that are not known", "order and position of records are private")
    return slice(*ends)


def _tuple(self: Reader, node: ast.Tuple, frame: Frame) -> Any:
    return tuple(_elements(self, node.elts, frame))


def _list(self: Reader, node: ast.List, frame: Frame) -> Any:
    return self.machine.own(_elements(self, node.elts, frame))


def _set(self: Reader, node: ast.Set, frame: Frame) -> Any:
    values = _elements(self, node.elts, frame)
    if not all(type(each) in (int, str) for each in values):
        raise NotDerivedError("a set of what is no known whole number or text")
    return frozenset(values)


def _elements(self: Reader, nodes: Sequence[ast.expr], frame: Frame) -> list[Any]:
    found: list[Any] = []
    for each in nodes:
        found += (
            self.items(self.value(each.value, frame)) if isinstance(each, ast.Starred) else [self.value(each, frame)]
        )
    self.machine.share(*found)
    return found


def _dict(self: Reader, node: ast.Dict, frame: Frame) -> Any:
    found: dict[Any, Any] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        name = None if key is None else self.value(key, frame)
        _check_key(name)
        found[name] = self.value(value, frame)
        self.machine.share(found[name])
    return self.machine.own(found)


def _check_key(key: Any) -> None:
    if type(key) not in (str, int) and not (type(key) is tuple and all(type(each) in (str, int) for each in key)):
        raise NotDerivedError("a dict with keys that are not known")


def _lambda(self: Reader, node: ast.Lambda, frame: Frame) -> Any:
    return local_function(self, node, node.args, frame, "<lambda>")


def _comprehension(self: Reader, node: ast.ListComp | ast.GeneratorExp, frame: Frame) -> Any:
    inner = Frame(frame.file, frame.globals, frame, {}, frozenset(loops.targets(node)))
    over = self.value(node.generators[0].iter, frame)
    if isinstance(over, DataColumn | DataRows):
        return loops.comprehension(self, node, over, inner)
    found: list[Any] = []
    _comprehend(self, node, 0, over, inner, lambda: found.append(self.value(node.elt, inner)))
    self.machine.share(*found)
    return self.machine.own(found)


def _formatted(self: Reader, node: ast.JoinedStr, frame: Frame) -> str:
    """A text with known values in it; how a released number is written would tell Python's from numpy's."""
    found = ""
    for each in node.values:
        if isinstance(each, ast.FormattedValue):
            value = self.value(each.value, frame)
            given = "" if each.format_spec is None else self.value(each.format_spec, frame)
            if not known.plain(value) or type(value) not in (int, float, str, bool):
                raise NotDerivedError("a text with what is no known number or text in it")
            convert: Any = {-1: None, 115: str, 114: repr, 97: ascii}[each.conversion]
            found += known.compute(format, value if convert is None else convert(value), given)
        else:
            found += self.value(each, frame)
    return found


def _dict_comprehension(self: Reader, node: ast.DictComp, frame: Frame) -> Any:
    inner = Frame(frame.file, frame.globals, frame, {}, frozenset(loops.targets(node)))
    found: dict[Any, Any] = {}

    def add() -> None:
        key = self.value(node.key, inner)
        _check_key(key)
        found[key] = self.value(node.value, inner)
        self.machine.share(found[key])

    _comprehend(self, node, 0, self.value(node.generators[0].iter, frame), inner, add)
    return self.machine.own(found)


def _comprehend(self: Reader, node: Any, level: int, over: Any, frame: Frame, add: Callable[[], None]) -> None:
    generator = node.generators[level]
    if generator.is_async or isinstance(over, DataColumn | DataRows):
        raise NotDerivedError("a comprehension over records within another one")
    if isinstance(over, list | dict):
        self.machine.freeze(over)
    for item in self.items(over):
        self.machine.step()
        self.machine.share(item)
        self.store(generator.target, item, frame)
        if all(self.machine.holds(self.value(each, frame)) for each in generator.ifs):
            if level + 1 < len(node.generators):
                _comprehend(self, node, level + 1, self.value(node.generators[level + 1].iter, frame), frame, add)
            else:
                add()


EXPRESSIONS: dict[type[ast.expr], Callable[..., Any]] = {
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
    ast.Set: _set,
    ast.Dict: _dict,
    ast.DictComp: _dict_comprehension,
    ast.Lambda: _lambda,
    ast.ListComp: _comprehension,
    ast.JoinedStr: _formatted,
}
