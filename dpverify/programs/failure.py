"""What a program did wrong, as the rest of a sentence that begins with its name."""

from __future__ import annotations


class ProgramError(Exception):
    """A program that ended, printed something else than outputs, or was silent for too long."""
