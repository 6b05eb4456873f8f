"""Audits a claim again at one saved failure, in a watched process: new draws on that pair alone.

The claim is found by its id: an audit of the suite file, else a claim of a built-in suite; else it is of the mechanism
or program that it names, if the user named the same one: no file alone has code imported or run. The goal of the audit
is to detect a violation as large as the recorded one.

Saved failures are the files of a folder of them, or the refuted records of a run.
"""

from __future__ import annotations

import gc
import json
import math
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from dpverify.adapters.named_callable import load_callable
from dpverify.adapters.time_limit import TimeLimit
from dpverify.audits.asked import Asked
from dpverify.audits.callable_audit import CallableAudit
from dpverify.audits.question import Question
from dpverify.audits.settle import settle
from dpverify.core.claim import Claim, Source
from dpverify.core.errors import AuditError, DpverifyError, InputError, one_line
from dpverify.core.read_untrusted import read_text
from dpverify.core.record import Record
from dpverify.core.registry import Registry
from dpverify.core.subjects import Pair
from dpverify.core.suite import SuiteEntry
from dpverify.core.verdict import Status, Verdict, decide
from dpverify.datasets.examples.container import from_word
from dpverify.datasets.neighbors.fixed_pair import FixedPair
from dpverify.datasets.neighbors.of_example import OfExample
from dpverify.definitions.grammar import parse_guarantee
from dpverify.neighbourhood.neighbourhood import Neighbourhood
from dpverify.neighbourhood.redact import REDACTED
from dpverify.programs.command import PROGRAM, Command
from dpverify.reporting.checked_records import DIFFERS, contradiction
from dpverify.reporting.read_records import RESULTS, read_records, records_of_schema
from dpverify.runner.memory import limit_files, limit_memory_with_children, share_of_machine
from dpverify.runner.plan import make_plan
from dpverify.runner.recheck_printed import printed_evidence
from dpverify.runner.record import record
from dpverify.runner.regression_replay import task_at
from dpverify.runner.regressions import COMMAND, Regression, load, restored
from dpverify.runner.row import Row, rarest_of
from dpverify.runner.store.store import NAME
from dpverify.runner.watched_process import WatchedProcess
from dpverify.saved_failures.outcome import Outcome, outcome_of
from dpverify.suite_file.audit_entry import arguments, importing, mechanism_of
from dpverify.suite_file.entry import Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrySettings:
    """The settings with which saved failures are audited again."""

    known: Registry
    """Of built-in suites and auditors."""
    declared: Mapping[str, tuple[Entry, Asked]] = field(default_factory=dict)
    """The audits of a suite file, by name, with all that is asked of them."""
    seconds: float
    """About so long each audit may take."""
    alpha: float
    """The probability to refute a true claim, of each."""
    seed: int
    """Of every audit."""
    mechanisms: frozenset[str] = frozenset()
    """The callables that the user named, by which failures of theirs are tried."""
    command: Command | None = None
    """The program that failures of this command are tried on."""

    def unnamed(self, saved: Regression) -> str:
        """The option by which the user would name what this failure is of; empty where nothing is missing."""
        known = saved.claim in self.declared or saved.claim in self.known.entries
        if known or not (saved.mechanism and saved.guarantee):
            return ""
        text = saved.mechanism.removeprefix(COMMAND)
        if text != saved.mechanism:
            return "" if self.command and self.command.text == text else f"--command {shlex.quote(text)}"
        return "" if text in self.mechanisms else f"--mechanism {shlex.quote(text)}"

    def outcome(self, saved: Regression) -> Outcome:
        """Say what became of one failure; whatever goes wrong is its one line."""

        def work() -> Record:
            gc.freeze()
            limit_memory_with_children(share_of_machine())
            limit_files()
            return record(self._row(saved))

        try:
            found = outcome_of(self._again(WatchedProcess(work).result(), saved), saved)
            return replace(found, why=one_line(found.why))
        except DpverifyError as problem:
            return Outcome(claim=saved.claim, file=saved.file, says="error", why=one_line(str(problem)))

    def _again(self, item: Any, saved: Regression) -> Verdict:
        """The verdict that follows from the counts in a record; the process that made it ran the mechanism."""
        (item,) = records_of_schema([item], "what the audit's process sent")
        claim = self._claim(saved)
        if fault := contradiction(item, exact=True, powers=True):
            raise AuditError(f"{DIFFERS}: {fault}")
        if claim.guarantee.text() != item["guarantee"]:
            raise AuditError(f"{DIFFERS}: it is of {item['guarantee']}, and {claim.guarantee.text()} was asked")
        evidence = tuple(printed_evidence(claim.id, part) for part in item["evidence"])
        return Verdict(claim=claim, status=Status(item["verdict"]), evidence=evidence, reason=item["reason"])

    def _claim(self, saved: Regression) -> Claim:
        """Return the claim as whoever is asked about it states it."""
        if saved.claim not in self.declared and saved.claim in self.known.entries:
            return self.known.entries.get(saved.claim).claim
        text = self.declared[saved.claim][0].claim if saved.claim in self.declared else saved.guarantee
        guarantee = parse_guarantee(text, dict(self.known.definitions.items()))
        source = Source(paper="user", locus="")
        return Claim(
            id=saved.claim, guarantee=guarantee, relation=saved.relation, subject=saved.mechanism, source=source
        )

    def _row(self, saved: Regression) -> Row:
        if saved.d0 is None or saved.d1 is None:
            raise InputError(
                "the pair is not in the record", allowed="a recorded pair", remedy="run the audit itself again"
            )
        if saved.claim in self.declared:
            return self._declared(saved, *self.declared[saved.claim])
        if saved.claim in self.known.entries:
            return self._of_suite(saved, self.known.entries.get(saved.claim))
        return self._by_name(saved)

    def _declared(self, saved: Regression, entry: Entry, asked: Asked) -> Row:
        """An audit of the suite file, on the saved failure alone."""
        with importing(entry):
            words = {**arguments(entry), **self._words(saved, entry.claim)}
            if "data" not in words:  # the suite file has a pair, which may have changed since
                words |= {side: restored(getattr(saved, side), words[side]) for side in ("d0", "d1")}
            question = replace(asked.question(mechanism_of(entry), **words), regressions=None)
            return _on_pair(settle(question), saved, question.data).look().row

    def _by_name(self, saved: Regression) -> Row:
        """A mechanism or program that the user named, on the saved failure as it stands."""
        if not (saved.mechanism and saved.guarantee):
            raise InputError(
                f"nobody knows the claim {saved.claim!r}",
                allowed="an audit of dpverify.toml, a claim of a built-in suite, or a recorded package.module:callable",
                remedy="declare the audit in dpverify.toml",
            )
        if unnamed := self.unnamed(saved):
            raise InputError("nobody but the file names it", allowed="what the user names", remedy=f"add {unnamed}")
        d0, d1 = (from_word(side, saved.form) for side in (saved.d0, saved.d1))
        words = self._words(saved, saved.guarantee) | {"claim": saved.guarantee, "methods": ["gate"]}
        program = self.command if saved.mechanism.startswith(COMMAND) else None
        function = program or load_callable(saved.mechanism)
        return settle(Question(function, d0, d1, relation=saved.relation or None, **words)).look().row

    def _of_suite(self, saved: Regression, entry: SuiteEntry) -> Row:
        """A claim of a built-in suite, by the auditor that refuted it."""
        plan = make_plan(
            self.known,
            [entry],
            suite="replay",
            profile="full",
            seed=self.seed,
            confidence=1.0 - self.alpha,
            trials=None,
            methods=(saved.auditor,) if saved.auditor in self.known.auditors else None,
        )
        (unit,) = plan.units
        with TimeLimit(seconds=self._longest):
            task = task_at(unit.task, saved)
            found = [auditor.audit(task) for auditor in unit.auditors]
        verdict = decide(entry.claim, found, unsupported="; ".join(unit.refusals))
        rarest = rarest_of(entry.claim.guarantee, verdict.evidence)
        return Row(entry=entry, verdict=verdict, seconds=0.0, seed=self.seed, reproduce="", rarest=rarest)

    def _words(self, saved: Regression, claim: str) -> dict[str, Any]:
        """Return the settings that all audits of callables have."""
        words = {"seconds": self.seconds, "seed": self.seed, "confidence": 1.0 - self.alpha}
        return words | {"max_seconds": self._longest, "detect": _factor(saved, claim, self.known)}

    @property
    def _longest(self) -> float:
        return 4.0 * self.seconds + 60.0


def _factor(saved: Regression, claim: str, known: Registry) -> float | None:
    """The recorded violation as a factor of the claimed value; None where it has none."""
    headline = parse_guarantee(claim, dict(known.definitions.items())).measures()[0]
    if saved.bound is None or not 0.0 < headline.claimed < saved.bound < math.inf or saved.measure != headline.label():
        return None
    return saved.bound / headline.claimed


def _on_pair(one: CallableAudit, saved: Regression, example: Any) -> CallableAudit:
    """The audit on the saved failure alone; InputError where it lies outside what is assumed of the data."""
    generator = one.place.generator
    if not isinstance(generator, OfExample):  # it is settled on the saved failure already
        return one
    d0, d1 = (restored(side, example) for side in (saved.d0, saved.d1))
    if (reason := generator.check(d0, d1) or generator.outside(d0, d1)) is not None:
        raise InputError(f"the pair of {saved.file}", allowed=f"neighbours that the audit is about: {reason}")
    label = f"saved in {saved.file}"
    pair = FixedPair(d0=d0, d1=d1, relation=generator.relation, generator=generator, label=label)
    place = Neighbourhood(
        generator=pair, plain=(Pair(d0=d0, d1=d1),), inferred=one.place.inferred, assumed=one.place.assumed
    )
    units = tuple(replace(unit, task=replace(unit.task, neighbors=pair)) for unit in one.plan.units)
    return replace(one, place=place, plan=replace(one.plan, units=units))


def saved_failures(path: Path) -> list[Regression]:
    """The failures at a path, in the order of their names: a folder of saved failures, or whatever holds records.

    Raises
    ------
    InputError
        One line for a path with nothing to read, and for a malformed file.
    """
    if not path.exists():
        raise InputError(
            f"no file or folder {path}", allowed="a folder of saved failures, reports of a run, its store, or a record"
        )
    if path.is_dir() and not any(path.iterdir()):
        return []
    if path.is_dir() and not (path / RESULTS).is_file() and not (path / NAME).is_file() and _holds_pairs(path):
        return load(path)
    refuted = [each for each in read_records(path) if each["verdict"] == Status.REFUTED]
    return [_of_record(each) for each in refuted if each.get("expectation") != "broken"]


def _holds_pairs(folder: Path) -> bool:
    """Tell whether the first JSON file there is a saved failure; one that cannot be read is left to its reader."""
    first = min(folder.glob("*.json"), default=None)
    if first is None:
        return False
    try:
        content = json.loads(read_text(first))
    except (OSError, ValueError):
        return True
    return (isinstance(content, dict) and "guarantee" not in content) or ("claimed" in content and "d0" in content)


def _of_record(record: Record) -> Regression:
    """A failure as a record of a run has it; where its pair is not in the record, the pair is empty."""
    witness = record["witness"] or {}
    bound, names = record["bound"], (str(record["subject"]), str(record["id"]))
    program = str(record["source"]) == Source(paper="user", locus=PROGRAM).text()
    d0, d1 = (None if witness.get(side) == REDACTED else witness.get(side) for side in ("d0", "d1"))
    return Regression(
        claim=str(record["id"]),
        auditor=str(record["method"]),
        d0=d0,
        d1=d1,
        parameters=witness.get("parameters") or {},
        event=str(witness.get("event") or ""),
        seed=record["seed"],
        guarantee=str(record["guarantee"]),
        relation=str(record["relation"]),
        mechanism=f"{COMMAND}{names[0]}" if program else next((name for name in names if ":" in name), ""),
        measure=str(record["measure"]),
        bound=None if bound is None else float(bound),
    )
