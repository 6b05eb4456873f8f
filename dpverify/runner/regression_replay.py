"""Tries saved failures first: wraps an auditor so that it begins where the claim failed before.

A replay makes new draws (or computes the exact law again) and refutes by these alone. An auditor with replays halves
its share of the false-alarm probability: one half for all its replays, the other for the audit that follows when none
of them refutes. So no other audit of the plan is affected. `level_with_replays` in the statistics is the whole share.

A failure is replayed only where it lies inside the present claim (:mod:`~dpverify.runner.in_search_space`). Where the
digest of the failed claim is stored, the claim must also be unchanged: a failure of another claim refutes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from dpverify.core.auditing import Auditor, NeedsTrials, Reaches, Task
from dpverify.core.errors import DpverifyError, InputError, one_line
from dpverify.core.evidence import Evidence
from dpverify.core.subjects import Pair
from dpverify.core.verdict import Status, judge
from dpverify.datasets.neighbors.fixed_pair import FixedPair
from dpverify.runner.in_search_space import foreign_pair, foreign_parameters, listed_pairs
from dpverify.runner.regressions import Regression, digest, restored


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayingAuditor:
    """Wraps an auditor so that it first tries the points where its claim failed before.

    Attributes
    ----------
    inside : Auditor
        The wrapped auditor.
    saved : tuple of Regression
        The saved failures; at least one.
    draws : float or None
        Part of the draws that all replays together may make, and the audit then does without; None: each of them makes
        as many as the audit.
    """

    inside: Auditor
    saved: tuple[Regression, ...]
    draws: float | None = None

    @property
    def name(self) -> str:
        """The wrapped auditor's name: rows and streams are named after it."""
        return self.inside.name

    @property
    def version(self) -> str:
        """The wrapped auditor's version."""
        return self.inside.version

    @property
    def statistical(self) -> bool:
        """Same as the wrapped auditor's."""
        return self.inside.statistical

    def refuses(self, task: Task) -> str | None:
        """Same as the wrapped auditor's."""
        return self.inside.refuses(task)

    def lacks(self, task: Task) -> int | None:
        """Same as the wrapped auditor's."""
        if not isinstance(self.inside, NeedsTrials):
            return None
        return self.inside.lacks(self._afterwards(task))

    def reach(self, task: Task) -> str:
        """Return the wrapped auditor's words on the draws that are left to it."""
        return self.inside.reach(self._afterwards(task)) if isinstance(self.inside, Reaches) else ""

    def audit(self, task: Task) -> Evidence:
        """The evidence of the first replay that refutes, else that of the audit. `statistics` list the replays.

        Raises
        ------
        DpverifyError
            Whatever the audit itself raises. A replay that fails is named in the statistics.
        """
        told = []
        for number, each in enumerate(self.saved):
            task.progress(f"replaying {each.file}", 0.5 * number / len(self.saved))
            try:
                evidence = self.inside.audit(self._again(task, each))
            except (DpverifyError, ArithmeticError, LookupError, TypeError, ValueError) as problem:
                told.append({"file": each.file, "says": f"cannot be replayed: {one_line(str(problem))}"})
                continue
            told.append({"file": each.file, "says": str(judge(evidence))})
            if judge(evidence) is Status.REFUTED:
                break
        else:
            evidence = self.inside.audit(self._afterwards(task))
        whole = {"level_with_replays": task.alpha} if self.statistical else {}
        return replace(evidence, statistics={**evidence.statistics, "replayed": told, **whole})

    def _afterwards(self, task: Task) -> Task:
        if self.draws is not None:
            task = replace(task, trials=max(1, int(task.trials * (1.0 - self.draws))))
        return replace(task, alpha=task.alpha / 2) if self.statistical else task

    def _again(self, task: Task, each: Regression) -> Task:
        """The task at the saved point, with its share of the error probability and of the draws."""
        share = task.alpha / (2 * len(self.saved)) if self.statistical else task.alpha
        draws = task.trials if self.draws is None else max(1, int(task.trials * self.draws / len(self.saved)))
        return replace(task_at(task, each), alpha=share, trials=draws)


def task_at(task: Task, each: Regression) -> Task:
    """The claim at the saved failure and parameters alone, with streams of its own.

    Raises
    ------
    InputError
        For a point that the claim does not cover, and where the claim has changed since.
    """
    claim, own = task.claim, each.parameters
    if each.claimed not in ("", digest(claim)):
        raise InputError("the claim has changed since", allowed="the claim that failed")
    if (reason := foreign_parameters(claim.space, own)) is not None:
        raise InputError(f"the parameters of {each.file}", allowed=f"those claimed now: {reason}")
    return replace(
        task,
        claim=replace(
            claim,
            guarantee=claim.guarantee_at(own),
            parameters={**claim.parameters, **own},
            space=claim.space.stated().scaled(task.build(**own)),
        ),
        build=partial(task.build, **own),
        neighbors=_saved_failure(task, each),
        stream=lambda *names: task.stream("replay", each.name(), *names),
    )


def _saved_failure(task: Task, each: Regression) -> FixedPair:
    """The saved failure in the form of the claim's pairs; InputError when the claim does not cover it."""
    space = task.claim.space.scaled(task.build(**each.parameters))
    listed = listed_pairs(task, space)
    form = listed[0] if listed else Pair(d0=each.d0, d1=each.d1)
    d0, d1 = restored(each.d0, form.d0), restored(each.d1, form.d1)
    reason = foreign_pair(task.neighbors, space, d0, d1, listed)
    if reason is not None:
        raise InputError(f"the pair of {each.file}", allowed=f"neighbours that the claim is about: {reason}")
    label = f"saved in {each.file}"
    return FixedPair(d0=d0, d1=d1, relation=task.neighbors.relation, generator=task.neighbors, label=label)


def with_replays(
    auditors: Sequence[Auditor], saved: Sequence[Regression], *, draws: float | None = None
) -> tuple[Auditor, ...]:
    """Give each auditor of a claim the failures that it found; all of them replay those of absent auditors."""
    present = {auditor.name for auditor in auditors}
    return tuple(
        ReplayingAuditor(inside=auditor, saved=mine, draws=draws) if mine else auditor
        for auditor in auditors
        for mine in [tuple(each for each in saved if each.auditor == auditor.name or each.auditor not in present)]
    )
