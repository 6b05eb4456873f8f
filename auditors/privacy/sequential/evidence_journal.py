"""The interface of the journal that passes a sequential audit's evidence from one session to the next.

A session is one run of the audit; e-values of sessions are multiplied. `dpverify.runner.evidence_file.EvidenceFile`
implements it as a file; an audit without a journal is independent of others. The record of an audit is different: it
contains the result, the journal the state that the next session continues.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from dpverify.core.subjects import Float


class EvidenceJournal(Protocol):
    """Evidence of earlier sessions to read, and of the present one to write."""

    @property
    def chain(self) -> Mapping[str, Any]:
        """The chain of claims of earlier sessions; empty without any."""
        ...

    @property
    def peaks(self) -> tuple[float, ...]:
        """The highest product of e-values so far, for each claim of the chain."""
        ...

    @property
    def wealth(self) -> Float:
        """The product of earlier sessions' e-values, for each claim of the chain."""
        ...

    @property
    def count(self) -> int:
        """Number of sessions, including this one."""
        ...

    def begin(self) -> None:
        """Enter this session before its first draw."""
        ...

    def drew(self, first: tuple[str, str]) -> None:
        """Enter the digests of the first block before any bet; refuse draws of an earlier session."""
        ...

    def note(
        self,
        *,
        chain: Mapping[str, Any],
        e_values: Float,
        wealth: Float,
        peaks: Float,
        pairs: int,
        done: bool,
        witness: Mapping[str, Any],
    ) -> None:
        """Enter the session's present state."""
        ...

    def witness(self, place: int, *, least: float) -> Mapping[str, Any]:
        """The event and pair of the session in which the product against a claim of the chain reached `least`."""
        ...
