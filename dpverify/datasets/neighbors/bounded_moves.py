"""Moving query answers by at most one, exactly, and saying by how much two vectors of answers differ.

Floating-point addition can carry ``a + 1`` a hair further than one away from ``a``; an exact law would then refute a
claim that holds with equality. So generated pairs are moved back until the *real* difference of the two floats is at
most one. Pairs that users bring get a tolerance of 1e-12 instead, because 1.1 - 0.1 is theirs to write.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpverify.core.subjects import Float

ROUNDING = 1e-12


def exceeds_one(base: Float, moved: Float) -> NDArray[np.bool_]:
    """Where ``|moved - base| > 1`` in real arithmetic, same shape.

    The rounding error of the difference is itself computed without error (Knuth's TwoSum).
    """
    difference = moved - base
    virtual = difference - moved
    lost = (moved - (difference - virtual)) - (base + virtual)
    size, tail = np.abs(difference), np.sign(difference) * lost
    return np.asarray((size > 1.0) | ((size == 1.0) & (tail > 0.0)))


def moved_within(base: Float, shift: Float, *, low: float, high: float) -> Float:
    """``base + shift`` kept inside [low, high] and never further than one from `base`, rounding included."""
    moved = np.clip(base + shift, low, high)
    while (far := exceeds_one(base, moved)).any():
        moved = np.where(far, np.nextafter(moved, base), moved)
    return np.asarray(moved, dtype=np.float64)


def as_answers(dataset: Any, name: str) -> Float | str:
    """A vector of finite query answers, or why `dataset` is none (one line)."""
    try:
        answers = np.asarray(dataset, dtype=np.float64)
    except (TypeError, ValueError):
        return f"{name} is not a vector of numbers (nested lists must have equal lengths)"
    if answers.ndim > 1:
        return f"{name} has shape {answers.shape}: query answers are one number or a plain vector"
    if not np.isfinite(answers).all():
        return f"{name} has a NaN or an infinite answer at entry {int(np.argmin(np.isfinite(answers.ravel())))}"
    return np.atleast_1d(answers)


def differences(d0: Any, d1: Any) -> Float | str:
    """``|d1 - d0|``, shape (k,), or why the two cannot be compared (one line)."""
    first, second = as_answers(d0, "d0"), as_answers(d1, "d1")
    if isinstance(first, str):
        return first
    if isinstance(second, str):
        return second
    if first.shape != second.shape:
        return f"d0 has {first.size} query answers and d1 has {second.size}: both must have the same number"
    return np.abs(second - first)


def moves_too_far(moves: Float) -> str | None:
    """None when no entry moves by more than one, else the entry that moves furthest (one line)."""
    if moves.size and float(moves.max()) > 1.0 + ROUNDING:
        entry = int(np.argmax(moves))
        return f"entry {entry} moves by {float(moves[entry]):.13g}, more than 1"
    return None


def check_moves(d0: Any, d1: Any) -> str | None:
    """None when both are vectors of equal length and no entry moves by more than 1 (+ 1e-12 for rounding)."""
    moves = differences(d0, d1)
    return moves if isinstance(moves, str) else moves_too_far(moves)
