"""What one run with canaries found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dpverify.audits.finding import Finding
from dpverify.audits.result import Result
from dpverify.canary_kit.power import Power
from dpverify.core.verdict import Status
from dpverify.runner.record import plain, record
from dpverify.shown.view import View

FORMAT = "dpverify canaries 1"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class CanaryResult(Result):
    """The verdict of one run. It is neither true nor false: compare `verdict`, or call `check`.

    Attributes
    ----------
    verdict : Status
        ``refuted``, ``not_refuted`` (never "private"), or ``inconclusive`` (no attack, or not this one, could have
        refuted).
    measure : str
        What `bound` is of.
    bound : float or None
        Lower confidence bound by which the claim is judged.
    epsilon_lower, mu_lower : float
        Lower bounds on epsilon at `delta`, and on mu if the training is Gaussian differentially private; each at the
        confidence by itself, and beside the verdict.
    power : Power
        What the run could show, as it was said before.
    curve : mapping
        ``false_positive``, ``false_negative``: of thresholds on the scores, a picture and no bound; and ``claimed``:
        the least false-negative rate that the claim allows at each of the first.
    row : Row
        The row for reports.
    """

    name: str
    finding: Finding
    claim: str
    measure: str
    epsilon_lower: float
    mu_lower: float
    delta: float
    power: Power
    canaries: int
    inside: int
    kind: str
    relation: str
    scored_by: str
    seed: int
    curve: Mapping[str, Sequence[float]]

    @property
    def bound(self) -> float | None:
        """The lower confidence bound."""
        return self.evidence.bound if self.evidence else None

    def __repr__(self) -> str:
        return "\n".join(self.lines()[:10])

    def lines(self) -> list[str]:
        """Return the lines that a person reads."""
        word = {Status.REFUTED: "REFUTED", Status.NOT_REFUTED: "not refuted"}.get(self.verdict, str(self.verdict))
        if self.verdict is Status.REFUTED:
            what = f"{self.measure} >= {_down(self.bound)} in one run"
        elif self.verdict is Status.NOT_REFUTED:
            what = f"one run shows {self.measure} >= {_down(self.bound)}"
        else:
            what = self.row.verdict.reason
        return [
            f"{word}: {self.claim} of {self.name}: {what}",
            f"canaries: {self.canaries} ({self.kind}, {self.relation}), {self.inside} in by fair coins; "
            f"scores: {self.scored_by}; confidence {self.power.confidence:.10g}",
            f"beside it: epsilon >= {_down(self.epsilon_lower)} at delta = {self.delta:g}, "
            f"mu >= {_down(self.mu_lower)} (each at this confidence by itself)",
            f"power: {self.power.text()}",
            *self.notes,
        ]

    def view(self) -> View:
        """The view shows the lines, and the error rates of thresholds on the scores."""
        head, *rest = self.lines()[:4]
        curve = self.curve
        return View(
            title=head.partition(": ")[2],
            verdict=self.verdict.value,
            facts=[(name, text) for name, _, text in (line.partition(": ") for line in rest)],
            tradeoff={
                "claimed": {"alpha": curve["false_positive"], "beta": curve["claimed"]},
                "seen": {"alpha": curve["false_positive"], "beta": curve["false_negative"]},
            },
            again=self.row.reproduce,
            notes=self.notes,
        )

    def record(self) -> dict[str, Any]:
        """Plain values for JSON: the record of the audit, and what is beside it."""
        found: dict[str, Any] = plain(
            {
                "format": FORMAT,
                "kind": self.kind,
                "scored_by": self.scored_by,
                "inside": self.inside,
                "epsilon_lower": self.epsilon_lower,
                "mu_lower": self.mu_lower,
                "delta": self.delta,
                "power": {"detectable": self.power.detectable, "ceiling": self.power.ceiling},
                "curve": {name: list(values) for name, values in self.curve.items()},
                "notes": list(self.notes),
                "audit": record(self.row),
            }
        )
        return found


def _down(value: float | None) -> str:
    from dpverify.reporting.formatting import number_down

    return number_down(value)
