"""A whole table: which claims, with what share of the false-alarm probability, in watched worker processes.

The false-alarm probability is divided by the number of all claims of the profile, whatever `only` leaves out, so a row
audited alone is the row of the table. What is finished is kept, one line of JSON a claim, and a later session that asks
the same goes on from there.

A row that "stands" was not refuted by these draws, and no more.
"""

from __future__ import annotations

import fnmatch
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from dpverify.adapters.libraries import find_library
from dpverify.adapters.libraries.offered import NotExamined, Offered, Offers, Profile, how_to_install
from dpverify.audits.finding import Finding
from dpverify.code_key.key import folder_key
from dpverify.core.errors import DpverifyError, InputError, one_line
from dpverify.core.record import Extended, Record, as_number
from dpverify.core.verdict import CheckedResult, Status
from dpverify.libraries.beside import Beside, beside
from dpverify.libraries.one_claim import ClaimSettings, audit_claim, entry_of
from dpverify.reporting.formatting import number_down
from dpverify.runner.journal import Journal
from dpverify.runner.limits import Limits
from dpverify.runner.pool import Pool
from dpverify.runner.record import record
from dpverify.runner.row import Row
from dpverify.runner.subprocess_guard import begin_audits, report_progress
from dpverify.shown.mixin import Displayed
from dpverify.shown.view import Dots, View

FALSE_ALARM_RATE = 1e-6
"""Of one whole table."""

TRIALS: dict[Profile, int] = {"quick": 12_000, "full": 400_000}
"""Draws a side of one claim."""

SECONDS: dict[Profile, float] = {"quick": 40.0, "full": 240.0}
"""A claim whose draws would take the processor longer gets fewer."""

LIMIT = 10.0
"""A claim that takes so many times these seconds is stopped."""


ONE_READING = "one reading"

UNFINISHED = "not finished within --max-seconds; --resume goes on with it"
"""The reason of a claim that a session did not come to."""

LEGEND = (
    'stands: not refuted by these draws, which would have caught the value in the column "caught" with 80 % power, '
    "where the pair and the event show it; it is no proof",
    "refuted: a lower bound above the claim, confirmed by a second audit with fresh draws",
    "one reading: refuted under this relation and not under the other; the library does not say which it means",
    "found / MISSED: a twin, broken on purpose, was refuted / was not",
    "inconclusive: the audit could have seen nothing, or was stopped",
)


def word_of(item: Record) -> str:
    """Return the word for a record's verdict."""
    verdict = str(item["verdict"])
    if item["reason"] == UNFINISHED:
        return "unfinished"
    if item["twin"] and verdict != "error":
        return "found" if verdict == "refuted" else "MISSED"
    return {"not_refuted": "stands", "certified": "stands"}.get(verdict, verdict)


def words_of(records: Sequence[Record]) -> list[str]:
    """Return the words for a table's records; a claim refuted under one relation only is "one reading"."""
    readings: dict[str, set[str]] = {}
    for each in records:
        readings.setdefault(each["reading"] or each["id"], set()).add(word_of(each))
    return [
        ONE_READING
        if word_of(each) == "refuted" and readings[each["reading"] or each["id"]] != {"refuted"}
        else word_of(each)
        for each in records
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class LibrarySession:
    """One table of one library."""

    library: str
    version: str
    """`library`, `version`: which, and the installed version."""
    profile: Profile = "quick"
    """The grid, and the seconds of a claim."""
    only: str = "*"
    """A pattern (``fnmatch``) of ids."""
    seed: int = 0
    """Of all that can be seeded."""
    trials: int | None = None
    """Draws a side of each claim, whatever they take; None for the profile's number, and fewer where they are slow."""

    def offers(self) -> Offers:
        """All that the library offers."""
        return _offers(self.library, self.profile)

    def of_profile(self) -> list[Offered]:
        """The claims of the profile."""
        return [each for each in self.offers().claims if self.profile == "full" or each.profile == "quick"]

    def chosen(self) -> list[Offered]:
        """Return the claims that `only` names.

        InputError where there are none.
        """
        found = [each for each in self.of_profile() if fnmatch.fnmatchcase(each.id, self.only)]
        if not found:
            some = ", ".join(dict.fromkeys(each.constructor for each in self.of_profile()))
            raise InputError(
                f"--only {self.only!r} matches no claim of {self.library} {self.version}",
                allowed=f"a pattern of ids, which begin with {some}",
            )
        return found

    def asked(self) -> ClaimSettings:
        """Return what each claim is audited with: its share of the error, draws, seconds, seed."""
        seconds = SECONDS[self.profile]
        return ClaimSettings(
            alpha=FALSE_ALARM_RATE / len(self.of_profile()),
            trials=self.trials or TRIALS[self.profile],
            seconds=None if self.trials else seconds,
            seed=self.seed,
            max_seconds=LIMIT * seconds,
        )

    def reproduce(self, offered: Offered, trials: int | None = None) -> str:
        """The command that audits one claim again."""
        import shlex

        words = ["dpverify", "audit-library", self.library, "--only", offered.id, "--seed", str(self.seed)]
        words += ["--profile", self.profile] if self.profile != "quick" else []
        words += ["--trials", str(trials)] if trials else []
        return shlex.join(words)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class LibraryResult(CheckedResult, Displayed):
    """The result of a session.

    Attributes
    ----------
    session : LibrarySession
    records : tuple of dict
        One a claim, in the order of the library's offers.
    not_examined, aside : tuple of NotExamined
        Constructors without a row, and why.
    constructors : tuple of str
        All that were found by looking.
    seconds : float
        By the clock.
    recorded : str
        What is recorded of the library's noise.
    accounts : tuple of Beside
        The library's accountants beside ours, in a whole table.
    """

    session: LibrarySession
    records: tuple[Record, ...]
    not_examined: tuple[NotExamined, ...]
    aside: tuple[NotExamined, ...]
    constructors: tuple[str, ...]
    seconds: float
    recorded: str
    accounts: tuple[Beside, ...] = ()

    @property
    def verdict(self) -> Status:
        """The verdict on all claims and twins; ``error`` where a twin that is broken on purpose was not found."""
        words = set(words_of(self.records))
        if "refuted" in words:
            return Status.REFUTED
        if words & {"MISSED", "error", "unsupported"}:
            return Status.ERROR
        return Status.INCONCLUSIVE if words & {"inconclusive", "unfinished"} or not words else Status.NOT_REFUTED

    def finding_line(self) -> str:
        """The claims of each verdict but "stands", by name."""
        named = [
            f"{word}: {item['id']}"
            for item, word in zip(self.records, words_of(self.records), strict=True)
            if word not in ("stands", "found")
        ]
        return f"{self.session.library} {self.session.version}: {'; '.join(named) or 'nothing was audited'}"

    def record(self) -> list[Record]:
        """Plain values for JSON: one record a claim."""
        return list(self.records)

    def __repr__(self) -> str:
        words = words_of(self.records)
        told = ", ".join(f"{words.count(word)} {word}" for word in dict.fromkeys(words))
        return f"{self.session.library} {self.session.version}, claims and twins: {told}"

    def view(self) -> View:
        """The view has a row for each claim, and says what was not examined."""
        words = words_of(self.records)
        rows = [
            (item["id"], item["guarantee"], word, "-" if item["bound"] is None else number_down(item["bound"]))
            for item, word in zip(self.records, words, strict=True)
        ]
        return View(
            title=f"{self.session.library} {self.session.version}",
            facts=[(word, str(words.count(word))) for word in dict.fromkeys(words)],
            table=(("claim", "claimed", "verdict", "at least"), *rows),
            dots=Dots(
                x="loss, each in the measure of its claim",
                marks=("claimed", "shown, at least"),
                rows=[(item["id"], (_dot(item["claimed"]), _dot(item["bound"]))) for item in self.records],
            ),
            notes=[*(f"not examined: {each.constructor}: {each.reason}" for each in self.not_examined), *LEGEND],
        )


def run(
    session: LibrarySession,
    *,
    jobs: int = 1,
    memory: int | None = None,
    kept: Path | None = None,
    resume: bool = False,
    max_seconds: float | None = None,
    seen: Callable[[Record, int, int], None] | None = None,
) -> LibraryResult:
    """Audit the chosen claims.

    Parameters
    ----------
    jobs : int
        Worker processes; no number depends on it.
    memory : int or None
        Bytes that a worker may take.
    kept : path or None
        The file of finished claims.
    resume : bool
        Take what is in that file for finished, where it was asked the same.
    max_seconds : float or None
        For the whole session; claims that are left then are inconclusive, and `resume` goes on with them.
    seen : callable or None
        ``seen(record, done, total)`` after each claim.
    """
    begun, chosen, asked = time.perf_counter(), session.chosen(), session.asked()
    journal = Journal(
        kept,
        settings=json.dumps([session.library, session.version, asdict(asked)], sort_keys=True),
        code=folder_key(find_library(session.library).module),
        name=session.library,
        resume=resume,
    )
    records = {name: made for name, made in journal.known().items() if made["verdict"] != "error"}
    places = [place for place, each in enumerate(chosen) if each.id not in records]
    ids = tuple(each.id for each in chosen)
    deadline = None if max_seconds is None else time.monotonic() + max_seconds
    limits = Limits(seconds=max_seconds, seconds_per_claim=2.0 * asked.max_seconds, memory=memory)
    work = partial(audit_there, session.library, session.profile, ids, asked)
    if places:
        with Pool(work, jobs=min(jobs, len(places)), limits=limits) as pool:
            for place, found, problem in pool.run(places, deadline=deadline):
                made = record_of(session, chosen[place], found, problem, asked)
                records[chosen[place].id] = made
                journal.keep(made["id"], made)
                if seen is not None:
                    seen(made, len(records), len(chosen))
    for each in chosen:
        if each.id not in records:
            records[each.id] = record_of(session, each, {"unfinished": UNFINISHED}, "", asked)
    offers = session.offers()
    return LibraryResult(
        session=session,
        records=tuple(records[each.id] for each in chosen),
        not_examined=offers.not_examined,
        aside=offers.aside,
        constructors=offers.constructors,
        seconds=time.perf_counter() - begun,
        recorded=find_library(session.library).recorded,
        accounts=tuple(beside(find_library(session.library))) if session.only == "*" else (),
    )


@cache
def _offers(library: str, profile: Profile) -> Offers:
    found = find_library(library)
    version = found.version()
    try:
        return found.offers(profile)
    except ImportError as problem:
        raise InputError(
            f"{library} {version} cannot be imported here: {one_line(str(problem))}",
            allowed="a library that is installed with all that it needs",
            remedy=how_to_install(found.package, found.extra),
        ) from None


@cache
def _by_id(library: str, profile: Profile) -> dict[str, Offered]:
    return {each.id: each for each in _offers(library, profile).claims}


def audit_there(library: str, profile: Profile, ids: Sequence[str], asked: ClaimSettings, place: int) -> dict[str, Any]:
    """Audit one claim in a worker; the plain values make the row again."""
    from dpverify.suite_file.warm import warm

    offered = _by_id(library, profile)[ids[place]]
    warm()
    entry = entry_of(offered, library=library, version=find_library(library).version())
    begin_audits()
    begun, worked = time.perf_counter(), time.process_time()
    try:
        finding = audit_claim(offered, entry, asked, progress=report_progress)
    except DpverifyError as problem:
        taken = {"seconds": time.perf_counter() - begun, "cpu": time.process_time() - worked}
        return {"problem": one_line(str(problem)), **taken}
    finding = replace(finding, row=replace(finding.row, seconds=time.perf_counter() - begun))
    return {**finding.values(), "cpu": time.process_time() - worked}


def record_of(session: LibrarySession, offered: Offered, found: Any, problem: str, asked: ClaimSettings) -> Record:
    """The record of one claim, from what its worker sent (`audit_there`), or from why it sent nothing."""
    entry = entry_of(offered, library=session.library, version=session.version)
    if found is not None and "unfinished" in found:
        finding = Finding.without_evidence(entry, Status.INCONCLUSIVE, UNFINISHED, seed=asked.seed)
    elif found is None or "problem" in found:
        reason = problem if found is None else str(found["problem"])
        seconds = 0.0 if found is None else float(found["seconds"])
        finding = Finding.without_evidence(entry, Status.ERROR, reason, seed=asked.seed, seconds=seconds)
    else:
        finding = Finding.of_values(found, entry)
    row = replace(finding.row, reproduce=session.reproduce(offered, finding.draws or asked.trials))
    return record(row) | {
        "notes": [*map(str, finding.notes), *offered.notes],
        "library": session.library,
        "version": session.version,
        "constructor": offered.constructor,
        "claimed_by": offered.source,
        "twin": offered.twin or None,
        "reading": offered.reading or None,
        "report": _reported(session.library, row),
        "reproducible": finding.reproducible,
        "cpu_seconds": round(float(found["cpu"]), 3) if found is not None and "cpu" in found else None,
    }


def without_pictures(made: Record) -> Record:
    """The record without the points of its trade-off pictures, which are most of it; no bound needs them."""
    return {**made, "evidence": [{**each, "picture": {}} for each in made["evidence"]]}


def _reported(library: str, row: Row) -> str | None:
    """The public report of a refuted row, where the library's file knows one."""
    if row.verdict.status is not Status.REFUTED or row.entry.expectation != "stands":
        return None
    known = find_library(library).reports
    return next((said for pattern, said in known.items() if fnmatch.fnmatchcase(row.id, pattern)), None)


def _dot(value: Extended) -> float | None:
    return None if value is None else as_number(value)
