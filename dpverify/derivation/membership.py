"""Which of some known places or keys one record's value is: the ways of the record part there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from dpverify.derivation.homes import PYTHON, SMALL
from dpverify.derivation.machine import Machine
from dpverify.derivation.operators import elementwise
from dpverify.derivation.stop import NotDerivedError
from dpverify.derivation.values import CellMap, Cells, Lifted, OneRecord, Private, Public
from dpverify.proofs.operations import PYTHON_INT, TEXT

MOST_KEYS = 64

HOLDERS = (tuple, list, dict, set, frozenset, CellMap)
"""A class of its own may say something else of what is in it."""


def is_text(machine: Machine, value: OneRecord, text: Any) -> OneRecord:
    """``record == "a"``."""
    if type(text) is not str or value.node.op != "field":
        raise NotDerivedError("a text of a record is compared with what is no known text")
    texts = machine.program.texts
    node = machine.op("is_text", value.node, text=text, code=texts.get(text, len(texts)))
    return OneRecord(node, home=PYTHON)


def is_equal(machine: Machine, value: OneRecord | Public, key: Any) -> Any:
    """``value == key`` for a key that is known."""
    if value.node.kind == TEXT:
        assert isinstance(value, OneRecord)
        return is_text(machine, value, key)
    if type(key) not in (int, float) or (type(key) is float and math.isnan(key)):
        raise NotDerivedError("a number is looked for among other things")
    return elementwise(machine, "equal", value, key)


def is_among(machine: Machine, value: Any, holder: Any) -> bool:
    """``value in holder``, for a known tuple, list or dict of numbers or of texts."""
    if not isinstance(value, OneRecord | Public) or value.array or type(holder) not in HOLDERS:
        raise NotDerivedError("`in` has a rule for a number or text among known ones, in a tuple, a list or a dict")
    if len(holder) > MOST_KEYS:
        raise NotDerivedError(f"`in` among more than {MOST_KEYS}")
    return any(machine.holds(is_equal(machine, value, key)) for key in holder)


def place_in(machine: Machine, key: Any, length: int) -> Any:
    """The place in a list or array of this length that a whole number of a record, or a released one, is."""
    if not isinstance(key, OneRecord | Public) or key.array:
        return key
    if key.node.kind not in (PYTHON_INT, "int64"):
        raise NotDerivedError("a place that is no known whole number", "int(...)")
    if not length or length > MOST_KEYS:
        raise NotDerivedError(f"a place among more than {MOST_KEYS}", "numpy.histogram, numpy.bincount")
    key, shift = _shifted(key)
    if not machine.holds(elementwise(machine, "less_equal", -shift, key)):
        raise NotDerivedError("a place that may lie below 0", "clip it")
    for place in range(length):
        if machine.holds(elementwise(machine, "less", key, place + 1 - shift)):
            return place
    raise NotDerivedError("a place that may lie beyond the end", "min(place, len(counts) - 1)")


def _shifted(key: OneRecord | Public) -> tuple[OneRecord | Public, int]:
    """A released place less the known whole number in it: `k` and 1 for ``k + 1``, so that both ask the same of `k`."""
    node, shift = key.node, 0
    while (
        isinstance(key, Public)
        and node.op == "add"
        and node.inputs[1].op == "constant"
        and bool(node.inputs[1].range.most <= SMALL)
    ):
        node, shift = node.inputs[0], shift + int(node.inputs[1].range.lo)
    return (Public(node, home=key.home) if shift else key), shift


def key_in(machine: Machine, key: Any, keys: Sequence[Any], default: Any = None) -> Any:
    """The key of a dict that a record's value is; without a `default` it must be one of them."""
    if not isinstance(key, Lifted) and default is not None:
        return key if key in keys else default
    if not isinstance(key, OneRecord) or key.array:
        return key
    if len(keys) > MOST_KEYS:
        raise NotDerivedError(f"a record's key among more than {MOST_KEYS}")
    texts = machine.program.texts
    for each in sorted(keys, key=lambda one: texts.get(one, len(texts)) if type(one) is str else one):
        if machine.holds(is_equal(machine, key, each)):
            return each
    if default is not None:
        return default
    raise NotDerivedError("a key of a record that the dict may not have", "`if key in counts`")


def resolved(machine: Machine, holder: Any, key: Any) -> Any:
    """The place or key, where it is a record's."""
    if type(holder) in (dict, CellMap):
        return key_in(machine, key, list(holder))
    if type(holder) in (list, tuple, Cells, np.ndarray):
        return place_in(machine, key, len(holder))
    if isinstance(holder, Private | Public) and holder.array and holder.node.shape and isinstance(key, Public):
        return place_in(machine, key, holder.node.shape[0])
    return key
