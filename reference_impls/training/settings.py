"""Ranges of attributes, checked by hand, for lemma subjects; algorithms have annotated fields instead."""

from __future__ import annotations

import math
from numbers import Integral, Real

from dpverify.core.errors import InputError


def need_positive(algorithm: object, *names: str) -> None:
    """Each attribute is a finite number > 0."""
    for name in names:
        value = getattr(algorithm, name)
        if not (_is_number(value) and math.isfinite(value) and value > 0):
            raise InputError(_said(algorithm, name), allowed="a finite number > 0")


def need_non_negative(algorithm: object, *names: str) -> None:
    """Each attribute is a finite number >= 0."""
    for name in names:
        value = getattr(algorithm, name)
        if not (_is_number(value) and math.isfinite(value) and value >= 0):
            raise InputError(_said(algorithm, name), allowed="a finite number >= 0")


def need_clip(algorithm: object, *names: str) -> None:
    """Each attribute is a clipping threshold: > 0, inf for none."""
    for name in names:
        value = getattr(algorithm, name)
        if not (_is_number(value) and value > 0):
            raise InputError(_said(algorithm, name), allowed="a number > 0", remedy="inf for no clipping")


def need_share(algorithm: object, *names: str) -> None:
    """Each attribute is in (0, 1]."""
    for name in names:
        value = getattr(algorithm, name)
        if not (_is_number(value) and 0 < value <= 1):
            raise InputError(_said(algorithm, name), allowed="a number in (0, 1]")


def need_between(algorithm: object, low: float, high: float, *names: str) -> None:
    """Each attribute is a number in the open interval (low, high)."""
    for name in names:
        value = getattr(algorithm, name)
        if not (_is_number(value) and low < value < high):
            raise InputError(_said(algorithm, name), allowed=f"a number, {low:g} < {name} < {high:g}")


def need_count(algorithm: object, *names: str) -> None:
    """Each attribute is a whole number >= 1; NumPy's will do."""
    for name in names:
        value = getattr(algorithm, name)
        if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
            raise InputError(_said(algorithm, name), allowed="a whole number >= 1")


def _is_number(value: object) -> bool:
    """Python's and NumPy's numbers, but no truth value."""
    return isinstance(value, Real) and not isinstance(value, bool)


def _said(algorithm: object, name: str) -> str:
    return f"{type(algorithm).__name__}: {name} = {getattr(algorithm, name)!r}"
