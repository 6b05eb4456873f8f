"""What one run with canaries found."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpverify.audits.finding import Finding
from dpverify.audits.result import Result
from dpverify.core.plugins import registry
from dpverify.core.subjects import Float, Guarantee
from dpverify.core.verdict import Status
from dpverify.runner.record import plain, record
from dpverify.scores.audit import guess_pairs, one_run_notes
from dpverify.scores.recorded_scores import RecordedRun
from dpverify.scores.result import ScoreResult, audit_recorded
from dpverify.shown.mixin import Displayed
from dpverify.shown.view import Dots, View

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Power(Displayed):
    """The power of a one-run audit of a claim."""

    canaries: int
    measure: str
    """What the numbers are of."""
    claimed: float
    detectable: float | None
    """A true value above this is seen with 80 % power, by the best guesses that it allows."""
    ceiling: float
    """The largest lower bound that a perfect attack gives, where half of the canaries are in."""
    confidence: float

    @property
    def able(self) -> bool:
        """Tell whether any attack could refute the claim."""
        return self.ceiling > self.claimed

    def text(self) -> str:
        """Such as ``with 1000 canaries you could see epsilon(delta=1e-05) above 1.35``."""
        if not self.able or self.detectable is None or not math.isfinite(self.detectable):
            return (
                f"with {self.canaries} canaries no attack could refute {self.measure} = {self.claimed:.4g}: one run "
                f"shows {self.ceiling:.3g} at most"
            )
        return (
            f"with {self.canaries} canaries you could see {self.measure} above {self.detectable:.3g} (80 % power, the "
            f"best attack); a perfect one shows {self.ceiling:.3g}"
        )

    __str__ = text

    def view(self) -> View:
        """The view shows the claim beside what would be seen."""
        return View(
            title=f"what one run with {self.canaries} canaries can show",
            facts=[("power", self.text()), ("sure", f"confidence {self.confidence:g}")],
            dots=Dots(
                x=self.measure,
                marks=("claimed", "seen with 80 % power", "shown by a perfect attack"),
                rows=[("one run", (self.claimed, self.detectable if self.able else None, self.ceiling))],
            ),
        )


def power_of(claim: Guarantee | str, count: int, *, relation: str, confidence: float, guesses: object = None) -> Power:
    """The auditor's own numbers give the power for an attack that says nothing; they do not depend on the scores."""
    found = one_run(
        np.zeros(count),
        np.arange(count) % 2 == 0,
        claim=claim,
        relation=relation,
        confidence=confidence,
        guesses=guesses,
        seed=0,
        name="power",
    )
    evidence = found.evidence
    assert evidence is not None
    return Power(
        canaries=count,
        measure=found.measure,
        claimed=evidence.measure.claimed,
        detectable=evidence.detectable,
        ceiling=float(evidence.ceiling or 0.0),
        confidence=confidence,
    )


def one_run(
    scores: Float,
    coins: NDArray[np.bool_],
    *,
    claim: Guarantee | str,
    relation: str,
    confidence: float,
    guesses: Any,
    seed: int,
    name: str,
) -> ScoreResult:
    """The verdict on a claim; errors as `dpverify.audit_one_run`.

    The theorems speak of a value of each canary that a fair coin chooses. Under ``add-remove`` it is there or not,
    under ``replace`` it or another record is there; either way neighbours differ in one canary.
    """
    auditor: Any = registry().auditors.get("one-run")
    if guesses is not None:
        auditor = dataclasses.replace(auditor, guesses=guess_pairs(guesses))
    return audit_recorded(
        RecordedRun(given=scores, included=coins.astype(np.int64)),
        auditor,
        claim=claim,
        relation=relation,
        confidence=confidence,
        seed=seed,
        name=name,
        trials=int(coins.size),
        notes=lambda evidence: one_run_notes(evidence)[:1],
    )


def curve(scores: Float, coins: NDArray[np.bool_], points: int) -> tuple[list[float], list[float]]:
    """(false-positive rates, false-negative rates) of thresholds on the scores, rising: a picture, no bound."""
    order: Sequence[int] = np.argsort(-scores, kind="stable").tolist()
    hits = coins[order]
    inside, outside = max(int(coins.sum()), 1), max(int((~coins).sum()), 1)
    positive = np.concatenate([[0], np.cumsum(~hits)]) / outside
    negative = 1.0 - np.concatenate([[0], np.cumsum(hits)]) / inside
    kept = np.unique(np.linspace(0, len(order), points + 1).astype(int))
    return positive[kept].tolist(), negative[kept].tolist()
