"""One audit of a callable, once everything is settled: try the mechanism out, count the draws, run, say what was found.

Settled before: the claim, where to look, which auditors, and their shares of the false-alarm probability. What happens
here, in this order: `look` finds a pair on which the mechanism returns, probes it, turns seconds into draws, says what
these cannot detect, and runs; then the row is finished (meaning of codes, blind or vacuous passes, redaction).
"""

from __future__ import annotations

import gc
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from dpverify.adapters.callable_mechanism import CallableMechanism
from dpverify.adapters.probe import notes_after_audit, probe
from dpverify.adapters.repeated_draws import DependentError
from dpverify.adapters.replaced import Present, present, replaced
from dpverify.adapters.reproduce_command import reproduce_command
from dpverify.adapters.time_limit import Interrupted, TimeLimit
from dpverify.audit_result import AuditResult, result_of, unless_blind, unless_vacuous, with_meaning
from dpverify.code_key.key import CodeKey, code_key
from dpverify.core.auditing import Reaches
from dpverify.core.errors import AuditError, DpverifyError, InputError, one_line
from dpverify.core.interrupt import handle_ctrl_c_here, listening
from dpverify.core.subjects import Pair
from dpverify.core.telling import Telling
from dpverify.core.verdict import Status
from dpverify.core.watchdog_page import current_page
from dpverify.gate.clock import FEWEST, draws_within, expected_seconds, seconds_of_a_call
from dpverify.gate.neighbourhood import Neighbourhood
from dpverify.gate.notes import gate_notes
from dpverify.gate.outside import LACKING, NOT_TRIED, Domain, Outside, split, with_level, with_outside
from dpverify.gate.redact import (
    hiding,
    redacted,
    with_pair,
    without_pair,
    without_values,
    without_witness,
    witness_of,
)
from dpverify.programs.mechanism import CommandMechanism
from dpverify.runner.audit_unit import run_unit
from dpverify.runner.key_apart import key_apart
from dpverify.runner.memory import limit_memory_with_children, share_of_machine
from dpverify.runner.output_limit import limit_files
from dpverify.runner.plan import Plan, Unit
from dpverify.runner.row import Row
from dpverify.runner.row_transfer import row_of, row_values
from dpverify.runner.sequential_session import with_session
from dpverify.runner.watched_process import WatchedProcess

NOT_KEPT = "nothing is kept, and nothing of earlier sessions counts, for nothing tells whether the code changes"

MOST_NAMED = 4
"""Columns that a line names."""

FEW = 10_000
"""Draws a side below which a call takes too long for an audit that ended without a verdict."""

SHRINK = (
    "shrink: calls take too long for draws enough; a training loop is audited small: fewer records, a higher sampling "
    "rate, fewer steps, and the claim of that loop (How-to, Shrink your loop: docs/howto/shrink-your-loop.md)"
)

HIDDEN = object()
"""Stands for data that are not written out."""


def silent(_message: str, _share: float) -> None:
    """Progress is not shown."""


@dataclass(kw_only=True)
class OneAudit:
    """An audit that is ready to begin.

    Attributes
    ----------
    subject : CallableMechanism
        What is audited.
    place : Neighbourhood
        Where.
    plan : Plan
        Of one unit: the claim, the auditors, their error probability.
    data : mapping
        What the user gave: ``data``, one example, or ``d0`` and ``d1``.
    settings : mapping
        Of ``dpverify.audit``, as they were given, for the line that makes the audit again.
    seconds : float or None
        Turned into a number of draws before the audit; None where the number is given.
    sequential, detect, evidence_file : as in ``dpverify.audit``
    code : CodeKey or None
        Of the mechanism, for its evidence; None where it is still to be found out.
    show_records : bool
        Whether records of the user's example may be shown.
    loops : bool
        Whether a batch is a loop of single calls that we wrote: then the order of its draws needs no thorough look.
    longest : float or None
        Seconds after which nobody waits: draws that need longer are refused before they are made.
    domain : "example" or "type"
        Whether a claim that falls outside of what the example shows is refuted by that.
    sampled : str
        That a part of the example was taken; empty where it is the whole.
    """

    subject: CallableMechanism
    place: Neighbourhood
    plan: Plan
    data: Mapping[str, Any]
    settings: Mapping[str, Any]
    limit: TimeLimit
    seconds: float | None = None
    sequential: bool = False
    detect: float | None = None
    evidence_file: Path | str | None = None
    code: CodeKey | None = None
    show_records: bool = False
    loops: bool = False
    longest: float | None = None
    domain: Domain = "example"
    sampled: str = ""
    progress: Callable[[str, float], None] = field(default=silent)

    def look(self) -> AuditResult:
        """The audit, in this process; a program that it starts ends with it."""
        before = present()
        hide = not self.show_records and "data" in self.data
        try:
            with self._ending_programs(), hiding(self.data["data"]) if hide else nullcontext():
                found = self._look()
        except DpverifyError:
            raise
        except Exception:
            self._refuse_replaced(before)
            raise
        self._refuse_replaced(before)
        return found

    def _refuse_replaced(self, before: Present) -> None:
        """AuditError where the mechanism took away or replaced what the audit itself needs."""
        if names := replaced(before):
            more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
            raise AuditError(
                f"{self.subject.name} replaced or removed {', '.join(names[:MOST_NAMED])}{more}, which the audit "
                "needs: no verdict; let it leave the modules of others as they are"
            ) from None

    def _look(self) -> AuditResult:
        (unit,) = self.plan.units
        if self.evidence_file is not None and self.code is None:
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
            unit, outside, counted = self._with_draws(unit, pair)
            session = self._with_session(unit, pair)
            row = self._run(session)
            journals = [getattr(auditor, "journal", None) for auditor in session.auditors]
            unsaved = [f"evidence: not saved: {each.fault}" for each in journals if each is not None and each.fault]
            tell = Telling()
            trials = unit.task.trials if outside is None else outside.trials
            row = self._finished(row, unit, tell, trials=trials)
            inside = row
            notes = (
                *before,
                *unsaved,
                *([self.sampled] if self.sampled else []),
                *tell("the notes on the mechanism", partial(notes_after_audit, self.subject), ()),
                *(f"assumed: {line}" for line in self.place.assumed),
                *counted,
                *self._of_evidence(session),
                *tell("the notes on the steps", partial(gate_notes, row), ()),
                *self._shrink(row, unit.task.trials),
            )
            reproducible = self.subject.reproducible
            if outside is not None and row.verdict.status in (Status.NOT_REFUTED, Status.INCONCLUSIVE):
                row, told = self._outside(outside, row, tell, trials=trials)
                notes = (*notes, self._beyond(told))
            elif outside is None and self.place.beyond is not None and self.place.beyond.values:
                why = "pooled evidence" if self.evidence_file is not None else "methods that draw nothing"
                notes = (*notes, self._beyond(f"{NOT_TRIED}, which {why} cannot"))
            if outside is not None and self.domain == "type" and row.verdict.evidence == inside.verdict.evidence:
                row = with_level(row, unit, outside)
            notes = (*notes, *map(self._beyond, self._untried()))
        if not self.show_records:
            notes = without_values(notes, self.place)
        notes = (*notes, *(f"not told: {fault}" for fault in tell.faults))
        return result_of(row, self.place.inferred, reproducible, notes)

    def _outside(self, outside: Outside, row: Row, tell: Telling, *, trials: int) -> tuple[Row, str]:
        """The row with what was found outside of what the example shows, and a line on what was tried.

        Where the largest integers are among the records, a callable is tried in a process of its own: compiled code may
        end it there. Then, and where a fork of this process cannot run it, the other records are tried here.
        """

        def work(large_ends: bool) -> dict[str, Any]:
            said = Telling()
            found, told = outside.look(self.subject, self.plan, self.limit, silent, large_ends=large_ends)
            if found is None:
                return {"told": told}
            line = outside.headline(found)
            found = self._finished(found, outside.unit, said, trials=trials)
            return {"told": told, "line": line, "row": row_values(found), "faults": list(said.faults)}

        def there(large_ends: bool) -> dict[str, Any]:
            gc.freeze()
            limit_memory_with_children(most)
            self.limit.reopen()
            return work(large_ends)

        page, why = current_page(), ""
        limited = page is not None and math.isfinite(page.memory)
        most = int(page.memory) if page is not None and limited else share_of_machine()
        for large_ends in (True, False):
            try:
                apart = large_ends and outside.has_large_ends and not self._is_program()
                done = WatchedProcess(partial(there, large_ends)).result() if apart else work(large_ends)
                break
            except Interrupted:
                self.limit.stop()
                return row, f"{NOT_TRIED}: {self.limit.words()}"
            except DpverifyError as problem:  # whatever goes wrong outside takes no verdict inside
                why = one_line(str(problem))
        else:
            return row, f"{NOT_TRIED}: {why}"
        told = str(done["told"]) + (f"; the largest integers were left out ({why})" if why else "")
        if "row" not in done or row.verdict.leading is None:
            return row, told
        tell.faults.extend(map(str, done["faults"]))
        found = row_of(done["row"], outside.unit.entry)
        return with_outside(row, found, str(done["line"]), domain=self.domain), told

    def _beyond(self, told: str) -> str:
        """A line on what was tried outside, called untried where a claim on all of the type needs more."""
        lacks = self.domain == "type" and any(word in told for word in LACKING)
        return f"untried: {told.removeprefix('outside: ')}" if lacks else told

    def _untried(self) -> list[str]:
        """A line on columns of which nothing is stated and nothing was tried."""
        untried = () if self.place.beyond is None else self.place.beyond.untried
        more = f" and {len(untried) - MOST_NAMED} more" if len(untried) > MOST_NAMED else ""
        named = f"{', '.join(untried[:MOST_NAMED])}{more}"
        return [f"{NOT_TRIED} of {named}: no other values are known"] if untried else []

    def _is_program(self) -> bool:
        return isinstance(self.subject, CommandMechanism)

    def _shrink(self, row: Row, trials: int) -> list[str]:
        """A line on a slow mechanism of which nothing could be decided."""
        slow = self.seconds is not None and trials < FEW
        return [SHRINK] if slow and row.verdict.status is Status.INCONCLUSIVE else []

    @contextmanager
    def _ending_programs(self) -> Iterator[None]:
        try:
            yield
        finally:
            if isinstance(self.subject, CommandMechanism):
                self.subject.command.close()

    def code_key(self, *things: Any) -> CodeKey:
        """The key of the mechanism and of other things, in a process of its own that has called it twice."""
        function = self.subject.function
        if self._is_program():
            return code_key(function, *things)

        def calls() -> None:
            pair = self.place.returning(self.subject, stream=lambda *_: np.random.default_rng(0))
            for seed in range(2):
                self.subject.look(pair.d0, 1, rng=np.random.default_rng(seed))

        return key_apart(function, *things, calls=calls)

    def look_isolated(self) -> AuditResult:
        """The audit in a process of its own: what comes back is plain data, and nothing else is made of it."""

        def work() -> dict[str, Any]:
            gc.freeze()  # the collector went through all that this process has inherited, for half of the time
            limit_memory_with_children(share_of_machine())
            limit_files()
            result = self.look()
            return {"row": row_values(result.row), "reproducible": result.reproducible, "notes": result.notes}

        found = WatchedProcess(work).result()
        try:
            row = row_of(found["row"], self.plan.units[0].entry)
            notes = tuple(map(str, found["notes"]))
            return result_of(row, self.place.inferred, bool(found["reproducible"]), notes)
        except (TypeError, LookupError) as problem:
            raise AuditError("the audit's process sent no result that can be read") from problem

    def _probed(self, unit: Unit, pair: Pair) -> tuple[str, ...]:
        """Notes on the mechanism; replays and exact laws need no draws, and take the outputs as they are."""
        if not any(auditor.statistical for auditor in unit.auditors):
            return ()
        trials = 0 if self.loops else unit.task.trials
        notes = probe(self.subject, pair.d0, pair.d1, trials=trials, stream=unit.task.stream)
        if isinstance(self.subject, CommandMechanism):
            notes = self.subject.seed_notes(pair.d0, pair.d1, notes, stream=unit.task.stream)
        return notes

    def _with_draws(self, unit: Unit, pair: Pair) -> tuple[Unit, Outside | None, list[str]]:
        """The unit with its number of draws, what is left of them for outside, and what is to be said before."""
        said = []
        if self.seconds is not None:
            draws, each = draws_within(self.seconds, self.subject, pair.d0, pair.d1, stream=unit.task.stream)
            unit = replace(unit, task=replace(unit.task, trials=draws))
            takes = expected_seconds(draws, each)
            self._refuse_long(takes, each)
            long = takes > 1.5 * self.seconds
            about = f"{takes if long else self.seconds:.3g} s at {each:.2g} s a call"
            told = f"draws: trials={draws} a side at most, for about {about}"
            more = f", and not the {self.seconds:g} s that were asked for: an audit makes at least so many draws"
            said.append(told + (more if long else ""))
        unit, outside = split(unit, None if self.evidence_file is not None else self.place.beyond)
        reached = (auditor.reach(unit.task) for auditor in unit.auditors if isinstance(auditor, Reaches))
        said += [f"draws: {line}" for line in reached if line]
        for line in said:
            self.progress(line, 0.0)
        return unit, outside, said

    def _refuse_long(self, takes: float, each: float) -> None:
        """InputError for draws that take so many seconds, where nobody waits for them."""
        if self.longest is not None and takes > self.longest:
            raise InputError(
                f"{self.subject.name} takes {each:.2g} s a call, so that the fewest draws of an audit take about "
                f"{takes:.3g} s, and {self.seconds:g} s were given",
                allowed=f"max-seconds of {math.ceil(takes)} or more",
                remedy="or make a call faster, best as a batch: f(dataset, size, rng)",
            )

    def _with_session(self, unit: Unit, pair: Pair) -> Unit:
        """The unit of a sequential audit, after the probe, which finds mechanisms out that only seem reproducible."""
        if not self.sequential:
            return unit
        return with_session(
            unit,
            detect=self.detect,
            file=self.evidence_file,
            pair=pair,
            confidence=self.plan.confidence,
            reproducible=self.subject.reproducible,
            code=self.code,
            hide=dict if self.show_records else without_pair if "d0" in self.data else self._hidden,
        )

    def _hidden(self, witness: Mapping[str, Any]) -> dict[str, Any]:
        return witness_of(witness, self.place)

    def _of_evidence(self, unit: Unit) -> list[str]:
        """Lines on earlier sessions that do not count."""
        if self.code is not None and self.code.unknown:
            return [f"evidence: {NOT_KEPT}: {self.code.unknown}"]
        journals = (getattr(auditor, "journal", None) for auditor in unit.auditors)
        return [journal.anew for journal in journals if journal is not None and journal.anew]

    def _run(self, unit: Unit) -> Row:
        plan = replace(self.plan, units=(unit,))
        try:
            return run_unit(unit, plan, report=self.progress, strict=True, limit=self.limit)
        except DependentError as problem:  # independent draws come here with probability 1e-9 a look
            if self.sequential or not self.subject.one_by_one(problem):
                raise
            return run_unit(unit, plan, report=self.progress, strict=True, limit=self.limit)

    def _finished(self, row: Row, unit: Unit, tell: Telling, *, trials: int) -> Row:
        """The row as users see it: in words, judged by what it could have seen, and without their records."""
        again = tell("the line that makes the audit again", partial(self._again, row, trials), "")
        row = replace(tell("the words of the event", partial(with_meaning, row, self.subject), row), reproduce=again)
        if "d0" in self.data:
            row = with_pair(row, self.place.plain[0])
        row = unless_blind(row, self.subject.blind)
        row = unless_vacuous(row, self.subject, rng=unit.task.stream("ignores data"))
        if self.show_records:
            return row
        hidden = tell("the witness without records of the example", partial(redacted, row, self.place), None)
        return without_witness(row) if hidden is None else hidden

    def _again(self, row: Row, trials: int) -> str:
        """One line that makes the audit again; no record of the user's example is written into it."""
        settings = {**self.settings, **({"trials": trials} if self.seconds is not None else {})}
        shown = self.data if self.show_records else self._shown(row)
        if "data" in self.data and "data" not in shown:  # the pair alone
            settings |= {
                "records": None,
                "bounds": None,
                "unit": None,
                "domain": "example",
                "relation": self.place.relation,
            }
            settings["methods"] = settings["methods"] or ["gate"]
        claim = row.entry.claim.guarantee.text()
        return reproduce_command(self.subject.function, shown, claim=claim, settings=settings)

    def _shown(self, row: Row) -> Mapping[str, Any]:
        """The data for that line: of a refutation its pair, which is made up, where JSON gives the pair back."""
        example, leading = self.data.get("data"), row.verdict.leading
        if "data" not in self.data:
            return self.data
        if leading is None or row.verdict.status is not Status.REFUTED or not isinstance(example, list):
            return {"data": HIDDEN}
        if self.place.shows_records(str(leading.witness.get("pair", ""))):
            return {"data": HIDDEN}
        return {"d0": leading.witness["d0"], "d1": leading.witness["d1"]}
