"""The record as an in-toto Statement with the predicate *Test Result*, version 0.1 (unsigned: sign it as any other).

A test is a claim. It passed where it is certified, or not refuted by an audit that says what it would have caught,
which is no proof; an inconclusive or vacuous one is a warning. A known-broken mechanism is a control: its test is that
it is refuted.

The subject is the files that were audited, with their digests. Audits of one's own code have these in their records,
taken before the audit. Of a built-in suite it is the file that defines the subject, of an installed library its list of
files, each as it is now: a file that was changed after the records were written is refused.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from importlib.resources import files
from pathlib import Path
from typing import Any

from dpverify import __version__
from dpverify.core.errors import InputError
from dpverify.core.json_text import dump
from dpverify.core.plugins import registry
from dpverify.core.read_untrusted import read_bytes
from dpverify.core.record import Record
from dpverify.dossier.runs import ReadRuns
from dpverify.dossier.standing import Standing, control, standing, words
from dpverify.reporting.schema_check import schema_fault

STATEMENT = "https://in-toto.io/Statement/v1"
PREDICATE = "https://in-toto.io/attestation/test-result/v0.1"

RESULTS: Mapping[Standing, str] = {"passed": "PASSED", "warned": "WARNED", "failed": "FAILED"}


def statement(runs: ReadRuns, subjects: Sequence[SubjectFile], against: Sequence[Mapping[str, str]]) -> dict[str, Any]:
    """The statement as plain JSON values.

    `against`: contradictions of the dossier: each is a test that failed.
    """
    tests: dict[Standing, list[str]] = {"passed": [], "warned": [], "failed": []}
    for item in runs.records:
        tests[standing(item)].append(f"{item['id']} (control: is refuted)" if control(item) else item["id"])
    tests["failed"] += [f"declared {each['what']} of {each['id']}" for each in against]
    worst: Standing = "failed" if tests["failed"] else "warned" if tests["warned"] else "passed"
    found = {
        "_type": STATEMENT,
        "subject": [
            {"name": each.name, "digest": {"sha256": each.sha256}, "annotations": {"what": each.what}}
            for each in subjects
        ],
        "predicateType": PREDICATE,
        "predicate": {
            "result": RESULTS[worst],
            "configuration": [_configuration(item, runs.claims[item["id"]]) for item in runs.records],
            "passedTests": tests["passed"],
            "warnedTests": tests["warned"],
            "failedTests": tests["failed"],
        },
    }
    if wrong := schema_fault(found, schema(), at="the statement"):
        raise ValueError(wrong)
    return found


def _configuration(item: Record, claim: str) -> dict[str, Any]:
    """Say how a claim was audited; the digest is that of its record as the run wrote it below ``records/``."""
    return {
        "name": item["id"],
        "digest": {"sha256": hashlib.sha256(dump({**item, "id": claim}).encode()).hexdigest()},
        "mediaType": "application/json",
        "annotations": {
            "claim": item["guarantee"],
            "relation": item["relation"],
            "found": words(item),
            "seed": item["seed"],
            "reproduce": item["reproduce"],
            "dpverify": item["environment"].get("dpverify", __version__),
        },
    }


@cache
def schema() -> dict[str, Any]:
    """The schema of a statement, from the package."""
    text = files(__package__).joinpath("test_result.schema.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


NOW = "its digest was taken when this was written, and by its time of change it is no newer than the records"
BEFORE = "its digest was taken before the audit"


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectFile:
    """One file, under a name that does not depend on the machine; `what` says of what it is, and when it was read."""

    name: str
    sha256: str
    what: str


def subject_files(runs: ReadRuns, given: Sequence[Path]) -> list[SubjectFile]:
    """The files of all subjects but controls, or those that the user gives, each once.

    A consumer finds a statement by its subject's digest alone, so a broken mechanism must not be among them.

    Raises
    ------
    InputError
        For a subject whose file cannot be told, for a file that was changed after the records were written, and where
        two records are of different files of one name.
    """
    if given:
        found = [_now(path.name, path, "the file that was given as the subject", runs) for path in given]
    else:
        found = [each for item in runs.records if not control(item) for each in _files(item, runs)]
    if not found:
        raise InputError("no record but of known-broken mechanisms", allowed="records of what is to be attested")
    made: dict[str, SubjectFile] = {}
    for each in found:
        if made.setdefault(each.name, each).sha256 != each.sha256:
            raise InputError(
                f"two audits of {each.name}, which was another file each time",
                allowed="records of one version",
                remedy="audit all of it again",
            )
    return list(made.values())


def _files(item: Record, runs: ReadRuns) -> Iterator[SubjectFile]:
    """The files of one record's subject."""
    if item.get("files"):
        for name, sha256 in item["files"].items():
            what = f"a file of {item['subject']}, not of what it imports from elsewhere; {BEFORE}"
            yield SubjectFile(name=name, sha256=sha256, what=what)
    elif item.get("library"):
        yield _of_library(item, runs)
    else:
        yield _registered(item, runs)


def _registered(item: Record, runs: ReadRuns) -> SubjectFile:
    """Return the file that defines the subject's class, of a built-in suite or a plug-in."""
    unknown = InputError(
        f"the record of {item['id']} does not say in which file {item['subject']} is",
        allowed="records of `dpverify audit` or `dpverify run`",
        remedy="give it with --subject FILE",
    )
    try:
        made = registry().subject(item["subject"])
    except InputError:
        raise unknown from None
    module = getattr(getattr(made, "func", made), "__module__", "")
    path = getattr(sys.modules.get(module), "__file__", None)
    if path is None:
        raise unknown
    what = f"the module that defines {item['subject']}, not what it imports"
    return _now(f"{module.replace('.', '/')}.py", Path(path), what, runs)


def _of_library(item: Record, runs: ReadRuns) -> SubjectFile:
    name, version = item["library"], item["version"]
    try:
        installed = distribution(name)
    except PackageNotFoundError:
        raise InputError(f"{name} is not installed", allowed=f"{name} {version}, as it was audited") from None
    record = next((each for each in installed.files or () if each.name == "RECORD"), None)
    if installed.version != version or record is None:
        raise InputError(f"{name} {installed.version} is installed", allowed=f"{name} {version}, as it was audited")
    what = f"the installed distribution {name} {version}: its list of files with the digest of each"
    return _now(str(record), Path(str(record.locate())), what, runs)


def _now(name: str, path: Path, what: str, runs: ReadRuns) -> SubjectFile:
    """A file as it is now."""
    try:
        sha256 = hashlib.sha256(read_bytes(path)).hexdigest()
        changed = path.stat().st_mtime > runs.written
    except (OSError, ValueError) as problem:
        said = getattr(problem, "strerror", None) or problem
        raise InputError(f"cannot read the subject {path}: {said}", allowed="a file") from None
    if changed:
        raise InputError(
            f"{path} was changed after the records were written",
            allowed="a subject that is what was audited",
            remedy="audit it again, then attest",
        )
    return SubjectFile(name=name, sha256=sha256, what=f"{what}; {NOW}")
