"""The declarations file: what only a person can say, each answer with who says so, in which role, and when.

"Signed" means that a name, a role and a date stand beside the answer. A detached signature may be named, or its SHA-256
digest: the file must be there, and have that digest. Whether it is valid, and whose key made it, is not checked.
"""

from __future__ import annotations

import datetime
import difflib
import hashlib
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dpverify.core.errors import InputError, one_line
from dpverify.core.read_untrusted import read_bytes, read_text, shortened
from dpverify.core.toml_file import Place, TomlLines
from dpverify.dossier.question import keys
from dpverify.suite_file.faults import Fault

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

    InputError for the first fault: the file, its line, what is allowed, and how to mend it.
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


SIGNER = ("name", "role", "date", "signature", "signature-sha256")
NEEDED = SIGNER[:3]
CLAIM = ("id", "guarantee", "relation", "unit")
_TABLES = ("signed", "claim", "answers", "controls")


def answer_of(given: Any) -> str:
    """The answer in an entry of ``[answers]``, a text or a table; empty where none is given yet."""
    return str(given.get("answer", "") if isinstance(given, dict) else given).strip()


def own_signer(given: Any) -> bool:
    """Tell whether the entry has a signer of its own, and not that of the file."""
    return isinstance(given, dict) and any(name in given for name in SIGNER)


def filled(content: Mapping[str, Any]) -> bool:
    """Tell whether anything is declared for which the signer of the file stands."""
    answers = content.get("answers", {}).values()
    return bool(content.get("claim") or content.get("controls")) or any(
        answer_of(each) and not own_signer(each) for each in answers
    )


def faults(content: Mapping[str, Any], *, today: datetime.date) -> Iterator[Fault]:
    """All faults of a parsed file, in the order of the file."""
    yield from _unknown(content, _TABLES, (), "the declarations file")
    for name, kind, words in (
        ("signed", dict, "[signed]"),
        ("answers", dict, "[answers]"),
        ("claim", list, "[[claim]]"),
    ):
        if not isinstance(content.get(name, kind()), kind):
            yield Fault(place=(name,), what=f"{name} = {_shown(content[name])}", allowed=f"a table {words}")
            return
    controls = content.get("controls", [])
    if not isinstance(controls, list) or not all(isinstance(each, str) and each for each in controls):
        yield Fault(place=("controls",), what=f"controls = {_shown(controls)}", allowed="a list of ids of records")
        return
    for index, given in enumerate(content.get("claim", ())):
        yield from _of_claim(given, ("claim", index))
    known = keys()
    for key, given in content.get("answers", {}).items():
        yield from _unknown({key: given}, known, ("answers",), "[answers]", short=True)
        if key in known:
            yield from _of_answer(key, given, today)
    signed = content.get("signed", {})
    yield from _unknown(signed, SIGNER, ("signed",), "[signed]")
    if filled(content):
        yield from _of_signer(signed, ("signed",), "[signed]", today)


def _of_claim(given: Any, place: Place) -> Iterator[Fault]:
    if not isinstance(given, dict):
        yield Fault(place=place, what=f"a claim {_shown(given)}", allowed="tables [[claim]]")
        return
    yield from _unknown(given, CLAIM, place, "[[claim]]")
    for name in CLAIM:
        if name in given and not (isinstance(given[name], str) and given[name].strip()):
            yield Fault(
                place=(*place, name), what=f"{name} = {_shown(given[name])}", allowed="a text that is not empty"
            )
    if "id" not in given:
        yield Fault(place=place, what="[[claim]] without id", allowed="the id of a record, as the report shows it")


def _of_answer(key: str, given: Any, today: datetime.date) -> Iterator[Fault]:
    place: Place = ("answers", key)
    if isinstance(given, datetime.date) or not isinstance(given, str | dict):
        yield Fault(place=place, what=f"{key} = {_shown(given)}", allowed="a text, or a table with `answer`")
        return
    if isinstance(given, dict):
        yield from _unknown(given, ("answer", *SIGNER), place, f"[answers.{key}]")
        if not isinstance(given.get("answer"), str):
            yield Fault(place=place, what=f"[answers.{key}] without answer", allowed='answer = "..."')
            return
        if answer_of(given) and own_signer(given):
            yield from _of_signer(given, place, f"[answers.{key}]", today)
    choices = [choice for _, question in keys()[key] for choice in question.choices]
    answer = answer_of(given)
    if answer and choices and answer not in choices:
        yield Fault(
            place=place,
            what=f"{key} = {_shown(answer)}",
            allowed=", ".join(choices),
            remedy=_near(answer, choices),
        )


def _of_signer(given: Mapping[str, Any], place: Place, table: str, today: datetime.date) -> Iterator[Fault]:
    """An answer without a name and a date is nobody's."""
    for name in NEEDED:
        if name not in given:
            allowed = f"{table} with {', '.join(NEEDED)}"
            yield Fault(place=place, what=f"{table} has no {name}, but something is declared", allowed=allowed)
    for name in ("name", "role"):
        if name in given and not (isinstance(given[name], str) and given[name].strip()):
            yield Fault(
                place=(*place, name), what=f"{table} {name} = {_shown(given[name])}", allowed="a text that is not empty"
            )
    if "date" in given:
        date = _date(given["date"])
        if date is None or date > today:
            what = f"date = {_shown(given['date'])}{'' if date is None else ', which is after today'}"
            yield Fault(place=(*place, "date"), what=what, allowed=f"a day such as 2026-01-31, up to {today}")
    if "signature" in given and not isinstance(given["signature"], str):
        what = f"signature = {_shown(given['signature'])}"
        yield Fault(place=(*place, "signature"), what=what, allowed="the name of a file beside the declarations")
    stated = given.get("signature-sha256", "")
    if stated != "" and not (isinstance(stated, str) and re.fullmatch(r"[0-9a-fA-F]{64}", stated)):
        what = f"signature-sha256 = {_shown(stated)}"
        yield Fault(place=(*place, "signature-sha256"), what=what, allowed="64 hexadecimal digits")


def _unknown(
    given: Mapping[str, Any], known: Iterable[str], place: Place, table: str, *, short: bool = False
) -> Iterator[Fault]:
    for name in given:
        if name not in known:
            near = _near(name.replace("_", "-").lower(), known)
            all_of_them = "the questions that `dpverify dossier --init FILE` writes" if short else ", ".join(known)
            what = f"no question is called {_shown(name)}" if short else f"unknown key {_shown(name)} of {table}"
            yield Fault(place=(*place, name), what=what, allowed=all_of_them, remedy=near)


def _near(word: str, known: Iterable[str]) -> str:
    folded = {each.casefold(): each for each in known}
    near = difflib.get_close_matches(word.casefold(), folded, n=1)
    return f"did you mean {folded[near[0]]}?" if near else ""


def _date(value: Any) -> datetime.date | None:
    if isinstance(value, datetime.datetime):
        return None
    if isinstance(value, datetime.date):
        return value
    try:
        return datetime.date.fromisoformat(value)
    except (TypeError, ValueError):
        return None


def _shown(value: Any) -> str:
    return shortened(repr(value) if not isinstance(value, datetime.date) else value.isoformat(), most=60)
