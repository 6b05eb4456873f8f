"""DataColumns of the data: their parts, and the sums that lead from records to numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dpverify.derivation.homes import NUMPY, PYTHON, UNKNOWN, with_home
from dpverify.derivation.known import compute, plain, plain_array
from dpverify.derivation.machine import Machine
from dpverify.derivation.operators import elementwise, stacked, taken
from dpverify.derivation.reader import Reader
from dpverify.derivation.released import public_call
from dpverify.derivation.stop import NotDerivedError
from dpverify.derivation.values import DataColumn, DataRows, Lifted, NoiseDraw, OneRecord, Private, Public
from dpverify.proofs.node import Node
from dpverify.proofs.operations import PYTHON_INT


@dataclass(eq=False)
class Transposed(Lifted):
    """``X.T`` of the data."""

    column: DataColumn

    words: ClassVar[str] = "the data, transposed"


def _outside_loops(machine: Machine) -> None:
    if machine.record is not None:
        raise NotDerivedError("a column of the data within a loop over records: one record meets all others")


def as_array(machine: Machine, column: DataColumn, dtype: Any = None) -> DataColumn:
    """``numpy.asarray`` of a list of numbers.

    An empty list becomes an array of doubles, so a list of integers or conditions has to be said to be one of doubles.
    """
    _outside_loops(machine)
    node = column.node
    if (
        dtype is not None
        and any(dtype is each for each in (int, np.int64))
        and node.kind == PYTHON_INT
        and not node.shape
    ):
        return DataColumn(machine.op("as_int", node), column.mask)
    if node.shape or (node.kind != "float64" and not (dtype is float or dtype is np.float64)):
        raise NotDerivedError("an array of a list of integers, conditions or rows", "numpy.asarray(data, dtype=float)")
    return DataColumn(node if node.kind == "float64" else machine.op("as_float", node), column.mask)


def as_type(machine: Machine, column: Any, dtype: Any) -> Any:
    """Convert an array to doubles or to integers of 64 bits."""
    names = {float: "as_float", np.float64: "as_float", "float": "as_float", "float64": "as_float"}
    names |= {int: "as_int", np.int64: "as_int", "int": "as_int", "int64": "as_int"}
    name = names.get(dtype) if type(dtype) is str or any(dtype is each for each in names) else None
    if name is None:
        raise NotDerivedError(f"the type {dtype!r}", "float")
    if name == "as_int" and machine.node(column).kind == "bool":
        return elementwise(machine, "where", column, 1, 0)
    return elementwise(machine, name, column)


def column_item(machine: Machine, column: DataColumn, key: Any) -> DataColumn:
    """``X[:, j]``, ``x[x > 0]``."""
    _outside_loops(machine)
    if isinstance(key, DataColumn):
        if key.mask is not column.mask or key.node.kind != "bool" or key.node.shape or not (column.array and key.array):
            raise NotDerivedError("a selection of records by another selection")
        mask = key.node if column.mask is None else machine.op("logical_and", column.mask, key.node)
        return DataColumn(column.node, mask)
    keys = key if type(key) is tuple else (key,)
    first, *rest = keys
    whole = type(first) is slice and all(each is None for each in (first.start, first.stop, first.step))
    if (
        not whole
        or not column.array
        or not all(type(each) in (int, slice, type(None)) and plain(each) for each in rest)
    ):
        raise NotDerivedError("records by position", "order and position of records are private")
    if not rest:
        return DataColumn(column.node, column.mask)
    try:
        return DataColumn(taken(machine, column.node, tuple(rest)), column.mask)
    except IndexError:
        raise NotDerivedError(f"the index {key!r} lies outside") from None


def masked(machine: Machine, column: DataColumn, node: Node) -> Node:
    """Return what each record puts in: nothing where it is not selected."""
    if node.level != "record":
        raise NotDerivedError("a sum over records of what is no record's")
    return node if column.mask is None else machine.op("where", column.mask, node, machine.program.constant(0))


def total(machine: Machine, column: DataColumn) -> Private:
    """The sum over the records."""
    _outside_loops(machine)
    node = column.node
    if node.kind == "bool":
        kind: Any = int if not column.array and column.home == PYTHON else np.int64
        one, zero = (machine.program.constant(kind(each)) for each in (1, 0))
        node = machine.op("where", node, one, zero)
    part = masked(machine, column, node)
    return Private(machine.op("sum", part), bool(part.shape), NUMPY)


def count(machine: Machine, over: DataColumn | DataRows) -> Any:
    """Say how many records; public where one is replaced."""
    _outside_loops(machine)
    if isinstance(over, DataRows) and over.form == "pairs":
        raise NotDerivedError("the number of an iterator's elements")
    mask = over.mask
    if machine.program.relation == "replace" and mask is None:
        return Public(machine.op("size"), home=PYTHON)
    one = machine.op("one")
    part = one if mask is None else machine.op("where", mask, one, machine.program.constant(0))
    return Private(machine.op("sum", part), home=PYTHON)


def _columns_of(machine: Machine, value: Any) -> DataColumn:
    return value if value.array else as_array(machine, value)


def numpy_sum(self: Reader, value: Any, /, axis: Any = None, *, keepdims: Any = False) -> Any:
    """Sum records, or what one record has, along an axis."""
    machine = self.machine
    if isinstance(value, DataColumn) and keepdims is True:
        return _kept_sum(machine, value, axis)
    if isinstance(value, Public) and type(keepdims) is bool:
        return public_call(self, "sum", [value], _along(axis, keepdims=keepdims), home=NUMPY)
    if keepdims is not False:
        return None
    if isinstance(value, DataColumn):
        return _sum_of(machine, _columns_of(machine, value), axis)
    if isinstance(value, OneRecord | Private) and value.array and value.node.shape:
        return _reduced(machine, value, axis)
    if isinstance(value, list | tuple):
        return numpy_sum(self, stacked(machine, value), axis)
    return None


def _along(axis: Any, *, keepdims: bool) -> dict[str, Any]:
    """Leave out the keywords that say nothing."""
    return {**({} if axis is None else {"axis": axis}), **({"keepdims": True} if keepdims else {})}


def _kept_sum(machine: Machine, column: DataColumn, axis: Any) -> DataColumn | None:
    """The sum of each row, as a row of one number."""
    _outside_loops(machine)
    if not column.array or len(column.node.shape) != 1 or type(axis) is not int or axis not in (1, -1):
        return None
    return DataColumn(taken(machine, machine.op("reduce_sum", column.node, axis=0), None), column.mask)


def _reduced(machine: Machine, value: Any, axis: Any) -> Any:
    node = value.node
    if axis is not None and (type(axis) is not int or not -len(node.shape) <= axis < len(node.shape)):
        raise NotDerivedError(f"axis={axis!r}")
    axes = range(len(node.shape)) if axis is None else [axis % len(node.shape)]
    for place in sorted(axes, reverse=True):
        node = machine.op("reduce_sum", node, axis=int(place))
    return type(value)(node, bool(node.shape), NUMPY)


def _sum_of(machine: Machine, column: DataColumn, axis: Any) -> Any:
    _outside_loops(machine)
    dimensions = 1 + len(column.node.shape)
    if axis is not None and (type(axis) is not int or not -dimensions <= axis < dimensions):
        raise NotDerivedError(f"axis={axis!r}")
    node = column.node
    if axis is None:
        for place in reversed(range(len(node.shape))):
            node = machine.op("reduce_sum", node, axis=place)
        return total(machine, DataColumn(node, column.mask))
    if axis % dimensions == 0:
        return total(machine, column)
    return DataColumn(machine.op("reduce_sum", node, axis=axis % dimensions - 1), column.mask)


def numpy_mean(self: Reader, value: Any, /, axis: Any = None, *, keepdims: Any = False) -> Any:
    """``numpy.mean``: a sum over a public number of records, where one is replaced."""
    machine = self.machine
    if isinstance(value, Public) and type(keepdims) is bool:
        return public_call(self, "mean", [value], _along(axis, keepdims=keepdims), home=NUMPY)
    if keepdims is not False:
        return None
    if not isinstance(value, DataColumn) or not (axis is None or (type(axis) is int and axis == 0)):
        return None
    column = _columns_of(machine, value)
    if machine.program.relation != "replace" or column.mask is not None:
        raise NotDerivedError("a mean over a number of records that is private", "a noisy sum over a noisy count")
    if axis is None and column.node.shape:
        return None
    return elementwise(machine, "divide", total(machine, column), count(machine, column))


def count_nonzero(self: Reader, value: Any, /) -> Any:
    """``numpy.count_nonzero``; NaN is not 0."""
    if not isinstance(value, DataColumn) or not value.array or value.node.shape:
        return None
    if value.node.kind == "bool":
        return with_home(UNKNOWN, total(self.machine, value))  # of Python's or of numpy's, by the version
    zero = elementwise(self.machine, "equal", value, 0)
    return with_home(UNKNOWN, total(self.machine, elementwise(self.machine, "logical_not", zero)))


def histogram(self: Reader, value: Any, /, bins: Any = 10, range: Any = None) -> Any:
    """``numpy.histogram`` with edges, or a number of bins and a range."""
    machine = self.machine
    if not isinstance(value, DataColumn) or value.node.shape:
        return None
    bins = list(bins) if type(bins) is range_of else bins
    whole = type(bins) is int and type(range) in (tuple, list) and len(range) == 2 and plain(range)
    if not whole and not ((type(bins) in (list, tuple) and plain(bins) and len(bins) > 1) or _edges(bins)):
        raise NotDerivedError("a histogram with bins that the data choose", "bins=[...], or bins and range=(low, high)")
    column = _columns_of(machine, value)
    own = compute(lambda: np.histogram(np.zeros(0), bins=bins, range=range if whole else None))[1]
    edges = np.asarray(own, float)
    part = machine.op("one_hot", column.node, edges=edges.tolist())
    return Private(machine.op("sum", masked(machine, column, part)), True), own


def _edges(bins: Any) -> bool:
    return plain_array(bins) and bins.ndim == 1 and len(bins) > 1


def bincount(self: Reader, value: Any, /, *, minlength: Any = 0) -> Any:
    """``numpy.bincount`` of integers that are proved to lie below `minlength`."""
    machine = self.machine
    if not isinstance(value, DataColumn) or value.node.shape or not value.array or value.node.kind != "int64":
        raise NotDerivedError("numpy.bincount of what is no array of integers")
    found = value.node.range
    if type(minlength) is not int or bool((found.lo < 0).any() or (found.hi > minlength - 1).any()):
        raise NotDerivedError("numpy.bincount whose length the data choose", "clip to [0, minlength - 1]")
    edges = [each - 0.5 for each in range_of(minlength + 1)]
    part = machine.op("one_hot", value.node, edges=edges)
    return Private(machine.op("sum", masked(machine, value, part)), True)


range_of = range


def norm(self: Reader, value: Any, /, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """``numpy.linalg.norm`` of rows."""
    machine = self.machine
    if not (ord is None or (type(ord) is int and ord == 2)) or type(axis) not in (int, type(None)):
        raise NotDerivedError(f"the norm of order {ord!r}")
    if (
        isinstance(value, OneRecord)
        and value.array
        and len(value.node.shape) == 1
        and axis in (None, 0)
        and not keepdims
    ):
        return OneRecord(machine.op("norm", value.node), home=NUMPY)
    if isinstance(value, DataColumn) and value.array and len(value.node.shape) == 1 and axis in (1, -1):
        _outside_loops(machine)
        node = machine.op("norm", value.node)
        return DataColumn(taken(machine, node, None) if keepdims else node, value.mask)
    if isinstance(value, Public) and axis is None and not keepdims:
        return public_call(self, "norm", [value], {}, home=NUMPY)
    return None


def gram(machine: Machine, left: DataColumn, right: DataColumn) -> Private:
    """``X.T @ Y``."""
    _outside_loops(machine)
    if left.mask is not right.mask or len(left.node.shape) != 1 or len(right.node.shape) > 1 or not right.array:
        raise NotDerivedError("a product of columns of different selections or dimensions")
    first = left.node if not right.node.shape else taken(machine, left.node, (slice(None), None))
    second = right.node if not right.node.shape else taken(machine, right.node, (None, slice(None)))
    part = machine.op("multiply", first, second)
    if part.kind == "bool":
        raise NotDerivedError("a product of conditions")
    return Private(machine.op("sum", masked(machine, left, part)), True)


def attribute(machine: Machine, holder: Lifted, name: str) -> Any:
    """``x.shape``, ``x.size``, ``x.T``, ``x.ndim``."""
    if isinstance(holder, DataColumn) and holder.array:
        if name == "T":
            return Transposed(holder) if holder.node.shape else holder
        if name == "shape":
            return (count(machine, holder), *holder.node.shape)
        if name == "ndim":
            return 1 + len(holder.node.shape)
        if name == "size" and not holder.node.shape:
            return count(machine, holder)
    if isinstance(holder, Private | Public | NoiseDraw | OneRecord) and holder.array:
        if name == "shape":
            return holder.node.shape
        if name == "ndim":
            return len(holder.node.shape)
        if name == "size":
            return int(np.prod(holder.node.shape, dtype=int))
        if name == "T" and len(holder.node.shape) == 2:
            places = np.arange(int(np.prod(holder.node.shape))).reshape(holder.node.shape).T
            node = machine.op("take", holder.node, places=places.ravel().tolist(), shape=list(places.shape))
            return type(holder)(node, True)
    raise NotDerivedError(f"the attribute {name} of {holder.described()} has no rule")
