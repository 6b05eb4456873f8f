"""The one-run auditor: one training, many canaries, each put in by a fair coin; how many are told apart by its output.

Method (Steinke et al., arXiv 2305.08846; Mahloujifar et al., arXiv 2410.22235): the canaries are ranked by their
scores, some are called in and some out by rules fixed beforehand (`guesses`), and the number of right guesses
is held against what the claim allows (`bounds`, the theorems in `dpverify.stats`). Several rules share the
error evenly (Bonferroni); directions need nothing more, since a guess is right or wrong whichever the canary was.

Assumptions, and what happens without them: every canary's coin is fair and independent of all others, and known to
nothing but the training (with coins that are not, a rule that is always "in" is right too often, and sound trainings
are refuted; counts that no fair coins give are refused); the scores come from the training's output and the canaries
alone; the numbers of guesses were fixed before the scores were seen. The neighbour is one canary in or out
(add-remove), or one of several values (replace): the claim must be under that relation, for these canaries' place in
the batch sampling too. What could have been shown (the ceiling) is what a perfect attack would have got on these coins,
and what would have been caught with 80 % power counts the coins' own law in. Limits: at most about ln(r / ln(1/alpha))
can be shown of epsilon, and of mu no more than 1.5 by 1000 canaries at confidence 0.999, whatever the training does;
canaries that disturb one another show less. Often confused with a membership attack on many trainings (`scores`), whose
trainings are the sample; here the canaries are.
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
    """Any privacy guarantee, any subject that can be trained with canaries.

    Attributes
    ----------
    guesses : sequence of (int, int) or None
        How many canaries are called in and how many out; several pairs share the error. None for the default grid. To
        be fixed before the scores are seen.
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
            For scores and inclusions that do not fit, coins that are not fair, or more guesses than canaries.
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
        """The bound again from how many guesses of each rule were right."""
        return best_rule(guarantee, evidence)

    def _evidence(
        self, task: Task, goals: Sequence[OneRunGoal], counts: Sequence[int], most: Sequence[int]
    ) -> Evidence:
        found = [(goal.refuted(right), goal.bound(right)) for goal, right in zip(goals, counts, strict=True)]
        best = max(range(len(goals)), key=lambda i: (found[i][0], found[i][1] / (goals[i].measure.claimed or 1.0)))
        goal, right, (refuted, bound) = goals[best], counts[best], found[best]
        rule = goal.run.rule
        claimed = goal.measure.claimed
        refuted = refuted and bound > claimed  # where the count and the bound disagree in the last digits, neither
        alike = [i for i, each in enumerate(goals) if each.measure == goal.measure]  # any rule may refute
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
    if included.ndim != 1 or included.size < 2 or scores.shape != wanted:
        raise InputError(
            f"scores of shape {scores.shape} for {included.shape} canaries of {values} values",
            allowed="one score a canary, or one for each of its values, and at least two canaries",
        )
    if included.min() < 0 or included.max() >= values:
        raise InputError(f"inclusions from {included.min()} to {included.max()}", allowed=f"0 to {values - 1}")


def register(registry: Registry) -> None:
    """Put the auditor into the registry."""
    registry.auditors.add("one-run", OneRunAuditor())
