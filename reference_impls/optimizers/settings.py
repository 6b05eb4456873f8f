"""Hyper-parameters checked when an algorithm is built: one clear line with the name and the value."""

from __future__ import annotations

import math

from dpverify.core.errors import InputError


def need_positive(algorithm: object, *names: str) -> None:
    """Each attribute is a finite number > 0."""
    for name in names:
        value = getattr(algorithm, name)
        if not (math.isfinite(value) and value > 0):
            raise InputError(f"{type(algorithm).__name__}: {name} = {value}", allowed="a finite number > 0")


def need_non_negative(algorithm: object, *names: str) -> None:
    """Each attribute is a finite number >= 0."""
    for name in names:
        value = getattr(algorithm, name)
        if not (math.isfinite(value) and value >= 0):
            raise InputError(f"{type(algorithm).__name__}: {name} = {value}", allowed="a finite number >= 0")


def need_clip(algorithm: object, *names: str) -> None:
    """Each attribute is a clipping threshold: > 0, inf for none."""
    for name in names:
        value = getattr(algorithm, name)
        if not value > 0:
            raise InputError(
                f"{type(algorithm).__name__}: {name} = {value}", allowed="a number > 0", remedy="inf for no clipping"
            )


def need_share(algorithm: object, *names: str) -> None:
    """Each attribute is in (0, 1]."""
    for name in names:
        value = getattr(algorithm, name)
        if not 0 < value <= 1:
            raise InputError(f"{type(algorithm).__name__}: {name} = {value}", allowed="a number in (0, 1]")


def need_count(algorithm: object, *names: str) -> None:
    """Each attribute is a whole number >= 1."""
    for name in names:
        value = getattr(algorithm, name)
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise InputError(f"{type(algorithm).__name__}: {name} = {value!r}", allowed="a whole number >= 1")
