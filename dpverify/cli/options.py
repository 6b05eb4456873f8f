"""Options that several commands take."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from dpverify.core.errors import InputError

# An option names its group in the help by the function that makes it.
subject_option = partial(typer.Option, rich_help_panel="What is audited")
claim_option = partial(typer.Option, rich_help_panel="Claim")
data_option = partial(typer.Option, rich_help_panel="Data")
search_option = partial(typer.Option, rich_help_panel="Search")
limit_option = partial(typer.Option, rich_help_panel="Limits")
verdict_option = partial(typer.Option, rich_help_panel="Verdict")
kept_option = partial(typer.Option, rich_help_panel="What is kept")
output_option = partial(typer.Option, rich_help_panel="Output")
utility_option = partial(typer.Option, rich_help_panel="Utility")
training_option = partial(typer.Option, rich_help_panel="The training")

Json = Annotated[
    str | None,
    output_option(
        "--json", metavar="FILE", help="Write the result as JSON to FILE ('-': only JSON on standard output)."
    ),
]
Method = Annotated[
    str | None,
    search_option(
        "--method",
        metavar="NAMES",
        help="Only these auditors, such as 'event,renyi' (default: all that run by default).",
    ),
]
Events = Annotated[
    Path | None,
    output_option(
        "--events", metavar="FILE", help="Write progress to FILE as JSON lines: draws, wealth and bound so far."
    ),
]
Quiet = Annotated[bool, output_option("--quiet", help="No output but the exit status.")]
Seed = Annotated[int, search_option(help="Same seed, same numbers.")]


def whole_number(text: str) -> int:
    """A whole number as people write it: ``200000``, ``200_000`` or ``2e5``."""
    try:
        found = float(text.replace("_", ""))
    except ValueError:
        found = float("nan")
    if not found.is_integer() or abs(found) > 2**53:
        raise typer.BadParameter(f"{text!r} is no whole number, such as 200000, 200_000 or 2e5")
    return int(found)


def numbers(text: str, option: str, *, such_as: str) -> tuple[float, ...]:
    """The numbers of an option that takes several, with commas."""
    try:
        return tuple(float(each) for each in text.split(",") if each.strip())
    except ValueError:
        raise InputError(f"{option} {text!r}", allowed=f"numbers with commas, such as {such_as}") from None


def method_names(method: str | None) -> tuple[str, ...] | None:
    """The auditors that ``--method`` names; None when it was not given."""
    return None if method is None else tuple(name.strip() for name in method.split(",") if name.strip())


def typed_options(ctx: typer.Context, *, but: Collection[str]) -> list[str]:
    """Options and arguments that were typed, by their longest names, but for those of these parameters."""
    typed = [
        each for each in ctx.command.params if str(ctx.get_parameter_source(str(each.name))).endswith("COMMANDLINE")
    ]
    return [max(each.opts, key=len) for each in typed if each.name not in but]
