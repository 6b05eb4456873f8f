"""What functions, methods, attributes and indices give: one rule each, by the identity of the function.

A function without a rule here is read like the code that calls it where it is written in Python, and stops otherwise.
"""

from __future__ import annotations

import ast
import math
import operator
import types
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dpverify.derive import aggregates, draws
from dpverify.derive.operators import elementwise, is_array, stacked, taken
from dpverify.derive.stop import NotDerived
from dpverify.derive.values import Column, Draw, Fields, Generator, Lifted, Once, Private, Public, Record, State, Table

if TYPE_CHECKING:
    from dpverify.derive.interpreter import Interpreter

OPERATORS: dict[type[ast.operator], Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.MatMult: operator.matmul,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
}
UNARY: dict[type[ast.unaryop], Callable[..., Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: operator.not_,
    ast.Invert: operator.invert,
}
COMPARE: dict[type[ast.cmpop], Callable[..., Any]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}
PUBLIC_OPERATORS = {ast.Mod: "mod", ast.FloorDiv: "floor_divide", ast.Pow: "power"}

VIEWS = (type({}.items()), type({}.keys()), type({}.values()))

_NUMPY_KNOWN = (
    "zeros ones full arange linspace eye array asarray sqrt exp log log1p expm1 abs absolute minimum maximum clip sum mean prod "
    "cumsum dot outer max min diff floor ceil rint round where power square sign tanh sin cos isfinite isnan argmax argmin sort "
    "concatenate stack hstack vstack diag logspace geomspace shape ndim size full_like zeros_like ones_like float64 int64 array_equal "
    "all any count_nonzero"
).split()
KNOWN = (
    {getattr(np, name) for name in _NUMPY_KNOWN}
    | {each for each in vars(math).values() if isinstance(each, types.BuiltinFunctionType)}
    | {abs, min, max, sum, len, range, int, float, bool, str, round, sorted, list, tuple, dict}
    | {all, any, divmod, pow, isinstance, np.linalg.norm, np.linalg.inv, np.linalg.solve, np.linalg.matrix_rank}
)
"""Called with known values only."""

ONE = {
    np.abs: "absolute",
    abs: "absolute",
    math.fabs: "absolute",
    np.sqrt: "sqrt",
    math.sqrt: "sqrt",
    np.exp: "exp",
    math.exp: "exp",
    np.expm1: "expm1",
    math.expm1: "expm1",
    np.log: "log",
    math.log: "log",
    np.log1p: "log1p",
    math.log1p: "log1p",
    np.tanh: "tanh",
    math.tanh: "tanh",
    np.arctan: "arctan",
    math.atan: "arctan",
    np.floor: "floor",
    np.ceil: "ceil",
    np.rint: "rint",
    np.trunc: "trunc",
    np.square: "square",
    np.negative: "negative",
    np.isnan: "isnan",
    math.isnan: "isnan",
    np.isfinite: "isfinite",
    math.isfinite: "isfinite",
    np.logical_not: "logical_not",
    np.nan_to_num: "finite_numbers",
    float: "as_float",
    np.float64: "as_float",
}
TWO = {
    np.add: "add",
    np.subtract: "subtract",
    np.multiply: "multiply",
    np.divide: "divide",
    np.minimum: "minimum",
    np.maximum: "maximum",
    np.less: "less",
    np.less_equal: "less_equal",
    np.equal: "equal",
    np.logical_and: "logical_and",
    np.logical_or: "logical_or",
}
OF_PUBLIC: dict[Any, str] = {
    round: "round",
    np.round: "round",
    int: "int",
    np.sum: "sum",
    np.mean: "mean",
    np.cumsum: "cumsum",
    np.max: "max",
    np.min: "min",
    np.argmax: "argmax",
    np.argmin: "argmin",
    np.sort: "sort",
    np.argsort: "argsort",
    np.dot: "dot",
    np.outer: "outer",
    np.linalg.solve: "solve",
    np.linalg.inv: "inv",
    np.linalg.norm: "norm",
    np.mod: "mod",
    np.power: "power",
    np.floor_divide: "floor_divide",
    np.sign: "sign",
    np.sin: "sin",
    np.cos: "cos",
    np.diff: "diff",
    math.floor: "floor_int",
    math.ceil: "ceil_int",
}
"""Functions of released values, which may do anything: their names in a proof."""


def plain_array(value: Any) -> bool:
    """A known numpy array of numbers, and no subclass of it."""
    return type(value) is np.ndarray and value.dtype.kind in "fiub"


def plain(value: Any) -> bool:
    """A known value of Python's or numpy's own types, to any depth."""
    if type(value) in (bool, int, float, str, type(None), range, slice, type(Ellipsis)) or plain_array(value):
        return True
    if isinstance(value, np.generic):
        return type(value).__module__ == "numpy"
    if type(value) in (tuple, list) or isinstance(value, list):
        return all(map(plain, value))
    if type(value) is dict:
        return all(plain(key) and plain(each) for key, each in value.items())
    return isinstance(value, VIEWS) and all(map(plain, value))


def holds_lifted(value: Any) -> bool:
    """Whether a value that is not known is in there."""
    if isinstance(value, list | tuple):
        return any(map(holds_lifted, value))
    if isinstance(value, dict):
        return any(map(holds_lifted, value.values()))
    return any(map(holds_lifted, value)) if isinstance(value, VIEWS) else isinstance(value, Lifted)


def all_public(*values: Any) -> bool:
    """Whether all values are known or released."""
    return all(isinstance(each, Public) or (not holds_lifted(each) and plain(each)) for each in values)


def has_rule(function: Any) -> bool:
    """Whether the function has a rule of its own."""
    try:
        return function in _RULES or function in KNOWN or function in ONE or function in TWO or function in OF_PUBLIC
    except TypeError:
        return False


def call(self: Interpreter, function: Any, given: Sequence[Any], named: Mapping[str, Any]) -> Any:
    """The value of a function of Python or numpy."""
    known = not any(map(holds_lifted, given)) and not any(map(holds_lifted, named.values()))
    if not has_rule(function):
        words = getattr(function, "__qualname__", None) or getattr(function, "__name__", type(function).__name__)
        module = getattr(function, "__module__", "")
        raise NotDerived(f"{module + '.' if module and module != 'builtins' else ''}{words} has no rule")
    if function in draws.OTHER_GENERATORS:
        return draws.generator(*given, **named)
    if known and function in KNOWN:
        return _known(self, function, given, named)
    rule = _RULES.get(function)
    if rule is not None:
        found = rule(self, *given, **named) if _fits(rule, given, named) else None
        if found is None:
            raise NotDerived(f"{function.__name__} with these arguments has no rule")
        return found
    if all_public(*given, *named.values()) and function in OF_PUBLIC:
        return public_call(self, OF_PUBLIC[function], given, named)
    if not named and len(given) == 1 and function in ONE:
        return elementwise(self.machine, ONE[function], _array_of(self, function, given[0]))
    if not named and len(given) == 2 and function in TWO:
        return elementwise(self.machine, TWO[function], *(_array_of(self, function, each) for each in given))
    raise NotDerived(f"{getattr(function, '__name__', function)} of {_words(given)} has no rule")


def _words(values: Sequence[Any]) -> str:
    return ", ".join(each.described() if isinstance(each, Lifted) else f"a {type(each).__name__}" for each in values) or "nothing"


def _fits(rule: Callable[..., Any], given: Sequence[Any], named: Mapping[str, Any]) -> bool:
    import inspect

    try:
        inspect.signature(rule).bind(None, *given, **named)
    except TypeError:
        return False
    return True


def _known(self: Interpreter, function: Any, given: Sequence[Any], named: Mapping[str, Any]) -> Any:
    from dpverify.derive.interpreter import _compute

    if not all(map(plain, (*given, *named.values()))):
        raise NotDerived(f"{function.__name__} of an object of its own type")
    found = _compute(function, *given, **named) if not named else _compute(lambda: function(*given, **named))
    if isinstance(found, list | dict) or (type(found) is np.ndarray and not any(found is each for each in given)):
        if type(found) is np.ndarray and (found.base is not None or any(np.shares_memory(found, each) for each in given if plain_array(each))):
            return found
        return self.machine.own(found)
    return found


def _array_of(self: Interpreter, function: Any, value: Any) -> Any:
    """The operand of a numpy function: lists of records become columns."""
    numpys = isinstance(function, np.ufunc) or getattr(function, "__module__", "").startswith("numpy")
    if numpys and isinstance(value, Column) and not value.array:
        return aggregates.as_array(self.machine, value)
    if numpys and isinstance(value, list | tuple) and holds_lifted(value):
        return stacked(self.machine, value)
    return value


def public_call(self: Interpreter, name: str, given: Sequence[Any], named: Mapping[str, Any]) -> Public:
    """A function of released values: whatever it is, it costs nothing."""
    machine, inputs = self.machine, []
    template: list[Any] = []
    for each in given:
        if isinstance(each, Public):
            template.append({"input": len(inputs)})
            inputs.append(each.node)
        elif plain_array(each) or isinstance(each, np.generic):
            template.append({"input": len(inputs)})
            inputs.append(machine.node(each))
        else:
            template.append({"value": list(each) if isinstance(each, tuple) else each})
    known = dict(named)
    if any(isinstance(each, Lifted) or not isinstance(each, int | float | str | bool | type(None)) for each in known.values()):
        raise NotDerived(f"{name} of released values with keywords that are not known")
    node = machine.op("call", *inputs, function=name, arguments=template, keywords=known)
    return Public(node, bool(node.shape))


def product(self: Interpreter, left: Any, right: Any) -> Any:
    """``left @ right``."""
    if isinstance(left, aggregates.Transposed) and isinstance(right, Column):
        return aggregates.gram(self.machine, left.column, right)
    if all_public(left, right):
        return public_call(self, "dot", [left, right], {})
    if plain_array(right) and isinstance(left, Private | Record | Column) and left.array:
        node = self.machine.op("matmul", self.machine.node(left), self.machine.node(np.asarray(right, float)))
        if isinstance(left, Column):
            if self.machine.record is not None:
                raise NotDerived("a column of the data within a loop over records")
            if not left.node.shape:
                raise NotDerived("the product of a column with a public vector: it lies along the records")
            return Column(node, left.mask)
        return type(left)(node, bool(node.shape))
    if plain_array(left) and left.ndim == 2 and isinstance(right, Private | Record) and len(right.node.shape) == 1:
        return product(self, right, np.ascontiguousarray(left.T))
    raise NotDerived(f"the matrix product of {_words([left, right])} has no rule")


def item(self: Interpreter, holder: Any, key: Any) -> Any:
    """``holder[key]``."""
    machine = self.machine
    if isinstance(holder, Fields):
        if isinstance(key, Lifted) or key not in holder.by_name:
            raise NotDerived(f"a record has no field {key!r}")
        return Record(holder.by_name[key])
    if isinstance(holder, Table):
        if isinstance(key, Lifted) or holder.form not in ("columns", "tuple") or key not in holder.by_name:
            raise NotDerived("a part of the data that has no name", "loop over the records, or name a column")
        return holder.by_name[key]
    if isinstance(holder, Column):
        return aggregates.column_item(machine, holder, key)
    if isinstance(holder, Private | Public | Draw | Record) and holder.array:
        keys = key if isinstance(key, tuple) else (key,)
        if not all(isinstance(each, int | np.integer | slice | type(None)) for each in keys):
            raise NotDerived("an index that is not known")
        try:
            node = taken(machine, holder.node, key)
        except IndexError:
            raise NotDerived(f"the index {key!r} lies outside") from None
        return type(holder)(node, bool(node.shape))
    if isinstance(holder, Lifted):
        raise NotDerived(f"a part of {holder.described()}")
    if isinstance(key, Lifted):
        raise NotDerived(f"an index that is {key.described()}", "an index shows in what comes out")
    if isinstance(holder, list | tuple | dict | str | range) or plain_array(holder):
        from dpverify.derive.interpreter import _compute

        if not plain(key):
            raise NotDerived("a key of its own type")
        return _compute(lambda: holder[key])
    raise NotDerived(f"a part of a {type(holder).__name__}")


def with_item(self: Interpreter, holder: Any, key: Any, value: Any) -> Any:
    """The array with another item."""
    machine = self.machine
    if isinstance(holder, Column | State):
        raise NotDerived("an item of a column is changed")
    if not isinstance(holder, Lifted) and not isinstance(value, Lifted):
        if not plain(value):
            raise NotDerived("an item that is no number")
        changed = holder.copy()
        from dpverify.derive.interpreter import _compute

        _compute(lambda: changed.__setitem__(key, value))
        return changed
    whole = machine.node(holder)
    if whole.kind != "float64":
        raise NotDerived("an item of an array of integers is changed", "numpy.zeros makes doubles")
    places = np.arange(int(np.prod(whole.shape, dtype=int))).reshape(whole.shape)
    selected = np.ravel(places[key])
    new = machine.node(value)
    if new.shape != np.shape(places[key]):
        raise NotDerived("an item of another shape")
    parts = [taken(machine, whole, np.unravel_index(at, whole.shape)) for at in range(places.size)]
    for place, at in enumerate(selected.tolist()):
        parts[at] = taken(machine, new, np.unravel_index(place, new.shape)) if new.shape else new
    levels = {each.level for each in parts} - {"public"}
    if levels - {"private"}:
        raise NotDerived("an array with items of different kinds")
    node = machine.op("stack", *parts, shape=list(whole.shape))
    return (Private if levels else Public)(node, True)


def attribute(self: Interpreter, holder: Any, name: str) -> Any:
    """``holder.name``."""
    if isinstance(holder, Lifted):
        return aggregates.attribute(self.machine, holder, name)
    if isinstance(holder, types.ModuleType):
        found = getattr(holder, name, None)
        if found is None:
            raise NotDerived(f"{holder.__name__} has no {name}")
        return found
    if plain_array(holder) and name in ("shape", "size", "ndim", "T"):
        return getattr(holder, name)
    if isinstance(holder, list | dict | str | tuple) or plain_array(holder) or isinstance(holder, np.generic):
        raise NotDerived(f"the attribute {name} of a {type(holder).__name__}")
    return _of_instance(self, holder, name)


def _of_instance(self: Interpreter, holder: Any, name: str) -> Any:
    """An attribute of an object of the code's own class: what its instance or its class holds."""
    kind = type(holder)
    if isinstance(holder, type):
        raise NotDerived("an attribute of a class")
    for special in ("__getattribute__", "__getattr__"):
        if any(special in vars(each) for each in kind.__mro__ if each is not object):
            raise NotDerived(f"{kind.__name__} computes its attributes")
    of_class = next((vars(each)[name] for each in kind.__mro__ if name in vars(each)), None)
    if isinstance(of_class, property):
        if type(of_class.fget) is not types.FunctionType:
            raise NotDerived(f"the property {name}")
        return self.call(of_class.fget, [holder], {})
    own = getattr(holder, "__dict__", None)
    if type(own) is dict and name in own and not hasattr(type(of_class), "__set__"):
        return own[name]
    if type(of_class) is types.MemberDescriptorType:  # a slot
        try:
            return of_class.__get__(holder)
        except AttributeError:
            raise NotDerived(f"{kind.__name__} has no {name}") from None
    if type(of_class) is types.FunctionType:
        return types.MethodType(of_class, holder)
    if type(of_class) is staticmethod:
        return of_class.__func__
    if of_class is not None and plain(of_class):
        return of_class
    raise NotDerived(f"the attribute {name} of a {kind.__name__}")


_PURE_METHODS = {
    list: ("copy", "index", "count"),
    dict: ("get", "items", "keys", "values", "copy"),
    str: ("format", "join", "lower", "upper", "strip", "split", "startswith", "endswith"),
    np.ndarray: ("sum", "mean", "copy", "astype", "reshape", "tolist", "item", "max", "min", "dot", "ravel", "flatten", "cumsum", "round"),
}


def method(self: Interpreter, holder: Any, name: str, given: Sequence[Any], named: Mapping[str, Any]) -> Any:
    """``holder.name(...)`` of a value that is not known, of an array, or of a list, dict or text."""
    from dpverify.derive.interpreter import _compute
    from dpverify.derive.loops import Appending

    machine = self.machine
    if isinstance(holder, Generator):
        return draws.draw(self, name, given, named)
    if isinstance(holder, Appending):
        if name != "append" or len(given) != 1 or named:
            raise NotDerived(f"{name} of a list that grows with the records")
        from dpverify.derive.loops import _of_record

        holder.values.append(_of_record(machine, given[0]))
        return None
    if isinstance(holder, Lifted):
        return aggregates.method(self, holder, name, given, named)
    if isinstance(holder, list) and name in ("append", "extend") and len(given) == 1 and not named:
        if id(holder) not in machine.owned or (machine.record is not None and id(holder) in machine.record.outer):
            raise NotDerived("a list that this function did not make, or that other records see, is extended")
        holder.extend([given[0]] if name == "append" else self.items(given[0]))
        return None
    kind = next((each for each in _PURE_METHODS if type(holder) is each), None)
    if kind is None or name not in _PURE_METHODS[kind] or not plain(list(given)) or not plain(dict(named)):
        raise NotDerived(f"the method {name} of a {type(holder).__name__} has no rule")
    if holds_lifted(holder) and name not in ("copy", "get", "items", "keys", "values"):
        raise NotDerived(f"the method {name} of a list with values that are not known")
    if kind is np.ndarray and name == "reshape":
        return _compute(lambda: holder.reshape(*given, **named))
    found = _compute(lambda: getattr(holder, name)(*given, **named))
    return machine.own(found) if isinstance(found, list | dict) or (type(found) is np.ndarray and found.base is None) else found


def _array(self: Interpreter, value: Any, dtype: Any = None) -> Any:
    machine = self.machine
    if isinstance(value, Column):
        found = value if value.array else aggregates.as_array(machine, value, dtype)
        return found if dtype is None else aggregates.as_type(machine, found, dtype)
    if isinstance(value, list | tuple) and (dtype is None or dtype in (float, np.float64)):
        rows = [stacked(machine, each) if isinstance(each, list | tuple) else each for each in value]
        return stacked(machine, rows)
    if isinstance(value, Public | Private | Draw) and value.array and dtype is None:
        return value
    return None


def _min(self: Interpreter, *values: Any) -> Any:
    return _least(self, "python_min", values)


def _max(self: Interpreter, *values: Any) -> Any:
    return _least(self, "python_max", values)


def _least(self: Interpreter, name: str, values: Sequence[Any]) -> Any:
    if len(values) == 1:
        if isinstance(values[0], Lifted):
            raise NotDerived("the extreme record of the data", "clip to bounds that are known")
        values = self.items(values[0])
    found = values[0]
    for each in values[1:]:
        if is_array(found) or is_array(each):
            raise NotDerived("min and max of arrays", "numpy.minimum and numpy.maximum")
        found = elementwise(self.machine, name, found, each) if holds_lifted([found, each]) else (min if name == "python_min" else max)(found, each)
    return found


def _clip(self: Interpreter, value: Any, a_min: Any = None, a_max: Any = None) -> Any:
    value = _array_of(self, np.clip, value)
    if isinstance(value, Private):
        raise NotDerived("a sum over the records is clipped before it has noise", "clip the records, or what is released")
    if a_min is not None:
        value = elementwise(self.machine, "maximum", value, a_min)
    return value if a_max is None else elementwise(self.machine, "minimum", value, a_max)


def _where(self: Interpreter, condition: Any, first: Any, second: Any) -> Any:
    values = [_array_of(self, np.where, each) for each in (condition, first, second)]
    if self.machine.node(values[0]).kind != "bool":
        raise NotDerived("numpy.where of what is no condition")
    if any(isinstance(each, Private | Draw) for each in values):
        raise NotDerived("a choice between sums that have no noise")
    return elementwise(self.machine, "where", *values)


def _int(self: Interpreter, value: Any) -> Any:
    if isinstance(value, Record):
        return Record(self.machine.op("as_python_int", value.node))
    if isinstance(value, Public):
        return public_call(self, "int", [value], {})
    if isinstance(value, Private) and self.machine.node(value).kind != "float64" and not value.node.shape:
        return Private(value.node)
    return None


def _float(self: Interpreter, value: Any) -> Any:
    if isinstance(value, Record | Private | Public) and not value.node.shape:
        return type(value)(self.machine.op("as_float", value.node))
    return None


def _bool(self: Interpreter, value: Any) -> Any:
    if isinstance(value, Record | Public) and not value.node.shape:
        return type(value)(self.machine.condition(value))
    return None


def _round(self: Interpreter, value: Any, ndigits: Any = None) -> Any:
    if isinstance(value, Public):
        return public_call(self, "round", [value, *([] if ndigits is None else [ndigits])], {})
    if isinstance(value, Record) and ndigits is None and value.node.kind == "float64":
        return Record(self.machine.op("as_python_int", self.machine.op("rint", value.node)))
    if isinstance(value, Private):
        raise NotDerived("a sum over the records is rounded before it has noise", "round what is released")
    return None


def _len(self: Interpreter, value: Any) -> Any:
    if isinstance(value, Column | Table):
        return aggregates.count(self.machine, value)
    if isinstance(value, Private | Public | Draw | Record) and value.array and value.node.shape:
        return value.node.shape[0]
    return len(value) if isinstance(value, list | tuple | dict) else None


def _sum(self: Interpreter, value: Any, start: Any = 0) -> Any:
    if isinstance(value, Column):
        if value.node.shape:
            raise NotDerived("Python's sum of rows", "numpy.sum(..., axis=0)")
        found = aggregates.total(self.machine, value)
        return found if type(start) is int and start == 0 else self.binary(ast.Add(), start, found)
    found = start
    for each in self.items(value):
        found = self.binary(ast.Add(), found, each)
    return found


def _sequence(kind: type) -> Callable[..., Any]:
    def rule(self: Interpreter, value: Any) -> Any:
        if isinstance(value, Column) and kind is list and not value.node.shape:
            return Column(value.node, value.mask, array=False)
        found = kind(self.items(value))
        return self.machine.own(found) if kind is list else found

    return rule


def _zip(self: Interpreter, *values: Any) -> Any:
    if any(isinstance(each, Column) for each in values):
        if not all(isinstance(each, Column) and each.mask is None and not each.node.shape for each in values):
            raise NotDerived("records are paired with other values")
        return Table({place: each.node for place, each in enumerate(values)}, "tuples")
    return Once(list(zip(*map(self.items, values), strict=False)))


def _enumerate(self: Interpreter, value: Any, start: int = 0) -> Any:
    if isinstance(value, Column | Table):
        raise NotDerived("records are numbered", "order and position of records are private")
    return Once(list(enumerate(self.items(value), start)))


def _reversed(self: Interpreter, value: Any) -> Any:
    if isinstance(value, Column | Table):
        raise NotDerived("records in another order")
    return Once(self.items(value)[::-1])


def _elements_of(self: Interpreter, value: Any) -> Any:
    return stacked(self.machine, value) if isinstance(value, list | tuple) else value


def _concatenate(self: Interpreter, values: Any) -> Any:
    if not isinstance(values, list | tuple) or any(isinstance(each, Column) for each in values):
        return None
    return stacked(self.machine, [item for each in values for item in self.items(each)])


_RULES: dict[Any, Callable[..., Any]] = {
    np.array: _array,
    np.asarray: _array,
    min: _min,
    max: _max,
    np.clip: _clip,
    np.where: _where,
    int: _int,
    float: _float,
    bool: _bool,
    round: _round,
    len: _len,
    sum: _sum,
    list: _sequence(list),
    tuple: _sequence(tuple),
    zip: _zip,
    enumerate: _enumerate,
    reversed: _reversed,
    np.concatenate: _concatenate,
    np.sum: aggregates.numpy_sum,
    np.mean: aggregates.numpy_mean,
    np.count_nonzero: aggregates.count_nonzero,
    np.histogram: aggregates.histogram,
    np.bincount: aggregates.bincount,
    np.linalg.norm: aggregates.norm,
    np.random.default_rng: draws.generator,
}
