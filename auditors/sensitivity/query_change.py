"""The change of a query between two data sets, and the error of that number.

There are two methods; the evidence says which was used:

- *rational*: the query is run on the data as Python fractions. If its answers are fractions, nothing was rounded, and
  the norm of the difference is exact (rounded down once, at the end).
- *float64*: the query's answers are floats, and their difference is computed exactly in fractions. For rounding inside
  the query, 16 (N + 16) 2^-53 times the sum of all magnitudes is allowed, with N numbers in the data and the answers:
  sixteen times the classical bound for a sum of N terms (Higham, Accuracy and Stability of Numerical Algorithms,
  section 4.2). The result holds for the query as implemented. A query with a much worse condition than a sum should be
  checked by hand when it is refuted by a small margin.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from dpverify.core.errors import InputError, one_line
from dpverify.core.subjects import Dataset, Float, Pair

SAFETY = 16.0
UNIT = 2.0**-53
AGREE = 1e-6
"""Relative difference from which fractions and floats count as two different queries; fractions are then not used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A norm of ``query(d1) - query(d0)``."""

    value: float
    """The norm, rounded down."""
    error: float
    """Possible rounding error inside the query; 0 in rational arithmetic."""
    arithmetic: str
    """``rational`` or ``float64``."""


def answers(subject: Any, dataset: Dataset, name: str) -> Float:
    """The query's answers, shape (k,); InputError unless they are finite numbers."""
    try:
        raw = subject.query(dataset)
    except InputError:
        raise
    except Exception as problem:
        raise InputError(
            f"the query raised {type(problem).__name__} on {name}: {one_line(str(problem)) or '(no message)'}",
            allowed="a query that answers on every neighbouring pair of the search space",
            remedy="narrow the search space, or mend the query",
        ) from problem
    try:
        found = np.atleast_1d(np.asarray(raw, dtype=np.float64)).ravel()
    except (TypeError, ValueError):
        found = np.array([np.nan])
    if not np.isfinite(found).all():
        raise InputError(f"the query's answer on {name} is no finite vector of numbers", allowed="finite numbers")
    return found


def quick_change(subject: Any, pair: Pair, norm: str) -> float:
    """The norm in plain floating point, for searching; InputError when the two answers have different lengths."""
    first, second = answers(subject, pair.d0, "d0"), answers(subject, pair.d1, "d1")
    if first.shape != second.shape:
        raise InputError(
            f"the query has {first.size} answers on d0 and {second.size} on d1",
            allowed="equally many answers on neighbouring data sets",
            remedy="a change of length is a leak of its own: pad the answers",
        )
    difference = np.abs(second - first)
    if norm == "l1":
        return float(difference.sum())
    return float(np.sqrt((difference * difference).sum())) if norm == "l2" else float(difference.max())


def certain_change(subject: Any, pair: Pair, norm: str) -> Change:
    """The norm with its error; rational where the query allows it."""
    first, second = answers(subject, pair.d0, "d0"), answers(subject, pair.d1, "d1")
    exact = [_rational(subject, side, seen) for side, seen in ((pair.d0, first), (pair.d1, second))]
    if exact[0] is not None and exact[1] is not None:
        return Change(value=_norm(exact[0], exact[1], norm), error=0.0, arithmetic="rational")
    value = _norm([Fraction(x) for x in first.tolist()], [Fraction(x) for x in second.tolist()], norm)
    numbers = [*_numbers(pair.d0), *_numbers(pair.d1), first, second]
    count = sum(array.size for array in numbers)
    magnitude = math.fsum(float(np.abs(array).sum()) for array in numbers)
    return Change(value=value, error=SAFETY * (count + SAFETY) * UNIT * magnitude, arithmetic="float64")


def _norm(first: Sequence[Fraction], second: Sequence[Fraction], norm: str) -> float:
    """The norm of the difference, rounded down to a float (up to one unit lower for l2)."""
    moves = [abs(b - a) for a, b in zip(first, second, strict=True)]
    if norm == "l2":
        square = sum((move * move for move in moves), Fraction(0))
        value = math.sqrt(square)
        while Fraction(value) ** 2 > square:
            value = math.nextafter(value, 0.0)
        return value
    exact = sum(moves, Fraction(0)) if norm == "l1" else max(moves)
    value = float(exact)
    return math.nextafter(value, 0.0) if Fraction(value) > exact else value


def _rational(subject: Any, dataset: Dataset, seen: Float) -> list[Fraction] | None:
    """The answers as fractions; None when the query returns no fractions, or other values than with floats."""
    try:
        array = np.asarray(dataset)
        if array.dtype.kind not in "iuf":
            return None
        fractions = np.array([Fraction(x) for x in array.ravel().tolist()], dtype=object).reshape(array.shape)
        found = np.atleast_1d(np.asarray(subject.query(fractions), dtype=object)).ravel().tolist()
    except Exception:  # noqa: BLE001 - whatever a query does with fractions, it only means that it does not take them
        return None
    if len(found) != seen.size or not all(isinstance(x, (int, Fraction)) and not isinstance(x, bool) for x in found):
        return None
    scale = 1.0 + float(np.abs(seen).max())
    if max(abs(float(x) - y) for x, y in zip(found, seen.tolist(), strict=True)) > AGREE * scale:
        return None
    return [Fraction(x) for x in found]


def _numbers(dataset: Dataset) -> list[Float]:
    """The numbers in a data set, as far as they can be read."""
    if dataclasses.is_dataclass(dataset) and not isinstance(dataset, type):
        return [part for field in dataclasses.fields(dataset) for part in _numbers(getattr(dataset, field.name))]
    try:
        array = np.asarray(dataset, dtype=np.float64)
    except (TypeError, ValueError):
        return []
    return [array.ravel()] if array.size and np.isfinite(array).all() else []
