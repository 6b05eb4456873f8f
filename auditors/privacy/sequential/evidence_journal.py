"""The journal in which a sequential audit's evidence is carried from one session to the next.

A session is one run of the audit; e-values of sessions multiply. The file behind the journal is
`dpverify.runner.evidence_file.EvidenceFile`; an audit without a journal stands alone. Not to be confused with the
record of an audit, which says what was found: a journal says what the next session goes on from.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from dpverify.core.subjects import Float


class EvidenceJournal(Protocol):
    """What a session reads of earlier ones, and writes of itself."""

    @property
    def chain(self) -> Mapping[str, Any]:
        """Which chain of claims earlier sessions bet against; empty without any."""
        ...

    @property
    def peaks(self) -> tuple[float, ...]:
        """The highest product of e-values at any time, for each claim of the chain."""
        ...

    @property
    def wealth(self) -> Float:
        """The product of earlier sessions' e-values, for each claim of the chain."""
        ...

    @property
    def count(self) -> int:
        """Sessions, this one among them."""
        ...

    def begin(self) -> None:
        """Enter this session, before its first draw."""
        ...

    def drew(self, first: tuple[str, str]) -> None:
        """Keep the digests of the first block, before any bet; refuse what was drawn before."""
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
        """Write how far this session has come."""
        ...

    def witness(self, place: int, *, least: float) -> Mapping[str, Any]:
        """The event and pair of the session in which the product against a claim of the chain reached `least`."""
        ...
