"""The sequential auditor: bets on learned events, block by block, and stops at the first valid refutation.

Method: the event e-process (`dpverify.stats.e_mixture`; Waudby-Smith and Ramdas, arXiv 2010.09686). Draws are made in
blocks of doubling size. Before each block, events are learned from all earlier draws (with the event auditor's scores),
for each remaining pair of data sets. During the block the wealth is divided over these slots (event, direction,
neighbours) and stakes. It is one supermartingale against the claim, so it reaches 1/alpha with probability at most
alpha; the choice of events, directions, pairs, thresholds and stopping times costs no further error probability.

The lower bound comes from a chain of weaker and weaker claims, each with its own wealth: it is the largest value up to
which all are refuted, and valid at any time. The first block of every contender is for learning only.

An audit stops at ``refuted`` (remaining draws of the block are still bet, to raise the bound), at ``power`` (a true
value of `detect` would have been refuted with 80 % power by now, by an event with the same probability on the less
likely side as the present one), or at ``trials`` (pairs of draws of all contenders, including those for learning).
``power`` and ``detectable`` hold for an event of that rate, and not for a rarer one. They include the risk that the
right pair of data sets was dropped early (`auditors.privacy.sequential.power`).

Assumptions: independent draws from one law a side, and streams of independent draws. Limits: needs as many draws under
P as under Q. Compared with a test at a fixed number of trials it needs more draws for violations that are barely
detectable, and far fewer for large ones. Repeated looks at a p-value would be invalid.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from auditors.privacy.admission import guarantee_of, refusal
from auditors.privacy.event_bounds import Goal
from auditors.privacy.sequential.claim_chain import KINDS, SLOPES, check_claimed, profile, single, targets
from auditors.privacy.sequential.evidence import evidence_of
from auditors.privacy.sequential.evidence_journal import EvidenceJournal
from auditors.privacy.sequential.recheck import whole_chain
from auditors.privacy.sequential.run import LEARNING, Run
from auditors.privacy.sequential.search import FIRST, contenders
from auditors.privacy.trials_needed import too_few_trials
from dpverify.core.auditing import Task
from dpverify.core.errors import InputError
from dpverify.core.evidence import Evidence
from dpverify.core.recheck import Again
from dpverify.core.registry import Registry
from dpverify.core.subjects import Guarantee
from dpverify.stats.e_power import pairs_needed

SPREAD = 1.15
"""Factor on the pairs that a perfect event needs, since it does not have all the wealth from the first pair on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SequentialAuditor:
    """Examines any privacy guarantee of any subject that can be sampled or counted.

    Attributes
    ----------
    detect : float or None
        A true value of the headline measure that the audit should detect. The audit stops when it would have been
        refuted with 80 % power, by an event of the present event's rate.
    journal : EvidenceJournal or None
        Earlier sessions that this one continues; it is entered there.
    """

    name: str = "sequential"
    version: str = "1"
    statistical: bool = True
    by_request: bool = True
    detect: float | None = None
    journal: EvidenceJournal | None = field(default=None, compare=False)

    def refuses(self, task: Task) -> str | None:
        """None, or what is missing."""
        return refusal(task, kinds=KINDS, method="bet against")

    def lacks(self, task: Task) -> int | None:
        """None when a perfect event with the task's trials would refute the claim, else the fewest that would."""
        guarantee = guarantee_of(task)
        check_claimed(guarantee.measures()[0])
        if single(guarantee):
            slopes, deltas = targets(guarantee, most=1.0)[0].claimed_lines()
        else:
            slopes, deltas = np.exp(SLOPES), np.minimum(profile(guarantee, 0), profile(guarantee, 1))
        inside = deltas < 1.0
        if not inside.any():
            raise InputError(f"sampling for {guarantee.text()}", allowed="nothing: no pairs of draws could refute it")
        fewest = math.ceil(SPREAD * pairs_needed(slopes[inside], deltas[inside], alpha=task.alpha))
        fewest += FIRST if single(guarantee) else max(FIRST, min(LEARNING, fewest // 3 + 1))
        return None if task.trials >= fewest else fewest

    def audit(self, task: Task) -> Evidence:
        """Learn, bet and count until the audit stops.

        Raises
        ------
        InputError
            When no outcome of the trials could refute the claim (the message says how many could), or outputs are not
            finite numbers of one shape and type.
        AuditError
            When the search space has no pair of different neighbours.
        """
        guarantee = guarantee_of(task)
        fewest = self.lacks(task)
        if fewest is not None:
            raise too_few_trials(task.trials, fewest, claim=guarantee.text(), alpha=task.alpha)
        run = Run(
            task=task, goal=Goal(guarantee=guarantee), alive=contenders(task), journal=self.journal, detect=self.detect
        )
        run.play()
        return evidence_of(self, run)

    def recheck(self, guarantee: Guarantee, evidence: Evidence) -> Again:
        """Compute the bound again from the blocks' counts."""
        return whole_chain(guarantee, evidence)


def register(registry: Registry) -> None:
    """Put the auditor into the registry."""
    registry.auditors.add("sequential", SequentialAuditor())
