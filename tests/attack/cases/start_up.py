"""Attacks on the command line before it does any work."""

from __future__ import annotations

from pathlib import Path

from tests.attack.attack import Attack, Outcome
from tests.attack.command import dpverify


def unknown_command(folder: Path) -> Outcome:
    """A word that is no command."""
    ran = dpverify("audti", folder=folder)
    return Outcome(happened=ran.told, held=ran.status == 2 and ran.clean)


ATTACKS = [
    Attack(name="a misspelt command", wanted="one line, exit status 2", run=unknown_command),
]
