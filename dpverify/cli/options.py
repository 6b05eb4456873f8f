"""Options that several commands take."""

from __future__ import annotations

from typing import Annotated

import typer

Json = Annotated[
    str | None,
    typer.Option("--json", metavar="FILE", help="Write the result as JSON to FILE ('-': standard output, alone)."),
]
Seed = Annotated[int, typer.Option(help="Same seed, same numbers.")]
