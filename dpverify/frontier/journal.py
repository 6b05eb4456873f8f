"""A file of finished units, one JSON line each: what a frontier that was stopped goes on from.

The first line names what the numbers follow from (settings and the trainer's code); another frontier's file is refused,
and so is a line whose checksum differs. A last line that was cut off by a kill is left out.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from dpverify.core.errors import InputError
from dpverify.runner.store.checksums import checksum

NAME = "frontier.units.jsonl"


class Journal:
    """What is known so far; kept in a file where there is a folder.

    Parameters
    ----------
    folder : Path or None
        None keeps nothing on disk.
    settings, code : str
        Keys of everything that the numbers follow from.
    name : str
        What the trainer is called.
    resume : bool
        Go on with a file that is there; otherwise it is begun anew.

    Raises
    ------
    InputError
        For a file of other settings or code, one that is not what was written, and a folder that cannot be written to.
    """

    def __init__(self, folder: Path | None, *, settings: str, code: str, name: str, resume: bool) -> None:
        self._name, self._head = name, {"settings": settings, "code": code}
        self._known: dict[str, Any] = {}
        self._path = None if folder is None else folder / NAME
        if self._path is None:
            return
        whole = []
        if resume and self._path.exists():
            whole = self._read()
        text = json.dumps(self._head) + "\n" + "".join(f"{line}\n" for line in whole)
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._path.touch(mode=0o600)  # models and their scores are as private as the data
            self._path.chmod(0o600)
            self._path.write_text(text, encoding="utf-8")
        except OSError as problem:
            raise InputError(
                f"cannot write {self._path}: {problem.strerror or problem}", allowed="a folder that can be written to"
            ) from problem

    def __contains__(self, name: str) -> bool:
        return name in self._known

    def __getitem__(self, name: str) -> Any:
        return self._known[name]

    def keep(self, name: str, value: Any) -> None:
        """Remember, and write down at once."""
        self._known[name] = value
        if self._path is not None:
            with self._path.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps([name, value, self._checksum(name, value)]) + "\n")
                stream.flush()
                os.fsync(stream.fileno())

    def _checksum(self, name: str, value: Any) -> str:
        return checksum(*self._head.values(), name, json.dumps(value, sort_keys=True))

    def _read(self) -> list[str]:
        assert self._path is not None
        lines = self._path.read_text(encoding="utf-8", errors="replace").split("\n")[:-1]  # the last one may be cut off
        try:
            found = json.loads(lines[0]) if lines else self._head
            settings, code = found["settings"], found["code"]
            rows = [json.loads(line) for line in lines[1:]]
            kept = {str(name): (value, mark) for name, value, mark in rows}
        except (ValueError, LookupError, TypeError):
            raise InputError(
                f"{self._path} is no file of a frontier",
                allowed="one that an earlier run wrote",
                remedy="leave --resume out",
            ) from None
        if settings != self._head["settings"]:
            raise InputError(
                f"{self._path} is of other settings or data",
                allowed="the same command as before",
                remedy="leave --resume out to begin anew, or choose another --out",
            )
        if code != self._head["code"]:
            raise InputError(
                f"the code of {self._name} has changed since {self._path} was begun",
                allowed="the code of before, so that all points are of one version",
                remedy="leave --resume out to begin anew, or choose another --out",
            )
        bad = next((name for name, (value, mark) in kept.items() if mark != self._checksum(name, value)), None)
        if bad is not None:
            raise InputError(
                f"{self._path}: the unit {bad} is not what was written (its checksum differs)",
                allowed="a file as dpverify wrote it",
                remedy="leave --resume out to begin anew",
            )
        self._known |= {name: value for name, (value, _) in kept.items()}
        return lines[1:]
