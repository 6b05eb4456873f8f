"""What tests of lemmas share: an audit of any subject in any box, and the claims as the registry has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from auditors.accounting.lemma import LemmaAuditor
from dpverify.core.auditing import Task
from dpverify.core.claim import Claim, SearchSpace, Source
from dpverify.core.evidence import Evidence
from dpverify.core.plugins import registry
from dpverify.core.verdict import Status, judge
from dpverify.datasets.neighbors.numbers import Numbers
from dpverify.definitions.number_bounds import UpperBound
from dpverify.sampling.streams import stream


def _examine(claim: Claim, subject: Callable[..., Any], effort: float) -> Evidence:
    task = Task(
        claim=claim,
        build=lambda **searched: subject(**{**claim.parameters, **searched}),
        neighbors=Numbers(),
        alpha=0.5,
        trials=1,
        stream=lambda *names: stream(0, claim.id, *names),
        effort=effort,
    )
    auditor = LemmaAuditor()
    assert auditor.refuses(task) is None
    return auditor.audit(task)


@pytest.fixture(scope="session")
def audit() -> Callable[..., Evidence]:
    """``audit(subject, boxes, parameters, effort=0.2)``: the auditor's evidence on a subject of the test's own."""

    def run(
        subject: Callable[..., Any],
        boxes: dict[str, tuple[float, float]],
        parameters: dict[str, Any] | None = None,
        *,
        effort: float = 0.2,
    ) -> Evidence:
        claim = Claim(
            id="toy",
            guarantee=UpperBound(quantity="number"),
            relation="numbers",
            subject="toy",
            source=Source(paper="toy", locus="1"),
            parameters=parameters or {},
            space=SearchSpace(parameters=boxes),
        )
        return _examine(claim, subject, effort)

    return run


def _examined(
    name: str, subject: Callable[..., Any] | None = None, *, effort: float = 0.1, **settings: Any
) -> Evidence:
    known = registry()
    claim = known.entries.get(name).claim
    build = subject or known.subject(claim.subject)
    task = Task(
        claim=claim,
        build=lambda **searched: build(**{**claim.parameters, **settings, **searched}),
        neighbors=Numbers(),
        alpha=0.5,
        trials=1,
        stream=lambda *names: stream(0, claim.id, *names),
        effort=effort,
    )
    auditor = LemmaAuditor()
    assert auditor.refuses(task) is None
    return auditor.audit(task)


@pytest.fixture(scope="session")
def examined() -> Callable[..., Evidence]:
    """``examined("BL-SPLIT", subject=None, effort=0.1, **settings)``: a lemma of the ledger audited, maybe of another
    subject or with other settings."""
    return _examined


@pytest.fixture(scope="session")
def status() -> Callable[..., Status]:
    """The verdict of the same."""
    return lambda *names, **more: judge(_examined(*names, **more))


def _proved_as_floats(subject: Any, *, rel: float) -> None:
    proof = subject.proved_ratio()
    assert proof is not None
    assert proof.proved
    assert subject.truth().value / subject.printed().value == pytest.approx(proof.value, rel=rel)


@pytest.fixture(scope="session")
def proved_as_floats() -> Callable[..., None]:
    """``proved_as_floats(subject, rel=1e-7)``: its proved ratio is the one of its floating-point values."""
    return _proved_as_floats
