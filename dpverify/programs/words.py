"""The text of a command: its words, the places for data, seed and count, and how they are filled. No shell is used.

``{data}`` is the name of a file that holds the data set as JSON, ``{data:csv}`` of one that holds it as CSV, and
``{data:inline}`` is the JSON text itself; ``{seed}`` and ``{count}`` are integers. All other braces stay as they are.
A command with none of these is a worker: it is started once and answers requests.
"""

from __future__ import annotations

import difflib
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dpverify.core.errors import InputError

DATA = ("{data}", "{data:csv}", "{data:inline}")
PLACES = (*DATA, "{seed}", "{count}")

LONGEST_WORD = 2**17 - 1
"""Bytes of one argument that Linux takes."""

LONGEST_NAME = 60

_LIKE_A_PLACE = re.compile(r"\{[A-Za-z_]+(?::[A-Za-z_]+)?\}")
_SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh", "ash", "busybox"})


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandWords:
    """The words of a command."""

    words: tuple[str, ...]
    """The program and its arguments, with places."""
    data: str = ""
    """The place for the data set; empty where it comes on standard input."""
    seeded: bool = False
    counted: bool = False
    """`seeded`, `counted`: whether there are places for a seed and for a count."""

    @property
    def worker(self) -> bool:
        """Tell whether one process answers many requests."""
        return not (self.data or self.seeded or self.counted)

    @property
    def text(self) -> str:
        """The command as it is typed."""
        return shlex.join(self.words)

    @property
    def name(self) -> str:
        """The program and its arguments without folders and places: what reports call it."""
        kept = [word for word in self.words if not any(place in word for place in PLACES)] or [self.words[0]]
        text = " ".join(Path(word).name or word for word in kept)
        text = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
        return text if len(text) <= LONGEST_NAME else f"{text[: LONGEST_NAME - 3]}..."

    def filled(self, values: Mapping[str, str]) -> list[str]:
        """The words with values in their places; within the text of a shell they are quoted.

        InputError for a word that is longer than the system takes.
        """
        found = []
        for index, word in enumerate(self.words):
            told = {place: shlex.quote(value) for place, value in values.items()} if self._shell_text(index) else values
            for place, value in told.items():
                word = word.replace(place, value)
            if len(word.encode()) > LONGEST_WORD:
                raise InputError(
                    f"{{data:inline}} with {len(word)} characters",
                    allowed=f"at most {LONGEST_WORD}",
                    remedy="write {data}, which is the name of a file",
                )
            found.append(word)
        return found

    def _shell_text(self, index: int) -> bool:
        """Tell whether a shell reads this word as its program."""
        return index > 0 and Path(self.words[0]).name in _SHELLS and self.words[index - 1].endswith("c")


def command_words(command: str | Sequence[str]) -> CommandWords:
    """The words of a command: its text is split as a shell splits it, and nothing else of a shell is done.

    InputError for an empty command, quotes that are not closed, and a place that is not known.
    """
    if isinstance(command, str):
        try:
            words = tuple(shlex.split(command))
        except ValueError as problem:
            raise InputError(f"the command {command!r} cannot be split: {problem}", allowed="closed quotes") from None
    else:
        words = tuple(command)
    if not words or not all(isinstance(word, str) for word in words) or not words[0] or "\0" in "".join(words):
        raise InputError(f"the command {command!r}", allowed="a program and its arguments", remedy="such as './noisy'")
    found = [place for word in words for place in _LIKE_A_PLACE.findall(word)]
    for place in found:
        near = difflib.get_close_matches(place, PLACES, n=1, cutoff=0.8)
        if place not in PLACES and (near or place.startswith("{data:")):
            raise InputError(
                f"{place} in the command", allowed=", ".join(PLACES), remedy=f"did you mean {(near or [DATA[0]])[0]}?"
            )
    data = list(dict.fromkeys(place for place in found if place in DATA))
    if len(data) > 1:
        raise InputError(f"{' and '.join(data)} in one command", allowed="one of them")
    if any(place in words[0] for place in PLACES):
        raise InputError(f"the program {words[0]!r} has a place in its own name", allowed="places in the arguments")
    return CommandWords(words=words, data="".join(data), seeded="{seed}" in found, counted="{count}" in found)
