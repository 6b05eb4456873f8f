"""Points of a lemma's parameter box: where it was looked at, what was printed there and what is true there."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpverify.core.errors import AuditError
from dpverify.core.measure import Enclosed
from dpverify.core.protocols import Float, HasPrintedBound, Task

LOGARITHMIC = 10.0
"""Boxes of at least this ratio are searched on a log scale."""

BINS = 8
"""Parts of each parameter's range in the map of where a lemma fails."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What was seen at one point.

    Attributes
    ----------
    parameters : mapping
        The searched parameters; those left out are the claim's own.
    printed, truth : Enclosed
        The two sides of the lemma.
    """

    parameters: Mapping[str, float]
    printed: Enclosed
    truth: Enclosed

    @property
    def ratio(self) -> float:
        """truth / printed; 0 where nothing is promised, 1 where both are 0."""
        if math.isinf(self.printed.value):
            return 0.0
        if self.printed.value <= 0:
            return math.inf if self.truth.value > 0 else 1.0
        return self.truth.value / self.printed.value

    @property
    def least(self) -> float:
        """The ratio with both errors on the lemma's side: an excess is one even so."""
        high, low = self.printed.upper, self.truth.lower
        if math.isinf(high):
            return 0.0
        if high <= 0:
            return math.inf if low > 0 else 1.0
        return max(low, 0.0) / high

    def plain(self) -> dict[str, Any]:
        """For records."""
        return {
            "parameters": dict(self.parameters),
            "printed": self.printed.value,
            "truth": self.truth.value,
            "ratio": self.ratio,
        }


@dataclass(slots=True)
class Field:
    """The claim's box in coordinates of [0, 1], and everything that was seen in it."""

    task: Task
    seen: list[Seen] = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        """The searched parameters, in the order of the claim."""
        return list(self.task.claim.space.parameters)

    def parameters(self, shares: Sequence[float] | Float) -> dict[str, float]:
        """The parameters at a point of the unit cube."""
        found = {}
        for (name, (low, high)), share in zip(self.task.claim.space.parameters.items(), shares, strict=True):
            if low > 0 and high / low >= LOGARITHMIC:
                value = low * math.exp(float(share) * math.log(high / low))
            else:
                value = low + float(share) * (high - low)
            found[name] = min(max(value, low), high)
        return found

    def shares(self, parameters: Mapping[str, float]) -> Float:
        """The inverse of `parameters`, clipped to the cube."""
        found = []
        for name, (low, high) in self.task.claim.space.parameters.items():
            value = min(max(float(parameters[name]), low), high)
            if high == low:
                found.append(0.0)
            elif low > 0 and high / low >= LOGARITHMIC:
                found.append(math.log(value / low) / math.log(high / low))
            else:
                found.append((value - low) / (high - low))
        return np.array(found)

    def own(self) -> dict[str, float]:
        """The claim's own values of the searched parameters; the middle of the box where it has none."""
        middle = self.parameters([0.5] * len(self.names))
        return {name: float(self.task.claim.parameters.get(name, middle[name])) for name in self.names}

    def visit(self, parameters: Mapping[str, float]) -> Seen:
        """Build the lemma there and compare its two sides; AuditError when a side is no number."""
        subject: HasPrintedBound = self.task.build(**parameters)
        found = Seen(parameters=dict(parameters), printed=subject.printed(), truth=subject.truth())
        if math.isnan(found.printed.value) or math.isnan(found.truth.value):
            raise AuditError(f"{self.task.claim.subject} at {dict(parameters)} compares with a number that is none")
        self.seen.append(found)
        return found

    def map(self) -> dict[str, list[dict[str, Any]]]:
        """For each parameter, by parts of its range: how many points were looked at, how many failed, the worst."""
        if not self.seen or not self.names:
            return {}
        places = np.array([self.shares(each.parameters) for each in self.seen])
        ratios = np.array([each.least for each in self.seen])
        edges = np.linspace(0.0, 1.0, BINS + 1)
        found: dict[str, list[dict[str, Any]]] = {}
        for axis, name in enumerate(self.names):
            part = np.minimum((places[:, axis] * BINS).astype(int), BINS - 1)
            rows = []
            for number in range(BINS):
                inside = ratios[part == number]
                low, high = (self.parameters([edges[number + side]] * len(self.names))[name] for side in (0, 1))
                worst = float(inside.max()) if inside.size else None
                rows.append(
                    {"from": low, "to": high, "points": inside.size, "failed": int((inside > 1).sum()), "worst": worst}
                )
            found[name] = rows
        return found
