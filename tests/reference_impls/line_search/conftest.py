"""A small labelled table, rows in the unit ball, made without a seed; a ledger claim on a subject of choice; proofs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from auditors.accounting.lemma import LemmaAuditor
from dpverify.core.auditing import Task
from dpverify.core.evidence import Evidence
from dpverify.core.plugins import registry
from dpverify.core.verdict import Status, judge
from dpverify.datasets.neighbors.numbers import Numbers
from dpverify.datasets.table import Table
from dpverify.sampling.streams import stream


@pytest.fixture(scope="session")
def small() -> Table:
    """Thirty records, three columns; the labels can nearly be told apart."""
    at = np.arange(30.0)
    features = np.stack([np.sin(1.3 * at), np.cos(2.1 * at), np.sin(0.7 * at + 1.0)], axis=1) / np.sqrt(3.0)
    labels = np.where(features @ np.array([1.0, -2.0, 0.5]) + 0.2 * np.sin(9.0 * at) >= 0, 1.0, -1.0)
    return Table(features=features, labels=labels, name="small")


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
