"""Completes the arguments where an option may be given without its value."""

from __future__ import annotations

import re

_OPTION = re.compile(r"-[^\d.]")


def completed_arguments(words: list[str]) -> list[str]:
    """Complete the arguments: ``--json`` alone means standard output; ``--poisson-gaussian q steps`` gets sigma '?'."""
    filled: list[str] = []
    for index, word in enumerate(words):
        filled.append(word)
        values = _values(words[index + 1 :])
        if word == "--json" and not values:
            filled.append("-")
        if words[index - 1 : index] == ["--poisson-gaussian"] and len(_values(words[index:])) == 2:
            filled.append("?")
    return filled


def _values(words: list[str]) -> list[str]:
    """The arguments up to the next option; ``-`` alone and negative numbers are values."""
    ends = (index for index, word in enumerate(words) if _OPTION.match(word))
    return words[: next(ends, len(words))]
