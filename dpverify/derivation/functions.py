"""What functions give: one rule each, by the identity of the function.

A function without a rule here is read like the code that calls it where it is written in Python, and stops otherwise.
"""

from __future__ import annotations

import ast
import inspect
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from dpverify.core.declared_noise import declared
from dpverify.core.numpy_random import NOISE, PUBLISHED
from dpverify.derivation import aggregates, draws, membership
from dpverify.derivation.homes import NUMPY, PYTHON, SMALL, UNKNOWN, home_of, is_array, refuse, with_home
from dpverify.derivation.known import compute, holds_array, holds_lifted, plain, plain_array, replica
from dpverify.derivation.known_functions import CREATES, KEYWORDS, KNOWN, ONE, TWO, is_number_type, returns_new
from dpverify.derivation.operators import elementwise, stacked
from dpverify.derivation.reader import Reader
from dpverify.derivation.released import OF_PUBLIC, all_public, public_call
from dpverify.derivation.source import module_of
from dpverify.derivation.stop import NotDerivedError
from dpverify.derivation.values import (
    POSITIONS,
    DataColumn,
    DataColumns,
    DataRows,
    Half,
    Lifted,
    NoiseDraw,
    OnceOnly,
    OneRecord,
    Private,
    Public,
    RunningTotal,
    Tally,
)
from dpverify.proofs.operations import NUMBER, PYTHON_INT

MOST = float(np.finfo(np.float64).max)


def has_rule(function: Any) -> bool:
    """Tell whether the function has a rule of its own; another object that says it is equal has none."""
    return id(function) in _OF_RULES or declared(function) is not None


def call(self: Reader, function: Any, given: Sequence[Any], named: Mapping[str, Any]) -> Any:
    """The value of a function of Python or numpy, or of one that is declared to add noise."""
    found = _called(self, function, given, named)
    made = isinstance(found, Public) and found.array and returns_new(function, given)
    rounded = function is np.round and isinstance(found, Public) and found.array and found.node.kind == "float64"
    return self.machine.own(found) if made or rounded else found


def _called(self: Reader, function: Any, given: Sequence[Any], named: Mapping[str, Any]) -> Any:
    noise = declared(function)
    if noise is not None:
        self.machine.modules[module_of(function)] = None
        return draws.around(self, noise, given, named)
    if not has_rule(function):
        name = getattr(function, "__qualname__", None) or getattr(function, "__name__", type(function).__name__)
        module = getattr(function, "__module__", "")
        raise NotDerivedError(f"{module + '.' if module and module != 'builtins' else ''}{name} has no rule")
    known = not any(map(holds_lifted, (*given, *named.values())))
    if known and function in KNOWN:
        return _known(self, function, given, named)
    rule: Any = _RULES.get(function)
    if rule is not None:
        found = rule(self, *given, **named) if _fits(rule, given, named) else None
        if found is None:
            raise NotDerivedError(f"{function.__name__} of {words(given)} with these arguments has no rule")
        return found
    if all_public(*given, *named.values()) and function in OF_PUBLIC:
        if _home(function) == NUMPY and any(_of_python(each) for each in given):
            raise NotDerivedError("a numpy function of a Python integer", "convert it with float")
        return public_call(self, OF_PUBLIC[function], given, named, home=_home(function))
    if not named and len(given) == 1 and function in ONE:
        operand = _operand(self, function, given[0])
        if function is math.fabs and isinstance(operand, Lifted):
            operand = elementwise(self.machine, "as_float", operand)
        found = elementwise(self.machine, ONE[function], operand)
        return found if function is abs else with_home(_home(function), found)
    if not named and len(given) == 2 and function in TWO:
        return with_home(
            NUMPY, elementwise(self.machine, TWO[function], *(_operand(self, function, each) for each in given))
        )
    raise NotDerivedError(f"{getattr(function, '__name__', function)} of {words(given)} has no rule")


def words(values: Sequence[Any]) -> str:
    """The values in words."""
    return (
        ", ".join(each.described() if isinstance(each, Lifted) else f"a {type(each).__name__}" for each in values)
        or "nothing"
    )


def _fits(rule: Callable[..., Any], given: Sequence[Any], named: Mapping[str, Any]) -> bool:
    try:
        inspect.signature(rule).bind(None, *given, **named)
    except TypeError:
        return False
    return True


def _known(self: Reader, function: Any, given: Sequence[Any], named: Mapping[str, Any]) -> Any:
    """The value of a function of known values; what it changes in its arguments stops."""
    if set(named) - KEYWORDS or not is_number_type(named.get("dtype", float)):
        raise NotDerivedError(f"{function.__name__} with {', '.join(named)}")
    if type(function) is np.ufunc and len(given) > function.nin:
        raise NotDerivedError(f"{function.__name__} with an array that it writes to")
    numbers = [each for each in given if not is_number_type(each)]
    if not all(map(plain, (*numbers, *(each for name, each in named.items() if name != "dtype")))):
        raise NotDerivedError(f"{function.__name__} of an object of its own type")
    if any(map(holds_array, (*given[1:], *named.values()))):
        raise NotDerivedError(f"{function.__name__} with arrays in a list or tuple, which it may change")
    copies = [replica(each) if plain_array(each) else each for each in given]
    found = compute(lambda: function(*copies, **named))
    if any(plain_array(a) and a.tobytes() != b.tobytes() for a, b in zip(copies, given, strict=True)):
        raise NotDerivedError(f"{function.__name__} changes its arguments")
    if type(found) is np.ndarray and found.ndim == 0:
        raise NotDerivedError("an array of no dimensions", "numbers are Python's")
    if type(found) is np.ndarray and any(plain_array(each) and np.may_share_memory(found, each) for each in copies):
        self.machine.share(*given)  # it is one of them, or a part of one
    return self.machine.own(found) if function in CREATES else found


def _operand(self: Reader, function: Any, value: Any) -> Any:
    """The operand of a numpy function: lists of records become columns; of a function of `math`: a number."""
    if function in (float, abs, np.float64) or getattr(function, "__module__", "") == "math":
        if is_array(value) and function is not abs:
            raise NotDerivedError(f"{function.__name__} of an array")
        return value if function is abs else with_home(_home(function), value)
    if isinstance(value, DataColumn) and not value.array:
        return aggregates.as_array(self.machine, value)
    if isinstance(value, RunningTotal):
        raise NotDerivedError("a numpy function of a running total", "total = total + ...")
    if isinstance(value, Half):
        raise NotDerivedError("a numpy function of a sum with one-sided noise")
    if isinstance(value, OneRecord | Private | Public | NoiseDraw) and value.node.kind in (PYTHON_INT, NUMBER):
        raise NotDerivedError("a numpy function of a Python integer", "convert it with float")
    if isinstance(value, list | tuple) and holds_lifted(value):
        return stacked(self.machine, value)
    return with_home(NUMPY, value)


def _of_python(value: Any) -> bool:
    return isinstance(value, Public) and not value.array and value.node.kind in (PYTHON_INT, NUMBER)


def _home(function: Any) -> str:
    """Whose number a function of Python or numpy returns."""
    python = function in (float, int, round) or getattr(function, "__module__", "") == "math"
    return PYTHON if python else NUMPY


def _array(self: Reader, value: Any, /, dtype: Any = None) -> Any:
    machine = self.machine
    if isinstance(value, DataColumn):
        found = value if value.array else aggregates.as_array(machine, value, dtype)
        return found if dtype is None else aggregates.as_type(machine, found, dtype)
    if isinstance(value, list | tuple) and (dtype is None or dtype is float or dtype is np.float64):
        rows = [stacked(machine, each) if isinstance(each, list | tuple) else each for each in value]
        made = stacked(machine, rows)
        return made if dtype is None or isinstance(made, NoiseDraw) else elementwise(machine, "as_float", made)
    if isinstance(value, Public | Private | NoiseDraw) and value.array and dtype is None:
        return value
    return None


def _min(self: Reader, *values: Any) -> Any:
    return _least(self, "python_min", values)


def _max(self: Reader, *values: Any) -> Any:
    return _least(self, "python_max", values)


def _least(self: Reader, name: str, values: Sequence[Any]) -> Any:
    if len(values) == 1:
        if isinstance(values[0], Lifted):
            raise NotDerivedError("the extreme record of the data", "clip to bounds that are known")
        values = self.items(values[0])
    if not all(isinstance(each, Lifted) or plain(each) for each in values):
        raise NotDerivedError("min and max of objects of their own type")
    found = values[0]
    for each in values[1:]:
        if is_array(found) or is_array(each):
            raise NotDerivedError("min and max of arrays", "numpy.minimum and numpy.maximum")
        found = (
            elementwise(self.machine, name, found, each)
            if holds_lifted([found, each])
            else compute(min if name == "python_min" else max, found, each)
        )
    return found


def _finite(self: Reader, value: Any, /, *, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    """``numpy.nan_to_num``: what is not finite becomes numbers that are known."""
    told = (nan, MOST if posinf is None else posinf, -MOST if neginf is None else neginf)
    if not all(type(each) in (int, float, np.float64) and math.isfinite(each) for each in told):
        raise NotDerivedError("numpy.nan_to_num with numbers that are not known, or not finite")
    value = _operand(self, np.nan_to_num, value)
    if not isinstance(value, Lifted) or self.machine.node(value).kind != "float64":
        return None
    return with_home(NUMPY, elementwise(self.machine, "finite_numbers", value, *map(float, told)))


def _zeros_like(self: Reader, value: Any, /) -> Any:
    """An array of the shape and type of a value, without anything else of it."""
    if (
        not isinstance(value, Private | Public | NoiseDraw)
        or not value.array
        or value.node.kind not in ("float64", "int64")
    ):
        return None
    return self.machine.own(np.zeros(value.node.shape, dtype=value.node.kind))


def _clip(self: Reader, value: Any, /, a_min: Any, a_max: Any) -> Any:
    value = _operand(self, np.clip, value)
    if a_min is None and a_max is None:
        return None
    if isinstance(value, Private):
        raise NotDerivedError(
            "a sum over the records is clipped before it has noise", "clip the records, or what is released"
        )
    if a_min is not None:
        value = elementwise(self.machine, "maximum", value, a_min)
    return value if a_max is None else elementwise(self.machine, "minimum", value, a_max)


def _where(self: Reader, condition: Any, first: Any, second: Any, /) -> Any:
    values = [_operand(self, np.where, each) for each in (condition, first, second)]
    if not any(map(is_array, values)):
        return None
    if self.machine.node(values[0]).kind != "bool":
        raise NotDerivedError("numpy.where of what is no condition")
    if any(isinstance(each, Private | NoiseDraw) for each in values):
        raise NotDerivedError("a choice between sums that have no noise")
    return elementwise(self.machine, "where", *values)


def _int(self: Reader, value: Any, /) -> Any:
    if is_array(value):
        return None
    if isinstance(value, OneRecord) and value.node.kind == "bool":
        one, none = map(self.machine.program.constant, (1, 0))
        return OneRecord(self.machine.op("where", value.node, one, none), home=PYTHON)
    if isinstance(value, OneRecord):
        return OneRecord(self.machine.op("as_python_int", value.node), home=PYTHON)
    if isinstance(value, NoiseDraw) and value.node.kind == PYTHON_INT:
        return value
    if isinstance(value, Public):
        return public_call(self, "int", [value], {}, home=PYTHON)
    if isinstance(value, Private) and self.machine.node(value).kind in (PYTHON_INT, "int64") and not value.node.shape:
        return Private(self.machine.op("as_python_int", value.node), home=PYTHON)
    return None


def _float(self: Reader, value: Any, /) -> Any:
    if isinstance(value, OneRecord | Private | Public) and not value.array:
        return type(value)(self.machine.op("as_float", value.node), home=PYTHON)
    if isinstance(value, NoiseDraw) and not value.array and value.node.kind == "float64":
        return with_home(PYTHON, value)
    return None


def _bool(self: Reader, value: Any, /) -> Any:
    if isinstance(value, OneRecord | Public) and not value.array:
        return type(value)(self.machine.condition(value), home=PYTHON)
    return None


def _round(self: Reader, value: Any, /, ndigits: Any = None) -> Any:
    if isinstance(value, Public) and not value.array:
        if home_of(value) == UNKNOWN and (ndigits is not None or value.node.kind not in ("float64", NUMBER)):
            refuse("round")
        home = PYTHON if ndigits is None else home_of(value)
        return public_call(self, "round", [value, *([] if ndigits is None else [ndigits])], {}, home=home)
    if isinstance(value, OneRecord) and not value.array and ndigits is None and value.node.kind == "float64":
        return OneRecord(self.machine.op("as_python_int", self.machine.op("rint", value.node)), home=PYTHON)
    if isinstance(value, Private):
        raise NotDerivedError("a sum over the records is rounded before it has noise", "round what is released")
    return None


def _len(self: Reader, value: Any, /) -> Any:
    if isinstance(value, DataColumn | DataRows):
        return aggregates.count(self.machine, value)
    if isinstance(value, Private | Public | NoiseDraw | OneRecord) and value.array and value.node.shape:
        return value.node.shape[0]
    if isinstance(value, DataColumns):
        return len(value.by_name)
    return len(value) if isinstance(value, list | tuple | dict) else None


def _sum(self: Reader, value: Any, /, start: Any = 0) -> Any:
    if isinstance(value, DataColumn):
        if value.node.shape:
            raise NotDerivedError("Python's sum of rows", "numpy.sum(..., axis=0)")
        if type(start) not in (int, float):
            return None
        home = PYTHON if not value.array and value.home == PYTHON else UNKNOWN  # of no record it is `start`
        found = with_home(home, aggregates.total(self.machine, value))
        if type(start) is int and found.node.kind == "float64":  # without a record it stays an integer
            found = Private(self.machine.op("loose", found.node), home=home)
        return found if type(start) is int and start == 0 else self.binary(ast.Add(), start, found)
    found = start
    for each in self.items(value):
        found = self.binary(ast.Add(), found, each)
    return found


def _sequence(kind: type) -> Callable[..., Any]:
    def rule(self: Reader, value: Any, /) -> Any:
        if isinstance(value, DataColumn) and kind is list and not value.node.shape:
            return DataColumn(value.node, value.mask, array=False, home=NUMPY if value.array else value.home)
        found = kind(self.items(value))
        return self.machine.own(found) if kind is list else found

    return rule


def _range(self: Reader, *ends: Any) -> Any:
    """``range(len(data))``: nothing but the records at these places."""
    first, last = ends if len(ends) == 2 else (0, ends[-1] if len(ends) == 1 else None)
    if type(first) is not int or first != 0 or not isinstance(last, Private | Public):
        return None
    node = last.node
    number = node.op == "size" or (node.op == "sum" and node.inputs[0].op == "one")
    return DataRows({}, POSITIONS) if number else None


def _tally(self: Reader, value: Any, /) -> Any:
    return Tally(value) if isinstance(value, DataColumn) and not value.node.shape else None


def how_many(self: Reader, column: DataColumn, key: Any) -> Any:
    """The number of records that are `key`: ``Counter(column)[key]``, ``column.count(key)``."""
    if type(key) in (int, float) and not abs(key) <= SMALL:
        raise NotDerivedError("how many records are NaN, or a number beyond 2**52")
    asked = membership.is_equal(self.machine, OneRecord(column.node, home=column.home), key)
    return _sum(self, DataColumn(asked.node, column.mask, array=False, home=PYTHON))


def _dict(self: Reader, value: Any, /) -> Any:
    if isinstance(value, dict):
        return None
    pairs = [self.items(each) for each in self.items(value)]
    if not all(len(each) == 2 and type(each[0]) in (int, str) for each in pairs):
        raise NotDerivedError("a dict of what are no pairs with known keys")
    self.machine.share(*(each[1] for each in pairs))
    return self.machine.own(dict(pairs))


def _zip(self: Reader, *values: Any, strict: Any = False) -> Any:
    if type(strict) is not bool:
        return None
    if any(isinstance(each, DataColumn) for each in values):
        if not all(isinstance(each, DataColumn) and each.mask is None for each in values):
            raise NotDerivedError("records are paired with other values")
        return DataRows({place: each.node for place, each in enumerate(values)}, "pairs")
    kept = [_kept(self, each) for each in values]
    if strict and len(set(map(len, kept))) > 1:
        raise NotDerivedError("values of different lengths are paired with strict=True, which raises")
    return OnceOnly(list(zip(*kept, strict=False)), self.machine.record)


def _enumerate(self: Reader, value: Any, /, start: int = 0) -> Any:
    if isinstance(value, DataColumn | DataRows):
        raise NotDerivedError("records are numbered", "order and position of records are private")
    return OnceOnly(list(enumerate(_kept(self, value), start)), self.machine.record)


def _reversed(self: Reader, value: Any, /) -> Any:
    if isinstance(value, DataColumn | DataRows | OnceOnly):
        raise NotDerivedError("records, or an iterator, in another order")
    return OnceOnly(_kept(self, value)[::-1], self.machine.record)


def _kept(self: Reader, value: Any) -> list[Any]:
    """The elements of what is gone through later: it must not change until then."""
    if isinstance(value, list | dict):
        self.machine.freeze(value)
    return self.items(value)


def _concatenate(self: Reader, values: Any, /) -> Any:
    if not isinstance(values, list | tuple) or any(isinstance(each, DataColumn) for each in values):
        return None
    if not all(type(each) in (list, tuple) or plain_array(each) or is_array(each) for each in values):
        return None
    parts = [self.items(each) for each in values]
    made = stacked(self.machine, [item for each in parts for item in each])
    kinds = {np.asarray(each).dtype.name if plain(each) else _kind_of(self, each) for each in values}
    if not all(parts) or kinds != {self.machine.node(made).kind}:
        raise NotDerivedError("numpy.concatenate of parts of different types, or without elements")
    return made


def _kind_of(self: Reader, value: Any) -> str:
    """The type of an array, or of a list whose elements are alike; empty where they are not."""
    if is_array(value):
        return self.machine.node(value).kind
    kinds = {self.machine.node(each).kind for each in value}
    return kinds.pop() if len(kinds) == 1 else ""


_RULES: dict[Any, Callable[..., Any]] = {
    np.array: _array,
    np.asarray: _array,
    min: _min,
    max: _max,
    np.clip: _clip,
    np.nan_to_num: _finite,
    np.zeros_like: _zeros_like,
    np.where: _where,
    int: _int,
    float: _float,
    bool: _bool,
    round: _round,
    len: _len,
    sum: _sum,
    list: _sequence(list),
    tuple: _sequence(tuple),
    dict: _dict,
    zip: _zip,
    range: _range,
    Counter: _tally,
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
    **{PUBLISHED[name]: draws.from_global(name) for name in NOISE},
}

_OF_RULES = {id(each): each for each in (*_RULES, *KNOWN, *ONE, *TWO, *OF_PUBLIC)}
