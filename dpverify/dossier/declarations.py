"""The declarations file: what only a person can say, each answer with who says so, in which role, and when.

"Signed" means that a name, a role and a date stand beside the answer. A detached signature may be named, or its SHA-256
digest: the file must be there, and have that digest. Whether it is valid, and whose key made it, is not checked.
"""

from __future__ import annotations

import datetime
import hashlib
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dpverify.core.errors import InputError, one_line
from dpverify.core.read_untrusted import read_bytes, read_text
from dpverify.dossier.declaration_faults import answer_of, faults, filled, own_signer
from dpverify.suite_file.faults import Fault
from dpverify.suite_file.toml_lines import Place, TomlLines

LARGEST = 2**24
"""Bytes of a declarations file, and of a signature."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Signer:
    """The person who signs, and how the detached signature was checked; an empty `checked` where there is none."""

    name: str
    role: str
    date: str
    checked: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredAnswer:
    """An answer in words."""

    answer: str
    signer: Signer


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredClaim:
    """A claim that is declared, held against the record of this id.

    `relation` and `guarantee` are empty where nothing is declared; `unit` is None then, "record", or the name of the
    column whose records change together.
    """

    id: str
    guarantee: str
    relation: str
    unit: str | None
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Declarations:
    """A whole file, with the digest of its bytes; `controls` are claims of mechanisms that are broken on purpose."""

    path: Path
    sha256: str
    signer: Signer | None
    claims: tuple[DeclaredClaim, ...]
    answers: Mapping[str, DeclaredAnswer]
    controls: tuple[str, ...] = ()

    def fault(self, line: int, what: str, *, allowed: str, remedy: str = "") -> InputError:
        """An error about a line of the file."""
        return InputError(f"{self.path.name}:{line}: {what}", allowed=allowed, remedy=remedy)


def read_declarations(path: Path, *, today: datetime.date) -> Declarations:
    """The declarations at `path`.

    Raises
    ------
    InputError
        For the first fault: the file, its line, what is allowed, and how to mend it.
    """
    try:
        text = read_text(path, largest=LARGEST)
        content = tomllib.loads(text)
    except FileNotFoundError:
        remedy = f"`dpverify dossier --init {path.name}` writes a first one"
        raise InputError(f"no file {path}", allowed="a declarations file", remedy=remedy) from None
    except (OSError, ValueError, RecursionError) as problem:
        said = one_line(getattr(problem, "strerror", None) or str(problem))
        raise InputError(f"{path.name}: {said}", allowed="a text file in TOML") from None
    lines = TomlLines.of(text)

    def fault(found: Fault) -> InputError:
        return InputError(
            f"{path.name}:{lines.line(found.place)}: {found.what}", allowed=found.allowed, remedy=found.remedy
        )

    if found := next(faults(content, today=today), None):
        raise fault(found)
    signers = {}
    for place, given in _signed(content):
        checked, wrong = _signature(given, path.parent, place)
        if wrong:
            raise fault(wrong)
        date = given["date"] if isinstance(given["date"], str) else given["date"].isoformat()
        signers[place] = Signer(name=given["name"].strip(), role=given["role"].strip(), date=date, checked=checked)
    return Declarations(
        path=path,
        sha256=hashlib.sha256(read_bytes(path, largest=LARGEST)).hexdigest(),
        signer=signers.get(("signed",)),
        claims=tuple(_claim(each, lines.line(("claim", index))) for index, each in enumerate(content.get("claim", ()))),
        answers={
            key: DeclaredAnswer(answer=answer, signer=signers.get(("answers", key)) or signers[("signed",)])
            for key, given in content.get("answers", {}).items()
            if (answer := answer_of(given))
        },
        controls=tuple(content.get("controls", ())),
    )


def _claim(given: Mapping[str, Any], line: int) -> DeclaredClaim:
    texts = {name: given.get(name, "").strip() for name in ("id", "guarantee", "relation")}
    return DeclaredClaim(**texts, unit=given.get("unit"), line=line)


def _signed(content: Mapping[str, Any]) -> Iterator[tuple[Place, Mapping[str, Any]]]:
    """Return the place where somebody signs, and the table that does."""
    if filled(content):
        yield ("signed",), content["signed"]
    for key, given in content.get("answers", {}).items():
        if answer_of(given) and own_signer(given):
            yield ("answers", key), given


def _signature(given: Mapping[str, Any], folder: Path, place: Place) -> tuple[str, Fault | None]:
    """Say what is wrong with a signature, and what else there is to say of it."""
    name, stated = given.get("signature", ""), given.get("signature-sha256", "").lower()
    if not name:
        return (f"a signature with SHA-256 {stated} is named; its file was not at hand" if stated else ""), None
    try:
        content = read_bytes(folder / name, largest=LARGEST)
    except (OSError, ValueError) as problem:
        said = one_line(getattr(problem, "strerror", None) or str(problem))
        what = f"signature = {name!r}: {said}"
        return "", Fault(place=(*place, "signature"), what=what, allowed="a file beside the declarations")
    found = hashlib.sha256(content).hexdigest()
    if not content or stated not in ("", found):
        what = (
            f"the signature {name!r} has the SHA-256 digest {found}" if content else f"the signature {name!r} is empty"
        )
        allowed = f"the file with {stated}" if content else "a detached signature"
        return "", Fault(place=(*place, "signature"), what=what, allowed=allowed)
    agrees = ", as declared" if stated else ""
    return f"signature {name}, SHA-256 {found}{agrees}: the file is there; whether it is valid is not checked", None
