"""The record as an in-toto Statement with the predicate *Test Result*, version 0.1 (unsigned: sign it as any other).

A test is a claim. It passed where it is certified, or not refuted by an audit that says what it would have caught,
which is no proof; an inconclusive or vacuous one is a warning. A known-broken mechanism is a control: its test is that
it is refuted.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from dpverify import __version__
from dpverify.core.json_text import dump
from dpverify.core.record import Record
from dpverify.dossier.runs import ReadRuns
from dpverify.dossier.standing import Standing, control, standing, words
from dpverify.dossier.subject_files import SubjectFile
from dpverify.reporting.schema_check import schema_fault

STATEMENT = "https://in-toto.io/Statement/v1"
PREDICATE = "https://in-toto.io/attestation/test-result/v0.1"

RESULTS: Mapping[Standing, str] = {"passed": "PASSED", "warned": "WARNED", "failed": "FAILED"}


def statement(runs: ReadRuns, subjects: Sequence[SubjectFile], against: Sequence[Mapping[str, str]]) -> dict[str, Any]:
    """The statement as plain JSON values.

    Parameters
    ----------
    against : sequence
        Contradictions of the dossier: each is a test that failed.
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
