"""Commands without some of their options."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

SILENT = "--quiet"


def without_options(words: Iterable[str], options: Sequence[str]) -> list[str]:
    """The words without these options and their values, and without the one that only silences the command."""
    kept: list[str] = []
    rest = iter(words)
    for word in rest:
        if word in options:
            next(rest, None)
        elif word != SILENT and word.partition("=")[0] not in options:
            kept.append(word)
    return kept
