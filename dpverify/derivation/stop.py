"""What ends a derivation: the line of the code, the operation, why, and the usual rewrite."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(eq=False)
class NotDerivedError(Exception):
    """No rule for what the code does. The code that is read never catches it.

    Attributes
    ----------
    why : str
        What was met, and why no rule allows it.
    rewrite : str
        What to write in its place; empty where there is no usual one.
    place : str
        File and line.
    code : str
        The line.
    """

    why: str
    rewrite: str = ""
    place: str = ""
    code: str = ""

    def __str__(self) -> str:
        at = f"{self.place}: {self.code}: " if self.place else ""
        return at + self.why + (f" ({self.rewrite})" if self.rewrite else "")
