"""One bug of the gallery: a TOML file that says what it is, and a Python file beside it that calls the library.

The Python file is run by the interpreter of the old release, never imported here. It has ``claimed()``, what the
library itself claims at this version, and ``draw(data, size, seed)``, independent outputs. A plug-in may say all of it
in that one Python file, whose ``register(registry)`` imports dpverify and adds a `Bug` with ``code=Path(__file__)``.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Any

from dpverify.core.errors import AuditError
from dpverify.core.registry import Registry

LOOKS = ("audit", "account", "rate", "step")
"""Draws are audited; an accountant's number is held against bounds on the truth; how often a stated bound fails; one
step of a training is checked."""

EXPECTED = ("refuted", "not_refuted")

_PIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*==[A-Za-z0-9.+!_-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bug:
    """One entry, as its file states it.

    Attributes
    ----------
    name : str
        The file's name: library and number of the report.
    code : Path
        The Python file that calls the library.
    title, library, version : str
        What is wrong in one line, and where.
    reports : tuple of str
        Addresses of the public reports; empty where it was found by this project.
    anew : bool
        Whether the fault is written anew although something of the release is installed (for its claim, say).
    pins : tuple of str
        What is installed, ``name==version``, the library first; empty where the fault is written anew without it.
    pythons : tuple of str
        Versions of Python that the pins have files for, the best first.
    says : str
        Where the library makes its claim, and for which neighbours.
    wrong : str
        The fault, and why it breaks the claim.
    fix : str
        Version or commit; or that there is none.
    look : str
        One of `LOOKS`.
    claim : str
        The guarantee's text; for ``rate`` and ``step``, what is claimed in words.
    expected : str
        "refuted" where the report holds; "not_refuted" where it was run and does not.
    d0, d1 : object
        The pair (of ``audit``).
    relation : str
        Of the pair.
    shown : str
        The event in words, where the machine's words need a translation.
    trials, seed : int
        Draws a side.
    methods : tuple of str
        Auditors; empty for the usual ones.
    limit : float
        Seconds for each call of the library.
    fixed_pins, fixed_pythons : tuple of str
        The release with the fix, which is audited in the same way; empty where there is none, or where it is written
        anew.
    note : str
        What else a reader should know.
    """

    name: str
    code: Path
    title: str
    library: str
    version: str
    reports: tuple[str, ...]
    anew: bool = False
    pins: tuple[str, ...] = ()
    pythons: tuple[str, ...] = ()
    says: str
    wrong: str
    fix: str
    look: str
    claim: str
    expected: str = "refuted"
    d0: Any = None
    d1: Any = None
    relation: str = ""
    shown: str = ""
    trials: int = 20_000
    seed: int = 0
    methods: tuple[str, ...] = ()
    limit: float = 60.0
    fixed_pins: tuple[str, ...] = ()
    fixed_pythons: tuple[str, ...] = ()
    note: str = ""

    def __post_init__(self) -> None:
        if wrong := self._faults():
            raise AuditError(f"{self.name}: {'; '.join(wrong)}")

    @property
    def kind(self) -> str:
        """Tell whether the old release itself is run."""
        return "release" if self.pins and not self.anew else "written anew"

    @property
    def command(self) -> str:
        """One command to reproduce it."""
        return f"dpverify gallery --run {self.name}"

    def digest(self) -> str:
        """Return the hash of its files: a record says for which texts it holds."""
        found = hashlib.sha256()
        for path in filter(Path.is_file, (self.code.with_suffix(".toml"), self.code)):
            found.update(path.read_bytes().replace(b"\r\n", b"\n"))
        return found.hexdigest()[:16]

    def _faults(self) -> list[str]:
        return [
            said
            for said, so in {
                f"no file {self.code.name}": not self.code.is_file(),
                f"look is {self.look!r}, not one of {', '.join(LOOKS)}": self.look not in LOOKS,
                f"expected is {self.expected!r}, not one of {', '.join(EXPECTED)}": self.expected not in EXPECTED,
                "pins that are not name==version": not all(map(_PIN.fullmatch, (*self.pins, *self.fixed_pins))),
                "pins without pythons": bool(self.pins) and not self.pythons,
                "fixed_pins without fixed_pythons": bool(self.fixed_pins) and not self.fixed_pythons,
                "an audit without d0, d1 and relation": self.look == "audit"
                and (self.d0 is None or self.d1 is None or not self.relation),
                "reports that are no address": not all(each.startswith("https://") for each in self.reports),
                "trials below 100": self.trials < 100,
            }.items()
            if so
        ]


def load_bug(path: Path, registry: Registry) -> None:
    """Register the bug of a TOML file, which has a Python file of the same name beside it."""
    registry.bugs.add(path.stem, read_bug(path))


def read_bug(path: Path) -> Bug:
    """The bug in a file; AuditError where the file is not one."""
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise AuditError(f"{path.name}: {problem}") from problem
    known = {field.name: field for field in fields(Bug) if field.name not in ("name", "code")}
    wrong = [f"unknown key {name!r}" for name in given if name not in known]
    wrong += [f"no {name!r}" for name, field in known.items() if field.default is MISSING and name not in given]
    values: dict[str, Any] = {
        name: tuple(value) if str(known[name].type).startswith("tuple") else value
        for name, value in given.items()
        if name in known
    }
    if wrong:
        raise AuditError(f"{path.name}: {'; '.join(wrong)}")
    return Bug(name=path.stem, code=path.with_suffix(".py"), **values)
