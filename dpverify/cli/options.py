"""Options that several commands take."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Json = Annotated[
    str | None,
    typer.Option(
        "--json", metavar="FILE", help="Write the result as JSON to FILE ('-': only JSON on standard output)."
    ),
]
Method = Annotated[
    str | None,
    typer.Option(
        "--method",
        metavar="NAMES",
        help="Only these auditors, such as 'event,renyi' (default: all that run by default).",
    ),
]
Events = Annotated[
    Path | None,
    typer.Option(
        "--events", metavar="FILE", help="Write progress to FILE as JSON lines: draws, wealth and bound so far."
    ),
]
Seed = Annotated[int, typer.Option(help="Same seed, same numbers.")]


def whole_number(text: str) -> int:
    """A whole number as people write it: ``200000``, ``200_000`` or ``2e5``."""
    try:
        found = float(text.replace("_", ""))
    except ValueError:
        found = float("nan")
    if not found.is_integer() or abs(found) > 2**53:
        raise typer.BadParameter(f"{text!r} is no whole number, such as 200000, 200_000 or 2e5")
    return int(found)


def method_names(method: str | None) -> tuple[str, ...] | None:
    """The auditors that ``--method`` names; None when it was not given."""
    return None if method is None else tuple(name.strip() for name in method.split(",") if name.strip())
