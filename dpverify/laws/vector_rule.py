"""The rule for fields that hold a vector: finite numbers in one dimension, copied and kept read-only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from dpverify.core.errors import InputError
from dpverify.core.rules import REFUSED, Rule


@dataclass(frozen=True, slots=True)
class Vector(Rule):
    """Finite numbers, shape (k,), k >= 1."""

    def kept(self, value: Any) -> Any:
        """A read-only copy, float64."""
        array = np.array(value, dtype=np.float64)
        if array.ndim != 1 or array.size == 0 or not np.isfinite(array).all():
            return REFUSED
        array.flags.writeable = False
        return array

    @property
    def allowed(self) -> str:
        """The allowed values, for messages."""
        return "finite numbers, shape (k,), k >= 1"

    def refuse(self, where: str, value: Any) -> NoReturn:
        """Names the shape; the numbers may be many."""
        raise InputError(f"{where} of shape {np.shape(value)}", allowed=self.allowed)


FiniteVector = Annotated[NDArray[np.float64], Vector()]
"""A vector of finite numbers, shape (k,), k >= 1; copied and read-only."""
