"""A stand-in that bets on one known event of randomised response, in microseconds, for tests of steered runs."""

import hashlib
import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import stats

from dpverify.core.claim import Claim, SearchSpace, Source
from dpverify.core.evidence import Evidence
from dpverify.core.registry import Registry
from dpverify.core.suite import SuiteEntry
from dpverify.definitions.pure_dp import PureDP
from dpverify.runner.plan import make_plan
from dpverify.runner.record import record
from tests.calibration.boundaries import one_pair

ALPHA = 0.05


@dataclass(frozen=True)
class Response:
    """Randomised response with two answers: 1 under data 1 with probability e^epsilon / (1 + e^epsilon)."""

    epsilon: float = 1.0

    def sample(self, dataset, size, *, rng):
        likely = 1.0 / (1.0 + math.exp(-self.epsilon))
        return (rng.random(size) < (likely if dataset else 1.0 - likely)).astype(np.int64)


@dataclass(frozen=True, kw_only=True)
class Bettor:
    """Bets that the answer 1 comes more than e times as often under data 1, at four stakes, against epsilon = 1."""

    name: str = "bettor"
    version: str = "1"
    statistical: bool = True
    by_request: bool = True
    detect: float | None = None
    journal: Any = field(default=None, compare=False)
    found_with: int = 10**9

    def refuses(self, task):
        return None

    def lacks(self, task):
        return None if task.trials >= 4 else 4

    def draws(self, task):
        subject = task.build()
        x, y = (subject.sample(side, task.trials, rng=task.stream("draw", side)) for side in (1, 0))
        self.journal.drew(tuple(hashlib.sha256(some[:64].tobytes()).hexdigest() for some in (x, y)))
        return x, y

    def audit(self, task):
        x, y = self.draws(task)
        stakes = np.array([0.3, 0.1, 0.03, 0.01])[:, None]
        path = np.exp(np.cumsum(np.log1p(stakes * (x - math.e * y)), axis=1)).mean(axis=0)
        carried = float(self.journal.wealth[0]) if len(self.journal.peaks) else 1.0
        over = np.flatnonzero(carried * path >= 1.0 / task.alpha)
        pairs = int(over[0]) + 1 if over.size else task.trials
        return self.told(task, pairs, float(path[pairs - 1]), carried, refuted=bool(over.size), chain={"of": 1})

    def told(self, task, pairs, own, carried, *, refuted, chain):
        wealth = carried * own
        stop = "refuted" if refuted else "power" if pairs >= self.found_with and self.detect else "trials"
        self.journal.note(
            chain=chain,
            e_values=np.array([own]),
            wealth=np.array([wealth]),
            peaks=np.array([wealth]),
            pairs=pairs,
            done=True,
            witness={"event": "answer 1"},
        )
        measure = task.claim.guarantee.measures()[0]
        bound = measure.claimed + 0.01 if refuted else 0.0
        return Evidence(
            claim=task.claim.id,
            auditor=self.name,
            version="1",
            measure=measure,
            bound=bound,
            excess=bound - measure.claimed,
            confidence=1 - task.alpha,
            detectable=1.0 + math.sqrt(1000 / pairs),
            trials=pairs,
            statistics={
                "stop": stop,
                "e_value": wealth,
                "e_value_largest": wealth,
                "e_value_here": own,
                "alpha": task.alpha,
                "pairs_bet_when_refuted": pairs if refuted else None,
                "detectable_in_rate": 0.3,
                "blocks": [{"pairs": pairs}],
            },
        )


class FixedN(Bettor):
    """Sabotage: pools the counts of all instalments and tests them as if their number had been known in advance."""

    def audit(self, task):
        x, y = self.draws(task)
        before = self.journal.before[-1].chain if self.journal.before else {"wins": 0, "losses": 0}
        wins, losses = before["wins"] + int((x > y).sum()), before["losses"] + int((y > x).sum())
        share = math.exp(2.0) / (1.0 + math.exp(2.0))
        p_value = float(stats.binom.sf(wins - 1, wins + losses, share))
        alpha = task.alpha / self.journal.stake  # the audit's own
        own = (1.0 / p_value if p_value > 0 else 1e9) / self.journal.stake
        chain = {"wins": wins, "losses": losses}
        return self.told(task, task.trials, own, 1.0, refuted=p_value <= alpha, chain=chain)


def plan_of(epsilons, auditor, *, confidence=1 - ALPHA, per_row=True, seed=0):
    """A plan of claims of epsilon = 1, on responses of these epsilons; `confidence` is each row's or the run's."""
    known = Registry()
    known.mechanisms.add("response", Response)
    known.auditors.add(auditor.name, auditor)
    pair = one_pair(0, 1, "value")
    known.neighbors.add(pair.relation, pair)
    for place, epsilon in enumerate(epsilons):
        claim = Claim(
            id=f"claim-{place:04d}",
            guarantee=PureDP(epsilon=1.0),
            relation=pair.relation,
            subject="response",
            source=Source(paper="test", locus=""),
            parameters={"epsilon": epsilon},
            space=SearchSpace(size=2),
        )
        known.add_entry(SuiteEntry(claim=claim, expectation=None, suites=("core",)))
    entries = [entry for _, entry in known.entries.items()]
    methods = (auditor.name,)
    return make_plan(known, entries, confidence=confidence, methods=methods, per_row=per_row, seed=seed)


def spent(rows):
    return sum(row.verdict.evidence[0].trials for row in rows if row.verdict.evidence)


def numbers(rows):
    """All of the records but what clocks say."""
    kept = []
    for row in rows:
        item = record(row)
        for part in [item, *item["evidence"]]:
            del part["seconds"]
        kept.append(item)
    return kept
