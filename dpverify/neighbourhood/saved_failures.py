"""Saved failures of one's own mechanisms: a made-up pair that refuted a claim is kept, and tried first by later audits.

A saved failure is no evidence: it is tried again on new draws (`dpverify.runner.regression_replay`), and only while it
lies inside what is assumed of the data. Pairs that show records of the user's example are never saved, nor are those
outside of what it shows, which are tried anyway.
"""

from __future__ import annotations

import types
from dataclasses import replace
from pathlib import Path

from dpverify.core.note import Kind, Note
from dpverify.datasets.neighbors.of_example import OfExample
from dpverify.neighbourhood.neighbourhood import Neighbourhood
from dpverify.programs.command import Command
from dpverify.runner.plan import Unit
from dpverify.runner.regression_replay import with_replays
from dpverify.runner.regressions import COMMAND, digest, load, new_failures, save
from dpverify.runner.row import Row

MOST = 8
"""Pairs that are tried at most, in the order of their file names: all of them share one part of the budget."""

DRAWS = 0.25
"""Part of the draws that all saved failures together may take."""


def with_saved_failures(unit: Unit, folder: Path | None) -> Unit:
    """The unit, whose auditors try the saved failures of its claim first.

    InputError for a malformed file in the folder.
    """
    claim = unit.entry.claim
    mine = [
        each
        for each in ([] if folder is None else load(folder))
        if each.claimed == digest(claim) or (not each.claimed and each.claim == claim.id)
    ]
    if not mine:
        return unit
    return replace(unit, auditors=with_replays(unit.auditors, mine[:MOST], draws=DRAWS))


def save_failure(row: Row, function: object, place: Neighbourhood, folder: Path | None) -> tuple[Note, ...]:
    """Save the pair of a refuted row of this function, where it is made up; what is to be said of it.

    InputError when the folder cannot be written to.
    """
    leading = row.verdict.leading
    label = "" if leading is None else str(leading.witness.get("pair", ""))
    if folder is None or leading is None or place.shows_records(label) or place.tells_beyond(label):
        return ()
    form = place.generator.container.word if isinstance(place.generator, OfExample) else ""
    failures = new_failures([row], mechanism=_named(function), form=form)
    return tuple(Note(Kind.REGRESSION, f"the pair is saved in {path}") for path in save(failures, folder))


def _named(function: object) -> str:
    """``package.module:callable``, or ``command: TEXT`` of a program; empty where it cannot be found by that."""
    if isinstance(function, Command):
        return f"{COMMAND}{function.text}"
    if isinstance(function, types.MethodType):  # of an object, which no name finds
        return ""
    module, name = getattr(function, "__module__", None), str(getattr(function, "__qualname__", ""))
    return f"{module}:{name}" if module not in (None, "__main__") and name and "<" not in name else ""


def told_of_replays(row: Row) -> tuple[Note, ...]:
    """Say what became of the saved failures that were tried."""
    leading = row.verdict.leading
    replayed = leading.statistics.get("replayed", ()) if leading is not None else ()
    said = ((each["file"], str(each["says"]).replace("_", " ")) for each in replayed)
    return tuple(Note(Kind.REGRESSION, f"{file}: {words}") for file, words in said)
