"""The rows of a table that a mechanism returns, by their names: ``the mean of ward 'C'`` for ``output['mean'][2]``.

Names are those of the index; they are used where every table of a form has the same, for else the number of a row says
nothing of whose it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from dpverify.adapters.output_columns import Column, label_text
from dpverify.adapters.output_structure import Form

ROWS = (".index", ".index.names")
SHOWN = 4
"""Most rows that the text of a form names."""

_CELL = re.compile(r"output(?P<table>.*?)(?:\['(?P<column>[^']*)'\]|\.values)\[(?P<row>\d+)\]")

_ROWS_OF = re.compile(r"(?:Series|DataFrame) of (?P<number>\d+)\b")

Named = Mapping[tuple[Form, str], tuple[Any, ...]]


def with_row_names(columns: Sequence[Column], named: Named, forms: Mapping[float, Form]) -> tuple[Column, ...]:
    """The columns, those of a table's cells by column and row; the forms of tables by the names of their rows.

    Parameters
    ----------
    named : mapping
        What the places ``.index`` and ``.index.names`` of each form hold; empty where it varies.
    forms : mapping
        The form of each code; empty where all outputs have one form.
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
