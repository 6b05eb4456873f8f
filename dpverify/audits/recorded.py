"""One auditor on what was recorded already (scores, draws): no mechanism is called, and nothing is searched."""

from __future__ import annotations

from collections.abc import Sequence

from dpverify.core.auditing import Auditor, Task
from dpverify.core.claim import Claim
from dpverify.core.errors import InputError
from dpverify.core.suite import SuiteEntry
from dpverify.datasets.neighbors.fixed_pair import FixedPair
from dpverify.runner.audit_unit import run_unit
from dpverify.runner.plan import Plan, Unit, task_streams
from dpverify.runner.row import Row


def audit_recorded_unit(
    subject: object,
    auditor: Auditor,
    claim: Claim,
    *,
    names: Sequence[str],
    confidence: float,
    trials: int,
    seed: int,
    suite: str,
) -> Row:
    """The row of a claim; the one auditor has the whole false-alarm probability, 1 - `confidence`.

    Parameters
    ----------
    subject : object
        With the capability that the auditor asks for.
    names : two str
        What the record calls the two data sets, which are not here.
    trials : int
        Of the task.
    suite : str
        ``scores`` or ``samples``: what the claim is held against, for messages.

    Raises
    ------
    InputError
        Where the auditor cannot examine the claim.
    """
    task = Task(
        claim=claim,
        build=lambda **_searched: subject,
        neighbors=FixedPair(d0=names[0], d1=names[1], relation=claim.relation),
        alpha=1.0 - confidence,
        trials=trials,
        stream=task_streams(seed, claim.id),
        seed=seed,
    )
    reason = auditor.refuses(task)
    if reason is not None:
        raise InputError(f"{claim.guarantee.text()}: {reason}", allowed=f"a claim that {suite} can be held against")
    unit = Unit(entry=SuiteEntry(claim=claim, suites=()), auditors=(auditor,), task=task)
    return run_unit(
        unit, Plan.of_unit(unit, confidence=confidence, suite=suite), report=lambda _message, _share: None, strict=True
    )
