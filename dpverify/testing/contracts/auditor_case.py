"""One auditor, and mechanisms at the exact boundary of their claims, as the rules of its contract look at them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from dpverify.core.auditing import Auditor, Task
from dpverify.core.claim import Claim, Source
from dpverify.core.errors import InputError, UnsupportedError
from dpverify.core.evidence import Evidence, Measure
from dpverify.core.subjects import HasOutputLaw
from dpverify.core.verdict import Status, judge
from dpverify.runner.plan import task_streams
from dpverify.sampling.streams import stream
from dpverify.testing.boundaries import Boundary


@dataclass(frozen=True)
class AuditorCase:
    """An auditor, and how it is tried out.

    Attributes
    ----------
    auditor : Auditor
        The one to check.
    boundaries : tuple of Boundary
        Where.
    alpha, trials, audits, seed : float, int, int, int
        Error probability and draws a side of each audit; audits of each boundary; seed of all.
    """

    auditor: Auditor
    boundaries: tuple[Boundary, ...]
    alpha: float
    trials: int
    audits: int
    seed: int

    @property
    def name(self) -> str:
        """The auditor's name, as far as it has one."""
        return str(getattr(self.auditor, "name", type(self.auditor).__name__))

    @property
    def examined(self) -> list[Boundary]:
        """The boundaries that the auditor does not refuse, with this number of draws."""
        return [boundary for boundary in self.boundaries if self._examines(boundary)]

    def task(self, boundary: Boundary, repetition: int = 0) -> Task:
        """One audit to do, on streams of its own."""
        names = ("contract", self.name, boundary.name, repetition)
        return Task(
            claim=Claim(
                id=f"boundary-{boundary.name}",
                guarantee=boundary.guarantee,
                relation=boundary.neighbors.relation,
                subject=boundary.name,
                source=Source(paper="contract", locus=""),
                parameters=boundary.parameters,
                space=boundary.space,
            ),
            build=lambda **_searched: boundary.subject,
            neighbors=boundary.neighbors,
            alpha=self.alpha,
            trials=self.trials,
            stream=task_streams(self.seed, *names),
            seed=int(stream(self.seed, *names, "number").integers(2**31)),
        )

    def exceeds(self, boundary: Boundary, evidence: Evidence) -> bool:
        """Tell whether the evidence refutes the claim, or its bound is above the truth."""
        return judge(evidence) is Status.REFUTED or evidence.bound > _truth(boundary, evidence.measure)

    def _examines(self, boundary: Boundary) -> bool:
        task, lacks = self.task(boundary), getattr(self.auditor, "lacks", None)
        if self.auditor.refuses(task) is not None:
            return False
        try:
            return lacks is None or lacks(task) is None
        except InputError:
            return False


def _truth(boundary: Boundary, measure: Measure) -> float:
    """The measure's true value on the boundary's pair, never below it; inf where no law knows it."""
    subject: Any = boundary.subject
    if measure.kind not in ("epsilon", "delta", "renyi") or not isinstance(subject, HasOutputLaw):
        return math.inf
    (pair,) = boundary.neighbors.candidates(boundary.space, limit=1, rng=stream(0, "truth"))
    laws = subject.output_law(pair.d0).against(subject.output_law(pair.d1))
    try:
        return max(float(getattr(side, measure.kind)(measure.argument).upper) for side in (laws, laws.swap()))
    except UnsupportedError:
        return math.inf
