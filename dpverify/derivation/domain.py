"""The domain of a proof: which records there are, and the generic data set that the code is read on.

A range is what was stated; where nothing is stated, every value of the type: NaN, infinities, the ends of integers.
What an example shows is never a range here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpverify.datasets.examples.record_kinds import OneValue, Row
from dpverify.datasets.examples.value_kinds import Choice, FloatRange, IntRange, OrMissing, Text, ValueKind
from dpverify.datasets.neighbors.of_example import OfExample
from dpverify.derivation.homes import PYTHON
from dpverify.derivation.stop import NotDerivedError
from dpverify.derivation.values import DataColumn, DataColumns, DataRows, Lifted
from dpverify.proofs.layout import TYPES_OF_ARRAYS
from dpverify.proofs.node import plain
from dpverify.proofs.operations import PYTHON_INT, TEXT, limits
from dpverify.proofs.program import ProofProgram


@dataclass(frozen=True)
class Domain:
    """Says which data sets a proof is about.

    Attributes
    ----------
    form : str
        The container: ``array``, ``list``, ``tuples``, ``dicts``, ``columns``, ``tuple``.
    fields : mapping
        As `dpverify.proofs.program.Program.fields`.
    layout : mapping
        Key in the code to the name of the field and whether it is a numpy array.
    text : str
        In words.
    """

    form: str
    fields: Mapping[str, Mapping[str, Any]]
    layout: Mapping[Any, tuple[str, bool]]
    text: str

    def lifted(self, program: ProofProgram) -> Lifted:
        """The generic data set."""
        nodes = {key: program.append("field", name=name) for key, (name, _) in self.layout.items()}
        if self.form in ("array", "list"):
            return DataColumn(nodes[""], array=self.form == "array", home=PYTHON)
        if self.form in ("tuples", "dicts"):
            return DataRows(nodes, self.form)
        columns = {key: DataColumn(node, array=self.layout[key][1], home=PYTHON) for key, node in nodes.items()}
        return DataColumns(columns, named=self.form == "columns")


def domain_of(data: Any, neighbours: OfExample, *, example: bool = False) -> Domain:
    """The domain of data sets like the example; with `example` the ranges are the example's own.

    Raises
    ------
    NotDerivedError
        For containers and values without a rule.
    """
    record, container = neighbours.record, neighbours.container
    if not isinstance(record, OneValue | Row):
        raise NotDerivedError("records of a hypothesis strategy", "state records as text, or bounds")
    kinds = [record.kind] if isinstance(record, OneValue) else list(record.kinds.values())
    names = container.names if container.names is not None else ("",)
    hidden = set() if example else set(neighbours.shown)
    if len(set(names)) < len(names) or len(kinds) != len(names):
        raise NotDerivedError("fields of the same name")
    stated = [None if name in hidden else kind for name, kind in zip(names, kinds, strict=True)]
    norm = record.norm if isinstance(record, Row) and (example or not neighbours.shown) else None
    form = _form(data)
    layout, shapes = _layout(data, form)
    fields: dict[str, Mapping[str, Any]] = {}
    for name, (shape, kind) in shapes.items():
        width = shape[0] if shape else 1
        array = any(each[1] for each in layout.values() if each[0] == name)
        fields[name] = _field(shape, kind, stated[:width], array)
        stated = stated[width:]
    if norm is not None and (form == "columns" or any(each["type"] in ROUNDED for each in fields.values())):
        raise NotDerivedError("a norm that is stated of columns, or of an array that rounds", "an array of float64")
    if norm is not None and len(fields) == 1 and _longest(data, form) > norm * (1 + 1e-12):
        raise NotDerivedError("the example has rows that are longer than the norm that is stated")
    if norm is not None and len(fields) == 1:
        fields = {name: {**field, "norm": norm} for name, field in fields.items()}
    text = record.text() if not hidden else "any value of its type" if len(hidden) == len(kinds) else "as stated"
    return Domain(form, fields, layout, text)


def _longest(data: Any, form: str) -> float:
    rows = data if form == "array" else data[0] if form == "tuple" else [[*map(float, _values(each))] for each in data]
    return float(np.linalg.norm(np.asarray(rows, dtype=float).reshape(len(rows), -1), axis=1).max(initial=0.0))


def _values(row: Any) -> Any:
    return row.values() if isinstance(row, dict) else row


def _form(data: Any) -> str:
    if type(data) is np.ndarray:
        return "array"
    if (
        type(data) is dict
        and _plain_keys(data)
        and all(type(each) in (np.ndarray, list, tuple) for each in data.values())
    ):
        return "columns"
    if type(data) is tuple and len(data) == 2 and all(type(each) is np.ndarray for each in data):
        return "tuple"
    if type(data) is list and data:
        kinds = set(map(type, data))
        if kinds <= {dict} and all(map(_plain_keys, data)):
            return "dicts"
        if kinds <= {tuple} or kinds <= {list}:
            return "tuples"
        if kinds <= {bool, int, float, str}:
            return "list"
    if isinstance(data, dict):
        raise NotDerivedError("columns that are no lists and no numpy arrays", "numpy.asarray(column)")
    raise NotDerivedError(f"data of type {type(data).__name__}", "a list, an array, a dict of columns, or (X, y)")


def _plain_keys(row: dict[Any, Any]) -> bool:
    return all(type(key) in (str, int) for key in row)


ROUNDED = ("float16", "float32")
"""Types of arrays that round what is stated."""

Shapes = dict[str, tuple[tuple[int, ...], str]]


def _layout(data: Any, form: str) -> tuple[dict[Any, tuple[str, bool]], Shapes]:
    """Tell which fields there are, and how the code names them."""
    if form == "array":
        return {"": ("", True)}, {"": _of_array(data)}
    if form == "list":
        return {"": ("", False)}, {"": ((), _type_of(data))}
    if form == "tuple":
        shapes = {name: _of_array(each) for name, each in zip("Xy", data, strict=True)}
        return {place: (name, True) for place, name in enumerate(shapes)}, shapes
    if form == "columns":
        arrays = {key: type(each) is np.ndarray for key, each in data.items()}
        shapes = {str(key): _of_array(each) if arrays[key] else ((), _type_of(each)) for key, each in data.items()}
        return {key: (str(key), arrays[key]) for key in data}, shapes
    keys = list(data[0]) if form == "dicts" else list(range(len(data[0])))
    names = {key: str(key) if form == "dicts" else f"[{key}]" for key in keys}
    return (
        {key: (name, False) for key, name in names.items()},
        {name: ((), _type_of([each[key] for each in data])) for key, name in names.items()},
    )


def _of_array(data: Any) -> tuple[tuple[int, ...], str]:
    if str(data.dtype) not in TYPES_OF_ARRAYS or data.ndim not in (1, 2) or 0 in data.shape[1:]:
        raise NotDerivedError(f"an array of {data.dtype} with {data.ndim} dimensions")
    return data.shape[1:], str(data.dtype)


def _type_of(values: Any) -> str:
    values = list(values)
    if values and all(type(each) is bool for each in values):
        return "bool"
    if values and all(type(each) is int for each in values):
        return PYTHON_INT
    if values and all(type(each) is float for each in values):
        return "float64"
    if all(type(each) in (int, float) for each in values):
        raise NotDerivedError("integers among floats", "write all as floats, such as 1.0")
    if all(type(each) is str for each in values):
        return TEXT
    raise NotDerivedError("values that are neither numbers nor texts")


def _field(shape: tuple[int, ...], kind: str, stated: Sequence[ValueKind | None], array: bool) -> Mapping[str, Any]:
    if kind == TEXT:
        return _texts(stated[0])
    if kind in (PYTHON_INT, "bool") and any(map(_has_floats, stated)):
        raise NotDerivedError("an example of integers where records are floats", "write them as floats, such as 1.0")
    if kind == "float64" and not array and any(_has_integers(each) for each in stated):
        raise NotDerivedError("records that are integers where the example has floats", "state them as floats: 1.0")
    if kind == "bool" and any(each is not None and not _conditions(each) for each in stated):
        raise NotDerivedError("numbers are stated of what the example has as conditions")
    low, high, nan = zip(*(_ends(each, kind, array) for each in stated), strict=True)
    ends = (
        {"low": plain(list(low)), "high": plain(list(high))}
        if shape
        else {"low": plain(low[0]), "high": plain(high[0])}
    )
    if any(not a <= b for a, b in zip(low, high, strict=True)):
        raise NotDerivedError("a domain without values")
    return {"shape": list(shape), "type": kind, **ends, "nan": any(nan), "norm": None}


def _texts(stated: ValueKind | None) -> Mapping[str, Any]:
    known = isinstance(stated, Choice) and all(type(each) is str for each in stated.values)
    if stated is not None and not known and not isinstance(stated, Text):
        raise NotDerivedError(f"records of the kind {stated.text()} where the example has texts")
    texts = sorted(stated.values) if known and isinstance(stated, Choice) else []
    return {"shape": [], "type": TEXT, "low": "-inf", "high": "inf", "nan": False, "norm": None, "texts": texts}


def _has_floats(kind: ValueKind | None) -> bool:
    if isinstance(kind, OrMissing):
        return True
    return isinstance(kind, FloatRange) or (
        isinstance(kind, Choice) and any(type(each) is float for each in kind.values)
    )


def _has_integers(kind: ValueKind | None) -> bool:
    inner = kind.kind if isinstance(kind, OrMissing) else kind
    return isinstance(inner, IntRange) or (
        isinstance(inner, Choice) and any(type(each) is not float for each in inner.values)
    )


def _conditions(kind: ValueKind) -> bool:
    return isinstance(kind, Choice) and all(type(each) is bool for each in kind.values)


def _ends(kind: ValueKind | None, name: str, array: bool) -> tuple[float, float, bool]:
    low, high = limits(name)
    if name.startswith(("int", "uint")) and name != PYTHON_INT:
        whole = np.iinfo(name)
        low, high = float(whole.min), float(whole.max)  # 2**63 - 1 is rounded up
    missing = False
    if isinstance(kind, OrMissing):
        if kind.missing is None:
            raise NotDerivedError("records with None")
        kind, missing = kind.kind, True
    if kind is None:
        return low, high, name.startswith("float")
    if isinstance(kind, FloatRange | IntRange):
        ends = _down(kind.low), _up(kind.high)
        if array and name in ROUNDED:  # the array rounds what is stated
            with np.errstate(all="ignore"):
                rounded = [float(np.dtype(name).type(each)) for each in ends]
            ends = min(ends[0], rounded[0]), max(ends[1], rounded[1])
        return max(low, ends[0]), min(high, ends[1]), missing
    if array and kind is not None and name in ROUNDED:
        raise NotDerivedError(f"records that are stated of an array of {name}, which rounds them", "a float64 array")
    types = (bool, int, float) if array and name == "float64" else _TYPES_OF.get("int" if "int" in name else name, ())
    if isinstance(kind, Choice) and all(type(each) in types for each in kind.values):
        return _down(min(kind.values)), _up(max(kind.values)), missing
    raise NotDerivedError(f"records of the kind {kind.text()}", "texts have no rule")


_TYPES_OF: dict[str, tuple[type, ...]] = {"bool": (bool,), PYTHON_INT: (int,), "float64": (float,)}
"""Types of a choice's values, for fields whose values the code sees as they are; arrays have one type for all."""


def _down(value: float) -> float:
    found = _double(value)
    return found if found <= value else math.nextafter(found, -math.inf)


def _up(value: float) -> float:
    found = _double(value)
    return found if found >= value else math.nextafter(found, math.inf)


def _double(value: float) -> float:
    """The nearest double; of an integer beyond all of them, infinity."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
