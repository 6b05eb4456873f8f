"""A remark on a claim: where its proof or pseudo-code breaks, what that means for users, what to do instead.

A remark is prose, so it decides nothing: auditors never see one, and the ledger shows it only beside a verdict that
evidence gave, together with the numbers of its own computation, and only while these show what the prose says.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dpverify.core.errors import InputError
from dpverify.core.fields import Checked


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """The numbers and words that a remark's computation gave.

    Attributes
    ----------
    numbers : tuple of (label, number)
        In the order to be read: what the broken line says, what is true instead.
    holds : bool
        Whether the numbers show what the remark says. Computed from them, never typed.
    """

    numbers: tuple[tuple[str, float], ...]
    holds: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark(Checked):
    """A remark beside one claim of the ledger.

    Attributes
    ----------
    claim : str
        Id of the claim, with its reading (``BL-SVT-GAUSS-RDP.c``).
    breaks : str
        The line of the proof or of the pseudo-code that breaks, and how; for a claim that stands, what it rests on.
    means : str
        What it means for somebody who implemented the paper, in one or two sentences.
    instead : str
        What to do instead.
    shown : callable
        Computes the numbers behind `breaks`; deterministic, at most a second or so.

    Raises
    ------
    InputError
        For an empty text.
    """

    claim: str
    breaks: str
    means: str
    instead: str
    shown: Callable[[], Shown]

    def validate(self) -> None:
        """Check that every text is filled in."""
        for name in ("claim", "breaks", "means", "instead"):
            if not getattr(self, name).strip():
                raise InputError(f"a remark without {name!r}", allowed="a sentence", remedy="say it, or leave it out")
