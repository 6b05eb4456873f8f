"""The questions, as data: one TOML file a source text below ``texts/``; a new question is a new entry there.

A question names the looks below that may answer it from records, and the key of the declarations file under which a
person may answer it. Several questions may share a key, so that nobody answers twice. A look answers one kind of
question with what is in records, and names the rows. Rows that could have seen nothing, and controls, are not shown to
it. Each look says how much it saw and no more.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from dpverify.core.errors import AuditError
from dpverify.core.note import Kind, note_of
from dpverify.core.plugins import registry
from dpverify.core.record import Record
from dpverify.core.subjects import Guarantee, PrivacyGuarantee
from dpverify.definitions.grammar import parse_guarantee
from dpverify.dossier.standing import part_saw_nothing, parts_of, short_words, unit_of, words
from dpverify.reporting.formatting import count, false_alarms, number, percent_up
from dpverify.reporting.row_notes import row_notes

FOLDER = Path(__file__).with_name("texts")


@dataclass(frozen=True, slots=True, kw_only=True)
class TextQuestion:
    """One question of a text."""

    id: str
    """Its name within the text."""
    place: str
    """Where the text has it; only places that were seen."""
    asks: str
    """The question, in our words."""
    quote: str = ""
    """What the text says there, letter by letter; empty where its words were not seen."""
    evidence: tuple[str, ...] = ()
    """Names of looks at the records that may answer it."""
    left: str = ""
    """What evidence leaves open; empty where it can answer the whole."""
    declaration: str
    """The key of the declarations file."""
    choices: tuple[str, ...] = ()
    """The only answers that the text takes; empty for any."""
    hint: str = ""
    """What a declaration says, for the first declarations file. One question of each key has it."""
    tier: int = 0
    """Of the registry; 0 elsewhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceText:
    """A source text: its names, edition and address, what of it was read, and its questions in its own order."""

    name: str
    short: str
    title: str
    edition: str
    address: str
    read: str
    questions: tuple[TextQuestion, ...]


@cache
def texts() -> tuple[SourceText, ...]:
    """All texts, by name."""
    return tuple(read_text_file(path) for path in sorted(FOLDER.glob("*.toml")))


def keys() -> dict[str, list[tuple[SourceText, TextQuestion]]]:
    """The questions by the key that a declaration answers them under, in the order of the texts."""
    found: dict[str, list[tuple[SourceText, TextQuestion]]] = {}
    for text in texts():
        for question in text.questions:
            found.setdefault(question.declaration, []).append((text, question))
    return found


def read_text_file(path: Path) -> SourceText:
    """The text in a file; AuditError where the file is not one."""
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
        questions = tuple(_question(each) for each in given.pop("question"))
        found = SourceText(
            name=path.stem, questions=questions, **{name: value.strip() for name, value in given.items()}
        )
    except (OSError, ValueError, TypeError, AttributeError, KeyError) as problem:
        raise AuditError(f"{path.name}: {type(problem).__name__}: {problem}") from problem
    names = [each.id for each in found.questions]
    if len(set(names)) < len(names):
        raise AuditError(f"{path.name}: two questions have one id")
    return found


def _question(given: dict[str, Any]) -> TextQuestion:
    known = {field.name: field for field in fields(TextQuestion)}
    missing = [name for name, field in known.items() if field.default is MISSING and not given.get(name)]
    if missing or set(given) - set(known):
        raise ValueError(f"question {given.get('id')!r}: unknown {sorted(set(given) - set(known))}, missing {missing}")
    values: dict[str, Any] = {name: tuple(each) if isinstance(each, list) else each for name, each in given.items()}
    made = TextQuestion(**values)
    if unknown := [name for name in made.evidence if name not in LOOKS]:
        raise ValueError(f"question {made.id!r}: no look is called {unknown[0]!r}")
    return made


FALSE_ALARMS = 0.01
"""The rate of false alarms at which an attacker's power is told."""

VARIANTS = {
    "PureDP": "pure differential privacy",
    "ApproxDP": "approximate differential privacy",
    "RDP": "Rényi differential privacy",
    "ZCDP": "zero-concentrated differential privacy",
    "GDP": "Gaussian differential privacy",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A fact, and the rows in which it was seen; `refuted` where it speaks against what is claimed."""

    text: str
    rows: tuple[str, ...]
    refuted: bool = False


Told = tuple[str, str, bool]
"""A text, the row, and whether it speaks against the claim."""


def guarantee_of(record: Record) -> Guarantee:
    """The record's claim, read by the grammar."""
    return parse_guarantee(record["guarantee"], definitions=registry().definitions.mapping())


def facts(name: str, records: Iterable[Record]) -> list[Fact]:
    """Return the facts that the look of this name sees; rows of which it says the same stand together."""
    rows: dict[tuple[str, bool], list[str]] = {}
    for text, row, refuted in LOOKS[name](list(records)):
        rows.setdefault((text, refuted), []).append(row)
    return [Fact(text=text, rows=tuple(found), refuted=refuted) for (text, refuted), found in rows.items()]


def _loss(records: list[Record]) -> Iterator[Told]:
    for item in records:
        claimed = guarantee_of(item)
        if not isinstance(claimed, PrivacyGuarantee):
            continue
        power = max(1.0 - float(np.asarray(claimed.tradeoff(FALSE_ALARMS, reverse=way))) for way in (False, True))
        attack = f"an attacker with {percent_up(FALSE_ALARMS)} false alarms has a power of {percent_up(power)} at most"
        yield f"Claimed: {item['guarantee']}, by which {attack}. Found: {short_words(item)}.", *_judged(item)


def _variant(records: list[Record]) -> Iterator[Told]:
    for item in records:
        name = item["guarantee"].partition("(")[0]
        if isinstance(guarantee_of(item), PrivacyGuarantee):
            yield f"Claimed: {VARIANTS.get(name, 'a trade-off curve')} ({name}).", item["id"], False


def _delta(records: list[Record]) -> Iterator[Told]:
    for item in records:
        claimed = guarantee_of(item)
        if not isinstance(claimed, PrivacyGuarantee):
            continue
        stated = 0.0 if item["guarantee"].startswith("PureDP(") else getattr(claimed, "claimed_delta", None)
        curve = "Claimed as a curve, which has an epsilon at every delta."
        yield curve if stated is None else f"Claimed at delta = {number(stated)}.", item["id"], False


def _relation(records: list[Record]) -> Iterator[Told]:
    for item in records:
        (kind, _), unit = parts_of(item["relation"]), unit_of(item["relation"])
        differs = f", which differ in {unit}" if unit else ""
        yield f"Audited on neighbours of the relation {kind}{differs}.", item["id"], False


def _as_stated(records: list[Record]) -> Iterator[Told]:
    for item in records:
        yield f"Audited as it is stated, {item['guarantee']}, without a conversion.", item["id"], False


def _implementation(records: list[Record]) -> Iterator[Told]:
    """Only of rows with draws: an exact law says nothing of the code that samples it."""
    for item in records:
        if made := _draws(item):
            whose = f"{item['library']} {item['version']}" if item.get("library") else "the code itself"
            told = f"Audited: {whose}, by {count(made)} draws a side. Found: {short_words(item)}."
            yield told, *_judged(item)


def _audit(records: list[Record]) -> Iterator[Told]:
    for item in records:
        of = "Found" if _draws(item) else "Found by an exact law or a search, without a draw of the implementation"
        alone = false_alarms([item]).replace(" of these rows together", "")
        yield f"{of}: {words(item)}. {alone}".strip(), *_judged(item)


def _draws(item: Record) -> int:
    """Draws a side, of the part that drew most."""
    return max((part["trials"] for part in item["evidence"] if part["confidence"] is not None), default=0)


def _user_level(records: list[Record]) -> Iterator[Told]:
    for item in records:
        if parts_of(item["relation"])[1]:
            told = f"Neighbours differ in {unit_of(item['relation'])}. Found: {short_words(item)}."
            yield told, *_judged(item)


def _of_measure(kind: str, tells: str) -> Callable[[list[Record]], Iterator[Told]]:
    def look(records: list[Record]) -> Iterator[Told]:
        for item in records:
            if item["evidence"] and item["evidence"][0]["measure"]["kind"] == kind:
                yield f"{tells}: {item['guarantee']}. Found: {short_words(item)}.", *_judged(item)

    return look


def _by_auditors(auditors: set[str], tells: str) -> Callable[[list[Record]], Iterator[Told]]:
    def look(records: list[Record]) -> Iterator[Told]:
        for item in records:
            for part in item["evidence"]:
                if part["auditor"] in auditors and not part_saw_nothing(part):
                    told = part["says"].replace("_", " ")
                    yield f"{tells} (auditor {part['auditor']}): {told}.", item["id"], part["says"] == "refuted"

    return look


def _errors(records: list[Record]) -> Iterator[Told]:
    for item in records:
        for label, _ in row_notes(item):
            if label == "raised":
                told = "The mechanism raised an exception on some of the data sets that were tried; they were left out"
                yield f"{told}, so what its errors show was not examined.", item["id"], False
        if any(note_of(line).kind is Kind.ERRORS for line in item.get("notes", ())):
            yield f"Exceptions were audited as outputs. Found: {short_words(item)}.", *_judged(item)


def _judged(item: Record) -> tuple[str, bool]:
    return item["id"], item["verdict"] == "refuted"


LOOKS: Mapping[str, Callable[[list[Record]], Iterator[Told]]] = {
    "loss": _loss,
    "variant": _variant,
    "delta": _delta,
    "relation": _relation,
    "as-stated": _as_stated,
    "implementation": _implementation,
    "audit": _audit,
    "user-level": _user_level,
    "sensitivity": _of_measure("sensitivity", "A bound on sensitivity was tested by search"),
    "bias": _of_measure("mean", "A claim on a mean was tested"),
    "attacks": _by_auditors({"scores", "one-run", "transcript"}, "The trained model was attacked"),
    "floating-point": _by_auditors({"floating-point"}, "Outputs were compared bit by bit"),
    "errors": _errors,
}
"""By the name that questions give."""
