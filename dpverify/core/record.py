"""The record of a row as plain JSON values, typed as ``dpverify/reporting/record.schema.json`` describes it.

Infinities are the texts "inf" and "-inf", and absent numbers are None. A record that comes from a file has been held
against the schema; older ones lack some of the fields that are not required there. A report format writes them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NotRequired, Protocol, TypedDict, runtime_checkable

Extended = float | str | None
"""A number of a record: "inf" and "-inf" are infinite."""


def as_number(value: Extended) -> float:
    """The number; NaN where there is none."""
    return math.nan if value is None else float(value)


class MeasureRecord(TypedDict):
    """The point of the claim that was measured."""

    kind: str
    argument: float | None
    claimed: Extended


class EvidenceRecord(TypedDict):
    """One piece of evidence, with all that is needed to compute its bound again."""

    auditor: str
    version: str
    says: str
    measure: MeasureRecord
    bound: Extended
    excess: Extended
    confidence: float | None
    error: Extended
    proved: bool
    coverage: str
    estimate: Extended
    detectable: Extended
    ceiling: Extended
    trials: int
    seconds: float
    statistics: dict[str, Any]
    witness: dict[str, Any]
    picture: dict[str, Any]


class ProofRecord(TypedDict):
    """An upper bound that was derived from the code, and its certificate, which can be checked without the code."""

    parameter: str
    """Of the claim's kind: ``epsilon``, ``mu``, ``rho``."""
    upper: float
    """The code costs no more."""
    claim: str
    """What is proved of it."""
    domain: str
    relation: str
    """`domain`, `relation`: for which records, and under which neighbours."""
    rests_on: list[str]
    """What nobody has proved."""
    digest: str
    """SHA-256 of the certificate."""
    certificate: dict[str, Any]


class PublishedRecord(TypedDict):
    """The bound that others published for the claim."""

    truth: Extended
    bound: float
    tool: str
    seconds: float
    due: float


class ClaimRecord(TypedDict):
    """A record says this of its claim."""

    id: str
    source: str
    statement: str
    guarantee: str
    subject: str
    parameters: dict[str, Any]
    relation: str
    space: dict[str, Any]


class Record(ClaimRecord):
    """One audited claim; what is not required is of some entries only."""

    schema: int
    verdict: str
    reason: str
    method: str | None
    measure: str
    bound: Extended
    claimed: Extended
    tightness: Extended
    excess: Extended
    confidence: float | None
    error: Extended
    proved: bool | None
    estimate: Extended
    detectable: Extended
    ceiling: Extended
    rarest: NotRequired[float | None]
    witness: dict[str, Any] | None
    trials: int
    seconds: float
    seed: int
    reproduce: str
    expectation: str | None
    surprise: str | None
    evidence: list[EvidenceRecord]
    environment: dict[str, str]
    published: NotRequired[PublishedRecord]
    proof: NotRequired[ProofRecord]
    risk: NotRequired[dict[str, Any]]
    attack: NotRequired[dict[str, Any]]
    notes: NotRequired[list[str]]
    files: NotRequired[dict[str, str]]
    subject_version: NotRequired[dict[str, str]]
    location: NotRequired[dict[str, Any]]
    accepted: NotRequired[dict[str, str]]
    code: NotRequired[dict[str, Any]]
    remark: NotRequired[dict[str, Any] | None]
    ledger: NotRequired[dict[str, Any]]
    library: NotRequired[str]
    version: NotRequired[str]
    constructor: NotRequired[str]
    claimed_by: NotRequired[str]
    twin: NotRequired[str | None]
    reading: NotRequired[str | None]
    report: NotRequired[str | None]
    reproducible: NotRequired[bool]
    cpu_seconds: NotRequired[float | None]


@runtime_checkable
class Writer(Protocol):
    """One report format."""

    @property
    def name(self) -> str:
        """Format name as ``--format`` takes it."""
        ...

    def write(self, results: Iterable[Any], folder: Any, *, title: str) -> Any:
        """Write the report below `folder` (complete or not at all) and return the path."""
        ...
