"""What every audit and measurement returns: it raises where a test asserts it as true or false, and offers `check`."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, NoReturn, Self

from dpverify.core.errors import AuditError, ClaimRefuted, InputError
from dpverify.core.verdict import Status

PASSES = (Status.NOT_REFUTED, Status.CERTIFIED)


class CheckedResult:
    """A result with a verdict. It is neither true nor false: compare `verdict`, or call `check`."""

    __slots__ = ()

    @property
    @abstractmethod
    def verdict(self) -> Status:
        """``refuted``, ``not_refuted`` (never "private"), ``inconclusive``, ``unsupported``, ``error``."""

    @abstractmethod
    def finding_line(self) -> str:
        """Say in a line what was found: the text of the error that `check` raises."""

    @abstractmethod
    def record(self) -> Any:
        """Return the result as plain values for JSON."""

    def shortfall(self) -> str:
        """Say in a line what a pass lacks; a full one lacks nothing."""
        return ""

    def check(self, *, require_power: bool = False) -> Self:
        """The result itself, unless a claim is refuted or nothing was decided.

        Parameters
        ----------
        require_power : bool
            Whether a pass must have been able to detect what was to be detected.

        Raises
        ------
        ClaimRefuted
            When a claim is refuted. The message says what was found.
        AuditError
            When nothing was decided (``inconclusive``, ``unsupported``, ``error``), which must not count as a pass;
            with `require_power`, when a pass says too little (`shortfall`).
        """
        if self.verdict is Status.REFUTED:
            raise ClaimRefuted(self.finding_line())
        if self.verdict not in PASSES:
            raise AuditError(self.finding_line())
        if require_power and (short := self.shortfall()):
            raise AuditError(short)
        return self

    def __bool__(self) -> NoReturn:
        raise InputError(
            f"a result ({self.verdict}) used as true or false",
            allowed="compare result.verdict, or call result.check(), which raises ClaimRefuted for a refuted claim",
            remedy="in a test write: dpverify.audit(...).check()",
        )
