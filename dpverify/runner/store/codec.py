"""Evidence as JSON text and back: data only, and every number to the bit.

Python writes a float with enough digits to read it back exactly. Infinities and tuples, which JSON lacks, are marked.
NumPy values are read back as plain values.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from dpverify.core.evidence import Evidence, Measure

_MARK = "$dpverify"


def text_of(evidence: Evidence) -> str:
    """The evidence as one line of JSON."""
    fields = {one.name: getattr(evidence, one.name) for one in dataclasses.fields(evidence)}
    fields["measure"] = {one.name: getattr(evidence.measure, one.name) for one in dataclasses.fields(evidence.measure)}
    return encoded(fields)


def evidence_of(text: str) -> Evidence:
    """The evidence that `text_of` wrote.

    ValueError, TypeError, KeyError when the text is malformed.
    """
    fields = decoded(text)
    return Evidence(**{**fields, "measure": Measure(**fields["measure"])})


def encoded(value: Any) -> str:
    """Any plain value as one line of JSON."""
    return json.dumps(_marked(value), ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def decoded(text: str) -> Any:
    """The values that `encoded` wrote."""
    return _unmarked(json.loads(text))


def _marked(value: Any) -> Any:
    if isinstance(value, Mapping):
        if any(not isinstance(key, str) for key in value) or _MARK in value:
            return {_MARK: "mapping", "of": [[_marked(key), _marked(item)] for key, item in value.items()]}
        return {key: _marked(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return _marked(value.tolist())
    if isinstance(value, tuple):
        return {_MARK: "tuple", "of": [_marked(item) for item in value]}
    if isinstance(value, list):
        return [_marked(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return {_MARK: "float", "of": repr(value)}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return str(value)


def _unmarked(value: Any) -> Any:
    if isinstance(value, list):
        return [_unmarked(item) for item in value]
    if not isinstance(value, dict):
        return value
    match value.get(_MARK):
        case "float":
            return float(value["of"])
        case "tuple":
            return tuple(_unmarked(item) for item in value["of"])
        case "mapping":
            return {_unmarked(key): _unmarked(item) for key, item in value["of"]}
    return {key: _unmarked(item) for key, item in value.items()}
