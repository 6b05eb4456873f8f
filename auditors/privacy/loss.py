"""Grey box, with statistics: is the realised privacy loss of what was released larger than the claim allows?

Noisy values that are released one after another, each computed from the ones before, have a density on either data set
that a replay can compute: every noise-free value is known given the values so far. The log-ratio L of the two densities
is the best score there is for telling the data sets apart by these values (Neyman and Pearson). So the event "L above a
threshold" is counted in fresh runs on either data set, and a region of the two probabilities is held against the claim.

Pair, direction and threshold are chosen on runs of their own; the event is then fixed and the whole error probability
is spent on one region, so nothing is left for multiplicity.

Assumptions: independent runs; no randomness but what the recorder sees (looked at again in a few runs, as `replay`
does, and refused otherwise). The event is then a fixed function of what is shown before the first hidden coin,
*whatever L is worth*: a wrong law of the noise, or rounding, costs power and no soundness. Limits: what is shown after
a hidden coin is not looked at (nothing at all, where a coin comes first: then the audit is refused). Often confused
with a bound by the largest realised loss, which proves something about pure claims only (`replay`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from auditors.privacy.goal import KINDS, Goal, tightness, value
from auditors.privacy.replay.runs import Replayer, Runs
from dpverify.core.errors import AuditError
from dpverify.core.evidence import Evidence
from dpverify.core.protocols import Float, HasRecorder, HasTranscript, Pair, PrivacyGuarantee, Task
from dpverify.core.registry import Registry
from dpverify.core.transcript import LAPLACE, OTHER
from dpverify.datasets.neighbors.plain import plain_pair
from dpverify.stats.intervals import clopper_pearson_lower, clopper_pearson_upper
from dpverify.stats.joint import JointRegion

PAIRS, PILOT = 8, 8
"""Pairs at effort 1, and runs a side on each to choose one."""

MOST_RUNS, SELECTION = 4000, 4
"""Certified runs a side at effort 1 (fewer where the trials are fewer); an n-th as many choose the threshold."""

PLACES = 9
"""Decimals that a loss is rounded to. Laplace noise gives whole atoms of equal losses, which floating point splits by
the low bits of the values shown: a leak of its own, which `floating_point` looks for, and none of the algorithm's."""

FEWEST = 100
LOOKED_AT_AGAIN = 4
_HIDDEN = "a hidden coin comes before anything noisy is shown"


@dataclass(frozen=True, slots=True, kw_only=True)
class LossAuditor:
    """Any privacy guarantee, subjects that tell what they do or can be recorded."""

    name: str = "loss"
    version: str = "1"
    statistical: bool = True
    by_request: bool = True

    def refuses(self, task: Task) -> str | None:
        """None, or what is missing."""
        guarantee = task.claim.guarantee
        if not isinstance(guarantee, PrivacyGuarantee) or guarantee.measures()[0].kind not in KINDS:
            return "the claim is no privacy guarantee whose measures are known here"
        if not isinstance(task.build(), HasTranscript | HasRecorder):
            return "the subject has no transcripts and cannot be recorded"
        return None

    def audit(self, task: Task) -> Evidence:
        """Choose a pair, a direction and a threshold; count in fresh runs.

        Raises
        ------
        AuditError
            When nothing noisy is shown before the first hidden coin, or there is no pair.
        InputError
            When so few trials could not refute the claim whatever happened.
        """
        guarantee = task.claim.guarantee
        assert isinstance(guarantee, PrivacyGuarantee)
        goal = Goal(guarantee=guarantee)
        runs = min(task.trials, round(MOST_RUNS * task.effort))
        goal.require(runs, alpha=task.alpha, least=FEWEST)
        built = task.build()
        subject = built.recorded() if isinstance(built, HasRecorder) else built
        replayer = Replayer(subject=subject, stream=task.stream)
        limit = max(1, round(PAIRS * task.effort))
        pairs = task.neighbors.candidates(task.claim.space, limit=limit, rng=task.stream("pairs"))
        if not pairs:
            raise AuditError(f"the relation {task.neighbors.relation!r} has no two different neighbours in this space")
        task.progress("choosing the pair", 0.0)
        pilots = [
            [_losses(replayer, pair, f"pilot {place}", PILOT, side) for side in (0, 1)]
            for place, pair in enumerate(pairs)
        ]
        chosen = int(np.argmax([abs(first.mean() - second.mean()) for first, second in pilots]))
        pair = pairs[chosen]
        for side in (0, 1):
            for again in range(LOOKED_AT_AGAIN):
                if not replayer.certain(replayer.runs(pair, f"certain {again}", reverse=bool(side)), place=again):
                    raise AuditError("the program has randomness that the recorder does not see: draw from its rng")
        task.progress("choosing the threshold", 0.1)
        size = max(runs // SELECTION, FEWEST)
        selection = [_losses(replayer, pair, "select", size, side) for side in (0, 1)]
        threshold, direction = _best_event(goal, selection, runs, task.alpha)
        hits = []
        for side in (0, 1):
            task.progress("counting in fresh runs", 0.3 + 0.35 * side)
            fresh = _losses(replayer, pair, "certify", runs, side)
            hits.append(int(np.count_nonzero(fresh > threshold if direction == 0 else fresh < threshold)))
        k1, k2 = hits[direction], hits[1 - direction]
        region = JointRegion(k1=k1, n1=runs, k2=k2, n2=runs, alpha=task.alpha)
        finding = goal.finding(region, direction)
        return Evidence(
            claim=task.claim.id,
            auditor=self.name,
            version=self.version,
            measure=finding.measure,
            bound=finding.bound,
            excess=finding.excess,
            confidence=1.0 - task.alpha,
            estimate=goal.estimate(k1, runs, k2, runs) if finding.measure is goal.headline else None,
            detectable=goal.detectable(
                max(k2, 0.5) / runs, runs, alpha=task.alpha, share=region.share, direction=direction
            ),
            ceiling=goal.ceiling(runs, alpha=task.alpha, share=region.share),
            trials=runs,
            seed=task.seed,
            statistics={"k1": k1, "n1": runs, "k2": k2, "n2": runs, "alpha": task.alpha, "pairs": len(pairs)},
            witness={
                **plain_pair(pair),
                "direction": "d0 against d1" if direction == 0 else "d1 against d0",
                "event": f"the log-ratio of densities of what is shown is {'above' if direction == 0 else 'below'} "
                f"{threshold:.6g}",
            },
        )


def _losses(replayer: Replayer, pair: Pair, name: str, size: int, side: int) -> Float:
    """log p(h) / q(h), p on d0 and q on d1, of histories of independent runs on d0 (side 0) or d1 (side 1)."""
    found = np.empty(size)
    for run in range(size):
        runs = replayer.runs(pair, f"{name} {run}", reverse=bool(side))
        found[run] = _log_ratio(runs) * (1.0 if side == 0 else -1.0)
    return np.round(found, PLACES)


def _log_ratio(runs: Runs) -> float:
    """Of the densities of a history, its own data set's over the other's; infinite where the other cannot show it."""
    total = 0.0
    for one, other in runs.comparison.noisy:
        if one.law != other.law or one.law == OTHER:
            return total
        moved = [(one.value - step.clean) / step.scale for step in (one, other)]
        size = [np.abs(z) if one.law == LAPLACE else 0.5 * z * z for z in moved]
        total += float(np.sum(size[1] - size[0] + np.log(other.scale) - np.log(one.scale)))
    if runs.comparison.apart is not None:
        return math.inf
    if not runs.comparison.noisy and runs.comparison.coin is not None:
        raise AuditError(f"{_HIDDEN}: {runs.comparison.coin.name} {runs.comparison.coin.where}")
    return total


def _best_event(goal: Goal, selection: list[Float], runs: int, alpha: float) -> tuple[float, int]:
    """The threshold and direction that promise most, at the selection's rates and the limits of so many runs."""
    size = selection[0].size
    finite = np.concatenate([side[np.isfinite(side)] for side in selection])
    inner = np.unique(np.quantile(finite, np.linspace(0.0, 1.0, 200))) if finite.size else np.zeros(1)
    levels = np.concatenate([[inner[0] - 1.0], inner])
    best = (-math.inf, 0.0, 0)
    for direction in (0, 1):
        sign = 1.0 if direction == 0 else -1.0
        above = [np.count_nonzero(sign * side[:, None] > sign * levels, axis=0) / size for side in selection]
        k1, k2 = (np.rint(runs * above[side]).astype(np.int64) for side in (direction, 1 - direction))
        p = np.asarray(clopper_pearson_lower(k1, runs, alpha=alpha / 2), dtype=np.float64)
        q = np.asarray(clopper_pearson_upper(k2, runs, alpha=alpha / 2), dtype=np.float64)
        beyond = p - goal.allowed(direction)(q)
        promise = np.where(
            beyond > 0, 10.0 + beyond, np.minimum(tightness(goal.headline, value(goal.headline, p, q)), 9.0)
        )
        place = int(np.argmax(promise))
        if promise[place] > best[0]:
            best = float(promise[place]), float(levels[place]), direction
    return best[1], best[2]


def register(registry: Registry) -> None:
    """Put the auditor into the registry."""
    registry.auditors.add("loss", LossAuditor())
