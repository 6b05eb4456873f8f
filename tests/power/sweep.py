"""How often each auditor finds too little noise, against how much too little: 0.5 to 0.99 of the right noise, and 1.

The mechanisms are the boundaries of the calibration that have a noise to turn down, with claims that hold at 1 exactly.
A detection is a refutation; at 1 it would be a false alarm.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from dpverify.core.auditing import Auditor
from dpverify.stats.intervals import clopper_pearson_lower, clopper_pearson_upper
from tests.calibration.boundaries import Boundary, boundaries
from tests.calibration.harness import exceedances

RATIOS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
ALPHA, TRIALS, REPETITIONS, SEED = 0.05, 10_000, 40, 7


SCALES = ("power", "noise_multiplier")
"""What a subject's noise is multiplied by, where it can be."""


def swept() -> list[Boundary]:
    """Boundaries with a noise that can be turned down."""
    return [boundary for boundary in boundaries() if _scale(boundary) is not None]


def _scale(boundary: Boundary) -> str | None:
    return next((name for name in SCALES if hasattr(boundary.subject, name)), None)


def budget(boundary: Boundary) -> int:
    """Trials of one audit."""
    return TRIALS if boundary.most is None else min(TRIALS, boundary.most)


def turned_down(boundary: Boundary, ratio: float) -> Boundary:
    """The same claim about `ratio` times the noise."""
    scale = _scale(boundary)
    assert scale is not None
    subject: Any = replace(boundary.subject, **{scale: ratio})
    return replace(boundary, name=f"{boundary.name}@{ratio:g}", subject=subject)


def cell(
    auditor: Auditor,
    boundary: Boundary,
    ratio: float,
    *,
    trials: int | None = None,
    repetitions: int = REPETITIONS,
    seed: int = SEED,
    jobs: int = 1,
) -> dict[str, Any]:
    """Detections among so many audits, with a 95 % interval; InputError where the auditor refuses."""
    trials = budget(boundary) if trials is None else trials
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
