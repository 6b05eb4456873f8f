"""Noise, random numbers and releases."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from dpverify.proofs import ranges
from dpverify.proofs.linear import absolute_least, draw_of, floating
from dpverify.proofs.node import Maker, Node
from dpverify.proofs.operations import PYTHON_INT, ProofError, common_type
from dpverify.proofs.ranges import Range

LAWS = {"laplace": "laplace", "normal": "normal", "geometric": "one-sided"}
"""What can be drawn, and the noise that it is; the difference of two one-sided ones is ``geometric``."""

RANDOM = ("random", "uniform", "integers", "choice")
"""What else is drawn, without regard to the data; a choice takes values and their probabilities."""

_NAME = re.compile(r"[\w.<>]{1,200}")


def draw(program: Maker, inputs: tuple[Node, ...], params: Mapping[str, Any]) -> Node:
    """Noise from the generator, or of a function that its author declares to add it."""
    if not _NAME.fullmatch(params.get("declared", "a")):
        raise ProofError("noise that is declared by what is no name")
    law, shape = LAWS.get(params["law"], ""), tuple(params["shape"])
    if not law or len(inputs) > 1 or (not inputs and law != "normal"):
        raise ProofError(f"noise of the law {params['law']!r} with {len(inputs)} parameters")
    scale = inputs[0] if inputs else None
    if scale is not None and (scale.level != "public" or (law == "one-sided" and scale.op != "constant")):
        raise ProofError("a scale of noise that is not public")
    if scale is not None and np.broadcast_shapes(scale.shape, shape) != shape:
        raise ProofError("a scale of another shape than its noise")
    size = math.prod(shape)
    fresh = np.arange(program.drawn, program.drawn + size).reshape(1, *shape)
    program.drawn += size
    node = draw_of(
        "draw",
        inputs,
        law,
        scale,
        fresh,
        ("int64" if shape else PYTHON_INT) if law == "one-sided" else "float64",
        shape,
    )
    node.params = params
    return node


def random(program: Maker, inputs: tuple[Node, ...], params: Mapping[str, Any]) -> Node:
    """Random numbers that have nothing to do with the data."""
    if params["method"] not in RANDOM or any(each.level != "public" for each in inputs):
        raise ProofError("random numbers of another kind")
    shape = tuple(params["shape"])
    if params["method"] == "choice":
        values, weights = inputs
        if len(values.shape) != 1 or values.shape != weights.shape:
            raise ProofError("a choice between values with other weights")
        found = Range(np.full(shape, values.range.lo.min()), np.full(shape, values.range.hi.max()), values.range.nan)
        return Node("random", inputs, params, "public", shape, values.kind, found)
    found = Range(np.zeros(shape), np.ones(shape)) if params["method"] == "random" else ranges.anything(shape)
    kind = "int64" if params["method"] == "integers" else "float64"
    return Node("random", inputs, params, "public", shape, kind, found)


def _spend(program: Maker, draw: Node) -> None:
    fresh = np.asarray(draw.fresh).ravel().tolist()
    if len(set(fresh)) != len(fresh) or program.spent & set(fresh):
        raise ProofError("the same draw is used twice")
    program.spent.update(fresh)


def expose(program: Maker, inputs: tuple[Node, ...], params: Mapping[str, Any]) -> Node:
    """A draw that is no noise, but a random number that anybody may see."""
    (draw,) = inputs
    if draw.level != "draw":
        raise ProofError("a draw that is none")
    _spend(program, draw)
    return Node("expose", inputs, {}, "public", draw.shape, draw.kind, ranges.anything(draw.shape))


def release(program: Maker, inputs: tuple[Node, ...], params: Mapping[str, Any]) -> Node:
    """A private value plus its own noise, one draw a number."""
    value, draw = inputs
    if value.part is None or draw.level != "draw" or draw.law not in ("laplace", "normal", "geometric"):
        raise ProofError("a release of a private value without noise that has a rule")
    if value.shape != draw.shape:
        raise ProofError(f"noise of shape {draw.shape} for a value of shape {value.shape}: one draw for each number")
    if draw.law == "geometric" and value.kind not in (PYTHON_INT, "int64"):
        raise ProofError("integer noise for a value that is not proved to be an integer")
    scale = program.make("constant", value=1.0, type="float64") if draw.scale is None else draw.scale
    _check_scale(draw.law, scale)
    _spend(program, draw)
    program.releases.append((floating(program, value.part), draw.law, scale))
    found = Range(np.full(value.shape, -math.inf), np.full(value.shape, math.inf))
    kind = common_type([value.kind, draw.kind])
    return Node("release", inputs, {}, "public", value.shape, kind, found)


def _check_scale(law: str, scale: Node) -> None:
    found = scale.range
    if law == "geometric":
        if not bool((found.lo >= 1e-9).all() and (found.hi < 1).all()):
            raise ProofError("geometric noise with p outside of [1e-9, 1)")
    elif found.nan or bool((absolute_least(found) <= 0).any()) or not found.finite:
        raise ProofError("a scale of noise that may be 0, NaN or infinite")
