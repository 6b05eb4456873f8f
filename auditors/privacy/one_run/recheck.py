"""Computes the bound of one training again, from the numbers of correct guesses of each rule.

Counts cannot show whether the coins were fair and how ties were broken.
"""

from __future__ import annotations

from auditors.privacy.one_run.bounds import OneRunGoal, Run
from auditors.privacy.one_run.guesses import Rule
from auditors.privacy.recorded_statistics import alpha_of, claimed_goal, entry, items, real, same, whole
from dpverify.core.errors import InputError
from dpverify.core.evidence import Evidence
from dpverify.core.recheck import Again
from dpverify.core.subjects import Guarantee
from dpverify.stats.multiplicity import bonferroni_share
from dpverify.stats.one_run import LARGEST_CANARIES


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
