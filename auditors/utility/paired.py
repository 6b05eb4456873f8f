"""The paired auditor: decides claims that compare means of an experiment's arms, from paired repetitions.

Method: the claim's contrasts are computed in every repetition, in units of the margin, and tested by Student's t with
partial conjunctions (`dpverify.stats.paired_limits`): "at every place" is confirmed by an intersection-union test and
refuted by Bonferroni over the places. All statements of all experiments share one false-alarm probability, evenly.
Where a setting that the paper does not print is moved, and as many repetitions no longer give the verdict, it depends
on the setting, if what decides changes by more than chance.

Outcomes, in the record's ``statistics.outcome``: ``refuted``; ``confirmed`` (verdict: not refuted, and the margin is
excluded everywhere it must be); ``undecided``, ``depends``, ``unequal`` (arms that are not at one price) and
``missing`` (data sets that are not here), with the verdict inconclusive. Computed numbers (closed forms) are compared
as they are, as exact evidence. Beside the outcome stand the level at which it would just be reached, and the outcome by
the corrected resampled t.

No verdict is reached from fewer than ten repetitions, nor from repetitions that are all the same, nor on
how little a curve changes where an arm learns nothing.

Assumptions: repetitions are independent given the table (fresh splits and coins), and their means close to normal; the
recoverable ranges that margins are shares of are taken as known, though they are means themselves. Not to be confused
with tests over cross-validation folds, which are dependent.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from auditors.privacy.sampled_evidence import alpha_of
from auditors.utility.shortfalls import NO_VERDICT, judged, narrow
from dpverify.core.auditing import Task
from dpverify.core.claim import Claim
from dpverify.core.comparing import Compares, Grid, HasSeries, Series
from dpverify.core.errors import InputError
from dpverify.core.evidence import Again, ContradictionError, Evidence, LackingError
from dpverify.core.registry import Registry
from dpverify.core.subjects import Guarantee

DIGITS = 7
"""Significant digits that numbers are rounded to before anything is computed from them: those of the record."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedAuditor:
    """Examines claims on contrasts of means (`Compares`) of subjects that measure arms in pairs (`HasSeries`)."""

    name: str = "paired"
    version: str = "1"
    statistical: bool = True
    by_request: bool = True

    def refuses(self, task: Task) -> str | None:
        """None, or what is missing."""
        if not isinstance(task.claim.guarantee, Compares):
            return "the claim compares no means"
        subject = task.build()
        if not isinstance(subject, HasSeries):
            return "the subject measures no arms in pairs"
        lacking = subject.lacks()
        return f"no data set is here: {lacking}" if lacking else None

    def audit(self, task: Task) -> Evidence:
        """Measure, compare, judge.

        Raises
        ------
        InputError
            For fewer than two repetitions.
        """
        claim: Any = task.claim.guarantee
        subject: HasSeries = task.build()
        task.progress("measuring", 0.0)
        found = subject.series(claim.arms(), claim.metrics(), task)
        return self.judged_again(task.claim, _statistics(claim, found), alpha=task.alpha / subject.statements)

    def judged_again(self, claim: Claim, measured: Mapping[str, Any], *, alpha: float) -> Evidence:
        """The verdict on a statement from what was measured, the ``statistics`` of a record; see `JudgesAgain`."""
        guarantee: Any = claim.guarantee
        said = {**measured, "alpha": alpha}
        verdict = judged(guarantee, said, alpha=alpha)
        said["narrow"] = narrow(guarantee, said)
        said |= {"outcome": verdict.outcome, "upper": verdict.upper, "failing": list(verdict.failing)}
        said |= {"p": verdict.p, "corrected": verdict.corrected, "worst": verdict.worst}
        said["moved"] = [{**each, "outcome": o} for each, o in zip(said["moved"], verdict.moved, strict=True)]
        said.pop("vacuous", None)
        if verdict.outcome in NO_VERDICT:
            said["vacuous"] = f"{verdict.outcome}: {verdict.why}"
        measure, exact = guarantee.measures()[0], said["exact"]
        return Evidence(
            claim=claim.id,
            auditor=self.name,
            version=self.version,
            measure=measure,
            bound=verdict.bound,
            excess=verdict.excess,
            confidence=None if exact else 1.0 - alpha,
            error=0.0 if exact else None,
            estimate=verdict.estimate,
            detectable=measure.claimed + verdict.detectable,
            trials=verdict.repetitions,
            statistics=said,
        )

    def recheck(self, guarantee: Guarantee, evidence: Evidence) -> Again:
        """Compute the verdict again from the values in the record."""
        if not isinstance(guarantee, Compares):
            raise ContradictionError(f"series of means say nothing of {guarantee.text()}")
        said, alpha = evidence.statistics, alpha_of(evidence)
        if not 0 < alpha < 1:
            raise InputError(f"alpha = {alpha} in a record", allowed="a number in (0, 1)")
        if "values" not in said or "grid" not in said:
            raise LackingError("the values of its series")
        found = judged(guarantee, said, alpha=alpha)
        if found.outcome != said.get("outcome"):
            raise ContradictionError(f"the outcome is printed as {said.get('outcome')}, the values say {found.outcome}")
        if found.outcome in NO_VERDICT and not said.get("vacuous"):
            raise ContradictionError(f"the values say {found.outcome}, and the record does not")
        if [each.get("outcome") for each in said.get("moved", ())] != list(found.moved):
            raise ContradictionError("the outcomes with moved settings are not those that the values give")
        if "p" in said and (found.corrected, found.p) != (said.get("corrected"), said["p"]):
            raise ContradictionError(
                "the level of the verdict, or the one by the corrected t, is not what the values give"
            )
        if "worst" in said and found.worst != said["worst"]:
            raise ContradictionError(f"the worst comparison is printed as {said['worst']}, and is {found.worst}")
        if list(found.failing) != list(said.get("failing", ())):
            raise ContradictionError("the failing comparisons are not those that the values give")
        return Again(
            measure=guarantee.measures()[0],
            bound=found.bound,
            excess=found.excess,
            alpha=alpha,
            trials=found.repetitions,
            numbers={"upper": found.upper},
        )


def _statistics(claim: Any, found: Series) -> dict[str, Any]:
    """All that the verdict follows from, as plain values: only the series that the claim's contrasts name."""
    keys = judged_keys(claim, found.grid)
    ranges = {name: _rounded(value) for name, value in found.ranges.items()}
    return {
        "exact": found.exact,
        "grid": {"data": list(found.grid.data), "xs": list(found.grid.xs)},
        "values": {key: [_rounded(value) for value in found.values[key]] for key in keys},
        "ranges": ranges,
        "levels": {name: _rounded(value) for name, value in found.levels.items()} if claim.learned() else {},
        "prices": {arm: found.prices[arm] for arm in claim.arms() if arm in found.prices},
        "moved": [
            {**each, "values": {key: [_rounded(v) for v in row] for key, row in each["values"].items() if key in keys}}
            for each in found.moved
        ],
        "missing": dict(found.missing),
        "resampled": found.resampled,
        "settings": {arm: found.settings[arm] for arm in claim.arms() if arm in found.settings},
    }


def judged_keys(claim: Any, grid: Grid) -> list[str]:
    """The series that a claim's contrasts name, each once."""
    from dpverify.core.comparing import series_key

    terms = (term for each in claim.contrasts(grid) for term in each.terms)
    return list(dict.fromkeys(series_key(data, arm, metric, x) for data, arm, metric, x, _ in terms))


def _rounded(value: float) -> float:
    return float(f"{value:.{DIGITS}g}") if math.isfinite(value) else float(value)


def register(registry: Registry) -> None:
    """Put the auditor into the registry."""
    registry.auditors.add("paired", PairedAuditor())
