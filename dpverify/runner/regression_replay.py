"""Tries saved failures first: wraps an auditor so that it begins where the claim failed before.

A replay makes new draws (or computes the exact law again) and refutes by these alone. An auditor with replays halves
its share of the false-alarm probability: one half for all its replays, the other for the audit that follows when none
of them refutes. So no other audit of the plan is affected. `level_with_replays` in the statistics is the whole share.

A failure is replayed only where it lies inside the present claim. Where the digest of the failed claim is stored, the
claim must also be unchanged: a failure of another claim refutes nothing. A claim holds for its search space only: boxes
of parameters, sizes, a range of values, and neighbours; a point outside it may leak more. Vectors must have the sizes
and lie in the range; values of a finite domain must lie in the domain. Neighbours of an example must have its size, and
records of its kind. Tables and sessions must be the generator's data, up to numbers in the range. Any other pair must
be among those that the generator lists.

Side of the error: a point that cannot be shown to be inside counts as outside. The generator's `check` is different: it
checks neither sizes nor range.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from dpverify.core.auditing import Auditor, NeedsTrials, Reaches, Task
from dpverify.core.claim import SearchSpace
from dpverify.core.errors import DpverifyError, InputError, one_line
from dpverify.core.evidence import Evidence
from dpverify.core.subjects import Dataset, Float, NeighborGenerator, Pair
from dpverify.core.verdict import Status, judge
from dpverify.datasets.neighbors.fixed_pair import FixedPair
from dpverify.datasets.neighbors.json_values import plain_dataset
from dpverify.datasets.neighbors.losses import TabulatedLosses
from dpverify.datasets.neighbors.of_example import OfExample
from dpverify.datasets.neighbors.value import Value
from dpverify.datasets.sessions import Sessions
from dpverify.datasets.table import Table
from dpverify.runner.regressions import Regression, digest, restored


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayingAuditor:
    """Wraps an auditor so that it first tries the points where its claim failed before."""

    inside: Auditor
    """The wrapped auditor."""
    saved: tuple[Regression, ...]
    """The saved failures; at least one."""
    draws: float | None = None
    """Part of the draws that all replays together may make, and the audit then does without; None: each of them makes
    as many as the audit."""

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

    InputError for a point that the claim does not cover, and where the claim has changed since.
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


LISTED, ALL = 64, 4096
"""At most this many pairs of each size are compared with a saved one."""


def foreign_parameters(space: SearchSpace, parameters: Mapping[str, Any]) -> str | None:
    """Return None when every parameter is searched and lies in its box, else a line that names one that does not."""
    for name, value in parameters.items():
        if name not in space.parameters:
            return f"the claim searches no parameter {name}"
        low, high = space.parameters[name]
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
            return f"{name} = {value!r} lies outside [{low:g}, {high:g}]"
    return None


def listed_pairs(task: Task, space: SearchSpace) -> list[Pair]:
    """The first pairs that the generator lists at every size of the claim; `space` is in the subject's units."""
    rng, found = task.stream("replay", "form"), []
    for size in dict.fromkeys((space.size, *space.sizes)):
        total = task.neighbors.count(space.at(size)) or 0
        limit = total if total <= ALL else LISTED
        found += task.neighbors.candidates(space.at(size), limit=max(limit, LISTED), rng=rng)
    return found


def foreign_pair(
    generator: NeighborGenerator, space: SearchSpace, d0: Dataset, d1: Dataset, listed: list[Pair]
) -> str | None:
    """Return None when the claim covers the pair, else one line with the reason.

    `space`: in the subject's units. `listed`: the generator's pairs in this space.
    """
    if (reason := generator.check(d0, d1)) is not None:
        return reason
    sides = plain_dataset(d0), plain_dataset(d1)
    if any(sides in (each, each[::-1]) for each in ((plain_dataset(p.d0), plain_dataset(p.d1)) for p in listed)):
        return None
    if isinstance(generator, OfExample):
        return generator.outside(d0, d1)
    if isinstance(generator, Value):
        return None if max(d0, d1) < max(space.size, *space.sizes, 0) else "a value outside the claim's domain"
    if generator.box(space) is None:
        return "the generator lists no such pair"
    if all(isinstance(each, np.ndarray) and each.ndim == 1 for each in (d0, d1)):
        return _sizes(space, d0.size, d1.size) or _range(space, d0) or _range(space, d1)
    known = [side for pair in listed for side in (pair.d0, pair.d1)]
    if isinstance(d0, Table) and isinstance(d1, Table):
        return _tables(space, d0, d1, [each for each in known if isinstance(each, Table)])
    if isinstance(d0, Sessions) and isinstance(d1, Sessions):
        return _sessions(space, d0, d1, [each for each in known if isinstance(each, Sessions)])
    if isinstance(generator, TabulatedLosses):
        return _losses(space, d0, d1, generator.most)
    return "the generator lists no such pair"


def _sizes(space: SearchSpace, first: int, second: int) -> str | None:
    """Check the size of the larger data set; the smaller one has as many records, or one less under add/remove."""
    sizes = {space.size, *space.sizes}
    return (
        None if max(first, second) in sizes else f"{max(first, second)} entries, where the claim is for {sorted(sizes)}"
    )


def _range(space: SearchSpace, numbers: Float) -> str | None:
    outside = ~((numbers >= space.low) & (numbers <= space.high))
    if np.any(outside):
        return f"an entry {np.asarray(numbers)[outside].flat[0]:g} outside [{space.low:g}, {space.high:g}]"
    return None


def _tables(space: SearchSpace, d0: Table, d1: Table, known: list[Table]) -> str | None:
    """One table must be the generator's.

    A record that only the other has must lie in the range, and agree with the data in columns that are constant there.
    """
    own = next((t for t in known if any(_content(t) == _content(each) for each in (d0, d1))), None)
    if own is None:
        return "neither is a table that the generator lists"
    labels = {label for each in known for label in each.labels.tolist()}
    constant = np.all(own.features == own.features[:1], axis=0)
    rows = {row.tobytes() for row in own.features}
    for features, label in zip(np.vstack([d0.features, d1.features]), [*d0.labels, *d1.labels], strict=True):
        if features.tobytes() not in rows:
            if not np.array_equal(features[constant], own.features[0, constant]):
                return "a constant column of the data differs"
            if (reason := _range(space, features[~constant])) is not None:
                return reason
        if float(label) not in labels:
            return f"a label {label:g} that no listed table has"
    return None


def _content(table: Table) -> tuple[bytes, bytes, tuple[int, ...]]:
    return table.features.tobytes(), table.labels.tobytes(), table.features.shape


def _sessions(space: SearchSpace, d0: Sessions, d1: Sessions, known: list[Sessions]) -> str | None:
    """The documents must be the generator's; labels may differ within the range."""
    for each in known:
        if np.array_equal(each.offsets, d0.offsets) and np.array_equal(each.documents, d0.documents):
            moved = [labels[labels != each.labels] for labels in (d0.labels, d1.labels)]
            return _range(space, np.concatenate(moved))
    return "other documents than the generator's"


def _losses(space: SearchSpace, d0: Float, d1: Float, most: int) -> str | None:
    """Losses of `space.size` candidates must lie in the range, with no more records of a kind than the generator's."""
    for table in (d0, d1):
        if table.shape[1] - 2 not in {space.size, *space.sizes}:
            return f"{table.shape[1] - 2} candidates"
        if np.max(table[:, 0], initial=0.0) > most:
            return f"more than {most} records of a kind"
    return _range(space, np.concatenate([d0[:, 1:].ravel(), d1[:, 1:].ravel()]))
