"""The text of an evidence file: its sessions, each with a checksum that finds damage and mistakes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from dpverify.core.errors import InputError, one_line
from dpverify.core.read_untrusted import parse_json, read_text
from dpverify.runner.session import BettingSession
from dpverify.runner.store.checksums import checksum

FORMAT = "dpverify sequential evidence, version 2"
OLDER = "dpverify sequential evidence, version 1"

LARGEST = 2**26
"""Largest file that is read, in bytes: about a hundred thousand sessions."""


def seeds_in(path: Path) -> tuple[int, ...]:
    """Return the seeds of the sessions in a file; none without a file, and of an older version.

    Raises
    ------
    InputError
        For a file that is no evidence, and for one that is not what was written.
    """
    try:
        text = text_in(path)
        found = {"format": OLDER} if text is None else parse_json(text)
        return () if found["format"] == OLDER else tuple(session.seed for session in sessions_of(found))
    except (OSError, ValueError, TypeError, KeyError, AttributeError, InputError) as problem:
        raise InputError(
            f"the evidence file {path}: {one_line(str(problem))}",
            allowed="a file that earlier sessions have written",
            remedy="delete it: evidence begins anew",
        ) from None


def sessions_of(found: Mapping[str, Any]) -> Iterator[BettingSession]:
    """The sessions of a file; ValueError where one is not what was written."""
    told = [dict(one) for one in found["sessions"]]
    kept = [one.pop("checksum") for one in told]
    for place, one in enumerate(told):
        if kept[place] != session_checksum(found, told, place):
            raise ValueError(f"the session of seed {one['seed']} is not what was written (its checksum differs)")
        yield BettingSession(**{**one, **{name: tuple(one[name]) for name in ("e_values", "peaks", "first")}})


def session_checksum(found: Mapping[str, Any], sessions: Sequence[Mapping[str, Any]], place: int) -> str:
    """Return the checksum of a session, of what the file is about, and of how many sessions there are."""
    about = [json.dumps(found[name], sort_keys=True) for name in ("format", "identity", "chain")]
    return checksum(*about, place, len(sessions), json.dumps(sessions[place], sort_keys=True))


def text_in(path: Path) -> str | None:
    """The file's present text; None where there is no file."""
    try:
        return read_text(path, largest=LARGEST)
    except FileNotFoundError:
        return None
