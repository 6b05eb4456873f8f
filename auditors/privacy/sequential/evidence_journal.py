"""Where nights are kept: what a sequential audit asks of the file that pools it with earlier ones, and tells it.

The file itself is `dpverify.runner.nights.Nights`; an audit without one stands alone. Not to be confused with the
record of an audit, which says what came of it: a journal says on what the next night may go on.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from dpverify.core.subjects import Float


class EvidenceJournal(Protocol):
    """Where nights are pooled (`dpverify.runner.nights.Nights`)."""

    @property
    def chain(self) -> Mapping[str, Any]:
        """What the chain of earlier nights was; empty without any."""
        ...

    @property
    def peaks(self) -> tuple[float, ...]:
        """The highest products seen."""
        ...

    @property
    def wealth(self) -> Float:
        """The products of earlier nights."""
        ...

    @property
    def count(self) -> int:
        """Nights, this one among them."""
        ...

    def begin(self) -> None:
        """Enter this night, before its first draw."""
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
        """Keep how far this night has come."""
        ...

    def witness(self, place: int, *, least: float) -> Mapping[str, Any]:
        """The event and pair of the night in which the product against a claim of the chain came to `least`."""
        ...
