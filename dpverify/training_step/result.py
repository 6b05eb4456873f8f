"""What a check of a training step found: one row a question, and the verdict of all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dpverify.audits.finding import Finding
from dpverify.audits.result import Result
from dpverify.core.evidence import Measure
from dpverify.core.verdict import Status
from dpverify.runner.environment import environment
from dpverify.runner.record import plain
from dpverify.shown.view import WORDS, View
from dpverify.training_step.step_row import StepRow

FORMAT = "dpverify training step 1"


@dataclass(frozen=True, slots=True, kw_only=True)
class StepClaim:
    """The claim about one step: each record's gradient is clipped, and the sum of them has Gaussian noise."""

    clip: float
    noise_multiplier: float
    batch_size: float

    def text(self) -> str:
        """The claim in a few words."""
        return (
            f"a step with clip {self.clip:g}, noise multiplier {self.noise_multiplier:g} and expected batch size "
            f"{self.batch_size:g}"
        )

    def measures(self) -> tuple[Measure, ...]:
        """Return none: its rows have the numbers."""
        return ()


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class TrainingStepResult(Result):
    """Rows of checks of one step. It is neither true nor false: compare `verdict`, or call `check`.

    Attributes
    ----------
    verdict : Status
        ``refuted`` where a row is, else ``inconclusive`` where a row is, else ``not_refuted``, which proves nothing.
    rows : tuple of StepRow
        The checks: name, verdict, number, words, the smallest batch that shows it, and what to change.
    confidence : float
        1 - the probability that noise which is as claimed is refuted; all other rows are exact.
    rounding : float
        Unit roundoff of the step's arithmetic, which the exact rows allow for.
    calls : int
        How often the step was called.
    """

    finding: Finding
    rows: tuple[StepRow, ...]
    confidence: float
    rounding: float
    calls: int

    @property
    def name(self) -> str:
        """The name of the step."""
        return self.row.entry.claim.subject

    def __getitem__(self, name: str) -> StepRow:
        """Return the row of a name."""
        return next(row for row in self.rows if row.name == name)

    def finding_line(self) -> str:
        """The verdict in one line, with the first row that it rests on."""
        first = next((row for row in self.rows if row.verdict is self.verdict), None)
        told = "" if first is None or self.verdict is Status.NOT_REFUTED else f": {first.name}: {first.words}"
        return f"{self._title()} is {WORDS[self.verdict.value]}{told}"

    def __repr__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> list[str]:
        """Return the lines that a person reads."""
        head = WORDS[self.verdict.value]
        found = [f"{head.upper() if self.verdict is Status.REFUTED else head}: {self._title()}"]
        for row in self.rows:
            found.append(f"  {row.name}: {_mark(row)}{row.words}")
            if row.shown:
                found.append(f"    shown by: {row.shown}")
            if row.change:
                found.append(f"    change: {row.change}")
        return [*found, self._said(), *self.notes]

    def _said(self) -> str:
        return (
            f"{self.calls} calls of the step; exact rows allow for arithmetic of unit roundoff {self.rounding:.2g}; "
            f"error probability of the noise rows {1.0 - self.confidence:.2g}"
        )

    def _title(self) -> str:
        return f"{self.name} as {self.row.entry.claim.guarantee.text()}"

    def view(self) -> View:
        """The view shows a table of the rows."""
        rows = [
            (row.name, WORDS[row.verdict.value], row.words, "; ".join(filter(None, (row.shown, row.change))))
            for row in self.rows
        ]
        return View(
            title=self._title(),
            verdict=self.verdict.value,
            facts=[("checked", self._said())],
            table=[("check", "", "found", "shown by; what to change"), *rows],
            notes=self.notes,
        )

    def record(self) -> dict[str, Any]:
        """Return the result as plain values for JSON."""
        claim = self.row.entry.claim.guarantee
        assert isinstance(claim, StepClaim)
        found: dict[str, Any] = plain(
            {
                "format": FORMAT,
                "step": self.name,
                "verdict": str(self.verdict),
                "claim": {
                    "clip": claim.clip,
                    "noise_multiplier": claim.noise_multiplier,
                    "batch_size": claim.batch_size,
                },
                "rows": [
                    {
                        "name": row.name,
                        "verdict": str(row.verdict),
                        "number": row.number,
                        "words": row.words,
                        "shown": row.shown,
                        "change": row.change,
                    }
                    for row in self.rows
                ],
                "confidence": self.confidence,
                "rounding": self.rounding,
                "calls": self.calls,
                "seed": self.row.seed,
                "seconds": round(self.row.seconds, 3),
                "notes": list(self.notes),
                "environment": environment(),
            }
        )
        return found


def _mark(row: StepRow) -> str:
    return "REFUTED: " if row.verdict is Status.REFUTED else "? " if row.verdict is Status.INCONCLUSIVE else ""
