"""The questions, as data: one TOML file a source text below ``texts/``; a new question is a new entry there.

A question names the looks of `dpverify.dossier.looks` that may answer it from records, and the key of the declarations
file under which a person may answer it. Several questions may share a key, so that nobody answers twice.
"""

from __future__ import annotations

import tomllib
from dataclasses import MISSING, dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

from dpverify.core.errors import AuditError
from dpverify.dossier.looks import LOOKS

FOLDER = Path(__file__).with_name("texts")


@dataclass(frozen=True, slots=True, kw_only=True)
class TextQuestion:
    """One question of a text.

    Attributes
    ----------
    id : str
        Its name within the text.
    place : str
        Where the text has it; only places that were seen.
    asks : str
        The question, in our words.
    quote : str
        What the text says there, letter by letter; empty where its words were not seen.
    evidence : tuple of str
        Names of looks at the records that may answer it.
    left : str
        What evidence leaves open; empty where it can answer the whole.
    declaration : str
        The key of the declarations file.
    choices : tuple of str
        The only answers that the text takes; empty for any.
    hint : str
        What a declaration says, for the first declarations file. One question of each key has it.
    tier : int
        Of the registry; 0 elsewhere.
    """

    id: str
    place: str
    asks: str
    quote: str = ""
    evidence: tuple[str, ...] = ()
    left: str = ""
    declaration: str
    choices: tuple[str, ...] = ()
    hint: str = ""
    tier: int = 0


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
