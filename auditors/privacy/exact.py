"""The exact auditor: compares exact output laws, on every pair of a finite relation or on the worst pair of a search.

Nothing is sampled. Where a relation has few pairs (and no parameter is searched) all are compared, and a claim whose
every measure is enclosed with proof is certified. Otherwise a global search maximises value / claimed over pairs and
parameters; it reaches the supremum from below and certifies nothing. A point that exceeds the claim is shrunk and
rounded, and then *proved* to exceed it in ball arithmetic: only a proof refutes.

Assumes that the subject's `output_law` is the law of its output (the black-box auditors check it against samples) and
takes claimed numbers and noise scales with the rounding of doubles: see `ROUNDING`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from auditors.privacy.exact_points import ROUNDING, Examiner, Found, Point
from auditors.privacy.exact_search import Spot, search
from auditors.privacy.exact_shrink import rounded, smallest
from dpverify.core.errors import AuditError, DpverifyError, UnsupportedError
from dpverify.core.evidence import Coverage, Evidence
from dpverify.core.measure import Enclosed, Measure
from dpverify.core.protocols import Dataset, PrivacyGuarantee, Task, capabilities
from dpverify.core.registry import Registry
from dpverify.datasets.neighbors.plain import plain_dataset
from dpverify.definitions.approx_dp import ApproxDP
from dpverify.definitions.pure_dp import PureDP
from dpverify.definitions.rdp import RDP

MOST_PAIRS = 4096
"""Relations with at most so many pairs are enumerated."""

_SAID_WHOLLY = (PureDP, ApproxDP, RDP)  # the guarantees whose measures say all of them; others list points of a curve
_PROOFS = 4  # measures tried at a witness before it counts as unproved
_SHORT = 12  # vectors up to this long are written out
_PICTURED = 65


@dataclass(frozen=True, slots=True, kw_only=True)
class ExactAuditor:
    """Any privacy guarantee, any subject that knows its output law."""

    name: str = "exact"
    version: str = "1"
    statistical: bool = False

    def refuses(self, task: Task) -> str | None:
        """None, or what is missing: a privacy guarantee, an output law that takes the data, a measure that it knows."""
        if not isinstance(task.claim.guarantee, PrivacyGuarantee):
            return "the claim is no privacy guarantee"
        if "output_law" not in capabilities(task.build()):
            return "the subject has no exact output law"
        first = task.neighbors.candidates(task.claim.space, limit=1, rng=task.stream("probe"))
        try:
            for pair in first:
                Examiner(task=task).examine(Point(pair=pair))
        except DpverifyError as problem:
            return str(problem)
        return None

    def audit(self, task: Task) -> Evidence:
        """Enumerate, or search, shrink and prove.

        Raises
        ------
        AuditError
            When there is no pair to look at, or a law gives no number.
        UnsupportedError
            When the laws know none of the claim's measures.
        """
        if not isinstance(task.claim.guarantee, PrivacyGuarantee):
            raise AuditError(f"{task.claim.guarantee.text()} is no privacy guarantee")
        space = task.claim.space
        count = task.neighbors.count(space)
        examiner = Examiner(task=task)
        if count is not None and 0 < count <= MOST_PAIRS and not space.parameters:
            return self._enumerate(task, examiner, count)
        spot = search(task, examiner)
        if examiner.worst.excess > 0:
            return self._refute(task, examiner, spot)
        worst = examiner.worst
        return self._evidence(task, examiner, worst, worst.value, coverage="search")

    def _refute(self, task: Task, examiner: Examiner, spot: Spot) -> Evidence:
        """Proofs at the worst and the smallest witness; the worst is the evidence unless only the other is proved."""
        task.progress("shrinking", 0.8)
        worst = rounded(task, examiner, spot.found)
        small = smallest(task, examiner, spot)
        task.progress("proving", 0.95)
        found, proof = self._proved(examiner, worst)
        if proof is None:
            found, proof = self._proved_elsewhere(examiner, worst)
        extra: dict[str, Any] = {}
        if small is not None:
            other, other_proof = self._proved(examiner, rounded(task, examiner, small))
            extra["smallest"] = _witness(other) | _value(other, other_proof)
            # With a parameter of the claim changed it is no witness against this very claim.
            own = set(other.point.parameters) <= set(task.claim.space.parameters)
            if proof is None and other_proof is not None and own:
                found, proof = other, other_proof
        return self._evidence(task, examiner, found, proof or found.value, coverage="search", extra=extra)

    def _proved_elsewhere(self, examiner: Examiner, worst: Found) -> tuple[Found, Enclosed | None]:
        """A proof at the worst points of other measures: a less intricate pair may exceed by less and be proved."""
        others = sorted(examiner.best.values(), key=lambda each: -each.ratio)
        for each in [each for each in others if each.excess > 0 and each.point is not worst.point][:_PROOFS]:
            proof = examiner.laws(each.point, reverse=each.reverse).prove(each.measure)
            if proof is not None and proof.proved and _exceeds(proof, each.measure):
                return each, proof
        return worst, None

    def _proved(self, examiner: Examiner, found: Found) -> tuple[Found, Enclosed | None]:
        """A proof that a measure exceeds its claim at the point of `found`: one of the headline's kind if there is any
        (ratios of deltas are no better for being larger), then that of `found`, then the next worst there."""
        headline = examiner.task.claim.guarantee.measures()[0].kind

        def rank(each: Found) -> tuple[bool, bool, float]:
            same = each.measure == found.measure and each.reverse == found.reverse
            return each.measure.kind != headline, not same, -each.ratio

        others = [each for each in examiner.all(found.point) if each.excess > 0]
        for each in sorted(others, key=rank)[:_PROOFS]:
            proof = examiner.laws(each.point, reverse=each.reverse).prove(each.measure)
            if proof is not None and proof.proved and _exceeds(proof, each.measure):
                return each, proof
        return found, None

    def _enumerate(self, task: Task, examiner: Examiner, count: int) -> Evidence:
        """Every pair in both directions: a refutation needs one proof, a certificate all of them."""
        pairs = task.neighbors.candidates(task.claim.space, limit=count, rng=task.stream("pairs"))
        if not pairs:
            raise AuditError(f"the relation {task.neighbors.relation!r} counts {count} pairs and lists none")
        complete = len(pairs) == count
        for done, pair in enumerate(pairs):
            task.progress("comparing every pair", 0.5 * done / count)
            examiner.examine(Point(pair=pair))
        worst = examiner.worst
        extra = {"pairs": len(pairs), "pairs_in_all": count}
        if worst.excess > 0:
            found, proof = self._proved(examiner, worst)
            return self._evidence(task, examiner, found, proof or found.value, coverage="enumeration", extra=extra)
        wholly = complete and not examiner.missing and isinstance(task.claim.guarantee, _SAID_WHOLLY)
        if not wholly:
            return self._evidence(task, examiner, worst, worst.value, coverage="search", extra=extra)
        top: tuple[tuple[bool, float], Found, Enclosed] | None = None
        for done, pair in enumerate(pairs):
            task.progress("enclosing every pair", 0.5 + 0.5 * done / count)
            for each in examiner.all(Point(pair=pair)):
                proof = _enclosure(examiner, each)
                if proof is None or not proof.proved:
                    return self._evidence(task, examiner, worst, worst.value, coverage="enumeration", extra=extra)
                proof = _not_rounded_in(proof, each.measure)
                # One measure beyond its claim is enough to deny the certificate, whatever the shares round to.
                rank = (not proof.upper <= each.measure.claimed, _share(proof.upper, each.measure))
                if top is None or rank > top[0]:
                    top = (rank, each, proof)
        assert top is not None
        return self._evidence(task, examiner, top[1], top[2], coverage="enumeration", extra=extra)

    def _evidence(
        self,
        task: Task,
        examiner: Examiner,
        found: Found,
        value: Enclosed,
        *,
        coverage: Coverage,
        extra: Mapping[str, Any] | None = None,
    ) -> Evidence:
        measure = found.measure
        slack = ROUNDING * measure.claimed
        excess = value.lower - measure.claimed - slack
        if math.isnan(excess):
            raise AuditError(f"{measure.label()} of the exact laws is {value.value} +- {value.error}")
        # An excess is stated net of the rounding that claims are allowed; a certificate gets no such allowance.
        error = value.error + slack if excess > 0 and math.isfinite(value.value) else value.error
        return Evidence(
            claim=task.claim.id,
            auditor=self.name,
            version=self.version,
            measure=measure,
            bound=value.value,
            excess=excess,
            error=error,
            proved=value.proved,
            coverage=coverage,
            detectable=measure.claimed + slack + 2 * value.error,
            seed=task.seed,
            statistics={
                "evaluations": examiner.evaluations,
                "best_ratio": examiner.worst.ratio,
                "by_measure": {label: _summary(each) for label, each in examiner.best.items()},
                "not_measured": dict(examiner.missing),
                **(extra or {}),
            },
            witness=_witness(found),
            picture=_picture(task, examiner, found),
        )


def _exceeds(value: Enclosed, measure: Measure) -> bool:
    return value.lower > measure.claimed * (1.0 + ROUNDING)


def _enclosure(examiner: Examiner, found: Found) -> Enclosed | None:
    """A proved enclosure of the measure itself: `enclosure` of laws whose `prove` gives lower bounds only."""
    pair = examiner.laws(found.point, reverse=found.reverse)
    enclose = getattr(pair, "enclosure", pair.prove)
    proof: Enclosed | None = enclose(found.measure)
    return proof


def _not_rounded_in(proof: Enclosed, measure: Measure) -> Enclosed:
    """`proof`, its error widened where value + error exceeds the claim and only the rounding of that sum hides it."""
    claimed = measure.claimed
    if not (math.isfinite(proof.value) and math.isfinite(proof.error) and math.isfinite(claimed)):
        return proof
    if proof.upper > claimed or Fraction(proof.value) + Fraction(proof.error) <= Fraction(claimed):
        return proof
    return replace(proof, error=proof.error + 2.0 * (math.ulp(claimed) + math.ulp(proof.value)))


def _share(upper: float, measure: Measure) -> float:
    if math.isinf(measure.claimed):
        return 0.0
    if measure.claimed > 0:
        return upper / measure.claimed
    return math.inf if upper > 0 else 1.0


def _value(found: Found, proof: Enclosed | None) -> dict[str, Any]:
    value = proof or found.value
    return {
        "measure": found.measure.label(),
        "value": value.value,
        "error": value.error,
        "proved": value.proved,
        "claimed": found.measure.claimed,
    }


def _summary(found: Found) -> dict[str, Any]:
    """The best of one measure, without its data sets."""
    return {
        **_value(found, None),
        "ratio": found.ratio,
        "pair": found.point.pair.label,
        "direction": found.direction,
        "parameters": dict(found.point.parameters),
    }


def _witness(found: Found) -> dict[str, Any]:
    pair = found.point.pair
    return {
        "d0": _written(pair.d0),
        "d1": _written(pair.d1),
        "pair": pair.label,
        "direction": found.direction,
        "parameters": dict(found.point.parameters),
    }


def _written(dataset: Dataset) -> Any:
    """Plain JSON values; a long vector of a few stretches as ``{"size": ..., "runs": [[value, how often], ...]}``."""
    if not (isinstance(dataset, np.ndarray) and dataset.ndim == 1 and dataset.size > _SHORT):
        return plain_dataset(dataset)
    starts = np.flatnonzero(np.concatenate([[True], dataset[1:] != dataset[:-1]]))
    if 3 * starts.size > dataset.size:
        return plain_dataset(dataset)
    counts = np.diff(np.append(starts, dataset.size))
    runs = [[value, count] for value, count in zip(dataset[starts].tolist(), counts.tolist(), strict=True)]
    return {"size": int(dataset.size), "runs": runs}


def _picture(task: Task, examiner: Examiner, found: Found) -> dict[str, Any]:
    """The claimed curve, and the exact one where the laws have it."""
    alpha = np.unique(np.concatenate([np.linspace(0.0, 1.0, _PICTURED), np.geomspace(1e-12, 1.0, _PICTURED)]))
    guarantee = task.claim.guarantee
    curves: dict[str, Sequence[float]] = {}
    if isinstance(guarantee, PrivacyGuarantee):
        curves["claimed"] = guarantee.tradeoff(alpha, reverse=found.reverse).tolist()
    with suppress(UnsupportedError):  # the picture then does without it
        curves["exact"] = examiner.laws(found.point, reverse=found.reverse).tradeoff(alpha).tolist()
    return {name: {"alpha": alpha.tolist(), "beta": beta} for name, beta in curves.items()}


def register(registry: Registry) -> None:
    """Put the auditor into the registry."""
    registry.auditors.add("exact", ExactAuditor())
