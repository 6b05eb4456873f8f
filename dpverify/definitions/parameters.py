"""The parameters of a guarantee: numbers and tuples of numbers, checked when given, written so that they read back."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Iterable

from dpverify.core.errors import InputError

NON_NEGATIVE = "a finite number >= 0"


def non_negative(value: float) -> bool:
    """Finite and at least 0: what an epsilon, a rho, a mu or a bound may be."""
    return math.isfinite(value) and value >= 0


def number(where: str, value: object, *, fits: Callable[[float], bool], allowed: str, remedy: str = "") -> float:
    """`value` as a float.

    Parameters
    ----------
    where : str
        The parameter as the user wrote it, such as ``PureDP: epsilon``.
    fits : callable
        Whether a number is in range; it sees nan and inf too.
    allowed, remedy : str
        What the message says otherwise.

    Raises
    ------
    InputError
        For anything that is no number (booleans and strings included) or out of range.
    """
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise InputError(f"{where} = {value!r}", allowed=allowed, remedy=remedy)
    result = float(value)
    if not fits(result):
        raise InputError(f"{where} = {written(result)}", allowed=allowed, remedy=remedy)
    return result


def several(
    where: str, values: object, *, fits: Callable[[float], bool], allowed: str, remedy: str = ""
) -> tuple[float, ...]:
    """A tuple of floats, each checked as :func:`number` does."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InputError(f"{where} = {values!r}", allowed=f"a tuple, each {allowed}", remedy="write (2, 4, 8)")
    items: list[object] = list(values)
    return tuple(
        number(where if len(items) == 1 else f"{where}[{index}]", value, fits=fits, allowed=allowed, remedy=remedy)
        for index, value in enumerate(items)
    )


def written(value: float | str | tuple[float, ...]) -> str:
    """The value as the grammar reads it back exactly: the shortest repr, a whole number without ``.0``."""
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, tuple):
        return f"({', '.join(written(item) for item in value)}{',' if len(value) == 1 else ''})"
    text = repr(float(value))
    return text[:-2] if text.endswith(".0") else text


def sentence(name: str, **parameters: float | str | tuple[float, ...]) -> str:
    """``PureDP(epsilon=1)``: a guarantee's name and parameters as text."""
    return f"{name}({', '.join(f'{key}={written(value)}' for key, value in parameters.items())})"
