"""Attacks by what a file names: code in records, stores, saved failures, evidence, journals, declarations and data."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

from tests.attack.attack import Attack, Outcome
from tests.attack.command import command
from tests.attack.traps import MARK, READ, laid

SCRIPT = "import sys; sys.path.pop(0); from dpverify.cli import main; sys.argv[0] = 'dpverify'; main()"
"""As the console script, which has no working directory on its path."""


def named(folder: Path, *, words: tuple[str, ...]) -> Outcome:
    """The command over what a stranger sends: nothing that is named there may run."""
    laid(folder)
    ran = command([sys.executable, "-c", SCRIPT, *words], folder, 60.0, {}, None)
    run = any(folder.rglob(MARK))
    held = not run and ran.clean and ran.status in (0, 1, 2, 3) and "internal error" not in ran.err
    return Outcome(happened="code of the stranger was run" if run else ran.told, held=held)


ATTACKS = [
    Attack(
        name=f"`dpverify {' '.join(words)}` in a folder of a stranger: {parameter}",
        wanted="nothing that a file names is imported, called or unpickled",
        run=partial(named, words=words),
        quick=False,
    )
    for parameter, each in READ.items()
    for words in each
]
