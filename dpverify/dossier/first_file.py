"""A first declarations file: every question that a person can answer, with comments, and a claim a record."""

from __future__ import annotations

import datetime
import json
import textwrap
from collections.abc import Iterator, Sequence

from dpverify.core.record import Record
from dpverify.datasets.neighbors.relation import on_records
from dpverify.dossier.question import keys
from dpverify.dossier.standing import control, parts_of

HEAD = """\
# What only a person can say about a deployment of differential privacy, for `dpverify dossier`.
#
# Give each answer below between the quotes; an empty one counts as not given. An answer that names nobody is that of
# [signed]; one of somebody else is a table of its own:
#
#     [answers.access]
#     answer = "Only two named stewards; the list is reviewed every quarter."
#     name = "..."
#     role = "..."
#     date = {today}
#
# A detached signature of this file, or of an answer's own paper, may be named beside the date: signature = "FILE", or
# signature-sha256 = "its 64 hexadecimal digits". It is looked for and its digest is printed; that it is valid is not
# checked.

[signed]
name = ""  # who says so
role = ""  # such as "privacy engineer, Example Bureau"
date = {today}  # the day on which it is said
"""

CLAIMS = """
# What the deployment promises, held against the record of the same id. A promise that the record refutes, that does not
# follow from what was audited, or that has another relation or unit, is said loudly, and the exit status is 1. `unit`
# is "record", or the column whose records change together.
"""

EXAMPLE = """\
#
# [[claim]]
# id = "the id of a record"
# guarantee = "PureDP(epsilon=1)"
# relation = "add-remove"
# unit = "record"
"""

WIDTH = 116


def first_file(records: Sequence[Record], *, today: datetime.date) -> str:
    """The text; with a ``[[claim]]`` for each record that is no control."""
    return "".join(_parts(records, today))


def _parts(records: Sequence[Record], today: datetime.date) -> Iterator[str]:
    yield HEAD.format(today=today).replace("\n[signed]", f"{_controls(records)}\n[signed]")
    yield CLAIMS
    for item in (each for each in records if not control(each)):
        kind, column = parts_of(item["relation"])
        yield f"\n[[claim]]\nid = {_toml(item['id'])}\n"
        yield f"guarantee = {_toml(item['guarantee'])}  # what the record is about; write what is promised\n"
        yield f"relation = {_toml(kind)}\n"
        if kind in on_records():
            yield f"unit = {_toml(column or 'record')}\n"
    if not records:
        yield EXAMPLE
    yield "\n[answers]\n"
    for key, asked in keys().items():
        hint = next(question.hint for _, question in asked if question.hint)
        choices = next((question.choices for _, question in asked if question.choices), ())
        of = "; ".join(f"{text.short}: {question.asks}" for text, question in asked)
        yield f"\n{_comment(hint)}"
        if choices:
            yield _comment(f"One of: {', '.join(choices)}.")
        yield _comment(of, indent="    ")
        yield f'{key} = ""\n'


def _controls(records: Sequence[Record]) -> str:
    """A line, to be taken out of its comment, on rows that call themselves controls; empty where none does."""
    named = [item["id"] for item in records if control(item)]
    if not named:
        return ""
    listed = ", ".join(map(_toml, named))
    return f"\n# Claims of mechanisms that you know to be broken on purpose:\n# controls = [{listed}]\n"


def _comment(text: str, indent: str = "") -> str:
    lines = textwrap.wrap(text, WIDTH - len(indent), break_long_words=False, break_on_hyphens=False)
    return "".join(f"# {indent}{line}\n" for line in lines)


def _toml(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
