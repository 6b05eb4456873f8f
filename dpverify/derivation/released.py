"""Functions of released values: whatever they are, they cost nothing."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dpverify.derivation.homes import PYTHON, UNKNOWN, check_whole, home_of, refuse
from dpverify.derivation.known import holds_lifted, plain, plain_array
from dpverify.derivation.reader import Reader
from dpverify.derivation.stop import NotDerivedError
from dpverify.derivation.values import Lifted, Public

PUBLIC_OPERATORS = {ast.Mod: "mod", ast.FloorDiv: "floor_divide", ast.Pow: "power"}


OF_PUBLIC: dict[Any, str] = {
    round: "round",
    np.round: "round",
    int: "int",
    np.sum: "sum",
    np.mean: "mean",
    np.cumsum: "cumsum",
    np.max: "max",
    np.min: "min",
    np.argmax: "argmax",
    np.argmin: "argmin",
    np.sort: "sort",
    np.argsort: "argsort",
    np.dot: "dot",
    np.outer: "outer",
    np.linalg.solve: "solve",
    np.linalg.inv: "inv",
    np.linalg.pinv: "pinv",
    np.linalg.norm: "norm",
    np.mod: "mod",
    np.power: "power",
    np.floor_divide: "floor_divide",
    np.sign: "sign",
    np.sin: "sin",
    np.cos: "cos",
    np.diff: "diff",
    np.var: "var",
    np.std: "std",
    np.median: "median",
    np.quantile: "quantile",
    np.percentile: "percentile",
    np.interp: "interp",
    np.all: "all",
    np.any: "any",
    np.int64: "int64",
    np.searchsorted: "searchsorted",
    math.floor: "floor_int",
    math.ceil: "ceil_int",
}
"""Functions of released values, which may do anything: their names in a proof."""


def all_public(*values: Any) -> bool:
    """Tell whether all values are known or released."""
    return all(isinstance(each, Public) or (not holds_lifted(each) and plain(each)) for each in values)


def _an_array(value: Any) -> bool:
    return plain_array(value) or (isinstance(value, Public) and value.array)


def public_call(self: Reader, name: str, given: Sequence[Any], named: Mapping[str, Any], *, home: str) -> Public:
    """A function of released values: whatever it is, it costs nothing. `home`: whose number it returns."""
    machine = self.machine
    public = [each for each in given if isinstance(each, Public)]
    counted = name in ("sum", "mean", "all", "any") and all(each.array and each.node.kind == "bool" for each in public)
    if not counted and (name, home, len(given)) != ("round", PYTHON, 1):  # of Python's, whatever it is given
        check_whole(name, public, [each.node for each in public])
    inputs: list[Any] = []
    template: list[Any] = []
    for each in given:
        if isinstance(each, Public):
            template.append({"input": len(inputs)})
            inputs.append(each.node)
        elif plain_array(each) or isinstance(each, np.generic):
            template.append({"input": len(inputs)})
            inputs.append(machine.node(each))
        else:
            template.append({"value": list(each) if isinstance(each, tuple) else each})
    if name in ("floor_int", "ceil_int") and any(
        home_of(each) == UNKNOWN and each.node.kind != "float64" for each in given
    ):
        refuse(name)
    known = dict(named)
    if set(known) - {"axis", "decimals", "ndigits", "keepdims"}:
        raise NotDerivedError(f"{name} of released values with {', '.join(known)}")
    two = name in ("outer", "dot", "solve", "mod", "power", "floor_divide", "searchsorted", "interp")
    others = (int, float) if name in ("quantile", "percentile") else (int, type(None))
    if not two and any(isinstance(each, Lifted) or type(each) not in others for each in given[1:]):
        raise NotDerivedError(f"{name} of released values with more arguments")
    if len(given) > 2 + (name == "interp") or (not two and any(map(_an_array, given[1:]))):
        raise NotDerivedError(f"{name} of released values with more arguments")
    if any(
        isinstance(each, Lifted) or not isinstance(each, int | float | str | bool | type(None))
        for each in known.values()
    ):
        raise NotDerivedError(f"{name} of released values with keywords that are not known")
    node = machine.op("call", *inputs, function=name, arguments=template, keywords=known)
    return Public(node, bool(node.shape), home)
