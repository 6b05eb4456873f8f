"""Records that somebody hands us, checked before a number of theirs is printed: by `recheck`, `report` and `dossier`.

Each row is rechecked (`dpverify.runner.recheck`). Rows are held against the ``summary.json`` that was written beside
them, and against their own files below ``records/``. All of it comes from one sender: that rows were left out or
relabelled everywhere alike is found only by a digest that was obtained elsewhere, or by a rerun.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, cast

from dpverify.core.errors import DpverifyError, InputError
from dpverify.core.plugins import has_others, own_registry, registry
from dpverify.core.read_untrusted import parse_json, read_bytes, read_text
from dpverify.core.record import Record
from dpverify.core.registry import Registry
from dpverify.core.suite import SuiteEntry
from dpverify.definitions.grammar import parse_guarantee
from dpverify.reporting.facts import SUMMARY, facts
from dpverify.reporting.read_records import LARGEST, RESULTS, read_records
from dpverify.runner.recheck import RecheckedRecord, recheck
from dpverify.runner.recheck_row import shown

REPEATED = ("subject", "version", "seed", "confidence")
"""Facts of a summary that follow from its rows, whoever reads them."""

DIFFERS = "the process that ran the mechanism reports a verdict that its counts do not give"


class TamperedError(DpverifyError):
    """Records that contradict themselves: no number of theirs is printed; the message says the first contradiction."""

    exit_status = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordCheck:
    """The result of checking one place."""

    rows: tuple[RecheckedRecord, ...]
    """Each row by itself."""
    faults: tuple[str, ...] = ()
    """What the files beside the rows say otherwise."""
    beside: tuple[str, ...] = ()
    """With which files they were compared."""
    digest: str = ""
    """SHA-256 of the file that was read; empty of a store or a folder of records."""

    def first_fault(self) -> str:
        """The first contradiction in one line; empty where there is none."""
        if self.faults:
            return self.faults[0]
        return next((f"{row.id}: {fault}" for row in self.rows if (fault := row.first_fault())), "")


def looked_at(record: Record, known: Registry, *, powers: bool = False) -> RecheckedRecord:
    """One record, rechecked by what is registered; with `powers`, the numbers beside its bounds, too."""
    found = recheck(
        record,
        read=partial(parse_guarantee, definitions=known.definitions.mapping()),
        auditors=known.auditors.mapping(),
        powers=known.powers.mapping() if powers else None,
        neighbors=[generator for _, generator in known.neighbors.items()],
    )
    entry = entry_of(record, known)
    said = record.get("expectation")
    if entry is None or said == entry.expectation:
        return found
    fault = f"expectation is printed as {said}, and the suites of dpverify say {entry.expectation}"
    return replace(found, faults=(*found.faults, fault))


def entry_of(record: Record, known: Registry) -> SuiteEntry | None:
    """Return what a built-in suite declares of the record's claim; None of a claim that none has."""
    if "location" in record or record["id"] not in known.entries:  # of a suite file
        return None
    entry = known.entries.get(record["id"])
    own = entry.claim.subject, entry.claim.guarantee.text()
    return entry if own == (record["subject"], record["guarantee"]) else None


def contradiction(record: Record, *, pooled: bool = False, exact: bool = False, powers: bool = False) -> str:
    """Why the verdict of an audit that was just made does not follow from its counts; empty where it does.

    No code of other plug-ins is imported: evidence of their methods stands as it is. With `pooled`, so does evidence
    that rests on earlier sessions, whose counts no record has; and with `exact`, evidence that draws nothing. With
    `powers`, detectable values are computed again, too.
    """
    known = own_registry()
    try:
        kept = {name: value for name, value in record.items() if name != "rarest"}
        found = looked_at(cast("Record", kept), known, powers=powers)
    except DpverifyError as problem:
        return str(problem)
    decided = record["verdict"] not in ("inconclusive", "error", "unsupported")  # else nothing rests on counts
    lacking = [each for each in found.looked if each.says == "lacks" and decided and not pooled]
    theirs = bool(lacking) and all(each.evidence.auditor not in known.auditors for each in lacking) and has_others()
    unasked = [] if exact else [each for each in found.looked if each.says == "exact"]
    told = [found.first_fault(), *(each.told for each in lacking if not theirs)]
    told += [f"{each.evidence.auditor} draws nothing, and was not asked" for each in unasked]
    return next(filter(None, told), "")


def checked_records(records: Sequence[Record], where: Path | None = None) -> RecordCheck:
    """Check records, and the files that were written with them where `where` is the path that they were read from."""
    known = registry()
    rows = tuple(looked_at(item, known, powers=True) for item in records)
    file = None if where is None else _whole_file(where)
    if file is None:
        return RecordCheck(rows=rows)
    digest = hashlib.sha256(read_bytes(file, largest=LARGEST)).hexdigest()
    if file.name != RESULTS:
        return RecordCheck(rows=rows, digest=digest)
    faults, beside = [], []
    for name, compare in ((SUMMARY, _against_summary), ("records", _against_files)):
        if (file.parent / name).exists():
            beside.append(name)
            faults += compare(records, file.parent / name)
    return RecordCheck(rows=rows, faults=tuple(faults), beside=tuple(beside), digest=digest)


def require_agreement(records: Sequence[Record], where: Path) -> None:
    """Check the records of one place before they are printed.

    Raises
    ------
    TamperedError
        Where they contradict themselves or the files beside them, or a verdict rests on a method without counts that
        nobody here knows.
    """
    found = checked_records(records, where)
    unknown = (each for row in found.rows for each in row.looked if each.says == "lacks")
    exact = (f"{each.evidence.claim}: {each.told}" for each in unknown if each.evidence.confidence is None)
    if fault := found.first_fault() or next(exact, ""):
        raise TamperedError(
            f"the records in {where} contradict themselves: {fault}; `dpverify recheck {where}` says all"
        )


def require_digest(found: RecordCheck, expected: str, where: Path) -> None:
    """Compare the digest of the file with one that was obtained elsewhere.

    Raises
    ------
    InputError
        For what is no digest, and where several files were read.
    TamperedError
        Where it is another file.
    """
    text = expected.lower().removeprefix("sha256:")
    if len(text) != 64 or set(text) - set("0123456789abcdef"):
        raise InputError(f"--expect-digest {shown(expected)}", allowed="the 64 hexadecimal digits of a SHA-256")
    if not found.digest:
        raise InputError(f"--expect-digest of {where}", allowed=f"one file, such as {RESULTS}, or a folder that has it")
    if text != found.digest:
        raise TamperedError(f"{where} has the digest {found.digest}, and {text} was expected: it is another file")


def _whole_file(where: Path) -> Path | None:
    """The one JSON file that is read of this path; None of a store or of a folder of records."""
    if where.is_dir():
        return where / RESULTS if (where / RESULTS).is_file() else None
    return where if where.suffix == ".json" else None


def _against_summary(records: Sequence[Record], path: Path) -> list[str]:
    try:
        said = parse_json(read_text(path, largest=LARGEST))
        told, about = said["verdicts"], said["facts"]
        verdicts = Counter({str(name): int(count) for name, count in told.items()})
        named = {str(name): str(text) for name, text in about.items()}
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return [f"{SUMMARY} cannot be read as the head of a run"]
    found = []
    counted = Counter(str(item["verdict"]) for item in records)
    if +verdicts != counted:
        found.append(f"{SUMMARY} says {_tally(verdicts)}, and the rows are {_tally(counted)}")
    own = dict(facts(records))
    found += [
        f"{SUMMARY} says {name} {shown(named[name])}, and the rows say {shown(own.get(name, 'nothing'))}"
        for name in REPEATED
        if name in named and named[name] != own.get(name)
    ]
    return found


def _tally(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in sorted(counts.items()) if count) or "none"


def _against_files(records: Sequence[Record], folder: Path) -> list[str]:
    """Rows whose own file says otherwise; files of rows that another run left there say nothing."""
    try:
        own = read_records(folder)
    except DpverifyError as problem:
        return [f"records/ cannot be read: {problem}"]
    by: dict[str, list[Any]] = {}
    for item in own:
        by.setdefault(str(item["id"]), []).append(item)
    return [
        f"records/ has another row of {item['id']}"
        for item in records
        if item["id"] in by and item not in by[item["id"]]
    ]
