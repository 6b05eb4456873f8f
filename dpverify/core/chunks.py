"""Splits long counts into parts that run in parallel, are saved, and are the same wherever they are made.

A part is made from streams named after its place, so it is the same in any thread, in any order and after a resume.
Totals are sums of whole numbers, so they are too. Limits: only subjects that remember nothing between two calls (frozen
data classes promise it) have their parts shared out or kept; others are drawn in one go, every time.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dpverify.core.auditing import Task


Chunks = Callable[[str, int, Callable[[int], Any]], Iterator[Any]]
"""Has the parts of one series made, or remembers them; called with its name, their number, and ``work(place)``.

Yields what `work` returns for 0 .. count - 1, in order. `work` may run in several threads at once, or not at all.
"""


def one_by_one(_name: str, count: int, work: Callable[[int], Any]) -> Iterator[Any]:
    """The default: make the parts in this thread, one after another, and save none."""
    return map(work, range(count))


def parts(
    task: Task,
    subject: object,
    names: tuple[str | int, ...],
    count: int,
    work: Callable[[int], Any],
    *,
    about: Any = "",
) -> Iterator[Any]:
    """The parts of a count of one subject's outputs.

    Parameters
    ----------
    task : Task
        Whose `chunks` are used.
    subject : mechanism
        What is drawn from.
    names : tuple
        Of the streams that `work` draws from, without the place.
    count : int
        How many parts.
    work : callable
        ``work(place)``: plain JSON values that follow from `place` alone.
    about : plain JSON values
        What is counted (an event's record): parts that were kept for another one are not taken.
    """
    if not _remembers_nothing(subject):
        return one_by_one("", count, work)
    first = int(task.stream(*names, "parts").integers(2**63))  # other prefixes and seeds give other streams
    of = [first, task.trials, task.effort, count, about]
    known_by = hashlib.sha256(json.dumps(of, sort_keys=True, default=str).encode())
    return task.chunks(f"{'/'.join(map(str, names))} {known_by.hexdigest()[:16]}", count, work)


def _remembers_nothing(subject: object) -> bool:
    return bool(getattr(getattr(type(subject), "__dataclass_params__", None), "frozen", False))
