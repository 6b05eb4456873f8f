"""Noise, random numbers, releases, and functions of what is released."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dpverify.proofs import ranges
from dpverify.proofs.linear import absolute_least, draw_of, floating
from dpverify.proofs.node import Maker, Node
from dpverify.proofs.operations import NUMBER, PYTHON_INT, ProofError, common_type, extent
from dpverify.proofs.ranges import Range

LAWS = {"laplace": "laplace", "normal": "normal", "geometric": "one-sided"}
"""What can be drawn, and the noise that it is; the difference of two one-sided ones is ``geometric``."""

RANDOM = ("random", "uniform", "integers", "choice")
"""What else is drawn, without regard to the data; a choice takes values and their probabilities."""

CALLED = {
    **{name: getattr(np, name) for name in ("round", "sum", "mean", "cumsum", "max", "min", "argmax", "argmin")},
    **{name: getattr(np, name) for name in ("sort", "argsort", "dot", "outer", "mod", "power", "floor_divide", "sign")},
    **{name: getattr(np, name) for name in ("sin", "cos", "diff", "searchsorted", "var", "std", "median", "int64")},
    **{name: getattr(np, name) for name in ("quantile", "percentile", "interp", "all", "any")},
    "solve": np.linalg.solve,
    "inv": np.linalg.inv,
    "pinv": np.linalg.pinv,
    "norm": np.linalg.norm,
    "int": int,
    "floor_int": math.floor,
    "ceil_int": math.ceil,
}
"""Functions of released values."""


OF_PYTHON = ("int", "floor_int", "ceil_int", "round", "mod", "power", "floor_divide")
"""Functions that Python has for its own numbers."""


OF_TWO = ("dot", "outer", "mod", "power", "floor_divide", "searchsorted", "solve")
"""Functions of two released values; what else the others take says what shape they have."""


_NAME = re.compile(r"[\w.<>]{1,200}")


def of_released(program: Maker, inputs: tuple[Node, ...], params: Mapping[str, Any]) -> Node:
    """A function of released values. Its shape is that of an example's result: none of these depends on the values."""
    if any(each.level != "public" for each in inputs):
        raise ProofError(f"{params['function']} of what is not released")
    released = ["input" in each for each in params["arguments"]]
    most = 3 if params["function"] == "interp" else 2 if params["function"] in OF_TWO else 1
    if any(released[most:]):
        raise ProofError(f"{params['function']} with a released value that may decide its shape")
    if params["function"] not in OF_PYTHON and any(each.kind in (PYTHON_INT, NUMBER) for each in inputs):
        raise ProofError(f"{params['function']} of a Python integer, which is another number of numpy's")
    examples = [_example(each) for each in inputs]
    try:
        found = np.asarray(called(params, examples))
    except Exception as problem:  # noqa: BLE001 - numpy's own, for shapes that do not fit
        raise ProofError(f"{params['function']}: {problem}") from None
    if found.shape == () and params["function"] in ("round", "mod", "power", "floor_divide"):
        if any(each.kind not in ("float64", PYTHON_INT, NUMBER) for each in inputs):
            raise ProofError(f"{params['function']} of a whole number of numpy's, which may wrap round")
        return Node("call", inputs, params, "public", (), NUMBER, ranges.anything())  # of integers they are integers
    if found.shape != () and any(each.kind in (PYTHON_INT, NUMBER) and each.shape == () for each in inputs):
        raise ProofError(f"{params['function']} of an array and a Python integer, whose type tells how large it is")
    whole = params["function"] in ("int", "floor_int", "ceil_int") or found.dtype == object
    whole = whole or (params["function"] == "round" and found.shape == ())
    kind = PYTHON_INT if whole and found.dtype.kind in "iO" else str(found.dtype)
    low, high = extent(kind)
    own = [dict(each) for each in params["arguments"]] == [{"input": 0}]
    if params["function"] == "int" and own and inputs[0].range.finite:
        low, high = float(np.trunc(inputs[0].range.lo)), float(np.trunc(inputs[0].range.hi))
    if params["function"] in ("argmax", "argmin", "argsort", "searchsorted"):
        among = _shape_of(params["arguments"][0], inputs)
        low, high = 0.0, float(max(math.prod(among) - (params["function"] != "searchsorted"), 0))
    found_range = Range(np.full(found.shape, low), np.full(found.shape, high), kind == "float64")
    return Node("call", inputs, params, "public", found.shape, kind, found_range)


def _shape_of(argument: Mapping[str, Any], inputs: Sequence[Node]) -> tuple[int, ...]:
    """The shape of an argument of a function, known or released."""
    return inputs[argument["input"]].shape if "input" in argument else np.shape(argument["value"])


def _example(node: Node) -> Any:
    if len(node.shape) == 2 and node.shape[0] == node.shape[1]:
        return np.eye(node.shape[0])
    return np.ones(node.shape, dtype=np.float64 if node.kind in (PYTHON_INT, NUMBER) else node.kind)[()]


def called(params: Mapping[str, Any], inputs: Sequence[Any]) -> Any:
    """The value of a function of released values."""
    given = [inputs[each["input"]] if "input" in each else each["value"] for each in params["arguments"]]
    given = [tuple(each) if isinstance(each, list) else each for each in given]
    return CALLED[params["function"]](*given, **params["keywords"])


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
