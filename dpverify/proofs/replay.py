"""Runs the code of a proof, and evaluates the proof on the same data with the same random numbers: both must agree."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from dpverify.proofs.called import called
from dpverify.proofs.node import Node, values
from dpverify.proofs.operations import ELEMENTWISE
from dpverify.proofs.program import ProofProgram

CLOSE = 1e-9
"""Relative: sums are made in another order."""

POWERS = 2.0**20
"""Integers of Python's from here on are computed without end: their powers may lie beyond 64 bits."""


class Evaluation:
    """The values of a program on one data set.

    Parameters
    ----------
    program : ProofProgram
    records : mapping
        Name of a field to an array whose first axis is the records.
    size : int
        How many records.
    rng : numpy.random.Generator
        In the state that the code had it in.
    """

    def __init__(self, program: ProofProgram, records: Mapping[str, Any], size: int, rng: np.random.Generator) -> None:
        self.records, self.size = records, size
        self.known: dict[Node, Any] = {}
        self.rng = rng
        with np.errstate(all="ignore"):
            for node in program.nodes:
                if node.op in ("draw", "random"):
                    self.known[node] = self._drawn(node)
            for node in program.nodes:
                self.of(node)

    def of(self, node: Node) -> Any:
        """The value of a node; of a record's, one along the first axis for each record."""
        if node not in self.known:
            self.known[node] = self._of(node, [self.of(each) for each in node.inputs])
        return self.known[node]

    def _drawn(self, node: Node) -> Any:
        shape = tuple(node.params["shape"]) or None
        with np.errstate(all="ignore"):
            inputs = [self._public(each) for each in node.inputs]
        name = node.params["method" if node.op == "random" else "law"]
        if name == "normal" and not inputs:
            name = "standard_normal"
        if name == "choice":
            try:
                return self.rng.choice(inputs[0], p=inputs[1], size=shape)
            except ValueError:  # the code raises there, whatever the data
                return np.full(shape or (), math.nan)
        location = [0.0] if name in ("laplace", "normal") else []
        return getattr(self.rng, name)(*location, *inputs, size=shape)

    def _public(self, node: Node) -> Any:
        return self.of(node)

    def _of(self, node: Node, inputs: Sequence[Any]) -> Any:
        records = [each.level == "record" for each in node.inputs]
        if node.op == "constant":
            return values(node.params["value"], node.params["type"])[()]
        if node.op == "field":
            return np.asarray(self.records[node.params["name"]])
        if node.op == "one":
            return np.ones(self.size, dtype=np.int64)
        if node.op == "size":
            return self.size
        if node.op == "is_text":
            return np.array([each == node.params["text"] for each in inputs[0]], dtype=bool)
        if node.op == "sum":
            array = np.asarray(inputs[0])
            return array.sum(axis=0) if len(array) else np.zeros(node.shape)
        if node.op in ("release", "add") and node.op == "release":
            return inputs[0] + inputs[1]
        if node.op == "expose":
            return inputs[0]
        if node.op == "call":
            return called(node.params, inputs)
        lead = (self.size,) if node.level == "record" else ()
        aligned = [
            self._aligned(value, each, node.shape) if lead else value
            for value, each in zip(inputs, node.inputs, strict=True)
        ]
        if node.op in ELEMENTWISE:
            huge = any(np.asarray(each).dtype == object for each in aligned) or (
                node.op == "as_python_int" and bool(np.any(np.abs(np.asarray(aligned[0], float)) >= POWERS))
            )
            return (_of_huge if huge else ELEMENTWISE[node.op].compute)(*([node.op] if huge else []), *aligned)
        if node.op == "take":
            flat = np.reshape(
                inputs[0], (*lead, -1) if not lead or self.size else (0, max(1, math.prod(node.inputs[0].shape)))
            )
            return flat[..., np.asarray(node.params["places"], dtype=np.int64)].reshape((*lead, *node.shape))
        if node.op == "stack":
            parts = []
            for value, each, record in zip(inputs, node.inputs, records, strict=True):
                array = np.asarray(value)
                if lead and not record:
                    array = np.broadcast_to(array, (*lead, *array.shape))
                parts.append(array.reshape((*lead, math.prod(each.shape))))
            return np.concatenate(parts, axis=-1).reshape((*lead, *node.shape))
        if node.op == "reduce_sum":
            return np.sum(inputs[0], axis=node.params["axis"] + len(lead))
        if node.op == "norm":
            whole = np.asarray(inputs[0])
            return np.sqrt(np.sum(whole.reshape((*lead, -1) if self.size or not lead else (0, 1)) ** 2, axis=-1))
        if node.op == "matmul":
            return inputs[0] @ inputs[1]
        if node.op == "one_hot":
            edges, value = np.asarray(node.params["edges"]), np.asarray(inputs[0])[:, None]
            found = (value >= edges[:-1]) & (
                (value < edges[1:]) | ((value == edges[-1]) & (np.arange(len(edges) - 1) == len(edges) - 2))
            )
            return found.astype(np.int64)
        raise AssertionError(node.op)

    def _aligned(self, value: Any, node: Node, shape: tuple[int, ...]) -> Any:
        """A record's value with its own axes last, so that it broadcasts within the record."""
        if node.level != "record":
            return value
        array = np.asarray(value)
        return array.reshape((array.shape[0], *(1,) * (len(shape) - len(node.shape)), *node.shape))


def _python_int(value: Any) -> int:
    return int(value) if isinstance(value, int) or math.isfinite(value) else 0


def _of_huge(op: str, *operands: Any) -> Any:
    """The operation on Python's integers, one by one; NaN where no double holds one: there the code does not go."""

    def one(*values: Any) -> Any:
        compute = ELEMENTWISE[op].compute
        if op == "as_python_int":
            return _python_int(values[0])
        with suppress(OverflowError):
            try:
                return compute(*(np.array(each, dtype=object) for each in values))
            except TypeError:  # roots and the like, which Python computes with doubles, too
                return compute(*(np.array(float(each)) for each in values))
        return math.nan

    found = np.frompyfunc(one, len(operands), 1)(*(np.asarray(each).astype(object) for each in operands))
    if op in ("as_float", "divide"):
        return np.asarray(found).astype(float)
    whole = ELEMENTWISE[op].result == "bool"
    return np.asarray(found).astype(bool) if whole else found


def returned_value(program: ProofProgram, returned: Mapping[str, Any], found: Evaluation) -> Any:
    """The proof's word for what the code returns, at the values that were found."""
    kind, value = returned["kind"], returned["value"]
    if kind == "node":
        return found.of(program.nodes[value])
    if kind == "dict":
        return {key_of(key): returned_value(program, each, found) for key, each in value}
    if kind in ("list", "tuple"):
        made = [returned_value(program, each, found) for each in value]
        return tuple(made) if kind == "tuple" else made
    return values(value, returned["type"])[()] if kind == "number" else value


def known_alike(returned: Mapping[str, Any], output: Any) -> bool:
    """Tell whether what is known of an output is the same to the last digit: rounding of sums has no part in it."""
    kind, value = returned["kind"], returned["value"]
    if kind == "dict":
        return all(known_alike(each, output[key_of(key)]) for key, each in value)
    if kind in ("list", "tuple"):
        return all(known_alike(each, part) for each, part in zip(value, output, strict=True))
    if kind != "number":
        return True
    known = values(value, returned["type"])[()]
    return np.array_equal(known, output, equal_nan=np.asarray(known).dtype.kind == "f")


def key_of(key: Any) -> Any:
    """The key of a dict, which a file has as a list where it is a tuple."""
    return tuple(map(key_of, key)) if isinstance(key, list) else key


_NUMBERS = (float, int, bool, np.float64, np.int64, np.bool_)


def unit_of(laws: Iterable[tuple[str, Any]]) -> float:
    """The least scale of noise, or 1: a difference between outputs that is small beside it costs little."""
    return min(
        [1.0, *(float(np.min(np.abs(scale), initial=1.0)) for law, scale in laws if law in ("laplace", "normal"))]
    )


def same(first: Any, second: Any, unit: float = 1.0) -> bool:
    """Tell whether two outputs agree, up to the rounding of sums in another order; `unit` is what is not small."""
    if type(first) in _NUMBERS and type(second) in _NUMBERS:  # as most are: no arrays of them
        try:
            x, y = float(first), float(second)
        except OverflowError:  # an integer beyond every double: as below
            pass
        else:
            if not (math.isfinite(x) and math.isfinite(y)):
                return x == y or (math.isnan(x) and math.isnan(y))
            return abs(x - y) <= CLOSE * max(unit, abs(x)) + CLOSE * abs(y)
    if isinstance(first, list | tuple):
        alike = isinstance(second, tuple if isinstance(first, tuple) else list) and len(first) == len(second)
        return alike and all(same(a, b, unit) for a, b in zip(first, second, strict=True))
    if isinstance(first, dict):
        return (
            isinstance(second, dict)
            and list(first) == list(second)
            and all(same(first[key], second[key], unit) for key in first)
        )
    if isinstance(first, np.ndarray | np.generic | int | float):
        if not isinstance(second, np.ndarray | np.generic | int | float):
            return False
        a, b = np.asarray(first), np.asarray(second)
        if a.shape != b.shape or a.dtype.kind not in "fiubO" or b.dtype.kind not in "fiubO":
            return False
        try:
            a, b = a.astype(float), b.astype(float)
        except OverflowError:
            return bool(np.all(a == b))
        if np.array_equal(a, b):
            return True
        largest = float(np.max(np.abs(a), initial=unit, where=np.isfinite(a)))
        return bool(np.allclose(a, b, rtol=CLOSE, atol=CLOSE * largest, equal_nan=True))
    return type(first) is type(second) and first == second
