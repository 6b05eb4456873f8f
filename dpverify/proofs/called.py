"""Functions of what is released: whatever they give, it costs nothing."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dpverify.proofs import ranges
from dpverify.proofs.node import Maker, Node
from dpverify.proofs.operations import NUMBER, PYTHON_INT, ProofError, extent
from dpverify.proofs.ranges import Range

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

KEYWORDS = ("axis", "decimals", "ndigits", "keepdims")
"""Keywords of these functions; others choose a type, or where to begin."""

OF_SHARES = ("quantile", "percentile")
"""Functions whose second argument is a share."""


def of_released(program: Maker, inputs: tuple[Node, ...], params: Mapping[str, Any]) -> Node:
    """A function of released values. Its shape is that of an example's result: none of these depends on the values."""
    if any(each.level != "public" for each in inputs):
        raise ProofError(f"{params['function']} of what is not released")
    _check_arguments(params)
    if params["function"] not in OF_PYTHON and any(each.kind in (PYTHON_INT, NUMBER) for each in inputs):
        raise ProofError(f"{params['function']} of a Python integer, which is another number of numpy's")
    examples = [_example(each) for each in inputs]
    try:
        found = np.asarray(called(params, examples))
    except Exception as problem:  # noqa: BLE001 - numpy's own, for shapes that do not fit
        raise ProofError(f"{params['function']}: {problem}") from None
    if found.dtype not in (np.bool_, np.int64, np.float64):
        raise ProofError(f"{params['function']}, whose result is of the type {found.dtype}")
    if found.shape == () and params["function"] in ("round", "mod", "power", "floor_divide"):
        if any(each.kind not in ("float64", PYTHON_INT, NUMBER) for each in inputs):
            raise ProofError(f"{params['function']} of a whole number of numpy's, which may wrap round")
        return Node("call", inputs, params, "public", (), NUMBER, ranges.anything())  # of integers they are integers
    if found.shape != () and any(each.kind in (PYTHON_INT, NUMBER) and each.shape == () for each in inputs):
        raise ProofError(f"{params['function']} of an array and a Python integer, whose type tells how large it is")
    whole = params["function"] in ("int", "floor_int", "ceil_int")
    whole = whole or (params["function"] == "round" and found.shape == ())
    kind = PYTHON_INT if whole and found.dtype.kind == "i" else str(found.dtype)
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


def _check_arguments(params: Mapping[str, Any]) -> None:
    """ProofError for arguments that choose a type, or that numpy takes for objects: they bound nothing."""
    function, arguments = params["function"], params["arguments"]
    most = 3 if function == "interp" else 2 if function in OF_TWO else 1
    if any("input" in each for each in arguments[most:]):
        raise ProofError(f"{function} with a released value that may decide its shape")
    others = [each["value"] for each in arguments if "input" not in each]
    beside = [each["value"] for each in arguments[most:]]
    known = set(params["keywords"]) <= set(KEYWORDS) and len(arguments) <= max(most, 2)
    whole = all(type(each) in (int, bool, type(None)) for each in (*params["keywords"].values(), *beside))
    if not known or not (whole or function in OF_SHARES) or not all(map(_plain, others)):
        raise ProofError(f"{function} with arguments that have no rule")


def _plain(value: Any) -> bool:
    """Tell whether a known argument is a number that numpy has, or a list of them."""
    if isinstance(value, list):
        return all(map(_plain, value))
    return value is None or type(value) in (bool, float) or (type(value) is int and abs(value) < 2**63)
