"""One audit of a callable, once everything is settled: try the mechanism out, count the draws, run, say what was found.

Settled before: the claim, where to look, which auditors, and their shares of the false-alarm probability. `look` finds
a pair on which the mechanism returns, probes it, turns seconds into draws, says what these cannot detect, and runs;
then the judges finish the finding.
"""

from __future__ import annotations

import gc
import math
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from dpverify.adapters.callable_mechanism import CallableMechanism
from dpverify.adapters.dependence import DependentError
from dpverify.adapters.probe import notes_after_audit, probe
from dpverify.adapters.replaced import Present, present, replaced
from dpverify.adapters.time_limit import Interrupted, TimeLimit
from dpverify.audits.again import again
from dpverify.audits.finding import Finding
from dpverify.audits.from_code import BESIDE_A_PROOF, from_code
from dpverify.audits.judges import Known, judged, meanings_of
from dpverify.audits.outside_trial import OutsideTrial
from dpverify.audits.question import Question
from dpverify.code_key.key import CodeKey, code_key
from dpverify.core.auditing import Reaches
from dpverify.core.errors import AuditError, DpverifyError, InputError
from dpverify.core.note import SMALL_LOOP, Kind, Note, Telling, plain_notes
from dpverify.core.subjects import Pair
from dpverify.core.verdict import Status
from dpverify.core.watchdog_page import handle_ctrl_c_here, listening
from dpverify.neighbourhood.clock import FEWEST, draws_within, expected_seconds, seconds_of_a_call
from dpverify.neighbourhood.neighbourhood import Neighbourhood
from dpverify.neighbourhood.notes import gate_notes
from dpverify.neighbourhood.outside import split
from dpverify.neighbourhood.redact import hiding, without_pair, without_values, witness_of
from dpverify.programs.mechanism import CommandMechanism
from dpverify.runner.audit_unit import run_unit
from dpverify.runner.key_apart import SECONDS, key_apart
from dpverify.runner.memory import limit_files, limit_memory_with_children, share_of_machine
from dpverify.runner.plan import Plan, Unit
from dpverify.runner.row import Row
from dpverify.runner.sequential_session import with_session
from dpverify.runner.watched_process import WatchedProcess

NOT_KEPT = "nothing is kept, and nothing of earlier sessions counts, for nothing tells whether the code changes"

MOST_NAMED = 4
"""Names of what was replaced that a line has."""

FEW = 10_000
"""Draws a side below which a call takes too long for an audit that ended without a verdict."""

SHRINK = Note(Kind.SHRINK, f"calls take too long for draws enough; {SMALL_LOOP}")


@dataclass(kw_only=True)
class CallableAudit:
    """An audit that is ready to begin."""

    question: Question
    """What is asked, completed: a sampled example, the factor to be detected."""
    subject: CallableMechanism
    """What is audited."""
    place: Neighbourhood
    plan: Plan
    """Of one unit: the claim, the auditors, their error probability."""
    limit: TimeLimit
    """Of the whole audit and of each call."""
    seconds: float | None = None
    """Turned into a number of draws before the audit; None where the number is given."""
    code: CodeKey | None = None
    """Of the mechanism, for its evidence; None where it is still to be found out."""
    loops: bool = False
    """Whether a batch is a loop of single calls that we wrote: then the order of its draws needs no thorough look."""
    longest: float | None = None
    """Seconds after which nobody waits: draws that need longer are refused before they are made."""
    sampled: str = ""
    """That a part of the example was taken; empty where it is the whole."""

    def look(self) -> Finding:
        """The audit, in this process; a program that it starts ends with it."""
        before = present()
        hide = not self.question.show_records and self.question.data is not None
        try:
            with self._ending_programs(), hiding(self.question.data) if hide else nullcontext():
                found = self._look()
        except DpverifyError:
            raise
        except Exception:
            self._refuse_replaced(before)
            raise
        self._refuse_replaced(before)
        return found

    def look_isolated(self) -> Finding:
        """The audit in a process of its own: what comes back is plain data, and nothing else is made of it."""
        if not hasattr(os, "fork"):
            raise InputError(
                "isolate=True on this system, which starts no process as a copy of another",
                allowed="Linux, macOS and other systems that fork",
                remedy="leave it out: the mechanism runs in this process",
            )

        def work() -> dict[str, Any]:
            gc.freeze()  # the collector went through all that this process has inherited, for half of the time
            limit_memory_with_children(share_of_machine())
            limit_files()
            return self.look().values()

        return Finding.of_values(WatchedProcess(work).result(), self.plan.units[0].entry)

    def code_key(self, *things: Any) -> CodeKey:
        """The key of the mechanism and of other things, in a process of its own that has called it twice."""
        function, things = self.subject.function, (*things, *self.place.own_code())
        if self._is_program():
            return code_key(function, *things)

        own = self.limit.per_call or SECONDS

        def calls() -> None:
            with self.limit.calls_within(own) if own < SECONDS else nullcontext():
                pair = self.place.returning(self.subject, stream=lambda *_: np.random.default_rng(0))
                for seed in range(2):
                    self.subject.look(pair.d0, 1, rng=np.random.default_rng(seed))

        return key_apart(function, *things, calls=calls)

    def _look(self) -> Finding:
        (unit,) = self.plan.units
        if self.question.evidence_file is not None and self.code is None:
            self.code = self.code_key()
        with self.limit, listening(), handle_ctrl_c_here(f"the mechanism {self.subject.name}", Interrupted):
            pair = self.place.returning(self.subject, stream=unit.task.stream)
            if self.seconds is not None and self.longest is not None:
                each = seconds_of_a_call(self.subject, pair.d0, unit.task.stream("clock", 2))
                self._refuse_long(expected_seconds(FEWEST, each), each)  # before the probe, which takes a while, too
            before = self._probed(unit, pair)
            if self.subject.on_error == "raise":
                self.place = self.place.with_small(self.subject, stream=unit.task.stream)
                unit = replace(unit, task=replace(unit.task, neighbors=self.place.generator))
            read = from_code(self.question, self.subject, self.place, unit.entry.claim.guarantee, self.limit)
            if read.proof is not None and self._is_open_ended():
                self.seconds = BESIDE_A_PROOF
            unit, draws, counted = self._with_draws(unit, pair)
            pooled = self.question.evidence_file is not None
            unit, outside = split(unit, None if pooled else self.place.beyond)
            counted += self._told_reach(unit)
            for line in counted:
                (self.question.progress or _silent)(str(line), 0.0)
            session = self._with_session(unit, pair)
            row, tell = self._run(session), Telling()
            row = self._finished(row, unit, tell, trials=unit.task.trials if outside is None else outside.trials)
            notes = [
                *before,
                *self._of_evidence(session),
                *(plain_notes(self.sampled) if self.sampled else ()),
                *tell("the notes on the mechanism", partial(notes_after_audit, self.subject), ()),
                *(Note(Kind.ASSUMED, line) for line in self.place.assumed),
                *counted,
                *tell("the notes on the steps", partial(gate_notes, row), ()),
            ]
            notes += self._shrink(row, notes, unit.task.trials)
            trial = OutsideTrial(
                outside=outside,
                beyond=self.place.beyond,
                domain=self.question.domain,
                pooled=pooled,
                finish=self._finished,
            )
            reproducible = self.subject.reproducible
            row, lines = trial.tried(row, tell, unit=unit, subject=self.subject, plan=self.plan, limit=self.limit)
        told: tuple[Note, ...] = (*notes, *lines)
        shown = read.shown
        if not self.question.show_records:
            told, shown = without_values(told, self.place), without_values(shown, self.place)
        return Finding(
            row=replace(row, proof=read.proof),
            notes=(*told, *read.told, *shown, *(Note(Kind.NOT_TOLD, fault) for fault in tell.faults)),
            inferred=self.place.inferred,
            reproducible=reproducible,
            draws=draws,
        )

    def _refuse_replaced(self, before: Present) -> None:
        """AuditError where the mechanism took away or replaced what the audit itself needs."""
        if names := replaced(before):
            more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
            raise AuditError(
                f"{self.subject.name} replaced or removed {', '.join(names[:MOST_NAMED])}{more}, which the audit "
                "needs: no verdict; let it leave the modules of others as they are"
            ) from None

    def _is_open_ended(self) -> bool:
        """Tell whether nobody said how much is to be drawn."""
        return self.question.seconds is self.question.trials is self.question.detect is None

    def _is_program(self) -> bool:
        return isinstance(self.subject, CommandMechanism)

    def _shrink(self, row: Row, notes: Sequence[Note], trials: int) -> list[Note]:
        """A line on a slow mechanism of which nothing could be decided, or little could have been seen."""
        slow = self.seconds is not None and trials < FEW
        little = row.verdict.status is Status.INCONCLUSIVE or any(note.kind is Kind.WEAK for note in notes)
        return [SHRINK] if slow and little else []

    @contextmanager
    def _ending_programs(self) -> Iterator[None]:
        try:
            yield
        finally:
            if isinstance(self.subject, CommandMechanism):
                self.subject.command.close()

    def _probed(self, unit: Unit, pair: Pair) -> tuple[Note, ...]:
        """Notes on the mechanism; replays and exact laws need no draws, and take the outputs as they are."""
        if not any(auditor.statistical for auditor in unit.auditors):
            return ()
        trials = 0 if self.loops else unit.task.trials
        notes = probe(self.subject, pair.d0, pair.d1, trials=trials, stream=unit.task.stream)
        if isinstance(self.subject, CommandMechanism):
            notes = self.subject.seed_notes(pair.d0, pair.d1, notes, stream=unit.task.stream)
        return notes

    def _with_draws(self, unit: Unit, pair: Pair) -> tuple[Unit, int | None, list[Note]]:
        """The unit with its number of draws, that number where seconds were turned into it, and a line on that."""
        if self.seconds is None:
            return unit, None, []
        draws, each = draws_within(self.seconds, self.subject, pair.d0, pair.d1, stream=unit.task.stream)
        takes = expected_seconds(draws, each)
        self._refuse_long(takes, each)
        long = takes > 1.5 * self.seconds
        about = f"{takes if long else self.seconds:.3g} s at {each:.2g} s a call"
        told = f"trials={draws} a side at most, for about {about}"
        short = self._is_open_ended() and self.seconds == BESIDE_A_PROOF
        asked = "are enough beside a proof" if short else "were asked for"
        more = f", and not the {self.seconds:g} s that {asked}: an audit makes at least so many draws"
        note = Note(Kind.DRAWS, told + (more if long else ""))
        return replace(unit, task=replace(unit.task, trials=draws)), draws, [note]

    def _told_reach(self, unit: Unit) -> list[Note]:
        """Lines on what the draws cannot detect."""
        reached = (auditor.reach(unit.task) for auditor in unit.auditors if isinstance(auditor, Reaches))
        return [Note(Kind.REACH, line) for line in reached if line]

    def _refuse_long(self, takes: float, each: float) -> None:
        """InputError for draws that take so many seconds, where nobody waits for them."""
        if self.longest is not None and takes > self.longest:
            raise InputError(
                f"{self.subject.name} takes {each:.2g} s a call, so that the fewest draws of an audit take about "
                f"{takes:.3g} s, and {self.seconds:g} s were given",
                allowed=f"seconds of {math.ceil(takes)} or more",
                remedy="or make a call faster, best as a batch: f(dataset, size, rng)",
            )

    def _with_session(self, unit: Unit, pair: Pair) -> Unit:
        """The unit of a sequential audit, after the probe, which finds mechanisms out that only seem reproducible."""
        asked = self.question
        if not asked.sequential:
            return unit
        hide: Any = partial(witness_of, place=self.place)
        return with_session(
            unit,
            detect=asked.detect,
            file=asked.evidence_file,
            pair=pair,
            confidence=self.plan.confidence,
            reproducible=self.subject.reproducible,
            code=self.code,
            hide=dict if asked.show_records else without_pair if asked.data is None else hide,
        )

    def _of_evidence(self, unit: Unit) -> list[Note]:
        """Lines on evidence that was not saved, and on earlier sessions that do not count."""
        journals = [journal for each in unit.auditors if (journal := getattr(each, "journal", None)) is not None]
        unsaved = [Note(Kind.EVIDENCE_LOST, f"not saved: {each.fault}") for each in journals if each.fault]
        if self.code is not None and self.code.unknown:
            return [*unsaved, Note(Kind.EVIDENCE, f"{NOT_KEPT}: {self.code.unknown}")]
        return [*unsaved, *(Note(Kind.EVIDENCE, journal.anew) for journal in journals if journal.anew)]

    def _run(self, unit: Unit) -> Row:
        report = self.question.progress or _silent
        plan = replace(self.plan, units=(unit,))
        try:
            return run_unit(unit, plan, report=report, strict=True, limit=self.limit)
        except DependentError as problem:  # independent draws come here with probability 1e-9 a look
            if self.question.sequential or not self.subject.one_by_one(problem):
                raise
            return run_unit(unit, plan, report=report, strict=True, limit=self.limit)

    def _finished(self, row: Row, unit: Unit, tell: Telling, *, trials: int) -> Row:
        """The row as users see it: in words, judged by what it could have seen, and without their records."""
        asked, subject = self.question, self.subject
        counted = None if self.seconds is None else trials
        line = tell(
            "the line that makes the audit again",
            partial(again, asked, subject.function, self.place, row, trials=counted),
            "",
        )
        known = Known(
            columns=lambda: subject.columns,
            meanings=lambda: meanings_of(subject) | {"errors": dict(subject.errors)},
            blind=subject.blind,
            ignores_data=lambda: subject.ignores_data(rng=unit.task.stream("ignores data")),
            pair=self.place.plain[0] if asked.data is None else None,
            hide=None if asked.show_records else self.place,
            tell=tell,
        )
        return judged(Finding(row=replace(row, reproduce=line)), known).row


def _silent(_message: str, _share: float) -> None:
    """Show no progress."""
