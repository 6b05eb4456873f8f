"""Points of a lemma's parameter box: where it was looked at, what was printed there and what is true there."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from auditors.search_boxes import EvaluatedPoint, at, region, share
from dpverify.core.auditing import Task
from dpverify.core.errors import AuditError, UnsupportedError
from dpverify.core.evidence import Enclosed
from dpverify.core.subjects import Float, HasPrintedBound


@dataclass(frozen=True, slots=True, kw_only=True)
class LemmaPoint:
    """Both sides of the lemma at one point."""

    parameters: Mapping[str, float]
    """The searched parameters; others have the claim's stated values."""
    printed: Enclosed
    truth: Enclosed
    """`printed`, `truth`: the two sides of the lemma."""

    @property
    def ratio(self) -> float:
        """truth / printed; 0 where the printed bound is infinite, 1 where both are 0."""
        if math.isinf(self.printed.value):
            return 0.0
        if self.printed.value <= 0:
            return math.inf if self.truth.value > 0 else 1.0
        return self.truth.value / self.printed.value

    @property
    def least(self) -> float:
        """The ratio with all errors in the lemma's favour, so above 1 only for a certain excess."""
        high, low = self.printed.upper, self.truth.lower
        if math.isinf(high):
            return 0.0
        if high <= 0:
            return math.inf if low > 0 else 1.0
        return max(low, 0.0) / high

    def plain(self) -> dict[str, Any]:
        """Plain values for records."""
        return {
            "parameters": dict(self.parameters),
            "printed": self.printed.value,
            "truth": self.truth.value,
            "ratio": self.ratio,
        }


@dataclass(slots=True)
class LemmaBox:
    """The claim's box of parameters as a unit cube, and all points evaluated in it."""

    task: Task
    seen: list[LemmaPoint] = field(default_factory=list)
    uncomputed: int = 0
    """Points that were sought and could not be computed."""

    @property
    def names(self) -> list[str]:
        """The searched parameters, in the order of the claim."""
        return list(self.task.claim.space.parameters)

    def parameters(self, shares: Sequence[float] | Float) -> dict[str, float]:
        """The parameters at a point of the unit cube."""
        boxes = self.task.claim.space.parameters.items()
        return {name: at(float(part), *box) for (name, box), part in zip(boxes, shares, strict=True)}

    def shares(self, parameters: Mapping[str, float]) -> Float:
        """The inverse of `parameters`, clipped to the cube."""
        return np.array([share(parameters[name], *box) for name, box in self.task.claim.space.parameters.items()])

    def own(self) -> dict[str, float]:
        """The claim's stated values of the searched parameters; the middle of the box where it has none."""
        middle = self.parameters([0.5] * len(self.names))
        return {name: float(self.task.claim.parameters.get(name, middle[name])) for name in self.names}

    def visit(self, parameters: Mapping[str, float]) -> LemmaPoint:
        """Build the lemma at a point and compare its two sides; AuditError when a side is nan."""
        subject: HasPrintedBound = self.task.build(**parameters)
        return self._kept(parameters, subject.printed(), subject.truth())

    def sought(self, parameters: Mapping[str, float]) -> LemmaPoint | None:
        """Evaluate a point of a search: None where the lemma cannot compute a side.

        That happens outside the range of doubles, of the working precision, or of quadrature.
        """
        subject: HasPrintedBound = self.task.build(**parameters)
        try:
            printed, truth = subject.printed(), subject.truth()
        except (AuditError, UnsupportedError):
            self.uncomputed += 1
            return None
        return self._kept(parameters, printed, truth)

    def _kept(self, parameters: Mapping[str, float], printed: Enclosed, truth: Enclosed) -> LemmaPoint:
        if math.isnan(printed.value) or math.isnan(truth.value):
            raise AuditError(f"{self.task.claim.subject} at {dict(parameters)} compares with a number that is none")
        found = LemmaPoint(parameters=dict(parameters), printed=printed, truth=truth)
        self.seen.append(found)
        return found

    def map(self, allowed: float) -> dict[str, list[dict[str, Any]]]:
        """All evaluated points, and those at which the ratio exceeds `allowed`."""
        looks = [
            EvaluatedPoint(parameters=each.parameters, ratio=each.least, failed=each.least > allowed)
            for each in self.seen
        ]
        return region(self.task.claim.space.parameters, looks, {})
