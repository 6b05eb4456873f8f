"""A file of finished units, one JSON line each: what a measurement or a table that was stopped goes on from.

The first line names what the numbers follow from (settings and code); another's file is refused, and so is a line whose
checksum differs. A last line that was cut off by a kill is left out.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from dpverify.core.errors import InputError
from dpverify.runner.atomic_files import write_atomically
from dpverify.runner.store.checksums import checksum


class Journal:
    """The results so far; kept in a file where there is one.

    Parameters
    ----------
    path : Path or None
        None keeps nothing on disk.
    settings, code : str
        Keys of everything that the numbers follow from.
    name : str
        Whose code it is.
    resume : bool
        Go on with a file that is there; otherwise it is begun anew.

    Raises
    ------
    InputError
        For a file of other settings or code, one that is not what was written, and a folder that cannot be written to.
    """

    def __init__(self, path: Path | None, *, settings: str, code: str, name: str, resume: bool) -> None:
        self._name, self._head, self._path = name, {"settings": settings, "code": code}, path
        self._known: dict[str, Any] = {}
        if path is None:
            return
        whole = self._read(path) if resume and path.exists() else []
        text = json.dumps(self._head) + "\n" + "".join(f"{line}\n" for line in whole)
        write_atomically(path, text, private=True)  # models and their scores are as private as the data

    def __contains__(self, name: str) -> bool:
        return name in self._known

    def __getitem__(self, name: str) -> Any:
        return self._known[name]

    def known(self) -> dict[str, Any]:
        """All that was kept, by name, in the order in which it was."""
        return dict(self._known)

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

    def _read(self, path: Path) -> list[str]:
        lines = path.read_text(encoding="utf-8", errors="replace").split("\n")[:-1]  # the last one may be cut off
        anew = "leave --resume out to begin anew"
        try:
            found = json.loads(lines[0]) if lines else self._head
            settings, code = found["settings"], found["code"]
            rows = [json.loads(line) for line in lines[1:]]
            kept = {str(name): (value, mark) for name, value, mark in rows}
        except (ValueError, LookupError, TypeError):
            raise InputError(
                f"{path} is no file of finished units", allowed="one that an earlier run wrote", remedy=anew
            ) from None
        if settings != self._head["settings"]:
            raise InputError(
                f"{path} is of other settings or data",
                allowed="the same command as before",
                remedy=f"{anew}, or choose another --out",
            )
        if code != self._head["code"]:
            raise InputError(
                f"the code of {self._name} has changed since {path} was begun",
                allowed="the code of before, so that all numbers are of one version",
                remedy=f"{anew}, or choose another --out",
            )
        bad = next((name for name, (value, mark) in kept.items() if mark != self._checksum(name, value)), None)
        if bad is not None:
            raise InputError(
                f"{path}: the unit {bad} is not what was written (its checksum differs)",
                allowed="a file as dpverify wrote it",
                remedy=anew,
            )
        self._known = {name: value for name, (value, _) in kept.items()}
        return lines[1:]
