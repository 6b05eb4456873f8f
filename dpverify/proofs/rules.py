"""The rules of constants, fields, counts, selections, arrays and histograms."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from dpverify.proofs import ranges
from dpverify.proofs.linear import MOST_RECORDS, MOST_WHOLE, draw_of, floating, most_of, private, spread, zero_of
from dpverify.proofs.node import Level, Maker, Node, values
from dpverify.proofs.operations import PYTHON_INT, TEXT, TYPES, ProofError, common_type
from dpverify.proofs.ranges import Range


def constant(program: Maker, inputs: Sequence[Node], params: Mapping[str, Any]) -> Node:
    """A number or an array that is known."""
    array = values(params["value"], params["type"])
    if array.dtype.kind not in "fiubO" or (array.dtype.kind == "O" and params["type"] != PYTHON_INT):
        raise ProofError(f"a constant of type {array.dtype}")
    if params["type"] == PYTHON_INT and not all(type(each) is int for each in array.ravel().tolist()):
        raise ProofError("a constant of Python's integers that is none")
    node = Node("constant", (), params, "public", array.shape, params["type"], ranges.of(array))
    if array.shape == () and node.range.finite and float(array) > 0:
        node.size_power = (Fraction(float(array)), 0)
    return node


def field(program: Maker, inputs: Sequence[Node], params: Mapping[str, Any]) -> Node:
    """A field of the generic record, within its domain."""
    if params["name"] not in program.fields:
        raise ProofError(f"the field {params['name']!r} is not in the domain")
    told = program.fields[params["name"]]
    shape, kind = tuple(told["shape"]), told["type"]
    lo = np.broadcast_to(np.asarray(values(told["low"], "float64"), float), shape)
    hi = np.broadcast_to(np.asarray(values(told["high"], "float64"), float), shape)
    if kind == TEXT:
        texts = told.get("texts") or ()
        if shape or any(type(each) is not str for each in texts):
            raise ProofError(f"the texts {texts!r:.80}")
        codes = [program.texts.setdefault(each, len(program.texts)) for each in texts]
        lo, hi = (
            np.array(float(end(codes))) if codes else np.array(far) for end, far in ((min, -math.inf), (max, math.inf))
        )
    most = math.inf if told["norm"] is None else float(told["norm"])
    if not bool((lo <= hi).all()) or not most >= 0 or type(told["nan"]) is not bool:
        raise ProofError(f"a domain from {told['low']} to {told['high']}, of norm {most}")
    node = Node("field", (), params, "record", shape, kind, Range(lo, hi, told["nan"]))
    node.norm = math.inf if node.range.nan else most
    return node


def is_text(program: Maker, inputs: Sequence[Node], params: Mapping[str, Any]) -> Node:
    """Tell whether a record's text is this one. Texts have codes, one for each, so that no record has two."""
    (value,) = inputs
    text, code = params["text"], params["code"]
    if value.op != "field" or value.kind != TEXT or value.shape != () or type(text) is not str or type(code) is not int:
        raise ProofError("a comparison of what is no record's text")
    if program.texts.setdefault(text, len(program.texts)) != code:
        raise ProofError(f"the code {code} of the text {text!r}")
    return Node("is_text", (value,), params, "record", (), "bool", Range(np.array(0.0), np.array(1.0)))


def one(program: Maker, inputs: Sequence[Node], params: Mapping[str, Any]) -> Node:
    """1 for each record."""
    return Node("one", (), params, "record", (), PYTHON_INT, Range(np.array(1.0), np.array(1.0)))


def size(program: Maker, inputs: Sequence[Node], params: Mapping[str, Any]) -> Node:
    """Say how many records there are, where one is replaced."""
    if program.relation != "replace":
        raise ProofError("the number of records is private where a record is added or removed")
    node = Node("size", (), params, "public", (), PYTHON_INT, Range(np.array(1.0), np.array(MOST_RECORDS)))
    node.size_power = (Fraction(1), 1)
    return node


def take(program: Maker, inputs: Sequence[Node], params: Mapping[str, Any]) -> Node:
    """Select elements of an array, in a new shape."""
    (whole,) = inputs
    places, shape = np.asarray(params["places"], dtype=np.int64), tuple(params["shape"])
    if places.size != math.prod(shape) or (
        places.size and not 0 <= places.min() <= places.max() < math.prod(whole.shape)
    ):
        raise ProofError("a selection outside of what there is")
    flat = [each.reshape(-1)[places].reshape(shape) for each in (whole.range.lo, whole.range.hi)]
    node = Node("take", (whole,), params, whole.level, shape, whole.kind, Range(flat[0], flat[1], whole.range.nan))
    if whole.part is not None:
        node.part, node.most = program.make("take", whole.part, **params), whole.most
    if whole.level == "draw":
        size = math.prod(whole.shape)
        fresh = np.asarray(whole.fresh).reshape(-1, size)[:, places].reshape(-1, *shape)
        scale = whole.scale
        if scale is not None and scale.shape != ():
            scale = program.make("take", spread(program, scale, whole.shape), **params)
        node.law, node.scale, node.fresh = whole.law, scale, fresh
    return node


def stack(program: Maker, inputs: tuple[Node, ...], params: Mapping[str, Any]) -> Node:
    """Values after one another, flat, in a new shape."""
    levels = {each.level for each in inputs} - {"public"}
    if not inputs or len(levels) > 1 or ("draw" in levels and any(each.level == "public" for each in inputs)):
        raise ProofError("an array of values of different kinds")
    level: Level = next(iter(levels), "public")
    shape, kind = tuple(params["shape"]), common_type([each.kind for each in inputs])
    if math.prod(shape) != sum(math.prod(each.shape) for each in inputs):
        raise ProofError("a shape that does not hold its values")
    if level == "draw":
        if len({(each.law, id(each.scale)) for each in inputs}) > 1 or (
            inputs[0].scale is not None and inputs[0].scale.shape
        ):
            raise ProofError("an array of draws of different laws")
        if any(each.law == "one-sided" for each in inputs):
            raise ProofError("an array of draws that are whole numbers")
        fresh = np.concatenate([each.fresh.reshape(each.fresh.shape[0], -1) for each in inputs], axis=1)
        node = draw_of("stack", inputs, inputs[0].law, inputs[0].scale, fresh.reshape(-1, *shape), kind, shape)
        node.params = params
        return node
    if any(each.kind not in TYPES for each in inputs):
        raise ProofError("an array of numbers of a type without rules")
    if level == "private":
        zero = zero_of(program)
        flat = [
            spread(program, zero, each.shape) if each.part is None else floating(program, each.part) for each in inputs
        ]
        part = program.make("stack", *flat, shape=list(shape))
        if kind == PYTHON_INT:
            kind = "int64"
        return private("stack", inputs, params, part, kind, max(map(most_of, inputs)))
    whole = [each.range.most for each in inputs if each.kind == PYTHON_INT]
    if kind == "int64" and any(bool((each > MOST_WHOLE).any()) for each in whole):
        raise ProofError("an array of Python integers that may be beyond 64 bits")
    ends = [
        np.concatenate([getattr(each.range, end).reshape(-1) for each in inputs]).reshape(shape) for end in ("lo", "hi")
    ]
    return Node(
        "stack", inputs, params, level, shape, kind, Range(ends[0], ends[1], any(each.range.nan for each in inputs))
    )


def one_hot(program: Maker, inputs: Sequence[Node], params: Mapping[str, Any]) -> Node:
    """One 1 in the bin of the record, between edges (the last bin is closed) or at integers; all 0 outside."""
    (value,) = inputs
    edges = values(params["edges"], "float64")
    if value.kind not in ("float64", "int64"):
        raise ProofError(f"a histogram of {value.kind}: convert it to doubles first")
    if value.level != "record" or value.shape != () or edges.ndim != 1 or len(edges) < 2:
        raise ProofError("a histogram of what is no single value, or without edges")
    if not (np.isfinite(edges).all() and (np.diff(edges) > 1e-12).all() and (np.abs(edges) < 1e15).all()):
        raise ProofError("edges of a histogram that do not rise by 1e-12 at least, or are larger than 1e15")
    bins = len(edges) - 1
    return Node("one_hot", (value,), params, "record", (bins,), "int64", Range(np.zeros(bins), np.ones(bins)))
