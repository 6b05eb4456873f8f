"""The one-run tests of scores and coins, by the auditor ``one-run``, under either relation."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpverify.core.evidence import Evidence
from dpverify.core.plugins import registry
from dpverify.core.subjects import Guarantee
from dpverify.scores.audit import guess_pairs
from dpverify.scores.recorded_scores import RecordedRun
from dpverify.scores.result import ScoreResult, audit_recorded

Float = NDArray[np.float64]


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
