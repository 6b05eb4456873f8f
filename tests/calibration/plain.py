"""The plainest valid auditor there is, for tests of what is built around auditors: a millisecond an audit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import stats

from dpverify.core.auditing import Task
from dpverify.core.evidence import Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Plain:
    """Against epsilon = 0: a set of values is chosen on some draws and counted on others, by Fisher's exact test.

    It spends nearly all of its alpha, so that little wrong with it shows. `split` False counts the set on the draws
    that it was chosen on.
    """

    split: bool = True
    name: str = "plain"
    version: str = "1"
    statistical: bool = True

    def refuses(self, task: Task) -> str | None:
        return None

    def audit(self, task: Task) -> Evidence:
        (pair,) = task.neighbors.candidates(task.claim.space, limit=1, rng=task.stream("pair"))
        subject, n = task.build(), task.trials
        draw = [
            [subject.sample(side, n, rng=task.stream(stage, place)) for place, side in enumerate((pair.d0, pair.d1))]
            for stage in ("choose", "count")
        ]
        values = np.arange(task.claim.space.size)
        seen = [np.array([np.count_nonzero(side == value) for value in values]) for side in draw[0]]
        chosen = values[seen[0] > seen[1]]
        k = [int(np.isin(side, chosen).sum()) for side in draw[1 if self.split else 0]]
        seen_at_all = stats.hypergeom.sf(k[0] - 1, 2 * n, sum(k), n)
        bound, measure = 1.0 if seen_at_all <= task.alpha else 0.0, task.claim.guarantee.measures()[0]
        return Evidence(
            claim=task.claim.id,
            auditor=self.name,
            version=self.version,
            measure=measure,
            bound=bound,
            excess=bound - measure.claimed,
            confidence=1 - task.alpha,
        )
