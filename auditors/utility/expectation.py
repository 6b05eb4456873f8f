"""The expectation auditor: tests whether the mean of a statistic is larger than claimed.

Method: on selection draws, steps are chosen in the statistic's range and one bet is planned. New draws are then rounded
at random to the step below or above, which keeps their mean, and counted; the bet gives the lower confidence limit of
the mean (`dpverify.stats.variational`). There is one limit and one look.

Assumptions: independent runs, and no number below the stated lower bound, which is checked on every draw. Larger
numbers than the largest selected one are replaced by it, which can only lower the mean, so the limit holds for
unbounded statistics and heavy tails, too. Limits: only the claim's stated setting is tested; a mean due to very rare
values is not detected. A normal interval is different: it is invalid where rare values dominate the mean.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from auditors.privacy.event_bounds import Finding
from auditors.privacy.sampled_evidence import alpha_of, found_again, real, reals, same, sampled_evidence, whole, wholes
from dpverify.core.auditing import Task
from dpverify.core.errors import AuditError, InputError
from dpverify.core.evidence import Again, ContradictionError, Evidence
from dpverify.core.registry import Registry
from dpverify.core.subjects import Float, Guarantee, HasStatistic
from dpverify.stats.variational import Bets, mean_lower

STEPS = 64
"""Number of parts of equal probability into which the selected numbers are divided."""

SELECTION = 4
"""This fraction of the draws chooses the steps and the bet."""

FEWEST = 100
_POWER = 0.8416212335729143  # the normal quantile of 80 %


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectationAuditor:
    """Examines claims on the mean of a statistic (`Expectation`) of subjects that draw it."""

    name: str = "mean"
    version: str = "1"
    statistical: bool = True

    def refuses(self, task: Task) -> str | None:
        """None, or what is missing."""
        if task.claim.guarantee.measures()[0].kind != "mean":
            return "the claim is none about a mean"
        if task.claim.space.parameters:
            return "a mean is looked at in one setting, and the claim has boxes of them"
        if not isinstance(task.build(), HasStatistic):
            return "the subject draws no statistic"
        return None

    def audit(self, task: Task) -> Evidence:
        """Plan on separate draws; then draw, count and bound.

        Raises
        ------
        InputError
            For fewer than `FEWEST` trials.
        AuditError
            For a statistic that is not finite, or below its stated lower bound.
        """
        subject: HasStatistic = task.build()
        size = min(task.trials, round(subject.draws * task.effort))
        if size < FEWEST:
            raise InputError(f"{size} draws of a statistic", allowed=f"at least {FEWEST}")
        task.progress("choosing steps", 0.0)
        chosen = _drawn(subject, max(size // SELECTION, FEWEST), task.stream("select"))
        steps = np.unique(np.append(np.quantile(chosen, np.linspace(0.0, 1.0, STEPS + 1)), subject.low))
        level, measure = -math.log(task.alpha), task.claim.guarantee.measures()[0]
        variance, width = _spread(steps, chosen), float(np.ptp(steps))
        bets = planned(steps, variance, size, level)
        task.progress("drawing", 0.2)
        counts = _counted(steps, _drawn(subject, size, task.stream("certify")), task.stream("round"))
        bound = mean_lower(bets, counts, log_level=level)
        all_above = np.zeros_like(counts)
        all_above[-1] = size
        return sampled_evidence(
            self,
            task,
            Finding(measure=measure, bound=bound, excess=bound - measure.claimed),
            estimate=float(steps @ counts) / size,
            detectable=_detectable(measure.claimed, float(np.mean(chosen)), variance, width, size, level),
            ceiling=mean_lower(bets, all_above, log_level=level),
            trials=size,
            statistics={
                "values": steps.tolist(),
                "counts": counts.tolist(),
                "n": size,
                "bet": bets.bet,
                "alpha": task.alpha,
                "selection": len(chosen),
            },
            witness={"parameters": dict(task.claim.parameters)},
        )

    def recheck(self, guarantee: Guarantee, evidence: Evidence) -> Again:
        """Compute the limit again from the counts of the steps and the bet.

        Any steps and bet that were fixed before the draws are valid, so those of the record are used.
        """
        measure, said, alpha = guarantee.measures()[0], evidence.statistics, alpha_of(evidence)
        if measure.kind != "mean":
            raise ContradictionError(f"counts of a statistic say nothing of {guarantee.text()}")
        if not 0 < alpha < 1:
            raise InputError(f"alpha = {alpha} in a record", allowed="a number in (0, 1)")
        values, counts, size = reals(said, "values"), wholes(said, "counts"), whole(said, "n")
        same("the number of steps", values.size, counts.size)
        same("the number of draws", int(counts.sum()), size)
        bets = Bets(values=values, bet=real(said, "bet"), side="above")
        bound = mean_lower(bets, counts, log_level=-math.log(alpha))
        finding = Finding(measure=measure, bound=bound, excess=bound - measure.claimed)
        return found_again(finding, alpha=alpha, trials=size)


def planned(values: Float, variance: float, size: int, level: float) -> Bets:
    """The bet whose limit is closest to the mean, to second order, for numbers with this variation."""
    width = float(values[-1] - values[0])
    least = (width / size) ** 2
    return Bets(values=values, bet=math.sqrt(2 * level / (size * max(variance, least))) if width else 0.0, side="above")


def _detectable(claimed: float, mean: float, variance: float, width: float, size: int, level: float) -> float:
    """The mean that is refuted with 80 % power, to second order.

    The numbers are shifted, or scaled where that is harder to detect (inf where it is never detected).
    """
    spread = (math.sqrt(2 * level) + _POWER) * math.sqrt(variance / size)
    rest = claimed + width * level / size
    if mean <= 0:
        return rest + spread
    return max(rest + spread, rest / (1 - spread / mean) if spread < mean else math.inf)


def _drawn(subject: HasStatistic, size: int, rng: np.random.Generator) -> Float:
    found = np.asarray(subject.statistic(size, rng=rng), dtype=np.float64)
    if found.shape != (size,) or not np.isfinite(found).all():
        raise AuditError(f"a statistic of shape {found.shape} or with numbers that are none, where {size} were asked")
    if (least := float(found.min())) < subject.low:
        raise AuditError(f"a statistic of {least}, said to be at least {subject.low}")
    return found


def _spread(steps: Float, numbers: Float) -> float:
    """The variance of the numbers after random rounding to a step."""
    above = np.searchsorted(steps, numbers, side="left")
    below = np.maximum(above - 1, 0)
    return float(np.var(numbers) + np.mean((steps[above] - numbers) * np.maximum(numbers - steps[below], 0.0)))


def _counted(steps: Float, numbers: Float, rng: np.random.Generator) -> NDArray[np.int64]:
    """Counts of the steps after random rounding that keeps each mean; numbers beyond the last step are moved to it."""
    cut = np.minimum(numbers, steps[-1])
    above = np.searchsorted(steps, cut, side="left")
    below = np.maximum(above - 1, 0)
    gap = steps[above] - steps[below]
    share = np.divide(cut - steps[below], gap, out=np.ones(len(cut)), where=gap > 0)
    return np.bincount(np.where(rng.random(len(cut)) < share, above, below), minlength=len(steps))


def register(registry: Registry) -> None:
    """Put the auditor into the registry."""
    registry.auditors.add("mean", ExpectationAuditor())
