"""What each number of a row stands for, in words: a key of the output, an element of it, its form, an exception.

Rows are numbers only (see `row_layout`). An event on a row says "number 1 > 0.5"; a reader wants the key, and where the
number is the code of a label or of a form, what it stands for. For ``output['mean'][2]`` of a table that is ``the mean
of ward 'C'``, by the table's index, where every table of a form has the same: else the number of a row says nothing of
whose it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

from dpverify.adapters.output_structure import Form
from dpverify.adapters.row_layout import Layout

_LABEL = re.compile(r"label|bytes label|member of [^,()]*")
_TRUTH = "bool"
_OF = re.compile(r".* of (?P<size>\d+|\([\d, ]+\)) \((?P<inner>[^()]*)\)")
LONGEST = 40
"""Most characters of a label in a text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One number of a row."""

    name: str
    """``output``, ``output['mean']``, ``output['counts'][2]``, ``the length of output['a']``."""
    verb: str = "is"
    """Between the name and a value: ``is``, ``has the form``; empty where the value says it."""
    values: Mapping[float, str] = field(default_factory=dict)
    """What the codes stand for; empty where the number is a number."""
    hashed: bool = False
    """Whether further values may occur, which have the code of a hash."""


def columns_of(
    layout: Layout | None,
    *,
    labels: Mapping[Any, float],
    forms: Mapping[str, str],
    errors: Mapping[str, int] | None = None,
    hashed: bool = False,
) -> tuple[Column, ...]:
    """The columns of rows of this layout; empty without one.

    Parameters
    ----------
    labels, forms : mapping
        Codes of the labels that occurred; words for the forms, by code.
    errors : mapping or None
        Codes of exceptions, where these are outputs: they have a column before all others.
    hashed : bool
        Whether labels occurred that are known by their hash only.
    """
    if layout is None:
        return ()
    found = _columns(layout, {float(code): label_text(label) for label, code in labels.items()}, forms, hashed)
    if errors is None:
        return found
    raised = {float(code): f"raised {name}" for name, code in errors.items()}
    return Column(name="the mechanism", verb="", values={0.0: "returned", **raised}), *found


def label_text(label: Any) -> str:
    """A label as it is shown: a text in quotes, cut if it is long; a number beyond doubles as itself."""
    text = str(label[1]) if isinstance(label, tuple) else repr(label)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}...{text[-1] if text[-1] in QUOTES else ''}"


QUOTES = "\"'"


def _columns(layout: Layout, labels: Mapping[float, str], forms: Mapping[str, str], hashed: bool) -> tuple[Column, ...]:
    """The columns, in the order of the layout."""
    known = [layout.only] if layout.only is not None else list(layout.forms)
    found = {at: Column(name=f"output[{at}]") for at in range(layout.width)}
    if layout.scalar:
        found[0] = Column(name="output")
    if layout.forms:
        words = {float(code): f"({text})" for code, text in forms.items()}
        found[0] = Column(name="the output", verb="has the form", values=words)
        found[layout.width - 1] = Column(name="the hash of further parts of the output")
    for place, at, width, codes in layout.places():
        kinds = {dict(form)[place] for form in known if form is not None and place in dict(form)}
        if codes:
            types = {0.0: "absent", **{float(code): kind for kind, code in codes.items()}}
            found[at] = Column(name=f"the type of output{place}", values=types)
            found[at + 1] = Column(name=f"the length of output{place}")
        names = _names(place, kinds, width)
        for number in range(width):
            column = at + 2 * bool(codes) + number
            if (place or layout.forms) or not layout.scalar:
                found[column] = Column(name=names[number])
            found[column] = replace(found[column], **_values(kinds, number, width, labels, hashed))
    return tuple(found.values())


def _names(place: str, kinds: set[str], width: int) -> list[str]:
    """A name for each number at a place."""
    name = f"output{place}"
    if width == 1 and not any(" of " in kind and not kind.startswith("member of ") for kind in kinds):
        return [name]
    shape = _OF.fullmatch(next(iter(kinds))) if len(kinds) == 1 else None
    sizes = [int(each) for each in re.findall(r"\d+", shape["size"])] if shape else []
    if len(sizes) > 1 and shape is not None and _product(sizes) == width:
        return [f"{name}[{', '.join(map(str, at))}]" for at in product(*map(range, sizes))]
    return [f"{name}[{number}]" for number in range(width)]


def _values(kinds: set[str], number: int, width: int, labels: Mapping[float, str], hashed: bool) -> dict[str, Any]:
    """What the codes of a column stand for, if it holds labels or truth values in every form."""
    inner = {_kind(kind, number, width) for kind in kinds}
    if inner == {_TRUTH}:
        return {"values": {0.0: "False", 1.0: "True"}}
    if inner and all(_LABEL.fullmatch(kind) for kind in inner):
        return {"values": labels, "hashed": hashed}
    return {}


def _kind(kind: str, number: int, width: int) -> str:
    """The kind of one number: of a value by itself, or of an element."""
    whole = _OF.fullmatch(kind)
    if whole is None:
        return kind if width == 1 else ""
    inner = whole["inner"].split(", ")
    return inner[0] if len(inner) == 1 else inner[number] if len(inner) == width else ""


def _product(sizes: list[int]) -> int:
    found = 1
    for size in sizes:
        found *= size
    return found


ROWS = (".index", ".index.names")
SHOWN = 4
"""Most rows that the text of a form names."""

_CELL = re.compile(r"output(?P<table>.*?)(?:\['(?P<column>[^']*)'\]|\.values)\[(?P<row>\d+)\]")

_ROWS_OF = re.compile(r"(?:Series|DataFrame) of (?P<number>\d+)\b")

Named = Mapping[tuple[Form, str], tuple[Any, ...]]


def with_row_names(columns: Sequence[Column], named: Named, forms: Mapping[float, Form]) -> tuple[Column, ...]:
    """The columns, those of a table's cells by column and row; the forms of tables by the names of their rows.

    `named`: what the places ``.index`` and ``.index.names`` of each form hold; empty where it varies. `forms`: the form
    of each code; empty where all outputs have one form.
    """
    rows = {key: labels for key, labels in named.items() if key[1].endswith(ROWS[0])}
    if not rows:
        return tuple(columns)
    single = {place: labels for (_, place), labels in rows.items()} if len({form for form, _ in rows}) == 1 else {}
    kinds = {place: said for (_, place), said in named.items() if place.endswith(ROWS[1])}
    found = [_with_row(column, single, kinds) for column in columns] if not forms else list(columns)
    for place, column in enumerate(found):
        if column.verb == "has the form":
            told = {code: _form_text(forms.get(code), named) or text for code, text in column.values.items()}
            if len(set(told.values())) == len(told):
                found[place] = replace(column, values=told)
    return tuple(found)


def _with_row(column: Column, rows: Mapping[str, tuple[Any, ...]], kinds: Mapping[str, tuple[Any, ...]]) -> Column:
    cell = _CELL.fullmatch(column.name)
    labels = rows.get(f"{cell['table']}{ROWS[0]}", ()) if cell else ()
    if cell is None or int(cell["row"]) >= len(labels):
        return column
    kind = kinds.get(f"{cell['table']}{ROWS[1]}", ())
    row = f"{kind[0] if len(kind) == 1 else 'row'} {_text(labels[int(cell['row'])])}"
    return replace(column, name=f"the {cell['column'] or 'value'} of {row}")


def _form_text(form: Form | None, named: Named) -> str:
    """``(a table with the rows ward 'A', 'B')``; without names where these vary, empty where it is no table."""
    places = [place for key, place in named if key == form and place.endswith(ROWS[0])]
    if form is None or len(places) != 1:
        return ""
    labels = named[form, places[0]]
    if not labels:
        rows = _ROWS_OF.match(form[0][1])
        return f"(a table of {rows['number']} row{'s' if rows['number'] != '1' else ''})" if rows else ""
    kind = named.get((form, f"{places[0]}.names"), ())
    told = ", ".join(map(_text, labels[:SHOWN])) + (f" and {len(labels) - SHOWN} more" if len(labels) > SHOWN else "")
    name = f"{kind[0]} " if len(kind) == 1 else ""
    return f"(a table with the row{'s' if len(labels) > 1 else ''} {name}{told})"


def _text(label: Any) -> str:
    return f"{label:g}" if isinstance(label, float) else label_text(label)
