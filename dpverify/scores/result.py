"""What an audit of scores found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from dpverify.audits.finding import Finding
from dpverify.audits.judges import UNTESTED, Known, judged
from dpverify.audits.recorded import audit_recorded_unit
from dpverify.audits.result import Result
from dpverify.core.auditing import Auditor
from dpverify.core.claim import Claim, Source
from dpverify.core.evidence import Evidence
from dpverify.core.note import plain_notes
from dpverify.core.subjects import Guarantee
from dpverify.definitions.claims import privacy_guarantee_of
from dpverify.runner.plan import check_confidence
from dpverify.stats.posterior import EpsilonPosterior
from dpverify.stats.score_rates import ScoreRates

CREDIBLE = 0.9


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ScoreResult(Result):
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
    attack : ScoreRates or None
        True positives at false-positive rates, advantage and area under the curve, with limits that hold together at
        the confidence asked; of scores of many trainings alone, for those of one are not independent.
    notes : tuple of str
        What to know before quoting the numbers.
    row : Row
        The row for reports.
    """

    finding: Finding
    measure: str
    posterior: Mapping[str, Any] | None
    attack: ScoreRates | None = None

    @property
    def bound(self) -> float | None:
        """The lower confidence bound."""
        return self.evidence.bound if self.evidence else None

    @property
    def estimate(self) -> float | None:
        """The point estimate of the loss."""
        return self.evidence.estimate if self.evidence else None

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
    guarantee = privacy_guarantee_of(claim)
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
    finding = judged(Finding(row=row), Known())
    leading = finding.row.verdict.leading
    if leading is not None:
        untested = [UNTESTED] if finding.row.verdict.reason == UNTESTED else []
        finding = finding.noting(*plain_notes(*untested, *notes(leading)))
    return ScoreResult(
        finding=finding,
        measure=(leading.measure if leading else guarantee.measures()[0]).label(),
        posterior=_posterior(leading) if leading and credible else None,
    )


def _posterior(evidence: Evidence) -> Mapping[str, Any] | None:
    """Look at the fixed event alone: a threshold chosen because it looks best makes scores of nothing look good."""
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
