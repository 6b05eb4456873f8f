"""Tries saved failures first: wraps an auditor so that it begins where the claim failed before.

A replay draws afresh (or asks the exact law again) and refutes by that alone. Whoever replays halves its own share of
the false-alarm probability, one half for all of its replays and one for the audit that follows when none of them
refutes; so no other audit of the plan pays for it. Failures are replayed only where they lie inside what is claimed now
(:mod:`~dpverify.runner.in_search_space`), and where a digest of the claim that failed is stored beside them, only while
the claim is still that one: what breaks a promise that nobody makes refutes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from dpverify.core.auditing import Auditor, NeedsTrials, Task
from dpverify.core.errors import DpverifyError, InputError, one_line
from dpverify.core.evidence import Evidence
from dpverify.core.subjects import Pair
from dpverify.core.verdict import Status, judge
from dpverify.datasets.neighbors.fixed_pair import FixedPair
from dpverify.runner.in_search_space import foreign_pair, foreign_parameters, listed_pairs
from dpverify.runner.regressions import Regression, digest, restored


@dataclass(frozen=True, slots=True, kw_only=True)
class Replaying:
    """An auditor that looks first where its claim failed before.

    Attributes
    ----------
    inside : Auditor
        Who looks.
    saved : tuple of Regression
        Where; at least one.
    """

    inside: Auditor
    saved: tuple[Regression, ...]

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
        """As the wrapped auditor."""
        return self.inside.statistical

    def refuses(self, task: Task) -> str | None:
        """As the wrapped auditor."""
        return self.inside.refuses(task)

    def lacks(self, task: Task) -> int | None:
        """As the wrapped auditor."""
        if not isinstance(self.inside, NeedsTrials):
            return None
        return self.inside.lacks(self._afterwards(task))

    def audit(self, task: Task) -> Evidence:
        """The first replay that refutes; else the audit itself. `statistics` say what was replayed.

        Raises
        ------
        DpverifyError
            Whatever the audit itself raises; a replay that cannot be done is named in the statistics.
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
        return replace(evidence, statistics={**evidence.statistics, "replayed": told})

    def _afterwards(self, task: Task) -> Task:
        return replace(task, alpha=task.alpha / 2) if self.statistical else task

    def _again(self, task: Task, each: Regression) -> Task:
        """The claim at the saved pair and parameters alone, with streams of its own; InputError outside the claim."""
        claim, own = task.claim, each.parameters
        if each.claimed not in ("", digest(claim)):
            raise InputError("the claim has changed since", allowed="the claim that failed")
        if (reason := foreign_parameters(claim.space, own)) is not None:
            raise InputError(f"the parameters of {each.file}", allowed=f"those claimed now: {reason}")
        share = task.alpha / (2 * len(self.saved)) if self.statistical else task.alpha
        return replace(
            task,
            claim=replace(
                claim,
                guarantee=claim.guarantee_at(own),
                parameters={**claim.parameters, **own},
                space=claim.space.stated().scaled(task.build(**own)),
            ),
            build=partial(task.build, **own),
            neighbors=_saved_pair(task, each),
            alpha=share,
            stream=lambda *names: task.stream("replay", each.name(), *names),
        )


def _saved_pair(task: Task, each: Regression) -> FixedPair:
    """The pair, in the form of the claim's own pairs, checked to be one that the claim is about."""
    space = task.claim.space.scaled(task.build(**each.parameters))
    listed = listed_pairs(task, space)
    form = listed[0] if listed else Pair(d0=each.d0, d1=each.d1)
    d0, d1 = restored(each.d0, form.d0), restored(each.d1, form.d1)
    reason = foreign_pair(task.neighbors, space, d0, d1, listed)
    if reason is not None:
        raise InputError(f"the pair of {each.file}", allowed=f"neighbours that the claim is about: {reason}")
    label = f"saved in {each.file}"
    return FixedPair(d0=d0, d1=d1, relation=task.neighbors.relation, generator=task.neighbors, label=label)


def replaying(auditors: Sequence[Auditor], saved: Sequence[Regression]) -> tuple[Auditor, ...]:
    """The auditors of one claim, each with the failures that it found; what an absent one found, all of them replay."""
    present = {auditor.name for auditor in auditors}
    return tuple(
        Replaying(inside=auditor, saved=mine) if mine else auditor
        for auditor in auditors
        for mine in [tuple(each for each in saved if each.auditor == auditor.name or each.auditor not in present)]
    )
