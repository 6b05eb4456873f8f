"""Limits that nothing inside the mechanism's process can keep."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from tests.attack.attack import Attack, Outcome
from tests.attack.cases.containment import one_line
from tests.attack.hostile_place import audited


def too_long(function: str, options: tuple[str, ...], said: str, status: int, folder: Path) -> Outcome:
    """It must be over within the limit, its grace, and a start."""
    ran = audited(folder, function, *options)
    return Outcome(happened=f"{ran.told} ({ran.seconds:.0f} s)", held=one_line(ran, status, said))


_CALL = ("--max-seconds-per-call", "0.5")
_WHOLE = ("--max-seconds", "0.5")
_MEMORY = ("--max-memory", "0.75")

ATTACKS = [
    *(
        Attack(
            name=f"a call that {name}, with a limit on each call",
            wanted="one line that names the limit, exit status 2",
            run=partial(too_long, function, _CALL, "ran longer than its limit of 0.5 s", 2),
            quick=False,
        )
        for name, function in (
            ("stays in C code", "never_lets_python_in"),
            ("blocks the alarm", "blocks_the_alarm"),
            ("swallows every exception", "swallows_everything"),
        )
    ),
    Attack(
        name="a call that stays in C code, with a limit on the whole",
        wanted="one line that names the limit, exit status 3",
        run=partial(too_long, "never_lets_python_in", _WHOLE, "limit of 0.5 s for the whole audit", 3),
        quick=False,
    ),
    Attack(
        name="memory without end",
        wanted="one line, exit status 2",
        run=partial(too_long, "takes_memory", _MEMORY, "MemoryError", 2),
        quick=False,
    ),
    Attack(
        name="shared memory beyond the limit",
        wanted="one line that names the limit, exit status 3",
        run=partial(too_long, "shares_memory", _MEMORY, "more than the 0.75 GB", 3),
        quick=False,
    ),
    Attack(
        name="memory spread over children, each below the limit",
        wanted="one line that names the limit, exit status 3",
        run=partial(too_long, "spreads_memory", _MEMORY, "more than the 0.75 GB", 3),
        quick=False,
    ),
    Attack(
        name="recursion without end, in C",
        wanted="one line, exit status 3",
        run=partial(too_long, "recurses_without_end", _MEMORY, "left no result", 3),
        quick=False,
    ),
]
