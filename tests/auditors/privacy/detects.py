"""Whether an auditor detects what it calls detectable, four times in five: simulated at the value that it printed.

Each audit of a boundary (the claim holds, and with nothing to spare) prints its own figure; a second audit, on fresh
draws, looks at the same mechanism made so loud that the measure's true value is that figure. Of `repetitions` of these
fewer than `fewest(repetitions)` refute with probability below 1e-8 where the promised power is kept.
"""

from __future__ import annotations

import math
from dataclasses import replace

from scipy import optimize, stats

from dpverify.core.auditing import Auditor
from dpverify.core.evidence import Measure
from dpverify.core.verdict import Status, judge
from dpverify.definitions.gdp import GDP
from dpverify.runner.thread_limits import one_thread
from tests.calibration.boundaries import Boundary, Response, boundaries
from tests.calibration.harness import boundary_task
from tests.power.sweep import turned_down

POWER = 0.8
KNOWN = {boundary.name: boundary for boundary in boundaries()}


def louder(boundary: Boundary, measure: Measure, value: float) -> Boundary:
    """The same claim about a mechanism in which the measure, an equality at the boundary, has this value."""
    subject = boundary.subject
    if isinstance(subject, Response):
        assert measure.kind == "epsilon"
        return replace(boundary, name=f"{boundary.name}@{value:.9g}", subject=replace(subject, epsilon=value))
    if subject.kind == "laplace" or measure.kind == "mu":
        return turned_down(boundary, measure.claimed / value)
    if measure.kind == "renyi":
        return turned_down(boundary, math.sqrt(measure.claimed / value))
    assert measure.kind == "epsilon"

    def mu(epsilon: float) -> float:
        return float(optimize.brentq(lambda mu: float(GDP(mu=mu).delta(epsilon)) - measure.argument, 0.01, 50.0))

    return turned_down(boundary, mu(measure.claimed) / mu(value))


def detections(auditor: Auditor, name: str, *, trials: int, alpha: float, repetitions: int) -> int:
    """How many of so many audits refute what the audit before called detectable; one that names nothing counts."""
    found = 0
    with one_thread():
        for repetition in range(repetitions):
            task = boundary_task(auditor, KNOWN[name], alpha=alpha, trials=trials, repetition=repetition)
            said = auditor.audit(task)
            if said.detectable is None or not math.isfinite(said.detectable):
                found += 1
                continue
            loud = louder(KNOWN[name], said.measure, said.detectable)
            again = boundary_task(auditor, loud, alpha=alpha, trials=trials, repetition=repetitions + repetition)
            found += judge(auditor.audit(again)) is Status.REFUTED
    return found


def fewest(repetitions: int) -> int:
    """The count below which a power of 0.8 lies with probability below 1e-8."""
    least = int(stats.binom.ppf(1e-8, repetitions, POWER))
    return least if stats.binom.cdf(least - 1, repetitions, POWER) < 1e-8 else least - 1
