"""Combines e-values: averages, products of independent ones, and families of hypotheses.

Results: an average of e-values against one hypothesis is one, in any dependence (Vovk and Wang, Annals of Statistics
2021). A product is one where each factor has expectation at most 1 *given all that came before it*, such as e-values of
independent draws, each taken at a stopping time of its own: the product of the first k is then a supermartingale in k,
and so is the wealth inside the last factor times the product of those before, so it may be looked at, and stopped, at
any time (Ville). Several hypotheses are combined by e-BH (`dpverify.stats.multiplicity.e_bh`), which needs no
independence.

Limits: a product of e-values of the *same* draws is not an e-value. Neither is the largest of several e-values; the
smallest is one, and so is a weighted average with weights fixed before the draws.
"""

from __future__ import annotations

import math
import sys

import numpy as np
from numpy.typing import ArrayLike

from dpverify.core.errors import InputError
from dpverify.stats.betting import average_e_values
from dpverify.stats.multiplicity import e_bh

__all__ = ["average_e_values", "e_bh", "product_e_values"]

ROUNDING = 4e-16


def product_e_values(e_values: ArrayLike) -> float:
    """Product of e-values from independent draws against one hypothesis, which is an e-value again.

    Parameters
    ----------
    e_values : array_like of float
        Shape (m,), at least 0, in the order in which they were made.

    Returns
    -------
    float
        At least 0; inf beyond the largest double; never above the product in exact arithmetic; 1 for an empty list.

    Raises
    ------
    InputError
        For negative values or nan, or 0 beside inf.
    """
    values = np.asarray(e_values, dtype=np.float64)
    if values.ndim != 1 or not np.all(values >= 0.0) or (np.any(values == 0.0) and np.any(np.isinf(values))):
        raise InputError(f"e-values {e_values!r}", allowed="a list of finite numbers >= 0", remedy="")
    if values.size == 0:
        return 1.0
    if np.any(values == 0.0):
        return 0.0
    parts = np.frexp(values)  # mantissas and exponents are multiplied separately, so no intermediate product overflows
    mantissa, exponent = 1.0, int(np.sum(parts[1].astype(np.int64)))
    for part in parts[0].tolist():
        mantissa, shift = math.frexp(mantissa * part)
        exponent += shift
    try:
        found = math.ldexp(mantissa * (1.0 - ROUNDING * values.size), exponent)
    except OverflowError:
        return math.inf
    return found if found > sys.float_info.min else math.nextafter(found, 0.0)  # below, ldexp may round upwards
