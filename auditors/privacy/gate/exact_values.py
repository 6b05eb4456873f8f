"""Counts in fresh draws the exact values that a closer look saw on one side alone."""

from __future__ import annotations

from auditors.privacy.event.expected_gain import Choice
from auditors.privacy.event.select import with_share
from auditors.privacy.event_bounds import Goal
from auditors.privacy.fresh_counts import fresh_counts
from auditors.privacy.outputs import Drawer
from auditors.privacy.sampled_evidence import event_evidence, pair_witness
from dpverify.core.auditing import Auditor, Task
from dpverify.core.evidence import Evidence
from dpverify.core.subjects import Pair
from dpverify.datasets.neighbors.json_values import plain_pair
from dpverify.stats.joint import JointRegion


def exact_values(auditor: Auditor, task: Task, goal: Goal, pair: Pair, choice: Choice) -> Evidence:
    """The evidence of `task.trials` draws a side at the task's error probability.

    The values were chosen on other draws, so the bound is valid at that probability.
    """
    choice = with_share(choice, goal, trials=task.trials, alpha=task.alpha)
    drawer = Drawer(task.build(), pair)
    about = {"pair": plain_pair(pair), "event": choice.event.record()}
    hits = [0, 0]
    for counts, _ in fresh_counts(task, drawer, drawer.subject, choice.event.hits, about=about):
        hits = counts.tolist()
    region = JointRegion(
        k1=hits[choice.direction],
        n1=task.trials,
        k2=hits[1 - choice.direction],
        n2=task.trials,
        alpha=task.alpha,
        share=choice.share,
    )
    return event_evidence(
        auditor,
        task,
        goal,
        region,
        choice.direction,
        event=choice.event.text(),
        statistics=choice.statistics(region),
        witness=pair_witness(pair, {}),
        pictured=True,
    )
