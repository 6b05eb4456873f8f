"""A file of finished units, one JSON line each: what a frontier that was stopped goes on from.

The first line names what the numbers follow from (settings and the trainer's code); another frontier's file is refused.
A last line that was cut off by a kill is left out.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from dpverify.core.errors import InputError

NAME = "frontier.units.jsonl"


class Journal:
    """What is known so far; kept in a file where there is a folder.

    Parameters
    ----------
    folder : Path or None
        None keeps nothing on disk.
    key : str
        Of everything that the numbers follow from.
    resume : bool
        Go on with a file that is there; otherwise it is begun anew.

    Raises
    ------
    InputError
        For a file of another key, and a folder that cannot be written to.
    """

    def __init__(self, folder: Path | None, *, key: str, resume: bool) -> None:
        self._known: dict[str, Any] = {}
        self._path = None if folder is None else folder / NAME
        if self._path is None:
            return
        whole = []
        if resume and self._path.exists():
            whole = self._read(key)
        text = json.dumps({"key": key}) + "\n" + "".join(f"{line}\n" for line in whole)
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
                stream.write(json.dumps([name, value]) + "\n")
                stream.flush()
                os.fsync(stream.fileno())

    def _read(self, key: str) -> list[str]:
        assert self._path is not None
        lines = self._path.read_text(encoding="utf-8", errors="replace").split("\n")[:-1]  # the last one may be cut off
        try:
            found = json.loads(lines[0])["key"] if lines else key
            rows = [json.loads(line) for line in lines[1:]]
            self._known |= {str(name): value for name, value in rows}
        except (ValueError, LookupError, TypeError):
            raise InputError(
                f"{self._path} is no file of a frontier",
                allowed="one that an earlier run wrote",
                remedy="leave --resume out",
            ) from None
        if found != key:
            raise InputError(
                f"{self._path} is of other settings, or the trainer's code has changed",
                allowed="the same command as before",
                remedy="leave --resume out to begin anew, or choose another --out",
            )
        return lines[1:]
