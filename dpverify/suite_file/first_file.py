"""The text of a first ``dpverify.toml``: one audit a function that looks like a mechanism, and what to check of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dpverify.core.errors import InputError
from dpverify.core.printable import visible
from dpverify.suite_file.candidates import Guess

HEAD = """\
# The differential-privacy audits of {package}: `dpverify run` finds this file, and so does `pytest {name}`.
# It is a first draft, guessed from signatures and docstrings. Check every line that says "check"; a claim that
# nobody has checked says nothing. Remove the audits of functions that are no mechanisms.

profile = "quick"  # 30 s a claim; "full": 300 s, to detect 1.25 times the claim
"""

WIDTH = 110
"""Characters of a comment's line, about."""


def first_file(package: str, guesses: Sequence[Guess], left_out: Sequence[str], *, name: str, src: bool) -> str:
    """The file's text; functions that cannot be audited as they are stand there as comments.

    `src`: whether modules are imported from the folder ``src``.
    """
    parts = [HEAD.format(package=package, name=name)]
    if src:
        parts[0] += 'python-path = ["src"]\n'
    parts += [_entry(each) for each in guesses]
    parts += [_comment(f"left out: {line}") for line in left_out]
    return "\n".join(parts)


def _entry(found: Guess) -> str:
    lines = [
        "[[audit]]",
        f"name = {_toml(found.name)}" if found.name.isascii() else "# its name is that of the function",
        f"mechanism = {_toml(found.mechanism)}",
        f"claim = {_toml(found.claim)}",
        f"data = {_toml(found.data)}",
    ]
    notes = {
        3: f"check the claim; it rests on {found.why_claim}",
        4: f"check: a made-up example; it rests on {found.why_data}",
    }
    if found.bounds:
        lines.append(f"bounds = {_toml(found.bounds)}")
        notes[5] = "check: the range of the example; with bounds nothing outside of them is audited (nor NaN)"
    if found.parameters:
        notes[len(lines)] = "check: parameters without a default"
        lines.append(f"parameters = {_toml(dict(found.parameters))}")
    text = "".join(f"{_comment(notes[place]) if place in notes else ''}{line}\n" for place, line in enumerate(lines))
    if not found.problem:
        return text
    return _comment(f"{found.name} cannot be audited like this: {found.problem}") + "".join(
        line if line.startswith("#") else f"# {line}" for line in text.splitlines(keepends=True)
    )


def _toml(value: Any) -> str:
    """A value in TOML: texts, numbers, true and false are written as in JSON."""
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{name} = {_toml(each)}' for name, each in value.items())} }}"
    return json.dumps(value, ensure_ascii=False)


def _comment(text: str) -> str:
    """A line, or several, that TOML passes over."""
    words, lines = visible(text).split(), [""]
    for word in words:
        if len(lines[-1]) + len(word) > WIDTH:
            lines.append("")
        lines[-1] += f" {word}"
    return "".join(f"#{line}\n" for line in lines)


def write_new(path: Path, text: str) -> None:
    """Write a file that is not there.

    InputError for one that is there, or cannot be written; nothing is changed then.
    """
    try:
        with path.open("x", encoding="utf-8") as stream:
            stream.write(text)
    except FileExistsError:
        raise InputError(
            f"{path.name} is there already", allowed="a folder without one", remedy="move it away, or add to it by hand"
        ) from None
    except OSError as problem:
        said = f"{path.name} cannot be written ({problem.strerror})"
        raise InputError(said, allowed="a folder to write to") from None
