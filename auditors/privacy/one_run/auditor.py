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

Counts cannot show whether the coins were fair and how ties were broken.
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
from auditors.privacy.sampled_evidence import alpha_of, claimed_goal, entry, items, real, same, sampled_evidence, whole
from auditors.privacy.scores.looks import drawn_run, lacks_scores
from dpverify.core.auditing import Task
from dpverify.core.errors import InputError
from dpverify.core.evidence import Again, Evidence
from dpverify.core.registry import Registry
from dpverify.core.subjects import Guarantee, HasCanaries
from dpverify.stats.multiplicity import bonferroni_share
from dpverify.stats.one_run import LARGEST_CANARIES


@dataclass(frozen=True, slots=True, kw_only=True)
class OneRunAuditor:
    """Examines any privacy guarantee of any subject that can be trained with canaries."""

    name: str = "one-run"
    version: str = "1"
    statistical: bool = True
    by_request: bool = True
    guesses: Sequence[tuple[int, int]] | None = None
    """Numbers of guesses "included" and "excluded"; several pairs share the error. None for the default grid. They must
    be fixed before the scores are seen."""

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


def best_rule(guarantee: Guarantee, evidence: Evidence) -> Again:
    """The result of the rules' correct guesses: of the rule that refutes, or else has the largest bound."""
    said, alpha = evidence.statistics, alpha_of(evidence)
    claimed_guarantee = claimed_goal(guarantee).guarantee
    canaries, values = (whole(said, name, most=LARGEST_CANARIES) for name in ("canaries", "values"))
    if canaries < 2 or values < 2:
        raise InputError(f"{canaries} canaries of {values} values", allowed="two or more of either")
    told = items(said, "rules")
    share = bonferroni_share(alpha, tests=len(told))
    rows = []
    for each in told:
        rule = Rule(inside=whole(each, "called_in", most=canaries), outside=whole(each, "called_out", most=canaries))
        if not 1 <= rule.guesses <= canaries:
            raise InputError(f"{rule.guesses} guesses on {canaries} canaries", allowed=f"1 to {canaries}")
        right = whole(each, "correct", most=rule.guesses)
        goal = OneRunGoal(
            guarantee=claimed_guarantee, run=Run(canaries=canaries, rule=rule, values=values, alpha=share)
        )
        rows.append((goal.refuted(right), goal.bound(right), goal, right))
    refuted, bound, goal, right = max(rows, key=lambda row: (row[0], row[1] / (row[2].measure.claimed or 1.0)))
    same(
        "the rule",
        [entry(said, name) for name in ("called_in", "called_out")],
        [goal.run.rule.inside, goal.run.rule.outside],
    )
    same("the number of right guesses", whole(said, "correct"), right)
    same("this rule's part of the error", real(said, "alpha_of_this_rule"), share)
    claimed, p_value = goal.measure.claimed, goal.p_value(right)
    beyond = refuted and bound > claimed
    return Again(
        measure=goal.measure,
        bound=bound,
        excess=bound - claimed if beyond else min(bound - claimed, 0.0),
        alpha=alpha,
        trials=canaries,
        numbers={} if p_value is None else {"p_value": p_value},
    )


def register(registry: Registry) -> None:
    """Put the auditor into the registry."""
    registry.auditors.add("one-run", OneRunAuditor())
