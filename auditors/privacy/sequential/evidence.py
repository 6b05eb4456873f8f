"""The evidence of a sequential audit: bound, e-values, and the blocks from which the wealth can be computed again.

The lower bound is the largest value of the chain up to which all claims are refuted; it is valid at any time. After a
refutation by an earlier session, that session's witness is reported where this one made no bet.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from auditors.privacy.event_bounds import Finding, Goal, value
from auditors.privacy.picture import claimed_curve
from auditors.privacy.sampled_evidence import sampled_evidence
from auditors.privacy.sequential.claim_chain import Target
from auditors.privacy.sequential.run import Run
from dpverify.core.auditing import Auditor, Task
from dpverify.core.evidence import Evidence
from dpverify.stats.e_mixture import FRACTIONS, Chain
from dpverify.stats.e_power import perfect_wealth


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
