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
right pair of data sets was dropped early (`auditors.privacy.sequential.bets`).

Assumptions: independent draws from one law a side, and streams of independent draws. Limits: needs as many draws under
P as under Q. Compared with a test at a fixed number of trials it needs more draws for violations that are barely
detectable, and far fewer for large ones. Repeated looks at a p-value would be invalid.

The lower bound is the largest value of the chain up to which all claims are refuted; it is valid at any time. After a
refutation by an earlier session, that session's witness is reported where this one made no bet.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from auditors.privacy.admission import guarantee_of, refusal
from auditors.privacy.event_bounds import Finding, Goal, too_few_trials, value
from auditors.privacy.sampled_evidence import claimed_curve, sampled_evidence
from auditors.privacy.sequential.claim_chain import (
    KINDS,
    SLOPES,
    EvidenceJournal,
    Target,
    check_claimed,
    profile,
    single,
    targets,
)
from auditors.privacy.sequential.events import FIRST, contenders
from auditors.privacy.sequential.recheck import whole_chain
from auditors.privacy.sequential.run import LEARNING, Run
from dpverify.core.auditing import Auditor, Task
from dpverify.core.errors import InputError
from dpverify.core.evidence import Again, Evidence
from dpverify.core.registry import Registry
from dpverify.core.subjects import Guarantee
from dpverify.stats.e_mixture import FRACTIONS, Chain
from dpverify.stats.e_power import pairs_needed, perfect_wealth

SPREAD = 1.15
"""Factor on the pairs that a perfect event needs, since it does not have all the wealth from the first pair on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SequentialAuditor:
    """Examines any privacy guarantee of any subject that can be sampled or counted."""

    name: str = "sequential"
    version: str = "1"
    statistical: bool = True
    by_request: bool = True
    detect: float | None = None
    """A true value of the headline measure that the audit should detect. The audit stops when it would have been
    refuted with 80 % power, by an event of the present event's rate."""
    journal: EvidenceJournal | None = field(default=None, compare=False)
    """Earlier sessions that this one continues; it is entered there."""

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


def evidence_of(auditor: Auditor, audit: Run) -> Evidence:
    """Bound, e-values, blocks and witness of a finished run."""
    task = audit.task
    target = audit.target or audit.targets()[0]
    chain = audit.chain or Chain.start(target.values.size, alpha=task.alpha)
    run = chain.run()
    bound = float(target.values[run - 1]) if run else 0.0
    measure = target.measure
    slot, counts, leader = audit.last if audit.last is not None else (None, np.zeros(4, dtype=np.int64), audit.alive[0])
    size = int(counts.sum())
    rates = ((counts[2] + counts[3]) / size, max(counts[1] + counts[3], 0.5) / size) if size else None
    own = audit.own() if audit.chain is not None else np.ones(target.values.size)
    witness, journal = audit.witness(), audit.journal
    if slot is None and journal is not None and run > target.place:  # refuted in an earlier session
        witness = dict(journal.witness(target.place, least=1.0 / task.alpha)) or witness
    reached = int(chain.reached[: target.place + 1].max()) if run > target.place else None
    return sampled_evidence(
        auditor,
        task,
        Finding(measure=measure, bound=bound, excess=bound - measure.claimed),
        estimate=float(value(measure, np.array(rates[0]), np.array(rates[1]))) if rates else None,
        detectable=audit.detectable(),
        ceiling=_ceiling(target, task),
        trials=audit.drawn,
        statistics={
            "stop": audit.stop,
            "e_value": float(chain.e_values[target.place]),
            "e_value_largest": float(chain.peaks[target.place]),
            "e_value_here": float(own[target.place]),
            "alpha": task.alpha,
            "nights": 1 if journal is None else journal.count,  # the record format calls them sessions
            "pairs": audit.drawn,
            "pairs_bet": chain.pairs,
            "pairs_bet_when_refuted": reached,
            "direction": witness["direction"],
            "detectable_in_rate": audit.rate() if audit.last is not None else None,
            "chain": {**target.words(), "values": target.values.tolist(), "e_values": chain.e_values.tolist()},
            "fractions": FRACTIONS.tolist(),
            "blocks": audit.blocks,
            "contenders": audit.looked_at,
            "counts_in_kernel": leader.drawer.counting,
        },
        witness=witness,
        picture=_picture(audit.goal, rates, slot.direction if slot is not None else 0),
    )


def _ceiling(target: Target, task: Task) -> float:
    """The largest value of the chain that a perfect event (always under P, never under Q) could reject."""
    t, delta = target.lines
    flat = perfect_wealth(task.trials, np.exp(t).ravel(), delta.ravel()).reshape(t.shape)
    able = flat.max(axis=1) >= 1.0 / task.alpha
    run = int(able.size if able.all() else np.argmin(able))
    return float(target.values[run - 1]) if run else 0.0


def _picture(goal: Goal, rates: tuple[float, float] | None, direction: int) -> dict[str, Any]:
    """The claimed curve and the event's rates; a sequential audit has no confidence region for them."""
    found: dict[str, Any] = {"claimed": claimed_curve(goal, direction)}
    if rates is not None:
        found["point"] = {"fpr": float(min(rates[1], 1.0)), "fnr": float(1.0 - rates[0])}
    return found


def register(registry: Registry) -> None:
    """Put the auditor into the registry."""
    registry.auditors.add("sequential", SequentialAuditor())
