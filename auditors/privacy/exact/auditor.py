"""The exact auditor: compares exact output laws on every pair of a finite relation, or on the worst pair of a search.

Where a relation has few pairs (and no parameter is searched) all are compared. The claim is certified when all its
measures have proved enclosures, the pairs are those of the relation's own generator (a list that another generator
makes is not the relation), and the code that draws follows the stated law on every input, as far as draws show
(`law_check`; nothing else is sampled). Otherwise a global search maximises value / claimed over pairs,
parameters and the claim's sizes; it approaches the supremum from below and certifies nothing. A point that exceeds the
claim is shrunk and rounded, and the excess is then *proved* in ball arithmetic: only a proof refutes.

Verdicts are of the stated law: where nothing is certified, only black-box auditors compare it with the code. The
rounding of claimed numbers and noise scales is allowed for: see `ROUNDING`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from typing import Any

from auditors.privacy.exact.json_values import levels, picture, summary, where, witness
from auditors.privacy.exact.points import ROUNDING, Examiner, Found, Point, content
from auditors.privacy.exact.sizes import SizeSearches, rounded, search_sizes
from dpverify.core.auditing import Task
from dpverify.core.claim import SearchSpace
from dpverify.core.errors import AuditError, DpverifyError, UnsupportedError
from dpverify.core.evidence import Coverage, Enclosed, Evidence, Measure
from dpverify.core.registry import Registry
from dpverify.core.subjects import Encloses, PrivacyGuarantee, capabilities
from dpverify.definitions.pure_dp import ApproxDP, PureDP
from dpverify.definitions.rdp import RDP

MOST_PAIRS = 4096
"""Largest number of pairs that is enumerated."""

_SAID_WHOLLY = (PureDP, ApproxDP, RDP)  # guarantees that equal their measures; others have only points of a curve there
_PROOFS = 4  # measures that are tried at a witness before it counts as unproved


@dataclass(frozen=True, slots=True, kw_only=True)
class ExactAuditor:
    """Examines any privacy guarantee of any subject with an exact output law."""

    name: str = "exact"
    version: str = "4"
    statistical: bool = False
    honours: frozenset[str] = frozenset({"sizes", "proportional", "unit"})

    def refuses(self, task: Task) -> str | None:
        """None, or what is missing: a privacy guarantee, an output law for the data, a supported measure."""
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
        """Enumerate all pairs, or search, shrink and prove.

        Raises
        ------
        AuditError
            When there is no pair, or a law gives nan.
        UnsupportedError
            When the laws support none of the claim's measures.
        """
        if not isinstance(task.claim.guarantee, PrivacyGuarantee):
            raise AuditError(f"{task.claim.guarantee.text()} is no privacy guarantee")
        space = task.claim.space
        count = task.neighbors.count(space)
        examiner = Examiner(task=task)
        if count is not None and 0 < count <= MOST_PAIRS and not (space.parameters or space.sizes):
            return self._enumerate(task, examiner, count)
        found = search_sizes(task, examiner)
        if examiner.worst.excess > 0:
            return self._refute(task, examiner, found)
        worst, extra = examiner.worst, found.statistics(space.size)
        return self._evidence(task, examiner, worst, worst.value, coverage="search", extra=extra)

    def _refute(self, task: Task, examiner: Examiner, toured: SizeSearches) -> Evidence:
        """Prove the excess at the worst and at the smallest witness.

        The worst one is the evidence; if it has no proof, the smallest proved witness at a size of the claim is.
        """
        task.progress("shrinking", 0.8)
        exceeding, held = toured.shrunk(examiner)
        worst = rounded(task, examiner, toured.worst.found)
        task.progress("proving", 0.95)
        found, proof = self._proved(examiner, worst)
        if proof is None:
            found, proof = self._proved_elsewhere(examiner, worst)
        extra = toured.statistics(task.claim.space.size)
        if toured.several:
            extra |= {"smallest_size": min(exceeding), "largest_ratio_below": max(held.values(), default=None)}
        if exceeding:
            other, other_proof = self._smallest_proved(examiner, exceeding)
            extra["smallest"] = witness(other) | summary(other, other_proof)
            space = task.claim.space
            inside = {at: these for at, these in exceeding.items() if _inside(space, at, these[0])}
            if proof is None and inside:
                other, other_proof = self._smallest_proved(examiner, inside)
                if other_proof is not None:
                    found, proof = other, other_proof
        return self._evidence(task, examiner, found, proof or found.value, coverage="search", extra=extra)

    def _smallest_proved(
        self, examiner: Examiner, exceeding: Mapping[int, Sequence[Found]]
    ) -> tuple[Found, Enclosed | None]:
        """The smallest witness with a proof; the smallest of all if none has one.

        At each size the two simplest pairs are tried: proofs merge outcomes, and lose more when a pair has more
        levels.
        """
        for _, found in sorted(exceeding.items()):
            for each in sorted(found, key=lambda each: (levels(each.point.pair), -each.ratio))[:2]:
                other, proof = self._proved(examiner, rounded(examiner.task, examiner, each))
                if proof is not None:
                    return other, proof
        found = exceeding[min(exceeding)]
        return rounded(examiner.task, examiner, found[0]), None

    def _proved_elsewhere(self, examiner: Examiner, worst: Found) -> tuple[Found, Enclosed | None]:
        """A proof at the worst points of other measures: a simpler pair may exceed by less and be provable."""
        others = sorted(examiner.best.values(), key=lambda each: -each.ratio)
        for each in [each for each in others if each.excess > 0 and each.point is not worst.point][:_PROOFS]:
            proof = examiner.laws(each.point, reverse=each.reverse).prove(each.measure)
            if proof is not None and proof.proved and _exceeds(proof, each.measure):
                return each, proof
        return worst, None

    def _proved(self, examiner: Examiner, found: Found) -> tuple[Found, Enclosed | None]:
        """A proof that a measure exceeds its claim at the point of `found`.

        Measures of the headline's kind are tried first (ratios of different kinds are not comparable), then that of
        `found`, then the next worst.
        """
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
        """Compare every pair in both directions: a refutation needs one proof, a certificate a proof for each."""
        pairs = task.neighbors.candidates(task.claim.space, limit=count, rng=task.stream("pairs"))
        if not pairs:
            raise AuditError(f"the relation {task.neighbors.relation!r} counts {count} pairs and lists none")
        complete = len(pairs) == count
        for done, pair in enumerate(pairs):
            task.progress("comparing every pair", 0.5 * done / count)
            examiner.examine(Point(pair=pair, size=task.claim.space.size))
        worst = examiner.worst
        extra = {"pairs": len(pairs), "pairs_in_all": count, "own": summary(worst)}
        if worst.excess > 0:
            found, proof = self._proved(examiner, worst)
            return self._evidence(task, examiner, found, proof or found.value, coverage="enumeration", extra=extra)
        own = task.neighbors.name == task.neighbors.relation
        wholly = complete and own and not examiner.missing and isinstance(task.claim.guarantee, _SAID_WHOLLY)
        if not wholly:
            return self._evidence(task, examiner, worst, worst.value, coverage="search", extra=extra)
        top: tuple[tuple[bool, float], Found, Enclosed] | None = None
        for done, pair in enumerate(pairs):
            task.progress("enclosing every pair", 0.5 + 0.5 * done / count)
            for each in examiner.all(Point(pair=pair, size=task.claim.space.size)):
                proof = _enclosure(examiner, each)
                if proof is None or not proof.proved:  # what a law says of itself is no enclosure
                    return self._evidence(task, examiner, worst, worst.value, coverage="search", extra=extra)
                proof = _not_rounded_in(proof, each.measure)
                # One measure above its claim prevents the certificate, whatever the ratios round to.
                rank = (not proof.upper <= each.measure.claimed, _share(proof.upper, each.measure))
                if top is None or rank > top[0]:
                    top = (rank, each, proof)
        assert top is not None
        coverage: Coverage = "enumeration"
        if not top[0][0]:
            coverage, extra["sampler"] = _sampler(task, [pair.d0 for pair in pairs] + [pair.d1 for pair in pairs])
        return self._evidence(task, examiner, top[1], top[2], coverage=coverage, extra=extra)

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
        # The stated excess has the allowed rounding of claims subtracted; a certificate gets no such allowance.
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
                "by_measure": {label: summary(each) for label, each in examiner.best.items()},
                "not_measured": dict(examiner.missing),
                "worst": summary(found, value),
                "smallest": None,
                **where(task, examiner),
                **(extra or {}),
            },
            witness=witness(found),
            picture=picture(task, examiner, found),
        )


def _sampler(task: Task, datasets: Sequence[Any]) -> tuple[Coverage, Any]:
    """The coverage that the comparison of draws with laws leaves, and what to say of it; AuditError on a departure."""
    from auditors.privacy.exact.law_check import LEVEL, compare

    task.progress("comparing draws with the laws", 0.9)
    try:
        found = compare(task, list({content(each) or place: each for place, each in enumerate(datasets)}.values()))
    except UnsupportedError as problem:
        return "search", f"not compared with its stated law: {problem}"
    if found is None:
        return "enumeration", "the subject states a law and draws nothing"
    if found.departure:
        raise AuditError(f"the code does not follow the law that it states: {found.departure}")
    return "enumeration", {**asdict(found), "level": LEVEL}


def _exceeds(value: Enclosed, measure: Measure) -> bool:
    return value.lower > measure.claimed * (1.0 + ROUNDING)


def _enclosure(examiner: Examiner, found: Found) -> Enclosed | None:
    """A proved enclosure of the measure, from laws that offer one; `prove` gives lower bounds only."""
    pair = examiner.laws(found.point, reverse=found.reverse)
    return pair.enclosure(found.measure) if isinstance(pair, Encloses) else None


def _inside(space: SearchSpace, size: int, found: Found) -> bool:
    """Whether a witness of `size` refutes a claim for this space.

    It must have a listed size, or the claim's size with no parameter changed but searched ones. The theorem may not
    cover sizes between.
    """
    return size in space.sizes or (size == space.size and set(found.point.parameters) <= set(space.parameters))


def _not_rounded_in(proof: Enclosed, measure: Measure) -> Enclosed:
    """`proof` with a larger error where value + error exceeds the claim and only the sum's rounding hides it."""
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


def register(registry: Registry) -> None:
    """Put the auditor into the registry."""
    registry.auditors.add("exact", ExactAuditor())
