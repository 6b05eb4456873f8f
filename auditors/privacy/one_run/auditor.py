"""The one-run auditor: one training with many canaries, each included by a fair coin and guessed from the output.

Method (Steinke et al., arXiv 2305.08846; Mahloujifar et al., arXiv 2410.22235): the canaries are ranked by their
scores, and rules fixed in advance guess some as included and some as excluded (`guesses`). The number of correct
guesses is compared with the claim (`bounds`, with the theorems in `dpverify.stats`). Several rules share the error
evenly (Bonferroni). Both directions are covered, since a guess is correct or not in either case.

Assumptions, and what happens without them: every canary's coin is fair, independent of all others, and used by the
training only. (With unfair coins the guess "included" is correct too often, and sound trainings are refuted; counts
that fair coins almost never give are refused.) The scores depend only on the training's output and the canaries. The
numbers of guesses were fixed before the scores were seen. The neighbour has one canary added or removed (add-remove) or
replaced (replace): the claim must be for that relation, also for the canaries' batch sampling. The ceiling is the
result of a perfect attack on these coins; the value detectable with 80 % power includes the coins' randomness. Limits:
epsilon can be shown up to about ln(r / ln(1/alpha)), and mu up to 1.5 with 1000 canaries at confidence 0.999, whatever
the training does. Canaries that interact show less. A membership attack on many trainings (`scores`) is different:
there the trainings are the sample, here the canaries are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from auditors.privacy.admission import guarantee_of, guarantee_refusal
from auditors.privacy.event_bounds import Finding
from auditors.privacy.one_run.bounds import OneRunGoal, Run
from auditors.privacy.one_run.guesses import Rule, check_coins, most_right, right_guesses, rules_for
from auditors.privacy.one_run.recheck import best_rule
from auditors.privacy.sampled_evidence import sampled_evidence
from auditors.privacy.scores.draws import drawn_run, lacks_scores
from dpverify.core.attack_scores import HasCanaries
from dpverify.core.auditing import Task
from dpverify.core.errors import InputError
from dpverify.core.evidence import Evidence
from dpverify.core.recheck import Again
from dpverify.core.registry import Registry
from dpverify.core.subjects import Guarantee
from dpverify.stats.multiplicity import bonferroni_share


@dataclass(frozen=True, slots=True, kw_only=True)
class OneRunAuditor:
    """Examines any privacy guarantee of any subject that can be trained with canaries.

    Attributes
    ----------
    guesses : sequence of (int, int) or None
        Numbers of guesses "included" and "excluded"; several pairs share the error. None for the default grid. They
        must be fixed before the scores are seen.
    """

    name: str = "one-run"
    version: str = "1"
    statistical: bool = True
    by_request: bool = True
    guesses: Sequence[tuple[int, int]] | None = None

    def refuses(self, task: Task) -> str | None:
        """None, or what is missing."""
        return guarantee_refusal(task) or lacks_scores(task, HasCanaries)

    def audit(self, task: Task) -> Evidence:
        """Train once, guess, count.

        Raises
        ------
        InputError
            For scores and inclusions of different shapes, unfair coins, or more guesses than canaries.
        AuditError
            For a claim that is no privacy guarantee.
        """
        guarantee = guarantee_of(task)
        scores, included, values = drawn_run(task)
        _check(scores, included, values)
        check_coins(included, values)
        rules = rules_for(self.guesses, included.size)
        task.progress("counting right guesses", 0.5)
        counts = right_guesses(scores, included, rules, rng=task.stream("ties"))
        share = bonferroni_share(task.alpha, tests=len(rules))
        goals = [
            OneRunGoal(
                guarantee=guarantee,
                run=Run(canaries=included.size, rule=rule, values=values, alpha=share),
            )
            for rule in rules
        ]
        most = [most_right(included, values, rule) for rule in rules]
        return self._evidence(task, goals, counts, most)

    def recheck(self, guarantee: Guarantee, evidence: Evidence) -> Again:
        """Compute the bound again from the numbers of correct guesses of each rule."""
        return best_rule(guarantee, evidence)

    def _evidence(
        self, task: Task, goals: Sequence[OneRunGoal], counts: Sequence[int], most: Sequence[int]
    ) -> Evidence:
        found = [(goal.refuted(right), goal.bound(right)) for goal, right in zip(goals, counts, strict=True)]
        best = max(range(len(goals)), key=lambda i: (found[i][0], found[i][1] / (goals[i].measure.claimed or 1.0)))
        goal, right, (refuted, bound) = goals[best], counts[best], found[best]
        rule = goal.run.rule
        claimed = goal.measure.claimed
        refuted = refuted and bound > claimed  # where count and bound disagree in the last digits, neither refutes
        alike = [i for i, each in enumerate(goals) if each.measure == goal.measure]  # every rule may refute
        detectable = [each for i in alike if (each := goals[i].detectable) is not None]
        excess = bound - claimed if refuted else min(bound - claimed, 0.0)
        return sampled_evidence(
            self,
            task,
            Finding(measure=goal.measure, bound=bound, excess=excess),
            estimate=goal.estimate(right),
            detectable=min(detectable, default=None),
            ceiling=max(goals[i].bound(most[i]) for i in alike),
            trials=goal.run.canaries,
            statistics={
                "canaries": goal.run.canaries,
                "values": goal.run.values,
                "guesses": goal.run.guesses,
                "called_in": rule.inside,
                "called_out": rule.outside,
                "correct": right,
                "critical": goal.critical,
                "p_value": goal.p_value(right),
                "alpha": task.alpha,
                "alpha_of_this_rule": goal.run.alpha,
                "rules": [_told(each.run.rule, count) for each, count in zip(goals, counts, strict=True)],
                "bound_of": goal.family,
                "could_refute": any(each.refuted(right) for each, right in zip(goals, most, strict=True)),
            },
            witness={"event": f"at least {right} of {goal.run.guesses} guesses right", "ties": "broken at random"},
        )


def _told(rule: Rule, count: int) -> dict[str, Any]:
    return {"called_in": rule.inside, "called_out": rule.outside, "correct": count}


def _check(scores: np.ndarray[Any, Any], included: np.ndarray[Any, Any], values: int) -> None:
    wanted = (included.size,) if values == 2 and scores.ndim == 1 else (included.size, values)
    if included.ndim != 1 or included.size < 1 or scores.shape != wanted:
        raise InputError(
            f"scores of shape {scores.shape} for {included.shape} canaries of {values} values",
            allowed="one score a canary, or one for each of its values, and at least one canary",
        )
    if included.min() < 0 or included.max() >= values:
        raise InputError(f"inclusions from {included.min()} to {included.max()}", allowed=f"0 to {values - 1}")


def register(registry: Registry) -> None:
    """Put the auditor into the registry."""
    registry.auditors.add("one-run", OneRunAuditor())
