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

That loss is exact where a program's noise can be recorded and its outputs are shown at once. A run is recorded on one
data set and repeated with the same draws on its neighbour (`dpverify.recording`). Where no hidden draw decides
anything, what is shown without noise is the same, and the noisy values have Gaussian or Laplace noise of one scale on
both sides, the output's law is known on both: a product of independent noise around two vectors. A program without any
noise that shows different values on any two data sets loses everything: between the two lies a chain of neighbours, and
on some pair of it the two outputs must differ.

Side: exact for each pair up to rounding, so the largest over some pairs is a lower bound on the mechanism's loss, and
its loss only as far as the worst pair is among them.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dpverify.adapters.callable_mechanism import CallableMechanism
from dpverify.adapters.recorded_callable import RecordedCallable
from dpverify.assertion import audit_asked, failure
from dpverify.audits.asked import FALSE_ALARM_RATE, Asked
from dpverify.audits.audit_result import AuditResult
from dpverify.core.claim import SearchSpace
from dpverify.core.errors import ClaimRefuted, DpverifyError, InputError
from dpverify.core.evidence import Measure
from dpverify.core.subjects import Guarantee, LawPair, Pair
from dpverify.core.transcript import Step, Transcript
from dpverify.core.verdict import Status
from dpverify.definitions.claims import guarantee_of
from dpverify.laws.density import GaussianLaw, LaplaceLaw
from dpverify.laws.product import ProductLaw
from dpverify.neighbourhood.neighbourhood import of_example
from dpverify.recording.compare_runs import compare
from dpverify.reporting.formatting import number
from dpverify.runner.watched_process import WatchedProcess
from dpverify.sampling.streams import stream
from dpverify.testing.sabotage.kinds import Mutant, kinds_of, passing_on
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


SAME_SCALE = 1e-9
"""Relative difference below which two scales are one."""

LAWS: dict[str, Callable[..., Any]] = {"gaussian": GaussianLaw, "laplace": LaplaceLaw}


def known_loss(function: Callable[..., Any], guarantee: Guarantee, pairs: Sequence[Pair]) -> list[float] | None:
    """Return the largest true value of each measure over the pairs; None where it is not known for all."""
    measures = guarantee.measures()
    largest = [0.0] * len(measures)
    runs: list[Transcript] = []
    for place, pair in enumerate(pairs):
        try:
            found = _of_pair(function, measures, pair, place, runs)
        except DpverifyError:
            return None
        if found is None:
            return None
        largest = [max(one, other) for one, other in zip(largest, found, strict=True)]
    if all(step.kind in ("public", "query") for run in runs for step in run.steps) and any(
        compare(runs[0], run).apart is not None for run in runs[1:]
    ):
        return [_whole(measure) for measure in measures]
    return largest


def _of_pair(
    function: Callable[..., Any], measures: Sequence[Measure], pair: Pair, place: int, runs: list[Transcript]
) -> list[float] | None:
    recorded = RecordedCallable(function, "a mutant")
    first = recorded.transcript(pair.d0, rng=stream(0, "known loss", place))
    if not recorded.traced or not recorded.faithful(pair.d0, first):
        return None
    second = recorded.replay(pair.d1, first)
    runs += [first, second]
    found = compare(first, second)
    if found.coin is not None or not recorded.traced:
        return None
    if found.apart is not None:  # certain on one side, impossible on the other
        return None if found.noisy else [_whole(measure) for measure in measures]
    if len({one.call for one, _ in found.noisy}) > 1:
        return None  # later values may depend on earlier ones
    return _of_laws(measures, list(found.noisy))


def _of_laws(measures: Sequence[Measure], noisy: list[tuple[Step, Step]]) -> list[float] | None:
    """Compute it from independent noise on both sides."""
    sides: tuple[list[Any], list[Any]] = ([], [])
    for one, other in noisy:
        law = LAWS.get(one.law)
        if law is None or one.law != other.law:
            return None
        if np.any(np.abs(one.scale - other.scale) > SAME_SCALE * np.maximum(one.scale, other.scale)):
            pure = all(measure.kind == "epsilon" and measure.argument == 0 for measure in measures)
            return [math.inf] * len(measures) if pure else None
        for place, step in enumerate((one, other)):
            sides[place].append(law(locations=step.clean, scales=one.scale))
    if not sides[0]:
        return [0.0] * len(measures)
    laws = ProductLaw(laws=tuple(sides[0])).against(ProductLaw(laws=tuple(sides[1])))
    found = [_value(laws, measure) for measure in measures]
    return None if any(value is None for value in found) else [value for value in found if value is not None]


def _value(laws: LawPair, measure: Measure) -> float | None:
    """The measure in the worse direction."""
    kinds = {"epsilon": "epsilon", "delta": "delta", "renyi": "renyi"}
    if measure.kind == "mu":
        factors = getattr(laws, "factors", ())
        mus = [float(factor.mu().value) for factor in factors if hasattr(factor, "mu")]
        return math.hypot(*mus) if len(mus) == len(factors) else None
    if measure.kind not in kinds:
        return None
    return max(float(getattr(side, measure.kind)(measure.argument).value) for side in (laws, laws.swap()))


def _whole(measure: Measure) -> float:
    """Return the loss of two laws that share nothing."""
    return 1.0 if measure.kind == "delta" else math.inf
