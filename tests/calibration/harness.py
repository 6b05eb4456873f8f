"""How often an auditor is wrong on mechanisms at the exact boundary of their claim, and whether that is too often.

An *exceedance* is an audit that refutes the claim, or whose bound is above the truth of the measure that it reports,
where the subject's exact law knows it, or whose level-curve bound is above the family's true member. A valid auditor at
error probability alpha exceeds with probability alpha at most, so among `repetitions` independent audits the count is
at most binomial: an auditor whose count has an upper tail P[Bin(repetitions, alpha) >= count] below 1e-8 is not valid.
That is the test's own false-alarm probability, each time.

    tally = exceedances(auditor, boundary, alpha=0.2, trials=100, repetitions=200, seed=SEED)
    assert not tally.fails, tally.text()

Every audit draws from streams named after seed, auditor, boundary, budget and repetition: the same tally for any number
of workers. Not to be confused with power, of which a valid auditor may have none.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import joblib
from scipy import stats

from dpverify.core.auditing import Auditor, Task
from dpverify.core.claim import Claim, Source
from dpverify.core.errors import InputError, UnsupportedError
from dpverify.core.evidence import Evidence, Measure
from dpverify.core.registry import Registry
from dpverify.core.subjects import HasOutputLaw
from dpverify.core.verdict import Status, judge
from dpverify.runner.plan import task_streams
from dpverify.runner.thread_limits import one_thread
from dpverify.sampling.streams import stream
from dpverify.stats.intervals import clopper_pearson_lower, clopper_pearson_upper
from dpverify.testing.boundaries import Noise
from tests.calibration.boundaries import Boundary
from tests.calibration.shortened import shortened

TOO_RARE = 1e-8
"""Binomial upper tails below this convict an auditor."""

INTERVAL = 1e-3
"""The printed interval of the rate misses it with this probability, half on each side."""

SEED = 20250
"""Of the tests; `test_slice` has fresh ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """What came of `repetitions` audits of one boundary by one auditor.

    Attributes
    ----------
    count : int
        Exceedances.
    refuted : int
        Those among them that refuted the claim.
    seconds : float
        Processor time of the audits, all workers together.
    made : int or None
        How many audits it took where no more were made than settle `fails`; None where all were made.
    """

    auditor: str
    boundary: str
    alpha: float
    trials: int
    repetitions: int
    count: int
    refuted: int
    seed: int
    seconds: float = 0.0
    made: int | None = None

    @property
    def tail(self) -> float:
        """P[Bin(repetitions, alpha) >= count]."""
        return float(stats.binom.sf(self.count - 1, self.repetitions, self.alpha))

    @property
    def fails(self) -> bool:
        """True when a valid auditor would exceed so often with probability below 1e-8."""
        return self.tail < TOO_RARE

    @property
    def interval(self) -> tuple[float, float]:
        """Clopper-Pearson limits of the rate, at 99.9 % together."""
        n, half = self.repetitions, INTERVAL / 2
        return (
            float(clopper_pearson_lower(self.count, n, alpha=half)),
            float(clopper_pearson_upper(self.count, n, alpha=half)),
        )

    def text(self) -> str:
        """One line: count, rate with its interval, tail."""
        low, high = self.interval
        if self.made is not None:
            return (
                f"{self.auditor} on {self.boundary}, {self.trials} trials, alpha {self.alpha:g}: {self.count} of the "
                f"first {self.made} of {self.repetitions} audits exceed, tail {self.tail:.3g}, seed {self.seed}"
            )
        return (
            f"{self.auditor} on {self.boundary}, {self.trials} trials, alpha {self.alpha:g}: {self.count} of "
            f"{self.repetitions} audits exceed ({self.count / self.repetitions:.4f}, 99.9 % interval {low:.4f} to "
            f"{high:.4f}), tail {self.tail:.3g}, seed {self.seed}"
        )


def verdict(count: int, repetitions: int, alpha: float) -> Tally:
    """The same test of a count that was made elsewhere: ask `fails` and `text()`."""
    return Tally(
        auditor="an auditor", boundary="a boundary", alpha=alpha, trials=0, repetitions=repetitions, count=count,
        refuted=count, seed=SEED,
    )  # fmt: skip


def exceedances(
    auditor: Auditor,
    boundary: Boundary,
    *,
    alpha: float,
    trials: int,
    repetitions: int,
    seed: int = SEED,
    jobs: int = 1,
    settle: bool = False,
) -> Tally:
    """Audit the boundary `repetitions` times, on fresh draws each time, and count.

    Parameters
    ----------
    auditor : Auditor
        Statistical; picklable where jobs > 1.
    boundary : Boundary
        One of `tests.calibration.boundaries`, or your own.
    alpha, trials : float, int
        The task's.
    jobs : int
        Processes; the tally is the same for any number.
    settle : bool
        Stop as soon as no outcome of the audits that are left could change whether the tally of all of them fails: the
        same answer, with half of the audits where none exceeds. The count is then of those made.

    Raises
    ------
    InputError
        When the auditor refuses the boundary (ask `refusal` first).
    """
    reason = refusal(auditor, boundary, alpha=alpha, trials=trials)
    if reason is not None:
        raise InputError(f"{auditor.name} on {boundary.name}: {reason}", allowed="a boundary that it examines")
    step = _STEP if settle else _BLOCK
    blocks = [range(first, min(first + step, repetitions)) for first in range(0, repetitions, step)]
    run = joblib.delayed(_block)
    parts = joblib.Parallel(n_jobs=jobs, return_as="generator")(
        run(auditor, boundary, alpha, trials, seed, block) for block in blocks
    )
    tally = Tally(
        auditor=auditor.name, boundary=boundary.name, alpha=alpha, trials=trials, repetitions=repetitions, count=0,
        refuted=0, seed=seed, made=0,
    )  # fmt: skip
    for block, (count, refuted, seconds) in zip(blocks, parts, strict=False):
        tally = replace(
            tally,
            count=tally.count + count,
            refuted=tally.refuted + refuted,
            seconds=tally.seconds + seconds,
            made=block.stop,
        )
        if settle and settled(tally):
            return tally
    return replace(tally, made=None)


_BLOCK = 25
_STEP = 5


def settled(tally: Tally) -> bool:
    """Tell whether all audits that are left could exceed, or none, and the tally would fail or not as it does now."""
    assert tally.made is not None
    most = replace(tally, count=tally.count + tally.repetitions - tally.made)
    return tally.fails or not most.fails


def _block(
    auditor: Auditor, boundary: Boundary, alpha: float, trials: int, seed: int, block: Sequence[int]
) -> tuple[int, int, float]:
    """Exceedances, refutations and processor seconds of a few repetitions."""
    begun = time.process_time()
    count = refuted = 0
    with one_thread(), shortened():
        for repetition in block:
            evidence = auditor.audit(
                boundary_task(auditor, boundary, alpha=alpha, trials=trials, seed=seed, repetition=repetition)
            )
            denied = judge(evidence) is Status.REFUTED
            count += denied or evidence.bound > truth(boundary, evidence.measure) or _family_exceeds(evidence)
            refuted += denied
    return count, refuted, time.process_time() - begun


def _family_exceeds(evidence: Evidence) -> bool:
    """Whether the level-curve bound is above the claimed epsilon of the family's member, which is the truth here."""
    family = evidence.statistics.get("family")
    return family is not None and family["epsilon"] > evidence.measure.claimed


def boundary_task(
    auditor: Auditor, boundary: Boundary, *, alpha: float, trials: int, seed: int = SEED, repetition: int = 0
) -> Task:
    """The task of one repetition."""
    sized = getattr(boundary.subject, "sized", None)
    subject = boundary.subject if sized is None else sized(trials)
    names = ("calibration", auditor.name, boundary.name, trials, f"{alpha:g}", repetition)
    return Task(
        claim=Claim(
            id=f"boundary-{boundary.name}",
            guarantee=boundary.guarantee,
            relation=boundary.neighbors.relation,
            subject=boundary.name,
            source=Source(paper="calibration", locus=""),
            parameters=boundary.parameters,
            space=boundary.space,
        ),
        build=lambda **_searched: subject,
        neighbors=boundary.neighbors,
        alpha=alpha,
        trials=trials,
        stream=task_streams(seed, *names),
        seed=int(stream(seed, *names, "number").integers(2**31)),
    )


def refusal(auditor: Auditor, boundary: Boundary, *, alpha: float, trials: int) -> str | None:
    """None when the auditor examines the boundary at this budget, else why not: its own reason, or too few trials."""
    task = boundary_task(auditor, boundary, alpha=alpha, trials=trials)
    demands = boundary.space.demands - getattr(auditor, "honours", frozenset())
    if demands:
        return f"it would ignore the space's {', '.join(sorted(demands))}"
    reason = auditor.refuses(task)
    if reason is not None:
        return reason
    if getattr(auditor, "beyond_law", False) and isinstance(boundary.subject, Noise):
        return "the low bits of its noise tell the sides apart, which is no error of an auditor that looks at them"
    lacks = getattr(auditor, "lacks", None)
    if lacks is not None:
        try:
            fewest = lacks(task)
        except InputError as problem:
            return problem.what
        if fewest is not None:
            return f"needs {fewest} trials"
    return None


def truth(boundary: Boundary, measure: Measure) -> float:
    """The measure's true value at the boundary's pair, never below it, in whichever direction is larger; the claimed
    number where no law knows the measure."""
    key = repr((boundary.subject, boundary.neighbors, measure))  # boundaries are made anew in every process
    if key not in _TRUTHS:
        _TRUTHS[key] = _truth(boundary, measure)
    return _TRUTHS[key]


_TRUTHS: dict[str, float] = {}


def _truth(boundary: Boundary, measure: Measure) -> float:
    subject = boundary.subject
    if measure.kind not in ("epsilon", "delta", "renyi") or not isinstance(subject, HasOutputLaw):
        return measure.claimed
    (pair,) = boundary.neighbors.candidates(boundary.space, limit=1, rng=stream(0, "truth"))
    laws = subject.output_law(pair.d0).against(subject.output_law(pair.d1))
    try:
        found = [getattr(side, measure.kind)(measure.argument).upper for side in (laws, laws.swap())]
    except UnsupportedError:
        return measure.claimed
    return max(found) if all(math.isfinite(value) for value in found) else measure.claimed


def statistical_auditors(registry: Registry) -> list[Auditor]:
    """Every auditor of the registry that spends false-alarm probability, those by request too."""
    return [auditor for _, auditor in registry.auditors.items() if auditor.statistical]
