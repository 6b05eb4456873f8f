"""Converts outputs of recorded runs to the types that a comparison of runs uses: numbers, labels, lists and dicts.

An output with only these types is unchanged. Otherwise (a table, a set, a sparse matrix) it becomes a dict of its
parts, by the readers of sampled outputs. Outputs that these cannot read completely are refused, since a comparison by
`==` or printed form might miss differences.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from dpverify.adapters.output_structure import DEEPEST, refusal, unpacked
from dpverify.adapters.scalars import read_scalar
from dpverify.adapters.unpacked_containers import Member
from dpverify.adapters.unpacked_value import CannotReadError
from dpverify.recording.traced_array import TracedArray
from dpverify.recording.traced_number import Traced

_PLAIN = (bool, int, float, str, bytes, type(None), np.bool_, np.number, np.str_, Traced, TracedArray)


def plain_output(output: Any, name: str) -> Any:
    """The converted output of the callable `name`; InputError where it cannot be read completely."""
    try:
        return output if _is_plain(output, 0) else _taken_apart(output, 0)
    except CannotReadError as problem:
        raise refusal(output, name, problem) from None


def _is_plain(value: Any, depth: int) -> bool:
    """Whether the output has only types that comparisons use."""
    if depth > DEEPEST:
        raise CannotReadError(f"which holds itself, or is nested more than {DEEPEST} deep", "return a flat value")
    if isinstance(value, _PLAIN):
        return True
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "biufUSc" or (
            value.dtype.kind == "O" and all(_is_plain(each, depth + 1) for each in value.reshape(-1).tolist())
        )
    if type(value) is dict:
        return all(_is_plain(each, depth + 1) for each in value.values())
    if isinstance(value, list | tuple):
        return all(_is_plain(each, depth + 1) for each in value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = [field.name for field in dataclasses.fields(value)]
        return set(getattr(value, "__dict__", fields)) <= set(fields) and all(
            _is_plain(getattr(value, field), depth + 1) for field in fields
        )
    return False


def _taken_apart(value: Any, depth: int) -> Any:
    if depth > DEEPEST:
        raise CannotReadError(f"which holds itself, or is nested more than {DEEPEST} deep", "return a flat value")
    if isinstance(value, Traced | TracedArray):
        return value
    if isinstance(value, Member):
        return True
    found = read_scalar(value) or unpacked(value)
    parts: dict[str, Any] = {place: _taken_apart(item, depth + 1) for place, item in found.inside}
    if found.wraps is not None:
        parts["values"] = _taken_apart(found.wraps, depth + 1)
    if len(found.atoms):
        parts["numbers"] = [each if isinstance(each, float | str | bytes) else repr(each) for each in found.atoms]
    return {"kind": found.kind, **parts}
