"""What lies outside of what an example shows, where nobody has stated a domain: a small audit of its own.

The pairs inside the example's ranges decide the verdict. NaN, infinities, integer types' ends, unseen texts and large
records get a tenth of the draws and of the false-alarm probability. Where the claim falls there, it is false unless
records stay where the example's are: that is the first line of the result, a warning, and no refutation (`domain` may
say otherwise). Exceptions there are told, for a mechanism may refuse such records.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np

from dpverify.adapters.callable_mechanism import CallableMechanism
from dpverify.adapters.time_limit import Interrupted, TimeLimit
from dpverify.core.claim import SearchSpace
from dpverify.core.errors import InputError, one_line
from dpverify.core.plugins import registry
from dpverify.core.read_untrusted import shortened
from dpverify.core.subjects import Pair
from dpverify.core.verdict import Status
from dpverify.datasets.examples.beyond import LARGE_ENDS
from dpverify.datasets.neighbors.beyond_example import BeyondExample
from dpverify.datasets.neighbors.fixed_pair import ListedPairs
from dpverify.neighbourhood.goal import with_goal
from dpverify.neighbourhood.redact import without_records
from dpverify.runner.audit_unit import run_unit
from dpverify.runner.plan import Plan, Unit
from dpverify.runner.record import evidence_record, plain
from dpverify.runner.row import Row, rarest_of

Domain = Literal["example", "type"]
DOMAINS = ("example", "type")

NOT_TRIED = "nothing was tried of what the example does not show"

SHARE = 0.1
"""Of the draws and of the false-alarm probability."""

LEAST_TRIALS = 2_000
"""Draws a side below which the pairs inside keep all of them. A tenth as many come on top: a replay takes few runs."""

DRAWS_A_PAIR = 128
"""There are for each pair that is looked at."""

PATIENCE, SLOWER, SLOW = 5.0, 20.0, 0.01
"""Seconds of one call on such records. Left out is what takes longer, and more than so many times what a call takes
inside and so many seconds: the draws would take as much longer."""


@dataclass(frozen=True, slots=True)
class Tried:
    """A line on what was tried there, and whether that is less than was to be tried."""

    text: str
    lacks: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Outside:
    """The audit outside, with what it spends: fixed before the first draw."""

    beyond: BeyondExample
    """The pairs."""
    unit: Unit
    """With its share of the draws and of the false-alarm probability."""
    trials: int
    """Draws a side that were asked for."""

    def look(
        self,
        subject: CallableMechanism,
        plan: Plan,
        limit: TimeLimit,
        report: Callable[[str, float], None],
        *,
        large_ends: bool = True,
    ) -> tuple[Row | None, Tried]:
        """The row, where the claim falls there, else None; and what was tried."""
        trials = self.unit.task.trials
        pairs = self.beyond.candidates(
            SearchSpace(), limit=max(2, trials // DRAWS_A_PAIR), rng=self.unit.task.stream("outside")
        )
        pairs = [pair for pair in pairs if large_ends or not self.beyond.large_end(pair.label)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of NaN and overflows, which are meant
            try:
                good, why = self._returning(subject, pairs, limit)
            except Interrupted:
                limit.stop()
                return None, Tried(f"{NOT_TRIED}: {limit.words()}")
            left_out = f"; {len(pairs) - len(good)} of {len(pairs)} were left out ({why})" if why else ""
            if not good:
                return None, Tried(f"{NOT_TRIED}{left_out}")
            neighbors = ListedPairs(pairs=tuple(good), relation=self.beyond.relation)
            auditors: list[Any] = list(self.unit.auditors)
            unit = replace(
                self.unit,
                auditors=tuple(replace(auditor, pairs=len(good)) for auditor in auditors),
                task=replace(self.unit.task, neighbors=neighbors),
            )
            row = run_unit(unit, plan, report=report, limit=limit)
        told = (
            f"{len(good)} pairs with a record that the example does not show were tried, {trials} draws a "
            f"side at most (false-alarm probability {unit.task.alpha:.2g})"
        )
        if row.verdict.status is Status.REFUTED:
            return row, Tried(f"{told}: the claim falls there{left_out}", lacks=bool(left_out))
        leading = row.verdict.leading
        looked = leading is not None and leading.trials > 0
        few = "too few draws to count an event" if leading is not None else self._hidden(row.verdict.reason)
        found = "no violation was found" if looked else f"nothing was decided ({few})"
        return None, Tried(f"{told}: {found}{left_out}", lacks=not looked or bool(left_out))

    @property
    def has_large_ends(self) -> bool:
        """Tell whether the largest integers are among the records that are tried."""
        return any(not LARGE_ENDS.isdisjoint(values) for values in self.beyond.values.values())

    def _returning(self, subject: CallableMechanism, pairs: list[Pair], limit: TimeLimit) -> tuple[list[Pair], str]:
        """The pairs on which the subject returns about as fast as inside, and why it does not on the others: the first
        reason.
        """
        good, why = [], ""
        with limit.calls_within(PATIENCE):
            for place, pair in enumerate(pairs):
                stream = partial(self.unit.task.stream, "outside", place)
                try:
                    inside = _seconds(subject, pair.d1, stream(1))
                    if all(_seconds(subject, pair.d0, stream(0)) > SLOWER * inside + SLOW for _ in range(2)):
                        why = why or "a call takes much longer there"
                        continue
                except InputError as problem:
                    cause = problem.__cause__
                    said = problem.what if cause is None else f"it raised {type(cause).__name__}: {cause}"
                    why = why or shortened(one_line(self._hidden(said)), most=200)
                else:
                    good.append(pair)
        return good, why

    def _hidden(self, text: str) -> str:
        return without_records(text, list(self.beyond.container.records))

    def headline(self, row: Row) -> str:
        """``false unless records lie in [0, 1]: clip, or state --bounds``."""
        leading = row.verdict.leading
        assert leading is not None
        return self.beyond.headline(str(leading.witness.get("pair", "")))


def _seconds(subject: CallableMechanism, data: Any, rng: np.random.Generator) -> float:
    begun = time.perf_counter()
    subject.look(data, 1, rng=rng)
    return time.perf_counter() - begun


def split(unit: Unit, beyond: BeyondExample | None) -> tuple[Unit, Outside | None]:
    """The unit less what is spent outside, and the audit outside; all of it, and None, where there is none."""
    trials = unit.task.trials
    draws = max(1, int(SHARE * trials))
    statistical = sum(auditor.statistical for auditor in unit.auditors)
    if beyond is None or not beyond.values or not statistical:
        return unit, None
    claim = unit.entry.claim
    claim = replace(claim, streams=f"{claim.stream_name}, outside")
    whole = unit.task.alpha * statistical
    task = replace(unit.task, claim=claim, alpha=SHARE * whole, trials=draws)
    apart = Unit(
        entry=replace(unit.entry, claim=claim), auditors=(registry().auditors.get("gate"),), task=task, refusals=()
    )
    left = trials - draws if trials >= LEAST_TRIALS else trials
    inside = replace(unit.task, alpha=(1.0 - SHARE) * unit.task.alpha, trials=left)
    return replace(unit, task=inside), Outside(beyond=beyond, unit=with_goal(apart, None), trials=trials)


def with_level(row: Row, inside: Unit, outside: Outside) -> Row:
    """The row, which says what was spent inside and outside: a refutation there would have been one, too."""
    leading = row.verdict.leading
    if leading is None or leading.confidence is None:
        return row
    spent = {"level_with_replays": inside.task.alpha + outside.unit.task.alpha}
    leading = replace(leading, statistics={**leading.statistics, **spent})
    return replace(row, verdict=replace(row.verdict, evidence=(leading, *row.verdict.evidence[1:])))


def with_outside(row: Row, found: Row, line: str, *, domain: Domain) -> Row:
    """The row with what was found outside: its first line, or (`domain` ``type``) the refutation itself."""
    inside, outside = row.verdict.leading, found.verdict.leading
    assert inside is not None
    assert outside is not None
    if domain == "type":
        verdict = replace(found.verdict, claim=row.verdict.claim, evidence=(outside, *row.verdict.evidence))
        rarest = rarest_of(row.entry.claim.guarantee, verdict.evidence)
        seconds = row.seconds + found.seconds
        return replace(row, verdict=verdict, reproduce=found.reproduce, seconds=seconds, rarest=rarest)
    kept = plain(evidence_record(outside))
    kept = {name: kept[name] for name in kept if name not in ("picture", "seconds")}
    statistics = {**inside.statistics, "outside": {"line": line, "reproduce": found.reproduce, **kept}}
    reason = "; ".join(filter(None, (line, row.verdict.reason)))
    evidence = (replace(inside, statistics=statistics), *row.verdict.evidence[1:])
    return replace(
        row, verdict=replace(row.verdict, evidence=evidence, reason=reason), seconds=row.seconds + found.seconds
    )
