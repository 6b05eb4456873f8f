"""The program of a proof: one straight line of operations, each of which is checked when it is added.

A value is *public* (known, released, or independent of the data), a *record* (computed from one generic record and from
public values), *private* (a sum over all records, with what one record puts into it), or a *draw* of noise. Only sums
lead from records to private values, and only a release leads from private values to public ones.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from dpverify.proofs import ranges
from dpverify.proofs.operations import ELEMENTWISE, LARGEST, PYTHON_INT, ProofError, common_type, limits, type_of
from dpverify.proofs.ranges import Range

Level = Literal["public", "record", "private", "draw"]

LAWS = {"laplace": "laplace", "normal": "normal", "geometric": "one-sided"}
"""What can be drawn, and the noise that it is; the difference of two one-sided ones is ``geometric``."""

MOST_RECORDS = 2.0**32
"""Records of a data set: 64-bit sums of values up to 2**31 do not wrap below it."""


MOST_WITHOUT_WRAP = 2.0**29
"""Of what one record puts into a sum of integers, and of public numbers beside it."""


@dataclass(eq=False, slots=True)
class Node:
    """One value of the program.

    Attributes
    ----------
    shape : tuple of int
        Of a record: of what one record has.
    kind : str
        The type: ``float64``, ``int`` (Python's), ``int64``, ``bool`` ...
    range : Range
        What it can be; of private values and draws nothing is said.
    part : Node or None
        What one record puts into a private value.
    law, scale, fresh
        Of a draw: its law, the node that scales it (None: 1) and which draws its elements are.
    size_power : tuple of float or None
        (c, k) where the value is c n**k, n the public number of records.
    norm : float
        The largest L2 norm that a record of the domain has.
    """

    op: str
    inputs: tuple[Node, ...]
    params: Mapping[str, Any]
    level: Level
    shape: tuple[int, ...]
    kind: str
    range: Range
    part: Node | None = None
    law: str = ""
    scale: Node | None = None
    fresh: Any = None
    size_power: tuple[float, int] | None = None
    norm: float = math.inf


@dataclass(slots=True)
class Program:
    """The operations so far.

    Attributes
    ----------
    relation : str
        ``add-remove`` or ``replace``.
    fields : mapping
        Of the domain: name to ``{"shape": ..., "type": ..., "low": ..., "high": ..., "nan": ..., "norm": ...}``.
    nodes : list of Node
        In order; what a record puts into a private value is not among them.
    releases : list of (part, law, scale)
        What has been released.
    """

    relation: str
    fields: Mapping[str, Mapping[str, Any]]
    nodes: list[Node] = field(default_factory=list)
    releases: list[tuple[Node, str, Node]] = field(default_factory=list)
    spent: set[int] = field(default_factory=set)
    drawn: int = 0
    places: dict[Node, int] = field(default_factory=dict)
    _known: dict[Any, Node] = field(default_factory=dict, repr=False)

    def append(self, op: str, /, *inputs: Node, **params: Any) -> Node:
        """The value of an operation, checked and kept; ProofError where no rule allows it."""
        node = self.make(op, *inputs, **params)
        if node not in self.places:
            self.places[node] = len(self.nodes)
            self.nodes.append(node)
        return node

    def make(self, op: str, /, *inputs: Node, **params: Any) -> Node:
        """The value of an operation, checked; one Node for one value."""
        rule = _RULES.get(op)
        if rule is None and op not in ELEMENTWISE:
            raise ProofError(f"{op} has no rule")
        if op in ("draw", "random", "release", "expose"):
            assert rule is not None
            return rule(self, inputs, params)
        key = (op, tuple(map(id, inputs)), json.dumps(params, sort_keys=True))
        if key not in self._known:
            self._known[key] = rule(self, inputs, params) if rule else _elementwise(self, op, inputs, params)
        return self._known[key]

    def constant(self, value: Any) -> Node:
        """A public number or array that is known."""
        return self.append("constant", value=plain(value), type=type_name(value))


CALLED = {
    **{name: getattr(np, name) for name in ("round", "sum", "mean", "cumsum", "max", "min", "argmax", "argmin", "sort")},
    **{name: getattr(np, name) for name in ("argsort", "dot", "outer", "mod", "power", "floor_divide", "sign", "sin")},
    **{name: getattr(np, name) for name in ("cos", "diff")},
    "solve": np.linalg.solve,
    "inv": np.linalg.inv,
    "norm": np.linalg.norm,
    "int": int,
    "floor_int": math.floor,
    "ceil_int": math.ceil,
}
"""Functions of released values."""


def type_name(value: Any) -> str:
    """The type of a known number or array, as `Node.kind` says it."""
    if isinstance(value, bool | np.bool_):
        return "bool"
    if isinstance(value, int):
        return PYTHON_INT
    return "float64" if isinstance(value, float) else str(np.asarray(value).dtype)


def plain(value: Any) -> Any:
    """Numbers and nested lists, as JSON has them; NaN and infinities as texts."""
    if isinstance(value, np.ndarray | list | tuple):
        return [plain(each) for each in value]
    value = value.item() if isinstance(value, np.generic) else value
    return repr(value) if isinstance(value, float) and not math.isfinite(value) else value


def values(told: Any, kind: str) -> Any:
    """The array that `plain` wrote."""
    dtype = object if kind == PYTHON_INT else np.dtype(kind)
    array = np.asarray(told if kind == PYTHON_INT else _numbers(told), dtype=dtype)
    return array


def _numbers(told: Any) -> Any:
    return [_numbers(each) for each in told] if isinstance(told, list) else float(told) if isinstance(told, str) else told


def _is_record(inputs: Sequence[Node]) -> bool:
    return any(each.level == "record" for each in inputs)


def _elementwise(program: Program, op: str, inputs: tuple[Node, ...], params: Mapping[str, Any]) -> Node:
    levels = {each.level for each in inputs}
    if "draw" in levels:
        return _of_draws(program, op, inputs)
    if "private" in levels:
        return _of_private(program, op, inputs)
    operation, kind = ELEMENTWISE[op], type_of(op, [each.kind for each in inputs])
    shape = np.broadcast_shapes(*(each.shape for each in inputs))
    found = operation.rule(*(each.range for each in inputs))
    found = Range(np.broadcast_to(found.lo, shape), np.broadcast_to(found.hi, shape), found.nan)
    record = _is_record(inputs)
    node = Node(op, inputs, params, "record" if record else "public", shape, kind, found)
    if record:
        node.range = narrowed_range(node)
        operands = tuple(given_range(program, each, params) for each in inputs)
        _check_record(op, operation.arithmetic, [each.kind for each in inputs], kind, operands)
        return node
    low, high = limits(kind)
    if high < math.inf and bool(found.nan or (found.lo < low).any() or (found.hi > high).any()):
        node.range = Range(np.full(shape, low), np.full(shape, high))  # it may have wrapped round
    if op in ("multiply", "divide") and all(each.size_power for each in inputs):
        node.size_power = _power(op, inputs)
    return node


def narrowed_range(node: Node) -> Range:
    """The range of a choice, where each case counts under its condition only."""
    from dpverify.proofs.norms import Ranges

    return Ranges().fresh(node) if node.op == "where" else node.range


def given_range(program: Program, node: Node, params: Mapping[str, Any]) -> Range:
    """The range where the conditions hold under which the operation is carried out."""
    from dpverify.proofs.norms import Ranges

    where = Ranges()
    for at, truth in params.get("given", ()):
        narrowed = where.where(program.nodes[at], bool(truth))
        if narrowed is None:
            return Range(np.zeros(node.shape), np.zeros(node.shape))
        where = narrowed
    return where.of(node)


def _check_record(op: str, arithmetic: bool, types: list[str], kind: str, operands: Sequence[Range]) -> None:
    """ProofError where an operation on a record may raise, warn, wrap, or be no number."""
    if op == "where":
        return
    found = ELEMENTWISE[op].rule(*operands)
    if arithmetic and not all(each.finite for each in operands):
        raise ProofError(f"{op} of a record that may be NaN or infinite")
    if arithmetic and (not found.finite or bool((found.most > LARGEST).any())):
        raise ProofError(f"{op} of a record may be no number, or too large")
    if arithmetic:
        _check_fits(op, found, kind)
    for each, name in zip(operands, types, strict=True):
        if name == PYTHON_INT and kind != "bool":
            _check_fits("a Python integer", each, kind)
            if kind == "float64" and not each.finite:
                raise ProofError("an integer that may be too large for a double")


def _check_fits(what: str, found: Range, kind: str) -> None:
    low, high = limits(kind)
    if high < math.inf and kind != "bool" and bool((found.lo < low).any() or (found.hi > high).any()):
        raise ProofError(f"{what} may lie outside of {kind}")


def _power(op: str, inputs: Sequence[Node]) -> tuple[float, int] | None:
    (a, j), (b, k) = (each.size_power or (0.0, 0) for each in inputs)
    if op == "multiply":
        return a * b, j + k
    return (a / b, j - k) if b > 0 else None


def _of_private(program: Program, op: str, inputs: tuple[Node, ...]) -> Node:
    """Sums, differences and public multiples of private values."""
    for each in inputs:
        if each.level not in ("private", "public"):
            raise ProofError(f"{op} of a sum over records and one record: its part would depend on the others")
    parts = [each.part for each in inputs]
    shape = np.broadcast_shapes(*(each.shape for each in inputs))
    kind = type_of(op, [each.kind for each in inputs])
    if op == "negative":
        part = program.make("negative", _floating(program, parts[0]))
    elif op in ("add", "subtract"):
        zero = _zero(program)
        first, second = (zero if each is None else _floating(program, each) for each in parts)
        part = program.make(op, first, second)
    elif op == "multiply" and sum(each is not None for each in parts) == 1:
        first, second = (a if b is None else _floating(program, b) for a, b in zip(inputs, parts, strict=True))
        part = program.make(op, first, second)
    elif op == "divide" and parts[1] is None:
        part = program.make(op, _floating(program, parts[0]), inputs[1])
    elif op == "as_float":
        part = _floating(program, parts[0])
    else:
        raise ProofError(f"{op} of a sum over records: no rule says how far one record moves it")
    if limits(kind)[1] < math.inf and any(bool((each.most > MOST_WITHOUT_WRAP).any()) for each in _sizes(part, inputs)):
        raise ProofError(f"{op} of a sum may wrap round in {kind}")
    return _private(op, inputs, {}, _spread(program, part, shape), kind)


def _sizes(part: Node, inputs: Sequence[Node]) -> list[Range]:
    return [part.range, *(each.range for each in inputs if each.level == "public")]


def _zero(program: Program) -> Node:
    return program.make("constant", value=0.0, type="float64")


def _floating(program: Program, part: Node | None) -> Node:
    assert part is not None
    return part if part.kind == "float64" else program.make("as_float", part)


def _spread(program: Program, node: Node, shape: tuple[int, ...]) -> Node:
    """The same value in a larger shape."""
    if node.shape == shape:
        return node
    places = np.broadcast_to(np.arange(math.prod(node.shape)).reshape(node.shape), shape)
    return program.make("take", node, places=places.ravel().tolist(), shape=list(shape))


def _private(op: str, inputs: tuple[Node, ...], params: Mapping[str, Any], part: Node, kind: str) -> Node:
    return Node(op, inputs, params, "private", part.shape, kind, ranges.anything(part.shape), part=part)


def _of_draws(program: Program, op: str, inputs: tuple[Node, ...]) -> Node:
    """Public multiples of a draw, its negative, and the difference of two one-sided geometric draws."""
    if op == "negative":
        (draw,) = inputs
        return _draw(op, inputs, draw.law, draw.scale, draw.fresh, draw.kind, draw.shape)
    first, second = inputs
    if op == "multiply" and {first.level, second.level} == {"draw", "public"}:
        draw, factor = (first, second) if first.level == "draw" else (second, first)
        if draw.law not in ("laplace", "normal"):
            raise ProofError(f"a multiple of {draw.law} noise")
        if np.broadcast_shapes(draw.shape, factor.shape) != draw.shape:
            raise ProofError("one draw for several numbers")
        scale = factor if draw.scale is None else program.make("multiply", draw.scale, factor)
        return _draw(op, inputs, draw.law, scale, draw.fresh, "float64", draw.shape)
    one_sided = all(each.level == "draw" and each.law == "one-sided" for each in inputs)
    if op == "subtract" and one_sided and first.scale is second.scale and first.shape == second.shape:
        both = np.stack([first.fresh, second.fresh])
        if len(np.unique(both)) != both.size:
            raise ProofError("the same draw twice")
        return _draw(op, inputs, "geometric", first.scale, both, first.kind, first.shape)
    raise ProofError(f"{op} of a draw: no rule")


def _draw(op: str, inputs: tuple[Node, ...], law: str, scale: Node | None, fresh: Any, kind: str, shape: Any) -> Node:
    node = Node(op, inputs, {}, "draw", tuple(shape), kind, ranges.anything(tuple(shape)))
    node.law, node.scale, node.fresh = law, scale, fresh
    return node


def _constant(program: Program, inputs: Sequence[Node], params: Mapping[str, Any]) -> Node:
    array = values(params["value"], params["type"])
    if array.dtype.kind not in "fiubO" or array.dtype.kind == "O" and params["type"] != PYTHON_INT:
        raise ProofError(f"a constant of type {array.dtype}")
    node = Node("constant", (), params, "public", array.shape, params["type"], ranges.of(array))
    if array.shape == () and node.range.finite and float(array) > 0:
        node.size_power = (float(array), 0)
    return node


def _field(program: Program, inputs: Sequence[Node], params: Mapping[str, Any]) -> Node:
    told = program.fields[params["name"]]
    shape, kind = tuple(told["shape"]), told["type"]
    lo = np.broadcast_to(np.asarray(values(told["low"], "float64"), float), shape)
    hi = np.broadcast_to(np.asarray(values(told["high"], "float64"), float), shape)
    node = Node("field", (), params, "record", shape, kind, Range(lo, hi, bool(told["nan"])))
    node.norm = math.inf if node.range.nan else float(told.get("norm") or math.inf)
    return node


def _one(program: Program, inputs: Sequence[Node], params: Mapping[str, Any]) -> Node:
    """1 for each record."""
    return Node("one", (), params, "record", (), PYTHON_INT, Range(np.array(1.0), np.array(1.0)))


def _called(program: Program, inputs: tuple[Node, ...], params: Mapping[str, Any]) -> Node:
    """A function of released values. Its shape is that of an example's result: none of these depends on the values."""
    if any(each.level != "public" for each in inputs):
        raise ProofError(f"{params['function']} of what is not released")
    examples = [_example(each) for each in inputs]
    try:
        found = np.asarray(called(params, examples))
    except Exception as problem:
        raise ProofError(f"{params['function']}: {problem}") from None
    whole = params["function"] in ("int", "floor_int", "ceil_int", "round") or found.dtype == object
    kind = PYTHON_INT if whole and found.dtype.kind in "iO" else str(found.dtype)
    low, high = limits(kind)
    found_range = Range(np.full(found.shape, low), np.full(found.shape, high), kind == "float64")
    return Node("call", inputs, params, "public", found.shape, kind, found_range)


def _example(node: Node) -> Any:
    if len(node.shape) == 2 and node.shape[0] == node.shape[1]:
        return np.eye(node.shape[0])
    return np.ones(node.shape, dtype=np.float64 if node.kind == PYTHON_INT else node.kind)[()]


def called(params: Mapping[str, Any], inputs: Sequence[Any]) -> Any:
    """The value of a function of released values."""
    given = [inputs[each["input"]] if "input" in each else each["value"] for each in params["arguments"]]
    given = [tuple(each) if isinstance(each, list) else each for each in given]
    return CALLED[params["function"]](*given, **params["keywords"])


def _size(program: Program, inputs: Sequence[Node], params: Mapping[str, Any]) -> Node:
    if program.relation != "replace":
        raise ProofError("the number of records is private where a record is added or removed")
    node = Node("size", (), params, "public", (), PYTHON_INT, Range(np.array(1.0), np.array(MOST_RECORDS)))
    node.size_power = (1.0, 1)
    return node


def _sum(program: Program, inputs: Sequence[Node], params: Mapping[str, Any]) -> Node:
    (part,) = inputs
    if part.level != "record":
        raise ProofError("a sum over records of what is no record's")
    kind = part.kind if part.kind in (PYTHON_INT, "float64") else "uint64" if part.kind.startswith("u") else "int64"
    if part.kind in ("float32", "float16"):
        raise ProofError(f"a sum in {part.kind}: convert to float64 first")
    if not part.range.finite or bool((part.range.most > LARGEST).any()):
        raise ProofError("a sum of records that may be NaN, infinite or too large")
    if kind not in (PYTHON_INT, "float64") and bool((part.range.most > 2.0**31 - 1).any()):
        raise ProofError(f"a sum that may wrap round in {kind}: one record may be as large as {part.range.most.max():g}")
    return _private("sum", (part,), params, part, kind)


def _take(program: Program, inputs: Sequence[Node], params: Mapping[str, Any]) -> Node:
    (whole,) = inputs
    places, shape = np.asarray(params["places"], dtype=np.int64), tuple(params["shape"])
    if places.size != math.prod(shape) or places.size and not 0 <= places.min() <= places.max() < math.prod(whole.shape):
        raise ProofError("a selection outside of what there is")
    flat = [each.reshape(-1)[places].reshape(shape) for each in (whole.range.lo, whole.range.hi)]
    node = Node("take", (whole,), params, whole.level, shape, whole.kind, Range(*flat, whole.range.nan))
    if whole.part is not None:
        node.part = program.make("take", whole.part, **params)
    if whole.level == "draw":
        size = math.prod(whole.shape)
        fresh = np.asarray(whole.fresh).reshape(-1, size)[:, places].reshape(-1, *shape)
        scale = whole.scale
        if scale is not None and scale.shape != ():
            scale = program.make("take", _spread(program, scale, whole.shape), **params)
        node.law, node.scale, node.fresh = whole.law, scale, fresh
    return node


def _stack(program: Program, inputs: tuple[Node, ...], params: Mapping[str, Any]) -> Node:
    """Values after one another, flat, in a new shape."""
    levels = {each.level for each in inputs} - {"public"}
    if not inputs or len(levels) > 1 or "draw" in levels and any(each.level == "public" for each in inputs):
        raise ProofError("an array of values of different kinds")
    level: Level = next(iter(levels), "public")
    shape, kind = tuple(params["shape"]), common_type([each.kind for each in inputs])
    if math.prod(shape) != sum(math.prod(each.shape) for each in inputs):
        raise ProofError("a shape that does not hold its values")
    if level == "draw":
        if len({(each.law, id(each.scale)) for each in inputs}) > 1 or inputs[0].scale is not None and inputs[0].scale.shape:
            raise ProofError("an array of draws of different laws")
        fresh = np.concatenate([each.fresh.reshape(each.fresh.shape[0], -1) for each in inputs], axis=1)
        return _draw("stack", inputs, inputs[0].law, inputs[0].scale, fresh.reshape(-1, *shape), kind, shape)
    if level == "private":
        zero = _zero(program)
        flat = [
            _spread(program, zero, each.shape) if each.part is None else _floating(program, each.part) for each in inputs
        ]
        part = program.make("stack", *flat, shape=list(shape))
        return Node("stack", inputs, params, level, shape, kind, ranges.anything(shape), part=part)
    ends = [np.concatenate([getattr(each.range, end).reshape(-1) for each in inputs]).reshape(shape) for end in ("lo", "hi")]
    return Node("stack", inputs, params, level, shape, kind, Range(*ends, any(each.range.nan for each in inputs)))


def _reduced(program: Program, inputs: Sequence[Node], params: Mapping[str, Any]) -> Node:
    """The sum along an axis of the value (of a record: of what one record has)."""
    (whole,) = inputs
    axis = int(params["axis"])
    if whole.level == "draw" or not 0 <= axis < len(whole.shape):
        raise ProofError("a sum along an axis that there is not")
    shape = whole.shape[:axis] + whole.shape[axis + 1 :]
    if whole.part is not None:
        return _private("reduce_sum", (whole,), params, program.make("reduce_sum", whole.part, **params), whole.kind)
    kind = "int64" if whole.kind in ("bool", "int8", "int16", "int32") else whole.kind
    found = ranges.outward(Range(whole.range.lo.sum(axis), whole.range.hi.sum(axis), whole.range.nan), always=True)
    if whole.level == "record":
        if not whole.range.finite or bool((whole.range.most > LARGEST).any()) or kind in ("float32", "float16"):
            raise ProofError("a sum within a record that may be NaN, infinite or too large")
        low, high = limits(kind)
        if bool((found.lo < low).any() or (found.hi > high).any()):
            raise ProofError(f"a sum within a record may wrap round in {kind}")
    return Node("reduce_sum", (whole,), params, whole.level, shape, kind, found)


def _norm(program: Program, inputs: Sequence[Node], params: Mapping[str, Any]) -> Node:
    """The L2 norm of all that one record has."""
    (whole,) = inputs
    if whole.level not in ("record", "public") or whole.kind in ("float32", "float16"):
        raise ProofError(f"the norm of a {whole.level} value of type {whole.kind}")
    with np.errstate(all="ignore"):
        most = np.sqrt(np.sum(whole.range.most**2))
    if whole.level == "record" and not most**2 <= LARGEST:
        raise ProofError("a norm of numbers that may be NaN, infinite or too large to be squared")
    found = Range(np.array(0.0), np.array(most if math.isfinite(most) else math.inf), whole.range.nan)
    return Node("norm", (whole,), params, whole.level, (), "float64", ranges.outward(found, ulps=8, always=True))


def _matmul(program: Program, inputs: tuple[Node, ...], params: Mapping[str, Any]) -> Node:
    """A row or a matrix times a public matrix or vector that is known."""
    left, right = inputs
    if right.op != "constant" or left.level == "draw" or not left.shape or left.shape[-1] != right.shape[0]:
        raise ProofError("a matrix product with what is no known public matrix of the right shape")
    if len(right.shape) not in (1, 2) or len(left.shape) > 2 or not right.range.finite:
        raise ProofError("a matrix product of more than two dimensions")
    shape = left.shape[:-1] + right.shape[1:]
    if left.part is not None:
        return _private("matmul", inputs, params, program.make("matmul", _floating(program, left.part), right), "float64")
    if left.level == "record" and (not left.range.finite or left.kind != "float64"):
        raise ProofError("a matrix product of records that are no finite doubles")
    matrix = right.range.hi
    up, down = np.maximum(matrix, 0.0), np.minimum(matrix, 0.0)
    with np.errstate(all="ignore"):
        lo = left.range.lo @ up + left.range.hi @ down
        hi = left.range.hi @ up + left.range.lo @ down
        slack = 1e-12 * (left.range.most @ np.abs(matrix))
    found = Range(lo - slack, hi + slack, left.range.nan) if left.range.finite else ranges.anything(shape)
    if left.level == "record" and (not found.finite or bool((found.most > LARGEST).any())):
        raise ProofError("a matrix product that may be too large")
    return Node("matmul", inputs, params, left.level, shape, "float64", found)


def _one_hot(program: Program, inputs: Sequence[Node], params: Mapping[str, Any]) -> Node:
    """One 1 in the bin of the record, between edges (the last bin is closed) or at integers; all 0 outside."""
    (value,) = inputs
    edges = values(params["edges"], "float64")
    if value.level != "record" or value.shape != () or edges.ndim != 1 or len(edges) < 2:
        raise ProofError("a histogram of what is no single value, or without edges")
    if not (np.isfinite(edges).all() and (np.diff(edges) > 0).all()):
        raise ProofError("edges of a histogram that do not rise")
    bins = len(edges) - 1
    return Node("one_hot", (value,), params, "record", (bins,), "int64", Range(np.zeros(bins), np.ones(bins)))


def _drawn(program: Program, inputs: tuple[Node, ...], params: Mapping[str, Any]) -> Node:
    law, shape = LAWS[params["law"]], tuple(params["shape"])
    scale = inputs[0] if inputs else None
    if scale is not None and (scale.level != "public" or law == "one-sided" and scale.op != "constant"):
        raise ProofError("a scale of noise that is not public")
    if scale is not None and np.broadcast_shapes(scale.shape, shape) != shape:
        raise ProofError("a scale of another shape than its noise")
    size = math.prod(shape)
    fresh = np.arange(program.drawn, program.drawn + size).reshape(1, *shape)
    program.drawn += size
    node = _draw("draw", inputs, law, scale, fresh, "int64" if law == "one-sided" else "float64", shape)
    node.params = params
    return node


def _random(program: Program, inputs: tuple[Node, ...], params: Mapping[str, Any]) -> Node:
    """Random numbers that have nothing to do with the data."""
    if params["method"] not in ("random", "uniform", "integers") or any(each.level != "public" for each in inputs):
        raise ProofError("random numbers of another kind")
    shape = tuple(params["shape"])
    found = Range(np.zeros(shape), np.ones(shape)) if params["method"] == "random" else ranges.anything(shape)
    kind = "int64" if params["method"] == "integers" else "float64"
    return Node("random", inputs, params, "public", shape, kind, found)


def _spend(program: Program, draw: Node) -> None:
    fresh = np.asarray(draw.fresh).ravel().tolist()
    if len(set(fresh)) != len(fresh) or program.spent & set(fresh):
        raise ProofError("the same draw is used twice")
    program.spent.update(fresh)


def _exposed(program: Program, inputs: tuple[Node, ...], params: Mapping[str, Any]) -> Node:
    """A draw that is no noise, but a random number that anybody may see."""
    (draw,) = inputs
    if draw.level != "draw":
        raise ProofError("a draw that is none")
    _spend(program, draw)
    return Node("expose", inputs, {}, "public", draw.shape, draw.kind, ranges.anything(draw.shape))


def _released(program: Program, inputs: tuple[Node, ...], params: Mapping[str, Any]) -> Node:
    """A private value plus its own noise, one draw a number."""
    value, draw = inputs
    if value.part is None or draw.level != "draw" or draw.law not in ("laplace", "normal", "geometric"):
        raise ProofError("a release of a private value without noise that has a rule")
    if value.shape != draw.shape:
        raise ProofError(f"noise of shape {draw.shape} for a value of shape {value.shape}: one draw for each number")
    if draw.law == "geometric" and value.kind == "float64":
        raise ProofError("integer noise for a value that is not proved to be an integer")
    scale = program.make("constant", value=1.0, type="float64") if draw.scale is None else draw.scale
    _check_scale(draw.law, scale)
    _spend(program, draw)
    program.releases.append((_floating(program, value.part), draw.law, scale))
    found = Range(np.full(value.shape, -math.inf), np.full(value.shape, math.inf))
    return Node("release", inputs, {}, "public", value.shape, draw.kind, found)


def _check_scale(law: str, scale: Node) -> None:
    found = scale.range
    if law == "geometric":
        if not bool((found.lo > 0).all() and (found.hi < 1).all()):
            raise ProofError("geometric noise with p outside of (0, 1)")
    elif found.nan or bool((absolute_least(found) <= 0).any()) or not (found.finite or scale.size_power):
        raise ProofError("a scale of noise that may be 0, NaN or infinite")


def absolute_least(found: Range) -> Any:
    """The least magnitude."""
    return ranges.absolute(found).lo


_RULES = {
    "constant": _constant,
    "field": _field,
    "size": _size,
    "one": _one,
    "call": _called,
    "sum": _sum,
    "take": _take,
    "stack": _stack,
    "reduce_sum": _reduced,
    "norm": _norm,
    "matmul": _matmul,
    "one_hot": _one_hot,
    "draw": _drawn,
    "random": _random,
    "expose": _exposed,
    "release": _released,
}
