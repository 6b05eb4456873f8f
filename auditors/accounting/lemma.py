"""The lemma auditor: searches the parameters of a printed bound for a point where the truth lies above it.

First the claim's own numbers (the paper's), then the whole box by differential evolution (Storn and Price 1997, in
SciPy) and a compass polish, for the largest truth / printed. A point that exceeds the lemma is *proved* to do so in
ball arithmetic by the lemma's own `proved_ratio`: only a proof refutes. The witness is then shrunk: every parameter is
moved back towards the claim's own value as far as the excess remains. The record keeps the margin at the own numbers,
the worst point, the shrunk one, and a map of where in the box the lemma failed and where it was found to hold.

A search reaches the supremum from below and certifies nothing. Not to be confused with `auditors.privacy.exact`, which
compares the output laws of one mechanism with its claim.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import Bounds, differential_evolution

from auditors.accounting.lemma_points import Field, Seen
from dpverify.core.errors import AuditError
from dpverify.core.evidence import Evidence
from dpverify.core.measure import Enclosed
from dpverify.core.protocols import Float, HasPrintedBound, Task
from dpverify.core.registry import Registry

EVALUATIONS = 600
"""Points looked at, at effort 1."""

ROUNDING = 1e-10
"""Relative. Printed bounds are computed in doubles; an excess below this share of one is taken for their rounding."""

KEPT = 0.5
"""Part of the excess (at most doubling the bound) that a shrunk witness must still show."""

_EVOLVED, _POLISHED = 0.7, 0.3  # shares of the evaluations
_MEMBERS = 10  # of a population, a parameter
_STEPS = 12  # halvings when shrinking, a parameter
_LEAST_STEP = 1e-6
_PROOFS = 8  # points tried for a proof


@dataclass(frozen=True, slots=True, kw_only=True)
class LemmaAuditor:
    """Claims that bound a number (`UpperBound`), subjects that offer both sides of the lemma."""

    name: str = "lemma"
    version: str = "1"
    statistical: bool = False

    def refuses(self, task: Task) -> str | None:
        """None, or what is missing."""
        if task.claim.guarantee.measures()[0].kind != "ratio":
            return "the claim is no printed bound"
        if not isinstance(task.build(), HasPrintedBound):
            return "the subject offers no printed bound beside the truth"
        return None

    def audit(self, task: Task) -> Evidence:
        """Look at the claim's own numbers, search, shrink, prove.

        Raises
        ------
        AuditError
            When a side of the lemma is no number.
        """
        field = Field(task=task)
        own = field.visit(field.own())
        worst = own
        if field.names:
            worst = max(worst, self._searched(task, field), key=lambda each: each.ratio)
        task.progress("proving", 0.9)
        smallest = self._shrunk(field, own, worst) if worst.least > 1 + ROUNDING else None
        found, proof = worst, None
        if worst.least > 1 + ROUNDING:
            ranked = [worst, *([smallest] if smallest else []), *sorted(field.seen, key=lambda each: -each.ratio)]
            found, proof = self._proved(task, ranked)
        value = proof or _enclosed(found)
        excess = value.lower - 1.0 - ROUNDING
        if math.isnan(excess):
            raise AuditError(f"{task.claim.subject}: the ratio is {value.value} +- {value.error}")
        statistics: dict[str, Any] = {
            "evaluations": len(field.seen),
            "own": own.plain(),
            "worst": worst.plain(),
            "smallest": smallest.plain() if smallest else None,
            "failed": sum(each.least > 1 + ROUNDING for each in field.seen),
            "map": field.map(1 + ROUNDING),
        }
        described = getattr(task.build(**found.parameters), "describe", None)
        if described is not None:
            statistics["described"] = described()
        return Evidence(
            claim=task.claim.id,
            auditor=self.name,
            version=self.version,
            measure=task.claim.guarantee.measures()[0],
            bound=value.value,
            excess=excess,
            error=value.error + ROUNDING if excess > 0 and math.isfinite(value.value) else value.error,
            proved=value.proved,
            coverage="search",
            detectable=1.0 + ROUNDING + 2 * value.error,
            seed=task.seed,
            statistics=statistics,
            witness=found.plain(),
        )

    def _searched(self, task: Task, field: Field) -> Seen:
        """The worst point that evolution and polishing find."""
        total, count = max(50, round(EVALUATIONS * task.effort)), len(field.names)
        best: list[Seen] = []

        def loss(shares: Float) -> float:
            seen = field.visit(field.parameters(shares))
            if not best or seen.ratio > best[0].ratio:
                best[:] = [seen]
            return -math.log(max(seen.ratio, 1e-300)) if math.isfinite(seen.ratio) else -1e3

        members = _MEMBERS * count
        task.progress("searching the parameters", 0.1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # a population of one value has no spread to divide by
            differential_evolution(
                loss,
                Bounds(np.zeros(count), np.ones(count)),
                popsize=_MEMBERS,
                maxiter=max(1, round(_EVOLVED * total / members) - 1),
                init="sobol",
                tol=0.0,
                polish=False,
                rng=task.stream("search"),
            )
        task.progress("polishing the worst", 0.7)
        place, steps = field.shares(best[0].parameters), np.full(count, 0.1)
        value, spent = best[0].ratio, 0
        while spent < _POLISHED * total and steps.max() > _LEAST_STEP and math.isfinite(value):
            for axis in range(count):
                for sign in (1.0, -1.0):
                    trial = place.copy()
                    trial[axis] = np.clip(trial[axis] + sign * steps[axis], 0.0, 1.0)
                    if trial[axis] == place[axis]:
                        continue
                    loss(trial)
                    spent += 1
                    if best[0].ratio > value:
                        place, value = trial, best[0].ratio
                        steps[axis] *= 1.5
                        break
                else:
                    steps[axis] *= 0.5
        return best[0]

    def _shrunk(self, field: Field, own: Seen, worst: Seen) -> Seen:
        """`worst`, every parameter moved towards the claim's own value while `KEPT` of the excess remains."""
        if own.least > 1 + ROUNDING:
            return own
        enough = 1.0 + max(KEPT * (min(worst.least, 2.0) - 1.0), 2 * ROUNDING)
        place, target, found = field.shares(worst.parameters), field.shares(own.parameters), worst
        for axis in range(len(place)):
            near, far = 0.0, 1.0  # shares of the way to the own value: known to do, known not to
            for step in range(_STEPS):
                share = 1.0 if step == 0 else (near + far) / 2
                trial = place.copy()
                trial[axis] += share * (target[axis] - place[axis])
                seen = field.visit(field.parameters(trial))
                if seen.least >= enough:
                    near, kept = share, trial
                    found = seen
                    if share == 1.0:
                        break
                else:
                    far = share
            if near > 0.0:
                place = kept
        return found

    def _proved(self, task: Task, ranked: list[Seen]) -> tuple[Seen, Enclosed | None]:
        """The first of the worst points at which the excess is proved; else the worst, unproved."""
        for each in ranked[:_PROOFS]:
            subject: HasPrintedBound = task.build(**each.parameters)
            proof = subject.proved_ratio()
            if proof is not None and proof.proved and proof.lower > 1 + ROUNDING:
                return each, proof
        return ranked[0], None


def _enclosed(seen: Seen) -> Enclosed:
    """The ratio with the error that the two sides' errors leave."""
    return Enclosed(value=seen.ratio, error=max(seen.ratio - seen.least, 0.0) if math.isfinite(seen.ratio) else 0.0)


def register(registry: Registry) -> None:
    """Put the auditor into the registry."""
    registry.auditors.add("lemma", LemmaAuditor())
