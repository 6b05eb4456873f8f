"""What an audit of scores found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from dpverify.core.auditing import Auditor
from dpverify.core.claim import Claim, Source
from dpverify.core.errors import InputError
from dpverify.core.evidence import Evidence
from dpverify.core.plugins import registry
from dpverify.core.subjects import Guarantee, PrivacyGuarantee
from dpverify.core.verdict import Status
from dpverify.definitions.grammar import parse_guarantee
from dpverify.runner.assertable_result import AssertableResult
from dpverify.runner.plan import check_confidence
from dpverify.runner.recorded_unit import audit_recorded_unit
from dpverify.runner.row import Row
from dpverify.stats.posterior import EpsilonPosterior

CREDIBLE = 0.9


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ScoreResult(AssertableResult):
    """The verdict, and the numbers behind it. It is neither true nor false: compare `verdict`, or call `check`.

    Attributes
    ----------
    verdict : Status
        ``refuted`` or ``not_refuted`` (never "private"); ``inconclusive`` where so few scores could refute nothing.
    measure : str
        What `bound` and `estimate` are of: ``epsilon(delta=1e-05)``, ``mu`` ...
    bound : float
        Lower confidence bound, never above the truth but for the error probability; refutes only above the claim.
    estimate : float or None
        A point estimate; no bound, and no verdict rests on it. From scores of many trainings, it is that of the fixed
        event that `posterior` names, and None where the bound, at other events, is above that.
    posterior : mapping or None
        The shortest *credible* interval of the attack's epsilon at an event that these scores did not choose (the
        threshold given, or the upper half of all scores: `event` says which); no confidence interval, no verdict.
    notes : tuple of str
        What to know before quoting the numbers.
    row : Row
        The row for reports.
    """

    verdict: Status
    measure: str
    bound: float | None
    estimate: float | None
    posterior: Mapping[str, Any] | None
    evidence: Evidence | None
    notes: tuple[str, ...] = ()
    row: Row = field(repr=False)

    @property
    def epsilon_lower(self) -> float | None:
        """The bound where it is one of epsilon; None where it is of mu, say: that is never turned into epsilon."""
        return self.bound if self.measure.startswith("epsilon") else None

    @property
    def epsilon_estimate(self) -> float | None:
        """The estimate where it is one of epsilon."""
        return self.estimate if self.measure.startswith("epsilon") else None


def audit_recorded(
    subject: object,
    auditor: Auditor,
    *,
    claim: Guarantee | str,
    relation: str,
    confidence: float,
    seed: int,
    name: str,
    trials: int,
    notes: Callable[[Evidence], tuple[str, ...]] = lambda _evidence: (),
    credible: bool = True,
) -> ScoreResult:
    """One auditor on one recorded subject; bad input is raised. The posterior takes longer than the audit."""
    check_confidence(confidence)
    known = registry()
    guarantee = parse_guarantee(claim, known.definitions.mapping()) if isinstance(claim, str) else claim
    if not isinstance(guarantee, PrivacyGuarantee):
        raise InputError(f"claim {guarantee!r}", allowed="a privacy guarantee, such as ApproxDP(epsilon=1, delta=1e-5)")
    stated = Claim(
        id=name.replace(" ", "-"),
        guarantee=guarantee,
        relation=relation,
        subject=name,
        source=Source(paper="user", locus=""),
    )
    row = audit_recorded_unit(
        subject,
        auditor,
        stated,
        names=("in", "out"),
        confidence=confidence,
        trials=trials,
        seed=seed,
        suite="scores",
    )
    leading = row.verdict.leading
    untested = _powerless(leading) if leading else ()
    if untested and row.verdict.status is Status.NOT_REFUTED:
        row = replace(row, verdict=replace(row.verdict, status=Status.INCONCLUSIVE, reason=untested[0]))
    return ScoreResult(
        verdict=row.verdict.status,
        measure=(leading.measure if leading else guarantee.measures()[0]).label(),
        bound=leading.bound if leading else None,
        estimate=leading.estimate if leading else None,
        posterior=_posterior(leading) if leading and credible else None,
        evidence=leading,
        notes=(*(() if leading is None else (*untested, *notes(leading))),),
        row=row,
    )


def _powerless(evidence: Evidence) -> tuple[str, ...]:
    if evidence.statistics.get("could_refute", True):
        return ()
    return ("no attack could have refuted this claim with so few scores at this confidence: it was not tested",)


def _posterior(evidence: Evidence) -> Mapping[str, Any] | None:
    """At the fixed event alone: at a threshold chosen because it looks best, scores of nothing look like something."""
    at = evidence.statistics.get("fixed_event")
    if evidence.measure.kind != "epsilon" or at is None:
        return None
    given = EpsilonPosterior(
        tp=at["inside"],
        fn=at["n_in"] - at["inside"],
        fp=at["outside"],
        tn=at["n_out"] - at["outside"],
        delta=evidence.measure.argument,
    )
    low, high = given.shortest(level=CREDIBLE)
    return {
        "low": low,
        "high": high,
        "level": CREDIBLE,
        "delta": evidence.measure.argument,
        "event": at["event"],
        "kind": "credible interval of this attack's epsilon at this event; no confidence interval, no verdict",
    }
