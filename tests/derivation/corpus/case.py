"""One function of the corpus, with the question that is asked of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

NUMBERS = [0.2, 0.9, 1.0, 0.0]
ARRAY = np.array(NUMBERS)
WHOLE = np.array([1, 2, 9])
ROWS = np.array([[0.1, 0.2, 0.3], [0.3, -0.6, 0.9]])
IN_A_BOX = {"records": "row(3, float(-3, 3))"}
WIDE = {"bounds": (-5.0, 5.0)}


@dataclass(frozen=True)
class Case:
    """A function, its claim and its domain."""

    function: Callable[..., Any]
    claim: str
    data: Any
    domain: dict[str, Any]

    @property
    def name(self) -> str:
        """Of the function."""
        return getattr(self.function, "__name__", type(self.function).__name__)


def collects(cases: list[Case]) -> Callable[..., Callable[[Any], Any]]:
    """A decorator that puts a function with its question into a list, and leaves the function as it is."""

    def case(claim: str, data: Any, **domain: Any) -> Callable[[Any], Any]:
        def keep(function: Any) -> Any:
            cases.append(Case(function, claim, data, domain))
            return function

        return keep

    return case
