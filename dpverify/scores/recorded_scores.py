"""Scores as subjects: what was recorded is all that there is, so it comes back whatever stream is given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpverify.core.errors import InputError
from dpverify.core.subjects import Float

FEWEST_CANARIES = 2
MOST_VALUES = 10**6


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class RecordedScores:
    """Scores of trainings with the record (`inside`) and without (`outside`), float64, shapes (n,) and (m,)."""

    inside: Float
    outside: Float

    def scores(self, *, rng: np.random.Generator) -> tuple[Float, Float]:
        """Scores with and without the record, as they were recorded."""
        return self.inside, self.outside


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class RecordedRun:
    """One training: a score a canary, shape (m,), or one for each of its values, shape (m, values); and its value."""

    given: Float
    included: NDArray[np.int64]
    values: int = 2

    @property
    def canaries(self) -> int:
        """Number of canaries."""
        return int(self.included.size)

    def canary_run(self, *, rng: np.random.Generator) -> tuple[Float, NDArray[np.int64]]:
        """Scores and values of the canaries, as they were recorded."""
        return self.given, self.included


def numbers(values: ArrayLike, what: str, *, dimensions: Sequence[int] = (1,)) -> Float:
    """Return float64; InputError for what is none, is empty, or has another number of dimensions."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except OverflowError:
        raise InputError(f"{what}: a number beyond all floating-point ones", allowed="numbers below 1.8e308") from None
    except (TypeError, ValueError, RecursionError, MemoryError):
        raise InputError(f"{what} are not all numbers", allowed="a list of numbers") from None
    if array.ndim not in dimensions or array.size == 0:
        raise InputError(
            f"{what} of shape {array.shape}",
            allowed=f"{' or '.join(map(str, dimensions))}-dimensional, at least one number",
        )
    return array


def inclusions(values: ArrayLike) -> NDArray[np.int64]:
    """Return integers of booleans, or of whole numbers from 0; InputError for anything else."""
    try:
        array: NDArray[Any] = np.asarray(values)
    except ValueError:  # rows of different lengths
        raise InputError("inclusions of different lengths", allowed="one number a canary") from None
    whole = array.dtype.kind in "biuf" and array.ndim == 1 and array.size >= FEWEST_CANARIES
    if not whole or not np.all(array == np.floor(array)) or np.min(array) < 0 or np.max(array) >= MOST_VALUES:
        raise InputError(
            f"inclusions of shape {array.shape} and type {array.dtype}",
            allowed="one true or false (or 1 or 0, or the number of the canary's value, below a million) for each of 2 "
            "canaries or more",
        )
    return array.astype(np.int64)
