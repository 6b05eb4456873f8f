"""The loss auditor (grey box): tests by counts whether the realised privacy loss of releases exceeds the claim.

Noisy values may be released one after another, each computed from the earlier ones. A replay computes their density on
either data set, since every noise-free value is known given the earlier releases. The log-ratio L of the two densities
is the most powerful score for distinguishing the data sets by these values (Neyman and Pearson). So the event "L above
a threshold" is counted in new runs on both data sets, and the claim is tested with the region of the two probabilities.

Pair, direction and threshold are chosen on separate runs. The event is then fixed, so its region gets the whole error
probability.

Assumption: independent runs. A subject on a tape has no other randomness, so the event is a fixed function of the
values shown before the first hidden coin. For a user's callable, the event is a function of the values that the
*unchanged* program shows and of independent coins, the same function on both data sets (`replay.likelihood_ratio`); the
program may use unrecorded randomness. So wrong laws, rounding and unrecorded randomness cost power but not validity,
however far L is from the true log-ratio. Limits: values after a hidden coin are not used; if there are no values to
score, the audit is refused. A bound by the largest realised loss is different: it holds for pure claims only
(`replay`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from auditors.privacy.admission import goal_of
from auditors.privacy.event_bounds import FEWEST_TRIALS, KINDS
from auditors.privacy.replay.runs import HIDDEN, UNSEEN, Replayer, best_event, hits, replay_refusal, scores
from auditors.privacy.sampled_evidence import event_evidence, one_event
from auditors.search_boxes import candidate_pairs, scaled_limit
from dpverify.core.auditing import Task
from dpverify.core.errors import AuditError
from dpverify.core.evidence import Again, Evidence
from dpverify.core.registry import Registry
from dpverify.core.subjects import Guarantee, Pair, PrivacyGuarantee
from dpverify.datasets.neighbors.json_values import plain_pair
from dpverify.stats.joint import JointRegion

PAIRS, PILOT = 8, 8
"""Pairs at effort 1, and runs a side on each for choosing one."""

MOST_RUNS, SELECTION = 4000, 4
"""Counted runs a side at effort 1 (at most the trials); this fraction of them chooses the threshold."""

SHARE = 0.5
"""Share of the event's region: the error is split evenly."""

LOOKED_AT_AGAIN = 4
FAR = 100.0
"""Scores are clipped at this value where the pilot's are averaged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LossAuditor:
    """Examines any privacy guarantee of subjects that have transcripts or can be recorded."""

    name: str = "loss"
    version: str = "2"
    statistical: bool = True
    by_request: bool = True

    def refuses(self, task: Task) -> str | None:
        """None, or what is missing."""
        guarantee = task.claim.guarantee
        if not isinstance(guarantee, PrivacyGuarantee) or guarantee.measures()[0].kind not in KINDS:
            return "the claim is no privacy guarantee whose measures are known here"
        return replay_refusal(task.build())

    def audit(self, task: Task) -> Evidence:
        """Choose a pair, a direction and a threshold; count the event in new runs.

        Raises
        ------
        AuditError
            When no noisy value is shown before the first hidden coin, or there is no pair.
        InputError
            When no outcome of so few trials could refute the claim.
        """
        goal = goal_of(task)
        runs = min(task.trials, round(MOST_RUNS * task.effort))
        goal.require(runs, alpha=task.alpha, least=FEWEST_TRIALS)
        replayer = Replayer.of(task)
        pairs = candidate_pairs(task, scaled_limit(task, PAIRS))
        task.progress("choosing the pair", 0.0)
        pair, statistics = _chosen(replayer, pairs)
        task.progress("choosing the threshold", 0.1)
        selection = scores(replayer, pair, "select", max(runs // SELECTION, FEWEST_TRIALS))
        threshold, direction = best_event(goal, selection, runs, task.alpha)
        task.progress("counting in fresh runs", 0.3)
        counts = [hits(side, threshold, direction) for side in scores(replayer, pair, "certify", runs)]
        k1, k2 = counts[direction], counts[1 - direction]
        return event_evidence(
            self,
            task,
            goal,
            JointRegion(k1=k1, n1=runs, k2=k2, n2=runs, alpha=task.alpha, share=SHARE),
            direction,
            event="the log-ratio of densities of what is shown is "
            f"{'above' if direction == 0 else 'below'} {threshold:.6g}",
            statistics={"pairs": len(pairs), **statistics},
            witness=plain_pair(pair),
            beside_any_measure=True,
        )

    def recheck(self, guarantee: Guarantee, evidence: Evidence) -> Again:
        """Compute the bound again from the counts of the event; its region's share is a constant."""
        return one_event(guarantee, evidence, share=SHARE)


def _chosen(replayer: Replayer, pairs: Sequence[Pair]) -> tuple[Pair, dict[str, Any]]:
    """The pair whose pilot scores differ most, and a note on unrecorded randomness there.

    AuditError when no score differs, because of a hidden coin or unrecorded randomness.
    """
    for pair in pairs if replayer.recorded else ():
        for side in (False, True):
            replayer.faithful(replayer.runs(pair, "first", reverse=side))  # plain numbers if needed
    pilots = [scores(replayer, pair, f"pilot {place}", PILOT) for place, pair in enumerate(pairs)]
    means = [[np.clip(side, -FAR, FAR).mean() for side in each] for each in pilots]
    best = int(np.argmax([abs(first - second) for first, second in means]))
    pair = pairs[best]
    if not replayer.recorded:
        return pair, {}
    names = [f"certain {again}" for again in range(LOOKED_AT_AGAIN)]
    looks = [replayer.runs(pair, name, reverse=reverse) for name in names for reverse in (False, True)]
    certain = all(replayer.certain(each, place=place) for place, each in enumerate(looks))
    if not any(side.any() for side in pilots[best]):
        coin = next((each.comparison.coin for each in looks if each.comparison.coin is not None), None)
        if coin is not None:
            raise AuditError(f"{HIDDEN}: {coin.name} {coin.where}")
        if not certain:
            raise AuditError(UNSEEN)
    return pair, {} if certain else {"unseen": UNSEEN}


def register(registry: Registry) -> None:
    """Put the auditor into the registry."""
    registry.auditors.add("loss", LossAuditor())
