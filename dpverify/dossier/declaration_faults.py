"""What of a declarations file is not as it must be, each fault with its place in the file."""

from __future__ import annotations

import datetime
import difflib
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from dpverify.core.read_untrusted import shortened
from dpverify.dossier.question import keys
from dpverify.suite_file.faults import Fault
from dpverify.suite_file.toml_lines import Place

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
