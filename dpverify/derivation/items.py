"""Indices, attributes, methods and matrix products."""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dpverify.derivation import aggregates, draws, functions, membership
from dpverify.derivation.frames import DICT, MRO, Local, of_outside, own_names
from dpverify.derivation.homes import NUMPY, PYTHON, with_home
from dpverify.derivation.known import compute, holds_array, holds_lifted, plain, plain_array, replica
from dpverify.derivation.known_functions import is_number_type
from dpverify.derivation.loops import Appending, of_record
from dpverify.derivation.operators import taken
from dpverify.derivation.reader import Reader
from dpverify.derivation.released import all_public, public_call
from dpverify.derivation.stop import NotDerivedError
from dpverify.derivation.values import (
    CELLS,
    CellMap,
    DataColumn,
    DataColumns,
    DataRows,
    Fields,
    Generator,
    Lifted,
    NoiseDraw,
    OneRecord,
    Position,
    Private,
    Public,
    RunningTotal,
    Tally,
)
from dpverify.proofs.operations import PYTHON_INT


def product(self: Reader, left: Any, right: Any) -> Any:
    """``left @ right``."""
    if isinstance(left, aggregates.Transposed) and isinstance(right, DataColumn):
        return aggregates.gram(self.machine, left.column, right)
    if all_public(left, right):
        if any(len(self.machine.node(each).shape) not in (1, 2) for each in (left, right)):
            raise NotDerivedError("a matrix product of more than two dimensions, or of a number")
        return public_call(self, "dot", [left, right], {}, home=NUMPY)
    if plain_array(right) and isinstance(left, Private | OneRecord | DataColumn) and left.array:
        node = self.machine.op("matmul", self.machine.node(left), self.machine.node(right))
        if isinstance(left, DataColumn):
            if self.machine.record is not None:
                raise NotDerivedError("a column of the data within a loop over records")
            if not left.node.shape:
                raise NotDerivedError("the product of a column with a public vector: it lies along the records")
            return DataColumn(node, left.mask)
        return type(left)(node, bool(node.shape), NUMPY)
    if plain_array(left) and left.ndim == 2 and isinstance(right, Private | OneRecord) and len(right.node.shape) == 1:
        return product(self, right, np.ascontiguousarray(left.T))
    raise NotDerivedError(f"the matrix product of {functions.words([left, right])} has no rule")


def item(self: Reader, holder: Any, key: Any) -> Any:
    """Read an item at a place that is known."""
    machine = self.machine
    if isinstance(holder, Fields):
        if type(key) not in (str, int) or key not in holder.by_name:
            raise NotDerivedError("a record has no field of that name")
        node = holder.by_name[key]
        return OneRecord(node, bool(node.shape), holder.home)
    if isinstance(holder, DataColumns):
        if type(key) not in (str, int) or key not in holder.by_name:
            raise NotDerivedError("a part of the data that has no name")
        return holder.by_name[key]
    if isinstance(key, Position) or (type(key) is tuple and any(isinstance(each, Position) for each in key)):
        return _at_position(self, holder, key)
    if isinstance(holder, Tally):
        return functions.how_many(self, holder.column, key)
    if isinstance(holder, DataRows):
        raise NotDerivedError("records by position", "loop over the records")
    if isinstance(holder, DataColumn):
        return aggregates.column_item(machine, holder, key)
    if isinstance(holder, Private | Public | NoiseDraw | OneRecord) and holder.array:
        key = membership.resolved(machine, holder, key)
        keys = key if type(key) is tuple else (key,)
        if not all(type(each) in (int, np.int64, slice, type(None)) and plain(each) for each in keys):
            raise NotDerivedError("an index that is not known")
        try:
            node = taken(machine, holder.node, key)
        except IndexError:
            raise NotDerivedError(f"the index {key!r} lies outside") from None
        return type(holder)(node, bool(node.shape), NUMPY)
    if isinstance(holder, Lifted):
        raise NotDerivedError(f"a part of {holder.described()}")
    key = membership.resolved(machine, holder, key)
    if isinstance(key, Lifted):
        raise NotDerivedError(f"an index that is {key.described()}", "an index shows in what comes out")
    if type(holder) in (list, tuple, dict, str, range, *CELLS) or plain_array(holder):
        if not plain(key) or (isinstance(holder, dict) and not plain(list(holder))):
            raise NotDerivedError("a key of its own type")
        return compute(lambda: holder[key])
    raise NotDerivedError(f"a part of a {type(holder).__name__}")


def _at_position(self: Reader, holder: Any, key: Any) -> Any:
    """``data[i]``, ``X[i, 2]`` in a loop over ``range(len(data))``: the record that stands there."""
    first, *others = key if type(key) is tuple else (key,)
    whole = isinstance(holder, DataColumn) or (isinstance(holder, DataRows) and holder.form in ("tuples", "dicts"))
    here = isinstance(first, Position) and first.record is self.machine.record is not None
    if type(key) is tuple and not (isinstance(holder, DataColumn) and holder.array):
        raise NotDerivedError("a place within what is no array")
    if not whole or holder.mask is not None or not here or any(isinstance(each, Lifted) for each in others):
        raise NotDerivedError("records by position", "loop over the records")
    if isinstance(holder, DataRows):
        found: Any = Fields(holder.by_name, holder.form != "dicts", PYTHON)
    else:
        found = OneRecord(holder.node, bool(holder.node.shape), NUMPY if holder.array else holder.home)
    if not others:
        return found
    if not isinstance(holder, DataColumn) or not holder.node.shape:
        raise NotDerivedError("a place within what is no row of an array")
    return item(self, found, tuple(others) if len(others) > 1 else others[0])


def with_items_where(self: Reader, holder: Any, asked: Public, value: Any) -> Any:
    """The released array with one number where a released condition holds: ``noisy[noisy < 0] = 0``."""
    machine = self.machine
    number = type(value) in (int, float) or (isinstance(value, Public) and not value.array)
    if not isinstance(holder, Public) or not number or machine.node(value).kind not in ("float64", PYTHON_INT):
        raise NotDerivedError("items of what is not released are changed where a condition holds", "numpy.where")
    if holder.node.kind != "float64" or holder.node.shape != asked.node.shape:
        raise NotDerivedError("a condition of another shape than its array, or an array of integers is changed")
    put = machine.op("as_float", machine.node(value))
    return Public(machine.op("where", asked.node, put, holder.node), array=True)


def with_item(self: Reader, holder: Any, key: Any, value: Any) -> Any:
    """The array with another item."""
    machine = self.machine
    if isinstance(holder, DataColumn | RunningTotal):
        raise NotDerivedError("an item of a column is changed")
    if not isinstance(holder, Lifted) and not isinstance(value, Lifted):
        if not plain(value):
            raise NotDerivedError("an item that is no number")
        changed = replica(holder)
        compute(lambda: changed.__setitem__(key, value))
        return changed
    whole = machine.node(holder)
    places = np.arange(int(np.prod(whole.shape, dtype=int))).reshape(whole.shape)
    selected = np.ravel(places[key])
    new = machine.node(value)
    if whole.kind != "float64" and not (whole.kind == "int64" and new.kind in ("int64", PYTHON_INT)):
        raise NotDerivedError("an item of an array of integers is changed", "numpy.zeros makes doubles")
    if new.shape not in ((), np.shape(places[key])):
        raise NotDerivedError("an item of another shape")
    parts = [taken(machine, whole, np.unravel_index(at, whole.shape)) for at in range(places.size)]
    for place, at in enumerate(selected.tolist()):
        parts[at] = taken(machine, new, np.unravel_index(place, new.shape)) if new.shape else new
    levels = {each.level for each in parts} - {"public"}
    if levels - {"private"}:
        raise NotDerivedError("an array with items of different kinds")
    node = machine.op("stack", *parts, shape=list(whole.shape))
    if node.kind != whole.kind:
        raise NotDerivedError("an item of another type than its array", "float(...)")
    return (Private if levels else Public)(node, True)


def attribute(self: Reader, holder: Any, name: str) -> Any:
    """Read an attribute, as far as nothing computes it."""
    if isinstance(holder, Lifted):
        return aggregates.attribute(self.machine, holder, name)
    if isinstance(holder, Local):
        raise NotDerivedError("an attribute of a function")
    if isinstance(holder, types.ModuleType):
        if type(holder) is not types.ModuleType or name not in own_names(vars(holder)):
            raise NotDerivedError(f"the module {holder.__name__} has no {name}, or computes it")
        return of_outside(vars(holder)[name])
    if type(holder) is type:
        return _of_class(holder, name)
    if plain_array(holder) and name in ("shape", "size", "ndim", "T"):
        return getattr(holder, name)
    if isinstance(holder, list | dict | str | tuple) or plain_array(holder) or isinstance(holder, np.generic):
        raise NotDerivedError(f"the attribute {name} of a {type(holder).__name__}")
    return _of_instance(self, holder, name)


def _of_instance(self: Reader, holder: Any, name: str) -> Any:
    """An attribute of an object of the code's own class: what the instance or its class holds, and nothing computes."""
    kind = type(holder)
    if type(kind) is not type:
        raise NotDerivedError(f"an attribute of a {kind.__name__}")
    classes = [names for each, names in _lines(kind) if each is not object]
    if any(each in names for names in classes for each in ("__getattribute__", "__getattr__")):
        raise NotDerivedError(f"{kind.__name__} computes its attributes")
    if any(type(names.get("__dict__", _SLOT)) is not types.GetSetDescriptorType for names in classes):
        raise NotDerivedError(f"{kind.__name__} has a __dict__ of its own")
    has_dict = any("__dict__" in names for names in classes)
    if _DICT_PLACE(kind) != 0 and not has_dict:
        raise NotDerivedError(f"a {kind.__name__}, which keeps attributes that it does not show")
    own = object.__getattribute__(holder, "__dict__") if has_dict else {}
    if type(own) is not dict:
        raise NotDerivedError(f"a {kind.__name__} that keeps its attributes in a type of its own")
    of_class = held(kind, name)
    if name in own_names(own):
        if of_class is not None and not plain(of_class):
            raise NotDerivedError(f"the attribute {name} of a {kind.__name__} and of its class")
        return of_outside(own[name])
    if type(of_class) is property and type(of_class.fget) is types.FunctionType:
        return self.call(of_class.fget, [holder], {})
    if type(of_class) is types.FunctionType:
        return types.MethodType(of_class, holder)
    if type(of_class) is staticmethod and type(of_class.__func__) is types.FunctionType:
        return of_class.__func__
    if of_class is not None and plain(of_class):
        return of_class
    raise NotDerivedError(f"the attribute {name} of a {kind.__name__}")


def _lines(kind: type) -> list[tuple[type, Mapping[str, Any]]]:
    """A class and its bases, each with what it holds; a metaclass of a base may say something else."""
    if any(type(each) is not type for each in MRO(kind)):
        raise NotDerivedError(f"a {kind.__name__} with a base whose type is made by another than `type`")
    return [(each, own_names(DICT(each))) for each in MRO(kind)]


def held(kind: type, name: str) -> Any:
    """Return what a class or its bases hold, if Python finds the same: it may keep what stood there before."""
    found = next((names[name] for _, names in _lines(kind) if name in names), None)
    told = found.__func__ if type(found) is staticmethod else found
    if found is not None and type.__getattribute__(kind, name) is not told:
        raise NotDerivedError(f"the attribute {name} of the class {kind.__name__}")
    return found


def _of_class(holder: type, name: str) -> Any:
    """An attribute of a class of the code's own: a plain value, or a function."""
    found = held(holder, name)
    if type(found) is staticmethod:
        found = found.__func__
    if found is not None and (plain(found) or type(found) is types.FunctionType):
        return found
    raise NotDerivedError(f"the attribute {name} of the class {holder.__name__}")


_DICT_PLACE = vars(type)["__dictoffset__"].__get__

_SLOT = vars(type("Plain", (), {}))["__dict__"]


_PURE_METHODS = {
    list: ("copy", "index", "count"),
    dict: ("get", "items", "keys", "values", "copy"),
    str: ("format", "join", "lower", "upper", "strip", "split", "startswith", "endswith"),
    np.ndarray: (
        "sum",
        "mean",
        "copy",
        "astype",
        "reshape",
        "tolist",
        "item",
        "max",
        "min",
        "dot",
        "ravel",
        "flatten",
        "cumsum",
        "round",
    ),
}


def method(self: Reader, holder: Any, name: str, given: Sequence[Any], named: Mapping[str, Any]) -> Any:
    """``holder.name(...)`` of a value that is not known, of an array, or of a list, dict or text."""
    machine = self.machine
    if isinstance(holder, Generator):
        return draws.draw(self, name, given, named)
    if isinstance(holder, Appending):
        if name != "append" or len(given) != 1 or named:
            raise NotDerivedError(f"{name} of a list that grows with the records")
        holder.values.append(of_record(machine, given[0]))
        return None
    if isinstance(holder, Fields) and not holder.places and name == "get" and len(given) in (1, 2) and not named:
        return item(self, holder, given[0])
    if isinstance(holder, DataColumn) and not holder.array and name == "count" and len(given) == 1 and not named:
        return functions.how_many(self, holder, given[0])
    if isinstance(holder, Tally) and name == "get" and len(given) == 2 and type(given[1]) is int and given[1] == 0:
        return functions.how_many(self, holder.column, given[0])
    if isinstance(holder, Lifted):
        return _of_array(self, holder, name, given, named)
    if type(holder) is list and name in ("append", "extend") and len(given) == 1 and not named:
        machine.check_change(holder)
        machine.share(given[0])
        holder.extend([given[0]] if name == "append" else self.items(given[0]))
        return None
    if type(holder) in (dict, CellMap) and name == "get" and len(given) in (1, 2) and not named:
        if not plain(list(holder)) or (not isinstance(given[0], Lifted) and type(given[0]) not in (int, str)):
            raise NotDerivedError("a key that is no whole number or text")
        found = membership.key_in(machine, given[0], list(holder), default=_MISSING)
        if found is _MISSING:
            return given[1] if len(given) == 2 else None
        return item(self, holder, found)
    kind = next((each for each in _PURE_METHODS if type(holder) is each), None)
    numbers = [each for each in given if not is_number_type(each)]
    if (
        kind is None
        or name not in _PURE_METHODS[kind]
        or (name == "dot" and len(given) != 1)
        or set(named) - {"axis", "keepdims"}
    ):
        raise NotDerivedError(f"the method {name} of a {type(holder).__name__} has no rule")
    if (
        not plain(numbers)
        or not plain(dict(named))
        or (kind is np.ndarray and any(map(plain_array, given)) and name != "dot")
        or (kind is np.ndarray and any(map(holds_array, given)))
        or (kind is np.ndarray and any(type(each) is str for each in given[name == "astype" :]))  # an order of memory
    ):
        raise NotDerivedError(f"the method {name} with these arguments has no rule")
    if (name in ("index", "count") and not plain(holder)) or (kind is dict and not plain(list(holder))):
        raise NotDerivedError(f"the method {name} of a {kind.__name__} with objects of their own types")
    if holds_lifted(holder) and name not in ("copy", "get", "items", "keys", "values"):
        raise NotDerivedError(f"the method {name} of a list with values that are not known")
    if kind is dict and name in ("items", "keys", "values"):
        machine.freeze(holder)
    own = replica(holder) if kind is np.ndarray else holder
    found = compute(lambda: getattr(own, name)(*given, **named))
    return machine.own(found) if name == "copy" else found


def _of_array(self: Reader, holder: Lifted, name: str, given: Sequence[Any], named: Mapping[str, Any]) -> Any:
    """Methods that numpy's arrays have, as the function of that name."""
    machine = self.machine
    if isinstance(holder, DataColumn | Private | Public | OneRecord) and holder.array:
        if name == "astype" and len(given) == 1 and not named:
            if isinstance(holder, Public) and (given[0] is int or given[0] is np.int64):
                return machine.own(functions.call(self, np.int64, [holder], {}))
            return machine.own(aggregates.as_type(machine, holder, given[0]))
        if name == "copy" and not given and not named:
            return machine.own(type(holder)(**vars(holder)))
        if name == "dot" and len(given) == 1 and not named:
            return product(self, holder, given[0])
        if name in ("reshape", "ravel") and isinstance(holder, Private | Public) and not named:
            return _reshaped(self, holder, name, given)
        if (
            name == "tolist"
            and not given
            and not named
            and isinstance(holder, Public | Private)
            and len(holder.node.shape) == 1
        ):
            if holder.node.kind != "float64":
                raise NotDerivedError("tolist of an array of integers or conditions", "list(...)")
            return [with_home(PYTHON, each) for each in self.items(holder)]
        if name in METHODS:
            renamed = (
                {"min": "a_min", "max": "a_max"}
                if name == "clip"
                else {each: each for each in ("axis", "decimals", "keepdims")}
            )
            if set(named) - set(renamed):
                raise NotDerivedError(f"the method {name} with {', '.join(named)}")
            keywords = {renamed[key]: each for key, each in named.items()}
            if name == "clip":  # the method has defaults, the function none
                keywords = dict.fromkeys(("a_min", "a_max")[len(given) :]) | keywords
            return functions.call(self, METHODS[name], [holder, *given], keywords)
    raise NotDerivedError(f"the method {name} of {holder.described()} has no rule")


def _reshaped(self: Reader, holder: Private | Public, name: str, given: Sequence[Any]) -> Any:
    """The same numbers in another shape, by whole numbers that are known."""
    sizes = given[0] if len(given) == 1 and type(given[0]) is tuple else given
    if not all(type(each) is int for each in sizes) or (name == "ravel" and sizes):
        raise NotDerivedError(f"the method {name} with these arguments has no rule")
    shape = holder.node.shape
    places = np.arange(int(np.prod(shape, dtype=int))).reshape(shape)
    found = compute(lambda: getattr(places, name)(*sizes))
    node = self.machine.op("take", holder.node, places=found.ravel().tolist(), shape=list(found.shape))
    return type(holder)(node, bool(found.shape), NUMPY)


_MISSING = object()


METHODS: dict[str, Any] = {
    "sum": np.sum,
    "mean": np.mean,
    "clip": np.clip,
    "round": np.round,
    "max": np.max,
    "min": np.min,
    "argmax": np.argmax,
    "argmin": np.argmin,
    "cumsum": np.cumsum,
    "var": np.var,
    "std": np.std,
    "all": np.all,
    "any": np.any,
}


def returns_new(holder: Any, name: str) -> bool:
    """Tell whether a method of a released array keeps nothing of it."""
    return isinstance(holder, Public) and (name in METHODS or name in ("copy", "tolist"))
