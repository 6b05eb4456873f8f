"""The Python door: ``dpverify.audit(mechanism, d0, d1, claim=...)`` audits one callable on one neighbouring pair."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from dpverify.adapters.callable import Call, CallableMechanism
from dpverify.core.claim import Claim, SearchSpace, Source
from dpverify.core.errors import InputError
from dpverify.core.evidence import Evidence
from dpverify.core.plugins import registry
from dpverify.core.protocols import Guarantee, Task
from dpverify.core.suite import SuiteEntry
from dpverify.core.verdict import Status
from dpverify.datasets.neighbors.fixed import FixedPair
from dpverify.datasets.neighbors.infer import infer_relation
from dpverify.datasets.neighbors.plain import plain_dataset
from dpverify.definitions.grammar import parse_guarantee
from dpverify.runner.execute import run_unit
from dpverify.runner.plan import DEFAULT_CONFIDENCE, Plan, check_confidence, chosen_auditors, task_streams, unit_for
from dpverify.runner.row import Row

DEFAULT_TRIALS = 200_000


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditResult:
    """What one audit found.

    Attributes
    ----------
    verdict : Status
        ``refuted`` or ``not_refuted`` (never "private"), ``unsupported`` or ``error``.
    epsilon_lower : float or None
        Lower bound on the headline measure of the claim at the stated confidence: never above the truth, up to it.
    epsilon_estimate : float or None
        A point estimate; no bound, and no verdict rests on it.
    evidence : Evidence or None
        Counts, event, witness: all that is needed to compute the bound again.
    relation : str
        The neighbour relation, given or read off the pair (`relation_inferred`).
    row : Row
        The row for reports.
    """

    verdict: Status
    epsilon_lower: float | None
    epsilon_estimate: float | None
    evidence: Evidence | None
    relation: str
    relation_inferred: bool
    reproducible: bool
    row: Row = field(repr=False)


def audit(
    mechanism: Callable[..., Any],
    d0: Any,
    d1: Any,
    *,
    claim: Guarantee | str,
    relation: str | None = None,
    trials: int = DEFAULT_TRIALS,
    confidence: float = DEFAULT_CONFIDENCE,
    seed: int = 0,
    call: Call | None = None,
    methods: Sequence[str] | None = None,
    name: str | None = None,
    progress: Callable[[str, float], None] | None = None,
) -> AuditResult:
    """Audit a callable on one pair of neighbouring data sets.

    Parameters
    ----------
    mechanism : callable
        ``f(dataset, rng)``, ``f(dataset, size, rng)`` or ``f(dataset)``.
    d0, d1 : object
        The two data sets; each call gets its own copy.
    claim : Guarantee or str
        For example ``PureDP(epsilon=1)``, or the same as text.
    relation : str or None
        Under which the pair must be neighbours; None reads it off the pair.
    trials : int
        Draws per side for the certified part; selecting the event takes up to as many again.
    confidence : float
        One-sided, of the whole audit.
    seed : int
        Same seed, same result, for a mechanism that draws from the `rng` it is given.
    methods : sequence of str or None
        Names of auditors (`dpverify list auditors`), which share the false-alarm probability; None for the usual ones.

    Returns
    -------
    AuditResult

    Raises
    ------
    InputError
        Bad claim, pair, mechanism or outputs; one line that says what, what is allowed and how to mend it.
    """
    check_confidence(confidence)
    if trials < 1:
        raise InputError(f"trials = {trials}", allowed="an integer >= 1")
    known = registry()
    guarantee = parse_guarantee(claim, dict(known.definitions.items())) if isinstance(claim, str) else claim
    found = relation or infer_relation(d0, d1)
    if found is None:
        raise InputError(
            "d0 and d1 are not neighbours under any relation that can be read off a pair",
            allowed="one record more or less (add-remove), or one record replaced (replace)",
            remedy=f"name the relation with --relation: {', '.join(known.neighbors)}",
        )
    reason = known.neighbors.get(found).check(d0, d1)
    if reason is not None:
        raise InputError(
            f"d0 and d1 are not neighbours under {found}: {reason}",
            allowed="a neighbouring pair",
            remedy="mend the pair, or name another relation",
        )
    if plain_dataset(d0) == plain_dataset(d1):
        raise InputError("d0 and d1 are the same", allowed="two different neighbours", remedy="change one record")
    subject = CallableMechanism(mechanism, call=call)
    entry = SuiteEntry(
        claim=Claim(
            id=(name or subject.name).replace(" ", "-"),
            guarantee=guarantee,
            relation=found,
            subject=subject.name,
            source=Source(paper="user", locus=""),
            space=SearchSpace(),
        ),
        suites=(),
    )
    task = Task(
        claim=entry.claim,
        build=_builder(subject),
        neighbors=FixedPair(d0=d0, d1=d1, relation=found),
        alpha=1 - confidence,
        trials=trials,
        stream=task_streams(seed, entry.claim.id),
        seed=seed,
    )
    unit = unit_for(entry, task, chosen_auditors(known, methods))
    statistical = sum(auditor.statistical for auditor in unit.auditors)
    alpha = (1 - confidence) / max(1, statistical)
    unit = replace(unit, task=replace(task, alpha=alpha))
    plan = Plan(
        units=(unit,),
        seed=seed,
        confidence=confidence,
        alpha=alpha,
        statistical=statistical,
        profile="quick",
        suite="audit",
    )
    row = run_unit(unit, plan, report=progress or (lambda _message, _share: None), strict=True)
    return _result(row, subject, inferred=relation is None)


def _builder(subject: CallableMechanism) -> Callable[..., CallableMechanism]:
    def build(**_searched: Any) -> CallableMechanism:
        return subject

    return build


def _result(row: Row, subject: CallableMechanism, *, inferred: bool) -> AuditResult:
    leading = row.verdict.leading
    witness: Mapping[str, Any] = leading.witness if leading else {}
    if leading is not None and subject.labels:
        leading = replace(leading, witness={**witness, "labels": {str(k): v for k, v in subject.labels.items()}})
    return AuditResult(
        verdict=row.verdict.status,
        epsilon_lower=leading.bound if leading else None,
        epsilon_estimate=leading.estimate if leading else None,
        evidence=leading,
        relation=row.entry.claim.relation,
        relation_inferred=inferred,
        reproducible=subject.reproducible,
        row=row,
    )
