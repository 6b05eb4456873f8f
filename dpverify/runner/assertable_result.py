"""Results that raise when a test asserts them as true or false, and offer `check` instead."""

from __future__ import annotations

from typing import NoReturn, Self

from dpverify.core.errors import AuditError, ClaimRefuted, InputError, one_line
from dpverify.core.verdict import Status
from dpverify.runner.row import Row

DECIDED = (Status.NOT_REFUTED, Status.CERTIFIED)


class AssertableResult:
    """A result with a `verdict` and a `row`."""

    __slots__ = ()

    verdict: Status
    row: Row

    def check(self) -> Self:
        """The result itself, unless the claim is refuted or nothing was decided.

        Raises
        ------
        ClaimRefuted
            When the claim is refuted. The message gives the measured value, the claimed value and the event.
        AuditError
            When the audit decided nothing (``inconclusive``, ``unsupported``, ``error``), which must not count as a
            pass.
        """
        if self.verdict is Status.REFUTED:
            raise ClaimRefuted(self._finding())
        if self.verdict not in DECIDED:
            reason = one_line(self.row.verdict.reason) or "nothing was decided"
            raise AuditError(f"{self.row.entry.claim.guarantee.text()} of {self.row.id} is {self.verdict}: {reason}")
        return self

    def __bool__(self) -> NoReturn:
        raise InputError(
            f"a result ({self.verdict}) used as true or false",
            allowed="compare result.verdict, or call result.check(), which raises ClaimRefuted for a refuted claim",
            remedy="in a test write: dpverify.audit(...).check()",
        )

    def _finding(self) -> str:
        claim, leading = self.row.entry.claim, self.row.verdict.leading
        told = f"{claim.guarantee.text()} of {claim.subject} is refuted"
        if leading is None:
            return told
        sure = (
            f"confidence 1 - {1 - leading.confidence:.2g}"
            if leading.confidence is not None
            else f"error {leading.error:.2g}, {'proved' if leading.proved else 'estimated'}"
        )
        event = leading.witness.get("event")
        where = f", at the event {event} ({leading.witness.get('direction', '')})" if event else ""
        measured = f"{leading.measure.label()} >= {leading.bound:.5g} where {leading.measure.claimed:.5g} is claimed"
        return one_line(f"{told}: {measured} ({leading.auditor}, {sure}){where}")
