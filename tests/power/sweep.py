"""How often each auditor finds too little noise, against how much too little: 0.5 to 0.99 of the right noise, and 1.

The mechanisms are the boundaries of the calibration that have a noise to turn down, with claims that hold at 1 exactly.
A detection is a refutation; at 1 it would be a false alarm.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from dpverify.core.protocols import Auditor
from dpverify.stats.intervals import clopper_pearson_lower, clopper_pearson_upper
from tests.calibration.boundaries import Boundary, boundaries
from tests.calibration.harness import exceedances, refusal

RATIOS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
ALPHA, TRIALS, REPETITIONS, SEED = 0.05, 10_000, 40, 7


def swept() -> list[Boundary]:
    """Boundaries with a noise that can be turned down."""
    return [boundary for boundary in boundaries() if hasattr(boundary.subject, "power")]


def turned_down(boundary: Boundary, ratio: float) -> Boundary:
    """The same claim about `ratio` times the noise."""
    subject: Any = replace(boundary.subject, power=ratio)
    return replace(boundary, name=f"{boundary.name}@{ratio:g}", subject=subject)


def cell(
    auditor: Auditor,
    boundary: Boundary,
    ratio: float,
    *,
    trials: int = TRIALS,
    repetitions: int = REPETITIONS,
    seed: int = SEED,
    jobs: int = 1,
) -> dict[str, Any] | None:
    """Detections among so many audits, with a 95 % interval; None where the auditor refuses."""
    if refusal(auditor, boundary, alpha=ALPHA, trials=trials) is not None:
        return None
    tally = exceedances(
        auditor,
        turned_down(boundary, ratio),
        alpha=ALPHA,
        trials=trials,
        repetitions=repetitions,
        seed=seed,
        jobs=jobs,
    )
    return {
        "auditor": auditor.name,
        "version": auditor.version,
        "mechanism": boundary.name,
        "claim": boundary.guarantee.text(),
        "ratio": ratio,
        "trials": trials,
        "alpha": ALPHA,
        "repetitions": repetitions,
        "seed": seed,
        "detected": tally.refuted,
        "interval": [
            float(clopper_pearson_lower(tally.refuted, repetitions, alpha=0.025)),
            float(clopper_pearson_upper(tally.refuted, repetitions, alpha=0.025)),
        ],
        "cpu_seconds": round(tally.seconds, 2),
    }


def half_detected(cells: Sequence[dict[str, Any]]) -> dict[tuple[str, str], float]:
    """For each auditor and mechanism the largest ratio at which at least half of the audits refute; 0 for none."""
    best: dict[tuple[str, str], float] = {}
    for one in cells:
        key = one["auditor"], one["mechanism"]
        reached = one["ratio"] if 2 * one["detected"] >= one["repetitions"] else 0.0
        best[key] = max(best.get(key, 0.0), reached)
    return best
