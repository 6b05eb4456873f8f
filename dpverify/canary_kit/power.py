"""What one run with so many canaries can show, before it is run."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpverify.core.evidence import Evidence
from dpverify.core.plugins import registry
from dpverify.core.subjects import Float, Guarantee
from dpverify.scores.audit import guess_pairs
from dpverify.scores.recorded_scores import RecordedRun
from dpverify.scores.result import ScoreResult, audit_recorded
from dpverify.shown.mixin import Displayed
from dpverify.shown.view import Dots, View


@dataclass(frozen=True, slots=True, kw_only=True)
class Power(Displayed):
    """The power of a one-run audit of a claim.

    Attributes
    ----------
    canaries : int
    measure : str
        What the numbers are of.
    claimed : float
    detectable : float or None
        A true value above this is seen with 80 % power, by the best guesses that it allows.
    ceiling : float
        The largest lower bound that a perfect attack gives, where half of the canaries are in.
    confidence : float
    """

    canaries: int
    measure: str
    claimed: float
    detectable: float | None
    ceiling: float
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
        notes=_notes,
    )


def _notes(evidence: Evidence) -> tuple[str, ...]:
    seen = evidence.statistics
    return (
        f"one training, {seen['canaries']} canaries, {seen['guesses']} guessed, {seen['correct']} right "
        f"({seen['critical'] if seen['critical'] is not None else 'no number'} would refute)",
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
