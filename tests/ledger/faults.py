"""Seeded faults: a claim of the ledger that says nine tenths of what it says, and the deterministic audits of one."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from dpverify.core.claim import Claim
from dpverify.core.measure import Enclosed
from dpverify.core.plugins import registry
from dpverify.core.protocols import HasPrintedBound, Scalable, Task
from dpverify.core.suite import SuiteEntry
from dpverify.core.verdict import Status, decide
from dpverify.definitions.sensitivity import SensitivityBound
from dpverify.runner.one_thread import one_thread
from dpverify.runner.plan import subject_builder, task_streams, unit_for

FAULT = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class Shrunk:
    """A lemma with its printed bound times `FAULT`; a proof of the ratio is one of the larger ratio."""

    lemma: Any

    def printed(self) -> Enclosed:
        return _scaled(self.lemma.printed(), FAULT)

    def truth(self) -> Enclosed:
        return self.lemma.truth()

    def proved_ratio(self) -> Enclosed | None:
        proof = self.lemma.proved_ratio()
        return None if proof is None else _scaled(proof, 1 / FAULT)


def _scaled(found: Enclosed, factor: float) -> Enclosed:
    return dataclasses.replace(found, value=found.value * factor, error=found.error * factor)


def faulty(claim: Claim) -> tuple[Claim, Any] | None:
    """The claim with the fault, and what its subject is wrapped in; None where no fault can be seeded like this."""
    guarantee = claim.guarantee
    if isinstance(guarantee, SensitivityBound):
        return dataclasses.replace(claim, guarantee=dataclasses.replace(guarantee, bound=guarantee.bound * FAULT)), None
    if isinstance(guarantee, Scalable):
        return dataclasses.replace(claim, guarantee=guarantee.scaled(FAULT)), None
    if isinstance(subject_builder(registry(), claim)(), HasPrintedBound):
        return claim, Shrunk
    return None


@one_thread()
def verdict(claim: Claim, *, wrap: Any = None) -> Status:
    """What the auditors that draw nothing say of a claim, its subject wrapped."""
    known = registry()
    plain = subject_builder(known, claim)
    task = Task(
        claim=claim,
        build=plain if wrap is None else lambda **searched: wrap(lemma=plain(**searched)),
        neighbors=known.neighbors.get(claim.space.generator or claim.relation),
        alpha=1e-6,
        trials=1,
        stream=task_streams(0, claim.id),
    )
    exact = [
        each for _, each in known.auditors.items() if not each.statistical and not getattr(each, "by_request", False)
    ]
    unit = unit_for(SuiteEntry(claim=claim), task, exact)
    found = [
        each.audit(dataclasses.replace(task, stream=task_streams(0, claim.id, each.name))) for each in unit.auditors
    ]
    return decide(claim, found, unsupported="; ".join(unit.refusals)).status


def decided_exactly(item: dict[str, Any]) -> bool:
    """Whether no draw has a part in the leading evidence of a record."""
    return item["method"] is not None and item["confidence"] is None


def single(claim_id: str) -> Claim:
    """A claim of the registry by its id, reading included."""
    return next(each for _, claim in registry().claims.items() for each in claim.single() if each.id == claim_id)
