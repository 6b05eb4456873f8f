"""The lemma auditor: searches the parameters of a printed bound for a point where the truth lies above it.

It first evaluates the claim's stated parameters (the paper's), then searches the corners and the whole box for the
largest truth / printed (`lemma_search`). At a point that exceeds the lemma, the excess is *proved* in ball arithmetic
by the lemma's `proved_ratio`: only a proof refutes. The witness is then shrunk: every parameter is moved back towards
the stated value as far as the excess remains. The record contains the margin at the stated parameters, the worst point,
the shrunk one, and a map of the points at which the lemma failed or held.

A search approaches the supremum from below and certifies nothing. `auditors.privacy.exact` is different: it compares
the output laws of a mechanism with its claim.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Any

from auditors.accounting.lemma_points import LemmaBox, LemmaPoint
from auditors.search_boxes import furthest_while
from dpverify.core.auditing import Task
from dpverify.core.errors import AuditError, UnsupportedError
from dpverify.core.evidence import Enclosed, Evidence
from dpverify.core.registry import Registry
from dpverify.core.subjects import Float, HasPrintedBound

ROUNDING = 1e-10
"""Relative rounding error of printed bounds, which are computed in doubles; a smaller excess does not count."""

KEPT = 0.5
"""Part of the excess (at most doubling the bound) that a shrunk witness must still show."""

_PROOFS = 8  # points tried for a proof


@dataclass(frozen=True, slots=True, kw_only=True)
class LemmaAuditor:
    """Examines claims that bound a number (`UpperBound`), of subjects that compute both sides of the lemma."""

    name: str = "lemma"
    version: str = "2"
    statistical: bool = False

    def refuses(self, task: Task) -> str | None:
        """None when the task can be examined, else what is missing."""
        if task.claim.guarantee.measures()[0].kind != "ratio":
            return "the claim is no printed bound"
        if not isinstance(task.build(), HasPrintedBound):
            return "the subject offers no printed bound beside the truth"
        return None

    def audit(self, task: Task) -> Evidence:
        """Evaluate the stated parameters, search, shrink and prove.

        Raises
        ------
        AuditError
            When a side of the lemma is nan.
        """
        field = LemmaBox(task=task)
        own = field.visit(field.own())
        if field.names:
            from auditors.accounting.lemma_search import searched  # scipy.optimize: a third of a second

            searched(task, field, own)
        worst = max(field.seen, key=_surely)
        if worst.least <= 1 + ROUNDING and field.uncomputed > len(field.seen):
            raise UnsupportedError(
                f"{task.claim.subject} can be computed at {len(field.seen)} of {len(field.seen) + field.uncomputed} "
                "points of the claim's range only: too few to say that it holds there"
            )
        task.progress("proving", 0.9)
        smallest = self._shrunk(field, own, worst) if worst.least > 1 + ROUNDING else None
        found, proof = worst, None
        if worst.least > 1 + ROUNDING:
            ranked = [worst, *([smallest] if smallest else []), *sorted(field.seen, key=_surely, reverse=True)]
            found, proof = self._proved(task, ranked)
        value = proof or _enclosed(found)
        excess = value.lower - 1.0 - ROUNDING
        if math.isnan(excess):
            raise AuditError(f"{task.claim.subject}: the ratio is {value.value} +- {value.error}")
        statistics: dict[str, Any] = {
            "evaluations": len(field.seen),
            "uncomputed": field.uncomputed,
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

    def _shrunk(self, field: LemmaBox, own: LemmaPoint, worst: LemmaPoint) -> LemmaPoint:
        """Move every parameter of `worst` towards the stated value while `KEPT` of the excess remains."""
        if own.least > 1 + ROUNDING:
            return own
        enough = 1.0 + max(KEPT * (min(worst.least, 2.0) - 1.0), 2 * ROUNDING)
        place, target, found = field.shares(worst.parameters), field.shares(own.parameters), worst
        for axis in range(len(place)):
            moved = furthest_while(
                partial(_moved, field, place, target, axis),
                lambda one: one[1] is not None and one[1].least >= enough,
            )
            if moved is not None and moved[1] is not None:
                place, found = moved[0], moved[1]
        return found

    def _proved(self, task: Task, ranked: list[LemmaPoint]) -> tuple[LemmaPoint, Enclosed | None]:
        """The worst point whose excess can be proved; if there is none, the worst point, unproved."""
        for each in ranked[:_PROOFS]:
            subject: HasPrintedBound = task.build(**each.parameters)
            proof = subject.proved_ratio()
            if proof is not None and proof.proved and proof.lower > 1 + ROUNDING:
                return each, proof
        return ranked[0], None


def _moved(field: LemmaBox, place: Float, target: Float, axis: int, part: float) -> tuple[Float, LemmaPoint | None]:
    """A point moved along one coordinate by `part` of the way to its target, evaluated."""
    trial = place.copy()
    trial[axis] += part * (target[axis] - place[axis])
    return trial, field.sought(field.parameters(trial))


def _surely(seen: LemmaPoint) -> tuple[bool, float]:
    """Sort key: points that exceed the lemma even with all errors in its favour first, then by the ratio."""
    return seen.least > 1 + ROUNDING, seen.ratio


def _enclosed(seen: LemmaPoint) -> Enclosed:
    """The ratio with the error that follows from the errors of both sides."""
    return Enclosed(value=seen.ratio, error=max(seen.ratio - seen.least, 0.0) if math.isfinite(seen.ratio) else 0.0)


def register(registry: Registry) -> None:
    """Put the auditor into the registry."""
    registry.auditors.add("lemma", LemmaAuditor())
