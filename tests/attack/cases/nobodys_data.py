"""Attacks on the user's records: mechanisms that tell them in every way that they can, under every command."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from tests.attack.attack import Attack, Outcome
from tests.cli.test_records_stay_hidden import commands, place_of, ran, told_in


def hidden(folder: Path, *, words: tuple[str, ...]) -> Outcome:
    """The command over data with markers: no stream and no file that it writes has them."""
    place = place_of(folder)
    done = ran(place, "-m", "dpverify", *words)
    told = told_in(place, done.stdout, done.stderr)
    lines = (done.stderr.strip() or done.stdout.strip()).splitlines()
    happened = f"told in {told[0]}" if told else f"status {done.returncode}: {lines[-1] if lines else ''}"
    return Outcome(happened=happened, held=not told and done.returncode in (0, 1, 2, 3))


ATTACKS = [
    Attack(
        name=f"records of the user under `{name}`",
        wanted="no file, stream, cache or store has a number or a name of them",
        run=partial(hidden, words=words),
        quick=False,
    )
    for name, words in commands().items()
]
