"""Data sets as mechanisms take them: query answers, numeric records, or one value of a finite domain."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dpverify.core.errors import InputError
from dpverify.core.subjects import Dataset

Float = NDArray[np.float64]
Integer = NDArray[np.int64]


def query_vector(dataset: Dataset) -> Float:
    """The data set as query answers, float64 of shape (k,), k >= 1; a single number is a vector of one.

    Raises
    ------
    InputError
        When it is anything else, or holds a NaN or an infinite answer.
    """
    try:
        answers = np.atleast_1d(np.asarray(dataset, dtype=np.float64))
    except (TypeError, ValueError):
        raise InputError(f"a data set of type {type(dataset).__name__}", allowed="a vector of query answers") from None
    if answers.ndim != 1 or answers.size == 0 or not np.isfinite(answers).all():
        raise InputError(f"query answers of shape {answers.shape}", allowed="finite numbers, shape (k,), k >= 1")
    return answers


def single_answer(dataset: Dataset) -> Float:
    """The data set as one query answer, shape (1,); InputError for more."""
    answers = query_vector(dataset)
    if answers.size != 1:
        raise InputError(f"{answers.size} query answers", allowed="one", remedy="use the mechanism for vectors")
    return answers


def records(dataset: Dataset) -> Float:
    """The data set as numeric records, float64 of shape (n,), n >= 0; InputError otherwise."""
    try:
        values = np.asarray(dataset, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"a data set of type {type(dataset).__name__}", allowed="a list of numbers") from None
    if values.ndim != 1 or not np.isfinite(values).all():
        raise InputError(f"records of shape {values.shape}", allowed="finite numbers, shape (n,)")
    return values


def category(dataset: Dataset, size: int) -> int:
    """The data set as one value of a domain 0..size-1; InputError otherwise."""
    value = np.asarray(dataset).reshape(-1)
    if value.size != 1 or not 0 <= value[0] < size or value[0] != int(value[0]):
        raise InputError(f"the value {dataset!r}", allowed=f"a whole number in 0..{size - 1}")
    return int(value[0])
