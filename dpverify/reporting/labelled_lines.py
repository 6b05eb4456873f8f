"""Label and text as lines of at most `WIDTH` columns, and the form of values in them."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from dpverify.reporting.formatting import number

WIDTH = 79
HANG = " " * 12


def labelled(label: str, text: str) -> list[str]:
    """Lines such as `` label text``, wrapped below the text; none without a text."""
    if not text:
        return []
    return textwrap.wrap(text, WIDTH, initial_indent=f"  {label:<9} ", subsequent_indent=HANG, break_on_hyphens=False)


def pairs(values: Mapping[str, Any]) -> str:
    """``a = 1, b = yes``."""
    return ", ".join(f"{name} = {value_text(value)}" for name, value in values.items())


def value_text(value: Any) -> str:
    """A value as text: yes and no, lists in brackets, exact integers, other numbers to five digits."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"[{', '.join(value_text(each) for each in value)}]"
    return str(value) if isinstance(value, int) else number(value, 5)
