"""Claims that two computations give one and the same.

Limits: a difference says that they part; that there is none says so of these inputs only. Not to be confused with a
bound that two quantities obey (`reference_impls.papers.enclosures`).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

from dpverify.core.evidence import Enclosed
from dpverify.core.fields import Checked


@dataclass(frozen=True, kw_only=True)
class ExactlyEqual(Checked, ABC):
    """Two computations that are said to give the same numbers: subclasses have the difference."""

    @property
    @abstractmethod
    def difference(self) -> float:
        """Of what the two give; 0 where they agree to the bit."""

    def printed(self) -> Enclosed:
        """No difference is allowed."""
        return Enclosed(value=0.0)

    def truth(self) -> Enclosed:
        """The difference that was found."""
        return Enclosed(value=self.difference)

    def proved_ratio(self) -> Enclosed | None:
        """Outputs of programs are the numbers that they are, and fractions are exact: any difference is one."""
        return Enclosed(value=math.inf, proved=True) if self.difference > 0 else None
