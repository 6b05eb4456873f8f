"""``mutants(mechanism, claim=..., data=EXAMPLE)``: which of the usual faults would the audit of this mechanism find?

>>> from dpverify.testing import mutants
>>> def noisy_sum(data, size, rng):
...     return sum(data) + rng.laplace(scale=1.0, size=size)
>>> found = mutants(noisy_sum, claim="PureDP(epsilon=1)", data=[0.2, 0.9, 1.0, 0.0], only=["noise-removed"])
>>> found.assert_killed()

A mutant is *killed* where its audit refutes the claim or cannot be completed, as the test of a mechanism would fail
then. One that is not killed has *survived* only where its true loss is known to exceed the claim: half of too much
noise is still private. It is *no violation* where its loss is known not to exceed the claim on the pairs that were
looked at, or where it does nothing to this mechanism; else its loss is *unknown*.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dpverify.adapters.callable_mechanism import CallableMechanism
from dpverify.assertion import audit_asked, failure
from dpverify.audits.asked import Asked
from dpverify.audits.audit_result import AuditResult
from dpverify.audits.claims import guarantee_of
from dpverify.core.claim import SearchSpace
from dpverify.core.errors import ClaimRefuted, DpverifyError, InputError
from dpverify.core.subjects import Guarantee, Pair
from dpverify.core.verdict import Status
from dpverify.neighbourhood.neighbourhood import of_example
from dpverify.neighbourhood.profiles import FALSE_ALARM_RATE
from dpverify.reporting.formatting import number
from dpverify.runner.watched_process import WatchedProcess
from dpverify.sampling.streams import stream
from dpverify.testing.sabotage.kinds import Mutant, kinds_of, passing_on
from dpverify.testing.sabotage.known_loss import known_loss
from dpverify.testing.sabotage.report import MutantReport, MutantRow, Outcome

PAIRS = 24
"""Pairs of neighbours whose exact loss is looked at."""

COMPARED = 32
"""Outputs, on each side of a few pairs, by which a mutant that does nothing is known."""


def mutants(
    mechanism: Callable[..., Any],
    *,
    claim: Guarantee | str,
    data: Any,
    only: Sequence[str] | None = None,
    seed: int = 0,
    seconds: float | None = None,
    false_alarm_rate: float = FALSE_ALARM_RATE,
    detect: float | None = None,
    progress: Callable[[str], None] | None = None,
    **settings: Any,
) -> MutantReport:
    """Break a mechanism in the usual ways, audit each mutant as a test would, and say what becomes of it.

    Parameters
    ----------
    mechanism : callable
        As for ``dpverify.audit``; its own claim must hold.
    claim, data : as for ``dpverify.audit``
        An example with records outside the range that the mechanism clips to shows what clipping is worth.
    only : sequence of str or None
        Names of mutants; None for all.
    seed, seconds, false_alarm_rate, detect : as for the pytest plug-in
        Of each audit.
    progress : callable or None
        Is told the name of each mutant before its audit.
    **settings
        ``relation``, ``records``, ``bounds``, ``unit``, ``trials``, ``call`` ... of ``dpverify.audit``.

    Returns
    -------
    MutantReport

    Raises
    ------
    ClaimRefuted
        Where the mechanism itself is refuted.
    InputError
        As ``dpverify.audit``, and for an unknown name in `only`.
    """
    asked = Asked(seed=seed, seconds=seconds, false_alarm_rate=false_alarm_rate, detect=detect)
    guarantee = guarantee_of(claim)
    words = {name: settings.get(name) for name in ("relation", "records", "bounds", "unit")}
    generator = of_example(data, **words).generator
    pairs = generator.candidates(SearchSpace(), limit=PAIRS, rng=stream(seed, "mutants"))
    subject = CallableMechanism(mechanism, call=settings.get("call"))
    own = audit_asked(mechanism, asked, claim=guarantee, data=data, **settings)
    if own.verdict is Status.REFUTED:
        raise ClaimRefuted(f"mutants of a mechanism that is refuted itself: {failure(own)}")
    altered = _watched(lambda: _alike(mechanism, passing_on(mechanism, subject.name), pairs)) is True
    made = kinds_of(mechanism, subject.name, pairs, altered=altered)
    names = [each.name for each in made]
    for name in only or ():
        if name not in names:
            raise InputError(f"mutant {name!r}", allowed=", ".join(names))
    rows: list[MutantRow] = []
    left_out = {}
    for each in (each for each in made if each.name in (only or names)):
        if progress is not None and each.broken is not None:
            progress(each.name)
        found = _row(each, asked, guarantee, data, pairs, settings) if each.broken is not None else each.left_out
        if isinstance(found, str):
            left_out[each.name] = found
        else:
            rows.append(found)
    return MutantReport(mechanism=subject.name, claim=guarantee.text(), rows=tuple(rows), left_out=left_out)


def _row(
    mutant: Mutant, asked: Asked, guarantee: Guarantee, data: Any, pairs: Sequence[Pair], settings: dict[str, Any]
) -> MutantRow | str:
    """One mutant: first what it does, then its audit; why it is left out, where it cannot be run."""
    broken = mutant.broken
    assert broken is not None
    alike = _watched(lambda: _alike(mutant.twin, broken, pairs))
    if isinstance(alike, str):
        return f"it cannot be run: {alike}"
    if alike:
        return MutantRow(name=mutant.name, what=mutant.what, outcome="no violation", how="it changes nothing here")
    measures = guarantee.measures()
    losses = _watched(lambda: known_loss(broken, guarantee, pairs))
    losses = [float(value) for value in losses] if isinstance(losses, list) else None
    loss = losses[0] if losses else None
    try:
        result = audit_asked(broken, asked, claim=guarantee, data=data, **settings)
    except DpverifyError as problem:
        told = f"its audit fails: {problem}"
        return MutantRow(name=mutant.name, what=mutant.what, outcome="killed", how=told, loss=loss)
    seconds = result.evidence.seconds if result.evidence is not None else 0.0
    exceeds = losses is not None and any(
        value > measure.claimed * (1 + 1e-9) for value, measure in zip(losses, measures, strict=True)
    )
    outcome, how = _judged(result, losses is not None, exceeds, len(pairs))
    return MutantRow(name=mutant.name, what=mutant.what, outcome=outcome, how=how, loss=loss, seconds=seconds)


def _judged(result: AuditResult, known: bool, exceeds: bool, pairs: int) -> tuple[Outcome, str]:
    """Say what an audit and a known loss say together."""
    leading = result.row.verdict.leading
    if result.verdict is Status.REFUTED and leading is not None:
        step = leading.statistics.get("step", leading.auditor)
        return "killed", f"{step}: {leading.measure.label()} >= {number(leading.bound, 4)}"
    if result.verdict in (Status.UNSUPPORTED, Status.ERROR):
        return "killed", f"its audit fails: {result.row.verdict.reason}"
    if known and not exceeds:
        return "no violation", f"its exact loss is within the claim on {pairs} pairs"
    reached = result.row.verdict.reason
    if result.verdict is Status.INCONCLUSIVE:
        reached = f"inconclusive (a test warns, and fails with --dp-strict): {reached}"
    elif leading is not None and leading.detectable is not None and math.isfinite(leading.detectable):
        label, value = leading.measure.label(), number(leading.detectable, 4)
        reached = f"{label} >= {value} is caught where the event shows it whole"
    return ("survived" if exceeds else "unknown"), reached


def _alike(one: Any, other: Any, pairs: Sequence[Pair]) -> bool:
    """Tell whether two callables give the same outputs from the same states, on both sides of some pairs."""
    for place, pair in enumerate(pairs[:6]):
        for side in (pair.d0, pair.d1):
            outputs = [
                CallableMechanism(each).sample(side, COMPARED, rng=stream(0, "alike", place)) for each in (one, other)
            ]
            if not np.array_equal(outputs[0], outputs[1], equal_nan=True):
                return False
    return True


def _watched(work: Callable[[], Any]) -> Any:
    """Run `work` in a process of its own, infinities as text; return the error's line where it cannot be done."""

    def there() -> Any:
        found = work()
        return ["inf" if value == math.inf else value for value in found] if isinstance(found, list) else found

    try:
        return WatchedProcess(there).result() if hasattr(os, "fork") else there()
    except DpverifyError as problem:
        return str(problem).partition("; allowed: ")[0]
