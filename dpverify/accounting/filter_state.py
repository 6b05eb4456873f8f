"""Filters and odometers keep their state between processes: JSON text with exact doubles, and a digest of it.

    text = saved(meter.spend(costs))        meter = restored(text)

A double is written by its shortest decimal, which reads back to the same bits; infinity as the word ``inf``. A state
that no run reaches (a negative sum, more spent than was allowed, other lengths), a damaged one and an unknown version
are refused. The digest finds damage, not an attacker, who would write another one.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from dpverify.accounting.filters import ApproxFilter, RenyiFilter, RenyiOdometer
from dpverify.core.errors import InputError, one_line
from dpverify.core.read_untrusted import parse_json, shortened

FORMAT = "dpverify-filter"
VERSION = 1
LARGEST = 1_000_000
"""Characters of a state."""

_KINDS: Mapping[str, Any] = {kind.__name__: kind for kind in (RenyiFilter, RenyiOdometer, ApproxFilter)}
_REMEDY = "restore what `saved` returned, unchanged"
_KEYS = {"format", "version", "kind", "state", "digest"}


def saved(meter: RenyiFilter | RenyiOdometer | ApproxFilter) -> str:
    """The state as one line of JSON, budgets and what was spent; `restored` gives an object with the same answers."""
    kind = type(meter).__name__
    if kind not in _KINDS:
        raise InputError(f"a {kind} to be saved", allowed=", ".join(_KINDS))
    content = {each.name: _plain(getattr(meter, each.name)) for each in fields(meter)}
    head = {"format": FORMAT, "version": VERSION, "kind": kind}
    return json.dumps({**head, "state": content, "digest": _digest(kind, content)}, allow_nan=False)


def restored(text: str) -> RenyiFilter | RenyiOdometer | ApproxFilter:
    """The filter or odometer that `saved` wrote.

    Raises
    ------
    InputError
        Text of another form or version, a damaged one, and a state that no run reaches.
    """
    try:
        if len(text) > LARGEST:
            raise ValueError(f"it has {len(text)} characters, and at most {LARGEST} are read")
        found = parse_json(text, constant=_no_constant)
    except ValueError as problem:
        raise InputError(
            f"a state that cannot be read: {one_line(str(problem))}", allowed="JSON of a state", remedy=_REMEDY
        ) from problem
    if not isinstance(found, dict) or found.get("format") != FORMAT or set(found) != _KEYS:
        raise InputError("JSON that is no state of a filter", allowed=f'"format": "{FORMAT}"', remedy=_REMEDY)
    if found["version"] != VERSION:
        what = f"a state of version {shortened(repr(found['version']))}"
        raise InputError(what, allowed=f"version {VERSION}", remedy="restore it by the version that saved it")
    name, state = found["kind"], found["state"]
    kind = _KINDS.get(name) if isinstance(name, str) else None
    if kind is None or not isinstance(state, dict) or set(state) != {each.name for each in fields(kind)}:
        what = f"a state of {shortened(repr(name))}, or one without its fields"
        raise InputError(what, allowed=", ".join(_KINDS), remedy=_REMEDY)
    if found["digest"] != _digest(name, state):
        raise InputError("a damaged state: its digest is another one", allowed="a whole state", remedy=_REMEDY)
    try:
        meter = kind(**{key: _value(value) for key, value in state.items()})
    except (TypeError, ValueError, OverflowError) as problem:
        what = f"a state of wrong values: {one_line(str(problem))}"
        raise InputError(what, allowed="numbers", remedy=_REMEDY) from problem
    if not _reached(meter):
        raise InputError("a state with more spent than its budget", allowed="what a run reaches", remedy=_REMEDY)
    return meter  # type: ignore[no-any-return]  # one of the kinds


def _reached(meter: RenyiFilter | RenyiOdometer | ApproxFilter) -> bool:
    """Tell whether a run reaches the state: nothing more still fits."""
    if isinstance(meter, RenyiOdometer):
        return True
    return meter.fits(np.zeros_like(meter.orders)) if isinstance(meter, RenyiFilter) else meter.fits(0.0)


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return [_plain(float(each)) for each in value]
    return "inf" if isinstance(value, float) and math.isinf(value) else value


def _value(value: Any) -> Any:
    if isinstance(value, list):
        if not all(each == "inf" or (isinstance(each, int | float) and not isinstance(each, bool)) for each in value):
            raise ValueError("something else than numbers in a list")
        return np.array([math.inf if each == "inf" else float(each) for each in value])
    return value


def _digest(kind: str, state: Mapping[str, Any]) -> str:
    text = json.dumps([VERSION, kind, state], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON")
